"""What lesson 12 says in words, held against the formulas and the results files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.course.papers.machines import links, machine
from kit.course.papers.step_cost import SHAPES, SHARE, TOUCHES, Setup, Step, step_of
from kit.lesson import measured

ROOT = Path(__file__).resolve().parents[2]
RATE = 20_000.0  # sentences a second and core; slow cores may make the data bind, which the lesson says


def at(gpus: int, pairs: int, name: str, share: float = SHARE) -> Step:
    return step_of(Setup(SHAPES[name], pairs, 16, gpus, machine("H200"), links()["InfiniBand NDR"], RATE, share=share))


def cells() -> dict[str, str]:
    notebook = json.loads((ROOT / "notebooks" / "12_speed_and_scale.ipynb").read_text("utf-8"))
    return {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}


def test_a_thousand_sentences_a_second_take_23_days() -> None:
    assert round(2e9 / 1000 / 86400) == 23
    assert "23 days" in cells()["question"]


def test_the_table_in_words() -> None:
    """Hours on one GPU; with 512 pairs each eight are 7 to 8 times as fast, sixty-four less than 32 times."""
    for name in ("BERT 8 × 512", "BERT-base"):
        one, eight, many = (at(gpus, 512, name) for gpus in (1, 8, 64))
        assert 1 < one.seconds_for() / 3600 < 24 and one.binding == "encoder"
        assert 7 < eight.rate / one.rate < 8 and eight.binding == "encoder"
        assert many.rate / one.rate < 32
        assert [at(64, pairs, name).binding for pairs in (64, 512, 4096)] == ["reduce", "encoder", "similarity"]
        assert at(64, 512, name).rate > max(at(64, 64, name).rate, at(64, 4096, name).rate), "in between is best"
    assert at(1, 4096, "BERT-base").rate > max(at(1, 512, "BERT-base").rate, at(1, 64, "BERT-base").rate)


def test_longer_sentences_take_the_encoder_from_a_third_of_a_step_to_four_fifths() -> None:
    """As the board begins: 64 GPUs with 512 pairs each."""
    for tokens, share in ((16, 0.33), (128, 0.8)):
        link = links()["InfiniBand NDR"]
        step = step_of(Setup(SHAPES["BERT 8 × 512"], 512, tokens, 64, machine("H200"), link, RATE, share=SHARE))
        gpu = {part: seconds for part, seconds in step.parts.items() if part != "data"}
        assert abs(gpu["encoder"] / sum(gpu.values()) - share) < 0.04


def test_timed_shares_lie_on_either_side_of_the_one_supposed() -> None:
    rows = measured("benchmarks")["programs"]["training_share"]["rows"]
    shares = [row["ours"] / 100 for row in rows if "of the matrix throughput" in row["what"]]
    assert len(shares) == 2 and min(shares) < SHARE < max(shares)
    assert 1.6 < max(shares) / min(shares) < 2.4, "about a factor of two"
    hours = [at(1, 4096, "BERT-base", share).seconds_for() for share in shares]
    assert 1.6 < max(hours) / min(hours) < 2.4, "the hours follow the share"


def test_a_millisecond_a_step_at_64_pairs() -> None:
    assert 0.8e-3 < at(1, 64, "BERT 8 × 512").seconds < 1.5e-3


def test_half_an_hour_on_a_v100_is_a_tenth_or_so_of_its_peak() -> None:
    """With 14 to 19 tokens a sentence, which is what SNLI has by one tokenizer or another."""
    peak = machine("V100")["matrix_fp32"]
    shares = [
        550_152 * 2 * SHAPES["BERT 8 × 512"].flops(tokens) / (60 * minutes) / peak
        for tokens in (14, 19)
        for minutes in (30, 36)
    ]
    assert min(shares) > 0.06 and max(shares) < 0.14


def test_dropout_is_ahead_at_no_rate_where_pairs_are_given() -> None:
    choices = measured("choices")
    tried = {(t["recipe"], t["lr"], t["dropout"]): t["choosing"] for t in choices["tried"]}
    gains = {(name, lr): score - tried[name, lr, 0.1] for (name, lr, dropout), score in tried.items() if dropout == 0}
    assert {name for name, _ in gains} == {"sbert", "scl", "simcse", "supcon", "declutr"}
    worse = [place for place, gain in gains.items() if gain <= 0]
    assert [name for name, _ in worse] == ["declutr", "declutr"] and min(gains[place] for place in worse) > -0.5
    assert len(choices["seeds"]) == 3 and "in none of the seven test sets" in choices["chosen_on"]


def test_the_smallest_batch_falls_behind_at_equal_work() -> None:
    points = measured("multiples")["sweeps"]["batch"]["points"]
    scores = [point["average"]["all"] for point in points.values()]
    best = max(scores, key=lambda score: score["mean"])
    smallest = points[min(points, key=int)]["average"]["all"]
    overlap = [score for score in scores if score["high"] > best["low"]]
    assert overlap == [score for score in scores if score != smallest], "all others overlap with the best"
    assert smallest == min(scores, key=lambda score: score["mean"]) and smallest["high"] < best["low"]
    assert (points["16"]["average"]["all"], points["256"]["average"]["all"]) == (smallest, best)
    assert 0 < points["32"]["average"]["all"]["high"] - best["low"] < 0.5, "32 overlaps only just"
    assert all(smallest["high"] < score["mean"] for score in scores if score != smallest), "it falls behind"
    steps = [point["steps"] for point in points.values()]
    assert steps == sorted(steps, reverse=True)
    assert len({point["sentences"] for point in points.values()}) == 1, "equal work"


def test_from_the_larger_encoder_a_larger_batch_is_no_better() -> None:
    """S7 of lesson 11: batches of 256 less those of 64, an interval below zero from mini and above it from tiny."""
    for of, sign in (("claims", 1), ("claims_kit-bert-mini", -1)):
        [part] = [
            part for part in measured(of)["claims"]["S7"]["parts"] if "256" in part["name"] and "64" in part["name"]
        ]
        assert part["name"].index("256") < part["name"].index("64")
        assert sign * part["low"] > 0 < sign * part["high"]
    assert measured("multiples")["encoder"] == "kit-bert-tiny"


def test_most_recipes_train_without_dropout() -> None:
    from kit.training import RECIPES, recipe

    kept = {name for name in RECIPES if recipe(name, "laptop").dropout > 0}
    assert len(kept) < len(RECIPES) / 2 and {"simcse_unsup", "supmpn"} <= kept
    assert all(recipe(name, "smoke").dropout == recipe(name, "laptop").dropout for name in RECIPES)


def test_the_estimate_is_called_one_and_its_share_supposed() -> None:
    text = cells()
    assert "nobody has measured it" in text["estimate"] and "supposed" in text["estimate"]
    assert "nobody measured this" in text["three-sizes-table"]
    assert SHARE == 0.35
    assert f"a similarity {TOUCHES} times" in text["estimate"]
    tiny = SHAPES["kit-bert-tiny"]
    passed = at(1, 64, "kit-bert-tiny").parts["update"] * machine("H200")["memory_bandwidth"] / (4 * tiny.weights)
    assert f"a weight {passed:.0f} times" in text["estimate"]


def test_it_runs_before_anything_was_measured() -> None:
    """Results files that other programs write may be missing: the cells ask for that."""
    text = cells()
    asked = [source for source in text.values() if '"benchmarks"' in source or 'measured("growth"' in source]
    assert len(asked) == 2 and all("missing=" in source for source in asked)


def test_what_grows_how() -> None:
    """Nothing worse than linear in data; quadratic in time the matrix and attention; in memory, chunks are linear."""
    growth = measured("growth", missing={})
    if not growth:
        pytest.skip("data/results/growth.json is not measured yet")
    curves = {curve["name"]: curve for curve in growth["curves"]}
    of_data = [curve for curve in curves.values() if curve["subject"] in ("rows", "pairs", "texts")]
    of_data.remove(curves["mine"])  # which compares all with all
    assert {"read", "split", "copies", "search"} < {curve["name"] for curve in of_data}
    assert 1 < curves["mine"]["time"]["exponent"] < 1.6
    assert all(curve["time"]["exponent"] < 1.25 for curve in of_data if curve["time"])
    assert all(curves[name]["time"]["exponent"] > 1.6 for name in ("loss", "attention"))
    assert curves["chunked"]["time"]["exponent"] > 1.6 and curves["chunked"]["memory"]["exponent"] < 0.6
    assert all(1 < curves[name]["time"]["exponent"] < 1.25 for name in ("batches", "intervals"))
    assert curves["loss"]["memory"]["exponent"] > 1.6
    assert 10**1.25 < 18, "ten times the rows"
    assert round(16 / (6 * 128 + 16), 2) == 0.02, "attention in a sentence of 16 tokens"
    assert curves["encode_length"]["time"]["exponent"] < curves["attention"]["time"]["exponent"] - 0.4
