"""`progress`: a table of the exercises, which are solved, and how much help was taken."""

from __future__ import annotations

import html
from dataclasses import dataclass

from kit.course.exercises import registry
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.progress_record import record
from kit.course.exercises.verdict import RIGHT

HEADER = ("lesson", "exercise", "difficulty", "minutes", "state", "hints taken")


@dataclass(frozen=True)
class ProgressTable:
    """A row per exercise under `HEADER`, and a summary; displays itself in a notebook."""

    rows: tuple[tuple[str, ...], ...]
    summary: str
    note: str = ""

    def __str__(self) -> str:
        table = [HEADER, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(HEADER))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
        return "\n".join(filter(None, (*lines, self.summary, self.note)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" style="text-align:left">{name}</th>' for name in HEADER)
        body = "".join(f"<tr>{''.join(_cell(name, text) for name, text in zip(HEADER, row))}</tr>" for row in self.rows)
        caption = html.escape(" ".join(filter(None, (self.summary, self.note))))
        return (
            f'<table class="kit-progress"><caption style="caption-side:bottom;text-align:left">{caption}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def progress(lesson: str | None = None) -> ProgressTable:
    """Your progress in the exercises of a lesson ("01"), or of all, then with how many predictions came true.

    It is stored in `.kit/progress.json` on this machine and nowhere else; delete the file to start
    over. Raises `KitError` for a lesson without exercises.
    """
    listed = registry.exercises(lesson)
    note = record().entries()[1]
    entries = [record().entry(one.name) for one in listed]
    rows = tuple(_row(one, entry) for one, entry in zip(listed, entries))
    said = _predictions() if lesson is None else ""
    return ProgressTable(rows, " ".join(filter(None, (_summary(listed, entries), said))), note)


def _row(one: Exercise, entry: dict) -> tuple[str, ...]:
    state = entry["state"] + (", with the solution seen" if entry["solution_seen"] else "")
    return (one.lesson, one.name, one.dots, str(one.minutes), state, f"{entry['hints']} of {len(one.hints)}")


def _summary(exercises: tuple[Exercise, ...], entries: list[dict]) -> str:
    right = [entry["state"] == RIGHT for entry in entries]
    helped = sum(entry["solution_seen"] for entry, done in zip(entries, right) if done)
    minutes = sum(one.minutes for one, done in zip(exercises, right) if not done)
    seen = f" ({helped} with the solution seen)" if helped else ""
    rest = f"; the others take about {minutes} minutes" if minutes else ""
    return f"{sum(right)} of {len(right)} exercises are right{seen}{rest}."


def _predictions() -> str:
    """How many of the answers that were chosen before looking came true; "" where none was chosen."""
    came = [entry.get("came") for entry in record().predictions().values()]
    chosen = [one for one in came if one is not None]
    return f"{sum(chosen)} of {len(chosen)} predictions came true." if chosen else ""


def _cell(name: str, text: str) -> str:
    label = f' aria-label="difficulty {text.count("●")} of 3"' if name == "difficulty" else ""
    return f'<td style="text-align:left"{label}>{html.escape(text)}</td>'
