"""Predict, then look: a question that shows what came out only after the reader has said what it will be.

The guess is kept in the progress file (kit/course/exercises/progress_record.py), the first one only: who has seen
the answer predicts no more. On a page without a kernel it is kept in the page, and where nothing can be clicked at
all the answer is folded away.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Mapping
from pathlib import Path

from kit.course.exercises.progress_record import record
from kit.course.exercises.verdict import marked_up
from kit.errors import KitError

HERE = Path(__file__).parent


def show_prediction(ask: str, text: str, options: Mapping[str, object], held: bool) -> None:
    """Display the question, and `text` (Markdown) behind it.

    options: the answers to choose from, and whether each is what came out in this run; empty for a line to write into.
    held: whether the lesson's own sentence is the one shown, kept in the output's metadata.
    Errors: `KitError` for one option only, or for one that is neither true nor false.
    """
    from IPython.display import display

    state = {"ask": ask, "options": _checked(options), "answer": as_html(text)}
    widget = _widget_class()(state=state)
    widget.observe(lambda change: _keep(widget, change["new"]), names="guess")
    bundle = widget._repr_mimebundle_() if hasattr(widget, "_repr_mimebundle_") else None
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    if not data:  # ipywidgets 7 with an anywidget that leaves the display to it
        display(widget)
        return
    display(
        {**data, "text/html": folded(ask, text), "text/plain": f"Predict, then look. {ask}\n{text}"},
        raw=True,
        metadata={"kit_board": standalone(state), "kit": {"finding": held}},
    )


def standalone(state: dict) -> dict:
    """What a page without a kernel needs to show the question by itself, JSON-ready."""
    return {"id": "prediction", **_sources(), "theme": "auto", "state": state, "controls": {}}


def folded(ask: str, text: str) -> str:
    """The question as HTML that needs no script: the answer opens by mouse or keyboard."""
    question = f"<summary><b>Predict, then look.</b> {html.escape(ask)}</summary>"
    return f'<details class="kit-prediction">{question}{as_html(text)}</details>'


def as_html(text: str) -> str:
    """The little Markdown that such sentences have (code, strong, emphasis, lists, paragraphs) as HTML."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = marked_up(block).split("\n")
        if all(line.startswith("- ") for line in lines):
            blocks.append(f"<ul>{''.join(f'<li>{line[2:]}</li>' for line in lines)}</ul>")
        else:
            blocks.append(f"<p>{' '.join(lines)}</p>")
    return "".join(blocks)


def _checked(options: Mapping[str, object]) -> list[list]:
    if len(options) == 1:
        raise KitError(f"expected two options or more, or none for a free answer, got one: {next(iter(options))!r}.")
    try:
        return [[str(words), bool(came)] for words, came in options.items()]
    except (TypeError, ValueError, RuntimeError):
        raise KitError("expected true or false for each option: compare two numbers.") from None


def _keep(widget, guess: str) -> None:
    """The guess into the progress file. Below the answer stands what is wrong with the file, or an earlier guess."""
    ask, options = widget.state["ask"], widget.state["options"]
    before = record().prediction(ask)["guess"]
    problem = record().predicted(ask, guess, dict(map(tuple, options)).get(guess))
    widget.note = problem or (f"The first time you said: {before}" if before not in ("", guess) else "")


@functools.cache
def hearing() -> str:
    """The JavaScript with which a widget of the kit hears its kernel, loaded late or not, and its end (hearing.js)."""
    return (HERE / "hearing.js").read_text("utf-8")


@functools.cache
def _sources() -> dict[str, str]:
    esm = hearing() + "\n" + (HERE / "prediction.js").read_text("utf-8")
    return {"esm": esm, "css": (HERE / "prediction.css").read_text("utf-8")}


@functools.cache
def _widget_class():
    """The anywidget class, made on first use because anywidget loads slowly."""
    import anywidget
    import traitlets

    class PredictionWidget(anywidget.AnyWidget):
        _esm, _css = _sources()["esm"], _sources()["css"]
        state = traitlets.Dict().tag(sync=True)
        guess = traitlets.Unicode("").tag(sync=True)
        note = traitlets.Unicode("").tag(sync=True)

    return PredictionWidget
