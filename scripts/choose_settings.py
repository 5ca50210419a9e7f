"""Choose learning rate and dropout on pairs that are in no test set: data/results/choices.json

    KIT_DATA=<mirror folder> python scripts/choose_settings.py [--only scl] [--workers 1]
    KIT_DATA=<mirror folder> python scripts/choose_settings.py --encoder kit-bert-mini --rates-only
    KIT_DATA=<mirror folder> python scripts/choose_settings.py --encoder kit-bert-mini --beside simcse:temperature=0.1

Short runs of each recipe over a small grid. What is chosen stands in kit/training/recipes/ and is then fixed for every
other result: the lowest rate that is no more than one standard error behind the best, seed beside seed (the rule of
Breiman et al. 1984, so that chance alone moves no setting). The pairs are those of `kit.workshop.choosing_pairs`. The
custom, STS-B validation, stands beside each figure, with what it would have chosen: 1,131 of its 1,500 pairs also stand
in STS12-16 (results_conventions counts them). Where a recipe was tried on all NLI too (--whole), as its row of the
model card is trained, those runs choose. SBERT and SCL have one setting, that of their mean; the rate of PAUSE for the
default encoder is chosen by results_labels, on the same pairs. Runs are kept under runs/matrix: an interrupted call
goes on where it stopped. With --only the file keeps what it has of other recipes and settings, if the weights are the
same.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import results_spans
from matrix import Plan, measure_runs, plan, weights_of
from measuring import ROOT, file_of, kept_of, mean_interval, provenance, run_script, to_write

from kit.commands.train_command import changes
from kit.encoder.find import DEFAULT
from kit.errors import KitError, check_name
from kit.storage.atomic import write_atomically
from kit.training import recipe

ROWS = 30_000  # pairs
SEEDS = (0, 1, 2)
GRID = ("lr", "dropout")
WHOLE = "core"  # data of a plan: all NLI of the mirror that people have labelled


@dataclass(frozen=True)
class Tried:
    """A recipe's grid, on what data of a plan, and what else its runs have."""

    data: str = "nli"
    rows: int = ROWS
    lr: tuple[float, ...] = (1e-3, 2e-3, 4e-3)
    dropout: tuple[float, ...] = (0.0, 0.1)
    changes: dict[str, Any] = field(default_factory=dict)


# Without dropout a copy of a sentence would equal its anchor.
RECIPES = {
    "sbert": Tried("snli", lr=(5e-4, 1e-3, 2e-3, 4e-3)),
    "scl": Tried("snli", lr=(5e-4, 1e-3, 2e-3, 4e-3, 8e-3)),
    "simcse": Tried(lr=(5e-4, 1e-3, 2e-3, 4e-3, 8e-3)),
    "simcse_unsup": Tried(lr=(2e-4, 5e-4, 1e-3, 2e-3), dropout=(0.1,)),
    "supmpn": Tried(dropout=(0.1,)),
    "supcon": Tried(lr=(5e-4, 1e-3, 2e-3, 4e-3, 8e-3)),
    "declutr": Tried("documents", results_spans.ROWS, (1e-3, 2e-3, 4e-3, 8e-3), changes=results_spans.USUAL),
    "pause": Tried(lr=(1.25e-4, 2.5e-4, 5e-4, 1e-3), changes={"label_fraction": 0.1}),
}
ELSEWHERE = ("pause",)  # of the default encoder: by results_labels, with all labels and with a tenth
# These have one setting, so that λ alone differs: chosen by the mean of both, or the claim would be tuned for one arm.
TOGETHER = ("sbert", "scl")
FILE = ROOT / "data" / "results" / "choices.json"
CHOSEN_ON = "pairs of STS-B and SICK-R that are in none of the seven test sets, Spearman ×100, the mean of the two"
CUSTOM = "STS-B validation, 1,131 of whose 1,500 pairs also stand in STS12–16, Spearman ×100"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default=DEFAULT, help="a name, or a folder")
    options.add_argument("--only", nargs="+", choices=RECIPES, help="recipes to try; those of the others stay")
    for name in GRID:
        options.add_argument(f"--{name}", type=float, nargs="+", help="to try (default: the recipe's)")
    options.add_argument("--whole", action="store_true", help="on all NLI: what these runs say chooses")
    options.add_argument("--rates-only", action="store_true", help="dropout as the laptop preset has it")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="of each run; others only with --out")
    options.add_argument("--beside", nargs="*", default=[], metavar="RECIPE:NAME=VALUE,…", help="each, at the best")
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--out", type=Path, help="default: data/results/choices.json, or choices-<encoder>.json")
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI and STS: set it and run again.")
    names = args.only or [name for name in RECIPES if args.encoder != DEFAULT or name not in ELSEWHERE]
    if args.whole and (other := [name for name in names if RECIPES[name].data != "nli"]):
        raise KitError(f"expected --whole with recipes that train on NLI, got {', '.join(other)}: leave them out.")
    usual = {name: [recipe(name, "laptop").dropout] for name in names} if args.rates_only else {}
    data = {"data": WHOLE} if args.whole else {}
    grid = [(name, one | data) for name in names for one in settings(name, args.lr, args.dropout or usual.get(name))]
    about = {"encoder": args.encoder, "weights": weights_of(args.encoder)[:12], "rows": ROWS, "seeds": args.seeds}
    file = to_write(args.out, file_of(FILE, args.encoder), seeds=sorted(args.seeds) != sorted(SEEDS))
    kept = others(file, about, grid) if args.only else {}
    found = chosen(tried(args.encoder, grid, args.seeds, args.workers) + kept.get("tried", []))
    found["on_tests"] = on_tests(args.encoder, found, args.seeds, args.workers, kept)
    around = [beside(pair, found["best"]) for pair in args.beside]
    rows = tried(args.encoder, around, args.seeds, args.workers) + kept.get("beside", [])
    found |= {"beside": rows} if rows else {}
    write_atomically(file, json.dumps(about | found | provenance(), indent=1) + "\n")
    for name, row in found["best"].items():
        print(f"{name}: {row}; STS-B validation alone would have chosen {found['custom_best'][name]}")


