"""Table and Source: columns, samples, one honest line."""

from __future__ import annotations

import doctest

import pytest

import kit.data.table
from kit.data import Source, Table, check_columns, sample
from kit.errors import KitError


def source(tier: str = "path", rows: int = 0) -> Source:
    return Source("mine", "train", tier, "mine.parquet", "sha256:0", rows)


def nli_table(premises: int, each: int = 3) -> Table:
    """`each` rows for each premise, the rows of one premise not next to each other."""
    texts = [f"A boat number {p} rests." for _ in range(each) for p in range(premises)]
    columns = {
        "premise": texts,
        "hypothesis": [f"Row {i}." for i in range(len(texts))],
        "label": [i % 3 for i in range(len(texts))],
    }
    return Table(columns, source(rows=len(texts)))


def test_the_doctests_of_the_module_hold():
    assert doctest.testmod(kit.data.table).failed == 0


def test_length_columns_rows_and_head():
    table = nli_table(premises=4)
    assert len(table) == 12
    assert table["hypothesis"][5] == "Row 5."
    row = {"premise": "A boat number 0 rests.", "hypothesis": "Row 0.", "label": 0}
    assert next(table.rows()) == row
    assert table.head(2)["hypothesis"] == ["Row 0.", "Row 1."]
    assert len(table.head(99)) == 12
    assert repr(table) == "Table(12 rows: premise, hypothesis, label)"


def test_rows_that_were_taken_know_their_place_in_the_file():
    table = Table({"text": list("abcdef")}, source(), "line {}".format).take([5, 1, 3])
    assert [table.place(row) for row in range(3)] == ["line 5", "line 1", "line 3"]
    assert table.head(2).take([1]).place(0) == "line 1"


def test_unknown_column_names_the_near_one():
    with pytest.raises(KitError, match="did you mean 'premise'"):
        nli_table(2)["premises"]


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(KitError, match="equally long"):
        Table({"a": [1, 2], "b": [1]}, source())


def test_missing_columns_are_named_with_those_that_came():
    with pytest.raises(KitError, match="came with premise, hypothesis, label: rename or add score"):
        check_columns(nli_table(2), ["premise", "score"])
    check_columns(nli_table(2), ["label"])


def test_a_sample_keeps_premises_whole_and_the_order_of_the_file():
    table = nli_table(premises=50, each=3)
    part = sample(table, 40, seed=1)
    assert 40 <= len(part) < 43
    counts = {premise: part["premise"].count(premise) for premise in part["premise"]}
    assert set(counts.values()) == {3}
    places = [int(text.split()[1].rstrip(".")) for text in part["hypothesis"]]
    assert places == sorted(places)
    assert "whole premises, 42 of 150 rows, seed 1" in part.source.summary()
    assert part.source.rows == 42


def test_a_sample_is_repeatable_and_not_the_head_of_the_file():
    table = nli_table(premises=200)
    assert sample(table, 60, seed=3).columns == sample(table, 60, seed=3).columns
    assert sample(table, 60, seed=3).columns != sample(table, 60, seed=4).columns
    assert sample(table, 60, seed=3).columns != table.head(60).columns


def test_a_sample_of_pairs_gives_exactly_the_rows_asked_for():
    table = Table({"sentence1": [str(i) for i in range(90)]}, source(rows=90))
    assert len(sample(table, 17)) == 17
    assert sample(table, 90) is table and sample(table, 900) is table
    assert sample(table, None) is table


def test_rows_below_one_or_no_number_are_refused():
    for rows in [0, -3, 2.5, "many", True]:
        with pytest.raises(KitError, match="rows as a whole number from 1"):
            sample(nli_table(3), rows)


def test_the_summary_of_the_world_calls_it_made_up():
    stand_in = source("world", 1234).noting("KIT_DATA is not set")
    assert stand_in.is_fallback and not source().is_fallback
    sentence = stand_in.summary()
    assert "made-up" in sentence and "1,234" in sentence and "say nothing about English" in sentence
    assert sentence.endswith("KIT_DATA is not set.") and "\n" not in sentence
