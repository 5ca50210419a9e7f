"""The matrix of measured runs: every trained encoder once, whoever asks for it.

A `Plan` says what is trained: a recipe with its changes, on which data, from which weights and seed.
`measure_runs` trains what is missing, keeps the encoder under runs/matrix by everything that determines
it, the code of the training among it, and measures it; a measure is kept by the code that took it, so that after
a repair there nothing is trained again. An interrupted call goes on where it stopped, in the middle of a run from its
checkpoint. Several calls may work side by side: each takes runs that no other has. The scripts
results_*, choose_* and claims plan and summarise; they share their runs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from measuring import ROOT, measure, real
from training_code import measuring_code, training_code

from kit.errors import KitError, unknown_name
from kit.storage.atomic import write_atomically
from kit.storage.run_lock import owner_of

MATRIX = ROOT / "runs" / "matrix"
NLI = (("stanfordnlp/snli", "train"), ("nyu-mll/multi_nli", "train"))
POOLINGS = ("cls", "mean", "first_last")  # with which an encoder is read
UNTRAINED = "none"  # as a recipe: the encoder as it comes
WAIT = 10  # seconds until runs that other processes have are looked at again
SHOWN_ONLY = ("title", "source", "deviations")  # of a recipe's settings: no run depends on them


@dataclass(frozen=True)
class Plan:
    """One run. rows: of the data, which are pairs, documents, or (in "core") premises with their hypotheses.

    data: "snli", "nli" (SNLI and MNLI in proportion), "core" (all NLI of the mirror labelled by people), "captioned"
    (that and pairs of captions of one picture), "defined" (that of "core" and definitions of words), "minimal" (that
    of "core" and captions beside a change of a word or two), "reworded" (the same without these negatives) or
    "documents".
    """

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
    plans, what = list(dict.fromkeys(plans)), [name for name in dict.fromkeys(what) if name != "geometry"]
    for name in what:
        if name not in MEASURES:
            raise unknown_name("measure", name, MEASURES)
    told = Progress(plans, what)
    if workers == 1:
        _in_turn(plans, what, told)
    else:
        os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when the worker imports it
        with ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent) as pool:
            for future in [pool.submit(one, p, what) for p in plans]:
                with contextlib.suppress(InUse):
                    future.result()
                told.say()
        _in_turn(plans, what, told)
    return {p: one(p, what) for p in plans}


def end_with_parent() -> None:
    """In a worker: end at once when the process that started it does, however that came.

    Else whoever kills a call leaves workers behind that go on with their runs, and hold them.
    """

    def wait() -> None:
        parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _in_turn(plans: list[Plan], what: list[str], told: Progress) -> None:
    """Every plan; one that another process has just now comes last, and is waited for."""
    waiting = list(plans)
    while waiting:
        others = []
        for p in waiting:
            try:
                one(p, what)
                told.say()
            except InUse:
                others.append(p)
        if len(others) == len(waiting):
            time.sleep(WAIT)
        waiting = others


class InUse(KitError):
    """Another process trains or measures this run."""


def one(p: Plan, what: list[str]) -> dict:
    """Train and measure one plan, or read what an earlier call left.

    Errors: `InUse` where something is missing and another process is at it.
    """
    folder = MATRIX / key(p)
    if missing(p, what):
        folder.mkdir(parents=True, exist_ok=True)
        with _taken(folder):
            _complete(p, what, folder)
    files = [folder / "record.json", *(measure_file(p, name) for name in what)]
    return {name: value for file in files for name, value in json.loads(file.read_text("utf-8")).items()}


def missing(p: Plan, what: Iterable[str]) -> list[str]:
    """What has to be done for a plan: "training", and the measures that are not kept yet."""
    files = {"training": MATRIX / key(p) / "record.json"} | {name: measure_file(p, name) for name in what}
    return [job for job, file in files.items() if not file.exists()]


def measure_file(p: Plan, name: str) -> Path:
    """Where a measure of a plan is kept: another file when the code that takes it is another."""
    return MATRIX / key(p) / f"{name}-{measuring_code(MEASURES[name])}.json"


@contextlib.contextmanager
def _taken(folder: Path) -> Iterator[None]:
    """Own the folder of a run. Errors: `InUse` where another process does."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(owner_of(folder))
        except KitError as error:
            raise InUse(str(error)) from None
        yield


