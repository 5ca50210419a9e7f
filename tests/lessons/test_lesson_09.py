"""What lesson 09 says in words about its own runs, held against such runs."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from statistics import stdev
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy.stats import t

from kit.comparators.scored_pairs import OF_A_LABEL
from kit.data.nli import group_by_premise
from kit.data.sources import load
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.lesson import measured
from kit.losses import masked_softmax, scl_relations
from kit.training import RECIPES, fit, recipe

pytestmark = pytest.mark.filterwarnings("ignore::kit.errors.KitWarning")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KIT_DATA", raising=False)
        patch.setenv("HF_HUB_OFFLINE", "1")
        return group_by_premise(load("stanfordnlp/snli", rows=3000))


@pytest.mark.slow
def test_a_rate_far_too_large_ends_at_what_guessing_costs(groups) -> None:
    """A jump, then log 3 and about log 64, and all sentences nearly the same vector."""
    settings = recipe("scl", "smoke")
    encoder = load_encoder(pooling=settings.pooling)
    history = fit(
        encoder, settings.changed(lr=100 * settings.lr), groups, steps=24, precision="fp32", progress=False
    ).history
    losses, tail = [step["loss"] for step in history], history[-5:]
    assert max(losses[:10]) > 2 * losses[0]
    assert sum(step["contrastive"] for step in tail) / 5 == pytest.approx(math.log(64), abs=0.15)
    assert sum(step["cross_entropy"] for step in tail) / 5 == pytest.approx(math.log(3), abs=0.3)
    vectors = encoder.encode([group.anchor for group in groups[:20]])
    assert (vectors @ vectors.T / vectors.norm(dim=1)[:, None] / vectors.norm(dim=1)).min() > 0.99


def test_seven_recipes_take_a_chunk() -> None:
    def takes(name: str) -> bool:
        try:
            return recipe(name, "laptop", chunk=64).options.chunk == 64
        except KitError:
            return False

    named = {"sbert", "scl", "mnrl", "supmpn", "simcse", "simcse_unsup", "simcse_mlm"}
    found = {name for name in RECIPES if takes(name)}
    assert found == named, "the lesson says seven and names them: change its sentence and this list together"


def test_chunks_need_less_memory_and_more_time() -> None:
    found = {(point["way"], point["rows"]): point for point in measured("grad_cache")["points"]}
    for rows in (512, 2048, 4096):
        assert found["cached", rows]["megabytes"] < found["whole", rows]["megabytes"] / 5
        assert found["cached", rows]["seconds"] > found["whole", rows]["seconds"]
    assert 512 * 1024 * 4 / 2**20 == 2, "the matrix of similarities is small"


def test_the_papers_settings_are_the_recipes() -> None:
    """ "batches of 64, one epoch, learning rate 2e-5 with 10 % of warm-up"; SNLI's pairs; the schedule's switch."""
    paper = recipe("scl", "gpu")
    assert (paper.batch_size, paper.epochs, paper.lr, paper.warmup, paper.schedule) == (64, 1, 2e-5, 0.1, "linear")
    notebook = json.loads((ROOT / "notebooks" / "09_train.ipynb").read_text("utf-8"))
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "snli = 550_152" in text and "30 to 36 minutes" in text
    assert paper.changed(schedule="constant").schedule == "constant"


def test_what_each_recipe_gave() -> None:
    """With labels and a contrast they lead, cross-entropy alone trails, two without labels are within three points."""
    recipes, untrained = measured("systems")["recipes"], measured("systems")["before"]
    before = {pooling: found["average"]["all"]["mean"] for pooling, found in untrained.items()}
    assert recipes["pause"]["settings"]["label_fraction"] == 1, "no pair without a label"
    averages = {name: found["average"]["all"]["mean"] for name, found in recipes.items()}
    leading = {"scl", "simcse", "mnrl", "supmpn", "supcon"}
    others = {name: score for name, score in averages.items() if name not in leading}
    weakest = min(averages[name] for name in leading)
    assert weakest > max(others.values()) and weakest - averages["sbert"] > 10
    behind = [round(averages[name] - averages["pause"], 1) for name in leading]
    assert f"`pause` by ${min(behind)}$ to ${max(behind)}$" in text_of("systems-read")
    near = {name for name, score in averages.items() if abs(score - before[recipes[name]["settings"]["pooling"]]) < 4}
    assert near == {"augment_all", "isbert"}
    scored = {name for name in recipes if RECIPES[name].data_format == "scored"}
    assert scored == {"cosent", "cosine_regression"} and OF_A_LABEL == (1.0, 0.5, 0.0)
    unlabelled = {n for n in others if RECIPES[n].data_format not in ("groups", "labelled", "scored")}
    assert {name for name in unlabelled if weakest - others[name] < 3} == {"ct", "consert"}
    cosines = {name: found["geometry"]["mean_cosine"]["mean"] for name, found in recipes.items()}
    raw = untrained[recipes["cosent"]["settings"]["pooling"]]["geometry"]["mean_cosine"]["mean"]
    assert {name for name, cosine in cosines.items() if cosine > raw} == {"cosent"}, "one looks like a collapse"
    assert round(cosines["cosent"], 2) == 0.86 and round(averages["cosent"] - before["mean"]) == 13


def text_of(cell: str) -> str:
    notebook = json.loads((ROOT / "notebooks" / "09_train.ipynb").read_text("utf-8"))
    return next("".join(one["source"]) for one in notebook["cells"] if one["id"] == cell)


def test_the_yardstick_is_too_short_where_the_other_schedule_scatters_more() -> None:
    """The recorded spreads as the lesson says them, and how often chance alone passes the yardstick with those."""
    points = measured("sweeps")["sweeps"]["batches"]["points"]
    linear, constant = (points[label]["average"]["wmean"]["sd"] for label in ("as the paper", "constant rate"))
    assert f"is ${constant:.2f}$, and ${linear:.2f}$ as the paper" in text_of("choose-by")
    draw = np.random.default_rng(0)
    ours, other = draw.normal(0, linear, (100_000, 3)), draw.normal(0, constant, 100_000)
    yardstick = t.ppf(0.975, 2) * 2**0.5 * ours.std(axis=1, ddof=1)
    assert (abs(ours[:, 0] - other) >= yardstick).mean() > 0.5
    alike = draw.normal(0, linear, 100_000)
    assert (abs(ours[:, 0] - alike) >= yardstick).mean() < 0.05


@pytest.mark.parametrize("constant", [70.0, 74.5])
def test_three_seeds_of_one_schedule_never_show_a_difference(constant: float) -> None:
    """Whatever a run gives: far within the yardstick and far outside, with the proviso both times."""
    said = []
    names = {
        "kept": {"linear": {"validation": 74.89}, "constant": {"validation": constant}},
        "single": [74.89, 74.79, 74.70],
        "math": math,
        "stdev": stdev,
        "t": t,
        "finding": lambda held, sentence, otherwise: said.append(sentence if held else otherwise),
    }
    exec(text_of("seed-yardstick"), names)
    [told] = said
    assert (abs(74.89 - constant) < names["yardstick"]) == (constant == 74.5)
    assert "If runs of both schedules scatter alike" in told and "if constant scatters more" in told
    assert "difference is not shown" in told and "rarely" not in told


def test_the_caption_of_section_1_names_each_machine() -> None:
    """The recipes that were measured anew on another machine are named beside it, the others by the file's."""
    cells = json.loads((ROOT / "notebooks" / "09_train.ipynb").read_text("utf-8"))["cells"]
    [shown] = ["".join(cell["source"]) for cell in cells if cell["id"] == "systems"]
    names = {
        "kit": SimpleNamespace(lesson=SimpleNamespace(measured=measured)),
        "PageTable": lambda *_, caption: caption,
    }
    *before, table = ast.parse(shown).body
    exec(compile(ast.Module(before, []), "systems", "exec"), names)
    caption = eval(compile(ast.Expression(table.value), "systems", "eval"), names)
    found = measured("systems")
    elsewhere = [
        name for name, one in found["recipes"].items() if one.get("measured", found)["hardware"] != found["ran_on"]
    ]
    assert {"simcse", "pause"} <= set(elsewhere)
    assert f"{found['ran_on']}; of {', '.join(elsewhere)}: Intel(R) Xeon(R) Processor, 1 thread. " in caption


