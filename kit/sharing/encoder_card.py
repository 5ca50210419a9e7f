"""The card of an encoder that is given away: what it is, what was measured with which intervals, and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kit.checks.argument_checks import check_kind, check_texts, checked
from kit.checks.plain_text import for_markdown
from kit.errors import KitError
from kit.evaluation import StsReport
from kit.evaluation.tables import table
from kit.retrieval.own_judgements import TripletReport
from kit.retrieval.retrieval_report import RetrievalReport, comparison_table
from kit.retrieval.same_or_not import ORDER, ORDER_100, has_two_classes, same_or_not
from kit.sharing.licence import base_of, in_head, in_text

if TYPE_CHECKING:
    from kit.encoder import Encoder
    from kit.evaluation import Interval, TaskScore
    from kit.sharing.cut_vectors import CutEncoder

HEAD = """\
---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
tags: [sentence-transformers, feature-extraction, sentence-similarity]
{licence}---

# {name}

{what}

## Use it

{use}"""
IN_TORCH = """\
    from sentence_transformers import SentenceTransformer
    vectors = SentenceTransformer("this folder").encode(["A sentence.", "Another one."])   # {dim} dimensions, cosine
"""
IN_ONNX = """\
    from kit.sharing import OnnxEncoder    # or onnxruntime and tokenizers alone
    vectors = OnnxEncoder("this folder").encode(["A sentence.", "Another one."])   # {dim} dimensions, cosine
"""
OF_GRAPH = "What was measured is the encoder of which this is the graph; onnx.json says how far their vectors differ."
OF_INTERVALS = "The intervals speak of other {rows} like those measured, not of other trainings or other kinds of text."
USE = "\n## Use it\n"
NOT_YET = "## Measured\n\nNothing was measured.\n"  # in the card of a training that was not validated
HOW = "## How it was trained\n\n"
LIMITS = (
    "Texts are cut after {max_length} word pieces.",
    "On data unlike those it was trained and measured on, nothing is known: measure it first.",
)


@checked
def encoder_card(
    encoder: Encoder | CutEncoder,
    name: str,
    what: str = "",
    data: str = "",
    reports: Sequence = (),
    training: str = "",
    limits: Sequence[str] = (),
) -> str:
    """Markdown for the README.md of an encoder. Lesson 13.

    what: one or two sentences on it, and data: what it was trained on, both in Markdown; reports: of
    `evaluate_retrieval` on one task, baselines among them, and of the encoder by `evaluate_pairs` and
    `evaluate_triplets`; training: the card that its training wrote, kept below; limits: sentences beside the usual
    ones. Errors: `KitError` for reports on different tasks, and something else among them.
    """
    for argument, text in {"name": name, "what": what, "data": data, "training": training}.items():
        check_kind(argument, text, "str")
    limits = check_texts("limits", limits)
    searched = [report for report in reports if isinstance(report, RetrievalReport)]
    of_pairs = [task for report in reports if isinstance(report, StsReport) for task in report.tasks]
    judged = [*of_pairs, *(report for report in reports if isinstance(report, TripletReport))]
    if strange := [one for one in reports if not isinstance(one, RetrievalReport | StsReport | TripletReport)]:
        raise KitError(
            f"expected reports of evaluate_retrieval, evaluate_pairs or evaluate_triplets, got "
            f"{type(strange[0]).__name__}: evaluate first."
        )
    what = what or f"A sentence encoder with vectors of {encoder.dim}, pooling {encoder.pooling}."
    base, use = base_of(encoder.source, training), IN_TORCH.format(dim=encoder.dim)
    parts = [HEAD.format(name=for_markdown(name), what=what, use=use, licence=in_head(base))]
    if data:
        parts.append(f"## Data\n\n{data}\n")
    measured = [_of_retrieval(searched)] if searched else []
    measured += [_of_judgements(judged)] if judged else []
    parts.append("## Measured\n\n" + ("\n".join(measured) or "Nothing was measured.\n"))
    usual = [limit.format(max_length=encoder.max_length) for limit in LIMITS]
    rows = ["queries"] if searched and searched[0].resamples else []
    rows += ["triplets" if isinstance(one, TripletReport) else "pairs" for one in judged if _interval(one)]
    if rows:
        usual.insert(1, OF_INTERVALS.format(rows=" and ".join(dict.fromkeys(rows))))
    parts.append("## Limits\n\n" + "".join(f"- {for_markdown(limit)}\n" for limit in (*limits, *usual)))
    if base:
        parts.append(in_text(base))
    if body := _without_head(training):
        parts.append(f"{HOW}{body}")
    return "\n".join(parts)


def graph_card(card: str, dim: int) -> str:
    """The card of an encoder for the graph that `export_onnx` makes of it; the card's limits should have `OF_GRAPH`."""
    for old, new in (
        (IN_TORCH.format(dim=dim), IN_ONNX.format(dim=dim)),
        ("library_name: sentence-transformers", "library_name: onnx"),
        ("tags: [sentence-transformers", "tags: [onnx"),
    ):
        card = card.replace(old, new, 1)
    return card


