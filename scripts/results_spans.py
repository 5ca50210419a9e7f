"""What each part of DeCLUTR adds, measured on real long documents: data/results/spans.json

    KIT_DATA=<mirror folder> python scripts/results_spans.py [--workers 1]

The bundled encoder, three seeds a setting, the same documents and the same number of steps for all:
contrast, MLM or both; A and P; the strategies; the shared pass; MLM's head; where anchors start; ℓmax. With
another A the batch has another number of documents, so that it holds about as many anchors
(Giorgi et al. 2021, section 5.2). Measured on the seven STS tasks, on whose test sets nothing was
chosen. Lesson 07 reads the file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from matrix import measure_runs, plan
from measuring import ROOT, mean_interval, provenance, run_script, to_write

from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "spans.json"
ENCODER, SEEDS, ROWS, STEPS = "kit-bert-tiny", (0, 1, 2), 800, 150
GEOMETRY = ("mean_cosine", "share_above", "effective_rank", "uniformity")
USUAL = {"batch_size": 16, "epochs": 3}  # 50 batches an epoch
ONE_ANCHOR = {"anchors_per_document": 1, "batch_size": 32, "epochs": 6}
THREE_ANCHORS = {"anchors_per_document": 3, "batch_size": 11, "epochs": STEPS / 73}

# name → (what varies, {label: changes of the recipe}); each holds the recipe as it is, too.
SWEEPS = {
    "parts": (
        "objective",
        {
            "contrast and MLM": {},
            "contrast alone": {"mlm_weight": 0.0},
            "MLM alone": {"contrast_weight": 0.0},
            "MLM alone, fresh head": {"contrast_weight": 0.0, "word_head": "fresh"},
        },
    ),
    "anchors": ("A, anchors in a document", {"1": ONE_ANCHOR, "2": {}, "3": THREE_ANCHORS}),
    "positives": (
        "P, positives for an anchor",
        {"1": {"positives_per_anchor": 1}, "2": {}, "4": {"positives_per_anchor": 4}},
    ),
    "strategy": (
        "positives",
        {"any": {}, "adjacent": {"strategy": "adjacent"}, "subsuming": {"strategy": "subsuming"}},
    ),
    "passes": ("MLM", {"in the shared pass": {}, "in a pass of its own": {"shared_pass": False}}),
    "head": ("word-guessing head", {"pretrained": {}, "fresh": {"word_head": "fresh"}}),
    "starts": ("anchors start", {"as in the paper": {}, "as in the code": {"anchor_starts": "code"}}),
    "lengths": ("ℓmax", {"32": {"max_span": 32, "min_span": 2}, "64": {}, "126": {"max_span": 126, "min_span": 8}}),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--rows", type=int, default=ROWS, help="documents; others: a trial")
    options.add_argument("--out", type=Path, help="default: data/results/spans.json; a trial has to name another")
    args = options.parse_args()
    args.out = to_write(args.out, OUT, rows=args.rows != ROWS)
    plans = {
        (json.dumps(changes), seed): plan("declutr", seed, "documents", args.rows, ENCODER, **(USUAL | changes))
        for _, labels in SWEEPS.values()
        for changes in labels.values()
        for seed in SEEDS
    }
    untrained = plan("none", data="documents", rows=args.rows, start=ENCODER, pooling="mean")
    found = measure_runs([untrained, *plans.values()], ("sts", "geometry"), args.workers)
    runs = {key: found[p] for key, p in plans.items()}
    sweeps = {
        name: {
            "recipe": "declutr",
            "varies": varies,
            "points": {
                label: point([runs[json.dumps(changes), seed] for seed in SEEDS]) for label, changes in labels.items()
            },
        }
        for name, (varies, labels) in SWEEPS.items()
    }
    usual = runs["{}", SEEDS[0]]
    result = {
        "encoder": ENCODER,
        "data": usual["data"],
        "rows": args.rows,
        "seeds": SEEDS,
        "steps": usual["steps"],
        "before": point([found[untrained]]),
        "sweeps": sweeps,
        "seconds_a_run": mean_interval([run["seconds"] for run in runs.values()]),
        "ran_on": usual["hardware"],
        **provenance(),
    }
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {args.out}: {len(runs)} runs of DeCLUTR and the untrained encoder")


def point(runs: list[dict]) -> dict:
    """Averages over the seven tasks and the geometry, each with its interval over seeds."""
    trained = (
        {
            "settings": runs[0]["settings"],
            "steps": runs[0]["steps"],
            "last_loss": mean_interval([run["last_loss"] for run in runs]),
        }
        if "steps" in runs[0]
        else {}
    )
    return {
        **trained,
        "average": {
            kind: mean_interval([run["sts"]["average"][kind] for run in runs]) for kind in ("all", "mean", "wmean")
        },
        "tasks": {
            task: mean_interval([run["sts"]["tasks"][task]["mean"] for run in runs]) for task in runs[0]["sts"]["tasks"]
        },
        "geometry": {kind: mean_interval([run["geometry"][kind] for run in runs]) for kind in GEOMETRY},
    }


if __name__ == "__main__":
    run_script(main)
