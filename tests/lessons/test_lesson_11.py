"""Lesson 11 says in words what the tables and the scoreboard show: each such sentence, checked on its file."""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from kit.course.papers import (
    CLAIMS,
    Entry,
    Finding,
    PublishedFigure,
    audit,
    find,
    read_published,
    read_scoreboard,
    rows_of,
)
from kit.course.papers.published import PAPERS
from kit.encoder import load_encoder
from kit.figures.scoreboard_figures import scoreboard_svg
from kit.figures.scoreboard_sizes import different, without_pairs
from kit.lesson import measured
from kit.paths import bundle
from kit.training import recipe
from kit.training.recipes import RATES


@cache
def figures() -> list[PublishedFigure]:
    return read_published()


@cache
def findings() -> list[Finding]:
    return audit()


@cache
def content() -> dict:
    return measured("claims")


@cache
def board() -> dict[str, Entry]:
    return read_scoreboard()


def test_six_accused_out_of_a_hundred_and_forty_nine() -> None:
    assert sum(row.average is not None for row in rows_of(figures())) == 149
    assert sum((f.kind, f.size) == ("average", "error") for f in findings()) == 6
    assert sum((f.kind, f.size) == ("average", "slip") for f in findings()) == 6
    assert len(figures()) == pytest.approx(1_400, abs=50), "some 1,400 figures"


def test_the_averages_of_liaos_table_3_are_nearly_right() -> None:
    mine = [f for f in findings() if (f.kind, f.paper, f.table) == ("average", "liao2021", "3")]
    assert all(f.size == "slip" for f in mine)


def test_glove_on_mr_is_at_chance_and_three_papers_agree_on_something_else() -> None:
    finding = next(f for f in findings() if (f.kind, f.task) == ("contradiction", "MR"))
    assert all(name in finding.text for key, name in PAPERS.items() if key != "liao2021")
    assert find(figures(), "liao2021", "3", "Avg. GloVe embeddings", "MR") == pytest.approx(50, abs=1.5)


def test_two_of_three_witnesses_print_one_row() -> None:
    """Averaged GloVe on the transfer tasks: PAUSE and SupMPN have the same figures, DeCLUTR another of MR."""
    names = ("Glove embeddings (avg.)", "Avg. GloVe embeddings", "GloVe")
    rows = {
        row.paper: {task: float(cell) for task, cell in row.cells.items()}
        for row in rows_of(figures())
        if row.model in names and "MR" in row.cells
    }
    pause, supmpn, other = (rows[name] for name in ("pause2021", "supmpn2022", "declutr2021"))
    shared = pause.keys() & supmpn.keys()
    assert len(shared) == 7 and all(pause[task] == supmpn[task] for task in shared) and other["MR"] != pause["MR"]


def test_the_fallen_out_value_is_what_simcse_prints() -> None:
    """The auditor's suggestion for a value that was lost stands in SimCSE's own paper, which it does not read."""
    with (bundle("papers", "cited.csv")).open(encoding="utf-8") as file:
        cited = {row["value"] for row in csv.DictReader(file)}
    assert "74.38" in cited
    [told] = [f.explanation for f in findings() if "fell out of the row" in (f.explanation or "")]
    low, high = map(float, re.search(r"between ([\d.]+) and ([\d.]+)", told).groups())
    assert low < 74.38 < high


def test_what_sentences_and_tables_say() -> None:
    """SupMPN large beats SBERT base on transfer, the base model does not; 8.26 is large against base."""
    base, large, sbert = (
        find(figures(), "supmpn2022", "3", name) for name in ("SupMPN-BERTbase", "SupMPN-BERTlarge", "SBERTbase")
    )
    assert base < sbert < large
    gap = find(figures(), "supmpn2022", "2", "SupMPN-BERTlarge") - find(figures(), "supmpn2022", "2", "SBERTbase")
    assert gap == pytest.approx(8.26)
    same_size = find(figures(), "supmpn2022", "2", "SupMPN-BERTbase") - find(figures(), "supmpn2022", "2", "SBERTbase")
    assert 0.8 * gap < same_size < gap, "by far most of it is there between two base encoders"


def test_the_borrowed_row_is_the_one_of_section_2() -> None:
    [finding] = [f for f in findings() if f.kind == "convention"]
    assert finding.model.startswith("fastText")


def test_all_claims_were_run_with_three_seeds_or_more() -> None:
    assert [key for key in CLAIMS if key not in board()] == [], "not measured yet: run `make claims ONLY=<id>`"
    for key, entry in content()["claims"].items():
        assert len(entry["seeds"]) >= 3 and entry["commit"] and entry["differs"], key
    seeded = [(key, part) for key, entry in board().items() for part in entry.parts if key != "S1"]
    assert all(part.effect.n >= 3 for _, part in seeded)


def test_no_claim_of_the_scoreboard_had_a_second_look() -> None:
    """Random batches came with the runs that have five seeds from the start: every claim was run anew with them."""
    for key, entry in content()["claims"].items():
        assert entry["batches"] == "random" and entry["seeds"] == [0, 1, 2, 3, 4], key