def _complete(p: Plan, what: list[str], folder: Path) -> None:
    if not (folder / "record.json").exists():
        train(p, folder)
    encoder = None
    for name in what:
        file = measure_file(p, name)
        if not file.exists():
            encoder = encoder or trained(p)
            write_atomically(file, json.dumps(MEASURES[name](encoder)))


class Progress:
    """Says after each run how many are left, and how long they take by the seconds of the runs that are kept."""

    def __init__(self, plans: list[Plan], what: list[str]):
        self._plans, self._what, self._began = plans, what, time.perf_counter()
        self._before = len(self._left())
        self._said = self._before

    def _left(self) -> list[Plan]:
        return [p for p in self._plans if missing(p, self._what)]

    def say(self) -> None:
        left = self._left()
        if len(left) == self._said:
            return
        self._said, done = len(left), self._before - len(left)
        took = (time.perf_counter() - self._began) / done  # of a run of this call, measuring included
        when = f", about {in_words(took * len(left))} left" if left else ""
        print(f"{len(self._plans) - len(left)} of {len(self._plans)} runs are there{when}", flush=True)


def in_words(seconds: float) -> str:
    """A duration as a person says it: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def train(p: Plan, folder: Path) -> None:
    """Train by the plan; the encoder and the record of the run go into `folder`."""
    from kit.training import fit

    encoder, found = fresh_encoder(p), DATA[p.data](p.rows)
    record = {"recipe": p.recipe, "seed": p.seed, "start": p.start, "data": found["data"], "settings": settings_of(p)}
    if p.recipe != UNTRAINED:
        checkpoints = folder / "checkpoints"
        result = fit(encoder, recipe_of(p), found["items"], seed=p.seed, folder=checkpoints, progress=False)
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
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)


def trained(p: Plan):
    """The encoder that a plan has left, on the GPU if there is one. Errors: `KitError` where it was not trained yet."""
    from kit.encoder import load_encoder
    from kit.training.device import pick_device

    folder = MATRIX / key(p) / "encoder"
    if not folder.is_dir():
        raise KitError(f"expected the trained encoder of {p} in {folder}, but it is not there: measure the plan first.")
    return load_encoder(str(folder), device=pick_device())


def fresh_encoder(p: Plan):
    """The encoder that the plan starts from, with the recipe's pooling; "random:<name>" has random weights.

    On the GPU if there is one.
    """
    from kit.encoder import load_encoder, random_encoder
    from kit.training.device import pick_device

    made = None if p.recipe == UNTRAINED else recipe_of(p)
    wanted = {"pooling": made.pooling, "first_layer": made.first_layer} if made else dict(p.changes)
    wanted["device"] = pick_device()
    if p.start.startswith("random:"):
        return random_encoder(p.start.removeprefix("random:"), seed=p.seed, **wanted)
    return load_encoder(p.start, **wanted)


def recipe_of(p: Plan):
    from kit.training import recipe

    return recipe(p.recipe, p.preset, p.start.removeprefix("random:"), **dict(p.changes))


def settings_of(p: Plan) -> dict:
    return dict(p.changes) if p.recipe == UNTRAINED else recipe_of(p).as_dict()


def deciding(settings: dict) -> dict:
    """The settings of a recipe that a run depends on."""
    return {name: value for name, value in settings.items() if name not in SHOWN_ONLY}


@lru_cache
def key(p: Plan) -> str:
    """A name for the run that changes with its weights, settings, data, seed and the code that trains it."""
    if p.recipe == UNTRAINED:
        data, code = "none", training_code("kit.encoder.load")
    else:
        data, code = DATA[p.data](p.rows)["data"], training_code(recipe_of(p).objective.__module__)
    settings = deciding(settings_of(p))
    start = ["random" if p.start.startswith("random:") else "weights", weights_of(p.start)]
    digest = hashlib.sha256(json.dumps([start, settings, data, p.rows, code]).encode())
    return f"{p.recipe}-{p.seed}-{digest.hexdigest()[:12]}"


@lru_cache
def weights_of(start: str) -> str:
    """A hash of an encoder's weights and shape, wherever its folder lies; for "random:<name>" of the shape alone."""
    from kit.encoder import find_model

    folder = Path(find_model(start.removeprefix("random:")).location)
    names = ("config.json",) if start.startswith("random:") else ("model.safetensors", "config.json")
    files = [folder / name for name in names if (folder / name).exists()]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest() if files else start


