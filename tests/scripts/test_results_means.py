"""Means of weights as they are measured: places of the plane, three encoders side by side, and the table made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import results_means as module
import torch
from render_means import halfway, means
from torch.nn.functional import cosine_similarity

from kit.encoder import random_encoder
from kit.figures.weight_plane_figure import PLACES
from tests.tiny import SENTENCES, write_tiny_bert


def test_the_grid_has_the_runs_and_their_mean_at_the_places_of_the_figure() -> None:
    shares = {"run 1": (1, 0, 0), "run 2": (0, 1, 0), "run 3": (0, 0, 1), "mean": (1 / 3, 1 / 3, 1 / 3)}
    for name, (x, y) in PLACES.items():
        assert module.shares_at(x, y) == pytest.approx(shares[name])
        assert min(abs(x - known) for known in module.ACROSS) < 1e-6, name
        assert min(abs(y - known) for known in module.UP) < 1e-6, name
    assert sum(module.shares_at(-0.3, 1.1)) == pytest.approx(1)


def test_the_cosine_side_by_side_is_the_mean_of_the_cosines(tmp_path: Path) -> None:
    encoders = [random_encoder(write_tiny_bert(tmp_path / "tiny"), seed=seed) for seed in range(3)]
    beside = module.SideBySide(encoders)
    first, *others = beside.encode(SENTENCES)
    assert first.shape == (3 * encoders[0].dim,)
    singly = torch.stack([one.encode(SENTENCES) for one in encoders])
    expected = cosine_similarity(singly[:, :1], singly[:, 1:], dim=2).mean(0)
    torch.testing.assert_close(cosine_similarity(first[None], torch.stack(others), dim=1), expected)


def test_the_table_says_what_the_file_has() -> None:
    arm = {
        "recipe": "simcse",
        "seeds": [0, 1, 2],
        "single": [60.0, 61.0, 62.0],
        "mean": {"all": 63.125},
        "side_by_side": {"all": 64.0},
        "halfway": 58.5,
        "cosine_of_ways": 0.375,
        "data": ["snli (train): 12 rows from here.", "Of these captions 3 pairs; 1 captions stand in STS."],
        "hardware": "An Abacus",
    }
    assert halfway(arm) == -1.5
    both = arm | {"single": [60.0, 61.0, 62.0] * 2, "hardware": "A Slide Rule"}
    names = ["mini, pretrained, with captions", "mini, pretrained, without and with captions", "tiny, pretrained, SCL"]
    text = means({"arms": dict(zip(names, (arm, both, arm)))})
    assert f"| {names[0]} | simcse_captions | 61.00 ± 1.00 | 63.12 | 64.00 | -1.50 | 0.38 |" in text
    assert (
        f"| {names[1]} | simcse_borrowed, simcse_captions | 61.00 ± 0.89 (6 runs of two recipes) | 63.12 | 64.00 "
        "| – | – |" in text
    )
    assert f"| {names[2]} | scl_all_nli | " in text
    assert "Trained on snli (train): 12 rows." in text and "Machine: A Slide Rule, An Abacus." in text


def test_an_arm_of_two_kinds_trains_each_with_its_own_data_and_length() -> None:
    plans = module.ARMS["mini, pretrained, SCL, without and with minimal pairs"].plans("kit-bert-mini")
    assert [(p.data, p.seed) for p in plans] == [(data, seed) for data in ("core", "minimal") for seed in module.SEEDS]
    assert dict(plans[0].changes) == {} and dict(plans[3].changes) == {"epochs": 0.9536}
    longer = module.ARMS["tiny, pretrained, three times as long"].plans("kit-bert-tiny")[0]
    assert dict(longer.changes) == {"borrow_negatives": True, "epochs": 6}


def test_an_arm_goes_on_from_the_mean_of_another_arms_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [random_encoder(write_tiny_bert(tmp_path / "tiny"), seed=seed) for seed in range(3)]
    monkeypatch.setattr(module, "MATRIX", tmp_path / "runs" / "matrix")
    monkeypatch.setattr(module, "trained", lambda p: runs[p.seed])
    plans = module.plans_of(module.ARMS["mini, from the mean of SCL with minimal pairs, half as long"])
    assert [(p.recipe, p.data, p.seed) for p in plans] == [("scl", "minimal", seed) for seed in module.SEEDS]
    (start,) = {p.start for p in plans}
    assert Path(start).name == "kit-bert-mini"  # by this name a recipe finds the encoder's learning rate
    mean = torch.stack([module.weights(run) for run in runs]).mean(0)
    torch.testing.assert_close(module.weights(module.fresh_encoder(plans[0])), mean)
