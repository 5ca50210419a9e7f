"""What the results scripts share: where figures come from, intervals, and cached training runs."""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
RUNS = ROOT / "runs" / "results"
PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "scipy", "datasets")


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
        ["git", "status", "--porcelain", "--", "kit", "scripts"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    commit = git.stdout.strip() + (" with changes" if changed else "")
    return {
        "versions": versions,
        "commit": commit or "unknown",
        "python": sys.version.split()[0],
        "hardware": describe_hardware(pick_device()),
        "date": time.strftime("%Y-%m-%d"),
    }


def mean_interval(values: list[float]) -> dict:
    """Mean, standard deviation and 95 % interval (Student's t) over seeds; one value has no interval."""
    from scipy.stats import t

    mean = statistics.fmean(values)
    if len(values) < 2:
        return {"mean": mean, "n": len(values)}
    sd = statistics.stdev(values)
    half = t.ppf(0.975, len(values) - 1) * sd / len(values) ** 0.5
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half, "n": len(values)}


def train_and_measure(
    start: str,
    name: str,
    seed: int,
    data: tuple[str, str],
    rows: int | None = None,
    preset: str = "laptop",
    changes: dict | None = None,
) -> dict:
    """One run: an encoder from `start` trained by recipe `name` on `data`, then measured.

    start: an encoder's name, or "random:<name>" for its architecture with random weights.
    data: (data set, split). The result is kept under runs/results by everything that
    determines it, weights and settings included; a second call reads it.
    """
    from kit.encoder import load_encoder, random_encoder
    from kit.training import fit, recipe

    settings = recipe(name, preset, **(changes or {}))
    architecture = start.removeprefix("random:")
    file = f"{start.replace(':', '-').replace('/', '__')}-{name}-{seed}-{_key(architecture, settings, data, rows)}.json"
    keep = RUNS / file
    if keep.exists():
        return json.loads(keep.read_text())
    from kit.data import group_by_premise, load

    table = load(*data, rows=rows, seed=0)
    groups = group_by_premise(table)
    make = random_encoder if start.startswith("random:") else load_encoder
    encoder = make(architecture, pooling=settings.pooling, **({"seed": seed} if make is random_encoder else {}))
    result = fit(encoder, settings, groups, seed=seed, progress=False)
    described = {"start": start, "recipe": name, "seed": seed, "settings": settings.as_dict()}
    return keep_run(keep, encoder, result, **described, data=table.source.summary(), premises=len(groups))


def keep_run(path: Path, encoder, result, **described: object) -> dict:
    """What a training run was and what its encoder measures, kept in `path`."""
    outcome = {
        **described,
        "steps": result.steps,
        "sentences": result.sentences,
        "seconds": round(result.seconds, 1),
        "hardware": result.hardware,
        **measure(encoder),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(outcome))
    return outcome


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


def run_all(jobs: list[dict], workers: int) -> list[dict]:
    """`train_and_measure(**job)` for every job, `workers` at a time with one thread each."""
    from tqdm import tqdm

    if workers == 1:
        return [train_and_measure(**job) for job in tqdm(jobs, desc="runs")]
    os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when the worker imports it
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(train_and_measure, **job) for job in jobs]
        for future in tqdm(futures, desc="runs"):
            future.result()
        return [future.result() for future in futures]


def _key(architecture: str, settings, data, rows) -> str:
    """Twelve characters that change when the weights, the settings or the data change."""
    from kit.encoder import find_model

    weights = Path(find_model(architecture).location) / "model.safetensors"
    digest = hashlib.sha256(weights.read_bytes() if weights.exists() else architecture.encode())
    digest.update(json.dumps([settings.as_dict(), data, rows]).encode())
    return digest.hexdigest()[:12]
