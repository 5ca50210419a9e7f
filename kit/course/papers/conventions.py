"""What a table's figures measure and how it averages them: the papers differ in both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from kit.course.papers.published import Row, bounds
from kit.data.sts_tasks import STS_YEARS

# The three STS conventions are those of `kit.evaluation`.
WORDS = {
    "spearman_all": "one correlation over all subsets together (all)",
    "spearman_mean": "the unweighted mean over the subsets (mean)",
    "spearman_wmean": "the mean over the subsets, weighted by their pairs (wmean)",
    "regressor": "a regressor trained on the task's own training pairs",
    "accuracy": "accuracy",
}


def measure_of(metric: str, task: str) -> str:
    """What a cell measures, whatever its table calls it; only equal measures can be compared.

    DeCLUTR's Table 2 mixes measures under one heading, and PAUSE's "spearman" is over all pairs, as SBERT's.
    Lesson 11.
    """
    if metric == "senteval_x100":
        if task in STS_YEARS:
            return "spearman_mean"
        return "regressor" if task in ("STS-B", "SICK-R") else "accuracy"
    name = metric.removesuffix("_x100")
    return "spearman_all" if name == "spearman" else name


def task_of(task: str) -> str:
    """The task of a column: MRPC's accuracy, printed beside its F1, is MRPC."""
    return "MRPC" if task == "MRPC_acc" else task


def averaged(row: Row) -> dict[str, tuple[Decimal, Decimal]]:
    """Task → (lowest, highest) of the values that the row's average is taken over.

    DeCLUTR's Table 2 leaves SNLI out and counts MRPC as the mean of accuracy and F1 (its caption and
    appendix C.2); everywhere else an average is over all cells.
    """
    cells = {task: bounds(printed) for task, printed in row.cells.items()}
    if row.metric != "senteval_x100":
        return cells
    cells.pop("SNLI", None)
    if "MRPC_acc" in cells and "MRPC_f1" in cells:
        accuracy, f1 = cells.pop("MRPC_acc"), cells.pop("MRPC_f1")
        cells["MRPC"] = ((accuracy[0] + f1[0]) / 2, (accuracy[1] + f1[1]) / 2)
    return cells


def mean_bounds(cells: Sequence[tuple[Decimal, Decimal]]) -> tuple[Decimal, Decimal]:
    """The (lowest, highest) mean of rounded numbers, given the bounds of each."""
    return tuple(sum(side) / len(cells) for side in zip(*cells))


def plain_name(model: str) -> str:
    """A model's name without words that vary between tables: "Avg. GloVe embeddings" becomes "glove"."""
    words = re.sub(r"[^a-z0-9+%=.]+", " ", model.lower().replace("[cls]", "cls")).split()
    return " ".join(word for word in words if word not in {"avg.", "embeddings", "embedding", "vector", "base"})
