"""Spans of a document: anchors, and positives taken from near them (DeCLUTR, section 3.2).

Works on token counts alone. Where a span lies follows from a few numbers in [0, 1): values of a
Beta distribution for the lengths, uniform ones for the places. `SpanSampler.place` turns given numbers
into spans, `SpanSampler.sample` draws them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kit.errors import KitError
from kit.number_checks import is_whole

ANCHOR_LAW, POSITIVE_LAW = (4, 2), (2, 4)  # Beta(α, β): anchors tend to be long, positives short
STRATEGIES = ("any", "adjacent", "subsuming")
STARTS = ("paper", "code")
KINDS = ("overlapping", "adjacent", "subsumed")  # what a positive is to its anchor

Span = tuple[int, int]  # first token, and one past the last
Draw = tuple[float, float]  # a value of the Beta distribution, and a uniform one: how long, and where


class Spans(NamedTuple):
    """An anchor and its positives, each (first token, one past the last)."""

    anchor: Span
    positives: list[Span]


@dataclass(frozen=True)
class SpanSampler:
    """How spans are drawn from a document of n tokens (Giorgi et al. 2021, section 3.2).

    Lengths are ⌊Beta · (max_span − min_span) + min_span⌋, Beta(4, 2) for anchors and Beta(2, 4) for positives, in
    tokens. strategy: "any" (a positive starts uniformly from its own length before the anchor to the anchor's end,
    inside the document), "adjacent" (it ends where the anchor starts, or starts where it ends) or "subsuming" (it
    lies inside the anchor and is no longer than it). anchor_starts: "paper" (uniform, at least 2·max_span from start
    to start) or "code" (each inside a cell of max_span tokens, no two in neighbouring cells, none after the last
    whole cell: the released code's places, not their chances, as that draws cell by cell from those still free).
    Errors: `KitError` for numbers out of range and unknown names. Lesson 07.
    """

    min_span: int = 32
    max_span: int = 512
    anchors: int = 2  # A, in a document
    positives: int = 2  # P, for each anchor
    strategy: str = "any"
    anchor_starts: str = "paper"

    def __post_init__(self) -> None:
        for holds, wanted, got in expectations(
            self.min_span, self.max_span, self.anchors, self.positives, self.strategy, self.anchor_starts
        ):
            if not holds:
                raise KitError(f"spans: expected {wanted}, got {got!r}.")

    @property
    def needed(self) -> int:
        """Tokens that a document must have: 2·A·ℓmax, as the anchors are 2·ℓmax apart."""
        return 2 * self.anchors * self.max_span

    def sample(self, tokens: int, rng: random.Random) -> list[Spans]:
        """The anchors of a document of so many tokens, in its order, with their positives.

        Errors: `KitError` for a document shorter than `needed`.
        """
        anchors = [(rng.betavariate(*ANCHOR_LAW), rng.random()) for _ in range(self.anchors)]
        positives = [
            [(rng.betavariate(*POSITIVE_LAW), rng.random()) for _ in range(self.positives)] for _ in range(self.anchors)
        ]
        return self.place(tokens, anchors, positives)

    def place(self, tokens: int, anchors: Sequence[Draw], positives: Sequence[Sequence[Draw]]) -> list[Spans]:
        """The spans that follow from given draws: one for each anchor, and one for each of its positives.

        Draws beyond A and P are not used. Errors: `KitError` for a document shorter than `needed`.
        """
        if tokens < self.needed:
            raise KitError(
                f"expected a document of at least 2·A·ℓmax = 2·{self.anchors}·{self.max_span} = "
                f"{self.needed:,} tokens, got one of {tokens:,}: leave it out, or choose a smaller "
                "max_span or fewer anchors."
            )
        lengths = [self._length(beta, self.max_span) for beta, _ in anchors[: self.anchors]]
        starts = self._starts(tokens, lengths, [place for _, place in anchors[: self.anchors]])
        found = []
        for start, length, draws in zip(starts, lengths, positives):
            anchor = (start, start + length)
            found.append(Spans(anchor, [self._positive(tokens, anchor, *draw) for draw in draws[: self.positives]]))
        return found

    def _length(self, beta: float, longest: int) -> int:
        return int(beta * (longest - self.min_span) + self.min_span)

    def _starts(self, tokens: int, lengths: list[int], places: list[float]) -> list[int]:
        """Where the anchors start, in the order of the document.

        Sorted places are spread over the length that is left without the gaps between anchors;
        then the gaps are put back: so the distances hold without rejection sampling.
        """
        if self.anchor_starts == "paper":
            return self._apart(tokens - lengths[-1], 2 * self.max_span, places)
        # Of a place in [0, 1) the cells take the leading part, the place inside the cell the rest.
        cells = tokens // self.max_span
        free = cells - 2 * self.anchors + 2  # cells to choose from: between two chosen ones one stays empty
        chosen = self._apart(cells - 1, 2, places)
        inside = [place * free % 1 for place in sorted(places)]
        return [
            cell * self.max_span + _scaled(rest, self.max_span - length)
            for cell, rest, length in zip(chosen, inside, lengths)
        ]

    def _apart(self, last: int, gap: int, places: list[float]) -> list[int]:
        """A whole numbers from 0 to `last`, each at least `gap` above the one before."""
        free = last - gap * (self.anchors - 1)
        return [_scaled(place, free) + gap * i for i, place in enumerate(sorted(places))]

    def _positive(self, tokens: int, anchor: Span, beta: float, place: float) -> Span:
        start, end = anchor
        if self.strategy == "subsuming":
            length = self._length(beta, end - start)
            first = start + _scaled(place, end - start - length)
        elif self.strategy == "adjacent":
            # Near an edge of the document there may be room on one side only, or less than wanted.
            length = min(self._length(beta, self.max_span), max(start, tokens - end))
            before, after = start >= length, tokens - end >= length
            first = end if after and (place >= 0.5 or not before) else start - length
        else:
            length = self._length(beta, self.max_span)
            low, high = max(0, start - length), min(end, tokens - length)
            first = low + _scaled(place, high - low)
        return first, first + length


def expectations(
    min_span: Any, max_span: Any, anchors: Any, positives: Any, strategy: Any, anchor_starts: Any
) -> list[tuple[bool, str, Any]]:
    """What the settings of a sampler must be: (whether it holds, the expectation in words, the value)."""
    whole = is_whole(min_span, 1) and is_whole(max_span, 1)
    return [
        (is_whole(min_span, 1), "a min_span (ℓmin) of 1 token or more", min_span),
        (is_whole(max_span, 1), "a max_span (ℓmax) of 1 token or more", max_span),
        (not whole or min_span < max_span, "a min_span (ℓmin) below max_span (ℓmax)", (min_span, max_span)),
        (is_whole(anchors, 1), "1 anchor (A) or more in a document", anchors),
        (is_whole(positives, 1), "1 positive (P) or more for an anchor", positives),
        (strategy in STRATEGIES, "strategy " + " or ".join(map(repr, STRATEGIES)), strategy),
        (anchor_starts in STARTS, "anchor_starts " + " or ".join(map(repr, STARTS)), anchor_starts),
    ]


def kind_of(anchor: Span, positive: Span) -> str:
    """What a positive is to its anchor: "subsumed" by it, "adjacent", "overlapping", or "apart". Lesson 07."""
    if anchor[0] <= positive[0] and positive[1] <= anchor[1]:
        return "subsumed"
    if positive[1] == anchor[0] or positive[0] == anchor[1]:
        return "adjacent"
    return "overlapping" if shared(anchor, positive) else "apart"


def shared(one: Span, other: Span) -> int:
    """How many tokens two spans have in common."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def overlap_statistics(sampled: Iterable[Spans]) -> dict[str, float]:
    """Shares of the three kinds among all positives, and the mean share of a positive in its anchor.

    {"overlapping", "adjacent", "subsumed", "mean_overlap"}, each from 0 to 1; the kinds sum to 1
    for spans of a `SpanSampler`. Errors: `KitError` where there is no positive. Lesson 07.
    """
    pairs = [(spans.anchor, positive) for spans in sampled for positive in spans.positives]
    if not pairs:
        raise KitError("expected at least one anchor with a positive, got none: sample some spans first.")
    kinds = Counter(kind_of(*pair) for pair in pairs)
    inside = sum(shared(anchor, positive) / (positive[1] - positive[0]) for anchor, positive in pairs)
    return {**{kind: kinds[kind] / len(pairs) for kind in KINDS}, "mean_overlap": inside / len(pairs)}


def _scaled(place: float, most: int) -> int:
    """A number in [0, 1) as a whole number from 0 to `most`, all equally likely."""
    return min(int(place * (most + 1)), most)
