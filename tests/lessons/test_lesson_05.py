"""Lesson 05 says in words what masks do and what the sweep of batch sizes compared: each such sentence, checked."""

from __future__ import annotations

import math

from scipy.stats import ttest_ind_from_stats

from kit.boards import masks_board, masks_values
from kit.encoder import load_encoder
from kit.lesson import measured

STORIES = (
    ("A man waters his roses.", "A man is outside.", "The man is asleep on the sofa."),
    ("A man sells balloons at the fair.", "A man is outside.", "The man is alone in a lift."),
    ("Two girls build a sandcastle.", "The girls build something.", "The girls are in the kitchen."),
    ("A dog runs after a red ball.", "An animal is running.", "The dog sleeps in its basket."),
)


def test_masking_a_twin_lowers_the_loss() -> None:
    """In every loss of the board; with the twin it stays at log 2 or more at any τ, and without it need not."""
    texts = [text for column in zip(*STORIES) for text in column]
    board = masks_board(load_encoder(pooling="first_last").encode(texts), texts, 4, 1, 1)
    for loss in ("MNRL", "MNRL, hard negatives", "NT-Xent"):
        for tau in (0.01, 0.05, 1.0):
            at = {
                twins: masks_values(board.state, {"loss": loss, "anchor": 1, "tau": tau, "twins": twins})
                for twins in ("a negative", "masked")
            }
            pushed, masked = at["a negative"]["losses"][0], at["masked"]["losses"][0]
            assert pushed > masked and pushed >= math.log(2), (loss, tau)
            assert at["a negative"]["push"][5] > 0 == at["masked"]["push"][5]


def test_batches_of_the_sweep_see_the_same_sentences() -> None:
    """Six sizes of batch, as many epochs and sentences each, so the larger has fewer steps; one learning rate.

    More anchors meet another of their premise, the larger the batch.
    """
    results = measured("multiples")
    points = results["sweeps"]["batch"]["points"]
    assert {point["settings"]["batch_order"] for point in points.values()} == {"random"}
    alike = [count["same_anchor"] / count["anchors"] for count in results["duplicates"]["simcse"]]
    assert len(alike) == 6 and alike == sorted(set(alike))
    assert len(points) == 6
    for key in ("epochs", "lr"):
        assert len({point["settings"][key] for point in points.values()}) == 1, key
    assert len({point["sentences"] for point in points.values()}) == 1
    steps = [point["steps"] for point in points.values()]
    assert steps == sorted(steps, reverse=True)


def test_32_is_better_than_16_and_no_larger_one_is_shown_to_be_better_still() -> None:
    """By Welch's t: 32 above 16 with p below 0.05, and none of the larger above 32."""
    points = measured("multiples")["sweeps"]["batch"]["points"]

    def against_32(size: str) -> float:
        two = [points[label]["average"]["all"] for label in (size, "32")]
        given = [point[key] for point in two for key in ("mean", "sd", "n")]
        return float(ttest_ind_from_stats(*given, equal_var=False).pvalue)

    assert points["32"]["average"]["all"]["mean"] > points["16"]["average"]["all"]["mean"] and against_32("16") < 0.05
    assert all(against_32(size) > 0.05 for size in ("64", "128", "256", "512"))
