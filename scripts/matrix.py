"""The matrix of measured runs: every trained encoder once, whoever asks for it.

A `Plan` says what is trained: a recipe with its changes, on which data, from which weights and seed.
`measure_runs` trains what is missing, keeps the encoder under runs/matrix by everything that determines
it, and measures it; an interrupted call goes on where it stopped. The scripts results_systems,
results_spans, results_labels, results_probing and claims plan and summarise; they share their runs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from measuring import ROOT, measure, real

from kit.errors import KitError, unknown_name
from kit.storage.atomic import write_atomically

MATRIX = ROOT / "runs" / "matrix"
NLI = (("stanfordnlp/snli", "train"), ("nyu-mll/multi_nli", "train"))
UNTRAINED = "none"  # as a recipe: the encoder as it comes


@dataclass(frozen=True)
class Plan:
    """One run. data: "snli", "nli" (SNLI and MNLI in proportion) or "documents"; rows: pairs or documents."""

    recipe: str
    seed: int
    data: str
    rows: int | None
    start: str
    preset: str
    changes: tuple[tuple[str, Any], ...]


def plan(
    recipe: str,
    seed: int = 0,
    data: str = "nli",
    rows: int | None = 15_000,
    start: str = "kit-bert-tiny",
    preset: str = "laptop",
    **changes,
) -> Plan:
    """The plan of a run; `changes` are settings of the recipe ("none": of the encoder, such as its pooling)."""
    if data not in DATA:
        raise unknown_name("data of a plan", data, DATA)
    return Plan(recipe, seed, data, rows, start, preset, tuple(sorted(changes.items())))


def measure_runs(plans: Iterable[Plan], what: Iterable[str] = ("sts",), workers: int = 1) -> dict[Plan, dict]:
    """The record of every plan with the measures in `what` (keys of MEASURES), one thread a worker.

    A record has recipe, seed, settings, data, steps, sentences, seconds and hardware, and what was measured;
    "sts" brings "geometry" with it.
    """
    from tqdm import tqdm

    plans, what = list(dict.fromkeys(plans)), [name for name in dict.fromkeys(what) if name != "geometry"]
    for name in what:
        if name not in MEASURES:
            raise unknown_name("measure", name, MEASURES)
    if workers == 1:
        return {p: one(p, what) for p in tqdm(plans, desc="runs")}
    os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when the worker imports it
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = {p: pool.submit(one, p, what) for p in plans}
        for future in tqdm(futures.values(), desc="runs"):
            future.result()
        return {p: future.result() for p, future in futures.items()}


def one(p: Plan, what: list[str]) -> dict:
    """Train and measure one plan, or read what an earlier call left."""
    folder = MATRIX / key(p)
    if not (folder / "record.json").exists():
        train(p, folder)
    record, encoder = json.loads((folder / "record.json").read_text()), None
    for name in what:
        file = folder / f"{name}.json"
        if not file.exists():
            encoder = encoder or trained(p)
            write_atomically(file, json.dumps(MEASURES[name](encoder)))
        record |= json.loads(file.read_text())
    return record


def train(p: Plan, folder: Path) -> None:
    """Train by the plan; the encoder and the record of the run go into `folder`."""
    from kit.training import fit

    encoder, found = fresh_encoder(p), DATA[p.data](p.rows)
    record = {"recipe": p.recipe, "seed": p.seed, "start": p.start, "data": found["data"], "settings": settings_of(p)}
    if p.recipe != UNTRAINED:
        result = fit(encoder, recipe_of(p), found["items"], seed=p.seed, progress=False)
        tail = [step["loss"] for step in result.history[-50:]]
        record |= {
            "steps": result.steps,
            "sentences": result.sentences,
            "seconds": round(result.seconds, 1),
            "hardware": result.hardware,
            "last_loss": sum(tail) / len(tail),
            "losses": [round(step["loss"], 4) for step in result.history],
        }
    encoder.save(folder / "encoder")
    write_atomically(folder / "record.json", json.dumps(record))  # last: a run is whole or not there


def trained(p: Plan):
    """The encoder that a plan has left. Errors: `KitError` where it was not trained yet."""
    from kit.encoder import load_encoder

    folder = MATRIX / key(p) / "encoder"
    if not folder.is_dir():
        raise KitError(f"expected the trained encoder of {p} in {folder}, but it is not there: measure the plan first.")
    return load_encoder(str(folder))


def fresh_encoder(p: Plan):
    """The encoder that the plan starts from, with the recipe's pooling; "random:<name>" has random weights."""
    from kit.encoder import load_encoder, random_encoder

    made = None if p.recipe == UNTRAINED else recipe_of(p)
    wanted = {"pooling": made.pooling, "first_layer": made.first_layer} if made else dict(p.changes)
    if p.start.startswith("random:"):
        return random_encoder(p.start.removeprefix("random:"), seed=p.seed, **wanted)
    return load_encoder(p.start, **wanted)


