"""What every benchmark shares: ways that take turns, and the rows of the table that come of them."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
BENCH = ROOT / "build" / "bench"
REPETITIONS = 5
OURS_ALONE = ("PYTHONPATH", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT")  # a peer finds modules, and waits, in its own way


@dataclass(frozen=True)
class Row:
    """One line of the table: a measured figure of ours, a peer's beside it, and their ratio.

    what, setting: what was done, and with which numbers. unit: of `ours` and `theirs` (medians), such as
    "ms" or "sentences/s". peer: who is compared with, "" for nobody. ratio: how many times better ours is
    (above 1: better), the median over the repetitions of the ratios of neighbours; lowest and highest of
    those beside it, or of `ours` where there is no peer. target: what the ratio (or, without a peer, `ours`) should
    reach, as in "≥ 4" or "≤ 40".
    """

    what: str
    setting: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None
    target: str = ""
    repetitions: int = REPETITIONS
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        if not self.target:
            return None
        sign, bound = self.target.split()[:2]
        value = self.ours if self.ratio is None else self.ratio
        return value >= float(bound) if sign == "≥" else value <= float(bound)


class Peer:
    """A process of another program, which waits while others work: asked by lines of JSON, and so it answers."""

    def __init__(self, command: list[str], told: dict[str, str] | None = None):
        """told: what its environment says beside, or in place of, that of this process without `OURS_ALONE`."""
        surroundings = {name: value for name, value in os.environ.items() if name not in OURS_ALONE}
        self.process = subprocess.Popen(
            command,
            env=surroundings | (told or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def seconds(self, **asked: object) -> float:
        """How long it says that it took to do what is asked."""
        print(json.dumps(asked), file=self.process.stdin)
        self.process.stdin.flush()
        return self.answer()["seconds"]

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the peer {self.process.args} ended with {self.process.wait()}: run it by hand.")
        return json.loads(line)

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def interleaved(
    ways: dict[str, Callable[[], object]], repetitions: int = REPETITIONS, warmup: int = 1
) -> dict[str, list[float]]:
    """Seconds of every repetition of every way, taken in turn, so that a busy moment meets them all.

    A way may return its own seconds (a float), where not all that it does is to be counted.
    """
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for repetition in range(-warmup, repetitions):
        for name, way in ways.items():
            began = time.perf_counter()
            own = way()
            took = own if isinstance(own, float) else time.perf_counter() - began
            if repetition >= 0:
                seconds[name].append(took)
    return seconds


def compared(
    what: str,
    setting: str,
    ours: list[float],
    theirs: list[float],
    peer: str,
    *,
    unit: str = "ms",
    amount: float | None = None,
    target: str = "",
    note: str = "",
) -> Row:
    """A row from seconds of both. amount: what a repetition does, for units such as "sentences/s"; else ms."""
    ratios = [b / a for a, b in zip(ours, theirs)]

    def shown(seconds: list[float]) -> float:
        middle = statistics.median(seconds)
        return amount / middle if amount else 1000 * middle

    return Row(
        what,
        setting,
        unit,
        shown(ours),
        peer,
        shown(theirs),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        target,
        len(ours),
        note,
    )


def save(path: Path, rows: list[Row], measured: dict | None = None) -> None:
    """Print the rows and write them with where and when they were measured: here and now, unless `measured` says."""
    from measuring import provenance

    from kit.storage.atomic import write_atomically

    for row in rows:
        print(line(row), flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {"rows": [asdict(row) | {"met": row.met} for row in rows], **(measured or provenance())}
    write_atomically(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def line(row: Row) -> str:
    """A row for the terminal."""

    def shown(figure: float) -> str:
        return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"

    text = f"{row.what} · {row.setting}: {shown(row.ours)} {row.unit}"
    if row.theirs is not None:
        text += f" against {shown(row.theirs)} ({row.peer})"
    if row.ratio is not None:
        text += f", ratio {row.ratio:.2f} [{row.lowest:.2f}, {row.highest:.2f}]"
    return text + (f", target {row.target}: {'met' if row.met else 'NOT met'}" if row.target else "")
