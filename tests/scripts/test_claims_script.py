"""scripts/claims.py on records that are made up: pairing, resuming, one claim of many, other versions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import claims
import claims_plan
import pytest

from kit.course.papers import CLAIMS, read_scoreboard, summary
from kit.course.papers.claims import VERSION
from kit.errors import KitError
from tests.tiny import tiny_encoder

KINDS = ("all", "mean", "wmean")
TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")


def record(level: float) -> dict:
    return {
        "data": ["some data"],
        "steps": 3,
        "sentences": 9,
        "twelve": {"topics": 4, "share": 1.0},
        "sts": {"tasks": {task: dict.fromkeys(KINDS, level + i) for i, task in enumerate(TASKS)}},
        "geometry": {"share_above": 0.95},
        "probing": {"mean": level},
        "gain": level,
        "transfer": {"averages": {"seven": level - 1, "eight": level}, "missing": [], "tasks": {}},
    }


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """Every run is there already: its level depends on the arm and a little on the seed."""
    asked: list[tuple] = []
    levels = {name: 50 + 0.01 * i for i, name in enumerate(sorted(claims_plan.ARMS))}

    def record_of(name, seed, what, scale=claims.WHOLE):
        asked.append((name, seed, scale))
        return record(levels[name] + 0.001 * seed * (1 + len(name) % 3))

    monkeypatch.setattr(claims, "record_of", record_of)
    monkeypatch.setattr(claims, "lacking", lambda *run: set())
    return asked


def call(monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.setattr(sys, "argv", ["claims.py", *options])
    claims.main()


@pytest.mark.slow
def test_all_claims_make_a_file_that_reads_back(made_up: list, monkeypatch, tmp_path: Path) -> None:
    out = tmp_path / "claims.json"
    call(monkeypatch, "--out", str(out))
    board = read_scoreboard(out)
    assert list(board) == list(CLAIMS) and summary(board).startswith(f"Of {len(CLAIMS)} claims")
    content = json.loads(out.read_text("utf-8"))
    assert content["version"] == VERSION and content["versions"]["torch"] and content["hardware"]
    assert content["claims"]["L2"]["command"] == "make claims ONLY=L2"
    part = content["claims"]["L1"]["parts"][0]
    assert part["arms"]["scl45 λ 0.3"]["data"] == ["some data"]
    parts = [part for entry in content["claims"].values() for part in entry["parts"]]
    assert all(len(part["values"]) == part["n"] for part in parts), "every verdict can be recomputed from the file"
    assert {part["n"] for part in parts} <= {1, 5}


def test_another_encoder_has_a_file_and_runs_of_its_own(made_up: list, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(claims, "OUT", tmp_path / "claims.json")
    encoder = tiny_encoder(tmp_path)
    encoder.save(tmp_path / "kit-bert-mini")
    call(monkeypatch, "--only", "L1", "--encoder", str(tmp_path / "kit-bert-mini"))
    content = json.loads((tmp_path / "claims_kit-bert-mini.json").read_text("utf-8"))
    assert content["encoder"] == "kit-bert-mini" and list(content["claims"]) == ["L1"]
    size = f"a {encoder.bert.config.num_hidden_layers}-layer encoder, {encoder.dim} wide"
    entry, here = content["claims"]["L1"], claims.size_of("kit-bert-tiny")
    assert entry["command"] == "make claims ONLY=L1 ENCODER=kit-bert-mini" and len(entry["weights"]) == 12
    assert size != here and entry["differs"] == CLAIMS["L1"].differs.replace(here, size) != CLAIMS["L1"].differs
    assert {scale.encoder for _, _, scale in made_up} == {str(tmp_path / "kit-bert-mini")}
    assert claims.file_of(claims.OUT, "kit-bert-tiny") == tmp_path / "claims.json"


def test_levels_alone_make_no_picture(made_up: list, monkeypatch, tmp_path: Path, capsys) -> None:
    out = tmp_path / "claims.json"
    call(monkeypatch, "--only", "S1", "--out", str(out))
    assert list(read_scoreboard(out)) == ["S1"] and not out.with_suffix(".svg").exists()
    assert "no picture" in capsys.readouterr().out


def test_every_comparison_has_the_seeds_that_were_fixed(made_up: list, monkeypatch, tmp_path: Path) -> None:
    """Whatever the first ones say, none are added and none left out."""
    wavering = {0: 0.5, 1: -0.5, 2: 0.1, 3: 0.2, 4: -0.1}

    def record_of(name, seed, what, scale):
        return record(50 + (wavering[seed] if name == "declutr P 1" else 9.0 + seed if name == "declutr P 4" else 0.0))

    monkeypatch.setattr(claims, "record_of", record_of)
    out = tmp_path / "claims.json"
    call(monkeypatch, "--out", str(out), "--only", "D3", "L1")
    found = json.loads(out.read_text("utf-8"))["claims"]
    assert found["D3"]["parts"][0]["values"] == pytest.approx([-0.5, 0.5, -0.1, -0.2, 0.1])
    assert {part["n"] for entry in found.values() for part in entry["parts"]} == {5}
    assert found["D3"]["seeds"] == found["L1"]["seeds"] == [0, 1, 2, 3, 4]


def test_judging_anew_changes_verdicts_and_no_figure(made_up: list, monkeypatch, tmp_path: Path) -> None:
    out = tmp_path / "claims.json"
    call(monkeypatch, "--out", str(out), "--only", "L1", "S2")
    before = json.loads(out.read_text("utf-8"))
    old = json.loads(out.read_text("utf-8")) | {"version": 1}
    for entry in old["claims"].values():
        for part in entry["parts"]:
            part |= {"verdict": "same sign", "margin": None}
        entry["verdict"] = "same sign"
        entry["differs"] = "a 2-layer encoder, 128 wide; in yesterday's words"
    out.write_text(json.dumps(old), "utf-8")
    made_up.clear()
    call(monkeypatch, "--out", str(out), "--judge")
    assert json.loads(out.read_text("utf-8")) == before and made_up == [] and out.with_suffix(".svg").exists()


def test_judging_gives_an_arm_its_latest_runs_in_all_claims(made_up: list, monkeypatch, tmp_path: Path) -> None:
    out = tmp_path / "claims.json"
    call(monkeypatch, "--out", str(out), "--only", "P1", "P4", "L1")
    before = json.loads(out.read_text("utf-8"))
    newer = json.loads(out.read_text("utf-8"))
    newer["claims"]["P4"] |= {"commit": "of the later day", "date": "9999-12-31"}
    for name, machine in (("P4", "another machine"), ("P1", "this machine")):
        for one in newer["claims"][name]["parts"][0]["arms"].values():
            one["hardware"] = machine
    arm = newer["claims"]["P4"]["parts"][0]["arms"]["pause 10%"]
    arm["values"][1] -= 30  # one seed diverged on that day
    out.write_text(json.dumps(newer), "utf-8")
    call(monkeypatch, "--out", str(out), "--judge")
    found = json.loads(out.read_text("utf-8"))["claims"]
    [part], [old] = found["P1"]["parts"], before["claims"]["P1"]["parts"]
    assert part["arms"]["pause 10%"]["values"] == arm["values"]
    assert part["arms"]["pause 100%"]["values"] == old["arms"]["pause 100%"]["values"]
    assert found["P1"]["hardware"].split(" and ") == [part["arms"][name]["hardware"] for name in part["arms"]]
    assert set(found["P1"]["hardware"].split(" and ")) == {"another machine", "this machine"}
    assert part["values"] == pytest.approx([a - 30 * (seed == 1) for seed, a in enumerate(old["values"])])
    assert (
        part["mean"] == pytest.approx(old["mean"] - 6) and part["low"] < old["low"] and part["verdict"] == "undecided"
    )
    assert (found["P1"]["commit"], found["P1"]["date"]) == ("of the later day", "9999-12-31")
    assert found["L1"] == before["claims"]["L1"]


def test_the_published_verdicts_are_of_the_arms_that_the_plan_still_has() -> None:
    """Changed there, an arm has to be trained anew: until then its figures would stand beside other settings."""
    kept = json.loads(claims.OUT.read_text("utf-8"))["claims"]
    trained = {name: arm for entry in kept.values() for part in entry["parts"] for name, arm in part["arms"].items()}
    planned = {name: (claims_plan.ARMS[name].recipe, dict(claims_plan.ARMS[name].changes)) for name in trained}
    assert planned == {name: (arm["recipe"], arm["changes"]) for name, arm in trained.items()}


def test_effects_are_paired_by_seed() -> None:
    assert claims.paired([3.0, 5.0], [1.0, 2.0]) == [2.0, 3.0]
    assert claims.paired([3.0, 5.0], [1.0]) == [2.0, 4.0], "an untrained encoder stands against every seed"
    assert claims.paired([3.0, 5.0], None) == [3.0, 5.0]
    with pytest.raises(ValueError):
        claims.paired([3.0, 5.0, 1.0], [1.0, 2.0])


def test_one_claim_leaves_the_others(made_up: list, monkeypatch, tmp_path: Path) -> None:
    out = tmp_path / "claims.json"
    call(monkeypatch, "--out", str(out), "--only", "L1", "S2")
    before = json.loads(out.read_text("utf-8"))["claims"]
    made_up.clear()
    call(monkeypatch, "--out", str(out), "--only", "D1", "--seeds", "0", "1", "2", "3", "4")
    after = json.loads(out.read_text("utf-8"))["claims"]
    assert list(after) == ["L1", "S2", "D1"] and after["L1"] == before["L1"] and after["D1"]["seeds"] == [0, 1, 2, 3, 4]
    assert {name for name, _, _ in made_up} == {"declutr", "none"}
    assert "not run yet" in summary(read_scoreboard(out))


def test_an_interrupted_call_has_kept_what_was_done(made_up: list, monkeypatch, tmp_path: Path) -> None:
    out, original = tmp_path / "claims.json", claims.measured

    def stops(one, *rest):
        if one.id == "L3":
            raise KeyboardInterrupt
        return original(one, *rest)

    monkeypatch.setattr(claims, "measured", stops)
    with pytest.raises(KeyboardInterrupt):
        call(monkeypatch, "--out", str(out))
    assert list(read_scoreboard(out)) == ["L1", "L2"]


@pytest.mark.slow
def test_a_file_of_another_version(made_up: list, monkeypatch, tmp_path: Path) -> None:
    """One claim is never mixed into it; all claims replace it, and say so."""
    out = tmp_path / "claims.json"
    for old in [
        {"version": 0, "claims": {}},
        {"version": VERSION, "claims": {"X9": {"parts": []}}},
        {"version": VERSION, "claims": {"L1": {"parts": [{"name": "other"}]}}},
        [1],
    ]:
        out.write_text(json.dumps(old), "utf-8")
        with pytest.raises(KitError, match="make claims"):
            call(monkeypatch, "--out", str(out), "--only", "L1")
        assert json.loads(out.read_text("utf-8")) == old
    call(monkeypatch, "--out", str(out))
    assert list(read_scoreboard(out)) == list(CLAIMS)


def test_a_trial_must_not_overwrite_results(monkeypatch) -> None:
    with pytest.raises(KitError, match="expected --out with --rows"):
        call(monkeypatch, "--rows", "300")
    with pytest.raises(KitError, match="expected --out with --seeds"):
        call(monkeypatch, "--only", "L3", "--seeds", "0")


def test_unknown_claims_are_told(monkeypatch, tmp_path: Path) -> None:
    with pytest.raises(KitError, match="unknown claim 'L9'"):
        call(monkeypatch, "--only", "L9", "--out", str(tmp_path / "x.json"))


def test_the_plan_counts_shared_runs_once(monkeypatch, capsys) -> None:
    monkeypatch.setattr(claims, "lacking", lambda name, seed, what, scale: {"training", *what} - {"twelve"})
    call(monkeypatch, "--plan", "--only", "S2", "S3")
    told = capsys.readouterr().out.splitlines()
    assert "training of 10 (supmpn, simcse)" in told[0] and "training of 5 (sbert)" in told[1]
    assert told[-1] == "all: training of 15, sts of 15"


def test_measures_read_the_records() -> None:
    one = record(50.0)
    read = {name: of for name, (_, of) in claims_plan.MEASURES.items()}
    assert read["sts5_wmean"](one) == 52.0 and read["sts7_all"](one) == 53.0
    assert read["sts5_less_transfer"](one) == 2.0 and read["transfer7"](one) == 49.0
    assert read["share_stsb"](one) == 95.0 and read["topics"](one) == 4.0 and read["probing"](one) == 50.0


def test_tasks_that_are_missing_or_made_up_are_told_not_averaged_over() -> None:
    report = {"averages": {"seven": None, "eight": None}, "missing": ["MR"], "tasks": {"CR": {"made_up": True}}}
    with pytest.raises(KitError, match="but MR, CR are not at hand"):
        claims_plan.MEASURES["transfer7"][1](record(50.0) | {"transfer": report})


def test_the_twelve_sentences_are_measured_on_an_encoder() -> None:
    import torch

    class Encoder:
        def encode(self, sentences):
            z = torch.eye(12)
            z[1] = z[0]  # the first positive is its anchor
            z[3, 10], z[6, 9] = 0.66, 0.85  # of anchors and other topics: cosines of 0.55 and 0.65, all else 0
            return z

    assert claims_plan.twelve(Encoder()) == {"topics": 1, "share": pytest.approx(2 / 66)}, "from 0.6 on"
