"""Lesson 07 says in words what the measured runs show: each such sentence, checked on the file it is about."""

from __future__ import annotations

import itertools
import json
import random
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from kit.boards.spans_widget import spans_state, spans_values
from kit.course.papers.rule import effect_of
from kit.data.spans import SpanSampler, kind_of, shared
from kit.encoder import load_encoder
from kit.figures import sweep_points
from kit.lesson import measured


@cache
def results() -> dict:
    return measured("spans")


@cache
def points_of(name: str) -> dict:
    return sweep_points(results()["sweeps"][name], "mean")


def zero_is_inside(one: dict, other: dict, level: float = 0.95) -> bool:
    """Whether the interval of the difference of two means over seeds (Welch) holds zero, as in the lesson."""
    from scipy.stats import t

    a, b = one["sd"] ** 2 / one["n"], other["sd"] ** 2 / other["n"]
    freedom = (a + b) ** 2 / (a**2 / (one["n"] - 1) + b**2 / (other["n"] - 1))
    return abs(one["mean"] - other["mean"]) <= t.ppf((1 + level) / 2, freedom) * (a + b) ** 0.5


def test_with_the_contrast_or_the_pretrained_head_every_setting_ends_above_the_untrained_encoder() -> None:
    """That "the contrast does most of the lifting", and that MLM alone ends below the start with a fresh head only."""
    before = results()["before"]["average"]["mean"]["mean"]
    for name in results()["sweeps"]:
        for label, point in points_of(name).items():
            if (name, label) == ("parts", "MLM alone, fresh head"):
                assert point["high"] < before
            else:
                assert point["low"] > before, (name, label)
    parts = points_of("parts")
    assert all(parts[label]["mean"] > parts["MLM alone"]["mean"] for label in ("contrast and MLM", "contrast alone"))
    assert not zero_is_inside(parts["MLM alone"], parts["MLM alone, fresh head"])


def test_words_to_guess_make_no_difference_beside_the_contrast() -> None:
    """With three seeds, and with five, from either encoder."""
    parts = points_of("parts")
    assert zero_is_inside(parts["contrast and MLM"], parts["contrast alone"])
    added, more = (measured(name)["claims"]["D4"]["parts"][0] for name in ("claims", "claims_kit-bert-mini"))
    assert added["name"] == more["name"] == "both − contrast alone"
    assert added["low"] < 0 < added["high"] and more["low"] < 0 < more["high"]


def test_what_makes_no_difference_that_three_seeds_can_show() -> None:
    for name in ("anchors", "passes", "head", "starts", "lengths"):
        pairs = itertools.combinations(points_of(name).values(), 2)
        assert all(zero_is_inside(one, other) for one, other in pairs), name


def test_more_positives_lower_the_average_by_no_more_than_seeds_explain() -> None:
    points = points_of("positives")
    assert points["1"]["mean"] > points["2"]["mean"] > points["4"]["mean"]
    assert zero_is_inside(points["1"], points["4"])


def test_adjacent_positives_have_the_highest_mean() -> None:
    points = points_of("strategy")
    assert points["adjacent"]["mean"] > max(points["any"]["mean"], points["subsuming"]["mean"])


def test_without_overlap_it_is_not_worse_and_not_surely_better() -> None:
    """The lesson's answer to "is that not cheating?": clear if looked at alone, not among fourteen looks."""
    points = points_of("strategy")
    assert not zero_is_inside(points["adjacent"], points["any"])
    assert zero_is_inside(points["adjacent"], points["any"], 1 - 0.05 / 14)
    five = measured("claims")["claims"]["D5"]
    assert five["parts"][0]["name"] == "any − adjacent" and five["parts"][0]["high"] < 0
    assert five["verdict"] == "contradicted"


def test_the_odds_of_fourteen_looks_are_as_lesson_07_says() -> None:
    """About even if the looks are independent; about one in four with one base for all but one, and equal spreads."""
    import numpy as np
    from scipy.stats import t

    sweeps, base = results()["sweeps"], points_of("parts")["contrast and MLM"]
    assert sum(base in points_of(name).values() for name in sweeps) == len(sweeps), "one base for all"
    assert sum(len(sweep["points"]) - 1 for sweep in sweeps.values()) == 14 and 0.48 < 1 - 0.95**14 < 0.52
    runs = np.random.default_rng(0).standard_normal((20_000, 15, 3))  # nothing behind any difference
    mean, part = runs.mean(axis=2), runs.var(axis=2, ddof=1) / 3
    base = [0] * 13 + [13]  # the fresh head of MLM alone is compared with MLM alone
    both = part[:, 1:] + part[:, base]
    freedom = both**2 / ((part[:, 1:] ** 2 + part[:, base] ** 2) / 2)
    outside = np.abs(mean[:, 1:] - mean[:, base]) > t.ppf(0.975, freedom) * np.sqrt(both)
    assert 0.03 < outside.mean() < 0.05, "one look"
    assert 0.22 < outside.any(axis=1).mean() < 0.28