@pytest.mark.slow
def test_broken_data_are_seen_in_the_first_loss_and_a_shortcut_in_validation(groups) -> None:
    """The exercise of the three logs, here on the made-up world: what a first loss says before any step."""
    from dataclasses import replace
    from random import Random

    from kit.training import Trainer
    from kit.training.batches import tokenize_groups

    settings = recipe("mnrl", "laptop")

    def losses(data: list, steps: int) -> list[float]:
        encoder = load_encoder(pooling=settings.pooling)
        items = tokenize_groups(encoder, data[:400], settings.data_format)
        trainer = Trainer(encoder, settings, items, precision="fp32")
        return [trainer.step()["contrastive"] for _ in range(steps)]

    anchors = [group.anchor for group in groups]
    Random(0).shuffle(anchors)
    shuffled = [replace(group, anchor=anchor) for group, anchor in zip(groups, anchors)]
    tagged = [
        replace(group, anchor=f"{i} {i}: {group.anchor}", hypotheses=tuple(f"{i} {i}: {h}" for h in group.hypotheses))
        for i, group in enumerate(groups, start=100)
    ]
    sound, mixed, easy = losses(groups, 6), losses(shuffled, 1), losses(tagged, 6)
    assert sound[0] < math.log(128) < mixed[0] and easy[-1] < sound[-1]


