"""Lesson 02's sentences that no cell computes: each held by the results file or the encoder that it is about."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from kit.boards.maps_widget import maps_values
from kit.data.twelve import twelve_sentences
from kit.encoder import load_encoder
from kit.lesson import measured
from kit.world import World

MAPS = measured("umap")["state"]
REPAIRS = measured("repairs")


def test_the_recorded_maps_are_what_the_lesson_says() -> None:
    """300 captions about six actions, over settings of neighbours and seed."""
    assert len(MAPS["sentences"]) == 300 and len(MAPS["actions"]) == 6
    assert len(MAPS["neighbours"]) > 1 and len(MAPS["maps"]) > 1 and "kit-bert-tiny" in MAPS["note"]


def test_umap_gathers_the_actions_and_pca_far_less() -> None:
    """Of the ten nearest on a map, the share that tell of the same action; a sixth of them would by chance."""
    chance = 1 / len(MAPS["actions"])
    least = min(itertools.chain(*MAPS["gathered"]))
    assert least > 2 * chance and least - chance > 2 * (MAPS["pca_gathered"] - chance)


def test_the_distance_of_two_actions_depends_on_the_map() -> None:
    """Of most pairs of actions the largest distance on a map is over 1.5 times the smallest, of some several times."""
    ratios = []
    for one, other in itertools.combinations(MAPS["actions"], 2):
        controls = {"neighbours": 5, "seed": 0, "colouring": "action", "from": one, "to": other}
        values = maps_values(MAPS, controls)
        ratios.append(values["most"] / values["least"])
    assert np.mean(np.array(ratios) > 1.5) > 0.5 and np.sum(np.array(ratios) > 3) >= 2


def test_the_repairs_were_run_as_the_lesson_says() -> None:
    """Seven tasks, three poolings, three seeds; one figure where nothing is drawn at random."""
    assert len(REPAIRS["poolings"]) == 3 and len(REPAIRS["seeds"]) == 3
    for name, repair in REPAIRS["repairs"].items():
        drawn = name not in ("raw", "whitening_target")
        for pooling in REPAIRS["poolings"]:
            assert len(repair["tasks"][pooling]) == 7
            point = repair["average"][pooling]["all"]
            assert point["n"] == (3 if drawn else 1) and ("low" in point) == drawn, name


def test_both_repairs_lift_the_raw_encoder() -> None:
    for name in ("whitening", "flow"):
        assert REPAIRS["repairs"][name]["gain"]["embeddings_last"]["low"] > 0
        published = REPAIRS["published"]["figures"]
        assert published[name]["Avg"] > published["raw"]["Avg"]


def test_fitted_on_the_test_itself_is_the_better_figure() -> None:
    average = {name: REPAIRS["repairs"][name]["average"] for name in ("whitening", "whitening_target")}
    for pooling, other in average["whitening"].items():
        assert average["whitening_target"][pooling]["all"]["mean"] > other["all"]["high"], pooling


def test_along_one_over_gamma_nothing_varies() -> None:
    encoder = load_encoder("kit-bert-tiny", pooling="mean")
    norm = encoder.bert.encoder.layer[-1].output.LayerNorm
    along = encoder.encode(twelve_sentences()).double() @ (1 / norm.weight.detach().double())
    expected = (norm.bias.detach().double() / norm.weight.detach().double()).sum()
    torch.testing.assert_close(along, expected.expand(12), rtol=0, atol=1e-4)


@pytest.mark.slow
def test_an_average_of_two_layers_varies_in_every_direction() -> None:
    """Both readings of first-last: the weakest direction has far more variance than that of the last layer alone."""
    sentences = World(seed=0).sentences(600)
    least = {}
    for name, settings in {
        "mean": {"pooling": "mean"},
        "first block": {"pooling": "first_last", "first_layer": 1},
        "embeddings": {"pooling": "first_last", "first_layer": 0},
    }.items():
        vectors = load_encoder("kit-bert-tiny", **settings).encode(sentences).double()
        spectrum = torch.linalg.eigvalsh(torch.cov(vectors.T))
        least[name] = (spectrum[0] / spectrum[-1]).item()
    assert least["mean"] < 1e-10 < 1e-7 < min(least["first block"], least["embeddings"])


@pytest.mark.parametrize("after, rises", [(42, False), (43, True)])
def test_a_count_that_grows_by_five_per_cent_exactly_has_not_grown_by_more(after: int, rises: bool) -> None:
    """42 / 40 - 1 is a hair above 0.05 as a float."""
    lesson = json.loads((Path(__file__).resolve().parents[2] / "notebooks" / "02_collapse.ipynb").read_text("utf-8"))
    (cell,) = ("".join(cell["source"]) for cell in lesson["cells"] if cell["id"] == "two-counts")
    told = {}
    shape = SimpleNamespace(top_share=0.2)
    names = {"grown": [0.6, after / 40 - 1], "said": "", "raw_space": shape, "after": shape}
    exec(cell, names | {"finding": lambda held, *_, **asked: told.update(asked, held=held)})
    assert told["options"] == {"both": rises, "one of them": not rises, "neither": False} and told["held"] == rises
