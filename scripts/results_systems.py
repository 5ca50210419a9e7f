"""Every recipe on the same real text, and what papers' code costs: data/results/systems.json

    KIT_DATA=<mirror folder> python scripts/results_systems.py [--workers 2] [--only scl supmpn]

Each recipe trains the bundled encoder with three seeds under the laptop preset: on about 15,000
pairs of SNLI and MNLI, or on long documents. Measured are the seven STS tasks, in the convention of the
recipe's paper and in the two others, and the geometry before and after. Pairs set what a paper
says beside what its released code does. Settings were chosen on pairs that are in no test set (choose_settings,
choose_comparators). Runs that are done are kept under runs/matrix and not repeated; `--only` measures some recipes
and their pairs anew, the rest of the file stays.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import results_multiples
import results_sweeps
from choose_settings import CHOSEN_ON
from matrix import UNTRAINED, Plan, measure_runs, plan
from measuring import ROOT, mean_interval, provenance, run_script
from results_foundation import summarise

from kit.storage.atomic import write_atomically
from kit.training import RECIPES, recipe

SEEDS, FILE = (0, 1, 2), ROOT / "data" / "results" / "systems.json"
# The convention in which a paper reports its STS averages; "all" is the most used elsewhere.
CONVENTION = {"Liao": "wmean", "Giorgi": "mean"}
DOCUMENTS = {"data": "documents", "rows": 800, "epochs": 3}  # about as long a run as on the pairs


@dataclass(frozen=True)
class Pair:
    """What a paper says beside what its code does. runs: changes of the recipe and seed → the record."""

    recipe: str
    paper_says: str
    code_does: str
    runs: Callable[[dict, int], dict]
    change: dict
    base: dict = field(default_factory=dict)


def here(name: str) -> Callable[[dict, int], dict]:
    """Runs of this script's own plans."""
    return lambda changes, seed: only(planned(name, seed, **changes))


def of_sweeps(changes: dict, seed: int) -> dict:
    """Runs that results_sweeps has made, or makes: SCL on 45,000 rows of SNLI."""
    return only(plan("scl", seed, "snli", results_sweeps.ROWS, **changes))


def of_multiples(changes: dict, seed: int) -> dict:
    """Runs that results_multiples has made, or makes: SupMPN on half of 15,000 rows' anchors."""
    return only(results_multiples.planned("supmpn", seed, 15_000, changes))


def only(p: Plan) -> dict:
    return measure_runs([p], ("sts",))[p]


