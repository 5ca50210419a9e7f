"""What few labels cost and what the PU risk gives back, on real NLI: data/results/labels.json

    KIT_DATA=<mirror folder> python scripts/results_labels.py [--workers 1] [--only annealing]
    KIT_DATA=<mirror folder> python scripts/results_labels.py --rows 300 --seeds 0 --out trial.json

PAUSE trains the bundled encoder with 100 to 1 % of the labels, and beside it cross-entropy alone on
the same labels; at 10 % the options in which paper and released code part. Measured on the seven STS
tasks. The binary use case (similar / not similar) on MRPC. The learning rate is chosen on pairs that are in none
of them (choose_settings says which). Runs that are done are kept under runs/matrix and runs/results. Lesson 08 reads
the file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
from pathlib import Path

from choose_settings import CHOSEN_ON, CUSTOM
from matrix import deciding, measure_runs, plan, weights_of
from measuring import ROOT, RUNS, in_mirror, mean_interval, provenance, run_script, to_write
from results_sweeps import point, sweeps_anew
from training_code import measuring_code

from kit.storage.atomic import write_atomically
from kit.storage.result_cache import content_hash

OUT = ROOT / "data" / "results" / "labels.json"
ROWS, SEEDS = 15_000, [0, 1, 2]
ENCODER, FRACTIONS = "kit-bert-tiny", (1.0, 0.5, 0.1, 0.05, 0.01)
RATES, CHOOSING_SEEDS = (1.25e-4, 2.5e-4, 5e-4, 1e-3, 2e-3), (0, 1, 2)
TEN, ONE = {"label_fraction": 0.1}, {"label_fraction": 0.01}
ENTAILED = 0.37  # share of these 15,000 pairs
ALONE = {"pu_weight": 0.0}  # cross-entropy on the labelled rows, nothing from the others


def percent(fraction: float) -> str:
    return f"{100 * fraction:g}"


def positives_only(fraction: float) -> dict:
    """C = 1: of the entailed pairs a fraction is labelled, so that fewer are left among those without a label."""
    prior = ENTAILED * (1 - fraction) / (1 - ENTAILED * fraction)
    return {"classes": 1, "label_fraction": fraction, "class_priors": (round(prior, 2),)}


# name → (what varies, {label: changes of the recipe}). With all labels no pair is unlabelled, so both curves
# share that point; a label may stand in two sweeps, its run is done once.
SWEEPS = {
    "pu": ("labels kept, %", {percent(f): {"label_fraction": f} for f in FRACTIONS}),
    "ce": ("labels kept, %", {percent(f): {"label_fraction": f, **(ALONE if f < 1 else {})} for f in FRACTIONS}),
    "annealing": (
        "weight of the PU risk, 10 % of the labels",
        {"annealed": TEN, "constant": {**TEN, "alpha": 0.0}, "reset per epoch": {**TEN, "per_epoch_reset": True}},
    ),
    "priors": (
        "class priors, 10 % of the labels",
        {"counted": TEN, "halved": {**TEN, "class_priors": (1 / 6, 1 / 6, 1 / 6)}},
    ),
    "mix": (
        "rows with a label in a batch, 10 % of the labels",
        {"as the data": TEN, "a third": {**TEN, "labelled_fraction": 1 / 3}},
    ),
    "labelled_only": (
        "cross-entropy on labelled pairs alone, in every batch",
        {"10": {**TEN, **ALONE, "labelled_fraction": 1.0}, "1": {**ONE, **ALONE, "labelled_fraction": 1.0}},
    ),
    "absent": (
        "a class without a label in the batch, 1 % of the labels",
        {"skip": ONE, "push": {**ONE, "absent_class": "push"}},
    ),
    "one_class": (
        "entailed pairs labelled, %, and no pair labelled otherwise: the PU risk alone",
        {percent(f): positives_only(f) for f in (0.5, 0.1)},
    ),
}
# The binary use case: a batch that gives steps enough on 3,576 pairs; the rate was the best of three on its validation.
BINARY = {"classes": 2, "batch_size": 64, "epochs": 2, "lr": 5e-4}
BINARY_POINTS = {
    **{percent(f): {"label_fraction": f} for f in FRACTIONS[:4]},
    **{f"{percent(f)}, CE alone": {"label_fraction": f, **ALONE} for f in FRACTIONS[2:3]},
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="runs side by side, one thread each")
    options.add_argument("--rows", type=int, default=ROWS, help="pairs of SNLI and MNLI together; others: a trial")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="others: a trial")
    options.add_argument("--binary-rows", type=int, help="pairs of the binary use case, for a trial; default: all")
    options.add_argument("--only", nargs="+", choices=SWEEPS, help="these sweeps anew; the rest of the file stays")
    options.add_argument("--out", type=Path, help="default: data/results/labels.json; a trial has to name another")
    args = options.parse_args()
    trial = {"rows": args.rows != ROWS, "seeds": args.seeds != SEEDS, "binary_rows": args.binary_rows is not None}
    args.out = to_write(args.out, OUT, **trial)
    if not args.only:
        in_mirror("senteval-transfer/mrpc")
    plans = {
        (sweep, label, seed): plan("pause", seed, rows=args.rows, start=ENCODER, **changes)
        for sweep, (_, labels) in SWEEPS.items()
        for label, changes in labels.items()
        for seed in args.seeds
        if sweep in (args.only or SWEEPS)
    }
    found = measure_runs(plans.values(), ("sts",), args.workers)
    runs = {place: found[one] for place, one in plans.items()}
    sweeps = {
        sweep: {
            "recipe": "pause",
            "varies": varies,
            "points": {label: summary([runs[sweep, label, seed] for seed in args.seeds]) for label in labels},
        }
        for sweep, (varies, labels) in SWEEPS.items()
        if sweep in (args.only or SWEEPS)
    }
    if args.only:
        about = {"encoder": ENCODER, "rows": args.rows, "seeds": args.seeds}
        write_atomically(args.out, json.dumps(sweeps_anew(args.out, about, sweeps), indent=1) + "\n")
        print(f"wrote {', '.join(sweeps)} of {args.out.name}: {len(found)} runs")
        return
    first = next(iter(found.values()))
    result = {
        "encoder": ENCODER,
        "data": first["data"],
        "rows": args.rows,
        "seeds": args.seeds,
        "sweeps": sweeps,
        "binary": binary(args.seeds, args.binary_rows),
        "choices": choices(args.rows, args.workers),
        "seconds_a_run": mean_interval([run["seconds"] for run in found.values()]),
        "ran_on": first["hardware"],
        **provenance(),
    }
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    print(f"wrote {args.out.name}: {len(found)} runs")


def summary(runs: list[dict]) -> dict:
    """STS, geometry and the loss (its end, its roughness) over the seeds; `by_seed` is the STS average (all)."""
    return {
        "settings": runs[0]["settings"],
        "steps": runs[0]["steps"],
        "sentences": runs[0]["sentences"],
        "by_seed": [run["sts"]["average"]["all"] for run in runs],
        "last_loss": mean_interval([run["last_loss"] for run in runs]),
        "roughness": {
            part: mean_interval([roughness(run["losses"], part) for run in runs]) for part in ("whole", "last third")
        },
        **point(runs),
    }


def roughness(losses: list[float], part: str) -> float:
    """How far the loss goes from one step to the next, on average, relative to its mean."""
    chosen = losses if part == "whole" else losses[-len(losses) // 3 :]
    steps = [abs(after - before) for before, after in itertools.pairwise(chosen)]
    return statistics.fmean(steps) / statistics.fmean(chosen)


def choices(rows: int, workers: int) -> dict:
    """The pairs to choose by at a few learning rates, all and 10 % of the labels: what was chosen on."""
    plans = {
        (f"{rate:g}", percent(f), seed): plan("pause", seed, rows=rows, start=ENCODER, lr=rate, label_fraction=f)
        for rate in RATES
        for f in (1.0, 0.1)
        for seed in CHOOSING_SEEDS
    }
    found = measure_runs(plans.values(), ("validation",), workers)

    def table(measured: str) -> dict:
        return {
            f"{rate:g}": {
                percent(f): statistics.fmean(
                    found[plans[f"{rate:g}", percent(f), seed]][measured] for seed in CHOOSING_SEEDS
                )
                for f in (1.0, 0.1)
            }
            for rate in RATES
        }

    return {
        "measure": f"{CHOSEN_ON}, by the labels kept in percent",
        "seeds": CHOOSING_SEEDS,
        "lr": table("choosing"),
        "custom": {"measure": CUSTOM, "lr": table("validation")},
    }


def binary(seeds: list[int], rows: int | None) -> dict:
    """Accuracy, precision, recall and F1 on MRPC test, every setting over the seeds."""
    from kit.data import similar_pairs

    train, test = similar_pairs("train", rows), similar_pairs("test", rows)
    points = {}
    for label, changes in BINARY_POINTS.items():
        runs = [binary_run(train, test, seed, {**BINARY, **changes}) for seed in seeds]
        names = ("accuracy", "precision", "recall", "f1")
        points[label] = {
            "changes": {**BINARY, **changes},
            "positive": runs[0]["positive"],
            "pairs": runs[0]["pairs"],
            **{name: mean_interval([run[name] for run in runs]) for name in names},
        }
    return {"data": [train.source.summary(), test.source.summary()], "points": points}


def binary_run(train, test, seed: int, changes: dict) -> dict:
    """The scores of one run; kept under runs/results by all that determines them, the code among it."""
    from kit.encoder import load_encoder
    from kit.evaluation import binary_scores, classify_pairs
    from kit.training import recipe
    from kit.training.objectives.pause import train_classifier

    settings = recipe("pause", "laptop", **changes)
    rows = [table[name] for table in (train, test) for name in ("sentence1", "sentence2", "label")]
    mark = content_hash(deciding(settings.as_dict()), rows, weights_of(ENCODER), measuring_code(binary_run))
    keep = RUNS / f"labels-binary-{seed}-{mark}.json"
    if not keep.exists():
        encoder = load_encoder(ENCODER, pooling=settings.pooling)
        head = train_classifier(encoder, settings, train, seed)
        said = classify_pairs(encoder, head, test["sentence1"], test["sentence2"])
        keep.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(keep, json.dumps(binary_scores(said, test["label"]).as_dict()))
    return json.loads(keep.read_text("utf-8"))


if __name__ == "__main__":
    run_script(main)
