"""Mining: the triplets of sentence-transformers on the same settings, and a second opinion on false negatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kit.errors import KitError
from kit.retrieval import mine_hard_negatives
from kit.retrieval.hard_negatives import MinedNegatives, MinedTriplet
from tests.retrieval.test_vector_index import Drawn

ANCHORS = [f"anchor {i % 25}" for i in range(40)]  # some have several positives, and a few a pair twice
POSITIVES = [f"positive {i % 37}" for i in range(40)]
CORPUS = [f"other {i}" for i in range(30)]


@pytest.mark.slow
def test_the_triplets_are_those_of_sentence_transformers() -> None:
    import torch
    from datasets import Dataset
    from sentence_transformers.util import mine_hard_negatives as theirs

    encoder = Drawn(dim=6)

    class Given:
        device = torch.device("cpu")

        def encode_query(self, texts, **_):
            rows = encoder.encode(list(texts))
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        encode_document = encode_query

        def similarity(self, first, second):
            return torch.as_tensor(first) @ torch.as_tensor(second).T

        def similarity_pairwise(self, first, second):
            return (torch.as_tensor(first) * torch.as_tensor(second)).sum(dim=1)

    anchors, positives = [*ANCHORS, ANCHORS[0]], [*POSITIVES, POSITIVES[0]]
    for corpus in ((), CORPUS):
        for settings in (
            {},
            {"num_negatives": 1, "range_min": 4},
            {"num_negatives": 2, "range_min": 1, "range_max": 9, "absolute_margin": 0.1},
            {"relative_margin": 0.05},
            {"relative_margin": 0.4, "max_score": 0.5, "min_score": 0.1, "num_negatives": 5},
            {"range_max": 200},
        ):
            pairs = Dataset.from_dict({"anchor": anchors, "positive": positives})
            peer = theirs(pairs, Given(), corpus=list(corpus) or None, output_scores=True, verbose=False, **settings)
            ours = mine_hard_negatives(encoder, anchors, positives, corpus, **settings)
            assert ours.triplets() == list(zip(peer["anchor"], peer["positive"], peer["negative"])), settings
            scores = [[row.positive_score, row.negative_score] for row in ours]
            assert np.allclose(scores, np.array(peer["scores"]).reshape(-1, 2), atol=1e-6)


def test_what_was_mined_is_a_data_set_to_look_at() -> None:
    found = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, num_negatives=2, relative_margin=0.05)
    for row in found:
        own = {p for a, p in zip(ANCHORS, POSITIVES) if a == row.anchor}
        assert row.negative not in own and row.positive in own and row.rank >= 1
        assert row.negative_score <= row.positive_score - 0.05 * abs(row.positive_score) + 1e-12
    assert found.passed_over["relative margin"] > 0 and "by relative margin" in found.summary()
    assert len(found.table(5).splitlines()) == 6 and found.triplets() == found.triplets(True)
    assert set(found.without) == set(ANCHORS) - {row.anchor for row in found}


def test_its_sentence_counts_what_the_rows_hold() -> None:
    scores = ((0.9, 0.5), (0.9, 0.8), (0.4, 0.6), (0.7, 0.6))  # of the positive, of the negative
    rows = [MinedTriplet(f"a {i // 2}", f"p {i}", f"n {i}", *both, rank=i + 1) for i, both in enumerate(scores)]
    rows[3] = replace(rows[3], suspected=True)
    found = MinedNegatives(tuple(rows), 3, {"max score": 2, "itself": 1, "min score": 0}, ("a 2",))
    assert found.summary() == (
        "4 negatives for 2 of 3 anchors; 25% are nearer than the positive, the median gap is 0.100; candidates passed "
        "over: 2 by max score, 1 as the anchor itself; 1 suspected."
    )
    assert MinedNegatives((), 1, {}, ("a",)).summary() == "0 negatives for 0 of 1 anchors."


def test_no_anchor_is_a_negative_of_its_own() -> None:
    found = mine_hard_negatives(Drawn(), ["A b", "C d", "I"], ["C d", "E f", "I"], num_negatives=1)
    assert found.triplets() == [("A b", "C d", found[0].negative), ("C d", "E f", "I"), ("I", "I", found[2].negative)]
    assert found[1].rank == 1 and found.passed_over == {"itself": 1} and "1 as the anchor itself" in found.summary()
    anchors, positives = [f"text {i}" for i in range(20)], [f"text {i + 1}" for i in range(20)]
    chain = mine_hard_negatives(Drawn(), anchors, positives, num_negatives=4)
    assert [row.rank for row in chain] == [1, 2, 3, 4] * 20 and chain.passed_over == {"itself": 19}
    assert all(row.negative not in (row.anchor, row.positive) for row in chain)


def test_long_texts_are_mined_whole() -> None:
    anchors, positives = ([f"{'word ' * 3000}{side} {i}" for i in (1, 2)] for side in ("question", "answer"))
    found = mine_hard_negatives(Drawn(), anchors, positives, num_negatives=1)
    assert found.triplets() == [(anchors[0], *positives), (anchors[1], *positives[::-1])]


def test_ranks_count_the_other_texts_from_the_nearest() -> None:
    plain = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, num_negatives=4)
    later = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, num_negatives=2, range_min=2)
    assert [row.rank for row in plain][:4] == [1, 2, 3, 4] and {row.rank for row in later} == {3, 4}
    assert [row for row in plain if row.rank > 2] == list(later)


def test_random_negatives_are_drawn_by_the_seed_from_the_whole_window() -> None:
    def drawn(seed: int) -> MinedNegatives:
        settings = {"num_negatives": 2, "range_max": 20, "sampling": "random", "seed": seed}
        return mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, **settings)

    zero = drawn(0)
    assert zero.rows == drawn(0).rows != drawn(1).rows
    ranks = {row.rank for row in zero}
    assert min(ranks) <= 3 and max(ranks) >= 18 and len(ranks) > 12, "neither the nearest alone nor the farthest"


def test_a_second_opinion_marks_negatives_that_it_finds_as_near_as_the_positive() -> None:
    plain = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS)
    by_length = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, check=lambda a, b: [len(x) for x in b])
    assert [row.suspected for row in by_length] == [len(r.negative) >= len(r.positive) for r in plain]
    assert len(by_length.triplets()) + len(by_length.suspected) == len(plain) and "suspected" in by_length.table(40)
    second = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, check=Drawn(seed=5))
    assert 0 < len(second.suspected) < len(plain)
    own = mine_hard_negatives(Drawn(), ANCHORS, POSITIVES, CORPUS, check=Drawn())
    assert [row.suspected for row in own] == [row.negative_score >= row.positive_score for row in own]


def test_bad_settings_are_told_in_one_sentence() -> None:
    for arguments, settings, said in (
        ((ANCHORS, POSITIVES[:-1]), {}, "one positive for each anchor"),
        (([], []), {}, "at least one sentence"),
        ((ANCHORS, POSITIVES), {"num_negatives": 0}, "num_negatives as a whole number from 1"),
        ((ANCHORS, POSITIVES), {"range_min": 5, "range_max": 6}, "a window of at least 3 ranks, got those from 5 to 6"),
        ((ANCHORS, POSITIVES), {"range_min": -1}, "range_min as a whole number from 0"),
        ((ANCHORS, POSITIVES), {"relative_margin": "5 %"}, "relative margin as a number or None, got '5 %'"),
        ((ANCHORS, POSITIVES), {"max_score": float("nan")}, "max_score as a number"),
        ((ANCHORS, POSITIVES), {"relative_margin": 1.5}, "relative margin up to 1, got 1.5"),
        ((ANCHORS, POSITIVES), {"absolute_margin": 2.5}, "absolute margin up to 2, got 2.5"),
        ((ANCHORS, POSITIVES), {"max_score": 0.5, "min_score": 0.9}, "min_score up to max_score.* got 0.9 and 0.5"),
        ((ANCHORS, POSITIVES), {"min_score": 90}, "min_score up to max_score.* got 90 and 1"),
        ((ANCHORS, POSITIVES), {"sampling": "tip"}, "did you mean 'top'"),
        ((ANCHORS, POSITIVES, ["", "a"]), {}, "number 0 is empty"),
        ((ANCHORS, POSITIVES), {"check": lambda a, b: [1]}, "a score for each of"),
        ((ANCHORS, POSITIVES), {"check": 3}, "an encoder with a method encode"),
    ):
        with pytest.raises(KitError, match=said):
            mine_hard_negatives(Drawn(), *arguments, **settings)
    nothing = mine_hard_negatives(Drawn(), ["a"], ["b"])
    assert not nothing.rows and nothing.without == ("a",) and nothing.summary() == "0 negatives for 0 of 1 anchors."
