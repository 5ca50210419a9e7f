"""Exercises on a page that nobody can run: a field for a number, every choice with its verdict, hints, the answer."""

from __future__ import annotations

import html
import json
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
    """Fields or choices, hints and solution of an exercise as Markdown, each in an element of its own."""
    from kit.course.exercises.checking import judge
    from kit.course.exercises.hints import reference_code

    parts = []
    single = isinstance(exercise.solution, str)
    if single:
        parts.append("Your answer:")
    elif not exercise.cases:
        parts.append(_fields(exercise))
    for choice in exercise.choices if single else ():
        verdict = judge(exercise, choice)
        words = "Right." if verdict.outcome == "right" else "Not yet."
        parts.append(_folded("choice", choice, f"**{choice}: {words}** {verdict.message}"))
    for number, hint in enumerate(exercise.hints, 1):
        parts.append(_folded("hint", f"Hint {number} of {len(exercise.hints)}", hint))
    code = f"```python\n{reference_code(exercise)}\n```"
    parts.append(_folded("solution", "Solution", "\n\n".join(filter(None, (code, exercise.because)))))
    return "\n\n".join(parts)


def _fields(exercise) -> str:
    """A place for the answer, value by value: the page makes its fields and looks up what to say (page_tools.js)."""
    wrong = [mistake.answer for mistake in exercise.mistakes]
    right = exercise.solution if isinstance(exercise.solution, tuple) else (exercise.solution,)
    wrong = [one if isinstance(one, tuple) else (one,) for one in wrong]
    asked = {
        "right": [_value(one) for one in right],
        "wrong": [[_value(one) for one in answer] for answer in wrong],
        "tolerance": exercise.tolerance,
        "choices": [_choices(exercise, place, [right, *wrong]) for place in range(len(right))],
    }
    said = [f"**That is it.** {exercise.remember}", *(f"**Not yet.** {m.message}" for m in exercise.mistakes)]
    verdicts = "\n\n".join(f'<div class="said" hidden>\n\n{one}\n\n</div>' for one in said)
    note = exercise.stub.partition("#")[2].strip() if "#" in exercise.stub else ""
    note = note[1:-1] if note.startswith("(") and note.endswith(")") else note
    label = html.escape(f"Your answer{f' ({note})' if note else ''}:")
    return f'<div class="asked" data-asked="{html.escape(json.dumps(asked))}">\n\n{label}\n\n{verdicts}\n\n</div>'


def _value(one: object) -> object:
    """For the page: numbers and words as they are, True and False as words, and null for what may be anything."""
    return None if one is ... else str(one) if isinstance(one, bool) else one


def _choices(exercise, place: int, answers: list[tuple]) -> list[str]:
    """The words to choose from at this place of the answer; none where it is a number."""
    if not isinstance(answers[0][place], (str, bool)):
        return []
    return sorted({*exercise.choices, *(str(answer[place]) for answer in answers if answer[place] is not ...)})


def _folded(kind: str, summary: str, text: str) -> str:
    return f'<details class="{kind}"><summary>{summary}</summary>\n\n{text}\n\n</details>'


def _markdown(text: str):
    from nbformat.v4 import new_output

    return new_output("display_data", {"text/markdown": text})
