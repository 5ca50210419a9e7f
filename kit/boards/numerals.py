"""Numbers as the boards print them, the same in a summary as in the picture: `kit.fixed`, `kit.short` … of charts.js.

Python rounds a half to the even digit, JavaScript away from zero, and the minus of a page is a longer one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal


def fixed(number: float, digits: int = 2) -> str:
    """With so many decimals and the minus of a page; what is printed as zero has no sign. Lesson 04."""
    exact = Decimal(float(number))
    said = str(exact.quantize(Decimal(f"1e-{digits}"), ROUND_HALF_UP, Context(prec=400)))
    return said.replace("-", "−" if any(digit in "123456789" for digit in said) else "")


def short(number: float) -> str:
    """With three digits, the very small and the very large as a power of ten."""
    if number and not 1e-3 <= abs(number) < 10_000:
        return f"{_leading(number, 2):.1e}".replace("-", "−")
    return f"{float(_leading(number, 3)) + 0.0:g}".replace("-", "−")


def printed(number: float, digits: int = 2) -> float:
    """The number that is read where it is printed with so many decimals."""
    return float(fixed(number, digits).replace("−", "-"))


def percent(share: float) -> str:
    """A share in whole percent."""
    return f"{fixed(100 * share, 0)}%"


def percent_within(share: float) -> str:
    """`kit.percent`: in whole percent, but what is nearly nothing or nearly all is not said to be it."""
    whole, finer = (fixed(100 * share, digits) for digits in (0, 1))
    if share in (0, 1) or whole != ("100" if share > 0.5 else "0"):
        return f"{whole} %"
    if finer in ("0.0", "100.0"):
        return "> 99.9 %" if share > 0.5 else "< 0.1 %"
    return f"{finer} %"


def apportioned(parts: Sequence[float], digits: int = 2) -> list[float]:
    """Parts of a whole, rounded so that the digits shown add up to it: those with the largest remainders go up."""
    unit = 10**digits
    floors = [math.floor(part * unit + 1e-9) for part in parts]
    missing = math.floor(sum(parts) * unit + 0.5) - sum(floors)
    up = sorted(range(len(parts)), key=lambda i: floors[i] - parts[i] * unit)[:missing]
    return [(floor + (i in up)) / unit for i, floor in enumerate(floors)]


def _leading(number: float, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(float(number))
