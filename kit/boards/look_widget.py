"""One's own data before training: what is cut, which texts have twins, how many negatives of a batch are false.

`look_board` is the board of a `kit.owndata.Look`. Its sliders ask what another limit of the encoder, another size of
the batch and another idea of "nearly the same" would mean; the answers are computed in the browser (js/look.js) and by
`look_values`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from kit.boards.board import Board
from kit.boards.numerals import fixed, printed
from kit.errors import KitError

START = 16  # the limit at first: something is cut
LONGEST = 512  # the largest limit; of longer texts what they have above LONGEST + 1 is kept as a sum
BARS = 24  # of the histogram of lengths
BATCHES = tuple(2**power for power in range(1, 11))
# role → the colour of its marks
COLOURS = {"positive": "positive", "positives": "positive", "sentence2": "before", "negative": "negative",
           "negatives": "negative"}  # fmt: skip
ROWS = ("rows that are copies", "rows whose two texts are the same", "rows that contradict another")  # findings to draw


def look_state(found: Any) -> dict:
    """What the board needs of a `Look`, JSON-ready, a few kB whatever the rows.

    lengths: role → [word pieces, texts] of every length; beyond: role → word pieces above `LONGEST` + 1, summed;
    histogram: role → [word pieces, % of its texts]; twins: [least similarity, texts with a twin so near]; together:
    the chance that two rows belong together, or None; rows: [finding, %]; classes: [name, %].
    """
    lengths = {role: sorted(Counter(min(n, LONGEST + 1) for n in own).items()) for role, own in found.lengths.items()}
    longest = max(counts[-1][0] for counts in lengths.values())
    least = [round(found.least + 0.05 * i, 2) for i in range(round((1 - found.least) / 0.05) + 1)]
    return {
        "name": found.data.name,
        "kind": found.data.kind,
        "count": len(found.data),
        "texts": found["texts with a near-duplicate"].of,
        "lengths": {role: [list(one) for one in counts] for role, counts in lengths.items()},
        "beyond": {role: sum(max(0, n - LONGEST - 1) for n in own) for role, own in found.lengths.items()},
        "histogram": {role: _histogram(counts, longest) for role, counts in lengths.items()},
        "colours": {role: COLOURS.get(role, "after") for role in lengths},
        "limit": min(found.limit, LONGEST),
        "most": max(16, min(LONGEST, max(longest, found.limit))),
        "twins": [[at, sum(one >= at - 1e-9 for one in found.twins)] for at in least],
        "together": found.together,
        "batches": [size for size in BATCHES if size <= max(2, len(found.data))],
        "rows": [[f.what, round(100 * f.share, 3)] for f in found.findings if f.what in ROWS],
        "classes": [[str(name), round(100 * share, 2)] for name, share in found.balance.items()]
        if found.data.kind in ("labelled", "classes")
        else [],
    }


def look_values(state: dict, controls: dict) -> dict:
    """Compute what the board shows for controls {"limit", "least", "batch"}.

    cut: role → texts longer than the limit; share: of all texts, in %; lost: word pieces that are not read, in %.
    near: texts with a twin that shares `least` of their words. expected: false negatives of an anchor in a batch, by
    (B − 1) · P(two rows belong together), and curve: the same for every size; None and [] where rows are no pairs.
    Errors: `KitError` for a limit or a batch below 1.
    """
    limit, least, batch = controls["limit"], controls["least"], controls["batch"]
    if limit < 1 or batch < 1:
        raise KitError(f"expected a limit and a batch of 1 or more, got {limit!r} and {batch!r}: move the sliders.")
    cut = {role: sum(count for n, count in own if n > limit) for role, own in state["lengths"].items()}
    texts = sum(count for own in state["lengths"].values() for _, count in own)
    pieces = sum(n * count for own in state["lengths"].values() for n, count in own) + sum(state["beyond"].values())
    lost = sum(max(0, n - limit) * count for own in state["lengths"].values() for n, count in own)
    lost += sum(state["beyond"].values())
    together = state["together"]
    return {
        "cut": cut,
        "share": 100 * sum(cut.values()) / texts,
        "lost": 100 * lost / pieces,
        "near": next((count for at, count in state["twins"] if at >= least - 1e-9), 0),
        "expected": None if together is None else (batch - 1) * together,
        "curve": [] if together is None else [[size, (size - 1) * together] for size in state["batches"]],
    }


def look_summary(values: dict, controls: dict, state: dict) -> str:
    """Describe the values in words."""
    cut = ", ".join(f"{role} {count}" for role, count in values["cut"].items())
    said = (
        f"{state['name']}: {state['count']} {state['kind']}. An encoder that reads {controls['limit']} word pieces "
        f"cuts {_percent(values['share'])} of all texts, repeated ones too ({cut}), and leaves "
        f"{_percent(values['lost'])} of all word pieces unread. {values['near']} of {state['texts']} different texts "
        f"have another with a Jaccard similarity of {fixed(controls['least'])} or more."
    )
    if values["expected"] is not None:
        size = controls["batch"]
        many = "s" if size > 2 else ""
        said += f" In a batch of {size}, 100 anchors with {size - 1} negative{many} each meet, all together, "
        said += f"{_small(100 * values['expected'])} that belong to them."
    if state["rows"]:
        said += " Of the rows: " + ", ".join(f"{what} {_percent(share)}" for what, share in state["rows"]) + "."
    if state["classes"]:
        said += " Classes: " + ", ".join(f"{name} {fixed(share, 1)} %" for name, share in state["classes"]) + "."
    return said


def _small(value: float) -> str:
    """As in the picture: below 1 with two digits, so that a share that halves is seen to."""
    return "< 0.01" if value > 0 == printed(value) else fixed(value, 2 if 0 < value < 1 else 1)


def _percent(value: float) -> str:
    """In percent; what is nearly all is not said to be it."""
    return "> 99.9 %" if value < 100 == printed(value, 1) else f"{_small(value)} %"


def look_board(found: Any) -> Board:
    """Make the board of what `kit.owndata.look` found. Lesson 13."""
    state = look_state(found)
    batch = max(size for size in state["batches"] if size <= 128)
    controls = {"limit": min(START, state["limit"]), "least": state["twins"][0][0], "batch": batch}
    return Board("look", state, look_summary(look_values(state, controls), controls, state), controls)


def _histogram(counts: list[tuple[int, int]], longest: int) -> list[list[float]]:
    """[middle of a bar, % of the texts in it], bars of whole word pieces from 1 to the longest."""
    wide, texts = math.ceil(longest / BARS), sum(count for _, count in counts)
    shares = [0] * math.ceil(longest / wide)
    for n, count in counts:
        shares[max(0, n - 1) // wide] += count
    return [[wide * i + (wide + 1) / 2, round(100 * count / texts, 3)] for i, count in enumerate(shares)]
