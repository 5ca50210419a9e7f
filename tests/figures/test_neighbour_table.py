"""Nearest neighbours in sentences: against a plain search."""

from __future__ import annotations

import pytest
import torch

from kit.errors import KitError
from kit.figures import neighbours_table


class Fixed:
    """An encoder that gives each sentence the vector it was told."""

    def __init__(self, **vectors: tuple[float, float]) -> None:
        self.vectors = vectors

    def encode(self, sentences: list[str]) -> torch.Tensor:
        return torch.tensor([self.vectors[sentence] for sentence in sentences])


BEFORE = Fixed(a=(1, 0), b=(2, 0.1), c=(0, 3))
AFTER = Fixed(a=(1, 0), b=(0, 1), c=(5, 1))


def test_the_nearest_other_sentence_by_cosine() -> None:
    table = neighbours_table({"before": BEFORE, "after": AFTER}, ["a", "b", "c"], [0])
    assert table.rows == [["a", "b (1.00)", "c (0.98)"]]
    assert table.caption == "For 3 of 3 sentences, the nearest neighbour under “after” is not the one under “before”."
    assert neighbours_table({"before": BEFORE}, ["a", "b", "c"], [2]).rows == [["c", "b (0.05)"]]


def test_what_cannot_be_searched_is_refused() -> None:
    for encoders, sentences, queries in (
        ({}, ["a", "b"], [0]),
        ({"x": BEFORE}, ["a", "a"], [0]),
        ({"x": BEFORE}, ["a"], [0]),
    ):
        with pytest.raises(KitError, match="two or more different sentences"):
            neighbours_table(encoders, sentences, queries)
    with pytest.raises(KitError, match="queries from 0 to 1"):
        neighbours_table({"x": BEFORE}, ["a", "b"], [2])
