"""docs/results.md and README.md say what the result files say, and a table says plainly what was not met."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import render_results

from kit.course.papers import read_scoreboard
from kit.figures.scoreboard_rows import scoreboard_rows
from kit.training import recipe

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import rows  # noqa: E402


def test_text_and_results_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["render_results.py", "--check"])
    render_results.main()


def test_a_changed_figure_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/results.md").read_text("utf-8")
    proof = json.loads((ROOT / "data/results/evaluation_proof.json").read_text())
    monkeypatch.setattr(render_results, "RESULTS", tmp_path)
    pages = []
    for more in (0.0, 1.0):  # nothing else is there, in either
        proof["tasks"]["STS12"]["all"] += more
        (tmp_path / "evaluation_proof.json").write_text(json.dumps(proof))
        pages.append(render_results.with_tables(page))
    assert pages[0] != pages[1]


def test_a_changed_figure_is_noticed_in_the_headlines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (ROOT / "data" / "results").glob("*.json"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(render_results, "RESULTS", tmp_path)
    first = render_results.headlines()
    foundation = render_results.result("foundation")
    foundation["summary"]["scl"]["average"]["wmean"]["mean"] += 1.0
    (tmp_path / "foundation.json").write_text(json.dumps(foundation), "utf-8")
    changed = render_results.headlines()
    assert changed != first and changed.split("\n")[1:] == first.split("\n")[1:]
    (tmp_path / "claims.json").unlink()
    assert "Not measured yet" in render_results.headlines()


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.1, 0.9, "lifts"), (-0.9, -0.1, "lowers"), (-0.2, 0.6, "is not shown to change")]
)
def test_the_headline_on_contrast_goes_by_the_interval(low: float, high: float, said: str) -> None:
    found = render_results.result("foundation")
    found["scl_minus_sbert_wmean"] |= {"mean": (low + high) / 2, "low": low, "high": high}
    assert render_results.contrast_headline(found).startswith(f"**Contrast {said} STS.**")


def test_the_headline_on_the_larger_encoder_takes_the_best_recipe_and_the_best_mean() -> None:
    def run(start: str, recipe: str, score: float) -> dict:
        return {"start": start, "recipe": recipe, "sts": {"average": {"all": score}}}

    found = {
        "finetuned": [run("kit-bert-mini", "a", 70.0), run("kit-bert-mini", "b", 71.0), run("kit-bert-mini", "b", 73.0)]
        + [run("random", "c", 80.0)],
        "models": {"kit-bert-mini": {"raw_sts": {"mean": {"average": {"all": 50.0}}}}},
    }
    scores = {"tiny, pretrained": 90.0, "mini, pretrained": 73.5, "mini, pretrained, SCL": 74.25}
    arms = {name: {"recipe": "a", "mean": {"all": score}, "single": [70.0, 74.0]} for name, score in scores.items()}
    assert "SCL" not in render_results.best_headline(found, {"arms": arms})
    arms["mini, pretrained, SCL"]["recipe"] = "scl"
    means = {"arms": arms}
    told = render_results.best_headline(found, means)
    assert "50.00 as pretrained and 72.00 ± 1.41 after" in told and "`b`" in told
    assert (
        "score more as one encoder" in told
        and "74.25 from 2 runs (scl_all_nli), the highest of 2 such means, picked by these tasks." in told
    )
    assert told.endswith("Of those trained by SCL the highest is 74.25, from 2 runs.")
    arms["mini, pretrained, SCL"]["single"] = [70.0, 75.0]
    assert "do not score more as one encoder" in render_results.best_headline(found, means)


def test_the_headline_on_longer_pretraining_sets_like_beside_like() -> None:
    def run(start: str, recipe: str, score: float) -> dict:
        return {"start": start, "recipe": recipe, "sts": {"average": {"all": score}}}

    def of(name: str, loss: float, *scores: tuple[str, str, float]) -> dict:
        return {"models": {name: {"heldout": {"all": {"loss": loss}}}}, "finetuned": [run(*one) for one in scores]}

    longer, usual = render_results.LONGER, "kit-bert-mini"
    found = of(
        longer,
        3.0,
        *((longer, "simcse", 72.0), (longer, "simcse_minimal", 73.0), (longer, "simcse_minimal", 74.0)),
        *((longer, "simcse", 73.0), (longer, "scl", 68.0), (longer, "scl", 69.0), ("random", "other", 99.0)),
        *(("random", "simcse", 66.0), ("random", "simcse", 66.5), ("random", "scl", 65.0), ("random", "scl", 65.5)),
    )
    before = of(usual, 3.5, *((usual, "simcse", 70.0), (usual, "simcse_minimal", 71.0), (usual, "scl", 69.0)))
    arms = {
        name: {"start": start, "recipe": recipe, "mean": {"all": score}}
        for name, start, recipe, score in (
            ("v2, pretrained, with minimal pairs", longer, "simcse", 75.0),
            ("mini, pretrained, with minimal pairs", usual, "simcse", 76.0),
            ("v2, pretrained, SCL at τ 10, with minimal pairs", longer, "scl", 72.0),
            ("v2, pretrained, SCL, with minimal pairs", longer, "scl", 71.0),
        )
    }
    told = render_results.longer_headline(found, before, {"arms": arms})
    end = "the mean of three runs' weights, it has at most 75.00 (`simcse_minimal`) and 72.00 (`scl_minimal_tau_10`)."
    assert told.endswith(end), "of each recipe the best"
    told = render_results.longer_headline(found, before, {"arms": {}})
    assert "its held-out loss is 3.00, in place of 3.50" in told
    assert "73.50 ± 0.71 after `simcse_minimal` (kit-bert-mini: 71.00) and 68.50 ± 0.71 after `scl` (kit-ber" in told
    assert ": the highest means of the 2 SimCSE and the 1 SCL trainings tried" in told
    assert told.endswith("in points, +6.25 [+3.07, +9.43] (`simcse`) and +3.25 [+0.07, +6.43] (`scl`)."), "seed by seed"
    assert "2.1 billion tokens more of the same text, padding included, in 6 minutes on one NVIDIA H200" in told
    found["finetuned"].append(run(longer, "scl_tau_10", 71.0))
    told = render_results.longer_headline(found, before, {"arms": {}})
    assert "mini: 71.00) and 71.00 after `scl_tau_10`: the highest means of the 2 SimCSE and the 2 SCL" in told, (
        "measured from the longer one alone"
    )


@pytest.mark.parametrize(("off", "said"), [(0.05, "is right"), (5.0, "is off"), (-5.0, "is off")])
def test_an_evaluation_five_points_too_low_is_off_as_one_too_high_is(off: float, said: str) -> None:
    found = render_results.result("evaluation_proof")
    found["tasks"]["STS12"]["difference"] = off
    told = render_results.proof_headline(found)
    assert told.startswith(f"**The evaluation {said}**") and f"to within {abs(off):.3f} points" in told


def test_the_limits_quote_the_mean_cosines_of_three_tables() -> None:
    """ "0.69 to 0.64, 0.55 and 0.40 in three tables": raw, then SCL as in the foundation, the sweeps, the systems.

    From the larger encoder: "stays at 0.8".
    """
    foundation, sweeps, systems = (render_results.result(name) for name in ("foundation", "sweeps", "systems"))
    found = [
        foundation["before"]["geometry"]["mean_cosine"],
        foundation["summary"]["scl"]["geometry"]["mean_cosine"]["mean"],
        sweeps["sweeps"]["lambda"]["points"]["0.3"]["geometry"]["mean_cosine"]["mean"],
        systems["recipes"]["scl"]["geometry"]["mean_cosine"]["mean"],
    ]
    raw, *trained = (f"{cosine:.2f}" for cosine in found)
    quoted = f"from {raw} to {trained[0]}, {trained[1]} and {trained[2]} in three tables of "
    readme = (ROOT / "README.md").read_text("utf-8")
    assert quoted in readme
    taus = {
        tau: point["geometry"]["mean_cosine"]["mean"] for tau, point in sweeps["sweeps"]["tau_dot"]["points"].items()
    }
    assert f"[{taus['0.1']:.2f} at τ = 0.1, {taus['10']:.2f} at τ = 10]" in readme
    tiny = render_results.result("encoders")["finetuned"]
    all_nli = [run["geometry"]["mean_cosine"] for run in tiny if run["recipe"] == "scl_all_nli"]
    assert f"and to {sum(all_nli) / len(all_nli):.2f} with all NLI" in readme
    mini = render_results.result("encoders-kit-bert-mini")
    scl = [
        run["geometry"]["mean_cosine"]
        for run in mini["finetuned"]
        if (run["recipe"], run["start"]) == ("scl", "kit-bert-mini")
    ]
    ends = [mini["models"]["kit-bert-mini"]["raw_sts"]["mean"]["geometry"]["mean_cosine"], *scl]
    assert {f"{cosine:.1f}" for cosine in ends} == {"0.8"} and "from `kit-bert-mini` it stays at 0.8" in readme


def test_what_was_trained_otherwise_than_today_is_told() -> None:
    chosen, same = (recipe(name, "laptop", "kit-bert-mini").lr for name in ("simcse", "scl"))
    runs = [
        {"start": "kit-bert-mini", "recipe": "simcse", "settings": {"lr": 0.5}},
        {"start": "kit-bert-mini", "recipe": "scl", "settings": {"lr": same}},
        {"start": "random", "recipe": "simcse", "settings": {"lr": 9.0}},
        {"start": "glove", "recipe": "none"},
    ]
    told = f"Learning rates: simcse 0.5 ({chosen:g} was chosen since), scl {same:g}"
    assert render_results.learning_rates(runs) == f"{told}."
    own = {"start": "kit-bert-mini", "recipe": "scl_minimal_tau_10_faster", "settings": {"lr": 1e-3, "name": "scl"}}
    assert render_results.learning_rates([*runs, own]).startswith(f"{told}, scl_minimal_tau_10_faster 0.001. ")


def test_a_training_with_borrowed_negatives_is_told_apart_and_has_simcses_rate() -> None:
    settings = {"lr": recipe("simcse", "laptop", "kit-bert-mini").lr, "name": "simcse"}
    run = {"start": "kit-bert-mini", "recipe": "simcse_borrowed", "settings": settings}
    told = render_results.learning_rates([run])
    assert f"simcse_borrowed {settings['lr']:g}. " in told and "every entailed pair" in told


def test_leaks_are_those_of_each_run_and_read_beside_the_raw_encoders_difference() -> None:
    def runs(*seen: int) -> list[dict]:
        counts = {"sentences": 4000, "pairs": 3000, "pairs_with_one": 7}
        return [{"seed": seed, "tasks": {"STS12": counts | {"seen_sentences": one}}} for seed, one in enumerate(seen)]

    def figures(mean: float) -> dict:
        return {"mean": mean, "sd": 0.5, "low": mean - 1, "high": mean + 1, "n": 3}

    def system(*seen: int) -> dict:
        parts = {"whole": 60.0, "new": 59.0, "difference": -1.0}
        found = {part: {"average": figures(value)} for part, value in parts.items()}
        return {"runs": runs(*seen), **found, "raw": {"difference": {"average": {"mean": 0.5}}}} | {
            "beside_raw": figures(-1.5)
        }

    systems = {"sbert": system(9, 9), "scl": system(9, 9), "simcse": system(4, 6)}
    text = render_results.leakage({"encoder": "one", "seeds": [0, 1], "systems": systems, "hardware": "x"})
    assert "| trained on by sbert and scl | pairs with one | trained on by simcse | pairs with one |" in text
    assert "| STS12 | 4,000 | 3,000 | 9 | 7 | 4 to 6 | 7 |" in text and "trained on a sample of about 15,000" in text
    assert (
        "| scl | 60.00 ± 0.50 | 59.00 ± 0.50 | -1.00 [-2.00, +0.00] | +0.50 | -1.50 [-2.50, -0.50] |" in text
        and "95 % interval over seeds" in text
    )


def made_up() -> dict:
    """A results file with every kind of row; no figure in it was measured."""
    slow = rows.compared("training", "tiny, batch 64", [1.0] * 5, [2.0] * 5, "a trainer", target="≥ 4", unit="ms")
    good = rows.compared(
        "training", "tiny, batch 256", [1.0] * 5, [5.0] * 5, "a trainer", target="≥ 4", unit="ms", note="A note."
    )
    alone = rows.Row("notebooks", "all of them", "min", 5.25, target="≤ 6", repetitions=1)
    bare = rows.Row("span sampler", "any", "documents/s", 12345.6)
    told = [row.__dict__ | {"met": row.met} for row in (slow, good, alone, bare)]
    where = {"versions": {"torch": "9.9", "numpy": "1"}, "hardware": "a machine, 2 threads", "date": "2026-01-01"}
    waiting = {
        "what": "encode",
        "setting": "on a GPU",
        "target": "≥ 1.5",
        "peer": "a peer",
        "why": "needs a GPU",
        "command": "benchmarks/encode_speed.py --device cuda",
    }
    return {
        "programs": {
            "one": {"rows": told, "load_average": 0.1, **where},
            "two": {"rows": [], "load_average": 1.5, **where},
        },
        "failed": ["ranks"],
        "not_measured": [waiting],
    }


def test_the_table_says_plainly_what_is_not_met_and_not_measured() -> None:
    text = render_results.benchmarks(made_up())
    assert (
        "| training | tiny, batch 64 | 1,000 ms | a trainer | 2,000 | 2.00 [2.00, 2.00] | ≥ 4 | **not met** |\n"
        "|  | tiny, batch 256 <sup>1</sup> | 1,000 ms | a trainer | 5,000 | 5.00 [5.00, 5.00] | ≥ 4 | met |\n"
        "| notebooks | all of them (measured 1×) | 5.25 min | – | – | – | ≤ 6 | met |\n"
    ) in text
    assert (
        "| encode | on a GPU | not measured: needs a GPU | a peer | – | – | ≥ 1.5 | "
        "`benchmarks/encode_speed.py --device cuda` |"
    ) in text
    assert "4 targets: 2 met, 1 not met, 1 not measured; judged before rounding." in text
    assert "a machine, 2 threads; torch 9.9; 2026-01-01; load average before each program 0.1 to 1.5." in text
    assert "Left out, as the program failed: ranks." in text and text.endswith("\n\n1. A note.")
    assert "span sampler" not in text, "neither a target nor a peer: in the file only"
    columns = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert columns == {9}


def test_rows_from_another_machine_say_so_and_count_once() -> None:
    """In the usual table a note names their machine; measured "on both" are only those of the usual machine."""
    usual, there = (
        made_up(),
        {"hardware": "another, 1 thread", "versions": {}, "date": "2026-01-02", "load_average": 0.2},
    )
    quick = rows.Row("search", "any", "ms", 2.0, target="≤ 3", note="Quick.").__dict__ | {"met": True}
    usual["programs"]["search"] = {"rows": [quick], **there}
    text = render_results.benchmarks(usual)
    assert "| search | any <sup>2, 3</sup> | 2.00 ms |" in text
    assert text.endswith("1. A note.\n2. Quick.\n3. measured on another, not on a machine")
    other = {"programs": {name: {"rows": usual["programs"][name]["rows"], **there} for name in ("one", "search")}}
    assert render_results.targets_said(usual, other) == (
        "Of 5 targets for speed, memory and accuracy, 3 are met, 1 is missed (training) and 1 await a GPU; 3 were "
        "measured on the a machine, 1 on a Xeon alone. Of the 3 measured on both, the Xeon without AMX misses 1, "
        "all of training beside a trainer: 2.0 to 2.0, where ≥ 4 was asked."
    )
    usual["programs"]["training_speed_gpu"] = {"rows": [quick], **there, "hardware": "a GPU"}
    assert "3 were measured on the a machine, 1 on a GPU, 1 on a Xeon alone." in render_results.targets_said(
        usual, other
    )
    for row in render_results.rows_of(usual):
        row["met"] = True
    assert "5 are met, none is missed and 1 await a GPU" in render_results.targets_said(usual, other)


def test_a_share_has_its_range_or_no_figures_beside_it() -> None:
    """The medians of rate and peak are of no one turn: their quotient is not the median share."""
    named = {"what": "step", "setting": "tiny", "unit": "%", "ours": 45.4, "target": "≥ 45"}
    ranged = rows.Row(**named, lowest=40.0, highest=50.0, note="380 of 837 GFLOP/s in the median turn")
    bare = rows.Row(**named, note="380 of 936 GFLOP/s")
    where = {"versions": {}, "hardware": "a machine", "date": "2026-01-01", "load_average": None}
    told = [row.__dict__ | {"met": row.met} for row in (ranged, bare)]
    text = render_results.benchmarks({"programs": {"one": {"rows": told, **where}}, "failed": [], "not_measured": []})
    assert "| step | tiny <sup>1</sup> | 45.4 % [40.0, 50.0] | – | – | – | ≥ 45 | met |" in text
    assert "|  | tiny | 45.4 % | – | – | – | ≥ 45 | met |" in text and "936" not in text


def test_a_changed_row_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_results, "RESULTS", tmp_path)
    page = (ROOT / "docs/results.md").read_text("utf-8")
    (tmp_path / "benchmarks.json").write_text(json.dumps(made_up()))
    first = render_results.with_tables(page)
    assert "4 targets: 2 met" in first
    changed = made_up()
    changed["programs"]["one"]["rows"][0]["ours"] *= 2
    (tmp_path / "benchmarks.json").write_text(json.dumps(changed))
    assert render_results.with_tables(first) != first


def test_kills_that_were_not_tried_are_told() -> None:
    found = render_results.result("hard_use")
    assert "strace" not in render_results.hard_use(found)
    del found["storage"]["saves"]["at_each_call_of_the_system"]
    assert "at each call of the system | – | not measured: strace is not installed | – |" in render_results.hard_use(
        found
    )


def test_every_picture_among_the_results_is_shown() -> None:
    shown = "".join((ROOT / name).read_text("utf-8") for name in ("docs/results.md", "README.md"))
    pictures = [path.name for path in (ROOT / "data" / "results").glob("*.svg")]
    assert pictures and [name for name in pictures if f"data/results/{name})" not in shown] == []


@pytest.mark.parametrize("name", ["claims", "claims_kit-bert-mini", "claims_kit-bert-mini-v2"])
def test_a_picture_of_claims_says_how_many_are_drawn(name: str) -> None:
    board = read_scoreboard(ROOT / "data" / "results" / f"{name}.json")
    drawn = {row.claim for row in scoreboard_rows(board)}
    page = (ROOT / "docs/results.md").read_text("utf-8")
    [said] = re.findall(rf"!\[([^]]*)\]\(\.\./data/results/{name}\.svg\)", page)
    assert said.endswith(f"of {len(drawn)} of {len(board)} claims: S1 and S5 are not in points")
    assert board.keys() - drawn == {"S1", "S5"}
    without = [key for key, entry in board.items() for part in entry.parts if not part.effect.has_interval]
    assert without == ["S1", "S1", "S5", "S5"] and "but for the four of S1 and S5, a 95 % interval" in page


def test_what_rests_on_one_value_or_on_no_known_machine_says_so() -> None:
    found = render_results.result("claims")
    table = render_results.claims(found)
    assert table.count("| contradicted, by one value without an interval |") == 1
    assert "On which machine its claims ran, from 2026-11-22 to 2026-11-28, was not kept." in table
    for claim in list(found["claims"].values())[1:]:
        claim["hardware"] = "a machine"
    assert "On which machine L1 ran" in render_results.claims(found)


def test_the_headline_on_claims_counts_those_of_three_encoders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = render_results.claims_headline(render_results.result("claims"))
    verdicts = [claim["verdict"] for claim in render_results.result("claims_kit-bert-mini-v2")["claims"].values()]
    assert f"From `kit-bert-mini-v2` {verdicts.count('replicates')} replicate, " in told
    assert "D5 is contradicted from each by another comparison" in told
    assert "replicated from another: S1 random pairs of STS-B, D5 any − adjacent" in told
    for path in (ROOT / "data" / "results").glob("claims*.json"):
        (tmp_path / path.name).write_text((ROOT / "data/results/claims.json").read_text("utf-8"), "utf-8")
    monkeypatch.setattr(render_results, "RESULTS", tmp_path)
    told = render_results.claims_headline(render_results.result("claims"))
    assert "the same for all." in told and "another: none." in told
    assert "from all three: L2, S1, S2, S4, S5, D5;" in told


def test_what_is_met_only_as_read_anew_is_told() -> None:
    usual = render_results.result("benchmarks")
    [lowest, highest] = re.findall(r"\(4 of the met .* is ([\d.]+) to ([\d.]+) times", render_results.read_anew(usual))[
        0
    ]
    assert f"all four rows miss it today ({lowest} to {highest};" in (ROOT / "docs/results.md").read_text("utf-8")
    for row in render_results.rows_of(usual):
        if row["what"] == "encode beside runtimes":
            row["ratio"] = 1.3
    assert render_results.read_anew(usual) == ""


def test_the_run_that_came_out_otherwise_a_day_later_is_still_the_one_in_the_file() -> None:
    """The page tells of pause 10% with seed 1: 26.4, and 62.2 a day before. Another run needs other words."""
    page = (ROOT / "docs/results.md").read_text("utf-8")
    arm = render_results.result("claims_kit-bert-mini")["claims"]["P1"]["parts"][0]["arms"]["pause 10%"]
    assert f"`pause 10%` with seed 1 that ended at {arm['values'][1]:.1f} had been made a day before too" in page


def test_quantities_have_three_digits_that_count() -> None:
    for value, shown in [
        (0.0, "0"),
        (1.2345e-7, "1.23e-07"),
        (0.00012345, "0.000123"),
        (0.456, "0.456"),
        (4.5678, "4.57"),
        (78.94, "78.9"),
        (999.7, "1,000"),
        (12345.6, "12,346"),
        (-4.5678, "-4.57"),
        (float("inf"), "inf"),
    ]:
        assert render_results.quantity(value) == shown
