"""Boards without a browser: scripts that stand alone, errors that show, state that travels."""

from __future__ import annotations

import json

import pytest

from kit.boards.board import SHARED, SOURCES, Board, modules, script, style
from kit.errors import KitError


@pytest.mark.parametrize("name", modules())
def test_script_needs_nothing_else(name: str) -> None:
    text = script(name)
    assert "import " not in text and "http" not in text.replace("http://www.w3.org", "")
    for function in ("controls", "compute", "draw", "summary"):
        assert f"const {function} = (" in text
    assert text.count("export default") == 1


def test_shared_parts_are_no_boards() -> None:
    assert not set(SHARED) & set(modules())
    assert {path.stem for path in SOURCES.glob("*.js")} == {*SHARED, *modules()}
    assert ".kit-board" in style()


@pytest.mark.parametrize(("module", "theme"), [("tau_lamda", "auto"), ("charts", "auto"), ("tau_lambda", "pink")])
def test_unknown_names_are_told(module: str, theme: str) -> None:
    with pytest.raises(KitError, match="^unknown (board|theme)"):
        Board(module, {}, "a sentence", theme=theme)


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


def test_what_is_shown_can_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **more: shown.append((data, more)))
    Board("tau_lambda", {"labels": ["a"]}, "what it <shows>", {"tau": 1})._ipython_display_()
    [(data, more)] = shown
    assert "what it &lt;shows&gt;" in data["text/html"] and "application/vnd.jupyter.widget-view+json" in data
    alone = more["metadata"]["kit_board"]
    assert json.loads(json.dumps(alone))["state"] == {"labels": ["a"]}
    assert "render" in alone["esm"] and alone["controls"] == {"tau": 1}
