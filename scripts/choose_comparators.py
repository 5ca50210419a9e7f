"""Choose the comparators' settings on pairs that are in no test set: data/results/comparators_choices.json

    KIT_DATA=<mirror folder> python scripts/choose_comparators.py [--only ct tsdae] [--workers 1]

One short run of each recipe for each rate, one seed, on the same sentences. What wins stands in
kit/comparators/recipe_list.py and is then fixed. The pairs, and the custom beside them, are those of
choose_settings. With --only the file keeps what it has of other recipes, if the weights are the same. The Augment
baselines are not chosen for: they take the settings of 'scl', so that their pairs alone differ.
"""

from __future__ import annotations

import argparse
import json
import os

from choose_settings import chosen, described
from matrix import UNTRAINED, measure_runs, plan, weights_of
from measuring import ROOT, kept_of, provenance, run_script

from kit.errors import KitError
from kit.storage.atomic import write_atomically

ROWS = 8_000  # pairs


def rates(*values: float, **also) -> list[dict]:
    """Changes of a recipe: each learning rate, with what else is tried beside it."""
    return [{"lr": lr, **also} for lr in values]


TRIED = {
    "consert": rates(1e-4, 2e-4, 5e-4, 1e-3),
    "mirror": rates(1e-4, 2e-4, 5e-4, 1e-3),
    "ct": rates(3e-5, 1e-4, 3e-4, 1e-3),
    "tsdae": [*rates(2e-4, 5e-4, 1e-3, 2e-3), *rates(1e-3, dropout=0.1), *rates(1e-3, batch_size=64)],
    "isbert": [
        *rates(3e-5, 3e-4, local_layer="last"),
        *rates(1e-4, 3e-4, 1e-3, 2e-3, 4e-3, local_layer="embeddings"),
        *rates(1e-3, local_layer="embeddings", dropout=0.1),
    ],
}
FILE = ROOT / "data" / "results" / "comparators_choices.json"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="+", choices=TRIED, default=list(TRIED), help="recipes to try again")
    options.add_argument("--workers", type=int, default=1)
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    jobs = [(name, changes, plan(name, rows=ROWS, **changes)) for name in args.only for changes in TRIED[name]]
    start = plan(UNTRAINED, rows=ROWS)
    records = measure_runs([start, *(p for _, _, p in jobs)], what=("validation",), workers=args.workers)
    about = {"encoder": start.start, "weights": weights_of(start.start)[:12], "rows": ROWS, "seed": start.seed}
    tried = [row for row in kept_of(FILE, about).get("tried", []) if row["recipe"] not in args.only]
    for name, changes, p in jobs:
        kept = {setting: records[p]["settings"][setting] for setting in ("dropout", "batch_size")}
        tried.append(described(name, [records[p]], **changes | kept))
    result = {**about, "untrained": round(records[start]["choosing"], 2), **chosen(tried), **provenance()}
    write_atomically(FILE, json.dumps(result, indent=1) + "\n")
    for name, row in result["best"].items():
        print(f"{name}: lr {row['lr']:g} reaches {row['choosing']} (untrained {result['untrained']})")


if __name__ == "__main__":
    run_script(main)
