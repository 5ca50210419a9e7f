"""`kit handout`: the lessons for a class, once without answers and once with them."""

from __future__ import annotations

import argparse
import json
import re
from hashlib import sha256
from pathlib import Path

from kit.course.exam import exam_page
from kit.course.exercises import Exercise, exercises
from kit.course.exercises.hints import reference_code
from kit.errors import KitError
from kit.paths import bundle
from kit.storage.atomic import write_atomically

DOCUMENTS = ("glossary.md", "formulas.md")  # of docs/; they link to each other alone
RECORD = ".handout.json"  # in the folder: name → hash as written, to know what somebody changed since
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")  # to a file, not to an address or a heading


def handout(options: argparse.Namespace) -> None:
    """Write both sets below `options.out`.

    Errors: `KitError` for a folder without notebooks, an unknown lesson, and files there that somebody changed.
    """
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
    planned = _planned(wanted, options.notebooks.parent / "docs")
    _check_unchanged(options.out, planned, options.replace)
    for name, text in planned.items():
        _make((options.out / name).parent, options.out)
        write_atomically(options.out / name, text)
    record = _record(options.out) | {name: sha256(text.encode()).hexdigest() for name, text in planned.items()}
    write_atomically(options.out / RECORD, json.dumps(record, indent=1) + "\n")
    for kind in KINDS:
        print(f"{options.out / kind}: {len(wanted)} notebooks, and an exam of five questions for each")
    print(
        "What a student solved and predicted stands in .kit/progress.json beside the notebook, sent to nobody: "
        "`kit progress --export FILE` makes a table of it to hand in."
    )


def _planned(lessons: list[Path], docs: Path) -> dict[str, str]:
    """What is to be written: name in the folder of the handouts → text."""
    documents = [page for name in DOCUMENTS if (page := docs / name).is_file()]
    there = {path.name for path in lessons} | {f"../docs/{page.name}" for page in documents}
    planned = {f"docs/{page.name}": page.read_text("utf-8") for page in documents}
    for kind, made in KINDS.items():
        for path in lessons:
            notebook = linked(made(json.loads(path.read_text("utf-8"))), there)
            text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
            planned[f"{kind}/{path.name}"] = text + "\n"
            planned[f"{kind}/exam/{path.stem}.md"] = exam_page(path.stem, answers=kind == "instructor")
    return planned


def _check_unchanged(out: Path, planned: dict[str, str], replace: bool) -> None:
    """Errors: `KitError` for a file that somebody wrote or changed, unless it is to be replaced."""
    if replace or not out.is_dir():
        return
    ours, changed = _record(out), []
    for name, text in planned.items():
        path = out / name
        stands = path.read_bytes() if path.is_file() else text.encode()
        if stands != text.encode() and sha256(stands).hexdigest() != ours.get(name):
            changed.append(str(path))
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise KitError(
            f"expected no file in {out} that was changed since it was written, got {changed[0]}{more}: give another "
            "folder with --out, or write over them with --replace."
        )


def _record(out: Path) -> dict[str, str]:
    """The hash of every file as it was last written; nothing where there is no record, or a damaged one."""
    try:
        found = json.loads((out / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


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


KINDS = {"student": student, "instructor": instructor}
