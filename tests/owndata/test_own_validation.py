"""Judged on data of one's own: each kind by its measure."""

from __future__ import annotations

import math

import pytest
import torch

from kit.errors import KitError
from kit.owndata import OwnValidation, own_task, read
from kit.owndata.own_validation import SPEARMAN

WORDS = ("dog", "cat", "bird", "man")


class Known:
    """Each text is the vector of the first known word in it."""

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
        rows = [[float(word in text) + 0.01 * place for place, word in enumerate(WORDS)] for text in sentences]
        return torch.tensor(rows)


@pytest.mark.slow
def test_each_kind_has_its_measure() -> None:
    pairs = [(f"a {word}", f"the {word}") for word in WORDS]
    wrong = [(f"a {word}", f"the {word}", f"the {WORDS[i - 1]}") for i, word in enumerate(WORDS)]
    scored = [(f"a {word}", f"the {word}", 5) for word in WORDS] + [("a dog", "the cat", 0), ("a cat", "the dog", 0)]
    labelled = [(a, b, "yes" if score else "no") for a, b, score in scored]
    for rows, kind, measure in (
        (pairs, "pairs", "nDCG@10 × 100"),
        (wrong, "triplets", "triplet accuracy, %"),
        (scored, "scored", "average precision × 100"),
        (labelled, "labelled", "average precision × 100"),
    ):
        roles = {"triplets": ("anchor", "positive", "negative"), "pairs": ("anchor", "positive")}.get(
            kind, ("sentence1", "sentence2", "score" if kind == "scored" else "label")
        )
        data = read([dict(zip(roles, row)) for row in rows])
        validation = OwnValidation(data)
        assert (data.kind, validation.measure, len(validation)) == (kind, measure, len(rows))
        found = validation.validate(Known())
        assert found["validation"] == pytest.approx(100) and 0 < found["mean_cosine"] < 1, kind
        assert validation.report(Known(), "known") is not None and validation.described.startswith("the list: ")
        assert (validation.baseline() is not None) == (kind == "pairs")
    with pytest.raises(KitError, match="resamples"):
        OwnValidation(read(pairs)).baseline(resamples=1)
    assert OwnValidation(read(pairs)).baseline(resamples=2, seed=1).seed == 1


def test_any_encoder_can_be_validated() -> None:
    class Plain:
        def encode(self, sentences: list[str]) -> list:
            return Known().encode(sentences).tolist()

    validation = OwnValidation(read([(f"a {word}", f"the {word}") for word in WORDS]))
    assert validation.validate(Plain()) == validation.validate(Known())


def test_several_positives_and_negatives_are_the_corpus() -> None:
    data = read([{"anchor": "a dog", "positives": ["the dog", "my dog"], "negatives": ["the cat"]},
                 {"anchor": "a man", "positives": ["the man"], "negatives": []}])  # fmt: skip
    task = own_task(data)
    assert sorted(task.corpus) == ["my dog", "the cat", "the dog", "the man"]
    assert sorted(task.corpus[at] for at in task.relevant[0]) == ["my dog", "the dog"]
    triplets = read([{"anchor": f"a {one}", "positive": f"the {one}", "negative": f"no {one}"} for one in WORDS[:2]])
    assert sorted(own_task(triplets, ("my hat",)).corpus) == ["my hat", "no cat", "no dog", "the cat", "the dog"]


def test_labels_are_scores_and_rows_without_one_are_not_judged() -> None:
    labels = ("entailment", "neutral", "contradiction", "neutral")
    nli = read([{"premise": f"a {i}", "hypothesis": f"b {i}", "label": label} for i, label in enumerate(labels)])
    assert OwnValidation(nli).pairs == ([f"a {i}" for i in range(4)], [f"b {i}" for i in range(4)], [1, 0.5, 0, 0.5])
    some = read([{"s1": f"a {i}", "s2": f"b {i}", "label": ("yes", "-", "no")[i % 3]} for i in range(6)])
    assert OwnValidation(some).pairs == (["a 0", "a 2", "a 3", "a 5"], ["b 0", "b 2", "b 3", "b 5"], [1, 0, 1, 0])


@pytest.mark.slow
def test_the_seed_draws_the_intervals() -> None:
    pairs = OwnValidation(read([(f"a {word}", f"the {word}") for word in WORDS]))
    rows = [{"s1": f"a {a}", "s2": f"the {b}", "score": len(a) - len(b)} for a in WORDS for b in WORDS]
    scored = OwnValidation(read(rows))
    assert pairs.report(Known(), resamples=50, seed=1).seed == 1
    zero, one = (scored.report(Known(), resamples=50, seed=seed).tasks[0].intervals for seed in (0, 1))
    assert zero != one


def test_what_says_nothing_of_nearness_cannot_judge() -> None:
    for rows, sentence in (
        (["a b", "c d"], "to validate on, got sentences in the list"),
        ([{"s1": f"a {i}", "s2": "b", "label": i} for i in (0, 1, 2)], "a class that means the same"),
    ):
        with pytest.raises(KitError, match=sentence):
            OwnValidation(read(rows))
    with pytest.raises(KitError, match="for retrieval, got scored"):
        own_task(read([("a", "b", 0.5), ("c", "d", 1)]))


def test_the_highest_figure_that_two_classes_allow_is_told() -> None:
    for right, wrong in ((30, 270), (10, 390), (50, 50)):
        rows = [(f"a {n}", f"b {n}", "same" if n < right else "other") for n in range(right + wrong)]
        share = right / (right + wrong)
        top = f"has Spearman × 100 = {100 * math.sqrt(3 * share * (1 - share)):.1f}, and none has more in which"
        validation = OwnValidation(read(rows, kind="labelled"))
        assert top in validation.highest
        assert f"{100 * share:.1f} % of the pairs are the same: about so high" in validation.described
        assert "Spearman" not in validation.described, "by which they are not judged"
    assert OwnValidation(read([(f"a {n}", f"b {n}", n / 9) for n in range(10)])).highest == ""


def test_two_classes_are_judged_by_average_precision_and_degrees_by_spearman() -> None:
    """The wrong pair is the nearest of four: 1/2, 2/3 and 3/4 of those above the right ones are right."""
    rows = [("a dog", "the dog", 0), ("a dog", "a dog cat", 1), ("a dog", "dog cat man", 1), ("man", "man dog cat", 1)]
    for kind in ("scored", "labelled"):
        role = "score" if kind == "scored" else "label"
        data = read([dict(zip(("sentence1", "sentence2", role), row)) for row in rows], kind=kind)
        validation = OwnValidation(data)
        assert validation.measure == "average precision × 100", kind
        assert validation.validate(Known())["validation"] == pytest.approx(100 * (1 / 2 + 2 / 3 + 3 / 4) / 3)
        scores = validation.report(Known(), resamples=0).tasks[0].scores
        validation.measure = SPEARMAN
        assert validation.validate(Known())["validation"] == pytest.approx(scores.all) and scores.all < 0
        assert "a perfect order has Spearman" in validation.described
    degrees = OwnValidation(read([(a, b, score / 2) for a, b, score in [*rows, ("a cat", "the cat", 2)]]))
    assert degrees.measure == SPEARMAN and not degrees.by_chance
    nli = [{"premise": f"a {i}", "hypothesis": f"b {i}", "label": "neutral" if i else "entailment"} for i in range(3)]
    assert OwnValidation(read(nli)).measure == SPEARMAN, "½ and 1"
