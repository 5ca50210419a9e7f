"""Spans of documents as ribbons: where anchors and their positives lie, and how they overlap.

`spans_board` is the board; its mathematics runs in the browser (kit/boards/js/spans.js). Random
numbers are drawn beforehand and travel with the board, so that Python and JavaScript place the same spans.
`spans_values` is the same in Python, by `SpanSampler`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from kit.boards.board import Board
from kit.boards.numerals import percent_within
from kit.data.spans import ANCHOR_LAW, KINDS, POSITIVE_LAW, STARTS, STRATEGIES, SpanSampler, overlap_statistics
from kit.errors import KitError

LONGEST, MOST_ANCHORS, MOST_POSITIVES = 512, 3, 4  # the ends of the sliders
SHORTEST, RATIO = 16, 16  # ℓmin is ℓmax / 16, as 32 is to 512 in the paper
ROUNDS = 40  # drawings that travel with the board


def spans_state(documents: Sequence[int | Sequence[str]], seed: int = 0) -> dict:
    """Prepare documents of so many tokens each, or of these word pieces.

    The random numbers are drawn here: for each round and document a (Beta, uniform) pair for every anchor, and
    for every positive. Errors: `KitError` for no documents, or a length that is no whole number from 1.
    """
    tokens = [len(one) if isinstance(one, (list, tuple)) else one for one in documents]
    if not tokens or not all(isinstance(n, int) and n >= 1 for n in tokens):
        raise KitError(f"expected the lengths of some documents in tokens, whole numbers from 1, got {list(tokens)!r}.")
    rng = random.Random(seed)

    def draws(count: int, law: tuple[int, int]) -> list[list[float]]:
        return [[round(rng.betavariate(*law), 5), int(rng.random() * 1e5) / 1e5] for _ in range(count)]

    rounds = [
        [
            {
                "anchors": draws(MOST_ANCHORS, ANCHOR_LAW),
                "positives": [draws(MOST_POSITIVES, POSITIVE_LAW) for _ in range(MOST_ANCHORS)],
            }
            for _ in tokens
        ]
        for _ in range(ROUNDS)
    ]
    return {
        "tokens": tokens,
        "words": [list(one) if isinstance(one, (list, tuple)) else [] for one in documents],
        "rounds": rounds,
        "shortest": SHORTEST,
        "longest": LONGEST,
        "ratio": RATIO,
        "most_anchors": MOST_ANCHORS,
        "most_positives": MOST_POSITIVES,
        "strategies": list(STRATEGIES),
        "starts": list(STARTS),
    }


def spans_values(state: dict, controls: dict) -> dict:
    """Place the spans of one round in each document that is long enough; overlaps are over all rounds.

    "documents": for each document its anchors as {"anchor": [start, end], "positives": [[start, end] …]},
    [] where it is too short. "needed": tokens that a document must have. "kinds" and "mean_overlap": as
    `overlap_statistics`, over all rounds; zeros where no document is long enough. "own", "others":
    negatives that an anchor meets in its own document and in the others that are long enough.
    "drawing": the number of the round, from 1.
    """
    sampler = SpanSampler(
        max(1, controls["longest"] // RATIO),
        controls["longest"],
        controls["anchors"],
        controls["positives"],
        controls["strategy"],
        controls["starts"],
    )
    rounds = [
        [
            sampler.place(n, draw["anchors"], draw["positives"]) if n >= sampler.needed else []
            for n, draw in zip(state["tokens"], drawn)
        ]
        for drawn in state["rounds"]
    ]
    drawing = controls.get("again", 0) % len(rounds)
    usable = sum(n >= sampler.needed for n in state["tokens"])
    found = overlap_statistics(spans for one in rounds for document in one for spans in document) if usable else {}
    return {
        "documents": [
            [{"anchor": list(spans.anchor), "positives": [list(p) for p in spans.positives]} for spans in document]
            for document in rounds[drawing]
        ],
        "drawing": drawing + 1,
        "needed": sampler.needed,
        "min_span": sampler.min_span,
        "usable": usable,
        "kinds": [found.get(kind, 0.0) for kind in KINDS],
        "mean_overlap": found.get("mean_overlap", 0.0),
        "own": 2 * sampler.anchors - 2 if usable else 0,
        "others": 2 * sampler.anchors * max(0, usable - 1),
    }


def spans_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    count, a, p = len(values["documents"]), controls["anchors"], controls["positives"]
    line = (
        f"ℓmax {controls['longest']}, ℓmin {values['min_span']}, A {a}, P {p}: a document needs {values['needed']} "
        f"tokens, {values['usable']} of {count} {'has' if values['usable'] == 1 else 'have'} them."
    )
    if not values["usable"]:
        return f"{line} No spans are drawn."
    overlapping, adjacent, subsumed = map(percent_within, values["kinds"])
    first = next(document[0]["anchor"] for document in values["documents"] if document)
    return (
        f"{line} Positives: {subsumed} inside their anchor, {overlapping} overlapping, {adjacent} adjacent; "
        f"{percent_within(values['mean_overlap'])} of their tokens are the anchor's. An anchor meets {values['own']} "
        f"negatives of its own document, {values['others']} of others. Drawing {values['drawing']}: first anchor "
        f"{first[0]} to {first[1]}."
    )


def spans_board(documents: Sequence[int | Sequence[str]], longest: int = 126) -> Board:
    """Make the board for documents of so many tokens, or of these word pieces, whose words it then shows.

    longest: the ℓmax it starts from, even, 16 to 512. Errors: `KitError` as `spans_state`, and for another `longest`.
    Lesson 07.
    """
    if longest not in range(SHORTEST, LONGEST + 1, 2):
        raise KitError(f"expected an even ℓmax from {SHORTEST} to {LONGEST}, got {longest!r}.")
    state = spans_state(documents)
    controls = {"longest": longest, "anchors": 2, "positives": 2, "strategy": "any", "starts": "paper"}
    return Board("spans", state, spans_summary(spans_values(state, controls), controls), controls)
