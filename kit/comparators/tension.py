"""Contrastive tension (CT): two encoders that start equal, and which pairs are identical.

One encoder reads the first sentence of a pair, the other the second. Their dot product shall say
whether it is the same sentence: one identical pair for every K different ones. The two are
trained apart from each other from then on; the encoder that was handed in is the one that is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from kit.comparators.sentence_rows import sentence_examples
from kit.encoder import Encoder
from kit.number_checks import is_whole
from kit.training.batches import Example
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Options, Recipe, Rule


@dataclass(frozen=True)
class TensionOptions(Options):
    """different: K, the pairs of two different sentences for each identical pair."""

    data_format = "sentences"
    different: int = 7

    @property
    def objective(self) -> type[Tension]:
        return Tension

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [(is_whole(self.different, 1), "different (K) of 1 pair or more", self.different)]


@dataclass(frozen=True)
class Pairs:
    """token_ids: the sentences; first, second [pairs]: rows of them; same [pairs]: 1.0 where they are one."""

    token_ids: list[list[int]]
    first: Tensor
    second: Tensor
    same: Tensor

    def to(self, device: torch.device) -> Pairs:
        return Pairs(self.token_ids, *(t.to(device) for t in (self.first, self.second, self.same)))


class Tension(Objective):
    """Binary cross-entropy on dot products of two encoders (Carlsson et al. 2021, section 3)."""

    name = "tension"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.other = Encoder(
            copy.deepcopy(encoder.bert), encoder.tokenizer, encoder.pooling, encoder.max_length, encoder.first_layer
        )

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        return sentence_examples(encoder, data, recipe, seed)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Pairs:
        """Each sentence with itself, then with K others of the batch (all others, where those are fewer)."""
        n, k = len(examples), min(recipe.options.different, len(examples) - 1)
        draw = torch.rand(n, n, generator=generator).fill_diagonal_(-1.0)
        others = draw.topk(k, dim=1).indices.flatten()  # [n·K]
        rows = torch.arange(n)
        return Pairs(
            [example.anchor for example in examples],
            torch.cat([rows, rows.repeat_interleave(k)]),
            torch.cat([rows, others]),
            torch.cat([torch.ones(n), torch.zeros(n * k)]),
        )

    def loss(self, batch: Pairs, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        u = context.embed(batch.token_ids)  # [sentences, dim]
        with context.autocast():
            v = self.other.embed(batch.token_ids).float()
        loss = tension_loss(u, v, batch)
        return loss, {"tension": loss.detach()}


def tension_loss(u: Tensor, v: Tensor, batch: Pairs) -> Tensor:
    """Mean over the pairs of −log σ(±u·v), + for an identical pair; u, v [sentences, dim] of the two encoders."""
    # index_select, not u[...]: see kit.losses.softmax.similarity_matrix
    scores = (u.index_select(0, batch.first) * v.index_select(0, batch.second)).sum(dim=1)  # [pairs]
    return F.binary_cross_entropy_with_logits(scores, batch.same.to(scores.dtype))
