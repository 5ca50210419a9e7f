"""A page that is busy while its boards load, as on a slow machine: they hear their kernel all the same.

anywidget allows a widget two seconds until its script is ready and refuses the kernel's messages after that
(kit/course/hearing.js). Here the two seconds are over at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.harness import Desk, Lab, Reader
from tests.browser.test_harness import notebook

AT_ONCE = """() => {
    AbortSignal.timeout = () => {
        const over = new AbortController();
        setTimeout(() => over.abort());
        return over.signal;
    };
}"""
MADE = """\
import os
os.environ["KIT_OUT"] = {folder!r}
import torch
from kit.boards.tau_lambda_widget import tau_lambda_board
from kit.course import finding
board = tau_lambda_board(torch.eye(12), [str(i) for i in range(12)])
board"""
MOVED_BEFORE_IT_IS_THERE = 'board.controls["tau"] = 0.5'
ASKED = 'finding(True, "It rose.", "It fell.", ask="Does it rise?", options={"it rises": True, "it falls": False})'


@pytest.fixture
def hurried(desk: Desk) -> Iterator[Reader]:
    """A reader whose page allows a widget no time at all; the page is given up afterwards."""
    someone = desk.sit_down()
    someone.page.evaluate(AT_ONCE)
    yield someone
    desk.tidy(someone)
    desk.leave()
    assert someone.problems == []


def test_a_board_that_is_late_hears_its_kernel(hurried: Reader, lab: Lab, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("no folder, so that the kernel has something to say about the guess")
    hurried.open(lab.copy(notebook(tmp_path, MADE.format(folder=str(kept)), MOVED_BEFORE_IT_IS_THERE, ASKED)))
    hurried.run_all()
    page = hurried.page
    hurried.wait_for_words(".kit-board .kit-caption", "τ 0.5")
    page.get_by_label("it falls").check()
    page.get_by_role("button", name="This is my guess").click()
    page.locator(".kit-predict-note").get_by_text("remembered only until this kernel stops").wait_for()
    assert hurried.errors_shown() == []
