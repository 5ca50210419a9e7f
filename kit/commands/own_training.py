"""`kit train --data my.csv`: data of one's own for the command, and what they were judged by before and after.

kit train --data my.csv --anchor question --positive answer --validation dev.csv --out runs/mine
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit.commands.own_arguments import is_said, reading
from kit.commands.two_classes import trained_apart
from kit.data.catalogue import NLI_COLUMNS
from kit.data.nli import GROUP_COLUMNS
from kit.errors import UnknownName
from kit.evaluation import StsReport, compare_sts
from kit.owndata import OwnData, OwnValidation, near_duplicates, read, suggest
from kit.owndata.open_source import ENDINGS
from kit.owndata.own_data import text_roles
from kit.owndata.split_own import by_command
from kit.retrieval import RetrievalReport, TripletReport, compare_retrieval, comparison_table
from kit.training import RECIPES

TEXTS_ALONE = ("sentences", "documents")
MANY = 100_000  # texts among which near-duplicates are found in a minute or so
COPIES = 0.85  # Jaccard of words from which a text is as good as a copy: of a split it is 0.7


def own_data(options: argparse.Namespace) -> OwnData | None:
    """The file of --data as data of one's own; None where it is a data set of the course, or Parquet in its form."""
    path = Path(options.data).expanduser()
    looks_like_a_file = path.is_file() or path.suffix.lower() in ENDINGS
    if not is_said(options) and (not looks_like_a_file or _has_the_form_of_the_course(path, options.recipe)):
        return None
    return read(options.data, **reading(options))


def _has_the_form_of_the_course(path: Path, recipe: str | None) -> bool:
    """Whether a Parquet file has the columns that `kit.data` reads by itself for this recipe."""
    if path.suffix != ".parquet" or not path.is_file():
        return False
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        return False  # its reader says what is wrong
    names = set(schema.names)
    if "label" in names and not _is_number(schema.field("label").type):
        return False  # words, of whichever of Arrow's types of text
    if recipe in RECIPES and RECIPES[recipe].data_format == "documents":
        return "text" in names
    return set(GROUP_COLUMNS) <= names or (set(NLI_COLUMNS) <= names and not _are_yes_and_no(path))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _are_yes_and_no(path: Path) -> bool:
    """Whether the labels of a Parquet file are 0 and 1 alone: 1 then means the same, as in any file of one's own, and
    0 is not NLI's entailment."""
    import pyarrow.parquet as pq

    labels = set(pq.read_table(path, columns=["label"])["label"].unique().to_pylist())
    return labels - {-1, None} == {0, 1}


def chosen_recipe(options: argparse.Namespace, data: OwnData, say: Callable[[str], None]) -> tuple[str, str]:
    """(recipe, preset): those asked for, else the first that fits the data and the preset "laptop"; both are said.

    The papers' own numbers are for far more rows than a file of one's own has: one epoch of these is a step or two.
    """
    preset = options.preset or "laptop"
    if options.recipe:
        say(f"Recipe: {options.recipe}, preset {preset}.")
        return options.recipe, preset
    found = suggest(data)
    others = ", ".join(advice.recipe for advice in found[1:])
    say(
        f"Recipe: {found[0].recipe}, preset {preset}, for {found[0].why}."
        + (f" Others that fit: {others} (--recipe)." if others else "")
    )
    return found[0].recipe, preset


def own_validation(options: argparse.Namespace, own: OwnData | None) -> OwnValidation | None:
    """The validation set of --validation, read as the data is: by the same columns, where it has them."""
    if options.validation is None:
        return None
    said, roles = reading(options), {} if own is None else own.roles
    if own is not None and own.kind in TEXTS_ALONE:  # whose column no pair has
        said, roles = {name: value for name, value in said.items() if name not in ("kind", "text")}, {}
    try:
        return OwnValidation(read(options.validation, **roles | said))
    except UnknownName:  # its columns have other names
        return OwnValidation(read(options.validation, **said))


