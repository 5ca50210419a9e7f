"""Run the benchmarks and write data/results/benchmarks.json and the tables of docs/results.md.

    KIT_DATA=<mirror> python scripts/bench.py                (an idle machine, please)
    python scripts/bench.py --only losses imports            those; the others' rows stay as they are
    python scripts/bench.py --machine NAME                   beside that of the table: into benchmarks-NAME.json
    python scripts/bench.py --quick                          that all run: into build/bench, no figures

Each program of benchmarks/ runs in a process of its own with two threads, one after another, and
the file is written after each. A program that fails leaves no rows, is told in one line, and makes
the exit code 1. What needs a GPU is measured where there is one and else listed as not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PROGRAMS_FOLDER, RESULTS, BENCH = ROOT / "benchmarks", ROOT / "data" / "results", ROOT / "build" / "bench"
# How threads wait is left to each program: to the kit where it is loaded, to torch in a peer's own process.
WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
TWO_THREADS = {"OMP_NUM_THREADS": "2", "RAYON_NUM_THREADS": "2"}
LIMIT = 7200  # seconds: a program that waits for ever must not keep the others waiting
PEERS = ("sentence-transformers", "accelerate", "pytorch-metric-learning", "faiss-cpu")


@dataclass(frozen=True)
class Planned:
    """A row that could not be measured here: what it would say."""

    what: str
    setting: str
    target: str
    peer: str = ""


@dataclass(frozen=True)
class Program:
    """A program of benchmarks/.

    name: in the results file and after --only. file: benchmarks/<file>.py, the name unless said.
    keeps: the file of data/results that also takes what it writes. planned: the rows that it gives
    on a GPU; with any it runs only where there is one.
    """

    name: str
    arguments: tuple[str, ...] = ()
    file: str = ""
    keeps: str = ""
    planned: tuple[Planned, ...] = ()

    @property
    def command(self) -> list[str]:
        return [str(PROGRAMS_FOLDER / f"{self.file or self.name}.py"), *self.arguments]

    @property
    def shown(self) -> str:
        return " ".join([f"benchmarks/{self.file or self.name}.py", *self.arguments])


GPU_CASE = "8 layers, 512 wide, bf16, on a GPU"
PROGRAMS = (
    Program("training_speed"),
    Program("busy"),
    Program("training_share"),
    Program(
        "training_speed_gpu",
        ("--device", "cuda"),
        "training_speed",
        planned=(
            Planned("training", GPU_CASE, "≥ 1.5", "sentence-transformers, bf16"),
            Planned("an epoch of 550,000 pairs, seconds", f"{GPU_CASE} (H200)", "≤ 90"),
            Planned("share of the matrix throughput, %", f"{GPU_CASE} (H200)", "≥ 35"),
        ),
    ),
    Program("encode_speed"),
    Program(
        "encode_speed_gpu",
        ("--device", "cuda"),
        "encode_speed",
        planned=(Planned("encode", "10,000 sentences of mixed length, on a GPU", "≥ 1.5", "sentence-transformers"),),
    ),
    Program("encode_backends", ("--repetitions", "3")),
    Program("encode_peers", ("--repetitions", "3")),
    Program("means"),
    Program("losses"),
    Program("grad_cache", keeps="grad_cache.json"),
    Program("ranks"),
    Program("streaming"),
    Program("evaluation_speed"),
    Program("search_speed"),
    Program("own_data_speed"),
    Program("sliders"),
    Program("imports"),
    Program("notebooks"),
    Program("suite"),
    Program("growth", keeps="growth.json"),
    Program("pretrain_speed"),
    Program("pretrain_speed_mini", ("--model", "kit-bert-mini", "--repetitions", "30"), "pretrain_speed"),
    Program("span_sampler"),
    Program("world_speed"),
)


def main() -> None:
    from kit.errors import unknown_name

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [program.name for program in PROGRAMS]
    options.add_argument("--only", nargs="+", default=names, metavar="NAME", help=f"of {', '.join(names)}")
    options.add_argument("--quick", action="store_true", help="only that all run: writes build/bench/benchmarks.json")
    options.add_argument("--machine", default="", metavar="NAME", help="as in intel-without-amx: another than usual")
    args = options.parse_args()
    for name in args.only:
        if name not in names:
            sys.exit(f"bench: {unknown_name('benchmark', name, names)}")
    if args.machine and not re.fullmatch(r"[a-z0-9-]+", args.machine):
        sys.exit(f"bench: expected a --machine of small letters, digits and hyphens, got {args.machine!r}: rename it.")
    if args.machine:
        args.only = [name for name in args.only if name != "sliders"]  # `make latency` measures them, for one machine
        if not args.only:
            sys.exit("bench: expected another program with --machine, got sliders alone: use `make latency`.")
    file = (BENCH if args.quick else RESULTS) / f"benchmarks{args.machine and '-' + args.machine}.json"
    failed = run_all([p for p in PROGRAMS if p.name in args.only], file, args.quick, usual=not args.machine)
    if not args.quick:
        subprocess.run([sys.executable, str(ROOT / "scripts" / "render_results.py")], check=True)
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    print(f"wrote {shown}" if file.exists() else f"measured nothing and wrote no {shown}")
    for name, why in failed.items():
        print(f"FAILED: {name}, its rows are left out: {why}")
    sys.exit(1 if failed else 0)


def run_all(programs: list[Program], file: Path, quick: bool, usual: bool = True) -> dict[str, str]:
    """Run the programs, write `file` after each; the names of those that failed, and why.

    usual: on the machine of the table, which also keeps single files and lists the rows that want a GPU.
    """
    from kit.storage.atomic import write_atomically

    old = json.loads(file.read_text("utf-8")) if file.exists() else {}
    found, failed, why = dict(old.get("programs", {})), set(old.get("failed", [])), {}
    for program in programs:
        if program.planned and not has_gpu():
            print(f"\n━━ {program.name}: not measured, as there is no GPU here", flush=True)
            continue  # rows measured on a GPU earlier stay
        print(f"\n━━ {program.name} " + "━" * (76 - len(program.name)), flush=True)
        found.pop(program.name, None)
        failed.discard(program.name)
        outcome = measured(program, quick, keep=usual and not quick)
        if isinstance(outcome, str):
            failed.add(program.name)
            why[program.name] = outcome  # may name places of this machine: not for the file
        else:
            found[program.name] = outcome
        wanted = result(found, failed) | ({} if usual else {"not_measured": []})
        write_atomically(file, json.dumps(wanted, indent=1, ensure_ascii=False) + "\n")
    return why


def measured(program: Program, quick: bool, keep: bool) -> dict | str:
    """What the program wrote, with its seconds and the load before it; or one line: why it failed.

    keep: also copy it to the file of data/results that the program `keeps`.
    """
    BENCH.mkdir(parents=True, exist_ok=True)
    out, log = BENCH / f"{program.name}.json", BENCH / f"{program.name}.log"
    out.unlink(missing_ok=True)
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    began = time.monotonic()
    command = [sys.executable, *program.command, "--out", str(out), *(["--quick"] if quick else [])]
    with log.open("w", encoding="utf-8") as errors:
        try:
            surroundings = {name: value for name, value in os.environ.items() if name not in WAITING} | TWO_THREADS
            code = subprocess.run(command, cwd=ROOT, env=surroundings, stderr=errors, timeout=LIMIT).returncode
        except subprocess.TimeoutExpired:
            return f"not done after {LIMIT // 60} minutes"
    said = log.read_text("utf-8", errors="replace").strip().splitlines()
    if code or not out.exists():
        return said[-1] if said else f"exit code {code} and nothing written"
    if program.keeps and keep:
        shutil.copy(out, RESULTS / program.keeps)
    wrote = json.loads(out.read_text("utf-8"))
    where = {key: wrote.get(key) for key in ("versions", "commit", "python", "hardware", "date")}
    where["versions"] = (where["versions"] or {}) | peers()
    return {
        "command": program.shown,
        "rows": wrote.get("rows", []),
        "seconds": round(time.monotonic() - began),
        "load_average": load,
        **where,
    }


def result(found: dict[str, dict], failed: set[str]) -> dict:
    """The results file: programs in their order, what failed, and the rows that want a GPU."""
    waiting = [
        {**asdict(row), "why": "needs a GPU", "command": program.shown}
        for program in PROGRAMS
        if program.name not in failed | found.keys()
        for row in program.planned
    ]
    order = [program.name for program in PROGRAMS]
    return {
        "threads": int(TWO_THREADS["OMP_NUM_THREADS"]),
        "programs": {name: found[name] for name in order if name in found},
        "failed": [name for name in order if name in failed],
        "not_measured": waiting,
    }


def peers() -> dict[str, str]:
    """The versions of those compared with."""
    versions = {}
    for package in PEERS:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    main()
