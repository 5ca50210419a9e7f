"""The time that a lesson says it takes: README says the same, and its exercises take the part that it says."""

from __future__ import annotations

import re
from pathlib import Path

from kit.course.exercises import exercises

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
README = (ROOT / "README.md").read_text("utf-8")
MINUTES = dict(re.findall(r"^\| \[(\d\d) .*\| (\d+) \|$", README, re.MULTILINE))


def test_minutes_are_those_of_readme_and_of_the_exercises() -> None:
    wrong, parts = [], 0
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        number, text = notebook.name[:2], notebook.read_text("utf-8")
        said = re.search(r"\*\*Time:\*\* (?:about )?(\d+) minutes", text)
        if said and said[1] != MINUTES[number]:
            wrong.append(f"{number}: {said[1]} minutes, README {MINUTES[number]}")
        part = re.search(r"minutes, (\d+) of them for the (\w+) exercises", text)
        if part:
            parts += 1
            own = exercises(number)
            if (int(part[1]), part[2]) != (sum(one.minutes for one in own), NUMBERS[len(own)]):
                wrong.append(
                    f"{number}: {part[0]}, and they are {sum(one.minutes for one in own)}, {len(own)} exercises"
                )
    assert wrong == [] and parts >= 3


def test_the_short_way_takes_the_time_that_it_says() -> None:
    """The tour, then 04 and 09 without their exercises: an hour and a half, the tour taken off a little over one."""
    assert "With an hour and a half, take 00, then 04 and 09 without theirs" in README
    left = sum(int(MINUTES[number]) - sum(one.minutes for one in exercises(number)) for number in ("04", "09"))
    assert 60 <= left <= 75 and 80 <= int(MINUTES["00"]) + left <= 100
    for path, says in {
        "scripts/site/index.html.j2": "The tour, then 04 and 09 (the workshop) without their exercises",
        "notebooks/00_tour.ipynb": "with a little over an hour left, lessons 04 and 09 without their exercises",
    }.items():
        assert says in (ROOT / path).read_text("utf-8"), path
