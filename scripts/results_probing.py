"""What probing finds before and after training: data/results/probing.json

    KIT_DATA=<mirror folder> python scripts/results_probing.py [--workers 1] [--recipes sbert scl]

The bundled encoder as it is, the same architecture with random weights, a bag of words, and encoders trained by
four recipes with three seeds each, on the probing tasks of the made-up world. For each
task the mean with its interval over seeds, and the difference to the untrained encoder with the recipe's
pooling: claim D6 of data/papers, that NLI training costs probing accuracy and DeCLUTR does not. Trained
encoders are kept under runs/matrix and shared with the other scripts. Lesson 10 reads the file.
"""

from __future__ import annotations

import argparse
import json

from matrix import UNTRAINED, measure_runs, plan
from measuring import ROOT, mean_interval, provenance, run_script
from results_systems import planned

from kit.errors import unknown_name
from kit.storage.atomic import write_atomically
from kit.training import RECIPES, recipe

SEEDS, ENCODER = (0, 1, 2), "kit-bert-tiny"
TRAINED = ("sbert", "scl", "simcse", "declutr")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--recipes", nargs="+", default=list(TRAINED), help="only these, without writing the file")
    args = options.parse_args()
    for name in args.recipes:
        if name not in TRAINED or name not in RECIPES:
            raise unknown_name("recipe to probe", name, [known for known in TRAINED if known in RECIPES])
    plans = {name: [planned(name, seed) for seed in SEEDS] for name in args.recipes}
    poolings = sorted({recipe(name).pooling for name in args.recipes})
    before = {pooling: plan(UNTRAINED, pooling=pooling) for pooling in poolings}
    first = recipe(args.recipes[0]).pooling
    random = [plan(UNTRAINED, seed=seed, start=f"random:{ENCODER}", pooling=first) for seed in SEEDS]
    wanted = [*before.values(), *random, *(p for group in plans.values() for p in group)]
    found = measure_runs(wanted, what=("probing",), workers=args.workers)
    if set(args.recipes) != set(TRAINED):
        return print("ran", len(wanted), "encoders; the file is written when all recipes are asked for")
    whole = {
        name: summary([found[p] for p in group], found[before[recipe(name).pooling]]) for name, group in plans.items()
    }
    untrained = {pooling: summary([found[p]]) for pooling, p in before.items()}
    some = found[before[first]]["probing"]["tasks"]
    result = {
        "encoder": ENCODER,
        "made_up": True,
        "seeds": SEEDS,
        "metric": "accuracy_x100",
        "tasks": {
            name: {key: task[key] for key in ("asks", "classes", "chance", "tested")} for name, task in some.items()
        },
        "chance": found[before[first]]["probing"]["chance"],
        "trained": {
            name: {**whole[name], "pooling": recipe(name).pooling, "data": found[plans[name][0]]["data"]}
            for name in plans
        },
        "untrained": untrained,
        "random": summary([found[p] for p in random]),
        "words": words(),
        **provenance(),
    }
    write_atomically(ROOT / "data" / "results" / "probing.json", json.dumps(result, indent=1) + "\n")
    print(f"wrote data/results/probing.json: {len(wanted)} encoders")


def summary(records: list[dict], before: dict | None = None) -> dict:
    """Mean and interval over the seeds of each task and of their mean; `change` is the same less `before`."""

    def of(record: dict) -> dict[str, float]:
        probing = record["probing"]
        return {"mean": probing["mean"], **{name: task["accuracy"] for name, task in probing["tasks"].items()}}

    values = [of(record) for record in records]
    whole = {"accuracy": {name: mean_interval([one[name] for one in values]) for name in values[0]}}
    if before is not None:
        base = of(before)
        whole["change"] = {name: mean_interval([one[name] - base[name] for one in values]) for name in base}
    return whole


def words() -> dict:
    """The bag of words, which is not trained and has no seed."""
    from kit.world.probing_accuracy import BagOfWords, evaluate_probing

    return summary([{"probing": evaluate_probing(BagOfWords(), progress=False).as_dict()}])


if __name__ == "__main__":
    run_script(main)
