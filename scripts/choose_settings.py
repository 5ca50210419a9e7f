"""Choose learning rate and dropout on STS-B *validation*: data/results/choices.json

    KIT_DATA=<mirror folder> python scripts/choose_settings.py [--workers 2]

Short runs of each recipe over a small grid, one seed. What wins stands in kit/training/recipes/
and is then fixed for every other result. No test split is looked at here, but 1,131 of the 1,500 validation
pairs also stand in STS12-16 (results_conventions counts them): to choose by them is the custom, and is to choose
partly by the test.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from measuring import ROOT, provenance

from kit.errors import KitError
from kit.storage.atomic import write_atomically

GRID = {"lr": (5e-4, 1e-3, 2e-3), "dropout": (0.0, 0.1)}
RECIPES = {"scl": ("stanfordnlp/snli", "train"), "simcse": ("nli/merged", "train_core_groups")}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny")
    options.add_argument("--steps", type=int, default=400)
    options.add_argument("--workers", type=int, default=2)
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    jobs = [
        (args.encoder, name, data, args.steps, dict(zip(GRID, values)))
        for name, data in RECIPES.items()
        for values in itertools.product(*GRID.values())
    ]
    os.environ["OMP_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
        tried = []
        for row in pool.map(try_one, jobs):
            print(row, flush=True)
            tried.append(row)
    best = {
        name: max((row for row in tried if row["recipe"] == name), key=lambda row: row["stsb_validation"])
        for name in RECIPES
    }
    result = {
        "chosen_on": "STS-B validation, Spearman ×100 (all)",
        "steps": args.steps,
        "seed": 0,
        "best": best,
        "tried": tried,
        **provenance(),
    }
    write_atomically(ROOT / "data" / "results" / "choices.json", json.dumps(result, indent=1) + "\n")


def try_one(job: tuple) -> dict:
    """Train briefly with one choice; the validation score it reaches."""
    from kit.data import group_by_premise, load, load_sts
    from kit.encoder import load_encoder
    from kit.evaluation import evaluate_sts
    from kit.training import fit, recipe

    encoder_name, name, data, steps, changes = job
    settings = recipe(name, "laptop", **changes)
    encoder = load_encoder(encoder_name, pooling=settings.pooling)
    result = fit(encoder, settings, group_by_premise(load(*data)), steps=steps, progress=False)
    tasks = load_sts(["STS-B"], split="validation")
    score = evaluate_sts(encoder, tasks, progress=False, average_over=["STS-B"])["STS-B"].scores.all
    return {"recipe": name, **changes, "stsb_validation": round(score, 2), "seconds": round(result.seconds, 1)}


if __name__ == "__main__":
    try:
        main()
    except KitError as error:
        sys.exit(f"choose_settings: {error}")
