"""Rows of text as a table: aligned for the screen, and as Markdown."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.evaluation.tables import figure, table

ROWS = [("task", "pairs", "all"), ("STS-B", "1,379", "7.50"), ("a longer name", "9", "–")]


def test_names_begin_and_figures_end_below_each_other():
    assert table(ROWS).splitlines() == [
        "task           pairs   all",
        "STS-B          1,379  7.50",
        "a longer name      9     –",
    ]
    assert table([("task", "note"), ("STS-B", "")]) == "task   note\nSTS-B", "no blanks at the end of a line"


def test_as_markdown():
    assert table(ROWS[:2], "markdown").splitlines() == [
        "| task | pairs | all |",
        "|---|---:|---:|",
        "| STS-B | 1,379 | 7.50 |",
    ]


def test_a_row_of_another_length_and_an_unknown_style_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        table([*ROWS, ("one", "two")])
    with pytest.raises(KitError, match="unknown table style 'markdwon': did you mean 'markdown'"):
        table(ROWS, "markdwon")


def test_a_figure_has_two_decimals_and_nothing_is_a_dash():
    assert (figure(74.996), figure(0.0), figure(None), figure(None, "none")) == ("75.00", "0.00", "–", "none")
