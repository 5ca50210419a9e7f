"""Grouping by premise, triplets, and the input that is refused."""

from __future__ import annotations

import pytest

from kit.data import CONTRADICTION, ENTAILMENT, LABEL_NAMES, NEUTRAL, Group, Source, Table, group_by_premise, triplets
from kit.errors import KitError

SOURCE = Source("mine", "train", "path", "mine.parquet", "sha256:0", 0)


def pairs(*rows: tuple) -> Table:
    premises, hypotheses, labels = (list(column) for column in zip(*rows, strict=True))
    return Table({"premise": premises, "hypothesis": hypotheses, "label": labels}, SOURCE)


def test_groups_follow_the_first_occurrence_and_know_their_kinds():
    groups = group_by_premise(
        pairs(
            ("A baker kneads dough.", "Somebody is working.", ENTAILMENT),
            ("Two dogs swim.", "The dogs are dry.", CONTRADICTION),
            ("A baker  kneads\tdough. ", "The oven is hot.", NEUTRAL),
            ("A baker kneads dough.", "Nobody touches the dough.", CONTRADICTION),
        )
    )
    assert [group.anchor for group in groups] == ["A baker kneads dough.", "Two dogs swim."]
    assert [group.premise_id for group in groups] == [0, 1]
    assert groups[0].positives == ("Somebody is working.",)
    assert groups[0].neutrals == ("The oven is hot.",)
    assert groups[0].negatives == ("Nobody touches the dough.",)
    assert groups[1].positives == ()
    assert LABEL_NAMES[groups[1].labels[0]] == "contradiction"


def test_case_and_punctuation_make_another_premise():
    groups = group_by_premise(pairs(("Rain falls.", "It rains.", 0), ("rain falls", "It rains.", 0)))
    assert len(groups) == 2


def test_duplicates_once_conflicts_never_empties_never_all_counted():
    groups = group_by_premise(
        pairs(
            ("A boy reads.", "A child reads.", 0),
            ("A boy reads.", " A child  reads.", 0),
            ("A boy reads.", "The book is long.", 1),
            ("A boy reads.", "The book is long.", 2),
            ("A boy reads.", "  ", 0),
            ("", "Something happens.", 0),
            ("A girl paints.", "The wall is red.", 0),
            ("A girl paints.", "The wall is red.", 1),
            ("A man digs.", "A man works.", 0),
        )
    )
    assert [(g.premise_id, g.anchor, g.hypotheses) for g in groups] == [
        (0, "A boy reads.", ("A child reads.",)),
        (1, "A man digs.", ("A man works.",)),
    ]
    assert groups.dropped == {"duplicate": 1, "conflicting": 4, "empty": 2}


def test_ready_groups_are_read_as_they_are():
    table = Table(
        {
            "anchor": ["A cat sleeps.", "A cat  sleeps."],
            "positives": [["An animal rests."], []],
            "neutrals": [[], ["The cat is old."]],
            "negatives": [["The cat runs.", "The cat is awake."], []],
            "sources": [["x"], ["y"]],
        },
        SOURCE,
    )
    (group,) = group_by_premise(table)
    assert group.positives == ("An animal rests.",)
    assert group.neutrals == ("The cat is old.",)
    assert group.negatives == ("The cat runs.", "The cat is awake.")


@pytest.mark.parametrize("wrong", ["It moves.", None, 3])
def test_a_group_with_no_list_is_named_with_its_row(wrong: object):
    columns = {"anchor": ["A cat sits.", "A dog runs."], "positives": [["It rests."], wrong], "neutrals": [[], []]}
    with pytest.raises(KitError, match=f"mine: expected a list of sentences, but .*1 has {wrong!r}"):
        group_by_premise(Table({**columns, "negatives": [[], []]}, SOURCE))