def others(file: Path, about: dict, grid: list[tuple[str, dict]]) -> dict[str, Any]:
    """What the file has beyond `grid`, if it is about the same weights and seeds; {} otherwise.

    "tried": other settings; "beside": of recipes that are not in the grid; and what was chosen of all, with "on_tests".
    """
    kept = kept_of(file, about)
    names, anew = {name for name, _ in grid}, {(name, *_setting(one), one.get("data")) for name, one in grid}
    return kept and kept | {
        "tried": [row for row in kept["tried"] if (row["recipe"], *_setting(row), row.get("data")) not in anew],
        "beside": [row for row in kept.get("beside", []) if row["recipe"] not in names],
    }


def settings(name: str, rates: list[float] | None, dropouts: list[float] | None) -> list[dict]:
    """The settings of a recipe's grid, or of the one that is asked for."""
    asked = (rates or RECIPES[name].lr, dropouts or RECIPES[name].dropout)
    return [dict(zip(GRID, values)) for values in itertools.product(*asked)]


def beside(pair: str, best: dict[str, dict]) -> tuple[str, dict]:
    """A recipe with its best setting and what is changed in it, from "recipe:name=value" or "recipe:a=1.0,b=2"."""
    name, _, changed = pair.partition(":")
    check_name("recipe", name, best)
    return name, _plan_of(best[name]) | changes(changed.split(","))


def tried(encoder: str, grid: list[tuple[str, dict]], seeds: list[int], workers: int) -> list[dict]:
    """Recipes with their changes ("rows": of the plan), trained and measured on the pairs to choose by."""
    jobs = [[planned(encoder, name, one, seed) for seed in seeds] for name, one in grid]
    records = measure_runs(itertools.chain(*jobs), ("validation",), workers)
    return [described(name, [records[job] for job in runs], **one) for (name, one), runs in zip(grid, jobs)]


