"""Choose learning rate and dropout on pairs that are in no test set: data/results/choices.json

    KIT_DATA=<mirror folder> python scripts/choose_settings.py [--only scl] [--workers 1]
    KIT_DATA=<mirror folder> python scripts/choose_settings.py --encoder kit-bert-mini --beside simcse:temperature=0.1

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
from pathlib import Path

from matrix import measure_runs, plan, weights_of
from measuring import ROOT, provenance

from kit.commands.train_command import changes
from kit.encoder.find import DEFAULT
from kit.errors import KitError, check_name
from kit.storage.atomic import write_atomically

ROWS = 30_000  # pairs
GRID = {"lr": (5e-4, 1e-3, 2e-3), "dropout": (0.0, 0.1)}
RECIPES = {"scl": "snli", "simcse": "nli"}  # recipe → data of a plan
FILE = ROOT / "data" / "results" / "choices.json"
CHOSEN_ON = "pairs of STS-B and SICK-R that are in none of the seven test sets, Spearman ×100, the mean of the two"
CUSTOM = "STS-B validation, 1,131 of whose 1,500 pairs also stand in STS12–16, Spearman ×100"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default=DEFAULT, help="a name, or a folder")
    options.add_argument("--only", nargs="+", choices=RECIPES, default=list(RECIPES), help="recipes to try")
    for name, values in GRID.items():
        options.add_argument(f"--{name}", type=float, nargs="+", default=values, help="to try (default: %(default)s)")
    options.add_argument("--beside", nargs="*", default=[], metavar="RECIPE:NAME=VALUE", help="each alone, at the best")
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--out", type=Path, help="default: data/results/choices.json, or choices-<encoder>.json")
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    settings = [dict(zip(GRID, values)) for values in itertools.product(args.lr, args.dropout)]
    found = chosen(tried(args.encoder, [(name, one) for name in args.only for one in settings], args.workers))
    around = [beside(pair, found["best"]) for pair in args.beside]
    found |= {"beside": tried(args.encoder, around, args.workers)} if around else {}
    about = {"encoder": args.encoder, "weights": weights_of(args.encoder)[:12], "rows": ROWS, "seed": 0}
    write_atomically(args.out or file_of(args.encoder), json.dumps(about | found | provenance(), indent=1) + "\n")
    for name, row in found["best"].items():
        print(f"{name}: {row}; STS-B validation alone would have chosen {found['custom_best'][name]}")


def beside(pair: str, best: dict[str, dict]) -> tuple[str, dict]:
    """A recipe with its best setting and one change, from "recipe:name=value"."""
    name, _, change = pair.partition(":")
    check_name("recipe", name, best)
    return name, {key: best[name][key] for key in GRID} | changes([change])


def tried(encoder: str, settings: list[tuple[str, dict]], workers: int) -> list[dict]:
    """Recipes with their changes ("rows": of the plan), trained and measured on the pairs to choose by."""
    jobs = [plan(name, data=RECIPES[name], start=encoder, **{"rows": ROWS} | one) for name, one in settings]
    records = measure_runs(jobs, ("validation",), workers)
    return [described(name, records[job], **one) for (name, one), job in zip(settings, jobs)]


def file_of(encoder: str) -> Path:
    """Where the choices for an encoder stand."""
    return FILE if encoder == DEFAULT else FILE.with_stem(f"choices-{Path(encoder).name}")


def described(name: str, record: dict, **setting) -> dict:
    """One setting that was tried, and the scores it reached."""
    return {
        "recipe": name,
        **setting,
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
