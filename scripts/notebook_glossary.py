"""The words of docs/glossary.md, linked where a lesson uses them first.

    python scripts/notebook_glossary.py [--check] [notebook ...]     default: notebooks/*.ipynb

A word is linked once a lesson, at its first use in running text: not in headings, tables, code, formulas, exercises,
or inside another link. Links that stand elsewhere are taken out, so that moving a paragraph needs no care.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from strip_notebooks import stripped, written

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
ADDRESS = "../docs/glossary.md"  # as a notebook names it
ROW = re.compile(r'^\| <a id="(?P<place>[^"]+)"></a>(?P<names>[^|]+) \|', re.MULTILINE)
LINK = re.compile(rf"\[([^\]]+)\]\({re.escape(ADDRESS)}#[^)]*\)")
# Names of a row that are everyday words as well, most often in that sense, or stand in nearly every lesson.
EVERYDAY = {"all", "mean", "neutral", "views", "rank", "dropout", "padding", "softmax", "triplet"}
# What no link may stand in: code, formulas, links, comments, HTML, headings and tables.
CLOSED = re.compile(
    r"^[ >]*(?P<fence>```+|~~~+).*?^[ >]*(?P=fence)[ ]*$|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|!?\[[^\]]*\]\([^)]*\)"
    r"|<!--.*?-->|<summary>.*?</summary>|<[^>\n]*>|^[ >]*#+ .*?$|^[ >]*\|.*?$",
    re.DOTALL | re.MULTILINE,
)


def terms(glossary: str) -> dict[str, str]:
    """Each name that is looked for, and the place of its row in the glossary."""
    names = ((name, row["place"]) for row in ROW.finditer(glossary) for name in row["names"].split(", "))
    return {name: place for name, place in names if name not in EVERYDAY}


def pattern(names: Sequence[str]) -> re.Pattern:
    """What finds any of the names as a whole word, singular or plural, the longest first; capitals count in NLI."""

    def one(name: str) -> str:
        word = re.escape(name) + ("" if name.endswith("s") or not name[-1].isalpha() else "s?")
        return f"(?i:{word})" if name.islower() and name.isascii() else word

    ordered = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(one, ordered))})(?![\w-])")


def is_prose(cell: Mapping) -> bool:
    """Whether words are looked for in this cell: exercises are written elsewhere, badges are links."""
    return cell["cell_type"] == "markdown" and not cell.get("id", "").startswith(("exercise-", "badges"))


def open_parts(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether a link may stand in it."""
    at = 0
    for closed in CLOSED.finditer(text):
        yield text[at : closed.start()], True
        yield closed[0], False
        at = closed.end()
    yield text[at:], True


def linked(notebook: dict, known: Mapping[str, str]) -> dict:
    """The notebook with every term linked at its first use, and nowhere else."""
    find, seen = pattern(list(known)), set()
    places = {name.lower(): place for name, place in known.items()}

    def link(match: re.Match) -> str:
        word = match[0].lower()
        place = places.get(word) or places[word.removesuffix("s")]
        if place in seen:
            return match[0]
        seen.add(place)
        return f"[{match[0]}]({ADDRESS}#{place})"

    cells = []
    for cell in notebook["cells"]:
        if is_prose(cell):
            text = LINK.sub(r"\1", "".join(cell["source"]))
            parts = [find.sub(link, part) if free else part for part, free in open_parts(text)]
            cell = {**cell, "source": "".join(parts)}
        cells.append(cell)
    return stripped({**notebook, "cells": cells})


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when all is in order (or was put in order), 1 where links are missing with --check."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("notebooks", nargs="*", type=Path, default=sorted((ROOT / "notebooks").glob("*.ipynb")))
    options.add_argument("--check", action="store_true", help="change nothing; exit 1 if needed")
    given = options.parse_args(arguments)
    known, failed = terms(GLOSSARY.read_text("utf-8")), False
    for path in given.notebooks:
        notebook = json.loads(path.read_text("utf-8"))
        filled = linked(notebook, known)
        if filled == stripped(notebook):
            continue
        failed |= given.check
        if not given.check:
            path.write_text(written(filled), "utf-8")
        print(f"{path.name}: {'links to the glossary are missing: run make exercises' if given.check else 'linked'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
