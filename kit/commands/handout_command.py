"""`kit handout`: the lessons for a class, once without answers and once with them."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from kit.course.exam import exam_page
from kit.course.exercises import Exercise, exercises
from kit.course.exercises.hints import reference_code
from kit.errors import KitError
from kit.paths import bundle
from kit.storage.atomic import write_atomically

DOCUMENTS = ("glossary.md", "formulas.md")  # of docs/; they link to each other alone
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")  # to a file, not to an address or a heading


def handout(options: argparse.Namespace) -> None:
    """Write both sets below `options.out`; `KitError` for a folder without notebooks or an unknown lesson."""
    found = sorted(options.notebooks.glob("[0-9][0-9]_*.ipynb"))
    wanted = [path for path in found if not options.lessons or path.name[:2] in options.lessons]
    missing = sorted(set(options.lessons or ()) - {path.name[:2] for path in found})
    if missing or not wanted:
        if found:
            there = f"{found[0].name[:2]} to {found[-1].name[:2]}"
            raise KitError(f"expected lessons by their numbers, {there}, got {missing[0]!r}: write two digits, as 01.")
        raise KitError(
            f"expected lessons such as 00_tour.ipynb in {options.notebooks}, found none: name the folder with "
            "--notebooks."
        )
    documents = [page for name in DOCUMENTS if (page := options.notebooks.parent / "docs" / name).is_file()]
    there = {path.name for path in wanted} | {f"../docs/{page.name}" for page in documents}
    for kind, made in (("student", student), ("instructor", instructor)):
        folder = options.out / kind
        _make(folder / "exam", options.out)
        for path in wanted:
            notebook = linked(made(json.loads(path.read_text("utf-8"))), there)
            text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
            write_atomically(folder / path.name, text + "\n")
            page = exam_page(path.stem, answers=kind == "instructor")
            write_atomically(folder / "exam" / f"{path.stem}.md", page)
        print(f"{folder}: {len(wanted)} notebooks, and an exam of five questions for each")
    for page in documents:
        _make(options.out / "docs", options.out)
        write_atomically(options.out / "docs" / page.name, page.read_text("utf-8"))
    print(
        "What a student solved and predicted stands in .kit/progress.json beside the notebook, sent to nobody: "
        "`kit progress --export FILE` makes a table of it to hand in."
    )


def _make(folder: Path, out: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KitError(
            f"expected a folder for the handouts at {out}, but the system said '{error.strerror or error}': give "
            "another one with --out."
        ) from error


def default_notebooks() -> Path:
    """The folder of the lessons in a checkout."""
    return bundle().parent / "notebooks"


def student(notebook: dict) -> dict:
    """The lesson with its exercises and their checker, and without the way to the reference answers."""
    cells = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        name = cell.get("id", "").removeprefix("exercise-")
        if cell.get("id", "").startswith("exercise-"):
            source = source.replace(f'; the reference answer is `solution("{name}")`.', ".")
        elif cell["cell_type"] == "code":
            source = source.replace("import check, finding, hint, solution", "import check, finding, hint")
            source = source.replace("import check, hint, solution", "import check, hint")
        cells.append(cell | {"source": source.splitlines(keepends=True)})
    return notebook | {"cells": cells}


def linked(notebook: dict, there: set[str]) -> dict:
    """The lesson with its links to files that are `there`; of the others the words alone."""
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = LINK.sub(lambda link: link[0] if link[2] in there else link[1], "".join(cell["source"]))
            cell = cell | {"source": text.splitlines(keepends=True)}
        cells.append(cell)
    return notebook | {"cells": cells}


def instructor(notebook: dict) -> dict:
    """The lesson with every answer filled in, and below it why, and what wrong answers say about a student."""
    known = {f"answer-{one.name}": one for one in exercises()}
    cells = []
    for cell in notebook["cells"]:
        asked = known.get(cell.get("id"))
        if not asked:
            cells.append(cell)
            continue
        cells.append(cell | {"source": answered(asked).splitlines(keepends=True)})
        told = {"cell_type": "markdown", "id": f"notes-{asked.name}"[:64], "metadata": {}}
        cells.append(told | {"source": notes(asked).splitlines(keepends=True)})
    return notebook | {"cells": cells}


def answered(asked: Exercise) -> str:
    """The cell of an exercise with the reference answer in it, and the call of `check`."""
    given = asked.solution.__name__ if asked.cases else asked.asks_for
    return f'{reference_code(asked)}\n\n\ncheck("{asked.name}", {given})'


def notes(asked: Exercise) -> str:
    """Markdown for the teacher: why the answer is right, and the known mistakes by what `check` says to each."""
    why = f"**Why.** {asked.because}\n\n" if asked.because else ""
    return f"{why}**Usual mistakes**\n\n" + "\n".join(f"- {one.message}" for one in asked.mistakes)