def test_what_is_best_ended_with_the_largest_loss() -> None:
    """And that more positives and more overlap "make the contrast easier", as the loss at the end shows."""
    hard_to_easy = {"positives": ["1", "2", "4"], "strategy": ["adjacent", "any", "subsuming"]}
    for name, labels in hard_to_easy.items():
        losses = {label: point["last_loss"] for label, point in results()["sweeps"][name]["points"].items()}
        for harder, easier in itertools.pairwise(labels):
            assert losses[harder]["low"] > losses[easier]["high"], name
        assert max(points_of(name), key=lambda label: points_of(name)[label]["mean"]) == labels[0]


def test_the_runs_are_those_that_the_lesson_names() -> None:
    """As many steps and about as many anchors a step for all, from more documents the smaller A; ℓmin ℓmax/16."""
    assert results()["seconds_a_run"]["n"] == 45 == 15 * len(results()["seeds"])
    names = {"anchors": "anchors_per_document", "positives": "positives_per_anchor", "lengths": "max_span"}
    for name, sweep in results()["sweeps"].items():
        for label, point in sweep["points"].items():
            settings = point["settings"]
            assert point["steps"] == results()["steps"] and point["average"]["mean"]["n"] == 3
            assert 31 <= settings["anchors_per_document"] * settings["batch_size"] <= 33
            passes = point["steps"] * settings["batch_size"] / results()["rows"]
            assert round(passes) == {1: 6, 2: 3, 3: 2}[settings["anchors_per_document"]]
            assert settings["min_span"] == settings["max_span"] // 16 or settings["max_span"] == 126
            assert name not in names or settings[names[name]] == int(label)
    parts = {label: point["settings"] for label, point in results()["sweeps"]["parts"]["points"].items()}
    assert parts["contrast alone"].get("mlm_weight", 0) == 0 == parts["MLM alone"]["contrast_weight"]
    assert [of["word_head"] for of in parts.values()] == ["pretrained"] * 3 + ["fresh"]
    head = {label: point["settings"]["word_head"] for label, point in results()["sweeps"]["head"]["points"].items()}
    assert head == {"pretrained": "pretrained", "fresh": "fresh"}
    assert results()["sweeps"]["passes"]["points"]["in a pass of its own"]["settings"]["shared_pass"] is False
    assert results()["sweeps"]["starts"]["points"]["as in the code"]["settings"]["anchor_starts"] == "code"


def test_it_was_measured_on_real_documents() -> None:
    assert all("made-up" not in line for line in results()["data"]) and results()["rows"] == 800
    assert results()["hardware"] and results()["versions"]["torch"] and len(results()["seeds"]) == 3


def test_the_board_of_spans_does_what_lesson_07_says() -> None:
    """Adjacent shares nothing, subsuming all; a longer ℓmax or more anchors need longer documents; A = 1 has no own."""
    state = spans_state([1_100, 900, 700, 500])
    usual = {"longest": 64, "anchors": 2, "positives": 2, "strategy": "any", "starts": "paper"}

    def shown(**changes) -> dict:
        return spans_values(state, usual | changes)

    assert shown(strategy="adjacent")["mean_overlap"] == 0 and shown(strategy="subsuming")["mean_overlap"] == 1
    assert shown()["needed"] < shown(longest=128)["needed"] < shown(longest=128, anchors=3)["needed"]
    assert shown(longest=150)["usable"] < shown(longest=100)["usable"] == 4
    assert shown(anchors=1)["own"] == 0 < shown()["own"]
    lengths = {name: a / (a + b) * (64 - 4) + 4 - 0.5 for name, a, b in (("anchor", 4, 2), ("positive", 2, 4))}
    assert lengths == {"anchor": 43.5, "positive": 23.5} and 2 * 43.5 + 4 * 23.5 == 181, "of a document, a step"


