"""Pairs of two classes told apart by a cosine: beside plain loops, scikit-learn and sentence-transformers."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.retrieval import best_threshold, same_or_not

TIED = (np.array([0.9, 0.9, 0.7, 0.7, 0.7, 0.2, 0.1]), np.array([1, 0, 1, 1, 0, 0, 1]))


def drawn(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Cosines with ties, higher for the same."""
    generator = np.random.default_rng(seed)
    same = generator.random(n) < 0.4
    same[:2] = True, False
    return (generator.normal(size=n) + same).round(1) / 5, same.astype(int)


def by_loops(cosines: np.ndarray, same: np.ndarray, threshold: float) -> dict[str, float]:
    """Every figure from its definition."""
    order, before = 0.0, 0.0
    for level in sorted(set(cosines.tolist()), reverse=True):
        found = sum(1 for c, s in zip(cosines, same) if c >= level and s)
        recall = found / sum(same)
        order, before = order + (recall - before) * found / sum(1 for c in cosines if c >= level), recall
    hits = sum(1 for c, s in zip(cosines, same) if c >= threshold and s)
    called = sum(1 for c in cosines if c >= threshold)
    right = sum(1 for c, s in zip(cosines, same) if (c >= threshold) == bool(s))
    precision, recall = hits / called if called else 0.0, hits / sum(same)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    shares = (order, right / len(same), f1, precision, recall)
    return dict(zip(("average precision", "accuracy", "F1", "precision", "recall"), [100 * one for one in shares]))


@pytest.mark.parametrize("pairs", [TIED, *map(drawn, range(5))])
def test_figures_are_those_of_plain_loops_and_of_scikit_learn(pairs) -> None:
    from sklearn import metrics

    cosines, same = pairs
    for threshold in (-1.0, 0.0, 0.1, 0.7, 2.0):
        found = same_or_not(cosines, same, threshold, resamples=0)
        assert found.figures == pytest.approx(by_loops(cosines, same, threshold))
        called = cosines >= threshold
        theirs = {
            "average precision": metrics.average_precision_score(same, cosines),
            "accuracy": metrics.accuracy_score(same, called),
            "F1": metrics.f1_score(same, called),
            "precision": metrics.precision_score(same, called, zero_division=0),
            "recall": metrics.recall_score(same, called),
        }
        assert found.figures == pytest.approx({name: 100 * one for name, one in theirs.items()})


@pytest.mark.parametrize("pairs", [TIED, *map(drawn, range(5))])
def test_no_threshold_is_better_than_the_best(pairs) -> None:
    cosines, same = pairs
    for by, measure in (("f1", "F1"), ("accuracy", "accuracy")):
        best = same_or_not(cosines, same, best_threshold(cosines, same, by), resamples=0)[measure]
        assert best == pytest.approx(max(by_loops(cosines, same, one)[measure] for one in [2.0, *cosines]))


@pytest.mark.slow
def test_thresholds_and_figures_are_those_of_sentence_transformers() -> None:
    from sentence_transformers.evaluation import BinaryClassificationEvaluator

    for seed in range(4):
        cosines, same = drawn(seed)
        names = [f"text {i}" for i in range(2 * len(same))]
        turned = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)
        vectors = dict(zip(names, np.concatenate([np.tile([1.0, 0.0], (len(same), 1)), turned])))

        class Given:
            similarity_fn_name, model_card_data = "cosine", None

            def encode(self, texts, vectors=vectors, **_):
                return torch.tensor(np.stack([vectors[text] for text in texts]))

        peer = BinaryClassificationEvaluator(
            names[: len(same)], names[len(same) :], same.tolist(), similarity_fn_names=["cosine"], write_csv=False
        )
        theirs = peer.compute_metrices(Given())["cosine"]
        ours = same_or_not(cosines, same, resamples=0)
        assert ours.threshold == pytest.approx(theirs["f1_threshold"], abs=1e-6)
        figures = {"average precision": "ap", "F1": "f1", "precision": "precision", "recall": "recall"}
        assert [ours[name] for name in figures] == pytest.approx([100 * theirs[one] for one in figures.values()])
        by_accuracy = best_threshold(cosines, same, by="accuracy")
        assert by_accuracy == pytest.approx(theirs["accuracy_threshold"], abs=1e-6)
        assert same_or_not(cosines, same, by_accuracy, 0)["accuracy"] == pytest.approx(100 * theirs["accuracy"])


def test_a_threshold_between_two_neighbouring_numbers_parts_them() -> None:
    low = 0.5
    high = float(np.nextafter(low, 1))
    assert best_threshold([high, low], [1, 0]) == high


def test_intervals_are_of_pairs_drawn_again() -> None:
    cosines, same = drawn(3, 200)
    found = same_or_not(cosines, same, 0.1, resamples=400, seed=5)
    generator = np.random.default_rng(5)
    again = [generator.integers(0, 200, 200) for _ in range(400)]
    by_hand = [by_loops(cosines[rows], same[rows], 0.1) for rows in again]
    for name, between in found.intervals().items():
        low, high = np.quantile([one[name] for one in by_hand], [0.025, 0.975])
        assert (between.low, between.high) == pytest.approx((low, high)) and low < found[name] < high
    assert not any(same_or_not(cosines, same, 0.1, resamples=0).intervals().values())
    json.dumps(found.as_dict(), allow_nan=False)


def test_what_is_always_right_has_an_interval_with_a_width_or_none() -> None:
    found = same_or_not([0.9] * 20 + [0.1] * 20, [1] * 20 + [0] * 20, 0.5).intervals()
    assert round(found["recall"].low, 1) == round(found["precision"].low, 1) == 83.9 and found["accuracy"].low > 90
    assert found["average precision"] is None and found["F1"] is None


def test_a_threshold_chosen_on_these_very_pairs_is_said_to_be_optimistic() -> None:
    """Of noise: the best of all thresholds is better than chance on these pairs, and not on others."""
    cosines, same = np.random.default_rng(0).normal(size=400), np.arange(400) % 2
    best = best_threshold(cosines[:40], same[:40], "accuracy")
    chosen, others = same_or_not(cosines[:40], same[:40]), same_or_not(cosines[40:], same[40:], best, chosen_on="dev")
    assert "on these very pairs, so what follows from it is optimistic" in str(chosen)
    assert str(others).endswith("The threshold was chosen on dev.")
    assert same_or_not(cosines[:40], same[:40], best)["accuracy"] > others["accuracy"] + 5


@pytest.mark.parametrize(
    ("cosines", "same", "says"),
    [
        ([0.1, 0.2], [1], "a label for each cosine, got 1 and 2"),
        ([0.1, 0.2], [1, 2], "labels 1 for the same and 0 for others, got 2"),
        ([0.1, 0.2], [1, 1], "both classes, the same and others, got one alone"),
        ([0.1, float("nan")], [1, 0], "finite cosines"),
    ],
)
def test_bad_pairs_are_one_sentence(cosines, same, says) -> None:
    for function in (best_threshold, same_or_not):
        with pytest.raises(KitError, match=says):
            function(cosines, same)
