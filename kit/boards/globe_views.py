"""What the boards of the sphere share in Python: places half-way between two recorded views (js/globe.js)."""

from __future__ import annotations

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
