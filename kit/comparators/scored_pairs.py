"""Training on scored pairs: CoSENT, and the regression of cosines.

An example is two sentences and their score from 0 to 1. NLI has no scores; its groups are taken too, an entailed
hypothesis as 1, a neutral one as ½, a contradicted one as 0, which is a reading of the labels and no measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kit.checks.argument_checks import is_list
from kit.data import Group
from kit.errors import KitError, shown
from kit.losses import cosent, cosine_regression
from kit.number_checks import is_finite
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Options, Recipe, Rule

OF_A_LABEL = (1.0, 0.5, 0.0)  # entailment, neutral, contradiction
LOSSES = ("cosent", "cosine")


@dataclass(frozen=True)
class ScoredOptions(Options):
    """score_loss: "cosent" or "cosine" (regression). temperature: τ of CoSENT; regression has none."""

    data_format = "scored"
    score_loss: str = "cosent"
    temperature: float = 0.05

    @property
    def objective(self) -> type[ScoredPairs]:
        return ScoredPairs

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (self.score_loss in LOSSES, "score_loss 'cosent' or 'cosine'", self.score_loss),
            (is_finite(self.temperature) and self.temperature > 0, "τ (temperature) above 0", self.temperature),
        ]


@dataclass(frozen=True)
class ScoredExample:
    """Token ids of two sentences, and their score."""

    first: list[int]
    second: list[int]
    score: float
    size: int = 1

    @property
    def longest(self) -> int:
        return max(len(self.first), len(self.second))


@dataclass(frozen=True)
class ScoredBatch:
    """token_ids: the distinct sentences; u, v [pairs]: rows of them; scores [pairs]."""

    token_ids: list[list[int]]
    u: Tensor
    v: Tensor
    scores: Tensor

    def to(self, device: torch.device) -> ScoredBatch:
        return ScoredBatch(self.token_ids, *(t.to(device) for t in (self.u, self.v, self.scores)))


class ScoredPairs(Objective):
    """CoSENT or cosine regression on (sentence 1, sentence 2, score) tuples, or NLI groups."""

    name = "scored"
    division = "replicated"

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[ScoredExample]:
        pairs = list(scored_pairs(data))
        if len({score for _, _, score in pairs}) < 2:
            raise KitError(
                f"expected pairs with two different scores or more, got {len(pairs):,} pairs with "
                f"{len({score for _, _, score in pairs})}: with one score there is nothing to tell apart."
            )
        texts = list(dict.fromkeys(text for first, second, _ in pairs for text in (first, second)))
        ids = dict(zip(texts, encoder.tokenize(texts)))
        return [ScoredExample(ids[first], ids[second], float(score)) for first, second, score in pairs]

    def batch(
        self, examples: list[ScoredExample], recipe: Recipe, generator: torch.Generator | None = None
    ) -> ScoredBatch:
        """A sentence that stands in several pairs is encoded once."""
        sentences = [tuple(e.first) for e in examples] + [tuple(e.second) for e in examples]
        row = {sentence: i for i, sentence in enumerate(dict.fromkeys(sentences))}
        u, v = torch.tensor([row[sentence] for sentence in sentences]).chunk(2)
        return ScoredBatch([list(sentence) for sentence in row], u, v, torch.tensor([e.score for e in examples]))

    def loss(self, batch: ScoredBatch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        z, options = context.embed(batch.token_ids), context.recipe.options  # [rows, dim]
        # index_select, not z[...]: see kit.losses.softmax.similarity_matrix
        u, v = (z.index_select(0, rows) for rows in (batch.u, batch.v))
        if options.score_loss == "cosent":
            loss = cosent(u, v, batch.scores, options.temperature)
        else:
            loss = cosine_regression(u, v, batch.scores)
        return loss, {options.score_loss: loss.detach()}


def scored_pairs(data: Any) -> Iterator[tuple[str, str, float]]:
    """(sentence 1, sentence 2, score from 0 to 1) of tuples or NLI groups. Errors: `KitError` with the place."""
    for place, one in enumerate(data if is_list(data) else [data]):
        if isinstance(one, Group):
            for hypothesis, label in zip(one.hypotheses, one.labels):
                if not 0 <= label < len(OF_A_LABEL):  # −1 is a pair whose label is hidden
                    raise KitError(f"expected labels 0, 1 or 2, got {label!r} in group {place}: leave such pairs out.")
                yield one.anchor, hypothesis, OF_A_LABEL[label]
            continue
        is_pair = isinstance(one, tuple) and len(one) == 3 and all(isinstance(text, str) for text in one[:2])
        if not is_pair or not is_finite(one[2]) or not 0 <= one[2] <= 1:
            raise KitError(
                "expected tuples (sentence 1, sentence 2, score from 0 to 1), or NLI groups, but number "
                f"{place} is {one if is_pair else shown(one)}: kit.owndata.read makes them of a file."
            )
        yield one
