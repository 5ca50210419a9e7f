"""Lesson 06 says in words what the measured runs show: each such sentence, checked on the file it is about."""

from __future__ import annotations

import ast
import itertools
import json
from functools import cache
from pathlib import Path

import pytest
import torch
from scipy.stats import t

from kit.course.papers import find, read_published
from kit.data import group_by_premise, load
from kit.figures import sweep_points
from kit.figures.training_curves import overlapping
from kit.lesson import measured
from kit.losses import PairClassifier, cross_entropy

ROOT = Path(__file__).resolve().parents[2]


@cache
def sweeps() -> dict:
    return measured("sweeps")["sweeps"]


@cache
def by_lambda(measure: str = "wmean") -> dict:
    return sweep_points(sweeps()["lambda"], measure)


def test_any_contrast_helps_more_than_seeds_can() -> None:
    """That "contrast helps stands outside what seeds can do"."""
    without = by_lambda()["0"]
    for label, point in by_lambda().items():
        assert label == "0" or point["low"] > without["high"]


def test_how_much_contrast_is_within_the_seeds() -> None:
    """That "from the smallest λ on, the differences are of the size of the seeds"."""
    with_contrast = [label for label in by_lambda() if label != "0"]
    for one, other in itertools.combinations(with_contrast, 2):
        assert other in overlapping(by_lambda(), one)


def test_the_classifier_alone_has_the_lowest() -> None:
    """Mean cosine, agreement with people, and effective rank: "spread is not agreement"."""
    for measure in ("wmean", "mean_cosine", "effective_rank"):
        points = by_lambda(measure)
        assert min(points, key=lambda label: points[label]["mean"]) == "0", measure


def test_shuffled_rows_are_worth_more_than_no_contrast() -> None:
    """That "one positive against strangers is not nothing"."""
    shuffled = sweep_points(sweeps()["batches"], "wmean")["rows shuffled"]
    assert shuffled["low"] > by_lambda()["0"]["high"]


def test_the_runs_are_those_that_lesson_06_names() -> None:
    assert measured("sweeps")["seeds"] == [0, 1, 2] and "16% of the 549,367" in measured("sweeps")["data"]
    assert "45,000 of 89,037" in measured("sweeps")["data"] and f"{45_000 / 549_367:.0%}" == "8%"
    settings = {label: point["settings"] for label, point in sweeps()["batches"]["points"].items()}
    assert settings["rows shuffled"]["group_batches"] is False
    assert settings["an anchor per row"]["anchors"] == "row"
    assert settings["constant rate"]["schedule"] == "constant"
    for label, point in sweeps()["lambda"]["points"].items():
        assert point["settings"]["lam"] == float(label)
        assert (point["settings"]["similarity"], point["settings"]["temperature"]) == ("dot", 1.0), label


def test_a_premise_of_the_measured_rows_has_fewer_than_two_hypotheses(mirror: Path, monkeypatch) -> None:
    """The sample that the file of results names, drawn again, has fewer relatives than all of SNLI."""
    monkeypatch.setenv("KIT_DATA", str(mirror))
    rows = load("stanfordnlp/snli", rows=45_000)
    assert "45,000 of 89,037 rows, seed 0" in measured("sweeps")["data"]
    assert len(rows) == 45_000 and len(rows) / len(group_by_premise(rows)) < 2


def test_the_classifier_alone_may_help_or_hurt() -> None:
    """That the recorded training "has a run in which agreement falls, section 5 runs in which it rises"."""
    board = next(run for run in measured("live")["lambda"]["runs"] if run["lam"] == 0 and run["tau"] == 0.1)
    first, last = board["frames"][0], board["frames"][-1]
    assert last["sts"] < first["sts"]
    assert by_lambda()["0"]["low"] > measured("foundation")["before"]["sts"]["average"]["wmean"]


def test_published_figures_say_what_lesson_06_says() -> None:
    """Augment is below SBERT on similarity and above it on transfer; more negatives beat three; gains by task."""
    figures = list(read_published())

    def value(table: str, model: str) -> float:
        return find(figures, "liao2021", table, model, "Avg")

    similar = [value("2", name) for name in ("3p3n-Augment", "allpalln-Augment", "SBERT baseline")]
    assert similar == [66.58, 66.70, 67.61] and max(similar[:2]) < similar[2]
    transfer = [value("3", name) for name in ("3p3n-Augment", "allpalln-Augment", "SBERT baseline")]
    assert transfer == [75.69, 75.84, 75.56] and min(transfer[:2]) > transfer[2]
    few, many = value("2", "3p3n-lambda0.5-SCL"), value("2", "3palln-lambda0.5-SCL")
    assert [few, many, value("2", "allpalln-lambda0.5-SCL")] == [67.17, 69.76, 70.05]
    assert [value(table, "allpalln-lambda0.3-SCL") for table in ("3", "2")] == [76.16, 70.44]


def test_intervals_that_overlap_may_differ_and_those_apart_do() -> None:
    """Intervals of the table overlap ("as here"); such a difference may exclude zero, one of two apart does."""

    def half_of_difference(sd_a: float, sd_b: float) -> float:
        a, b = sd_a**2 / 3, sd_b**2 / 3
        freedom = (a + b) ** 2 / (a**2 / 2 + b**2 / 2)
        return t.ppf(0.975, freedom) * (a + b) ** 0.5

    def excludes_zero(sd_a: float, sd_b: float, gap: float) -> bool:
        return gap > half_of_difference(sd_a, sd_b)

    points = sweep_points(sweeps()["batches"], "wmean")
    constant, paper = points["constant rate"], points["as the paper"]
    assert constant["high"] > paper["low"]
    half = t.ppf(0.975, 2) / 3**0.5  # of the interval of a mean of three seeds whose deviation is 1
    assert excludes_zero(1.0, 1.0, 0.9 * 2 * half), "a little overlap: 0.9 of the two half-lengths together"
    for sd in (0.01, 0.1, 0.5, 1.0):
        assert excludes_zero(1.0, sd, 1.0001 * half * (1.0 + sd)), sd
        root = half * (1.0 + sd**2) ** 0.5
        assert 0.645 < half_of_difference(1.0, sd) / root <= 1, "at most the root, down to 0.65 of it"
    assert abs(half_of_difference(1.0, 1.0) / (half * 2**0.5) - 0.65) < 0.005


