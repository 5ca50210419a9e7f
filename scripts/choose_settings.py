"""Choose learning rate and dropout on pairs that are in no test set: data/results/choices.json

    KIT_DATA=<mirror folder> python scripts/choose_settings.py [--only scl] [--workers 1]

Short runs of each recipe over a small grid, one seed. What wins stands in kit/training/recipes/ and is then fixed for
every other result. The pairs are those of `kit.workshop.choosing_pairs`. The custom, STS-B validation, stands beside
each figure, with what it would have chosen: 1,131 of its 1,500 pairs also stand in STS12-16 (results_conventions
counts them). Runs are kept under runs/matrix: an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys

from matrix import measure_runs, plan
from measuring import ROOT, provenance

from kit.errors import KitError
from kit.storage.atomic import write_atomically

ROWS = 30_000  # pairs
GRID = {"lr": (5e-4, 1e-3, 2e-3), "dropout": (0.0, 0.1)}
RECIPES = {"scl": "snli", "simcse": "nli"}  # recipe → data of a plan
FILE = ROOT / "data" / "results" / "choices.json"
CHOSEN_ON = "pairs of STS-B and SICK-R that are in none of the seven test sets, Spearman ×100, the mean of the two"
CUSTOM = "STS-B validation, 1,131 of whose 1,500 pairs also stand in STS12–16, Spearman ×100"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny", help="a name, or a folder")
    options.add_argument("--only", nargs="+", choices=RECIPES, default=list(RECIPES), help="recipes to try")
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--out", default=FILE, help="where the choices go")
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    jobs = {
        (name, *values): plan(name, data=RECIPES[name], rows=ROWS, start=args.encoder, **dict(zip(GRID, values)))
        for name in args.only
        for values in itertools.product(*GRID.values())
    }
    records = measure_runs(jobs.values(), ("validation",), args.workers)
    tried = [described(name, records[job], lr=lr, dropout=dropout) for (name, lr, dropout), job in jobs.items()]
    result = {"encoder": args.encoder, "rows": ROWS, "seed": 0, **chosen(tried), **provenance()}
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    for name, row in result["best"].items():
        print(f"{name}: {row}; STS-B validation alone would have chosen {result['custom_best'][name]}")


def described(name: str, record: dict, **changes) -> dict:
    """One setting that was tried, and the scores it reached."""
    return {
        "recipe": name,
        **changes,
        "choosing": round(record["choosing"], 2),
        "by_source": {source: round(score, 2) for source, score in record["by_source"].items()},
        "stsb_validation": round(record["validation"], 2),
        "steps": record["steps"],
        "seconds": record["seconds"],
    }


def chosen(tried: list[dict]) -> dict:
    """What was tried, with the best of each recipe: by the pairs in no test, and by the custom."""

    def best(measure: str) -> dict[str, dict]:
        ranked = sorted(tried, key=lambda row: row[measure])
        return {row["recipe"]: row for row in ranked}  # the last one stays

    by_recipe = {row["recipe"]: None for row in tried}
    return {
        "chosen_on": CHOSEN_ON,
        "custom": CUSTOM,
        "best": by_recipe | best("choosing"),
        "custom_best": by_recipe | best("stsb_validation"),
        "tried": tried,
    }


if __name__ == "__main__":
    try:
        main()
    except KitError as error:
        sys.exit(f"choose_settings: {error}")
