"""Numbers as the boards print them (the browser tests hold the summaries to those of the page)."""

from __future__ import annotations

import pytest

from kit.boards.numerals import apportioned, fixed, percent, percent_within, printed, short


@pytest.mark.parametrize(
    ("number", "digits", "said"),
    [
        (0.03125, 4, "0.0313"),  # a half goes away from zero
        (-2.5, 0, "−3"),
        (1.005, 2, "1.00"),  # which is a little less than it looks
        (-0.004, 2, "0.00"),
    ],
)
def test_decimals(number: float, digits: int, said: str) -> None:
    assert fixed(number, digits) == said and printed(number, digits) == float(said.replace("−", "-"))


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (-4.1e-4, "−4.1e−4"),
        (12_500, "1.3e+4"),
        (1105, "1110"),
        (9999.9, "10000"),
        (0.0501, "0.0501"),
        (-0.0, "0"),
        (20, "20"),
    ],
)
def test_three_digits(number: float, said: str) -> None:
    assert short(number) == said


def test_a_half_percent_is_one() -> None:
    assert [percent(share) for share in (0.125, 0.005, 0.0, 1.0)] == ["13%", "1%", "0%", "100%"]


def test_parts_are_rounded_to_add_up() -> None:
    """Those with the largest remainders go up."""
    assert apportioned([0.12349, 0.30043, 0.30044, 0.27564], 3) == [0.124, 0.3, 0.3, 0.276]
    assert apportioned([0.5, 0.5]) == [0.5, 0.5] and apportioned([1 / 3] * 3, 1) == [0.4, 0.3, 0.3]


def test_what_is_nearly_nothing_or_nearly_all_is_not_said_to_be_it() -> None:
    shares = (0.0, 1e-9, 0.0014, 0.005, 0.125, 0.9958, 0.99999, 1.0)
    said = ["0 %", "< 0.1 %", "0.1 %", "1 %", "13 %", "99.6 %", "> 99.9 %", "100 %"]
    assert [percent_within(share) for share in shares] == said
