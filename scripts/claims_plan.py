"""What is trained for each arm of `kit.course.papers.claims`, and how a record becomes a number.

Every arm is a plan of scripts/matrix.py, or a repair fitted without training; both are kept by what determines
them, the encoder among it. Settings are those of the lessons that have swept them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import matrix
import results_multiples
import results_repairs
import results_spans
import results_sweeps

from kit.course.papers.claims import Claim
from kit.course.papers.conventions import STS_YEARS
from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUTSIDE = 0.6  # S1: the lower end of raw BERT's band of cosines
ROWS = {"nli": 15_000, "snli": results_sweeps.ROWS, "documents": results_spans.ROWS}  # of an arm's data
REPAIRS = ("whitening", "flow")


@dataclass(frozen=True)
class Scale:
    """What all arms are measured on. encoder: a name or a folder; rows: other than planned, for a trial."""

    encoder: str = "kit-bert-tiny"
    rows: int | None = None


WHOLE = Scale()


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: a recipe and its changes on a kind of data, or one of REPAIRS."""

    recipe: str
    changes: tuple[tuple[str, Any], ...] = ()
    data: str = "nli"


def _arm(recipe: str, data: str = "nli", **changes) -> Arm:
    return Arm(recipe, tuple(sorted(changes.items())), data)


def _declutr(sweep: str, label: str) -> Arm:
    """A setting of results_spans, on its documents and for its number of steps."""
    return _arm("declutr", "documents", **(results_spans.USUAL | results_spans.SWEEPS[sweep][1][label]))


ARMS: dict[str, Arm] = {
    "raw": _arm(matrix.UNTRAINED, pooling="mean"),
    "none": _arm(matrix.UNTRAINED, pooling="mean"),
    "none without [CLS]": _arm(matrix.UNTRAINED, pooling="mean_without_cls"),
    "whitening": Arm("whitening"),
    "flow": Arm("flow"),
    **{
        f"scl45 λ {label}": _arm("scl", "snli", **changes)
        for label, changes in results_sweeps.SWEEPS["lambda"][2].items()
    },
    **{
        f"scl45 τ {label}": _arm("scl", "snli", **changes)
        for label, changes in results_sweeps.SWEEPS["tau_dot"][2].items()
    },
    **{
        f"simcse batch {label}": _arm("simcse", **changes)
        for label, changes in results_multiples.SWEEPS["batch"][2].items()
    },
    **{f"supmpn {label}": _arm("supmpn", **changes) for label, changes in results_multiples.SWEEPS["fill"][2].items()},
    "sbert": _arm("sbert"),
    "scl": _arm("scl"),
    "scl 3palln": _arm("scl", lam=0.5, max_positives=3),
    "scl 3p3n": _arm("scl", lam=0.5, max_positives=3, max_negatives=3),
    "augment_3p3n": _arm("augment_3p3n"),
    "augment_all": _arm("augment_all"),
    "supmpn": _arm("supmpn"),
    "simcse": _arm("simcse"),
    "declutr": _declutr("parts", "contrast and MLM"),
    "declutr A 1": _declutr("anchors", "1"),
    "declutr P 1": _declutr("positives", "1"),
    "declutr P 4": _declutr("positives", "4"),
    "declutr contrast alone": _declutr("parts", "contrast alone"),
    "declutr words alone": _declutr("parts", "MLM alone"),
    "declutr adjacent": _declutr("strategy", "adjacent"),
    "declutr subsuming": _declutr("strategy", "subsuming"),
    **{f"pause {fraction}%": _arm("pause", label_fraction=fraction / 100) for fraction in (1, 10, 50)},
    "pause 100%": _arm("pause"),
    "pause constant": _arm("pause", alpha=0.0, label_fraction=0.1),
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


def plan_of(arm: Arm, seed: int, scale: Scale = WHOLE) -> matrix.Plan:
    """The matrix plan of an arm that is no repair."""
    rows = scale.rows or ROWS[arm.data]
    return matrix.plan(arm.recipe, seed=seed, data=arm.data, rows=rows, start=scale.encoder, **dict(arm.changes))


def wanted(claims: Iterable[Claim], seeds: Iterable[int]) -> dict[tuple[str, int], set[str]]:
    """(arm, seed) → what must be measured of it, for all parts of the claims, each arm once."""
    found: dict[tuple[str, int], set[str]] = {}
    for claim in claims:
        for part in claim.parts:
            for name in filter(None, (part.new, part.old)):
                for seed in seeds_of(ARMS[name], seeds):
                    found.setdefault((name, seed), set()).update(MEASURES[part.measure][0])
    return found


def record_of(name: str, seed: int, what: set[str], scale: Scale = WHOLE) -> dict:
    """The record of one run, trained and measured if it is not there yet."""
    arm = ARMS[name]
    if arm.recipe in REPAIRS:
        return repaired(arm.recipe, seed, scale)
    p = plan_of(arm, seed, scale)
    record = matrix.measure_runs([p], sorted(what - {"twelve"}))[p]
    return record | ({"twelve": twelve(matrix.trained(p))} if "twelve" in what else {})


def lacking(name: str, seed: int, what: set[str], scale: Scale = WHOLE) -> set[str]:
    """What has to be done for a run: "training" (or a fit), and the measures that are not kept yet."""
    if ARMS[name].recipe in REPAIRS:
        return set() if _kept_repair(ARMS[name].recipe, seed, scale).exists() else {"training"}
    return set(matrix.missing(plan_of(ARMS[name], seed, scale), what - {"twelve"}))


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


def repaired(name: str, seed: int, scale: Scale) -> dict:
    """What a repair gains over the raw vectors on the seven STS tasks, with the pooling of the paper (first and last).

    Fitted on sentences of SNLI train, as results_repairs does; the seed chooses which, and the flow's weights.
    """
    file = _kept_repair(name, seed, scale)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, json.dumps(results_repairs.gain(name, seed, scale.encoder, scale.rows)))
    return json.loads(file.read_text("utf-8"))


def _kept_repair(name: str, seed: int, scale: Scale):
    untrained = matrix.plan(matrix.UNTRAINED, start=scale.encoder, **results_repairs.POOLINGS["embeddings_last"][1])
    rows = scale.rows or results_repairs.ROWS
    return matrix.MATRIX / f"{name}-{seed}-{rows}-{matrix.key(untrained)}.json"
