"""Mutual information between the parts of a sentence and its whole, after IS-BERT.

Convolutions over the token vectors give a local feature at each place. A discriminator scores a
feature against a sentence vector; it shall be high for the sentence it stands in and low for the
others of the batch. That maximises a lower bound (Jensen–Shannon) of the information that a
sentence's vector has about its parts. The convolutions are thrown away afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kit.comparators.sentence_rows import Rows, sentence_examples
from kit.encoder import pad, pool
from kit.number_checks import is_whole
from kit.training.batches import Example
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Recipe, Rule, SoftmaxOptions


@dataclass(frozen=True)
class InformationOptions(SoftmaxOptions):
    """widest_window: tokens under the widest convolution; 5 stands for windows of 1, 3 and 5.

    local_layer: whose token vectors the convolutions read, "last" (the paper) or "embeddings". In the last
    layer every token may already carry a mark of its whole sentence, which is told from others for nothing.
    """

    data_format = "sentences"
    widest_window: int = 5
    local_layer: str = "last"

    @property
    def objective(self) -> type[Information]:
        return Information

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (
                is_whole(self.widest_window, 1) and self.widest_window % 2 == 1,
                "an odd widest_window of 1 or more",
                self.widest_window,
            ),
            (self.local_layer in ("last", "embeddings"), "local_layer 'last' or 'embeddings'", self.local_layer),
            *super().rules(recipe),
        ]


class LocalFeatures(nn.Module):
    """Convolutions of several widths side by side, ReLU, and a linear map: [rows, length, dim] → the same shape."""

    def __init__(self, dim: int, widest: int):
        super().__init__()
        windows = range(1, widest + 1, 2)
        self.convolutions = nn.ModuleList(nn.Conv1d(dim, dim, window, padding=window // 2) for window in windows)
        self.together = nn.Linear(dim * len(windows), dim)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """tokens [rows, length, dim], mask [rows, length]; padding counts as zeros, as beyond the edge."""
        channels = (tokens * mask[..., None].to(tokens.dtype)).transpose(1, 2)  # [rows, dim, length]
        features = torch.cat([F.relu(convolution(channels)) for convolution in self.convolutions], dim=1)
        return self.together(features.transpose(1, 2))


class Information(Objective):
    """Minus the Jensen–Shannon estimate of the information (Zhang et al. 2020, section 3)."""

    name = "information"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.local = LocalFeatures(encoder.dim, recipe.options.widest_window)
        self.layer = -1 if recipe.options.local_layer == "last" else 0

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        return sentence_examples(encoder, data, recipe, seed)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Rows:
        return Rows([example.anchor for example in examples])

    def loss(self, batch: Rows, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        options = context.recipe.options
        with context.autocast():
            vectors, features, owner = self.parts(context.encoder, batch.token_ids)
        scores = discriminate(vectors.float(), features.float(), options.similarity) / options.temperature
        loss = information_loss(scores, owner)
        return loss, {"information": loss.detach()}

    def parts(self, encoder, token_ids: list[list[int]]) -> tuple[Tensor, Tensor, Tensor]:
        """Sentence vectors [sentences, dim], local features [tokens, dim] of all tokens of the batch, and the
        sentence each token stands in, [tokens]."""
        ids, mask = (part.to(encoder.device) for part in pad(token_ids, encoder.tokenizer.pad_token_id))
        hidden = encoder.bert(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        vectors = pool(encoder.pooling, hidden, mask, encoder.first_layer)
        real = mask.flatten().nonzero().squeeze(1)  # [tokens], places that are no padding
        features = self.local(hidden[self.layer], mask).flatten(0, 1).index_select(0, real)
        return vectors, features, real // mask.shape[1]


def discriminate(vectors: Tensor, features: Tensor, similarity: str = "dot") -> Tensor:
    """T of every sentence vector [sentences, dim] and every feature [tokens, dim]: [sentences, tokens].

    "dot", behind the linear map of the features, is a bilinear form; "cosine" keeps it bounded.
    """
    if similarity == "cosine":
        vectors, features = F.normalize(vectors, dim=1), F.normalize(features, dim=1)
    return vectors @ features.T


def information_loss(scores: Tensor, owner: Tensor) -> Tensor:
    """mean softplus(−T) over the pairs of a token and its own sentence + mean softplus(T) over all other pairs.

    scores [sentences, tokens], owner [tokens]. Every token counts the same. A batch of one sentence has no
    other pairs: the first term alone. Source: Zhang et al. 2020, Eq. 3; Nowozin et al. 2016.
    """
    own = owner[None, :] == torch.arange(len(scores), device=scores.device)[:, None]  # [sentences, tokens]
    losses = F.softplus(torch.where(own, -scores, scores))
    return losses[own].mean() + losses.masked_fill(own, 0.0).sum() / (~own).sum().clamp(min=1)
