"""Every notebook: a clean source, badges that lead somewhere, and a run without an error."""

from __future__ import annotations

import ast
import csv
import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from notebook_head import with_head
from notebook_page import save_page
from strip_notebooks import stripped, written

from tests.notebooks.execute import errors_in, execute
from tests.notebooks.needed_cells import functions_and_values, names_in

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "notebooks"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

MAX_BYTES = 300_000
MAX_LINES = 12  # of a code cell the reader sees
MAX_MIB = 1000  # peak resident memory of the kernel in the smoke preset: Binder guarantees 1 GB


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def source(cell: dict) -> str:
    return "".join(cell["source"])


def code_cells(path: Path) -> list[dict]:
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def markdown(path: Path) -> str:
    """All text cells, without their code blocks."""
    text = "\n\n".join(source(c) for c in read(path)["cells"] if c["cell_type"] == "markdown")
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def has_tag(cell: dict, tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def test_a_tour_and_the_lessons_are_numbered() -> None:
    assert len(NOTEBOOKS) >= 13 and NOTEBOOKS[0].name == "00_tour.ipynb"
    assert [path.name[:3] for path in NOTEBOOKS] == [f"{number:02d}_" for number in range(len(NOTEBOOKS))]
    assert [path.name for path in NOTEBOOKS if not re.fullmatch(r"\d\d_[a-z0-9_]+\.ipynb", path.name)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_minutes_said_are_enough_to_read_and_to_practise(path: Path) -> None:
    """150 words a minute, beside the minutes of the exercises; what the README says the lesson says, where it does."""
    minutes = int(re.search(rf"{path.name}\).*\| (\d+) \|", (ROOT / "README.md").read_text("utf-8"))[1])
    told = [source(cell) for cell in read(path)["cells"] if not cell["id"].startswith(("exercise-", "badges"))]
    words = len(re.sub(r"<!--.*?-->", "", markdown(path), flags=re.DOTALL).split())
    asked = "\n".join(source(cell) for cell in read(path)["cells"] if cell["id"].startswith("exercise-"))
    practice = sum(int(found) for found in re.findall(r"about (\d+) minute", asked))
    assert minutes >= (words - len(asked.split())) / 150 + practice - 1
    assert [int(found) for text in told for found in re.findall(r"\*\*Time:\*\* (?:about )?(\d+)", text)] in (
        [],
        [minutes],
    )


def test_a_lesson_is_exported_as_a_script_of_python() -> None:
    """By `jupyter nbconvert --to script`: a .py, with the Colab cell's magic as a call."""
    from nbconvert import ScriptExporter

    text, made = ScriptExporter().from_filename(str(NOTEBOOKS[0]))
    assert made["output_extension"] == ".py"
    compile(text, NOTEBOOKS[0].stem, "exec")


def test_sources_are_clean() -> None:
    """nbformat 4.5, kernel python3, unique ids; no outputs, counts, widget state or leftovers."""
    import nbformat

    for path in NOTEBOOKS:
        nbformat.validate(read(path))
        ids = [cell["id"] for cell in read(path)["cells"]]
        assert len(ids) == len(set(ids)), path.name  # nbformat only warns, and writes others
    assert [path.name for path in NOTEBOOKS if path.stat().st_size >= MAX_BYTES] == []
    unclean = [path.name for path in NOTEBOOKS if path.read_text("utf-8") != written(stripped(read(path)))]
    assert unclean == [], "run `make strip`"


def test_each_has_one_title_and_one_parameters_cell() -> None:
    for path in NOTEBOOKS:
        assert len(re.findall(r"^# ", markdown(path), re.MULTILINE)) == 1, path.name
        [parameters] = [cell for cell in code_cells(path) if has_tag(cell, "parameters")]
        assigned = [node for node in ast.parse(source(parameters)).body if isinstance(node, ast.Assign)]
        names = {target.id for node in assigned for target in node.targets}
        assert "preset" in names, f"{path.name}: papermill would pass a preset that nobody reads"


def is_hidden(cell: dict) -> bool:
    return cell["metadata"].get("jupyter", {}).get("source_hidden", False)


def cells_where(broken: Callable[[dict], bool]) -> list[str]:
    """The code cells of all notebooks of which something is true that should not be."""
    return [f"{path.name}, {cell['id']}" for path in NOTEBOOKS for cell in code_cells(path) if broken(cell)]


def test_visible_code_cells_are_short() -> None:
    def is_long(cell: dict) -> bool:
        return not is_hidden(cell) and not has_tag(cell, "hide-input") and len(source(cell).splitlines()) > MAX_LINES

    assert cells_where(is_long) == []


def test_what_would_give_an_answer_away_is_hidden() -> None:
    """A cell that asks (`finding(…, ask=…)`) holds the answer in its source: hidden in Jupyter and on pages."""

    def tells(cell: dict) -> bool:
        return bool(re.search(r"\bask=", source(cell))) and not (is_hidden(cell) and has_tag(cell, "hide-input"))

    assert cells_where(tells) == []


def test_what_jupyter_hides_colab_hides() -> None:
    assert cells_where(lambda cell: is_hidden(cell) and cell["metadata"].get("cellView") != "form") == []


def test_badges_and_colab_cell_agree_with_pyproject() -> None:
    for path in NOTEBOOKS:
        anew = with_head(read(path), path.relative_to(ROOT).as_posix())
        assert path.read_text("utf-8") == written(anew), f"{path.name}: run `make badges`"


def test_badges_lead_to_files_that_exist() -> None:
    for path in NOTEBOOKS:
        linked = re.findall(r"(?:/blob/[^/\s]+|urlpath=lab/tree)/([^)\s]+)", markdown(path))
        assert len(linked) >= 2, path.name
        assert [name for name in linked if not (ROOT / name).is_file()] == [], path.name
        assert re.findall(r"github\.io/\w+/(\w+)\.html", markdown(path)) == [path.stem], path.name


def answers_needed_later(cells: list[dict]) -> list[str]:
    """Names that an answer cell binds and a later cell reads without binding them itself."""
    answers: set[str] = set()
    needed = []
    for cell in cells:
        stored, read = names_in(source(cell))
        if cell["id"].startswith("answer-"):
            answers |= stored
        else:
            needed += sorted(f"{name} in {cell['id']}" for name in (read - stored) & answers)
            answers -= stored
    return needed


@pytest.mark.slow
def test_later_cells_do_not_need_the_learners_answer() -> None:
    needed = {path.name: answers_needed_later(code_cells(path)) for path in NOTEBOOKS}
    assert {name: names for name, names in needed.items() if names} == {}


def test_the_search_for_needed_answers_finds_them() -> None:
    def cell(identity: str, code: str) -> dict:
        return {"id": identity, "source": code}

    answer = cell("answer-mean", "def mean(x):\n    ...\ncheck('mean', mean)")
    assert answers_needed_later([answer, cell("after", "print(mean(3))")]) == ["mean in after"]
    assert answers_needed_later([answer, cell("again", "mean = 2\nprint(mean)"), cell("after", "mean")]) == []


def names_of_two_kinds(cells: list[dict]) -> list[str]:
    """Names that are a function in one cell and a value in another: after the second, the first cannot be run again."""
    functions, values = zip(*(functions_and_values(source(cell)) for cell in cells))
    return sorted(set().union(*functions) & set().union(*values))


def test_no_name_is_a_function_in_one_cell_and_a_value_in_another() -> None:
    found = {path.name: names_of_two_kinds(code_cells(path)) for path in NOTEBOOKS}
    assert {name: names for name, names in found.items() if names} == {}


def test_the_search_for_names_of_two_kinds_finds_them() -> None:
    def found(*codes: str) -> list[str]:
        return names_of_two_kinds([{"id": str(i), "source": code} for i, code in enumerate(codes)])

    assert found("from kit.losses import mnrl", "for mnrl in (1, 2):\n    pass") == ["mnrl"]
    assert found("def apart(x):\n    far = x", "near, apart = 1, 2", "far = 3\n[near for apart in ()]") == ["apart"]


# Settings, places in a paper, and what an exercise supposes are not results.
NOT_A_RESULT = re.compile(r"(?:[τλ]\s*(?:=|of)?\s*|[Ss]ections? |and |Eq\. |Table |Python |version )\d+(?:\.\d+)+")


def results_in(text: str) -> list[str]:
    """The decimal numbers in prose that are neither formula, code, link nor setting."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)
    return re.findall(r"(?<![\d.])\d+\.\d+", NOT_A_RESULT.sub(" ", text))


def test_figures_in_prose_are_published_ones() -> None:
    """What we measured is printed by a cell that reads the file; only others' figures stand in prose,
    and each of those in data/papers with its source."""
    cited = set()
    for name in ("published.csv", "cited.csv"):
        with (ROOT / "data" / "papers" / name).open(encoding="utf-8") as file:
            cited |= {row["value"] for row in csv.DictReader(file)}
    uncited = [
        f"{path.name}, {cell['id']}: {value}"
        for path in NOTEBOOKS
        for cell in read(path)["cells"]
        if cell["cell_type"] == "markdown" and not cell["id"].startswith("exercise-")
        for value in results_in(source(cell))
        if value not in cited
    ]
    assert uncited == []


def test_images_have_a_text_and_links_a_target() -> None:
    for path in NOTEBOOKS:
        text = markdown(path)
        alternatives = re.findall(r"!\[([^\]]*)\]\(", text)
        assert [alt for alt in alternatives if len(alt.split()) < 3] == [], path.name
        assert [tag for tag in re.findall(r"<img[^>]*>", text) if not re.search(r'alt="[^"]+"', tag)] == [], path.name
        targets = re.findall(r"\]\(([^)\s#]+)", text)
        local = [target for target in targets if not re.match(r"[a-z]+:", target)]
        assert [target for target in local if not (path.parent / target).exists()] == [], path.name


def exists(name: str) -> bool:
    """Whether a dotted name, such as `kit.losses.scl`, is a module or stands in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        return all((value := getattr(value, part, None)) is not None for part in parts[length:])
    return False


def test_files_and_names_of_the_kit_in_prose_exist() -> None:
    gone = []
    for path in NOTEBOOKS:
        text = markdown(path)
        files = re.findall(r"\b((?:kit|scripts|tests|data|docs)/[\w/]+\.(?:py|js|md|csv|json))\b", text)
        gone += [f"{path.name}: {file}" for file in files if not (ROOT / file).exists()]
        gone += [f"{path.name}: {name}" for name in re.findall(r"`(kit(?:\.\w+)+)", text) if not exists(name)]
    assert gone == []


def undecided(notebook: dict) -> list[str]:
    """Questions with options of which not exactly one is what came out."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    boards = [output.get("metadata", {}).get("kit_board", {}) for output in outputs]
    asked = [board["state"] for board in boards if board.get("id") == "prediction"]
    return [one["ask"] for one in asked if one["options"] and sum(came for _, came in one["options"]) != 1]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_without_error_or_network(path: Path, kernel: str) -> None:
    """Smoke preset, the kernel cut off from the network, nothing writable but TMPDIR; errors inside widgets count."""
    execution = execute(path, BUILT, kernel, preset="smoke")
    if path is NOTEBOOKS[0]:
        save_page(BUILT / path.name)  # `make site` makes those of all
    cost = {"preset": "smoke", "seconds": round(execution.seconds, 1), "peak_mib": round(execution.peak_mib)}
    (BUILT / f"{path.stem}.cost.json").write_text(json.dumps(cost), "utf-8")
    assert execution.stopped_by is None
    assert errors_in(execution.notebook) == []
    assert undecided(execution.notebook) == []
    assert 0 < execution.peak_mib < MAX_MIB