def _of_retrieval(reports: list[RetrievalReport]) -> str:
    """What was measured by search: the task, how its intervals were drawn, and a row for each system."""
    named = [replace(report, name=for_markdown(report.name)) for report in reports]
    task, resamples = reports[0].task, reports[0].resamples
    drawn = f"of measures of 0 or 1 Wilson's, else bootstrap over queries, {resamples:,} resamples"
    how = f"{100 * reports[0].confidence:g}% intervals ({drawn})" if resamples else "without intervals"
    return f"{for_markdown(task)}; figures × 100, {how}.\n\n" + comparison_table(named, style="markdown") + "\n"


def _of_judgements(judged: list[TaskScore | TripletReport]) -> str:
    """What was measured on scored pairs and triplets: a row for each, of the encoder alone, and of pairs of two classes
    one of average precision before it."""
    rows = [("measure", "on", "figure", "interval")]
    for one in judged:
        if isinstance(one, TripletReport):
            what, of = "triplet accuracy, %", f"{len(one.right):,} triplets"
            figure, drawn = one.accuracy, "Wilson's"
        else:
            what, of = "Spearman × 100", f"{one.pairs:,} pairs of {for_markdown(one.label)}"
            figure, drawn = one.scores.all, "bootstrap"
            if has_two_classes(one.scored.gold):
                cosines, resamples = one.scored.similarities["cosine"], 1000 if one.intervals else 0
                order = same_or_not(cosines, one.scored.gold, 0.0, resamples)
                rows.append(_row(ORDER_100, of, order[ORDER], order.intervals()[ORDER], drawn))
        rows.append(_row(what, of, figure, _interval(one), drawn))
    return f"{table(rows, 'markdown')}\n"


def _row(what: str, of: str, figure: float | None, found: Interval | None, drawn: str) -> tuple[str, ...]:
    between = f"{found.low:.2f} to {found.high:.2f} ({100 * found.confidence:g}%, {drawn})" if found else "none"
    return what, of, "undefined" if figure is None else f"{figure:.2f}", between


def _interval(judged: TaskScore | TripletReport) -> Interval | None:
    if isinstance(judged, TripletReport):
        return judged.interval
    return judged.intervals.aggregated["all"] if judged.intervals else None


def _without_head(card: str) -> str:
    """The card of a training without its YAML, how to load it, and that nothing was measured yet, its headings two
    levels lower; of the card of an export what stands in it of a training, done already."""
    if USE in card:
        return card.partition(HOW)[2].replace(f"\n##{NOT_YET}", "")
    card = card.replace(f"\n{NOT_YET}", "")
    lines = card.partition("\n## Load it\n")[0].split("\n")
    if lines[0] == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    return "\n".join(f"##{line}" if line.startswith("#") else line for line in lines).strip() + "\n" if card else ""
