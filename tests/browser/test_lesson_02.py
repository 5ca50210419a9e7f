"""Lesson 02 as a reader meets it: three boards moved by keyboard, sentences typed, one refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "02_collapse.ipynb"


def test_boards_answer_and_what_is_typed_is_read(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_every_slider(
        reader,
        "02_collapse",
        {"n_neighbors": "browser", "seed": "browser", "directions kept": "browser", "sentence": "browser"},
    )
    boards = reader.page.locator(".kit-board")
    assert boards.count() == 3
    check_maps(boards.nth(0))
    check_whitening(boards.nth(1))
    check_heat(reader, boards.nth(2))
    assert reader.errors_shown() == []
    assert reader.screenshot("02_collapse").stat().st_size > 10_000


def said(board) -> str:
    return board.locator(".kit-caption").inner_text()


def slider(board, label: str):
    return board.locator(f"input[type=range][data-label='{label}']")


def choose(board, label: str, option: str) -> None:
    board.locator(f"select[data-label='{label}']").select_option(option)


def chosen(board, label: str) -> str:
    return board.locator(f"select[data-label='{label}']").evaluate("menu => menu.selectedOptions[0].text")


def colours(board) -> set[str]:
    """The colours of the dots on both maps."""
    return {dot.get_attribute("fill") for dot in board.locator("svg circle[r='4']").all()}


def check_maps(board) -> None:
    """Seed and neighbours change the map and its distance, not the space's; the chosen actions have colours."""
    slider(board, "n_neighbors").press("End")
    slider(board, "seed").press("Home")
    assert "UMAP with 160 neighbours, seed 0" in said(board) and "Recorded maps" in said(board)
    distances = set()
    for key in ("Home", "End"):
        slider(board, "n_neighbors").press(key)
        found = re.search(r"are (\S+) map sizes apart; .* in the space itself (\S+)\. This map", said(board))
        assert found, said(board)
        distances.add(found.groups())
    assert len({here for here, _ in distances}) == 2 and len({space for _, space in distances}) == 1
    choose(board, "colour", "word frequency")
    assert len(colours(board)) > 20
    choose(board, "colour", "action")
    assert len(colours(board)) == 3, "A, B and all others"
    for moved, other in (("from", "to"), ("to", "from")):  # a group has no distance from itself: the other gives way
        choose(board, moved, "eating")
        choose(board, other, "carrying")
        choose(board, moved, "carrying")
        assert chosen(board, moved) == "carrying" != chosen(board, other)
        assert f"“{chosen(board, 'from')}” (A) and “{chosen(board, 'to')}” (B)" in said(board)


def check_whitening(board) -> None:
    """One direction is worth less than all of them; another fit and another repair give other figures."""
    figures = {}
    for repair in ("whitened", "centred and turned"):
        for fitted in ("NLI training sentences", "other sentences of the task", "the measured sentences"):
            choose(board, "repair", repair)
            choose(board, "fitted on", fitted)
            slider(board, "directions kept").press("End")
            assert f"{repair.capitalize()} to" in said(board) and f"fitted on {fitted}: STS" in said(board)
            figures[repair, fitted] = float(re.search(r"STS (\S+) \(raw", said(board))[1])
    assert len(set(figures.values())) > 3
    slider(board, "directions kept").press("Home")
    assert "to 1 direction, fitted" in said(board)
    assert float(re.search(r"STS (\S+) \(raw", said(board))[1].replace("−", "-")) < min(figures.values())


def check_heat(reader: Reader, board) -> None:
    """Every space and sentence; typed sentences replace the twelve, one alone is refused, a blank brings them back."""
    assert board.locator(".kit-panel svg").count() == 2
    slider(board, "sentence").press("End")
    for space in ("raw", "whitened", "trained"):
        choose(board, "look closer at", space)
        assert f"In the space “{space}” the nearest to sentence 12 is" in said(board)
    field = board.locator("input[type=text]")
    field.fill("It rains all day. | It pours from morning to night. | The sun shines all day.")
    wait_for(reader, board, "nearest to sentence 3 is")
    assert "topics" not in said(board) and "not show what is typed" not in said(board)
    field.fill("It rains all day.")
    board.locator(".kit-error").wait_for()
    assert "expected 2 to 12 sentences, parted by |" in reader.errors_shown()[0]
    assert "The picture does not show what is typed yet." in said(board)
    field.fill("")
    wait_for(reader, board, "of 4 topics")
    assert "nearest to sentence 3 is" in said(board), "the last of the three that stood there"


def wait_for(reader: Reader, board, words: str) -> None:
    """Wait until the board's sentence has these words."""
    reader.page.wait_for_function(
        "([caption, words]) => caption.innerText.includes(words)",
        arg=[board.locator(".kit-caption").element_handle(), words],
    )