def shared_in_words(trained: list[str], validation: OwnData, progress: bool = False) -> str:
    """How many rows to validate on have a text that is trained on too, in words; "" where none has. Among very many
    texts only those that are wholly alike are looked for."""
    texts = validation.texts()
    lowered = {text.lower() for text in trained}
    known = {text for text in texts if text.lower() in lowered}
    few = len(trained) <= MANY
    near = near_duplicates([*trained, *texts], COPIES, progress=progress) if few else []
    known |= {texts[other - len(trained)] for one, other, _ in near if one < len(trained) <= other}
    roles = text_roles(validation.kind)
    rows = [[t for c in row for t in ((c,) if isinstance(c, str) else c)] for row in
            zip(*(validation[role] for role in roles))]  # fmt: skip
    if not (shared := sum(not known.isdisjoint(row) for row in rows)):
        return ""
    anchors = sum(row[0] in known for row in rows)
    return (
        f"Careful: {shared:,} of {len(validation):,} rows of {validation.name} share a text"
        f"{', wholly or nearly,' if few else ''} with "
        f"the data that is trained on ({anchors:,} of them their {roles[0]}), so part of what follows was learnt by "
        f"heart. Rows can be parted without that: put all into one file, and {by_command(validation)}"
    )


def kept_in_words(run: Any, steps: int) -> str:
    """Which step of a `Run` the saved encoder is of."""
    if run.best is None:
        return f"Kept: the last step, {steps:,}."
    step, figure = run.best
    whose = f"step {step:,} of {steps:,}" if step else f"the untrained encoder, as none of {steps:,} steps was better"
    return (
        f"Kept: {whose}, with {run.validation.measure} {figure:.2f} (--keep last for the last step). These rows chose "
        "the step, so they flatter it a little: report figures on others."
    )


def judged(before: Any, after: Any, baseline: Any | None) -> tuple[str, dict, list[dict]]:
    """The reports before and after training, in words and as JSON, and the comparisons as JSON."""
    if isinstance(after, RetrievalReport):
        reports = [*([baseline] if baseline else []), before, after]
        compared = [compare_retrieval(after, one) for one in (before, baseline) if one]
        words = "\n".join([comparison_table(reports), *(one.summary() for one in compared)])
        return words, {report.name: report.as_dict() for report in reports}, [one.as_dict() for one in compared]
    if isinstance(after, TripletReport):
        figures = {name: _of_triplets(report) for name, report in (("untrained", before), ("trained", after))}
        return f"untrained: {before}\ntrained:   {after}", figures, []
    reports = {"untrained": before, "trained": after}
    words, figures = scores_in_words(reports)
    order, apart = trained_apart(reports)
    for name, one in apart.items():
        figures[name]["same or not"] = one
    compared = compare_sts(after, before, names=("trained", "untrained"))
    by_rank = f"Spearman, {compared.summary()}" if order else compared.summary()
    return "\n".join([*filter(None, [order]), words, by_rank]), figures, [compared.as_dict()]


def scores_in_words(reports: dict[str, StsReport]) -> tuple[str, dict]:
    """Reports on scored pairs by the names of their encoders, a line for each, and as JSON."""
    figures = {name: _of_scores(report) for name, report in reports.items()}
    return "\n".join(f"{name}: {one['words']}" for name, one in figures.items()), figures


def _of_scores(report: StsReport) -> dict:
    (task,) = report.tasks
    figure, found = task.scores.all, task.intervals.aggregated["all"] if task.intervals else None
    between = None if found is None else [found.low, found.high]
    shown = (
        "undefined"
        if figure is None
        else f"{figure:.2f}" + (f" [{found.low:.2f} to {found.high:.2f}]" if found else "")
    )
    if found is not None and found.high < 0:
        shown += (
            " (the cosines fall where the scores rise: a high score must mean alike; if here it means unlike, turn the "
            "scores round)"
        )
    return {"spearman": figure, "interval": between, "pairs": task.pairs, "words": f"Spearman ×100 {shown}"}


def _of_triplets(report: TripletReport) -> dict:
    between = None if report.interval is None else [report.interval.low, report.interval.high]
    return {"accuracy": report.accuracy, "interval": between, "triplets": len(report.right), "ties": report.ties}