@lru_cache
def nli(rows: int | None, names: tuple = NLI) -> dict:
    """NLI groups of about `rows` pairs, the data sets in proportion to what is at hand, and their names."""
    from kit.data import Table, group_by_premise, load, sample

    whole = [real(load(*name)) for name in names]
    share = 1 if rows is None else min(1, rows / sum(map(len, whole)))
    parts = [sample(table, max(1, round(share * len(table)))) for table in whole]
    if len(parts) > 1:
        sides = ("premise", "hypothesis", "label")
        columns = {name: [value for part in parts for value in part[name]] for name in sides}
        whole = [Table(columns, parts[0].source)]
    else:
        whole = parts
    items = group_by_premise(whole[0])
    return {"items": items, "data": [part.source.summary() for part in parts]}


@lru_cache
def captioned(rows: int | None) -> dict:
    """All NLI labelled by people, and pairs of captions; `rows` counts the pairs of NLI alone."""
    from caption_pairs import caption_pairs

    return beside_core(rows, caption_pairs)


@lru_cache
def defined(rows: int | None) -> dict:
    """All NLI labelled by people, and words with their definitions; `rows` counts the pairs of NLI alone."""
    from definition_pairs import definition_pairs

    return beside_core(rows, definition_pairs)


@lru_cache
def minimal(rows: int | None, negatives: bool = True) -> dict:
    """All NLI labelled by people, and captions with a negative in nearly their words; `rows` counts pairs of NLI."""
    from minimal_pairs import minimal_pairs

    return beside_core(rows, partial(minimal_pairs, negatives=negatives))


def beside_core(rows: int | None, make: Callable) -> dict:
    """All NLI labelled by people, and behind it what `make(first number)` has made."""
    labelled = DATA["core"](rows)
    made = make(len(labelled["items"]))
    return {"items": [*labelled["items"], *made.groups], "data": [*labelled["data"], *made.data]}


@lru_cache
def documents(rows: int | None) -> dict:
    """Long documents and where they come from."""
    from kit.data.documents import load_documents

    found = real(load_documents(rows=rows))
    return {"items": found, "data": [found.source.summary()]}


DATA: dict[str, Callable[[int | None], dict]] = {
    "snli": lambda rows: nli(rows, NLI[:1]),
    "nli": nli,
    "core": lambda rows: nli(rows, (("nli/merged", "train_core_groups"),)),
    "captioned": captioned,
    "defined": defined,
    "minimal": minimal,
    "reworded": lambda rows: minimal(rows, negatives=False),
    "documents": documents,
}


def _validation(encoder) -> dict:
    """What settings are chosen on, and STS-B validation beside it, see `kit.workshop.choosing_pairs`."""
    from kit.workshop.choosing_pairs import choosing_score

    return choosing_score(encoder)


def _transfer(encoder) -> dict:
    from kit.evaluation.transfer_evaluation import evaluate_transfer

    return {"transfer": evaluate_transfer(encoder, progress=False).as_dict()}


def _probing(encoder) -> dict:
    from kit.world.probing_accuracy import evaluate_probing

    return {"probing": evaluate_probing(encoder, progress=False).as_dict()}


def _poolings(encoder) -> dict:
    """The average of the seven STS tasks (all pairs of a task together) under each of three poolings."""
    from kit.data import load_sts
    from kit.encoder import Encoder
    from kit.evaluation import evaluate_sts

    tasks, found = load_sts(), {}
    for pooling in POOLINGS:
        read = Encoder(encoder.bert, encoder.tokenizer, pooling, encoder.max_length)
        found[pooling] = evaluate_sts(read, tasks, progress=False).average.all
    return {"poolings": found}


MEASURES: dict[str, Callable[[Any], dict]] = {
    "sts": measure,
    "validation": _validation,
    "transfer": _transfer,
    "probing": _probing,
    "poolings": _poolings,
}
