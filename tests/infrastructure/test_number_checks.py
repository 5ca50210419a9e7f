"""Numbers as they should be come back; anything else is one sentence with its name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kit.errors import KitError
from kit.number_checks import fraction, is_finite, is_whole, whole_number


def test_whole_numbers_of_any_library_come_back_as_ints() -> None:
    for value in (3, np.int64(3), np.uint8(3)):
        assert whole_number("n", value, 3) == 3 and type(whole_number("n", value)) is int
    assert whole_number("seed", -5) == -5 and is_whole(0, 0) and not is_whole(0, 1)


def test_anything_else_is_refused_by_name() -> None:
    for value in (2, -1, 3.0, "3", None, True, math.nan, [3]):
        assert not is_whole(value, 3)
        with pytest.raises(KitError, match="expected rows as a whole number from 3, got .*: leave it out.$"):
            whole_number("rows", value, 3, "leave it out")
    with pytest.raises(KitError, match=r"^expected seed as a whole number, got 'x'\.$"):
        whole_number("seed", "x")


def test_fractions() -> None:
    for value in (1e-9, 0.5, 1, np.float32(0.25)):
        assert fraction("a share", value, zero=False) == value
    assert fraction("a share", 0) == 0
    for value in (-0.1, 1.1, math.nan, math.inf, True, None, "0.5"):
        with pytest.raises(KitError, match="expected a share from 0 to 1, got .*: a tenth is 0.1.$"):
            fraction("a share", value, hint="a tenth is 0.1")
    with pytest.raises(KitError, match=r"expected a share above 0 and up to 1, got 0\.$"):
        fraction("a share", 0, zero=False)


def test_finite_numbers() -> None:
    assert all(map(is_finite, (0, -1.5, np.float64(2))))
    assert not any(map(is_finite, (math.inf, -math.inf, math.nan, True, "1", None)))
