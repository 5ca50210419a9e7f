"""What a sentence's vector is taken from, in training and in use, and a head for training alone: poolings.json

    KIT_DATA=<mirror folder> python scripts/results_poolings.py [--workers 2]
    KIT_DATA=<mirror folder> python scripts/results_poolings.py --rows 300 --seeds 0 --out trial.json

SimCSE, with and without labels, trains the bundled encoder on NLI under the laptop preset with three poolings, each
with and without the head of its paper (`projection`), and every encoder is read with each of the three; SupCon is
trained with and without the head of its own. Measured are the seven STS tasks. Rates are the preset's, chosen for mean
pooling without a head. Runs that are done are kept under runs/matrix. The file is data/results/poolings.json;
lessons 01 and 04 and docs/questions.md read it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from matrix import POOLINGS, UNTRAINED, Plan, measure_runs, plan
from measuring import ROOT, in_mirror, mean_interval, provenance, run_script, to_write

from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "poolings.json"
ENCODER, ROWS, SEEDS = "kit-bert-tiny", 15_000, [0, 1, 2, 3, 4]
HEADS = {  # recipe → its heads, by their names in the file
    "simcse": {"none": None, "tanh": "tanh"},
    "simcse_unsup": {"none": None, "tanh": "tanh"},
    "supcon": {"none": None, "relu": "relu"},
}
TRAINED_WITH = {"simcse": POOLINGS, "simcse_unsup": POOLINGS, "supcon": ("mean",)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--rows", type=int, default=ROWS, help="pairs of SNLI and MNLI together; others: a trial")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="others: a trial")
    options.add_argument("--out", type=Path, help="default: data/results/poolings.json; a trial has to name another")
    args = options.parse_args()
    args.out = to_write(args.out, OUT, rows=args.rows != ROWS, seeds=args.seeds != SEEDS)
    in_mirror("stanfordnlp/snli", "nyu-mll/multi_nli", "mteb/stsbenchmark-sts")
    untrained = plan(UNTRAINED, start=ENCODER, pooling="mean")
    plans = {place: [planned(*place, seed, args.rows) for seed in args.seeds] for place in places()}
    runs = measure_runs([untrained, *(p for group in plans.values() for p in group)], ("poolings",), args.workers)
    systems = {
        recipe: {
            trained_with: {
                head: figures([runs[p] for p in plans[recipe, trained_with, head]]) for head in HEADS[recipe]
            }
            for trained_with in TRAINED_WITH[recipe]
        }
        for recipe in HEADS
    }
    one = runs[plans["simcse", "mean", "none"][0]]
    result = {
        "encoder": ENCODER,
        "data": one["data"],
        "rows": args.rows,
        "seeds": args.seeds,
        "raw": runs[untrained]["poolings"],
        "systems": systems,
        "ran_on": one["hardware"],
        **provenance(),
    }
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {args.out.name}: {len(runs)} encoders, each read with {len(POOLINGS)} poolings")


def places() -> list[tuple[str, str, str]]:
    """Recipe, pooling in training and head of every system."""
    return [
        (recipe, pooling, head) for recipe, heads in HEADS.items() for pooling in TRAINED_WITH[recipe] for head in heads
    ]


def planned(recipe: str, pooling: str, head: str, seed: int, rows: int) -> Plan:
    return plan(recipe, seed, rows=rows, start=ENCODER, pooling=pooling, projection=HEADS[recipe][head])


def figures(runs: list[dict]) -> dict:
    """The runs of one system: what it cost, and read with each pooling the average of the tasks, seed by seed."""
    return {
        "lr": runs[0]["settings"]["lr"],
        "steps": runs[0]["steps"],
        "read_with": {
            pooling: {**mean_interval(values), "seeds": values}
            for pooling in POOLINGS
            for values in [[run["poolings"][pooling] for run in runs]]
        },
    }


if __name__ == "__main__":
    run_script(main)
