"""The nearest sentence in each space: another one than the query, and refused where vectors are missing."""

from __future__ import annotations

import pytest
import torch

from kit.errors import KitError
from kit.figures import PageTable, neighbour_table

SENTENCES = ["a", "b", "c"]
BEFORE, AFTER = torch.tensor([[1.0, 0], [1, 0.1], [0, 1]]), torch.tensor([[1.0, 0], [0, 1], [1, 0.0]])


def test_the_nearest_is_another_sentence_in_each_space() -> None:
    table = neighbour_table({"before": BEFORE, "after": AFTER}, SENTENCES, [0, 1])
    assert [row[:3] for row in table.rows] == [
        ("a", "before", "b"), ("", "after", "c"), ("b", "before", "a"), ("", "after", "a"),
    ]  # fmt: skip
    assert table.rows[1][3] == "1.00"


def test_words_align_left_and_numbers_right() -> None:
    text = str(PageTable(("a", "b", "c"), [("long", "x", "1"), ("s", "word", "10")], words=2)).splitlines()
    assert text == ["a     b      c", "long  x      1", "s     word  10"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(KitError, match="expected a vector for each of 3 sentences in 'x', got 2"):
        neighbour_table({"x": BEFORE[:2]}, SENTENCES, [0])
    with pytest.raises(KitError, match="expected queries from 0 to 2, got 3"):
        neighbour_table({"x": BEFORE}, SENTENCES, [3])
