"""What is trained for each arm of `kit.course.papers.claims`, and how a record becomes a number.

Arms of earlier lessons are read from where those keep their runs (sweeps, multiples), so that a claim
about them trains nothing twice; all others are plans of scripts/matrix.py and share their runs with
results_systems, results_spans and results_labels.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import matrix
import measuring
import results_multiples
import results_spans
import results_sweeps

from kit.course.papers.claims import Claim
from kit.course.papers.conventions import STS_YEARS
from kit.errors import KitError

OUTSIDE = 0.6  # S1: the lower end of raw BERT's band of cosines
MULTIPLES_ROWS = 15_000


@dataclass(frozen=True)
class Arm:
    """One side of a comparison. source: "matrix", "sweeps", "multiples" or "repairs"; changes: of the recipe."""

    source: str
    recipe: str = ""
    changes: tuple[tuple[str, Any], ...] = ()


def _arm(source: str, recipe: str, **changes) -> Arm:
    return Arm(source, recipe, tuple(sorted(changes.items())))


def _declutr(sweep: str, label: str) -> Arm:
    """A setting of results_spans, on its documents and for its number of steps."""
    return _arm("matrix", "declutr", **(results_spans.USUAL | results_spans.SWEEPS[sweep][1][label]))


ARMS: dict[str, Arm] = {
    "raw": _arm("matrix", matrix.UNTRAINED, pooling="mean"),
    "none": _arm("matrix", matrix.UNTRAINED, pooling="mean"),
    "none without [CLS]": _arm("matrix", matrix.UNTRAINED, pooling="mean_without_cls"),
    "whitening": Arm("repairs", "whitening"),
    "flow": Arm("repairs", "flow"),
    **{
        f"scl45 λ {label}": _arm("sweeps", "scl", **changes)
        for label, changes in results_sweeps.SWEEPS["lambda"][2].items()
    },
    **{
        f"scl45 τ {label}": _arm("sweeps", "scl", **changes)
        for label, changes in results_sweeps.SWEEPS["tau_dot"][2].items()
    },
    **{
        f"simcse batch {label}": _arm("multiples", "simcse", **changes)
        for label, changes in results_multiples.SWEEPS["batch"][2].items()
    },
    **{
        f"supmpn {label}": _arm("multiples", "supmpn", **changes)
        for label, changes in results_multiples.SWEEPS["fill"][2].items()
    },
    "sbert": _arm("matrix", "sbert"),
    "scl": _arm("matrix", "scl"),
    "scl 3palln": _arm("matrix", "scl", lam=0.5, max_positives=3),
    "scl 3p3n": _arm("matrix", "scl", lam=0.5, max_positives=3, max_negatives=3),
    "augment_3p3n": _arm("matrix", "augment_3p3n"),
    "augment_all": _arm("matrix", "augment_all"),
    "supmpn": _arm("matrix", "supmpn"),
    "simcse": _arm("matrix", "simcse"),
    "declutr": _declutr("parts", "contrast and MLM"),
    "declutr A 1": _declutr("anchors", "1"),
    "declutr P 1": _declutr("positives", "1"),
    "declutr P 4": _declutr("positives", "4"),
    "declutr contrast alone": _declutr("parts", "contrast alone"),
    "declutr words alone": _declutr("parts", "MLM alone"),
    "declutr adjacent": _declutr("strategy", "adjacent"),
    "declutr subsuming": _declutr("strategy", "subsuming"),
    **{f"pause {fraction}%": _arm("matrix", "pause", label_fraction=fraction / 100) for fraction in (1, 10, 50)},
    "pause 100%": _arm("matrix", "pause"),
    "pause constant": _arm("matrix", "pause", alpha=0.0, label_fraction=0.1),
}


def _sts(kind: str, tasks: Iterable[str] | None = None) -> Callable[[dict], float]:
    """A record → the mean of its STS tasks (None: all seven) in one convention."""

    def read(record: dict) -> float:
        found = record["sts"]["tasks"]
        return _mean([found[task][kind] for task in tasks or found])

    return read


def _transfer(record: dict, tasks: str) -> float:
    """The mean accuracy ×100 over the "seven" or "eight" transfer tasks.

    Errors: `KitError` where a task is missing or made up: the claims are about English.
    """
    report = record["transfer"]
    if (made_up := [name for name, task in report["tasks"].items() if task["made_up"]]) or report["missing"]:
        raise KitError(
            f"expected all eight transfer tasks, but {', '.join([*report['missing'], *made_up])} are not at "
            "hand: set KIT_DATA to a mirror folder that has them."
        )
    return report["averages"][tasks]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


_LIAO = _sts("wmean", STS_YEARS)

# measure of a part → (what the matrix must measure, record → number)
MEASURES: dict[str, tuple[tuple[str, ...], Callable[[dict], float]]] = {
    "sts5_wmean": (("sts",), _LIAO),
    "sts5_mean": (("sts",), _sts("mean", STS_YEARS)),
    "sts7_all": (("sts",), _sts("all")),
    "transfer7": (("transfer",), lambda record: _transfer(record, "seven")),
    "sts5_less_transfer": (("sts", "transfer"), lambda record: _LIAO(record) - _transfer(record, "eight")),
    "probing": (("probing",), lambda record: record["probing"]["mean"]),
    "topics": (("twelve",), lambda record: float(record["twelve"]["topics"])),
    "share_twelve": (("twelve",), lambda record: 100 * record["twelve"]["share"]),
    "share_stsb": (("sts",), lambda record: 100 * record["geometry"]["share_above"]),
    "repair_gain": ((), lambda record: record["gain"]),
}


def seeds_of(arm: Arm, seeds: Iterable[int]) -> list[int]:
    """The seeds that matter to an arm: an untrained encoder has one."""
    return [0] if arm.recipe == matrix.UNTRAINED else list(seeds)


def plan_of(arm: Arm, seed: int, rows: int | None = None) -> matrix.Plan:
    """The matrix plan of an arm of that source; rows: fewer, for a trial."""
    kind = {"data": "documents", "rows": results_spans.ROWS} if arm.recipe == "declutr" else {}
    p = matrix.plan(arm.recipe, seed=seed, **kind, **dict(arm.changes))
    return p if rows is None else replace(p, rows=rows)


def wanted(claims: Iterable[Claim], seeds: Iterable[int]) -> dict[tuple[str, int], set[str]]:
    """(arm, seed) → what must be measured of it, for all parts of the claims, each arm once."""
    found: dict[tuple[str, int], set[str]] = {}
    for claim in claims:
        for part in claim.parts:
            for name in filter(None, (part.new, part.old)):
                for seed in seeds_of(ARMS[name], seeds):
                    found.setdefault((name, seed), set()).update(MEASURES[part.measure][0])
    return found


def record_of(name: str, seed: int, what: set[str], rows: int | None = None) -> dict:
    """The record of one run, trained and measured if it is not there yet. rows: fewer, for a trial."""
    arm = ARMS[name]
    if arm.source == "repairs":
        return {}
    if arm.source == "sweeps":
        return measuring.train_and_measure(
            results_sweeps.ENCODER,
            arm.recipe,
            seed,
            results_sweeps.DATA,
            rows or results_sweeps.ROWS,
            changes=dict(arm.changes),
        )
    if arm.source == "multiples":
        return results_multiples.run((arm.recipe, seed, rows or MULTIPLES_ROWS, dict(arm.changes)))
    p = plan_of(arm, seed, rows)
    record = matrix.measure_runs([p], sorted(what - {"twelve"}))[p]
    return record | ({"twelve": twelve(matrix.trained(p))} if "twelve" in what else {})


def lacking(name: str, seed: int, what: set[str], rows: int | None = None) -> set[str]:
    """What has to be done for a run of the matrix: "training", and the measures that are not kept yet.

    Runs of earlier lessons count as done: where runs/results lacks one, it is trained when it is read.
    """
    if ARMS[name].source != "matrix":
        return set()
    folder = matrix.MATRIX / matrix.key(plan_of(ARMS[name], seed, rows))
    missing = {measure for measure in what - {"twelve"} if not (folder / f"{measure}.json").exists()}
    return missing | (set() if (folder / "record.json").exists() else {"training"})


def twelve(encoder) -> dict:
    """Of the kit's twelve sentences: topics whose positive is nearer than its negative, and the share of
    pairs with a cosine of 0.6 or more.
    """
    import torch

    from kit.data.twelve import twelve_sentences

    z = torch.nn.functional.normalize(encoder.encode(twelve_sentences()).double(), dim=1)  # [12, dim]
    cosines = z @ z.T
    anchors = torch.arange(0, 12, 3)
    right = (cosines[anchors, anchors + 1] > cosines[anchors, anchors + 2]).sum()
    pairs = cosines[tuple(torch.triu_indices(12, 12, offset=1))]
    return {"topics": int(right), "share": float((pairs >= OUTSIDE).double().mean())}


@lru_cache
def repairs() -> dict:
    """data/results/repairs.json, which has the gains of whitening and flow over the raw vectors."""
    return json.loads((measuring.ROOT / "data" / "results" / "repairs.json").read_text("utf-8"))


def repair_gain(name: str) -> dict[str, float]:
    """Mean and interval of what a repair gains, with the pooling that the paper averages (first and last)."""
    return repairs()["repairs"][name]["gain"]["embeddings_last"]