def test_a_label_outside_the_set_is_named_with_its_row():
    for label in [3, -1, "entailment", None, 0.5]:
        table = pairs(("A boy reads.", "A child reads.", 0), ("A boy reads.", "A boy sits.", label))
        with pytest.raises(KitError) as error:
            group_by_premise(table)
        assert f"row 1 has {label!r}" in str(error.value)
        assert "0 (entailment), 1 (neutral), 2 (contradiction)" in str(error.value)


def test_wrong_columns_name_what_is_missing_and_what_came():
    with pytest.raises(KitError, match="came with sentence1: rename or add premise, hypothesis, lab"):
        group_by_premise(Table({"sentence1": ["A boy reads."]}, SOURCE))
    with pytest.raises(KitError, match="rename or add neutrals, negatives"):
        group_by_premise(Table({"anchor": ["A boy reads."], "positives": [[]]}, SOURCE))


def test_a_sentence_that_is_no_text_is_named_with_its_row():
    with pytest.raises(KitError, match="a sentence must be text, but row 0 has 7"):
        group_by_premise(pairs(("A boy reads.", 7, 0)))


def test_nothing_to_group_is_refused():
    empty = Table({"premise": [], "hypothesis": [], "label": []}, SOURCE)
    with pytest.raises(KitError, match="no pair to group: its 0 rows"):
        group_by_premise(empty)
    with pytest.raises(KitError, match="no pair to group: its 1 rows"):
        group_by_premise(pairs(("A boy reads.", " ", 0)))


def group(number: int, positives: int, negatives: int) -> Group:
    texts = tuple(f"{number} p{i}" for i in range(positives))
    texts += tuple(f"{number} n{i}" for i in range(negatives))
    labels = (ENTAILMENT,) * positives + (CONTRADICTION,) * negatives
    return Group(number, f"anchor {number}", texts, labels)


def test_triplets_use_each_sentence_at_most_once():
    groups = [group(0, 3, 5), group(1, 4, 2), group(2, 1, 0)]
    found = triplets(groups, seed=0)
    assert len(found) == 3 + 2
    used = [text for _, positive, negative in found for text in (positive, negative)]
    assert len(set(used)) == len(used)
    for anchor, positive, negative in found:
        number = anchor.split()[1]
        assert positive.startswith(f"{number} p") and negative.startswith(f"{number} n")


def test_triplets_depend_on_the_seed_only():
    groups = [group(number, 5, 5) for number in range(4)]
    assert triplets(groups, seed=1) == triplets(groups, seed=1)
    assert triplets(groups, seed=1) != triplets(groups, seed=2)


def test_all_triplets_are_every_combination():
    found = triplets([group(0, 3, 5), group(1, 0, 2)], all=True)
    assert len(found) == len(set(found)) == 15


def test_borrowed_negatives_let_every_positive_take_part() -> None:
    groups = [group(0, 3, 1), group(1, 2, 0), group(2, 0, 2), group(3, 1, 1)]
    found = triplets(groups, seed=1, borrow=True)
    assert sorted(p for _, p, _ in found) == sorted(p for g in groups for p in g.positives)
    assert next(n for a, _, n in found if a == "anchor 0") == "0 n0", "its own comes first"
    assert [n for a, _, n in found if a == "anchor 3"] == ["3 n0"]
    assert {n for _, _, n in found} <= {n for g in groups for n in g.negatives}
    assert found == triplets(groups, seed=1, borrow=True) != triplets(groups, seed=2, borrow=True)
    assert triplets([group(0, 2, 2)], seed=3, borrow=True) == triplets([group(0, 2, 2)], seed=3)
    with pytest.raises(KitError, match="triplets need a group with"):
        triplets([group(0, 3, 0)], borrow=True)


def test_no_triplet_to_be_had_is_refused():
    for groups in [[], [group(0, 2, 0), group(1, 0, 2)]]:
        with pytest.raises(KitError, match=f"none of {len(groups)} has both"):
            triplets(groups)
