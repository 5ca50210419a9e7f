"""Test sentences that stand in SNLI and MNLI train, and the scores without them: data/results/leakage.json

    KIT_DATA=<mirror folder> python scripts/results_leakage.py [--encoder kit-bert-tiny] [--seeds 0 1 2] [--workers 1]

Most systems of the papers train on one of these two or on both, and so have seen some sentences of STS (no score).
For each task: how many of its sentences, and the headline systems' Spearman ×100 (all) on all pairs and on those whose
two sentences are both new. What the training text is: all that the mirror has of the two; a run trains on a part of it.
Trained encoders are those of runs/matrix.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from matrix import NLI, UNTRAINED, measure_runs, plan, trained
from measuring import ROOT, mean_interval, provenance, real
from results_systems import planned

from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "leakage.json"
RECIPES = ("sbert", "scl", "simcse")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny", help="a name, or a folder")
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options.add_argument("--recipes", nargs="*", choices=RECIPES, default=RECIPES, help="none: the encoder as it comes")
    options.add_argument("--workers", type=int, default=1, help="training runs side by side, one thread each")
    args = options.parse_args()
    from kit.data import load, load_sts
    from kit.workshop.training_overlap import training_overlap, words_of_all

    tables, tasks = [real(load(*name)) for name in NLI], load_sts()
    seen = words_of_all(text for table in tables for side in ("premise", "hypothesis") for text in table[side])
    found = {name: training_overlap(task, seen) for name, task in tasks.items()}
    plans = {"raw": [plan(UNTRAINED, start=args.encoder, pooling="mean")]}
    plans |= {name: [planned(name, seed, start=args.encoder) for seed in args.seeds] for name in args.recipes}
    records = measure_runs([p for group in plans.values() for p in group], (), args.workers)
    systems = {name: scores([trained(p) for p in group], tasks, found) for name, group in plans.items()}
    result = {
        "encoder": args.encoder,
        "seeds": args.seeds,
        "training_text": [table.source.summary() for table in tables],
        "trained_on": next(
            (records[p]["data"] for group in plans.values() for p in group if "steps" in records[p]), []
        ),
        "tasks": {name: asdict(overlap) for name, (overlap, _) in found.items()},
        "systems": systems,
        **provenance(),
    }
    write_atomically(OUT, json.dumps(result, indent=1) + "\n")
    print(f"wrote data/results/{OUT.name}")


def scores(encoders: list, tasks: dict, found: dict) -> dict:
    """ "whole", "new" and their "difference": task, and "average" of all → mean and interval over the encoders."""
    rows = []
    for encoder in encoders:
        row = {name: (score(encoder, task), score(encoder, found[name][1])) for name, task in tasks.items()}
        row["average"] = tuple(sum(both[side] for both in row.values()) / len(tasks) for side in (0, 1))
        rows.append(row)
    names = list(rows[0])
    return {
        "whole": {name: mean_interval([row[name][0] for row in rows]) for name in names},
        "new": {name: mean_interval([row[name][1] for row in rows]) for name in names},
        "difference": {name: mean_interval([row[name][1] - row[name][0] for row in rows]) for name in names},
    }


def score(encoder, task) -> float:
    from kit.evaluation import evaluate_sts

    return evaluate_sts(encoder, [task], progress=False)[task.name].scores.all


if __name__ == "__main__":
    try:
        main()
    except KitError as error:
        sys.exit(f"results_leakage: {error}")