def test_the_larger_encoders_claims_say_what_they_are_of() -> None:
    """What stands beside the scoreboard is judged by the same rule, and keeps every seed."""
    found = measured("claims_kit-bert-mini")
    assert found["encoder"] == "kit-bert-mini"
    assert list(read_scoreboard(bundle("results", "claims_kit-bert-mini.json"))) == list(found["claims"])
    for key, entry in found["claims"].items():
        assert entry["command"].endswith("ENCODER=kit-bert-mini") and "4-layer" in entry["differs"] and entry["weights"]
        assert all(len(part["values"]) == part["n"] for part in entry["parts"]), key


def test_the_larger_encoder_was_grown_and_trains_at_rates_of_its_own() -> None:
    """Twice as deep and wide; from kit-bert-tiny; 250 million tokens; rates that differ are lower, most of them."""
    shapes = {
        name: json.loads(bundle("models", name, "config.json").read_text("utf-8"))
        for name in ("kit-bert-tiny", "kit-bert-mini")
    }
    for size in ("num_hidden_layers", "hidden_size"):
        assert shapes["kit-bert-mini"][size] == 2 * shapes["kit-bert-tiny"][size]
    card = bundle("models", "kit-bert-mini", "README.md").read_text("utf-8")
    assert re.search(r"\| Start \| grown from kit-bert-tiny", card)
    [tokens] = re.findall(r"\| Tokens seen \| ([\d,]+)", card)
    assert int(tokens.replace(",", "")) == pytest.approx(250e6, rel=0.01)
    rates = {name: [recipe(name, "laptop", of).lr for of in shapes] for name in RATES["kit-bert-mini"]}
    lower = [name for name, (small, large) in rates.items() if large < small]
    assert len(lower) > len(rates) / 2


def test_the_larger_encoder_has_three_and_a_half_times_the_weights() -> None:
    small, large = (
        sum(one.numel() for one in load_encoder(name).parameters()) for name in ("kit-bert-tiny", "kit-bert-mini")
    )
    assert 3.5 <= large / small < 3.6


def test_the_encoder_that_read_longer_has_the_same_shape() -> None:
    """Weights of kit-bert-mini to start from, 64 passes more; other batches and rates; the same settings and data."""
    before, after = "kit-bert-mini", "kit-bert-mini-v2"
    shape, longer = (json.loads(bundle("models", name, "config.json").read_text("utf-8")) for name in (before, after))
    assert shape == longer
    run = json.loads(bundle("models", after, "training.json").read_text("utf-8"))
    assert run["plan"]["start"].startswith(f"data/models/{before}@")
    assert run["speed"]["tokens"] / sum(run["sources"].values()) == pytest.approx(64, abs=0.5)
    assert 2.0e9 < run["speed"]["tokens"] < 2.2e9
    assert all(run["plan"][name] != run["before"]["plan"][name] for name in ("batch_tokens", "lr"))
    told: dict[tuple, list] = {}
    for name in (before, after):
        for one in measured(f"encoders-{name}")["finetuned"]:
            if one["start"] == name and one["recipe"] in ("simcse", "scl"):
                settings = {"borrow_negatives": False} | one["settings"]  # the older runs do not name it yet
                told.setdefault((one["recipe"], one["seed"]), []).append((settings, one["data"], one["steps"]))
    assert len(told) == 6 and all(pair[0] == pair[1] for pair in told.values())
    losses = [measured(f"encoders-{name}")["models"][name]["heldout"]["all"]["loss"] for name in (before, after)]
    assert losses[1] < losses[0] - 0.1, "it guesses hidden words better"