def test_a_preset_changes_no_method() -> None:
    trained_by = {"batch_size", "epochs", "lr", "dropout", "clip", "deviations", "min_span", "max_span"}
    for name in RECIPES:
        papers = recipe(name, "gpu").as_dict()
        for preset in ("laptop", "smoke"):
            ours = recipe(name, preset).as_dict()
            assert {option for option in papers if papers[option] != ours[option]} <= trained_by, (name, preset)


def test_several_positives_cost_log_n_as_well() -> None:
    relations = scl_relations([0, 0, 0, 1, 1, 2], [0, 0, 2, 0, 1, 1])
    loss = masked_softmax(torch.ones(9, 4, dtype=torch.float64), relations, temperature=1.0)
    assert float(loss) == pytest.approx(math.log(6))


def means() -> dict[str, dict]:
    return measured("means")["arms"]


def test_the_mean_of_pretrained_runs_is_better_and_of_random_ones_is_worse() -> None:
    """ "Mostly better than each", "about as good as one run as long as all of them"."""
    pretrained = [arm for name, arm in means().items() if "pretrained" in name]
    better = [arm["mean"]["all"] > max(arm["single"]) for arm in pretrained]
    assert sum(better) > len(better) / 2 and means()["tiny, pretrained"]["mean"]["all"] > 71
    longer = means()["tiny, pretrained, three times as long"]
    assert longer["steps"] == 3 * pretrained[0]["steps"]
    assert abs(means()["tiny, pretrained"]["mean"]["all"] - sum(longer["single"]) / 3) < 0.5
    own = means()["tiny, random weights of each seed"]
    assert round(min(own["single"]) - own["mean"]["all"]) == 9
    untrained = measured("encoders")["models"]["kit-bert-tiny"]["raw_sts"]["mean"]["average"]["all"]
    assert min(own["single"]) > untrained + 15
    assert all(arm["recipe"] == "simcse" and arm["seeds"] == [0, 1, 2] for arm in (pretrained[0], own))
    encoders = {run["recipe"]: run for run in measured("encoders")["finetuned"] if run["start"] == "kit-bert-tiny"}
    assert pretrained[0]["steps"] == encoders["simcse_borrowed"]["steps"], "all entailed pairs, as in lesson 05"


def test_runs_that_are_worse_make_a_better_mean() -> None:
    """ "Each run with definitions is worse than each with minimal pairs", and all six together are better."""
    alike, mixed = (
        means()[f"mini, pretrained, with {kind}"] for kind in ("minimal pairs", "definitions and with minimal pairs")
    )
    definitions, minimal = mixed["single"][:3], mixed["single"][3:]
    assert minimal == alike["single"] and max(definitions) < min(minimal)
    assert mixed["mean"]["all"] - alike["mean"]["all"] > 0.5
    of_this = [arm["mean"]["all"] for arm in means().values() if arm["start"] == "kit-bert-mini"]
    assert mixed["mean"]["all"] == max(of_this), "the highest of the means from this encoder"
    assert any("WordNet" in text for text in mixed["data"]) and not any("WordNet" in text for text in alike["data"])


def islands(plane: dict, below: float) -> list[int]:
    """For each of the three runs the number of its island: connected places at most `below` under the lowest run."""
    from kit.figures.weight_plane_figure import PLACES, score_at

    x, y = plane["x"], plane["y"]
    sea = min(score_at("", plane, *at) for run, at in PLACES.items() if run != "mean") - below
    land = {(i, j) for j in range(len(y)) for i in range(len(x)) if plane["all"][j][i] >= sea}
    island: dict[tuple[int, int], int] = {}
    for number, start in enumerate(sorted(land)):
        waiting = [start]
        while waiting:
            i, j = waiting.pop()
            if (i, j) in land and (i, j) not in island:
                island[i, j] = number
                waiting += [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    corners = [PLACES[run] for run in ("run 1", "run 2", "run 3")]
    nearest = [
        (min(range(len(x)), key=lambda i: abs(x[i] - a)), min(range(len(y)), key=lambda j: abs(y[j] - b)))
        for a, b in corners
    ]
    return [island[place] for place in nearest]


def test_the_map_is_one_hill_or_three_islands() -> None:
    """A sea one point under the lowest run parts the runs from random weights, and does not part the others."""
    hill, apart = (means()[f"tiny, {name}"]["plane"] for name in ("pretrained", "random weights of each seed"))
    assert len(set(islands(hill, 1))) == 1 and len(set(islands(apart, 1))) == 3
