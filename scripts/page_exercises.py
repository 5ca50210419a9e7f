"""Exercises on a page that nobody can run: hints, the answer, and every choice with its verdict, folded away."""

from __future__ import annotations

import re

STUCK = re.compile(r"^Stuck\? Run `hint\(.*$", re.MULTILINE)


def answered(cells: list) -> None:
    """Put into each exercise's answer cell, instead of its outputs, what `check`, `hint` and `solution` would say.

    cells: of an executed notebook; the markdown cell `exercise-<name>` stands before the code cell `answer-<name>`.
    """
    from kit.course.exercises import exercises

    known = {exercise.name: exercise for exercise in exercises()}
    for cell in cells:
        kind, _, name = cell.get("id", "").partition("-")
        if name not in known:
            continue
        if kind == "exercise":
            cell.source = STUCK.sub("", cell.source).rstrip()
        if kind == "answer":
            cell.outputs = [_markdown(answers(known[name]))]


def answers(exercise) -> str:
    """Choices, hints and solution of an exercise as Markdown, each in a <details> of its own."""
    from kit.course.exercises.checking import judge
    from kit.course.exercises.hints import reference_code

    parts = []
    if exercise.choices:
        parts.append("Your answer:")
    for choice in exercise.choices:
        verdict = judge(exercise, choice)
        words = "Right." if verdict.outcome == "right" else "Not yet."
        parts.append(_folded("choice", choice, f"**{choice}: {words}** {verdict.message}"))
    for number, hint in enumerate(exercise.hints, 1):
        parts.append(_folded("hint", f"Hint {number} of {len(exercise.hints)}", hint))
    code = f"```python\n{reference_code(exercise)}\n```"
    parts.append(_folded("solution", "Solution", "\n\n".join(filter(None, (code, exercise.because)))))
    return "\n\n".join(parts)


def _folded(kind: str, summary: str, text: str) -> str:
    return f'<details class="{kind}"><summary>{summary}</summary>\n\n{text}\n\n</details>'


def _markdown(text: str):
    from nbformat.v4 import new_output

    return new_output("display_data", {"text/markdown": text})
