"""Rows of one kind with their columns by role."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.owndata import KINDS, OwnData


def made(kind: str = "pairs", **columns) -> OwnData:
    columns = columns or {"anchor": ["a", "b", "a"], "positive": ["c", "d", "e"]}
    return OwnData("mine", kind, columns, list(range(2, 2 + len(next(iter(columns.values()))))))


def test_rows_texts_and_a_part_of_them() -> None:
    data = made()
    assert list(data.rows) == [("a", "c"), ("b", "d"), ("a", "e")] and len(data) == 3
    assert data.texts() == ["a", "b", "c", "d", "e"]
    part = data.take([2, 0])
    assert list(part.rows) == [("a", "e"), ("a", "c")] and part.numbers == [4, 2]
    several = made("multiples", anchor=["a"], positives=[("b", "a")], negatives=[()])
    assert several.texts() == ["a", "b"] and list(several.rows) == [("a", ("b", "a"), ())]
    scored = made("scored", sentence1=["a"], sentence2=["b"], score=[0.5])
    assert scored.texts() == ["a", "b"] and "scored" in repr(scored) and "1 scored" in scored.summary()


def test_columns_are_those_of_the_kind() -> None:
    with pytest.raises(KitError, match="unknown kind of data 'pears': did you mean 'pairs'"):
        made("pears")
    with pytest.raises(KitError, match="expected the columns anchor, positive, negative for triplets"):
        made("triplets")
    with pytest.raises(KitError, match="one length"):
        made("pairs", anchor=["a"], positive=["b", "c"])
    with pytest.raises(KitError, match="unknown column 'text'"):
        made()["text"]
    assert all(made(kind, **{role: ["a"] for role in roles}) for kind, roles in KINDS.items())
