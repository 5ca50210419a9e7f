"""How long an evaluation takes: the seven STS tasks, their intervals, the eight transfer tasks.

    KIT_DATA=<mirror folder> python benchmarks/evaluation_speed.py [--encoder kit-bert-tiny] [--threads 2] [--out FILE]

Wall-clock and processor seconds of each part, from sentences to report, without a cache. Prints
JSON; with --out (for instance data/results/evaluation_speed.json) it is also written there. On a
busy machine only the processor's seconds mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--resamples", type=int, default=1000)
    options.add_argument("--out", type=Path)
    args = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)  # read when torch and scikit-learn are imported
    from measuring import provenance

    from kit.data import load_sts, load_transfer, mirror_root
    from kit.encoder import load_encoder
    from kit.errors import KitError
    from kit.evaluation import compare_sts, evaluate_sts, evaluate_transfer, with_intervals
    from kit.training.checkpoint import write_atomically

    if mirror_root() is None:
        raise KitError("expected KIT_DATA to name a mirror folder: the times are of the real tasks.")
    encoder, sts, transfer = load_encoder(args.encoder), load_sts(), load_transfer()
    encoder.encode(sts["STS-B"].sentences1[:64])  # what the first call sets up is not measured
    parts = {}
    report = timed(parts, "sts_seven", lambda: evaluate_sts(encoder, sts, progress=False))
    timed(parts, "sts_intervals", lambda: with_intervals(report, args.resamples))
    timed(parts, "sts_comparison", lambda: compare_sts(report, report, resamples=args.resamples))
    classified = timed(parts, "transfer_eight", lambda: evaluate_transfer(encoder, transfer, progress=False))
    result = {"encoder": args.encoder, "threads": args.threads, "resamples": args.resamples, "seconds": parts,
              "sts": {"sentences": report.sentences, "pairs": sum(task.pairs for task in report.tasks),
                      "average_all": report.average.all},
              "transfer": {"rows": sum(task.rows for task in classified.tasks), "averages": classified.averages},
              "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None, **provenance()}
    text = json.dumps(result, indent=1) + "\n"
    print(text, end="")
    if args.out:
        write_atomically(args.out, text)


def timed(parts: dict[str, dict[str, float]], name: str, work: Callable) -> object:
    """What `work` returns; its wall-clock and processor seconds go into `parts`."""
    wall, processor = time.perf_counter(), time.process_time()
    found = work()
    parts[name] = {"wall": round(time.perf_counter() - wall, 1), "processor": round(time.process_time() - processor, 1)}
    return found


if __name__ == "__main__":
    main()
