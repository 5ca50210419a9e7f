"""What the boards of the sphere share in Python: places half-way between two recorded views (js/globe.js)."""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from statistics import fmean

NUMBERS = ("mean_cosine", "effective_rank", "sts")
VIEW = ("theta", "phi", "histogram", *NUMBERS)  # of a recorded step: angles, directions, shares, and three numbers


def mixed(before: dict, after: dict, t: float) -> dict:
    """The view a share t on the way from one to the next, its angles in degrees; round the pole the shorter way."""

    def between(a: float, b: float) -> float:
        return a + t * (b - a)

    def both(key: str) -> list[float]:
        return [between(a, b) for a, b in zip(before[key], after[key])]

    return {
        "theta": [angle / 10 for angle in both("theta")],
        "phi": [a + t * ((b - a + 180) % 360 - 180) for a, b in zip(before["phi"], after["phi"])],
        "histogram": both("histogram"),
        **{key: between(before[key], after[key]) for key in NUMBERS},
    }


def away(first: list[float], now: list[float]) -> list[float]:
    """The mean angle to the pole in degrees: of the first recorded view, kept in tenths of them, and of the present."""
    return [fmean(first) / 10, fmean(now)]


WHOLE = ("theta", "phi", "histogram", "neighbours")  # of a recorded step, whole numbers


def packed(run: dict) -> str:
    """All whole numbers of a run as one text, base64 of 16 bits each, step by step in the order of `WHOLE`.

    Jupyter writes each number of a list on a line of its own: a saved notebook would be ten times as large.
    """
    rows = zip(*(run[key] for key in WHOLE))
    numbers = array("h", [n for *flat, near in rows for part in (*flat, *near) for n in part])
    if sys.byteorder == "big":
        numbers.byteswap()
    return b64encode(numbers.tobytes()).decode()


def unpacked(text: str, points: int, bins: int) -> dict[str, list]:
    """What `packed` has packed, for so many points and bins: of each name a list over the steps."""
    numbers = array("h", b64decode(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    near, ends, run = 3, [0, points, 2 * points, 2 * points + bins], {key: [] for key in WHOLE}
    for start in range(0, len(numbers), ends[-1] + near * points):
        row = numbers[start : start + ends[-1] + near * points].tolist()
        for key, a, b in zip(WHOLE, ends, ends[1:]):
            run[key].append(row[a:b])
        run["neighbours"].append([row[k : k + near] for k in range(ends[-1], len(row), near)])
    return run
