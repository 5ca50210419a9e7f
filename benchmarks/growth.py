"""How cost grows: time and memory against rows, pairs, batch size, sequence length and anchors.

    python benchmarks/growth.py [--quick] [--only NAME ...] [--out FILE]

One thread, the bundled encoder, made-up sentences; what is measured stands in growth_curves.py. Time is
that of the processor: the sizes of a curve take turns, and the median of the repetitions counts. Memory
is the peak beyond what was held before, one process for each point: of tensors what the process holds,
with an allocator that gives freed memory back at once (glibc); of Python's objects what they ask for. The
exponent p of size^p is the slope of a line through the logarithms of the largest sizes, where what comes
once no longer matters; its standard error says how straight it is. Where the work that tests/scripts/test_growth.py
counts is in proportion to the data and the exponent of time is yet a little above 1, larger data leave the
processor's cache.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "benchmarks")]
REPETITIONS = 5
FITTED = 4  # largest sizes under the line
CLOCK, PAGES, TRACED = 1e-4, 0.5, 0.01  # least seconds, megabytes of a process, and of objects that mean something
LOADED_ONCE = (
    "torch",
    "kit.encoder",
    "kit.evaluation",
    "kit.lesson",
    "kit.training",
    "kit.world",
    "scipy.stats",
    "sklearn.linear_model",
    "transformers.models.bert.modeling_bert",
    "transformers.models.bert.tokenization_bert",
    "growth_curves",
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a curve of each subject, the three smallest sizes, once")
    options.add_argument("--only", nargs="+", metavar="NAME", help="some of the curves")
    options.add_argument("--out", type=Path, help="data/results/growth.json, or build/bench/growth.json for a part")
    args = options.parse_args()
    # Read by torch and by the C library when they start; the processes that measure memory inherit them.
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "MALLOC_MMAP_THRESHOLD_": "65536",
        "THP_MEM_ALLOC_ENABLE": "0",
        "TOKENIZERS_PARALLELISM": "false",
    }
    from growth_curves import CHUNK, CURVES, DROPOUT, ENCODER, SUBJECTS, TEMPERATURE
    from measuring import provenance

    from kit.errors import unknown_name
    from kit.storage.atomic import write_atomically

    first = {curve.subject: name for name, curve in reversed(CURVES.items())}.values()
    wanted = args.only or (first if args.quick else CURVES)
    for name in wanted:
        if name not in CURVES:
            raise unknown_name("curve", name, CURVES)
    repetitions, curves = 1 if args.quick else REPETITIONS, []
    with memory_pool() as pool:
        for name in (name for name in CURVES if name in wanted):
            curves.append(measure(name, CURVES[name].sizes[: 3 if args.quick else None], pool, repetitions))
            print(line(curves[-1]), flush=True)
    result = {
        "encoder": ENCODER,
        "temperature": TEMPERATURE,
        "dropout": DROPOUT,
        "chunk": CHUNK,
        "threads": 1,
        "repetitions": repetitions,
        "fitted": FITTED,
        "subjects": SUBJECTS,
        "curves": curves,
        **provenance(),
    }
    kept = ROOT / ("build/bench" if args.quick or args.only else "data/results") / "growth.json"
    write_atomically(args.out or kept, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def measure(name: str, sizes: Sequence[int], pool: ProcessPoolExecutor, repetitions: int) -> dict:
    """One curve of the results file. A point: size, seconds (median, low, high of the repetitions), megabytes."""
    from growth_curves import CURVES
    from rows import interleaved

    curve = CURVES[name]
    ways = {size: clocked(curve.prepare(size)) for size in sizes}
    gc.freeze()  # while the clock runs nobody looks for garbage in what was loaded and prepared
    seconds = interleaved(ways, repetitions)
    gc.unfreeze()
    memory = [pool.submit(held, name, size, sizes[0]).result() for size in sizes]
    points = [
        {
            "size": size,
            "seconds": rounded(statistics.median(seconds[size])),
            "low": rounded(min(seconds[size])),
            "high": rounded(max(seconds[size])),
            "megabytes": rounded(megabytes),
        }
        for size, megabytes in zip(sizes, memory)
    ]
    return {
        "name": name,
        "subject": curve.subject,
        "title": curve.title,
        "power": curve.power,
        "points": points,
        "time": fit(points, "seconds", CLOCK),
        "memory": fit(points, "megabytes", TRACED if curve.objects else PAGES),
    }


def clocked(work):
    """`work` as a way that returns the processor's seconds."""

    def way() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return way


@contextlib.contextmanager
def memory_pool():
    """A pool that starts a process for each task, from one that has loaded everything and done nothing."""
    context = get_context("forkserver")
    context.set_forkserver_preload(list(LOADED_ONCE))
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        yield pool


def held(name: str, size: int, smallest: int) -> float:
    """MiB that a piece of work holds at its peak, beyond what was there before; in a process of its own."""
    from growth_curves import CURVES

    gc.freeze()  # what was loaded need not be looked through
    curve = CURVES[name]
    curve.prepare(smallest)()  # what a first call sets up is there before
    work = curve.prepare(size)
    gc.collect()
    return traced(work) if curve.objects else of_process(work)


def of_process(work) -> float:
    """What the process holds: all that is C's, tensors above all. Small objects hide in what is free already."""
    from kit.lesson import peak_memory_mb

    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak so far is forgotten
    before = peak_memory_mb()
    kept = work()
    peak = peak_memory_mb()
    del kept
    return peak - before


def traced(work) -> float:
    """What Python and NumPy ask for, to the byte; blind to C's own memory."""
    tracemalloc.start()
    kept = work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    del kept
    return peak


def fit(points: Sequence[dict], unit: str, least: float) -> dict | None:
    """The power law under the last points, or None where fewer than three of them reach `least`."""
    upper = [point for point in points[-FITTED:] if point[unit] >= least]
    if len(upper) < 3:
        return None
    return power_law([point["size"] for point in upper], [point[unit] for point in upper])


def power_law(sizes: Sequence[float], values: Sequence[float]) -> dict:
    """value ≈ factor · size^exponent by least squares on the logarithms; `error`: of the exponent, standard.

    `from`: the smallest size under the line.
    """
    from scipy.stats import linregress

    line = linregress([math.log(size) for size in sizes], [math.log(value) for value in values])
    error = 0.0 if math.isnan(line.stderr) else float(line.stderr)  # of a flat line scipy has none
    return {
        "exponent": round(float(line.slope), 4),
        "error": round(error, 4),
        "factor": rounded(math.exp(line.intercept)),
        "from": min(sizes),
    }


def rounded(number: float) -> float:
    """Four digits that count."""
    return float(f"{number:.4g}")


def line(curve: dict) -> str:
    """A curve for the terminal."""
    said = [
        f"{of} ∝ n^{curve[of]['exponent']:.2f} ± {curve[of]['error']:.2f}" if curve[of] else f"{of} too small"
        for of in ("time", "memory")
    ]
    last = curve["points"][-1]
    return (
        f"{curve['subject']:>8} · {curve['title']}: {', '.join(said)}; at {last['size']:,}: "
        f"{last['seconds']:.3g} s, {last['megabytes']:.4g} MB"
    )


if __name__ == "__main__":
    main()
