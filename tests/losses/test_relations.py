"""Relations: the matrices of each constructor by definition, sampling, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import kit.losses
from kit.errors import KitError
from kit.losses import (
    GroupRelations,
    Relations,
    mask_duplicates,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    pair_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
    triplet_relations,
)
from tests.losses.shared import LABELS, PREMISE_IDS, RELATIONS


def picture(relations):
    """The matrix as text: + positive, - negative, a dot where ignored."""
    marks = torch.zeros(relations.positive.shape, dtype=torch.int64)
    marks = marks + relations.positive + 2 * relations.negative
    return ["".join(".+-"[mark] for mark in row) for row in marks.tolist()]


def test_nt_xent():
    relations = nt_xent_relations(2)
    assert picture(relations) == [".-+-", "-.-+", "+-.-", "-+-."]
    assert relations.anchors.tolist() == relations.candidates.tolist() == [0, 1, 2, 3]


def test_given_triplets_and_pairs():
    triplets, pairs = triplet_relations(2), pair_relations(torch.tensor([True, False, True]))
    assert (triplets.anchors.tolist(), triplets.candidates.tolist()) == ([0, 1], [2, 3, 4, 5])
    assert picture(triplets) == ["+.-.", ".+.-"], "each with its own positive and negative alone"
    assert (pairs.anchors.tolist(), pairs.candidates.tolist()) == ([0, 1, 2], [3, 4, 5])
    assert picture(pairs) == ["+..", ".-.", "..+"]


def test_supcon():
    assert picture(supcon_relations([5, 7, 5, 9])) == [".-+-", "-.--", "+-.-", "---."]


def test_mnrl():
    relations = mnrl_relations(3)
    assert picture(relations) == ["+--", "-+-", "--+"]
    assert relations.anchors.tolist() == [0, 1, 2] and relations.candidates.tolist() == [3, 4, 5]


def test_mnrl_hard():
    relations = mnrl_hard_relations(2, 3)
    assert picture(relations) == ["+-------", "-+------"]
    assert relations.candidates.tolist() == list(range(2, 10))


def test_supmpn():
    relations = supmpn_relations(2, positives=3, negatives=2)
    assert picture(relations) == ["+++-------", "---+++----"]
    assert relations.candidates.tolist() == list(range(2, 12))


def test_scl_one_anchor_per_premise_or_per_entailed_row():
    by_premise = scl_relations(PREMISE_IDS, LABELS)
    assert picture(by_premise) == ["+-+-----", "---+----"]
    assert by_premise.anchors.tolist() == [0, 1]  # premise 2 entails nothing
    assert by_premise.candidates.tolist() == list(range(3, 11))
    by_row = scl_relations(PREMISE_IDS, LABELS, anchors="row")
    assert picture(by_row) == ["+-+-----", "+-+-----", "---+----"]
    assert by_row.anchors.tolist() == [0, 0, 1]


def test_scl_batch_without_an_entailment_or_without_rows():
    assert len(scl_relations([0, 0, 1], [1, 2, 2]).anchors) == 0
    assert len(scl_relations([0, 0, 1], [1, 2, 2], anchors="row", max_positives=1).anchors) == 0
    assert scl_relations([], []).positive.shape == (0, 0)


@pytest.mark.parametrize("anchors", ["premise", "row"])
def test_scl_samples_min_of_n_and_the_available(anchors):
    rng = torch.Generator().manual_seed(0)
    ids, labels = torch.arange(8).repeat_interleave(6), torch.tensor([0, 0, 0, 1, 2, 2] * 8)
    everything = scl_relations(ids, labels, anchors)
    for at_most in (1, 2, 3, 50):
        some = scl_relations(ids, labels, anchors, at_most, at_most, generator=rng)
        assert isinstance(everything, GroupRelations) and not isinstance(some, GroupRelations)
        for name in ("positive", "negative"):
            full, chosen = getattr(everything, name), getattr(some, name)
            assert not (chosen & ~full).any()
            assert chosen.sum(1).tolist() == [min(at_most, n) for n in full.sum(1).tolist()]


def test_scl_by_row_keeps_the_own_hypothesis_and_counts_it():
    ids, labels = [0] * 5 + [1] * 4, [0] * 5 + [0] * 4
    for seed in range(5):
        rng = torch.Generator().manual_seed(seed)
        relations = scl_relations(ids, labels, "row", max_positives=1, generator=rng)
        assert torch.equal(relations.positive, torch.eye(9, dtype=torch.bool))
        relations = scl_relations(ids, labels, "row", max_positives=3, generator=rng)
        assert relations.positive.diagonal().all() and (relations.positive.sum(1) == 3).all()


def test_scl_sampling_repeats_by_seed_and_gives_everybody_a_chance():
    ids, labels = [0] * 6, [0, 0, 0, 1, 2, 2]

    def draw(seed):
        rng = torch.Generator().manual_seed(seed)
        return scl_relations(ids, labels, max_positives=1, max_negatives=2, generator=rng)

    assert picture(draw(3)) == picture(draw(3))
    drawn = [draw(seed) for seed in range(300)]
    positive = sum(relations.positive[0].int() for relations in drawn)
    negative = sum(relations.negative[0].int() for relations in drawn)
    assert positive[:3].min() > 70 and negative[3:].min() > 160  # 100 and 200 expected


def test_mask_duplicates_drops_what_reads_like_the_anchor_or_its_positive():
    keys = ["anchor 0", "anchor 1", "the same", "other", "the same", "anchor 0"]
    before = mnrl_hard_relations(2, 1)
    after = mask_duplicates(before, keys)
    assert picture(before) == ["+---", "-+--"]
    assert picture(after) == ["+-..", "-+--"]
    assert picture(mask_duplicates(before, list("abcdef"))) == picture(before)


def test_keys_may_be_numbers_in_a_tensor_or_an_array():
    """Elements of a tensor are never equal as keys: taken as they are, they would mask nothing, without a word."""
    expected = picture(mask_duplicates(mnrl_relations(2), [0, 1, 2, 0]))
    assert expected != picture(mnrl_relations(2))
    for keys in (torch.tensor([0, 1, 2, 0]), np.array([0, 1, 2, 0]), np.array(["a", "b", "c", "a"])):
        assert picture(mask_duplicates(mnrl_relations(2), keys)) == expected
    with pytest.raises(KitError, match="expected keys as a list of texts or numbers"):
        mask_duplicates(mnrl_relations(2), torch.ones(4, 3))


def test_mask_duplicates_of_one_text_under_two_premises():
    relations = scl_relations([0, 0, 1, 1], [0, 2, 0, 1])
    masked = mask_duplicates(relations, ["p0", "p1", "outside", "no", "outside", "perhaps"])
    assert picture(masked) == ["+-.-", ".-+-"]
    # With copies as positives the own copy stays a positive: only negatives are dropped.
    copies = mask_duplicates(mnrl_relations(2), ["a", "a", "a", "a"])
    assert picture(copies) == ["+.", ".+"]


def test_who_is_whose_positive_is_drawn_for_every_relation():
    """Gradients and corners hold for any masks; whether these are the right ones only a picture by hand says."""
    written = Path(__file__).read_text("utf-8")
    makers = [name for name in kit.losses.__all__ if name.endswith("_relations")]
    without = [name for name in makers if not re.search(rf"\b{name}\(", written)]
    assert not without and len(makers) >= 6, f"draw a small batch of them in {Path(__file__).name}: {without}"


@pytest.mark.parametrize("name", RELATIONS)
def test_both_forms_of_relations_do_the_same(name):
    relations, rows = RELATIONS[name]
    assert isinstance(relations, Relations)
    if not isinstance(relations, GroupRelations):
        pytest.skip("dense from the start")
    texts = torch.arange(rows) % 3
    for groups in (relations, relations.ignore_duplicates(texts), relations.slice(1, 3)):
        dense = groups.to_dense()
        assert type(dense) is Relations and dense.to_dense() is dense and dense.min_rows <= groups.min_rows <= rows
        assert dense.num_valid_anchors() == groups.num_valid_anchors() == dense.positive.any(dim=1).sum()
        for one, other in ((groups, dense), (groups.slice(1, 2), dense.slice(1, 2))):
            for column in ("anchors", "candidates", "positive", "negative"):
                assert torch.equal(getattr(one, column), getattr(other, column)), column
            assert all(map(torch.equal, one.block(0, 2), other.block(0, 2)))
    assert picture(relations.ignore_duplicates(texts)) == picture(relations.to_dense().ignore_duplicates(texts))


def test_a_row_is_not_its_own_positive_even_where_rows_repeat():
    rows = torch.tensor([3, 0, 0, 2])
    relations = GroupRelations(torch.tensor([0, 0, 1]), rows, torch.tensor([7, 8, 8]), torch.tensor([8, 8, 7, 7]))
    assert picture(relations) == ["-..+", "+..-", "++--"]


def test_a_batch_may_be_empty():
    """The last of an epoch may leave nothing, as where all of its examples were left out."""
    for relations in (nt_xent_relations(0), mnrl_relations(0), mnrl_hard_relations(0), supmpn_relations(0, 2, 3)):
        assert relations.num_valid_anchors() == 0 and picture(relations) == []
        assert relations.min_rows == relations.to_dense().min_rows == 0
    assert picture(supmpn_relations(2, 1, 0)) == picture(mnrl_relations(2)), "no negatives of its own"
    assert picture(mnrl_hard_relations(3)) == picture(supmpn_relations(3, 1, 1)), "SimCSE's one"


def test_valid_anchors_are_counted_whatever_their_number():
    for n in (0, 1, 255, 256, 257, 600):
        groups = supcon_relations(torch.arange(n) // 2)  # the last of an odd number is alone in its class
        assert groups.num_valid_anchors() == groups.to_dense().num_valid_anchors() == n - n % 2


def test_both_forms_move_to_a_device_whole_and_check_the_rows():
    groups = mask_duplicates(supmpn_relations(2, 1, 1), list("abcdef"))
    for relations in (groups, groups.to_dense()):
        assert relations.to("cpu") is relations
        moved = relations.to("meta")
        tensors = [value for value in vars(moved).values() if isinstance(value, torch.Tensor)]
        assert len(tensors) >= 4 and {tensor.device.type for tensor in tensors} == {"meta"} and moved.min_rows == 6
        relations.check(6)
        with pytest.raises(KitError, match="at least 6 rows, got 5"):
            relations.check(5)


GOOD = {
    "anchors": torch.tensor([0, 1]),
    "candidates": torch.tensor([2, 3, 4]),
    "positive": torch.zeros(2, 3, dtype=torch.bool),
    "negative": torch.ones(2, 3, dtype=torch.bool),
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"positive": torch.ones(2, 3, dtype=torch.bool)}, "6 pairs are both positive and neg"),
        ({"positive": torch.zeros(3, 2, dtype=torch.bool)}, r"expected positive of shape \(2, 3\)"),
        ({"negative": torch.ones(2, 3)}, "negative as a 2-dimensional tensor of torch.bool"),
        ({"anchors": torch.tensor([0.0, 1.0])}, "anchors as a 1-dimensional tensor of torch.int64"),
        ({"anchors": torch.tensor([0, -1])}, "counted from 0, got -1"),
        ({"candidates": [2, 3, 4]}, "candidates as a tensor, got list"),
    ],
)
def test_relations_refuse(change, words):
    with pytest.raises(KitError, match=words):
        Relations(**{**GOOD, **change})


def columns(*lists):
    return GroupRelations(*map(torch.tensor, lists))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nt_xent_relations(-1), "pairs as a whole number"),
        (lambda: mnrl_relations(2.0), "n as a whole number"),
        (lambda: supmpn_relations(2, True, 1), "positives as a whole number"),
        (lambda: mnrl_hard_relations(2, -1), "negatives as a whole number"),
        (lambda: supcon_relations([0.5, 1.0]), "labels as one integer per row"),
        (lambda: supcon_relations([[0, 1]]), "labels as one integer per row"),
        (lambda: scl_relations([0, 0], [0, 1], anchors="premises"), "did you mean 'premise'"),
        (lambda: scl_relations([0, 0], [0, -1]), "labels 0, 1 or 2, got -1"),
        (lambda: scl_relations([0, 0], [0, 3]), "labels 0, 1 or 2, got 3"),
        (lambda: scl_relations([0, 0, 1], [0, 1]), "3 ids and 2 labels"),
        (lambda: scl_relations([17, 17, 40], [0, 1, 2]), "count 0 to 1 within the batch"),
        (lambda: scl_relations([0], [0], max_positives=0), "max_positives as a whole number from 1"),
        (lambda: scl_relations([0], [0], max_negatives=-1), "max_negatives as a whole number"),
        (lambda: mask_duplicates(mnrl_relations(2), ["a", "b"]), "a key for each of 4 rows of z or more, got 2"),
        (lambda: columns([0, 1], [2, 3], [0, 1], [0]), "one group for each of 2 candidates, got 1"),
        (lambda: columns([0, -1], [2, 3], [0, 1], [0, 1]), "rows counted from 0, got -1"),
        (lambda: columns([0.0, 1.0], [2, 3], [0, 1], [0, 1]), "anchors as a 1-dimensional tensor of torch.int64"),
        (lambda: columns([0, 1], [2, 3], [0, 1], [0.0, 1]), "candidate_groups as a 1-dimensional tensor"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(KitError, match=words):
        call()
