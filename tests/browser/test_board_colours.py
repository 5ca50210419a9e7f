"""The colours of all boards as they are drawn, with their opacity: what is faint is seen, and told apart, all the same.

That any two names of the palette lie apart, whichever board uses them, is held in tests/boards/test_colours.py; so are
the colours of the globe, which stands on a ground of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from tests.boards.test_colours import APART, PAPER, SEEN
from tests.browser.board_page import page_of_boards, resized
from tests.browser.simulated_sight import SIGHTS, contrast, difference, faded

READ = 4.5  # contrast of words with their ground
# What may be faint: (board, beginning of the picture's name, colour): why.
FAINT = {
    ("explorer", "Cosines", "after"): "a scale, and each of its cells prints its number",
    ("margin", "where the negative", "neutral"): "the ground outside of the regions, whose edges are drawn",
    ("nnpu", "Learning by heart", "negative"): "the ground where no risk can be, which ends at the axis",
    ("masks", "shares", "neutral"): "what is masked has no part in the loss",
    ("masks", "", "negative"): "cells that belong to the rows of other anchors",
}

# Of every picture and every row of swatches [what it is, [[the names of a colour, the colour, its opacity], …]], and
# of every word its colour and opacity. What has no name of the palette takes the page's colour, or is ink on a mark.
DRAWN = """() => [...document.querySelectorAll(".kit-board")].map((board) => {
    const seen = (node) => {
        let opacity = 1;
        for (let one = node; one !== board; one = one.parentElement) opacity *= Number(getComputedStyle(one).opacity);
        return opacity;
    };
    const named = (value) => [...(value ?? "").matchAll(/--kit-([a-z]+)/g)].map((found) => found[1]).sort().join(" ");
    const pictures = [...board.querySelectorAll("svg")].filter((one) => !one.closest(".kit-globe, .kit-controls"));
    const groups = pictures.filter((one) => one.getClientRects().length).map((picture) => {
        const marks = [];
        for (const node of picture.querySelectorAll("*:not(text, tspan)"))
            for (const how of ["fill", "stroke"]) {
                const name = named(node.style[how] || node.getAttribute(how)), look = getComputedStyle(node);
                if (name) marks.push([name, look[how], seen(node) * Number(look[`${how}-opacity`])]);
            }
        return [picture.getAttribute("aria-label"), marks];
    });
    for (const node of board.querySelectorAll(".kit-stage [style*='--kit-']:not(svg *, .kit-told)"))
        groups.push([node.parentElement.textContent, ["color", "background-color"].flatMap((how) => {
            const name = named(node.style.getPropertyValue(how));
            return name ? [[name, getComputedStyle(node)[how], seen(node)]] : [];
        })]);
    const letters = [...board.querySelectorAll("svg text, svg tspan, .kit-told")].filter((one) =>
        !one.closest(".kit-globe") && one.getClientRects().length && !/#fff|#000|#111/.test(one.getAttribute("style")));
    const colour = (one) => getComputedStyle(one)[one.matches(".kit-told") ? "color" : "fill"];
    return {name: board.parentElement.id, groups, letters: letters.map((one) => [colour(one), seen(one)])};
})"""


@pytest.fixture(scope="module")
def boards(chromium) -> Iterator:
    """All boards on one page, folds open; each test looks at it light and dark."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = page_of_boards(context)
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    yield page
    context.close()


def drawn(page, scheme: str) -> list[dict]:
    page.emulate_media(color_scheme=scheme)
    resized(page)
    return page.evaluate(DRAWN)


def seen(colour: str, opacity: float, scheme: str) -> tuple[float, ...]:
    """`rgb(1, 2, 3)` or `color(srgb 0.1 0.2 0.3 / 0.5)` on the page, as 0 to 255."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)]
    scale = 255 if colour.startswith("color(") else 1
    return faded([scale * n for n in numbers[:3]], opacity * (numbers[3:] or [1])[0], PAPER[scheme])


def strongest(marks: list, scheme: str) -> dict[str, tuple]:
    """Each name's colour where it is seen best in one picture: an area may be faint whose edge is not."""
    best: dict[str, tuple] = {}
    for name, colour, opacity in marks:
        one = seen(colour, opacity, scheme)
        best[name] = max(one, best.get(name, one), key=lambda c: contrast(c, PAPER[scheme]))
    return best


@pytest.mark.parametrize("scheme", PAPER)
def test_every_colour_of_a_picture_is_seen_and_told_apart(boards, scheme: str) -> None:
    """3 : 1 on the page with its opacity, and ΔE 20 from every other of its picture."""
    wrong, used = [], set()
    for board in drawn(boards, scheme):
        for picture, marks in board["groups"]:
            excused = {one for one in FAINT if one[0] == board["name"] and (picture or "").startswith(one[1])}
            used |= {one for one in excused if one[2] in strongest(marks, scheme)}
            marks = [mark for mark in marks if mark[0] not in {name for *_, name in excused}]
            colours, where = strongest(marks, scheme), (board["name"], picture)
            faint = {name: contrast(colour, PAPER[scheme]) for name, colour in colours.items()}
            wrong += [(*where, name, round(much, 2)) for name, much in faint.items() if much < SEEN]
            for (one, other), sight in ((pair, sight) for pair in combinations(colours, 2) for sight in SIGHTS):
                scale = set(one.split()) & set(other.split())  # steps of one scale are as near as they like
                if not scale and difference(colours[one], colours[other], sight) < APART:
                    wrong.append((*where, one, other, sight))
    assert wrong == []
    assert used == set(FAINT), "an excuse that nobody needs any more"


@pytest.mark.parametrize("scheme", PAPER)
def test_words_are_read(boards, scheme: str) -> None:
    """4.5 : 1, in pictures as in captions."""
    wrong = []
    for board in drawn(boards, scheme):
        ratios = {contrast(seen(*letters, scheme), PAPER[scheme]) for letters in board["letters"]}
        wrong += [(board["name"], round(much, 2)) for much in ratios if much < READ]
    assert wrong == []