def recipe_of(p: Plan):
    from kit.training import recipe

    return recipe(p.recipe, p.preset, **dict(p.changes))


def settings_of(p: Plan) -> dict:
    return dict(p.changes) if p.recipe == UNTRAINED else recipe_of(p).as_dict()


def key(p: Plan) -> str:
    """A name for the run that changes when its weights, settings, data or seed change."""
    data = "none" if p.recipe == UNTRAINED else DATA[p.data](p.rows)["data"]
    digest = hashlib.sha256(_weights(p.start.removeprefix("random:")).encode())
    digest.update(json.dumps([p.start, settings_of(p), data, p.rows]).encode())
    return f"{p.recipe}-{p.seed}-{digest.hexdigest()[:12]}"


@lru_cache
def _weights(name: str) -> str:
    from kit.encoder import find_model

    file = Path(find_model(name).location) / "model.safetensors"
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else name


@lru_cache
def nli(rows: int | None, names: tuple = NLI) -> dict:
    """NLI groups of about `rows` pairs, the data sets in proportion to what is at hand, and their names."""
    from kit.data import Table, group_by_premise, load, sample

    whole = [real(load(*name)) for name in names]
    share = 1 if rows is None else min(1, rows / sum(map(len, whole)))
    parts = [sample(table, max(1, round(share * len(table)))) for table in whole]
    columns = {name: [value for part in parts for value in part[name]] for name in ("premise", "hypothesis", "label")}
    return {
        "items": group_by_premise(Table(columns, parts[0].source)),
        "data": [part.source.summary() for part in parts],
    }


@lru_cache
def documents(rows: int | None) -> dict:
    """Long documents and where they come from."""
    from kit.data.documents import load_documents

    found = real(load_documents(rows=rows))
    return {"items": found, "data": [found.source.summary()]}


DATA: dict[str, Callable[[int | None], dict]] = {
    "snli": lambda rows: nli(rows, NLI[:1]),
    "nli": nli,
    "documents": documents,
}


def _validation(encoder) -> dict:
    """Spearman × 100 on STS-B validation: what settings are chosen on, never the test sets."""
    from kit.data import load
    from kit.evaluation import pair_cosines, spearman

    table = load("mteb/stsbenchmark-sts", "validation")
    first, second = (encoder.encode(list(table[side])) for side in ("sentence1", "sentence2"))
    return {"validation": 100 * spearman(pair_cosines(first, second), list(table["score"]))}


def _transfer(encoder) -> dict:
    from kit.evaluation.transfer_evaluation import evaluate_transfer

    return {"transfer": evaluate_transfer(encoder, progress=False).as_dict()}


def _probing(encoder) -> dict:
    from kit.world.probing_accuracy import evaluate_probing

    return {"probing": evaluate_probing(encoder, progress=False).as_dict()}


MEASURES: dict[str, Callable[[Any], dict]] = {
    "sts": measure,
    "validation": _validation,
    "transfer": _transfer,
    "probing": _probing,
}
