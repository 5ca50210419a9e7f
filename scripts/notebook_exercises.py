"""The exercise cells of the notebooks, written from the exercises in kit/course/exercises/.

    python scripts/notebook_exercises.py [--check] [notebook ...]     default: notebooks/*.ipynb

A notebook marks the places: a markdown cell with the id `exercise-<name>`, and after it a code
cell with the id `answer-<name>`. This fills them. A place for an exercise that does not exist, an
exercise of the lesson without a place, and a place in another lesson's notebook are told: that
notebook is left as it is, and the program ends in 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from strip_notebooks import stripped, written

from kit.course.exercises import Exercise, exercises

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"(exercise|answer)-(.+)")


def question(asked: Exercise) -> str:
    """Markdown: title, difficulty and minutes, the prompt, and where to find help."""
    minutes = f"about {asked.minutes} minute{'s' * (asked.minutes != 1)}"
    return (
        f"### Exercise: {asked.title}\n\n"
        f"{asked.dots} difficulty {asked.difficulty} of 3 · {minutes}\n\n"
        f"{asked.prompt.strip()}\n\n"
        f'Stuck? Run `hint("{asked.name}")`; the reference answer is `solution("{asked.name}")`.'
    )


def with_exercises(notebook: dict, asked: Sequence[Exercise]) -> dict:
    """The notebook with every exercise's two cells as they should be; places must be there."""
    texts = {f"exercise-{one.name}": ("markdown", question(one)) for one in asked}
    texts |= {f"answer-{one.name}": ("code", one.cell) for one in asked}
    cells = []
    for cell in notebook["cells"]:
        kind, source = texts.get(cell.get("id"), (cell["cell_type"], cell["source"]))
        cells.append({**cell, "cell_type": kind, "source": source})
    return stripped({**notebook, "cells": cells})


def problems(notebook: dict, lesson: str, known: Sequence[Exercise]) -> list[str]:
    """What is wrong with the places in the notebook of `lesson`, a sentence each."""
    ids = [cell.get("id", "") for cell in notebook["cells"]]
    lesson_of = {one.name: one.lesson for one in known}
    found = []
    for place in dict.fromkeys(ids):
        if not (match := PLACE.fullmatch(place)):
            continue
        name = match[2]
        if name not in lesson_of:
            found.append(f"the cell {place} is for an exercise that does not exist: {name}.")
        elif lesson_of[name] != lesson:
            found.append(f"the cell {place} is for an exercise of lesson {lesson_of[name]}.")
    for name in (name for name, number in lesson_of.items() if number == lesson):
        count = [ids.count(f"{kind}-{name}") for kind in ("exercise", "answer")]
        if count != [1, 1]:
            found.append(
                f"expected one cell exercise-{name} and one cell answer-{name}, got {count[0]} and {count[1]}."
            )
        elif ids.index(f"answer-{name}") != ids.index(f"exercise-{name}") + 1:
            found.append(f"the cell answer-{name} does not stand right after exercise-{name}.")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when all is in order (or was put in order), 1 where a place is wrong or, with --check, out of date."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("notebooks", nargs="*", type=Path, default=sorted((ROOT / "notebooks").glob("*.ipynb")))
    options.add_argument("--check", action="store_true", help="change nothing; exit 1 if needed")
    given = options.parse_args(arguments)
    failed = 0
    for path in given.notebooks:
        notebook, lesson = json.loads(path.read_text("utf-8")), path.name[:2]
        found = problems(notebook, lesson, exercises())
        filled = with_exercises(notebook, [one for one in exercises() if one.lesson == lesson])
        if not found and filled != stripped(notebook):
            if given.check:
                found = ["the exercise cells differ from kit/course/exercises: run scripts/notebook_exercises.py."]
            else:
                path.write_text(written(filled), "utf-8")
                print(f"{path.name}: exercise cells written")
        for problem in found:
            print(f"{path.name}: {problem}")
        failed |= bool(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