PAIRS = {
    "padding division": Pair(
        "scl",
        "divide by the number of words",
        "divide by the padded length",
        here("scl"),
        {"pooling": "mean_over_padded"},
    ),
    "unmasked pooling": Pair(
        "scl", "padding left out of the mean", "padding averaged in", here("scl"), {"pooling": "mean_with_padding"}
    ),
    "shuffled rows": Pair(
        "scl", "a premise's hypotheses together", "rows shuffled", of_sweeps, {"group_batches": False}
    ),
    "anchor per row": Pair("scl", "an anchor per premise", "an anchor per row", of_sweeps, {"anchors": "row"}),
    "constant rate": Pair("scl", "linear decay", "constant after warm-up", of_sweeps, {"schedule": "constant"}),
    "ghost logit": Pair(
        "supmpn",
        "siblings left out",
        "siblings as logit 0",
        of_multiples,
        {"other_positives": "zero_logit"},
        results_multiples.HALF,
    ),
    "annealing reset": Pair(
        "pause",
        "annealed over the run",
        "annealed anew each epoch",
        here("pause"),
        {"per_epoch_reset": True},
        {"label_fraction": 0.1},
    ),
    "anchor starts": Pair(
        "declutr", "anchors anywhere", "anchors in cells", here("declutr"), {"anchor_starts": "code"}
    ),
    **{
        f"batches by length, {name}": Pair(
            name, "batches at random", "like lengths together (nobody's code)", here(name), {"batch_order": "by_length"}
        )
        for name in ("scl", "simcse", "simcse_unsup")
    },
    "shared pass": Pair(
        "declutr",
        "does not say (for comparison: words hidden in a second pass)",
        "words hidden in the anchors",
        here("declutr"),
        {"shared_pass": True},
        {"shared_pass": False},
    ),
    "word head": Pair(
        "declutr",
        "does not say (for comparison: drawn afresh)",
        "the encoder's own, pretrained",
        here("declutr"),
        {"word_head": "pretrained"},
        {"word_head": "fresh"},
    ),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--only", nargs="+", choices=RECIPES, help="these anew; the rest of the file stays")
    args = options.parse_args()
    chosen = {name: [planned(name, seed) for seed in SEEDS] for name in args.only or RECIPES}
    before = {pooling: plan(UNTRAINED, pooling=pooling) for pooling in sorted({r.pooling for r in RECIPES.values()})}
    wanted = [p for plans in chosen.values() for p in plans]
    found = measure_runs([*before.values(), *wanted], ("sts",), args.workers)
    recipes = {name: described(name, [found[p] for p in plans]) for name, plans in chosen.items()}
    pairs = {name: compared(pair) for name, pair in PAIRS.items() if pair.recipe in chosen}
    if args.only:
        result = merged(json.loads(FILE.read_text("utf-8")), recipes, pairs)
    else:
        result = {
            "encoder": "kit-bert-tiny",
            "seeds": SEEDS,
            "preset": "laptop",
            "chosen_on": CHOSEN_ON,
            "before": {pooling: summarise([found[p]]) for pooling, p in before.items()},
            "recipes": recipes,
            "pairs": pairs,
            "seconds_are": "wall clock of a run; other jobs may have run beside it",
            "ran_on": found[wanted[0]]["hardware"],
            **provenance(),
        }
    write_atomically(FILE, json.dumps(result, indent=1) + "\n")
    print(f"wrote data/results/systems.json: {len(set(wanted))} runs")


def merged(kept: dict, recipes: dict, pairs: dict) -> dict:
    """What the file holds, with some recipes and pairs anew; each of these says when it was made."""
    made = {"measured": provenance()}
    for part, anew in (("recipes", recipes), ("pairs", pairs)):
        kept[part] |= {name: one | made for name, one in anew.items()}
    return kept | {"chosen_on": CHOSEN_ON}


def planned(name: str, seed: int, **changes) -> Plan:
    """The plan of a recipe with its kind of data."""
    kind = DOCUMENTS if RECIPES[name].data_format == "documents" else {}
    return plan(name, seed=seed, **(kind | changes))


def described(name: str, runs: list[dict]) -> dict:
    """A recipe's entry: what it is, what it cost, what came of it."""
    made, first = recipe(name, "laptop"), runs[0]
    return {
        "title": made.title,
        "source": made.source,
        "deviations": made.deviations,
        "settings": made.as_dict(),
        "convention": convention(made.source),
        "data": first["data"],
        "steps": first["steps"],
        "sentences": first["sentences"],
        **summarise(runs),
    }


def convention(source: str) -> str:
    """ "all", "mean" or "wmean": how the paper averages the subsets of an STS task."""
    return next((kind for author, kind in CONVENTION.items() if author in source), "all")


def compared(pair: Pair) -> dict:
    """Paper and code beside each other: both averages, and code − paper, seed by seed."""
    paper, code = ([pair.runs(changes, seed) for seed in SEEDS] for changes in (pair.base, pair.base | pair.change))
    kind = convention(recipe(pair.recipe).source)
    difference = [b["sts"]["average"][kind] - a["sts"]["average"][kind] for a, b in zip(paper, code)]
    return {
        "recipe": pair.recipe,
        "paper_says": pair.paper_says,
        "code_does": pair.code_does,
        "change": pair.change,
        "convention": kind,
        "data": paper[0]["data"],
        "paper": summarise(paper),
        "code": summarise(code),
        "difference": mean_interval(difference),
    }


if __name__ == "__main__":
    run_script(main)
