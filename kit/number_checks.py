"""Checks of numbers that several packages share: the number comes back, or a KitError says what was expected."""

from __future__ import annotations

import operator
import sys
from numbers import Real

from kit.errors import KitError, shown

LARGEST = 2**63 - 1  # a larger number fits no tensor, and no generator of random numbers takes it


def is_whole(value: object, least: int | None = None) -> bool:
    """Whether `value` is an integer (NumPy's too, but not True or False) of at least `least` and at most 19 digits."""
    try:
        number = operator.index(value)
    except TypeError:
        return False
    return (
        "bool" not in str(getattr(value, "dtype", type(value)))
        and abs(number) <= LARGEST
        and (least is None or number >= least)
    )


def is_finite(value: object) -> bool:
    """Whether `value` is a finite real number, and not True, False or a tensor."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    # As Python's number: beside NumPy's float32 the bound itself would be infinite.
    return is_real and abs(value.item() if hasattr(value, "item") else value) <= sys.float_info.max


def whole_number(name: str, value: object, least: int | None = None, hint: str = "") -> int:
    """`value` as an int of at least `least`; else raises KitError, naming `name` and ending in `hint`.

    >>> whole_number("rows", 0, 1, "leave it out for all rows")
    Traceback (most recent call last):
    kit.errors.KitError: expected rows as a whole number from 1, got 0: leave it out for all rows.
    """
    if not is_whole(value, least):
        bound = "" if least is None else f" from {least}"
        raise KitError(f"expected {name} as a whole number{bound}, got {shown(value)}{_end(hint)}")
    return operator.index(value)


def fraction(name: str, value: object, zero: bool = True, hint: str = "") -> float:
    """`value`, a number from 0 (or, without `zero`, above 0) to 1; else raises KitError as `whole_number` does."""
    if not is_finite(value) or not 0 <= value <= 1 or (value == 0 and not zero):
        raise KitError(f"expected {name} {'from 0' if zero else 'above 0 and up'} to 1, got {shown(value)}{_end(hint)}")
    return value


def _end(hint: str) -> str:
    return f": {hint}." if hint else "."
