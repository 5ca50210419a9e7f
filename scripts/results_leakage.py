"""Test sentences that stand in the text of a training run, and the scores without them: data/results/leakage.json

    KIT_DATA=<mirror folder> python scripts/results_leakage.py [--encoder kit-bert-mini] [--workers 1]

Most systems of the papers train on one of these two or on both, and so have seen some sentences of STS (no score).
For each recipe and task: how many of its sentences a run was trained on, and the runs' Spearman ×100 (all) on all pairs
and on those whose two sentences are both new to them, beside that of the raw encoder on the same pairs. The runs train
on a sample of the two, the same with every seed, of which SimCSE takes triplets that its seed draws. Trained encoders
are those of runs/matrix.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from matrix import DATA, UNTRAINED, Plan, measure_runs, plan, recipe_of, trained
from measuring import ROOT, file_of, mean_interval, provenance, run_script, to_write
from results_systems import planned

from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "leakage.json"
RECIPES, SEEDS = ("sbert", "scl", "simcse"), [0, 1, 2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny", help="a name, or a folder; has its own file")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="others only with --out")
    options.add_argument("--recipes", nargs="+", choices=RECIPES, default=RECIPES, help="fewer only with --out")
    options.add_argument("--workers", type=int, default=1, help="training runs side by side, one thread each")
    options.add_argument("--out", type=Path, help="default: data/results/leakage.json, or leakage-<encoder>.json")
    args = options.parse_args()
    fewer = {"seeds": args.seeds != SEEDS, "recipes": set(args.recipes) != set(RECIPES)}
    out = to_write(args.out, file_of(OUT, args.encoder), **fewer)
    from kit.data import load_sts

    tasks, raw = load_sts(), plan(UNTRAINED, start=args.encoder, pooling="mean")
    plans = {name: [planned(name, seed, start=args.encoder) for seed in args.seeds] for name in args.recipes}
    records = measure_runs([raw, *(p for group in plans.values() for p in group)], (), args.workers)
    systems = {name: system(group, tasks, trained(raw)) for name, group in plans.items()}
    for name, group in plans.items():
        systems[name]["trained_on"] = records[group[0]]["data"]
    result = {"encoder": args.encoder, "seeds": args.seeds, "systems": systems, **provenance()}
    write_atomically(out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {out}")


def texts_of(p: Plan) -> Iterator[str]:
    """Every sentence that the run is trained on: all of its groups, or those of the triplets that its seed draws."""
    from kit.data import triplets

    groups = DATA[p.data](p.rows)["items"]
    if recipe_of(p).data_format == "triplets":
        return chain.from_iterable(triplets(groups, seed=p.seed))
    return chain.from_iterable((group.anchor, *group.hypotheses) for group in groups)


def system(plans: list[Plan], tasks: dict, raw) -> dict:
    """What each run has seen, and mean and interval over the runs of its scores and of the raw encoder's."""
    from kit.workshop.training_overlap import training_overlap, words_of_all

    runs, ours, theirs = [], [], []
    for p in plans:
        seen = words_of_all(texts_of(p))
        found = {name: training_overlap(task, seen) for name, task in tasks.items()}
        overlaps = {name: asdict(overlap) for name, (overlap, _) in found.items()}
        runs.append({"seed": p.seed, "sentences": len(seen), "tasks": overlaps})
        ours.append(scores(trained(p), tasks, found))
        theirs.append(scores(raw, tasks, found))
    beside = [(a["average"][1] - a["average"][0]) - (b["average"][1] - b["average"][0]) for a, b in zip(ours, theirs)]
    return {"runs": runs, **over_runs(ours), "raw": over_runs(theirs), "beside_raw": mean_interval(beside)}


def scores(encoder, tasks: dict, found: dict) -> dict[str, tuple[float, float]]:
    """Task, and "average" of all → Spearman ×100 on all pairs, and on those of new sentences."""
    row = {name: (score(encoder, task), score(encoder, found[name][1])) for name, task in tasks.items()}
    row["average"] = tuple(sum(both[side] for both in row.values()) / len(tasks) for side in (0, 1))
    return row


def over_runs(rows: list[dict]) -> dict:
    """ "whole", "new" and their "difference": task, and "average" of all → mean and interval over the runs."""
    return {
        "whole": {name: mean_interval([row[name][0] for row in rows]) for name in rows[0]},
        "new": {name: mean_interval([row[name][1] for row in rows]) for name in rows[0]},
        "difference": {name: mean_interval([row[name][1] - row[name][0] for row in rows]) for name in rows[0]},
    }


def score(encoder, task) -> float:
    from kit.evaluation import evaluate_sts

    return evaluate_sts(encoder, [task], progress=False)[task.name].scores.all


if __name__ == "__main__":
    run_script(main)
