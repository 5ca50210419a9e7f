"""The time that a lesson says it takes: README says the same, and its exercises take the part that it says."""

from __future__ import annotations

import re
from pathlib import Path

from kit.course.exercises import exercises

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def test_minutes_are_those_of_readme_and_of_the_exercises() -> None:
    readme = dict(re.findall(r"^\| \[(\d\d) .*\| (\d+) \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE))
    wrong, parts = [], 0
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        number, text = notebook.name[:2], notebook.read_text("utf-8")
        said = re.search(r"\*\*Time:\*\* (?:about )?(\d+) minutes", text)
        if said and said[1] != readme[number]:
            wrong.append(f"{number}: {said[1]} minutes, README {readme[number]}")
        part = re.search(r"minutes, (\d+) of them for the (\w+) exercises", text)
        if part:
            parts += 1
            own = exercises(number)
            if (int(part[1]), part[2]) != (sum(one.minutes for one in own), NUMBERS[len(own)]):
                wrong.append(
                    f"{number}: {part[0]}, and they are {sum(one.minutes for one in own)}, {len(own)} exercises"
                )
    assert wrong == [] and parts >= 3
