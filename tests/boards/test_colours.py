"""The colours of the boards by their names: told apart by every sight, on light and on dark pages, and on the globe.

They are compared by name, not as they are drawn: two names with one colour are a fault. What is drawn faintly is looked
at in tests/browser/test_board_colours.py.
"""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from kit.boards.board import SOURCES, style
from tests.browser.simulated_sight import SIGHTS, contrast, difference, faded

PAPER = {"light": (253, 252, 250), "dark": (22, 24, 27)}  # the pages'
APART, SEEN = 20, 3  # ΔE between two marks, contrast of a mark with its ground
INKS = {"#fff", "#000", "#111"}  # words and outlines on a mark


def numbers(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def palette(scheme: str) -> dict[str, tuple]:
    """The colours of the marks by name, {name: (r, g, b)}."""
    block = re.search(r"\.kit-board%s \{(.*?)\}" % (r"\[data-dark\]" if scheme == "dark" else ""), style(), re.S)[1]
    return {name: numbers(colour) for name, colour in re.findall(r"--kit-(\w+): (#\w{6});", block)}


def globe_palette() -> tuple[dict[str, tuple], dict[str, tuple], float]:
    """Of js/globe.js: its marks, all its other colours, and the opacity of a mark at the sphere's edge."""
    block = re.search(r"const PALETTE = \{(.*?)\n  \};", (SOURCES / "globe.js").read_text("utf-8"), re.S)[1]
    ground, marks = block.split("marks:")
    found = [{name: numbers(c) for name, c in re.findall(r'(\w+): "(#\w{6})"', part)} for part in (marks, ground)]
    return *found, float(re.search(r"limb: ([\d.]+)", ground)[1])


def too_near(colours: dict[str, tuple]) -> list[tuple]:
    return [
        (one, other, sight, round(away, 1))
        for (one, other), sight in ((pair, sight) for pair in combinations(colours, 2) for sight in SIGHTS)
        if (away := difference(colours[one], colours[other], sight)) < APART
    ]


@pytest.mark.parametrize("scheme", PAPER)
def test_any_two_colours_of_the_palette_are_told_apart(scheme: str) -> None:
    """So whichever of them a board uses together, in whatever setting, are."""
    colours = palette(scheme)
    assert len(colours) == 7
    assert too_near(colours) == []
    assert [name for name, colour in colours.items() if contrast(colour, PAPER[scheme]) < SEEN] == []


def test_any_two_marks_of_the_globe_are_told_apart() -> None:
    """In front, and as faint as at its edge, where the night shines through."""
    marks, ground, limb = globe_palette()
    assert len(marks) == 5
    for opacity in (1, limb):
        assert too_near({name: faded(c, opacity, ground["night"]) for name, c in marks.items()}) == []
        for place in ("night", "glow"):
            seen = {name: contrast(faded(c, opacity, ground[place]), ground[place]) for name, c in marks.items()}
            assert min(seen.values()) >= SEEN, (opacity, place, seen)


def test_no_other_colours_are_drawn() -> None:
    """A colour that stands in the code of a board would be in no palette, and nobody would have looked at it."""
    others = []
    for path in sorted(SOURCES.glob("*.js")):
        text = path.read_text("utf-8")
        if path.name == "globe.js":
            text = re.sub(r"const PALETTE = \{.*?\n  \};", "", text, flags=re.S)
        literals = re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\([\d ]", text)
        words = re.findall(r"(?:fill|stroke)=\"(?!none|currentColor|transparent|url)([a-z]+)\"", text)
        others += [(path.name, one) for one in (*literals, *words) if one not in INKS]
    assert others == []
