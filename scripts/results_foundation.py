"""SBERT (λ = 0) against SCL (λ = 0.3) on real NLI, three seeds each: data/results/foundation.json

    KIT_DATA=<mirror folder> python scripts/results_foundation.py [--workers 2]

Trains the bundled encoder on SNLI train as the mirror has it, by both recipes, and measures
the seven STS tasks in three aggregations and the geometry, before and after. Runs that are
done are kept under runs/matrix and not repeated. `make results-foundation` writes docs/results.md anew.
"""

from __future__ import annotations

import argparse
import json

from matrix import measure_runs, plan
from measuring import ROOT, file_of, mean_interval, measure, provenance, real, run_script

from kit.storage.atomic import write_atomically

DATA, SEEDS = ("stanfordnlp/snli", "train"), (0, 1, 2)
RECIPES = ("sbert", "scl")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny", help="another has its own file")
    options.add_argument("--workers", type=int, default=2, help="runs side by side, one thread each")
    args = options.parse_args()
    from kit.data import load
    from kit.encoder import load_encoder

    real(load(*DATA, rows=10))
    plans = [plan(name, seed, "snli", None, args.encoder) for name in RECIPES for seed in SEEDS]
    found = measure_runs(plans, ("sts",), args.workers)
    runs = [{key: value for key, value in found[one].items() if key != "losses"} for one in plans]
    before = measure(load_encoder(args.encoder, pooling="mean_without_cls"))
    summary = {name: summarise([run for run in runs if run["recipe"] == name]) for name in RECIPES}
    differences = [
        b["sts"]["average"]["wmean"] - a["sts"]["average"]["wmean"]
        for a, b in zip(
            *[sorted((r for r in runs if r["recipe"] == name), key=lambda r: r["seed"]) for name in RECIPES]
        )
    ]
    result = {
        "encoder": args.encoder,
        "data": runs[0]["data"][0],
        "before": before,
        "summary": summary,
        "scl_minus_sbert_wmean": mean_interval(differences),
        "runs": runs,
        **provenance(),
    }
    out = file_of(ROOT / "data" / "results" / "foundation.json", args.encoder)
    write_atomically(out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {out}: {len(runs)} runs")


def summarise(runs: list[dict]) -> dict:
    """Mean and interval over seeds of every task's three aggregations, and of the geometry."""

    def over(pick) -> dict:
        return mean_interval([pick(run) for run in runs])

    names, kinds = runs[0]["sts"]["tasks"], ("all", "mean", "wmean")
    return {
        "tasks": {t: {k: over(lambda r, t=t, k=k: r["sts"]["tasks"][t][k]) for k in kinds} for t in names},
        "average": {k: over(lambda r, k=k: r["sts"]["average"][k]) for k in kinds},
        "geometry": {
            k: over(lambda r, k=k: r["geometry"][k])
            for k in ("mean_cosine", "share_above", "effective_rank", "uniformity")
        },
        **({"seconds": over(lambda r: r["seconds"])} if "seconds" in runs[0] else {}),
    }  # untrained: none


if __name__ == "__main__":
    run_script(main)