def on_tests(encoder: str, found: dict, seeds: list[int], workers: int, kept: dict) -> dict[str, dict]:
    """The seven STS tasks (all) of each recipe's setting and of the custom's: looked at afterwards, to choose none.

    kept: of `others`; what it has of the same rows is not measured again.
    """
    both = ("best", "custom_best")
    same = [name for name in found["best"] if kept and all(found[of][name] == kept[of].get(name) for of in both)]
    runs = {
        (name, which, seed): planned(encoder, name, _plan_of(found[which][name]), seed)
        for name in found["best"]
        if name not in same
        for which in both
        for seed in seeds
    }
    records = measure_runs(runs.values(), ("sts",), workers)
    scores = {place: records[run]["sts"]["average"]["all"] for place, run in runs.items()}
    return {name: kept["on_tests"][name] for name in same} | {
        name: {
            "best": mean_interval([scores[name, "best", seed] for seed in seeds]),
            "custom_best": mean_interval([scores[name, "custom_best", seed] for seed in seeds]),
            "custom_less_best": mean_interval(
                [scores[name, "custom_best", seed] - scores[name, "best", seed] for seed in seeds]
            ),
        }
        for name in dict.fromkeys(name for name, *_ in runs)
    }


def planned(encoder: str, name: str, setting: dict, seed: int) -> Plan:
    """The plan of one run; all rows of data that the setting names."""
    usual = RECIPES[name]
    data = {"rows": None} if "data" in setting else {"data": usual.data, "rows": usual.rows}
    return plan(name, seed, start=encoder, **{**data, **usual.changes, **setting})


def described(name: str, records: list[dict], **setting) -> dict:
    """One setting that was tried, and the scores it reached: the mean over its records, one a seed."""

    def mean(read) -> float:
        return round(statistics.fmean(read(record) for record in records), 2)

    return {
        "recipe": name,
        **setting,
        "choosing": mean(lambda record: record["choosing"]),
        "by_source": {
            source: mean(lambda record, source=source: record["by_source"][source])
            for source in records[0]["by_source"]
        },
        "by_seed": [round(record["choosing"], 2) for record in records],
        "stsb_validation": mean(lambda record: record["validation"]),
        "steps": records[0]["steps"],
        "seconds": mean(lambda record: record["seconds"]),
    }


def chosen(tried: list[dict]) -> dict:
    """What was tried, with the choice for each recipe: by the pairs in no test, and by the custom."""
    names = dict.fromkeys(row["recipe"] for row in tried)
    rows = {name: _most([row for row in tried if row["recipe"] == name]) for name in names}
    return {
        "chosen_on": CHOSEN_ON,
        "custom": CUSTOM,
        "best": {name: cautious(rows[name]) for name in names} | (shared(rows) if rows.keys() >= {*TOGETHER} else {}),
        "custom_best": {name: max(rows[name], key=lambda row: row["stsb_validation"]) for name in names},
        "tried": tried,
    }


def shared(rows: dict[str, list[dict]]) -> dict[str, dict]:
    """The rows of the one setting that TOGETHER has: the choice by the mean over these recipes, seed by seed."""
    found = [{_setting(row): row for row in rows[name]} for name in TOGETHER]
    means = []
    for setting in found[0]:
        if all(setting in known for known in found):
            by_seed = [statistics.fmean(runs) for runs in zip(*(known[setting]["by_seed"] for known in found))]
            means.append(dict(zip(GRID, setting)) | {"by_seed": by_seed, "choosing": statistics.fmean(by_seed)})
    setting = _setting(cautious(means))
    return {name: known[setting] for name, known in zip(TOGETHER, found)}


def _most(rows: list[dict]) -> list[dict]:
    """Of one recipe's rows those on all data, where there are such: a rate that is best for few steps may not be."""
    return [row for row in rows if "data" in row] or rows


def _plan_of(row: dict) -> dict:
    """What a row was planned with."""
    return {key: row[key] for key in (*GRID, "data") if key in row}


def _setting(row: dict) -> tuple[float, ...]:
    return tuple(row[name] for name in GRID)


def cautious(rows: list[dict]) -> dict:
    """The lowest rate within one standard error of the best mean; of several the better; of one seed the best."""
    best = max(rows, key=lambda row: row["choosing"])
    near = [row for row in rows if row is best or behind(row, best) <= 1]
    return min(near, key=lambda row: (row["lr"], -row["choosing"]))


def behind(row: dict, best: dict) -> float:
    """How far a row is behind the best one, in standard errors of the mean difference between runs of one seed."""
    gaps = [theirs - ours for ours, theirs in zip(row["by_seed"], best["by_seed"])]
    if len(gaps) < 2:
        return math.inf
    return statistics.fmean(gaps) / max(statistics.stdev(gaps) / len(gaps) ** 0.5, 1e-9)


if __name__ == "__main__":
    run_script(main)
