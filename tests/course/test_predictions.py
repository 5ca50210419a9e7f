"""A question first, then its answer: what is shown, what is kept, and what a page without a kernel has."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.course import finding
from kit.course.exercises.progress_record import record
from kit.course.predictions import as_html
from kit.errors import KitError

ASK = "Does a < b?"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict, dict]]:
    outputs: list[tuple[dict, dict]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, metadata: outputs.append((data, metadata)))
    return outputs


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> list:
    """The widgets that are made, newest last."""
    from kit.course import predictions

    made, real = [], predictions._widget_class()

    def make(state: dict):
        made.append(real(state=state))
        return made[-1]

    monkeypatch.setattr(predictions, "_widget_class", lambda: make)
    return made


def ask(grew: object = True, **more: object) -> None:
    finding(True, "It **grew**.", "It fell.", ask=ASK, **more or {"options": {"yes": grew, "no": not grew}})


def test_without_a_script_the_answer_is_folded(shown: list) -> None:
    ask()
    data, metadata = shown[0]
    assert data["text/html"] == (
        '<details class="kit-prediction"><summary><b>Predict, then look.</b> Does a &lt; b?</summary>'
        "<p>It <strong>grew</strong>.</p></details>"
    )
    assert ASK in data["text/plain"] and metadata["kit"]["finding"] is True


def test_a_page_without_a_kernel_has_all_it_needs(shown: list) -> None:
    ask(torch.tensor(2.0) > 1.0)
    board = json.loads(json.dumps(shown[0][1]["kit_board"]))
    assert board["state"] == {
        "ask": ASK,
        "options": [["yes", True], ["no", False]],
        "answer": "<p>It <strong>grew</strong>.</p>",
    }
    assert "export default" in board["esm"] and ".kit-predict" in board["css"]


def test_a_guess_is_kept_the_first_time_only(shown: list, widgets: list, progress_file: Path) -> None:
    ask(np.float64(1.0) > 0.5)
    assert not progress_file.exists(), "a notebook that is only run leaves no trace"
    widgets[0].guess = "no"
    kept = record().prediction(ASK)
    assert (kept["guess"], kept["came"]) == ("no", False) and kept["at"].endswith("Z") and widgets[0].note == ""
    ask()
    widgets[1].guess = "yes"
    assert record().prediction(ASK) == kept and widgets[1].note == "The first time you said: no"


def test_words_of_ones_own_are_kept_as_they_are(shown: list, widgets: list, progress_file: Path) -> None:
    finding(False, "Half.", "A third.", ask="How much?")
    widgets[0].guess = "about 40 %"
    kept = json.loads(progress_file.read_text("utf-8"))["predictions"]["How much?"]
    assert (kept["guess"], kept["came"]) == ("about 40 %", None) and "<p>A third.</p>" in shown[0][0]["text/html"]


def test_a_file_that_cannot_be_written_is_told_below_the_answer(
    shown: list, widgets: list, progress_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = progress_file.parent / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("KIT_OUT", str(blocked))
    ask()
    widgets[0].guess = "yes"
    assert "remembered only until this kernel stops" in widgets[0].note
    assert record().prediction(ASK)["guess"] == "yes"


def test_the_little_markdown_becomes_html() -> None:
    assert as_html("By *one* of `a*b*`:\n\n- **x** < 1\n- y") == (
        "<p>By <em>one</em> of <code>a*b*</code>:</p><ul><li><strong>x</strong> &lt; 1</li><li>y</li></ul>"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"yes": True}, "expected two options or more"),
        ({"yes": torch.ones(2), "no": False}, "expected true or false for each option"),
    ],
)
def test_what_is_no_choice_is_refused(shown: list, options: dict, message: str) -> None:
    with pytest.raises(KitError, match=message):
        ask(options=options)
    assert shown == []
