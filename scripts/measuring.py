"""What the results scripts share: where figures come from, intervals, and what is measured of an encoder."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
RUNS = ROOT / "runs" / "results"
# What a figure comes from; the results are left out, which one call after the other writes.
SOURCES = ("kit", "scripts", "benchmarks", "data", ":(exclude)data/results")
PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "datasets")


def run_script(main: Callable[[], None]) -> None:
    """Run a script's `main`; a `KitError` ends it with one sentence, the script's name before it."""
    from kit.errors import KitError

    try:
        main()
    except KitError as error:
        sys.exit(f"{Path(sys.argv[0]).stem}: {error}")


def provenance() -> dict:
    """Versions, commit, hardware and date, for the head of a results file."""
    from kit.training.device import describe_hardware, pick_device

    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    git = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--", *SOURCES], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    commit = git.stdout.strip() + (" with changes" if changed else "")
    return {
        "versions": versions,
        "commit": commit or "unknown",
        "python": sys.version.split()[0],
        "hardware": " and ".join(dict.fromkeys(map(describe_hardware, (pick_device(), pick_device("cpu"))))),
        "date": time.strftime("%Y-%m-%d"),
    }


def file_of(file: Path, encoder: str, joint: str = "-") -> Path:
    """Where the figures of an encoder stand; another than the default has a file of its own beside `file`."""
    from kit.encoder.find import DEFAULT

    return file if encoder == DEFAULT else file.with_stem(f"{file.stem}{joint}{Path(encoder).name}")


def to_write(asked: Path | None, published: Path, **trial: bool) -> Path:
    """The file that a call writes: the one asked for with --out, or the published one.

    trial: option → whether it makes this call a trial. Errors: `KitError` for a trial without --out.
    """
    from kit.errors import KitError

    options = " and ".join(f"--{name.replace('_', '-')}" for name, is_so in trial.items() if is_so)
    if options and not asked:
        raise KitError(f"expected --out with {options}: a trial must not stand among the results.")
    return asked or published


def in_mirror(*places: str) -> None:
    """Errors: `KitError` unless the mirror has these folders and files: asked before the runs, not after them."""
    from kit.data.sources import mirror_root
    from kit.errors import KitError

    root = mirror_root()
    lacking = [
        place
        for place in dict.fromkeys(places)
        if root is None or not any((root / name).exists() for name in (place, place.replace("/", "__")))
    ]
    if lacking:
        raise KitError(
            f"expected {' and '.join(lacking)} in the mirror folder KIT_DATA, got none: "
            "put it there as data/README.md lays it out."
        )


def kept_of(file: Path, about: dict) -> dict:
    """What `file` holds, if it is about the same; {} where there is none, or it is not, which is said."""
    kept = json.loads(file.read_text("utf-8")) if file.exists() else {}
    wanted = json.loads(json.dumps(about))
    if kept and (differ := [key for key in wanted if kept.get(key) != wanted[key]]):
        print(f"{file.name} is of other {' and '.join(differ)}: its other rows are left out")
        return {}
    return kept


def mean_interval(values: list[float]) -> dict:
    """Mean, standard deviation and 95 % interval (Student's t) over seeds; one value has no interval."""
    from scipy.stats import t

    mean = statistics.fmean(values)
    if len(values) < 2:
        return {"mean": mean, "n": len(values)}
    sd = statistics.stdev(values)
    half = t.ppf(0.975, len(values) - 1) * sd / len(values) ** 0.5
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half, "n": len(values)}


def real(table):
    """The table itself; KitError where only the made-up world stands in for it."""
    from kit.errors import KitError

    if table.source.is_fallback:
        raise KitError(
            "expected real text to measure on, but only the made-up world is at hand: "
            "set KIT_DATA to a mirror folder, or go online."
        )
    return table


def measure(encoder, progress: bool = False) -> dict:
    """The seven STS tasks in three aggregations, and the geometry of 2,000 STS-B sentences."""
    from kit.data import load_sts
    from kit.evaluation import evaluate_sts, geometry

    tasks = load_sts()
    report = evaluate_sts(encoder, tasks, progress=progress)
    average = report.average
    space = geometry(encoder.encode(sample_sentences(tasks))).as_dict()
    space.pop("spectrum")
    return {
        "sts": {
            "tasks": {
                t.name: {"pairs": t.pairs, "all": t.scores.all, "mean": t.scores.mean, "wmean": t.scores.wmean}
                for t in report.tasks
            },
            "average": {"all": average.all, "mean": average.mean, "wmean": average.wmean},
        },
        "geometry": space,
    }


def sample_sentences(tasks, n: int = 2000) -> list[str]:
    """The first `n` distinct sentences of STS-B test: what geometry is measured on."""
    task = tasks["STS-B"]
    return list(dict.fromkeys([*task.sentences1, *task.sentences2]))[:n]
