"""`kit handout`: the lessons for a class, once without answers and once with them."""

from __future__ import annotations

import argparse
import json
import os
import re
from hashlib import sha256
from pathlib import Path

from kit.course.exam import exam_lessons, exam_page
from kit.course.exercises import Exercise, exercises
from kit.course.exercises.hints import reference_code
from kit.errors import KitError
from kit.paths import bundle
from kit.storage.atomic import write_atomically

DOCUMENTS = ("glossary.md", "formulas.md")  # of docs/; they link to each other alone
RECORD = ".handout.json"  # in the folder: name → hash as written, to know what somebody changed since
CALL = re.compile(r"\bsolution\(")
ADDRESS = re.compile(r'git\+[^"]+')  # of the repository, in the cell that installs the kit on Colab
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")  # to a file, not to an address or a heading


def handout(options: argparse.Namespace) -> None:
    """Write both sets below `options.out`.

    Errors: `KitError` for a folder without notebooks, an unknown lesson, a notebook that is damaged or calls
    `solution`, and files there that somebody changed.
    """
    lessons = _lessons(options)
    documents = _documents(options.notebooks)
    planned = _planned(lessons, documents)
    _check_unchanged(options.out, planned, options.replace)
    for name, text in planned.items():
        _make((options.out / name).parent, options.out)
        write_atomically(options.out / name, text)
    record = _record(options.out) | {name: sha256(text.encode()).hexdigest() for name, text in planned.items()}
    write_atomically(options.out / RECORD, json.dumps(record, indent=1) + "\n")
    for kind in KINDS:
        count = f"{len(lessons)} notebook{'s' * (len(lessons) != 1)}"
        pages = ", and the pages they link to" if documents else "; pages they link to were not found"
        print(f"{options.out / kind}: {count}, five exam questions for each{pages}")
    print(
        "What a student solved and predicted stands in .kit/progress.json beside the notebook, sent to nobody: "
        "`kit progress --export FILE --name NAME` makes a table of it to hand in. Exercises are for learning, not for "
        "marks: the package on a student's machine holds the reference answers and those of the exam."
    )


def _lessons(options: argparse.Namespace) -> list[Path]:
    """The notebooks that were asked for; others in the folder, such as copies, are named and left out."""
    known = exam_lessons()
    there = sorted(options.notebooks.glob("[0-9][0-9]_*.ipynb"))
    found = [path for path in there if path.stem in known]
    if not found:
        if options.notebooks.is_dir():
            os.listdir(options.notebooks)  # where a folder is closed, this says so, and `glob` finds nothing
        raise KitError(
            f"expected lessons such as 00_tour.ipynb in {options.notebooks}, found none: name the folder with "
            "--notebooks (the installed package has none; they are in the repository, in notebooks)."
        )
    if missing := sorted(set(options.lessons or ()) - {path.name[:2] for path in found}):
        span = f"{found[0].name[:2]} to {found[-1].name[:2]}"
        raise KitError(f"expected lessons by their numbers, {span}, got {missing[0]!r}: write two digits, as 01.")
    if others := [path.name for path in there if path.stem not in known]:
        print(f"Left out: {', '.join(others)}; no lesson of this kit has such a name.")
    return [path for path in found if not options.lessons or path.name[:2] in options.lessons]


def _documents(notebooks: Path) -> list[Path]:
    """The pages that lessons link to: in a handout they lie beside the lessons, in a checkout beside their folder."""
    places = (notebooks / "docs", notebooks.parent / "docs")
    found = ([place / name for place in places if (place / name).is_file()] for name in DOCUMENTS)
    return [pages[0] for pages in found if pages]


def _planned(lessons: list[Path], documents: list[Path]) -> dict[str, str]:
    """What is to be written: name in the folder of the handouts → text. Each set can be given away by itself."""
    there = {path.name: path.name for path in lessons}
    there |= {f"{up}docs/{page.name}": f"docs/{page.name}" for page in documents for up in ("../", "")}
    planned = {}
    for kind, made in KINDS.items():
        planned |= {f"{kind}/docs/{page.name}": page.read_text("utf-8") for page in documents}
        for path in lessons:
            notebook = linked(with_start(made(unworked(_read(path)))), there)
            text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
            planned[f"{kind}/{path.name}"] = text + "\n"
            planned[f"{kind}/exam/{path.stem}.md"] = exam_page(path.stem, answers=kind == "instructor")
    return planned


def _read(path: Path) -> dict:
    try:
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            cell["source"], cell["cell_type"] = "".join(cell["source"]), str(cell["cell_type"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KitError(f"expected a notebook in {path}, but it cannot be read ({error!r}): restore it.") from error
    return notebook


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


def unworked(notebook: dict) -> dict:
    """The lesson as nobody has worked in it: exercises as they are asked, no outputs, no notes of an instructor.

    Errors: `KitError` for a cell that calls `solution`, which no lesson has.
    """
    asked = {f"answer-{one.name}": one.cell for one in exercises()}
    cells = []
    for cell in notebook["cells"]:
        name = cell.get("id", "")
        if name.startswith("notes-"):
            continue
        if cell["cell_type"] == "code":
            cell = cell | {"source": asked.get(name, cell["source"]), "outputs": [], "execution_count": None}
            if CALL.search(cell["source"]):
                raise KitError(
                    "expected lessons as they come, got one in which a cell calls solution(…): take the cell out, or "
                    "name a folder of fresh notebooks with --notebooks."
                )
        cells.append(cell)
    return notebook | {"cells": cells}


def with_start(notebook: dict) -> dict:
    """The lesson told how to open it where it lies; links to the lessons of the course, with answers, go."""
    cells = []
    address = next((found[0] for cell in notebook["cells"] if (found := ADDRESS.search(cell["source"]))), "")
    for cell in notebook["cells"]:
        if cell.get("id") == "badges":
            cell = cell | {
                "source": "In Colab, upload this file: its first cell installs the kit. On a machine of your own, with "
                f'Python 3.11 or later: `pip install "pullpush-kit[notebook] @ {address}"`, then `jupyter lab`.'
            }
        cells.append(cell)
    return notebook | {"cells": cells}


def student(notebook: dict) -> dict:
    """The lesson with its exercises and their checker, and without the way to the reference answers."""
    cells = []
    for cell in notebook["cells"]:
        source = cell["source"]
        name = cell.get("id", "").removeprefix("exercise-")
        if cell.get("id", "").startswith("exercise-"):
            source = source.replace(f'; the reference answer is `solution("{name}")`.', ".")
        elif cell["cell_type"] == "code":
            source = source.replace("import check, finding, hint, solution", "import check, finding, hint")
            source = source.replace("import check, hint, solution", "import check, hint")
        cells.append(cell | {"source": source})
    return notebook | {"cells": cells}


def linked(notebook: dict, there: dict[str, str]) -> dict:
    """The lesson, its links to files led to where those lie in the handout; of links to others the words alone."""

    def led(link: re.Match[str]) -> str:
        if link[2] not in there:
            return link[1]
        start, end = (at - link.start() for at in link.span(2))
        return link[0][:start] + there[link[2]] + link[0][end:]

    cells = []
    for cell in notebook["cells"]:
        text = LINK.sub(led, cell["source"]) if cell["cell_type"] == "markdown" else cell["source"]
        cells.append(cell | {"source": text.splitlines(keepends=True)})
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
        cells.append(cell | {"source": answered(asked)})
        told = {"cell_type": "markdown", "id": f"notes-{asked.name}"[:64], "metadata": {}}
        cells.append(told | {"source": notes(asked)})
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