def test_the_papers_encoders_are_fifty_times_as_large() -> None:
    """DistilRoBERTa, the smaller of the two, has 82 million weights (its model card)."""
    weights = sum(parameter.numel() for parameter in load_encoder("kit-bert-tiny").parameters())
    assert 50 * weights < 82_000_000


def test_about_one_positive_in_ten_is_longer_than_its_anchor() -> None:
    """Beta(2, 4) against Beta(4, 2); one that holds its anchor overlaps with it."""
    from scipy.integrate import quad
    from scipy.stats import beta

    longer, _ = quad(lambda x: beta.pdf(x, 2, 4) * beta.cdf(x, 4, 2), 0, 1)
    assert 0.09 < longer < 0.11
    assert kind_of((5, 8), (4, 9)) == kind_of((5, 8), (5, 9)) == "overlapping"


def test_a_positive_never_reaches_into_the_other_anchor() -> None:
    """Of two anchors 2·ℓmax apart from start to start; but positives of one may share tokens with the other's."""
    rng = random.Random(0)
    sampler = SpanSampler(min_span=4, max_span=64, anchors=2, positives=1)
    long = 0.99
    nearest = sampler.place(sampler.needed, [(long, 0.0)] * 2, [[(long, long)], [(long, 0.0)]])
    for one, other in [nearest, *(sampler.sample(sampler.needed, rng) for _ in range(500))]:
        assert not any(shared(positive, other.anchor) for positive in one.positives)
        assert not any(shared(one.anchor, positive) for positive in other.positives)
    one, other = nearest
    assert shared(one.positives[0], other.positives[0]) > 0


def test_the_strategies_come_otherwise_from_the_larger_encoder() -> None:
    """D5: any and subsumed alike, adjacent last, none of it shown; from the smaller one adjacent ones lead."""
    means = {}
    for name in ("claims", "claims_kit-bert-mini"):
        arms = {
            arm: of["values"] for part in measured(name)["claims"]["D5"]["parts"] for arm, of in part["arms"].items()
        }
        means[name] = {arm.removeprefix("declutr").strip(): sum(values) / len(values) for arm, values in arms.items()}
    assert max(means["claims"], key=means["claims"].get) == "adjacent"
    larger = means["claims_kit-bert-mini"]
    adjacent = larger.pop("adjacent")
    assert len(larger) == 2 and max(larger.values()) - min(larger.values()) < 0.05
    assert 0.2 < min(larger.values()) - adjacent < 0.3
    for one, other in itertools.combinations(arms.values(), 2):
        gap = effect_of([a - b for a, b in zip(one, other, strict=True)])
        assert gap.n == 5 and gap.low < 0 < gap.high
    adjacent, subsumed = (part["values"] for part in measured("claims_kit-bert-mini-v2")["claims"]["D5"]["parts"])
    assert effect_of(adjacent).low > 0, "from the one that read longer, any is surely ahead of adjacent ones"
    assert effect_of(subsumed).low < 0 < effect_of(subsumed).high
    points = points_of("strategy")
    assert points["subsuming"]["mean"] >= points["any"]["mean"], "no lower average, with a lower loss"


@pytest.mark.parametrize(
    "ends, out, told",
    [
        ((2.0, 4.1), "the contrast", "has lost 2%: to encoder and head this task is an old one"),
        ((2.0, 4.35), "the contrast", "has risen by 4%"),
        ((3.1, 4.35), "neither has fallen", "to 3.10, guessing from 4.18"),
        ((2.9, 3.0), "guessing", "guessing from 4.18"),
    ],
)
def test_a_loss_that_rose_is_not_said_to_have_lost_a_negative_part(ends: tuple, out: str, told: str) -> None:
    lesson = json.loads((Path(__file__).resolve().parents[2] / "notebooks" / "07_spans.ipynb").read_text("utf-8"))
    (cell,) = ("".join(cell["source"]) for cell in lesson["cells"] if cell["id"] == "curves-said")
    history = [{"contrastive": 3.0, "mlm": 4.18}, dict(zip(("contrastive", "mlm"), ends))]
    names = {"result": SimpleNamespace(history=history), "settings": SimpleNamespace(batch_size=8), "torch": torch}
    said = []
    names["finding"] = lambda held, here, otherwise, ask, options: said.extend((here if held else otherwise, options))
    exec(cell, names | {"smooth": 1, "equal_shares": 9.01})
    assert told in said[0] and [option for option, came in said[1].items() if came] == [out]
