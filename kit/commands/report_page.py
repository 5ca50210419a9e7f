"""The report of `kit evaluate`: as text, JSON, Markdown and one page of plots."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit import __version__
from kit.captions import caption
from kit.checks.plain_text import for_markdown
from kit.evaluation import AGGREGATIONS, CORRELATIONS, SIMILARITIES, StsReport, TransferReport, rescore
from kit.evaluation.tables import figure, table
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.page_policy import policy, scripts_in
from kit.figures.score_figures import Score, score_bars, score_points
from kit.storage.atomic import write_atomically
from kit.training.device import describe_hardware, pick_device
from kit.world.probing_accuracy import MADE_UP, ProbingReport

QUICK = "A quick look at a sample of {} rows a task: no result to be reported."


@dataclass(frozen=True)
class Section:
    """A table with its heading, the sentences below it, and the name of its picture if it has one."""

    heading: str
    table: str
    notes: tuple[str, ...] = ()
    picture: str = ""


@dataclass(frozen=True)
class Report:
    """What one call of `kit evaluate` found.

    asked: the path or name given; encoder: one sentence on it; rows: of a quick look, else None
    """

    asked: str
    encoder: str
    rows: int | None
    seed: int
    remarks: tuple[str, ...]
    seconds: float
    sts: StsReport
    transfer: TransferReport | None = None
    probing: ProbingReport | None = None

    def sections(self, style: str) -> Iterator[Section]:
        """Everything measured, table by table."""
        why = self.sts.why_no_average
        yield Section(
            "STS: Spearman ×100 of cosine and gold score, three aggregations",
            self.sts.table(style, subsets=True),
            (*([why] if why else []), *self.sts.notes),
            "sts",
        )
        yield Section("STS: similarities and correlations, ×100, all pairs of a task together", self.kinds(style))
        if self.transfer:
            why = self.transfer.why_no_average
            yield Section(
                "Transfer: accuracy ×100 of logistic regression on frozen embeddings",
                self.transfer.table(style),
                (*([why] if why else []), *self.transfer.notes),
                "transfer",
            )
        if self.probing:
            yield Section(
                "Probing: accuracy ×100 of logistic regression on frozen embeddings",
                self.probing.table(style),
                (MADE_UP,),
                "probing",
            )

    def kinds(self, style: str) -> str:
        """One row for each task: three similarities under two correlations."""
        reports = {
            f"{similarity} {correlation}": rescore(self.sts, similarity, correlation)
            for similarity in SIMILARITIES
            for correlation in CORRELATIONS
        }
        rows = [("task", *reports)]
        rows += [
            (task.label, *(figure(report[task.name].scores.all) for report in reports.values()))
            for task in self.sts.tasks
        ]
        if not self.sts.why_no_average:
            rows.append(("average", *(figure(report.average.all) for report in reports.values())))
        return table(rows, style)

    def head(self) -> list[str]:
        """Sentences that come before every table."""
        quick = [QUICK.format(self.rows)] if self.rows else []
        return [self.encoder, *quick, *self.remarks]

    def text(self) -> str:
        """For the screen: the remarks were said there before."""
        blocks = [*([QUICK.format(self.rows)] if self.rows else [])]
        for section in self.sections("text"):
            blocks.append("\n".join((section.heading, section.table, *section.notes)))
        return "\n\n".join(blocks)

    def markdown(self) -> str:
        said = [for_markdown(line) for line in (f"Evaluation of {Path(self.asked).name}", *self.head(), self.made())]
        blocks = [f"# {said[0]}", *said[1:]]
        for section in self.sections("markdown"):
            blocks += [f"## {section.heading}", section.table, *map(for_markdown, section.notes)]
        return "\n\n".join(blocks) + "\n"

    def made(self) -> str:
        """By which version, on what, when and how long."""
        return (
            f"Measured by Pull·Push {__version__} on {describe_hardware(pick_device('cpu'))} in {self.seconds} s, "
            f"{time.strftime('%Y-%m-%d')}, seed {self.seed}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        kinds = {
            f"{similarity}_{correlation}": {
                task.name: task.scores.all for task in rescore(self.sts, similarity, correlation).tasks
            }
            for similarity in SIMILARITIES
            for correlation in CORRELATIONS
        }
        return {
            "kit": __version__,
            "asked": self.asked,
            "encoder": self.encoder,
            "rows": self.rows,
            "seed": self.seed,
            "remarks": list(self.remarks),
            "seconds": self.seconds,
            "date": time.strftime("%Y-%m-%d"),
            "hardware": describe_hardware(pick_device("cpu")),  # where these commands load encoders
            "sts": self.sts.as_dict(),
            "sts_all_by_similarity": kinds,
            "transfer": self.transfer and self.transfer.as_dict(),
            "probing": self.probing and self.probing.as_dict(),
        }

    def picture(self, name: str) -> CaptionedFigure:
        """The picture of "sts", "transfer" or "probing"."""
        if name == "sts":
            title = "STS" + (", with 95 % bootstrap intervals" if self.sts.tasks[0].intervals else "")
            return score_points(
                {kind: {task.label: _sts_score(task, kind) for task in self.sts.tasks} for kind in AGGREGATIONS},
                title,
                "Spearman × 100",
            )
        if name == "transfer":
            tasks, floor_name = self.transfer.tasks, "largest class"
            floor = {task.label: task.largest_class for task in tasks}
            scores = {task.label: Score(task.accuracy) for task in tasks}
        else:
            tasks, floor_name = self.probing.tasks, "guessing"
            floor = {task.name: task.chance for task in tasks}
            scores = {task.name: Score(task.accuracy) for task in tasks}
        return score_bars(scores, floor, floor_name, name.capitalize(), "accuracy × 100")

    def page(self) -> str:
        """One HTML file with tables and plots that asks nothing of the network."""
        parts = [f"<p>{html.escape(line)}</p>" for line in (*self.head(), self.made())]
        scripts: list[str] = []
        library = True  # plotly's own code goes in once, with the first plot
        for section in self.sections("text"):
            parts += [
                f"<h2>{html.escape(section.heading)}</h2><pre>{html.escape(section.table)}</pre>",
                *map(caption, section.notes),
            ]
            if section.picture:
                picture = self.picture(section.picture)
                drawn = picture.figure.to_html(full_html=False, include_plotlyjs=library)
                scripts += scripts_in(drawn)
                parts += [f"<figure>{drawn}</figure>", caption(picture.summary)]
                library = False
        name = html.escape(Path(self.asked).name)
        return PAGE.format(name=name, policy=policy(scripts), body="\n".join(parts))


def _sts_score(task: Any, kind: str) -> Score:
    around = task.intervals and task.intervals.aggregated[kind]
    return Score(getattr(task.scores, kind), *((around.low, around.high) if around else ()))


def save_report(report: Report, folder: Path) -> list[Path]:
    """Write report.json, report.md and report.html, each whole or not at all; KitError where that fails."""
    contents = {
        "report.json": json.dumps(report.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "report.md": report.markdown(),
        "report.html": report.page(),
    }
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents]


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">{policy}<title>Evaluation of {name}</title>
<meta name="viewport" content="width=device-width">
<style>:root{{color-scheme:light dark}} body{{font-family:system-ui,sans-serif;max-width:60rem;margin:2rem auto;
padding:0 1rem}}
pre{{overflow-x:auto}} figure{{margin:1rem 0}}</style></head>
<body><h1>Evaluation of {name}</h1>
{body}
</body></html>
"""
