"""How long an evaluation takes: the seven STS tasks, their intervals, the eight transfer tasks.

    KIT_DATA=<mirror folder> python benchmarks/evaluation_speed.py [--encoder kit-bert-tiny] [--quick] [--out FILE]

Wall-clock seconds of each part, from sentences to report, without a cache.
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, interleaved, save

REPORTED = (
    "Liao (2021, section 4.3) reports around 28 minutes to evaluate one model with SentEval; "
    "another encoder on another machine, so there is no ratio."
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--resamples", type=int, default=1000)
    options.add_argument("--repetitions", type=int, default=REPETITIONS, help="half a minute each on two cores")
    options.add_argument("--quick", action="store_true", help="a sample of two tasks, once (needs no KIT_DATA)")
    options.add_argument("--out", type=Path, default=BENCH / "evaluation_speed.json")
    args = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)  # read when torch and scikit-learn are imported
    from kit.data import load_sts, load_transfer, mirror_root
    from kit.encoder import load_encoder
    from kit.errors import KitError

    encoder = load_encoder(args.encoder)
    if args.quick:
        sts, transfer, repetitions, resamples = load_sts("STS-B", rows=100), load_transfer("CR", rows=200), 1, 100
    elif mirror_root() is None:
        raise KitError("expected KIT_DATA to name a mirror folder: the times are of the real tasks.")
    else:
        sts, transfer, repetitions, resamples = load_sts(), load_transfer(), args.repetitions, args.resamples
    setting = f"{args.encoder}, {args.threads} threads"
    save(args.out, measure(encoder, sts, transfer, repetitions, resamples, setting))


def measure(encoder, sts: dict, transfer: dict, repetitions: int, resamples: int, setting: str) -> list[Row]:
    """A row for each part of an evaluation; the parts take turns."""
    from kit.data import STS_TASKS, TRANSFER_TASKS
    from kit.evaluation import compare_sts, evaluate_sts, evaluate_transfer, with_intervals

    encoder.encode(next(iter(sts.values())).sentences1[:64])  # what the first call sets up is not measured
    report = evaluate_sts(encoder, sts, progress=False)
    rows = sum(len(task) for task in transfer.values())
    whole = len(sts) == len(STS_TASKS) and len(transfer) == len(TRANSFER_TASKS)  # else there is no target
    names = {
        "sts": (f"STS, {counted(sts)}", f"{setting}, {report.sentences:,} sentences", "≤ 40" if whole else ""),
        "transfer": (f"transfer, {counted(transfer)}", f"{setting}, {rows:,} rows", "≤ 180" if whole else ""),
        "intervals": ("intervals of the STS report", f"{resamples:,} resamples", ""),
        "comparison": ("two STS reports compared", f"{resamples:,} resamples", ""),
    }
    seconds = interleaved(
        {
            "sts": lambda: evaluate_sts(encoder, sts, progress=False),
            "intervals": lambda: with_intervals(report, resamples),
            "comparison": lambda: compare_sts(report, report, resamples=resamples),
            "transfer": lambda: evaluate_transfer(encoder, transfer, progress=False),
        },
        repetitions,
        warmup=0,
    )
    return [
        Row(
            what,
            said,
            "s",
            statistics.median(seconds[name]),
            target=target,
            repetitions=repetitions,
            note=REPORTED if target else "",
        )
        for name, (what, said, target) in names.items()
    ]


def counted(tasks: dict) -> str:
    return f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}"


if __name__ == "__main__":
    main()
