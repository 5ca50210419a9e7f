"""Boards without a browser: scripts that stand alone, errors that show, state that travels."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from kit.boards.board import MORE, NOT_ALIVE, SHARED, SOURCES, Board, modules, script, style
from kit.captions import caption
from kit.errors import KitError

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (SOURCES, ROOT / "kit" / "course", ROOT / "scripts" / "site")
FORMATTED = sorted(path for folder in FOLDERS for path in folder.iterdir() if path.suffix in (".js", ".css"))


def test_scripts_need_nothing_else() -> None:
    for name in modules():
        text = script(name)
        assert "import " not in text and "http" not in text.replace("http://www.w3.org", ""), name
        missing = [f for f in ("controls", "compute", "draw", "summary") if f"const {f} = (" not in text]
        assert not missing and text.count("export default") == 1, (name, missing)


def test_every_board_has_a_test_a_case_and_a_drawing_at_the_oldest_versions() -> None:
    """Those in a browser and at the oldest versions run seldom; that they are there is seen at once."""
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name not in ("browser", "oldest")]
    written = "\n".join(path.read_text("utf-8") for path in tests)
    cases = (ROOT / "tests" / "browser" / "board_cases.py").read_text("utf-8")
    oldest = (ROOT / "tests" / "oldest" / "test_oldest.py").read_text("utf-8")
    for name in modules():
        assert re.search(rf"\b{name}_widget\b", written), f"add tests/boards/test_{name}_widget.py"
        assert re.search(rf'"{name}"', cases), f"add a case of {name} to tests/browser/board_cases.py"
        assert re.search(rf"\b{name}(_board)?\b", oldest), f"add {name} to tests/oldest/test_oldest.py"


def test_no_line_is_longer_than_120() -> None:
    long = [
        f"{path.name}:{number}"
        for path in FORMATTED
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []


def test_formatted_by_prettier() -> None:
    """With .prettierrc.json; to format: npx prettier@3 --write, and the folders above."""
    prettier = os.environ.get("KIT_PRETTIER") or shutil.which("prettier")
    if not prettier:
        pytest.skip(
            "SKIPPED: no prettier 3 here, so the form of the JavaScript is not checked; name it in KIT_PRETTIER"
        )
    done = subprocess.run([prettier, "--list-different", *FORMATTED], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_shared_parts_are_no_boards() -> None:
    assert not set(SHARED) & set(modules())
    assert {path.stem for path in SOURCES.glob("*.js")} == {*SHARED, *modules(), *sum(MORE.values(), ())}
    assert ".kit-board" in style()


def test_halos_have_the_ground_of_a_theme_that_is_named() -> None:
    for theme in ("light", "dark"):
        rule = re.search(rf'\.kit-board\[data-theme="{theme}"\] {{(.*?)}}', style(), re.DOTALL)[1]
        paper, ground = (re.search(rf"{name}: (#\w+);", rule)[1] for name in ("--kit-paper", "background"))
        assert paper == ground, theme


@pytest.mark.parametrize("module", ["tau_lamda", "charts"])
def test_unknown_names_are_told(module: str) -> None:
    with pytest.raises(KitError, match="^unknown board"):
        Board(module, {}, "a sentence")


def test_an_answer_replaces_the_state_and_an_error_keeps_it() -> None:
    def respond(controls: dict) -> dict:
        if controls["n"] < 0:
            raise KitError("expected n of 0 or more, got -1.")
        return {"half": 1 / controls["n"]}

    board = Board("tau_lambda", {"half": 1.0}, "one half", {"n": 1}, respond)
    board.widget.controls = {"n": 2}
    assert board.state == {"half": 0.5} and board.widget.error == ""
    board.widget.controls = {"n": -1}
    assert board.state == {"half": 0.5}, "the last good picture stays"
    assert board.widget.error == "expected n of 0 or more, got -1."
    board.widget.controls = {"n": 0}
    assert "ZeroDivisionError" in board.widget.error
    board.widget.controls = {"n": 4}
    assert board.state == {"half": 0.25} and board.widget.error == ""


def test_a_control_is_moved_from_code_and_nothing_is_ignored() -> None:
    board = Board("tau_lambda", {}, "a sentence", {"tau": 0.05, "lam": 0.3, "word": "a"}, lambda chosen: dict(chosen))
    board.controls["lam"] = 0.0
    assert board.widget.controls == board.controls == {"tau": 0.05, "lam": 0.0, "word": "a"}
    assert board.state == {"tau": 0.05, "lam": 0.0, "word": "a"}, "the kernel answers as to a moved slider"
    board.controls = {"tau": 1.0}
    assert board.controls == {"tau": 1.0, "lam": 0.0, "word": "a"} and len(board.controls) == 3
    for name, value, message in (("lambda", 0, "unknown control 'lambda'"), ("lam", "0", "expected lam to be like 0.0"),
                                 ("word", 1, "expected word to be like 'a'")):  # fmt: skip
        with pytest.raises(KitError, match=message):
            board.controls[name] = value
    with pytest.raises(KitError, match="cannot be taken off"):
        del board.controls["tau"]
    assert board.controls == {"tau": 1.0, "lam": 0.0, "word": "a"}


def test_what_is_shown_can_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **more: shown.append((data, more)))
    Board("tau_lambda", {"labels": ["a"]}, "what it <shows>", {"tau": 1})._ipython_display_()
    [(data, more)] = shown
    assert data["text/html"] == caption("what it <shows>") + NOT_ALIVE and "live kernel" in NOT_ALIVE
    assert "application/vnd.jupyter.widget-view+json" in data
    alone = more["metadata"]["kit_board"]
    assert json.loads(json.dumps(alone))["state"] == {"labels": ["a"]}
    assert "render" in alone["esm"] and alone["controls"] == {"tau": 1}


def test_a_page_without_a_kernel_has_what_was_made_for_it() -> None:
    """Not the state of the kernel that is gone: a recorded run, or a note that nothing can be typed."""
    board = Board("tau_lambda", {"mode": "live"}, "a sentence", offline={"mode": "recorded"})
    board.show({"mode": "live", "step": 3})
    assert board.standalone()["state"] == {"mode": "recorded"}
    assert Board("tau_lambda", {"labels": ["a"]}, "a sentence").standalone()["state"] == {"labels": ["a"]}


def test_a_cell_that_runs_again_closes_the_boards_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of one execution stay, and those of other cells."""
    shell = SimpleNamespace(execution_count=0)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)

    def executed(cell: str) -> list[Board]:
        shell.execution_count += 1
        shell.get_parent = lambda: {"metadata": {"cellId": f"test_board {cell}"}}
        return [Board("tau_lambda", {}, "a sentence") for _ in range(2)]

    def open_ones(boards: list[Board]) -> list[bool]:
        return [board.widget.comm is not None for board in boards]

    first, other = executed("first"), executed("other")
    assert open_ones(first) == open_ones(other) == [True, True]
    again = executed("first")
    assert (open_ones(first), open_ones(other), open_ones(again)) == ([False] * 2, [True] * 2, [True] * 2)
