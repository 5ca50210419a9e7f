"""What τ, λ and the batch's make-up cost, measured on real NLI: data/results/sweeps.json

    KIT_DATA=<mirror folder> python scripts/results_sweeps.py [--workers 2]

Each setting trains the bundled encoder with three seeds on the same part of SNLI train and is
measured on the seven STS tasks. Runs that are done are kept under runs/matrix and not
repeated. Lessons 04 and 06 read the file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from matrix import measure_runs, plan
from measuring import ROOT, kept_of, mean_interval, provenance, real, run_script
from results_foundation import summarise

from kit.storage.atomic import write_atomically

DATA, ROWS, SEEDS = ("stanfordnlp/snli", "train"), 45_000, (0, 1, 2)
ENCODER = "kit-bert-tiny"

# name → (recipe, what varies, {label: changes}); every sweep holds the recipe's own setting too.
SWEEPS = {
    "lambda": ("scl", "λ", {f"{lam:g}": {"lam": lam} for lam in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)}),
    "batches": (
        "scl",
        "batches and anchors",
        {
            "as the paper": {},
            "rows shuffled": {"group_batches": False},
            "an anchor per row": {"anchors": "row"},
            "constant rate": {"schedule": "constant"},
        },
    ),
    "tau_dot": ("scl", "τ (dot product)", {f"{tau:g}": {"temperature": tau} for tau in (0.1, 0.3, 1.0, 3.0, 10.0)}),
    "tau_cosine": (
        "simcse",
        "τ (cosine)",
        {f"{tau:g}": {"temperature": tau} for tau in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)},
    ),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=2, help="runs side by side, one thread each")
    args = options.parse_args()
    from kit.data import load

    real(load(*DATA, rows=10))
    jobs = {
        (sweep, label, seed): plan(recipe, seed, "snli", ROWS, ENCODER, **changes)
        for sweep, (recipe, _, settings) in SWEEPS.items()
        for label, changes in settings.items()
        for seed in SEEDS
    }
    found = measure_runs(jobs.values(), ("sts",), args.workers)
    runs = {place: found[one] for place, one in jobs.items()}
    first = next(iter(runs.values()))
    sweeps = {
        sweep: {
            "recipe": recipe,
            "varies": varies,
            "points": {
                label: {
                    "settings": runs[sweep, label, 0]["settings"],
                    "steps": runs[sweep, label, 0]["steps"],
                    **point([runs[sweep, label, seed] for seed in SEEDS]),
                }
                for label in settings
            },
        }
        for sweep, (recipe, varies, settings) in SWEEPS.items()
    }
    result = {
        "encoder": ENCODER,
        "data": first["data"][0],
        "rows": ROWS,
        "seeds": SEEDS,
        "sweeps": sweeps,
        "seconds_a_run": mean_interval([run["seconds"] for run in runs.values()]),
        "ran_on": first["hardware"],
        **provenance(),
    }
    write_atomically(ROOT / "data" / "results" / "sweeps.json", json.dumps(result, indent=1) + "\n")
    print(f"wrote data/results/sweeps.json: {len(runs)} runs")


def point(runs: list[dict]) -> dict:
    """Averages over the seven tasks and the geometry, each with its interval over seeds."""
    whole = summarise(runs)
    return {"average": whole["average"], "geometry": whole["geometry"]}


def sweeps_anew(file: Path, about: dict, sweeps: dict) -> dict:
    """What `file` holds about the same, with `sweeps` in place of its own; each says when it was measured."""
    kept = kept_of(file, about) or about | provenance()
    return kept | {
        "sweeps": kept.get("sweeps", {}) | {name: sweep | {"measured": provenance()} for name, sweep in sweeps.items()}
    }


if __name__ == "__main__":
    run_script(main)
