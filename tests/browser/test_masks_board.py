"""The masks board as it is drawn: every text at its cosine, arrows of one scale, nothing on anything else, one text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import pytest
import torch

from kit.boards.board import script, style
from kit.boards.masks_widget import IGNORED, NEGATIVE, POSITIVE, masks_state, masks_summary, masks_values
from tests.boards.test_masks_widget import near_and_far
from tests.browser.board_cases import CASES
from tests.browser.board_page import HEAPS, MOUNT, PAGE, put, resized

WIDTHS = (390, 1280)
LEAST_HEAD = 13  # pixels of an arrow that has a point: longer than the point itself
SETTINGS = [
    {"loss": "SupMPN", "anchor": 1, "tau": 0.05, "twins": "a negative"},
    {"loss": "SupMPN", "anchor": 2, "tau": 10.0, "twins": "masked"},
    {"loss": "SupCon", "anchor": 5, "tau": 0.05, "twins": "a negative"},
    {"loss": "SCL", "anchor": 2, "tau": 0.01, "twins": "masked"},
    {"loss": "MNRL", "anchor": 1, "tau": 1.0, "twins": "a negative"},
]
# Per text: its dot [x, y, radius], its ring, and where its arrow begins and ends, in pixels of the picture.
LADDERS = """() => [...document.querySelectorAll(".kit-board")].map((board) => {
    const svg = board.querySelector("[data-dot]").closest("svg"), found = {};
    const at = (node) => ["cx", "cy", "r"].map((name) => Number(node.getAttribute(name)));
    for (const node of svg.querySelectorAll("[data-dot]")) found[node.dataset.dot] = {dot: at(node)};
    for (const node of svg.querySelectorAll("[data-ring]")) found[node.dataset.ring].ring = at(node);
    for (const node of svg.querySelectorAll("[data-force]")) {
        const box = node.getBBox(), paths = node.querySelectorAll("path").length;
        found[node.dataset.force].force = paths ? [box.x, box.x + box.width, paths] : null;
    }
    return found;
})"""


@pytest.fixture(scope="module")
def drawn(chromium) -> Iterator[tuple]:
    """The board in every setting, one below the other."""
    state, _ = CASES["masks"]()
    context = chromium.new_context(viewport={"width": WIDTHS[-1], "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_content(PAGE.replace("STYLE", style()))
    for number, setting in enumerate(SETTINGS):
        put(page, MOUNT, f"masks{number}", script("masks"), state, setting)
    yield page, state
    context.close()


def at_width(page, width: int) -> list[dict]:
    page.set_viewport_size({"width": width, "height": 900})
    resized(page)
    return [{int(row): marks for row, marks in one.items()} for one in page.evaluate(LADDERS)]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_text_stands_at_its_cosine_and_none_on_another(drawn, width: int) -> None:
    page, state = drawn
    for setting, marks in zip(SETTINGS, at_width(page, width)):
        at, row = setting["anchor"] - 1, masks_values(state, setting)["cells"][setting["anchor"] - 1]
        assert set(marks) == {c for c, kind in enumerate(row) if kind in (POSITIVE, NEGATIVE, IGNORED)}
        places = [(state["cosines"][at][c], marks[c]["dot"][0]) for c in marks]
        places += [(state["before"][at][c], marks[c]["ring"][0]) for c in marks]
        (low, right), (high, left) = min(places), max(places)
        unit = (right - left) / (high - low)  # the nearest is at the left
        assert unit > 50 and all(abs(left + unit * (high - cosine) - x) < 0.2 for cosine, x in places), setting
        dots = [marks[c]["dot"] for c in marks]
        assert all(abs(a[1] - b[1]) > a[2] + b[2] for a, b in combinations(dots, 2)), setting
        kinds = {c: row[c] == POSITIVE for c in marks}
        lowest_positive = max(marks[c]["dot"][1] for c in marks if kinds[c])
        assert all(marks[c]["dot"][1] > lowest_positive for c in marks if not kinds[c]), "positives come first"


@pytest.mark.parametrize("width", WIDTHS)
def test_arrows_point_to_the_anchor_or_away_and_have_one_scale(drawn, width: int) -> None:
    page, state = drawn
    for setting, marks in zip(SETTINGS, at_width(page, width)):
        push = masks_values(state, setting)["push"]
        forces = {c: one["force"] for c, one in marks.items() if one["force"]}
        zero = {round(right if push[c] < 0 else left) for c, (left, right, _) in forces.items()}
        assert forces and len({*zero}) == 1, (setting, zero)
        units = [((right - left) / abs(push[c]), abs(push[c])) for c, (left, right, _) in forces.items()]
        unit = max(units, key=lambda one: one[1])[0]
        assert all(abs(each - unit) * size < 0.25 for each, size in units), setting
        assert all(right - left > LEAST_HEAD for left, right, paths in forces.values() if paths == 2), "no bare heads"
        assert all(abs(push[c]) * unit < 1.1 for c in marks if c not in forces), "what has no arrow is next to nothing"


@pytest.mark.parametrize("width", WIDTHS)
def test_no_lettering_lies_on_other_lettering(drawn, width: int) -> None:
    page, _ = drawn
    at_width(page, width)
    assert page.evaluate(HEAPS) == []


def test_both_languages_say_the_same(drawn) -> None:
    page, state = drawn
    said = page.locator(".kit-caption").evaluate_all("all => all.map((one) => one.textContent)")
    assert said == [masks_summary(masks_values(state, setting), setting, state) for setting in SETTINGS]


def test_the_shares_of_a_ladder_with_few_texts_add_up_to_a_hundred(chromium) -> None:
    vectors = torch.randn(20, 8, generator=torch.manual_seed(3))
    state, page = masks_state(vectors, [f"text {i}" for i in range(20)], 4, 2, 2), chromium.new_page()
    page.set_content(PAGE.replace("STYLE", style()))
    for anchor in range(1, 5):
        name = f"anchor-{anchor}"
        put(page, MOUNT, name, script("masks"), state, {"loss": "MNRL", "anchor": anchor, "tau": 0.5})
        words = page.locator(f"#{name} svg text").all_text_contents()
        parts = [int(one.removesuffix(" %")) for one in words if re.fullmatch(r"\d+ %", one)]
        assert len(parts) == 3 and sum(parts) == 100, parts


def test_a_positive_that_is_pushed_is_not_said_to_be_pulled(chromium) -> None:
    """1a, which is nearer than 1b, is pushed; before, when it was pulled, it had no share of the push."""
    state, setting = near_and_far(), {"loss": "SCL", "anchor": 1, "tau": 0.05}
    page = chromium.new_page()
    page.set_content(PAGE.replace("STYLE", style()))
    put(page, MOUNT, "masks", script("masks"), state, setting)
    headline, brief = (page.locator(f".kit-{place}").text_content() for place in ("headline", "brief"))
    assert headline.endswith("before, 0 %") and "before the training it was 0 %" in brief
    assert "”; it is pulled to 1b “d”. " in brief, brief
    assert page.locator(".kit-caption").text_content() == masks_summary(masks_values(state, setting), setting, state)
    calm = {"loss": "MNRL", "anchor": 2, "tau": 0.01, "twins": "masked"}
    put(page, MOUNT, "calm", script("masks"), CASES["masks"]()[0], calm)
    brief = page.locator("#calm .kit-brief").text_content()
    assert "0.000" not in brief and "(1.0e−14 of 1.0e−14)" in brief, brief
    page.close()
