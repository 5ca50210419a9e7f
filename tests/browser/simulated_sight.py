"""How colours look to readers with deuteranopia or protanopia, and how far two of them lie apart.

The simulation is Machado, Oliveira and Fernandes (2009, doi:10.1109/TVCG.2009.113) at severity 1.0, on linear RGB.
Distances are ΔE of CIE 1976, the length in CIELAB (D65): a ΔE of 2.3 is just noticeable, 20 is another colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

SIGHTS = {
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.95047, 1.0, 1.08883)


def linear(rgb: Sequence[float]) -> list[float]:
    """Linear RGB of 0 to 255 in sRGB."""
    return [c / 255 / 12.92 if c <= 10.31 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """The contrast of two colours by WCAG 2, 1 to 21."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in map(linear, (one, other)))
    return high / low


def faded(colour: Sequence[float], opacity: float, ground: Sequence[float]) -> tuple[float, ...]:
    """What is seen of a colour of this opacity on a ground, 0 to 255 in sRGB."""
    return tuple(opacity * c + (1 - opacity) * g for c, g in zip(colour, ground))


def difference(one: Sequence[float], other: Sequence[float], sight: str) -> float:
    """ΔE of 1976 between two colours of sRGB as somebody with this sight sees them."""
    return math.dist(*(_lab(_times(SIGHTS[sight], linear(rgb))) for rgb in (one, other)))


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def _lab(rgb: Sequence[float]) -> tuple[float, float, float]:
    scaled = [v / w for v, w in zip(_times(TO_XYZ, [min(max(c, 0.0), 1.0) for c in rgb]), WHITE)]
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in scaled)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
