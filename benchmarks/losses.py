"""The contrastive losses, forward and backward, against the loop over anchors and a library.

    python benchmarks/losses.py [--quick] [--out FILE]

SCL against what its author's released training code does for a batch: for every entailed pair, compare
its padded premise with those of all others one by one, and build the matrix of its candidates one row at
a time. Ours makes its relations from premise numbers and labels, and that is part of its time. One thread.
NT-Xent and SupCon against pytorch-metric-learning. Its NTXentLoss compares each positive pair with the
negative pairs of the whole batch, a tensor of N · N(N − 2): 34 GB at 2,048 rows, so it is measured at
512, and at 2,048 its SupConLoss stands in with every pair a class of its own, which is the same loss.
In each comparison value and gradient are first checked to be equal. Time: medians of ways that take
turns, once with the allocator as it comes and once where it keeps freed memory, which helps the
library most; peak memory: a process for each, one gradient beyond what was held before.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from memory import in_a_process, peak_megabytes  # noqa: E402
from rows import BENCH, Row, compared, interleaved, save  # noqa: E402

LOOP, LIBRARY = "loop over anchors, as released", "pytorch-metric-learning"
SCL_DIM, DIM, PREMISE_TOKENS = 512, 128, 24
SCL_CALLS = 50  # a call of a third of a millisecond is shorter than what disturbs a clock
CASES = {  # name -> (what, rows, their classes (None: pairs), temperature, the peer's class)
    "nt_xent_512": ("NT-Xent", 512, None, 0.05, "NTXentLoss"),
    "nt_xent": ("NT-Xent", 2048, None, 0.05, "SupConLoss"),
    "supcon": ("SupCon", 2048, 64, 0.1, "SupConLoss"),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="small and once: shows that it runs")
    options.add_argument("--out", type=Path, default=BENCH / "losses.json")
    options.add_argument("--kept", action="store_true", help="keep freed memory (used by the program itself)")
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--memory", nargs=3, metavar=("CASE", "ROWS", "WAY"), help="used by the program itself")
    args = options.parse_args()
    if args.memory:
        case, rows, way = args.memory
        print(json.dumps(memory_of(case, int(rows), way)))
        return
    import torch

    repetitions, cases = (1, {"supcon": 128}) if args.quick else (args.repetitions, {c: CASES[c][1] for c in CASES})
    # The library first, while the allocator is as a new process has it: see `time_row`.
    torch.set_num_threads(2)
    if args.kept:
        print(json.dumps([asdict(time_row(case, rows, repetitions, kept=True)) for case, rows in cases.items()]))
        return
    of_library = [
        row for case, rows in cases.items() for row in (time_row(case, rows, repetitions), memory_row(case, rows))
    ]
    again = ("--kept", "--repetitions", repetitions, *(["--quick"] if args.quick else []))
    of_library += [Row(**row) for row in in_a_process(__file__, *again, threads=2, tidy=False)]
    torch.set_num_threads(1)  # so small that a second thread only costs either way time
    found = [scl_row(pairs, repetitions) for pairs in ((16,) if args.quick else (64, 512))]
    save(args.out, found + of_library)


def scl_row(pairs: int, repetitions: int) -> Row:
    ours, theirs = scl_ways(pairs)
    agree(ours, theirs)

    def often() -> float:
        began = time.perf_counter()
        for _ in range(SCL_CALLS):
            ours()
        return (time.perf_counter() - began) / SCL_CALLS

    seconds = interleaved({"ours": often, "theirs": theirs}, repetitions, warmup=pairs <= 64)
    setting = f"batch of {pairs} pairs, {SCL_DIM} wide, 1 thread"
    return compared(
        "SCL loss, forward + backward",
        setting,
        seconds["ours"],
        seconds["theirs"],
        LOOP,
        target="≥ 100",
        note=f"making the relations included; ours is the mean of {SCL_CALLS} calls a repetition",
    )


def scl_ways(pairs: int) -> tuple[Callable, Callable]:
    """Ours and the loop over the same premises with three hypotheses each; both return loss and gradient."""
    import torch

    from kit.fast.chunked import chunked_softmax
    from kit.losses import scl_relations

    generator = torch.Generator().manual_seed(0)
    premise, labels = torch.arange(pairs) // 3, torch.arange(pairs) % 3  # [pairs] each
    premises = int(premise[-1]) + 1
    z = torch.randn(premises + pairs, SCL_DIM, generator=generator).mul_(SCL_DIM**-0.25).requires_grad_()
    tokens = torch.randint(5, 30_000, (premises, PREMISE_TOKENS), generator=generator)[premise]  # [pairs, tokens]
    u, v = (t.detach().clone().requires_grad_() for t in (z[premise], z[premises:]))  # [pairs, dim] each

    def ours() -> tuple:
        z.grad = None
        loss = chunked_softmax(z, scl_relations(premise, labels, anchors="row"), 1.0, "dot")
        loss.backward()
        return loss.detach(), z.grad

    def theirs() -> tuple:
        u.grad = v.grad = None
        loss = loop_over_anchors(tokens, u, v, labels, 1.0)
        loss.backward()
        of_premises = torch.zeros(premises, SCL_DIM).index_add_(0, premise, u.grad)
        return loss.detach(), torch.cat([of_premises, v.grad])

    return ours, theirs


def loop_over_anchors(tokens, u, v, labels, temperature: float):
    """What the released code computes, in the way that it does: all positives, all negatives.

    tokens [pairs, length]: padded premises; u, v [pairs, dim]: premises and hypotheses; labels [pairs].
    """
    import numpy as np
    import torch

    total, anchors = 0.0, 0
    for i in range(len(labels)):
        if labels[i] != 0:
            continue
        anchors += 1
        premise, entailed = tokens[i, :], [i]
        for j in range(len(labels)):
            if torch.all(tokens[j, :] == premise) and j != i and labels[j] == 0:
                entailed.append(j)
        candidates = v[i].unsqueeze(0)
        for j in [*entailed[1:], *np.delete(np.arange(len(labels)), entailed)]:
            candidates = torch.cat((candidates, v[j, :].unsqueeze(0)), dim=0)
        logits = candidates @ u[i].unsqueeze(1) / temperature  # [pairs, 1]
        total = total - torch.log_softmax(logits, dim=0)[: len(entailed)].sum() / len(entailed)
    return total / anchors


def time_row(case: str, rows: int, repetitions: int, kept: bool = False) -> Row:
    """Time of one case, with the allocator as it comes, or where it keeps freed memory for both.

    Much of the library's time goes into asking the system for its large matrices again and again;
    `tune_malloc` takes that away.
    """
    from kit.pretraining.hardware import tune_malloc

    if kept:
        tune_malloc()
    ours, theirs = library_ways(case, rows)
    agree(ours, theirs)
    seconds = interleaved({"ours": ours, "theirs": theirs}, repetitions)
    setting = f"{kind(case, rows)}, 2 threads{', freed memory kept' if kept else ''}"
    return compared(
        f"{CASES[case][0]}, forward + backward",
        setting,
        seconds["ours"],
        seconds["theirs"],
        f"{LIBRARY} {CASES[case][4]}",
        target="≥ 2",
    )


def memory_row(case: str, rows: int) -> Row:
    """Peak memory of one case."""
    ours, theirs = (
        in_a_process(__file__, "--memory", case, rows, way, threads=2)["megabytes"] for way in ("ours", "theirs")
    )
    ratio = theirs / ours
    return Row(
        f"{CASES[case][0]}, peak memory",
        kind(case, rows),
        "MB",
        ours,
        f"{LIBRARY} {CASES[case][4]}",
        theirs,
        ratio,
        ratio,
        ratio,
        "≥ 5",
        1,
        "beyond what was held before; a process each",
    )


def kind(case: str, rows: int) -> str:
    classes = CASES[case][2]
    return f"{rows:,} rows, {DIM} wide, {f'{classes} classes' if classes else 'pairs'}"


def library_ways(case: str, rows: int) -> tuple[Callable, Callable]:
    """Ours and the library's class on the same vectors; both return loss and gradient."""
    import torch
    from pytorch_metric_learning import losses

    from kit.losses import nt_xent, supcon

    _, _, classes, temperature, peer = CASES[case]
    z = torch.randn(rows, DIM, generator=torch.Generator().manual_seed(0)).requires_grad_()
    labels = torch.arange(rows) % (classes or rows // 2)  # pairs: row i and row i + N
    library = getattr(losses, peer)(temperature=temperature)

    def timed(loss_of: Callable) -> Callable:
        def way() -> tuple:
            z.grad = None
            loss = loss_of()
            loss.backward()
            return loss.detach(), z.grad

        return way

    ours = (lambda: supcon(z, labels, temperature)) if classes else (lambda: nt_xent(z, temperature))
    return timed(ours), timed(lambda: library(z, labels))


def memory_of(case: str, rows: int, way: str) -> dict:
    """Peak memory (MB) of one gradient in this process, after one of 64 rows."""
    import torch

    torch.set_num_threads(2)
    number = ("ours", "theirs").index(way)
    library_ways(case, 64)[number]()  # what is loaded once is there before
    return {"megabytes": round(peak_megabytes(library_ways(case, rows)[number]), 2)}


def agree(ours: Callable, theirs: Callable) -> None:
    """Refuses to measure what is not the same: losses and gradients to 1e-4 of the largest."""
    for mine, other in zip(ours(), theirs(), strict=True):
        off = float((mine - other).abs().max() / other.abs().max())
        if not off < 1e-4:
            raise SystemExit(f"the two do not compute the same: {off:.1e} apart")


if __name__ == "__main__":
    main()
