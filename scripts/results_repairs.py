"""Repairs without training, measured on the seven STS tasks: data/results/repairs.json

    KIT_DATA=<mirror folder> python scripts/results_repairs.py [--rows 300 --steps 10 --out trial.json]

The bundled encoder as it is, under three poolings, and after each repair: centred, top
directions removed, whitened, a normalising flow. Repairs are fitted on sentences of SNLI train;
the seed chooses which, and the flow's weights. The last one is fitted on the sentences of the
measured task itself, as part of the literature does ("target"): no label is seen, but the test is.
Nothing is trained but the flow: about ten minutes on one thread. Lesson 02 reads the file.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from measuring import ROOT, mean_interval, provenance, real, run_script, sample_sentences, to_write

from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "repairs.json"
DATA, SEEDS, ENCODER = ("stanfordnlp/snli", "train"), (0, 1, 2), "kit-bert-tiny"
ROWS, STEPS = 20_000, 1000  # sentences that a repair is fitted on, and steps of the flow
POOLINGS = {
    "mean": ("mean", {"pooling": "mean"}),
    "first_last": ("first block and last", {"pooling": "first_last", "first_layer": 1}),
    "embeddings_last": ("embeddings and last", {"pooling": "first_last", "first_layer": 0}),
}
TITLES = {
    "raw": "raw",
    "centred": "centred",
    "top1": "strongest direction removed",
    "top3": "three strongest directions removed",
    "whitening": "whitened",
    "flow": "flow",
    "whitening_target": "whitened, fitted on the test's own sentences",
}
# The rows of data/papers/published.csv that stand beside ours (claim S6: both lift raw BERT without labels)
PAPER, TABLE, METRIC = "supmpn2022", "2", "spearman_all_x100"
PUBLISHED = {"raw": "BERTbase (first-last avg.)", "whitening": "BERTbase-whitening-NLI", "flow": "BERTbase-flow-NLI"}


class Known:
    """Vectors of sentences that are encoded already, with the `encode` that measuring asks for."""

    def __init__(self, encoder, sentences: list[str]):
        self.vectors = encoder.encode(sentences, progress=True)
        self.row = {sentence: i for i, sentence in enumerate(sentences)}

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False):
        return self.vectors[[self.row[sentence] for sentence in sentences]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=ROWS, help="sentences a repair is fitted on; others: a trial")
    options.add_argument("--steps", type=int, default=STEPS, help="steps of the flow; others: a trial")
    options.add_argument("--out", type=Path, help="default: data/results/repairs.json; a trial has to name another")
    args = options.parse_args()
    out = to_write(args.out, OUT, rows=args.rows != ROWS, steps=args.steps != STEPS)
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    from kit.data import load, load_sts
    from kit.encoder import load_encoder

    table, tasks = load(*DATA), load_sts()
    training = sentences_to_fit(table)
    samples = [random.Random(seed).sample(training, args.rows) for seed in SEEDS]
    texts = list(dict.fromkeys([*sentences_measured(tasks), *(text for sample in samples for text in sample)]))
    runs = {}
    for pooling, (_, settings) in POOLINGS.items():
        known = Known(load_encoder(ENCODER, **settings), texts)
        runs[pooling] = measure_pooling(known, samples, tasks, args.steps)
    result = {
        "encoder": ENCODER,
        "data": table.source.summary(),
        "rows": args.rows,
        "seeds": SEEDS,
        "flow_steps": args.steps,
        "poolings": {key: {"title": title, **settings} for key, (title, settings) in POOLINGS.items()},
        "repairs": {
            name: {"title": title, **summary({key: of[name] for key, of in runs.items()})}
            for name, title in TITLES.items()
        },
        "published": {
            "source": "Dehghan & Amasyali 2022, Table 2",
            "model": "BERT-base, first-last average",
            "metric": METRIC,
            "figures": published(),
        },
        **provenance(),
    }
    result["versions"]["zuko"] = zuko_version()
    write_atomically(out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {out}")


def sentences_to_fit(table) -> list[str]:
    """The distinct sentences of an NLI table."""
    from kit.data import group_by_premise

    return list(dict.fromkeys(text for g in group_by_premise(table) for text in (g.anchor, *g.hypotheses)))


def sentences_measured(tasks: dict) -> list[str]:
    return [text for task in tasks.values() for text in (*task.sentences1, *task.sentences2)]


def gain(name: str, seed: int, encoder: str, rows: int | None = None) -> dict:
    """What one repair with one seed gains on any encoder, "whitening" or "flow": the gain, both averages, the data."""
    from kit.comparators.normalizing_flow import fit_flow
    from kit.data import load, load_sts
    from kit.encoder import load_encoder
    from kit.encoder.whitening import whitening

    table, tasks = real(load(*DATA)), load_sts()
    sample = random.Random(seed).sample(sentences_to_fit(table), rows or ROWS)
    start = load_encoder(encoder, **POOLINGS["embeddings_last"][1])
    known = Known(start, list(dict.fromkeys([*sentences_measured(tasks), *sample])))
    fit = whitening if name == "whitening" else lambda v: fit_flow(v, steps=STEPS, seed=seed)
    raw = score(lambda task: lambda v: v, known, tasks)
    found = against(raw, score_fitted_once(fit, known.encode(sample), known, tasks))
    averages = {"raw": raw["average"]["all"], "repaired": found["average"]["all"]}
    return {"gain": found["gain"], "average": averages, "data": [table.source.summary()], "sentences": len(sample)}


def measure_pooling(known: Known, samples: list[list[str]], tasks: dict, steps: int) -> dict[str, list[dict]]:
    """The runs of every repair: one for each seed, or one where no seed matters."""
    from kit.comparators.normalizing_flow import fit_flow
    from kit.encoder.whitening import whitening, without_top_directions

    linear = {
        "centred": lambda v: without_top_directions(v, 0),
        "top1": lambda v: without_top_directions(v, 1),
        "top3": lambda v: without_top_directions(v, 3),
        "whitening": whitening,
    }
    runs: dict[str, list[dict]] = {name: [] for name in TITLES}
    raw = score(lambda task: lambda v: v, known, tasks)
    runs["raw"] = [{**raw, "gain": 0.0}]
    for seed, sample in enumerate(samples):
        vectors = known.encode(sample)
        fits = {**linear, "flow": lambda v, seed=seed: fit_flow(v, steps=steps, seed=seed)}
        for name, fit in fits.items():
            runs[name].append(against(raw, score_fitted_once(fit, vectors, known, tasks)))
    target = score(lambda task: whitening(sentences_of(task, known)), known, tasks)
    runs["whitening_target"] = [against(raw, target)]
    return runs


def score_fitted_once(fit: Callable, vectors, known: Known, tasks: dict) -> dict:
    """Scores of one repair for all tasks, with the seconds it took to fit."""
    began = time.perf_counter()
    repair = fit(vectors)
    seconds = time.perf_counter() - began
    return {**score(lambda task: repair, known, tasks), "seconds_to_fit": seconds}


def score(repair_for: Callable, known: Known, tasks: dict) -> dict:
    """All tasks in three aggregations, and the geometry of STS-B, each task with `repair_for(task)`."""
    from kit.evaluation import evaluate_sts, geometry
    from kit.evaluation.encoding import Repaired

    scores = {}
    for name, task in tasks.items():
        repair = repair_for(task)
        scores[name] = vars(evaluate_sts(Repaired(known, repair), [task], progress=False)[name].scores)
        if name == "STS-B":
            space = geometry(repair(known.encode(sample_sentences(tasks)))).as_dict()
    average = {kind: sum(of[kind] for of in scores.values()) / len(scores) for kind in ("all", "mean", "wmean")}
    return {
        "tasks": scores,
        "average": average,
        "geometry": {key: space[key] for key in ("mean_cosine", "share_above", "effective_rank", "uniformity")},
    }


def against(raw: dict, run: dict) -> dict:
    """The run with what it gains over the raw vectors (average, all)."""
    return {**run, "gain": run["average"]["all"] - raw["average"]["all"]}


def sentences_of(task, known: Known):
    """The vectors of a task's own sentences, each once."""
    return known.encode(list(dict.fromkeys([*task.sentences1, *task.sentences2])))


def summary(runs: dict[str, list[dict]]) -> dict:
    """Part → pooling → mean and interval over the runs, numbers nested as they are there."""
    parts = list(next(iter(runs.values()))[0])
    return {part: {pooling: over([run[part] for run in of]) for pooling, of in runs.items()} for part in parts}


def over(values: list) -> dict:
    """Mean and interval of numbers, or of each entry of dicts."""
    if isinstance(values[0], dict):
        return {key: over([value[key] for value in values]) for key in values[0]}
    return mean_interval(values)


def published() -> dict[str, dict[str, float]]:
    """Repair → task → the published figure; the average is called Avg."""
    with (ROOT / "data" / "papers" / "published.csv").open(encoding="utf-8") as file:
        rows = [
            row for row in csv.DictReader(file) if (row["paper"], row["table"], row["metric"]) == (PAPER, TABLE, METRIC)
        ]
    return {
        name: {row["task"]: float(row["value"]) for row in rows if row["model"] == model}
        for name, model in PUBLISHED.items()
    }


def zuko_version() -> str:
    from importlib.metadata import version

    return version("zuko")


if __name__ == "__main__":
    run_script(main)