def test_the_spaces_differ_where_sts_cannot_tell() -> None:
    """By the table: a constant rate leaves a higher mean cosine and a lower rank, shuffled rows a higher rank."""
    cosine, rank = (sweep_points(sweeps()["batches"], name) for name in ("mean_cosine", "effective_rank"))
    assert cosine["constant rate"]["low"] > cosine["as the paper"]["high"]
    assert rank["constant rate"]["high"] < rank["as the paper"]["low"]
    assert rank["rows shuffled"]["low"] > rank["as the paper"]["high"]


def test_the_padded_mean_costs_more_than_any_other_difference() -> None:
    """Of all pairs "paper and code" of docs/results.md; its interval is below zero."""
    pairs = {name: pair["difference"] for name, pair in measured("systems")["pairs"].items()}
    padded = pairs.pop("padding division")
    assert round(padded["mean"], 1) == -7.8 and padded["high"] < 0
    assert all(abs(one["mean"]) < -padded["mean"] for one in pairs.values())


def test_the_constant_rate_was_measured_on_two_machines() -> None:
    """The sweep here, and the pair of docs/results.md: the same rows and seeds, other machines, so other figures."""
    here, there = measured("sweeps"), measured("systems")
    pair, points = there["pairs"]["constant rate"], sweep_points(here["sweeps"]["batches"], "wmean")
    assert pair["data"] == [here["data"]] and here["seeds"] == there["seeds"]
    assert here["ran_on"] != there["ran_on"] and "measured" not in pair, "one pair alone measured anew says so"
    gap = points["constant rate"]["mean"] - points["as the paper"]["mean"]
    assert abs(gap - pair["difference"]["mean"]) > 0.1
    paper, code = (pair[side]["average"]["wmean"] for side in ("paper", "code"))
    assert pair["difference"]["mean"] == pytest.approx(code["mean"] - paper["mean"])


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini"])
def test_more_pairs_gained_in_our_runs(name: str) -> None:
    """L2: three pairs of each kind gain on STS12-16 from either encoder; all pairs lose by the mean, undecided."""
    claim = measured(name)["claims"]["L2"]
    three, every = claim["parts"]
    assert three["name"] == "3p3n-Augment − SBERT" and three["low"] > 0 and len(claim["seeds"]) == 5
    assert every["name"] == "allpalln-Augment − SBERT" and every["low"] < 0 < every["high"]
    assert {three["measure"], every["measure"]} == {"sts5_wmean"}, "STS12-16"
    assert every["mean"] < 0 and "about 15,000 pairs" in claim["differs"]
    longer = measured("claims_kit-bert-mini-v2")["claims"]["L2"]["parts"]
    assert {part["verdict"] for part in longer} == {"undecided"}
    lowest, *others = sorted(longer[0]["arms"]["sbert"]["values"])
    assert lowest < min(others) - 40, "one run of SBERT ended far below the others"


def test_the_board_of_recorded_runs_does_not_answer_what_is_asked_below_it() -> None:
    """It opens with λ 0, 0.3 and 1 uncovered: what the others may do leaves two options or more."""
    notebook = json.loads((ROOT / "notebooks" / "06_lambda.ipynb").read_text("utf-8"))
    source = next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == "live-better")
    (options,) = (one.value for one in ast.walk(ast.parse(source)) if getattr(one, "arg", "") == "options")
    runs = [run for run in measured("live")["lambda"]["runs"] if run["tau"] == 0.1]
    above = {run["lam"] for run in runs if run["frames"][-1]["sts"] > run["frames"][0]["sts"]}
    least = len(above & {0.0, 0.3, 1.0})
    assert len(runs) == 7 and "of the seven λ" in source
    answers = set()
    for many in range(least, least + 5):  # four are still covered
        told = eval(ast.unparse(options), {"better": ["λ"] * many, "runs": runs})
        assert sum(told.values()) == 1, many
        answers |= {option for option, true in told.items() if true}
    assert len(answers) > 1


def test_without_a_bias_two_directions_of_a_shift_are_noticed() -> None:
    """The head adds (W_u + W_v) c to all logits, and softmax does not see what is the same for all three classes."""
    torch.manual_seed(0)
    head, u, v, labels = PairClassifier(16).double(), torch.randn(9, 16), torch.randn(9, 16), torch.arange(9) % 3
    torch.nn.init.zeros_(head.layers.bias)
    weight_u, weight_v, _ = head.layers.weight.detach().split(16, dim=1)
    seen = weight_u + weight_v
    seen = seen - seen.mean(dim=0)  # [3, 16]: three rows that add up to 0
    _, sizes, directions = torch.linalg.svd(seen)
    assert (sizes > 1e-9).sum() == 2
    loss = [
        cross_entropy(head(u.double() + c, v.double() + c), labels).item()
        for c in (torch.zeros(16).double(), *5 * directions)
    ]
    moved = [abs(one - loss[0]) > 1e-9 for one in loss[1:]]
    assert moved == [True, True] + 14 * [False]
