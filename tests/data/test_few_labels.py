"""Hiding labels: how many stay, of which class, and what cannot be done."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from kit.data import HIDDEN, count_priors, hide_labels, mix_rows, similar_pairs
from kit.errors import KitError
from kit.losses import HIDDEN as HIDDEN_IN_LOSSES

LABELS = [0] * 120 + [1] * 60 + [2] * 20


def test_the_losses_mean_the_same_hidden_label() -> None:
    assert HIDDEN == HIDDEN_IN_LOSSES == -1


def test_the_same_fraction_of_every_class_is_kept() -> None:
    for fraction in [0.05, 0.1, 0.5, 0.9]:
        hidden = hide_labels(LABELS, fraction, seed=3)
        assert Counter(hidden) == {
            0: 120 * fraction,
            1: 60 * fraction,
            2: 20 * fraction,
            HIDDEN: round(200 * (1 - fraction)),
        }
        assert all(now in (label, HIDDEN) for now, label in zip(hidden, LABELS)), "no label is changed"


def test_all_labels_are_kept_at_one_and_those_without_stay_without() -> None:
    assert hide_labels(LABELS, 1) == LABELS
    ambiguous = [0, HIDDEN, 1, 2, HIDDEN]
    assert hide_labels(ambiguous, 1.0) == ambiguous
    assert hide_labels([*LABELS, *[HIDDEN] * 500], 0.1).count(HIDDEN) == 500 + 180, "a share of the labels, not of rows"


def test_a_smaller_fraction_keeps_a_part_of_what_a_larger_one_keeps() -> None:
    for stratified in (True, False):
        kept = [
            {row for row, label in enumerate(hide_labels(LABELS, f, 1, stratified)) if label != HIDDEN}
            for f in (0.1, 0.2, 0.5, 1.0)
        ]
        assert kept[0] < kept[1] < kept[2] < kept[3]


def test_the_seed_chooses_and_repeats() -> None:
    assert hide_labels(LABELS, 0.3, 5) == hide_labels(LABELS, 0.3, 5) != hide_labels(LABELS, 0.3, 6)


def test_over_seeds_every_row_is_as_likely() -> None:
    kept = Counter(
        row for seed in range(2000) for row, label in enumerate(hide_labels([0, 1] * 5, 0.4, seed)) if label != HIDDEN
    )
    assert len(kept) == 10 and all(abs(count / 2000 - 0.4) < 5 * math.sqrt(0.4 * 0.6 / 2000) for count in kept.values())


def test_without_strata_only_the_total_is_kept() -> None:
    counts = [Counter(hide_labels(LABELS, 0.5, seed, stratified=False)) for seed in range(20)]
    assert {count[HIDDEN] for count in counts} == {100}
    assert len({count[2] for count in counts}) > 3


def test_a_fraction_that_is_none() -> None:
    for fraction in [0, -0.1, 1.01, 2, math.nan, math.inf, True, None, "0.1"]:
        with pytest.raises(KitError, match="expected a fraction of labels above 0 and up to 1, got"):
            hide_labels(LABELS, fraction)


def test_a_class_left_empty_is_told() -> None:
    with pytest.raises(KitError, match=r"none in class 2 \(0.02 of 20 rows\): keep a larger fraction or load more"):
        hide_labels(LABELS, 0.02)
    with pytest.raises(KitError, match=r"none in class 1 \(0.1 of 1 row\)"):
        hide_labels([0] * 40 + [1], 0.1, stratified=False, seed=1)


def test_labels_that_are_none() -> None:
    for labels, words in [
        ([], "at least one label to keep, got 0 rows"),
        ([-1, -1], "got 2 rows without any"),
        ([0, -2], "whole numbers from 0, or −1 for a hidden one, got -2"),
        ([0, 1.0], "got 1.0"),
        ([0, True], "got True"),
        (["entailment"], "got 'entailment'"),
    ]:
        with pytest.raises(KitError, match=words):
            hide_labels(labels, 0.5)


def test_priors_are_counted_among_the_labels_that_are_left() -> None:
    assert count_priors(LABELS, 3) == [0.6, 0.3, 0.1]
    assert count_priors([0, HIDDEN, HIDDEN, 1, 1, 1], 2) == [0.25, 0.75]
    assert count_priors(hide_labels(LABELS, 0.1), 3) == pytest.approx([0.6, 0.3, 0.1])


def test_priors_that_cannot_be_counted() -> None:
    for labels, classes, words in [
        ([0, 1, 1], 3, "of each of 3 classes, got none of class 2"),
        ([0, 1, 2], 2, "from 0 to 1, or −1 .* got 2"),
        ([], 2, "got none of class 0"),
    ]:
        with pytest.raises(KitError, match=words):
            count_priors(labels, classes)


def test_a_mix_has_the_share_and_uses_rows_in_turn() -> None:
    for share in [1 / 3, 0.5, 1.0]:
        hidden = hide_labels(LABELS, 0.1)  # 20 of 200 rows
        rows = mix_rows(hidden, share, seed=2)
        with_label = Counter(row for row in rows if hidden[row] != HIDDEN)
        assert len(rows) == 200 and with_label.total() == round(200 * share) and len(with_label) == 20
        assert max(with_label.values()) - min(with_label.values()) <= 1
        without = [row for row in rows if hidden[row] == HIDDEN]
        assert len(without) == len(set(without)), "there are enough of these"
        assert rows == mix_rows(hidden, share, seed=2)
        assert mix_rows(hidden, 1 / 3, seed=2) != mix_rows(hidden, 1 / 3, seed=3)


def test_a_mix_that_cannot_be_had() -> None:
    with pytest.raises(KitError, match="rows without a label for a mix of 0.5 labelled, got none"):
        mix_rows([0, 1], 0.5)
    with pytest.raises(KitError, match="rows with a label for a mix of 0.5"):
        mix_rows([HIDDEN, HIDDEN], 0.5)
    with pytest.raises(KitError, match="share of labelled rows above 0 and up to 1, got 0"):
        mix_rows([0, HIDDEN], 0)


def test_made_up_similar_pairs_say_that_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    train, test = similar_pairs("train", rows=400), similar_pairs("test", rows=400)
    assert train.source.is_fallback and "made-up" in train.source.summary()
    assert list(train.columns) == ["sentence1", "sentence2", "label"] and len(train) == len(test) == 400
    for table in (train, test):
        assert set(table["label"]) == {0, 1} and 80 < sum(table["label"]) < 320
    assert train.columns == similar_pairs("train", rows=400).columns != similar_pairs("train", rows=400, seed=1).columns
    assert not set(zip(train["sentence1"], train["sentence2"])) & set(zip(test["sentence1"], test["sentence2"]))


def test_a_long_seed_is_a_seed_of_made_up_pairs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    assert len(similar_pairs("train", rows=3, seed=10**18)) == 3


def test_real_similar_pairs_come_from_the_mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "senteval-transfer" / "mrpc"
    folder.mkdir(parents=True)
    columns = {
        "sentence1": ["A  dog runs .", "It rains"],
        "sentence2": ["A dog is running", "It snows"],
        "label": [1, 0],
        "label_text": ["equivalent", "not_equivalent"],
    }
    pq.write_table(pa.table(columns), folder / "test.parquet")
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    table = similar_pairs("test")
    assert table.source.tier == "mirror" and not table.source.is_fallback
    assert list(table.rows()) == [
        {"sentence1": "A dog runs .", "sentence2": "A dog is running", "label": 1},
        {"sentence1": "It rains", "sentence2": "It snows", "label": 0},
    ]
    with pytest.raises(KitError, match="has no split 'train'"):
        similar_pairs("train")
    many = {name: [f"{name} {i}" for i in range(50)] for name in ("sentence1", "sentence2")}
    pq.write_table(pa.table({**many, "label": [0, 1] * 25}), folder / "train.parquet")
    zero, again, one = (similar_pairs("train", rows=20, seed=seed).columns for seed in (0, 0, 1))
    assert zero == again != one, "the seed draws the rows"


def test_a_split_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    with pytest.raises(KitError, match="no split 'dev': they have train, validation, test"):
        similar_pairs("dev")
    with pytest.raises(KitError, match="rows as a whole number from 1"):
        similar_pairs("train", rows=0)