def test_all_claims_were_run_from_the_encoder_that_read_longer() -> None:
    """By the same rule, with the seeds of the others; what the lesson asks about L5 is in the file."""
    found, others = measured("claims_kit-bert-mini-v2"), measured("claims_kit-bert-mini")["claims"]
    assert list(found["claims"]) == list(CLAIMS) == list(others)
    assert found["encoder"] == "kit-bert-mini-v2"
    notebook = (Path(__file__).parents[2] / "notebooks" / "11_published_and_measured.ipynb").read_text("utf-8")
    assert "All 23 claims were run from it too" in notebook and len(CLAIMS) == 23
    of_tau = [measured(name)["claims"]["L5"]["parts"][0]["mean"] for name in ("claims", "claims_kit-bert-mini")]
    of_tau.append(found["claims"]["L5"]["parts"][0]["mean"])
    assert of_tau == sorted(of_tau), "in the order of the encoders' lengths, which lesson 04's test has"
    on_xeon = [key for key, entry in found["claims"].items() if entry["hardware"].startswith("Intel(R) Xeon(R)")]
    assert on_xeon == "S5 P1 P2 P4".split()
    parts = {key: part for key, entry in found["claims"].items() for part in entry["parts"] if "sbert" in part["arms"]}
    sbert = {key: part["arms"]["sbert"]["values"] for key, part in parts.items()}
    assert sorted(sbert) == "D6 L2 L6 S3".split()
    for key, values in sbert.items():
        assert values[2] < min(values[:2] + values[3:]) - 10, f"seed 2 diverged, and counts in {key} too"
    for key, entry in found["claims"].items():
        assert entry["command"].endswith("ENCODER=kit-bert-mini-v2") and entry["seeds"] == others[key]["seeds"], key
        for mine, theirs in zip(entry["parts"], others[key]["parts"]):
            assert mine["name"] == theirs["name"] and len(mine["values"]) == mine["n"] == theirs["n"]
            assert [arm["data"] for arm in mine["arms"].values()] == [arm["data"] for arm in theirs["arms"].values()]
    assert {entry["weights"] for entry in found["claims"].values()} == {measured("choices-kit-bert-mini-v2")["weights"]}


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini", "claims_kit-bert-mini-v2"])
def test_what_was_trained_was_trained_at_the_rate_of_the_recipe(name: str) -> None:
    """A rate that is chosen anew asks for the claims that rest on it anew. Older entries do not say theirs."""
    found = measured(name)
    arms = [arm for entry in found["claims"].values() for part in entry["parts"] for arm in part["arms"].values()]
    told = [(arm["recipe"], arm["lr"]) for arm in arms if arm.get("lr")]
    assert told or name == "claims"
    assert [(of, lr) for of, lr in told if lr != recipe(of, "laptop", found["encoder"]).lr] == []


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini", "claims_kit-bert-mini-v2"])
def test_an_arm_has_one_set_of_runs_in_all_claims(name: str) -> None:
    """Otherwise a run that went wrong would count in one claim and not in another."""
    runs: dict[tuple, set] = {}
    for entry in measured(name)["claims"].values():
        for part in entry["parts"]:
            for of, arm in part["arms"].items():
                key = (of, part["measure"], str(arm["data"]), str(arm["changes"]))
                runs.setdefault(key, set()).add(tuple(arm["values"]))
    assert len(runs) > 20 and [key for key, sets in runs.items() if len(sets) > 1] == []


def test_the_file_holds_what_the_tables_print_today() -> None:
    for key, entry in board().items():
        assert entry.differs == CLAIMS[key].differs, "run `python scripts/claims.py --judge`"
        for part in entry.parts:
            assert part.published == part.part.published(figures())


def test_where_it_was_measured_is_said() -> None:
    """Of the file; of each claim in the file too, or the page says that it was not kept."""
    assert content()["hardware"] and content()["versions"]["torch"] and content()["encoder"] == "kit-bert-tiny"
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    for name in ("claims", "claims_kit-bert-mini", "claims_kit-bert-mini-v2"):
        table = page.split(f"<!-- {name} -->")[1].split(f"<!-- /{name} -->")[0]
        silent = [key for key, entry in measured(name)["claims"].items() if not entry.get("hardware")]
        assert ("On which machine" in table) == bool(silent), name


def test_the_lesson_can_show_the_seeds_of_l1() -> None:
    """Both arms seed by seed, from the same data; and our encoder starts lower than the paper's."""
    part = content()["claims"]["L1"]["parts"][0]
    new, old = (part["arms"][part[side]] for side in ("new", "old"))
    assert len(new["values"]) == len(old["values"]) == len(content()["claims"]["L1"]["seeds"])
    assert new["data"] == old["data"]
    assert len(new["values"]) == 5, "five seeds each"
    assert fmean(old["values"]) < find(figures(), "liao2021", "2", "SBERT baseline")


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini", "claims_kit-bert-mini-v2"])
def test_the_picture_is_of_the_file(name: str) -> None:
    drawn = scoreboard_svg(read_scoreboard(bundle("results", f"{name}.json")))
    assert bundle("results", f"{name}.svg").read_text("utf-8") == drawn


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini"])
def test_the_two_arms_of_a_seed_hardly_go_together(name: str) -> None:
    """Pairing takes little out: r near 0 on average, and some verdicts hang on it."""
    told = without_pairs(measured(name))
    r, count = re.search(r"r = ([+−]\d\.\d\d) .* mean of (\d+) comparisons", told).groups()
    assert abs(float(r.replace("−", "-"))) < 0.2 and int(count) > 20 and not told.endswith("another verdict: none.")


def test_the_page_and_the_lesson_count_one_number_of_differences() -> None:
    """L1 and L4 share a comparison, and where all seeds are equal there is no interval."""
    intervals = sum(part.effect.has_interval for entry in board().values() for part in entry.parts)
    assert len(different(content())) == intervals - 1
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
    assert f"Of {intervals - 1} different intervals of 95 %" in page


def test_nothing_of_a_trial_is_in_it() -> None:
    text = json.dumps(content())
    assert "world" not in text.split('"differs"')[0] and "fake" not in text and "smoke" not in text
