"""What holds for every schematic: it is an image that says in words what it draws, and all of it is on the page."""

from __future__ import annotations

from xml.etree import ElementTree

import kit.figures
from kit.figures import Drawing

SVG = "{http://www.w3.org/2000/svg}"
DRAWINGS = [
    getattr(kit.figures, name)
    for name in kit.figures.__all__
    if name.endswith(("_drawing", "_matrix")) or name == "margin_plane"
]


def test_all_schematics_are_found() -> None:
    made = [draw for draw in DRAWINGS if draw.__annotations__.get("return") == "Drawing"]
    assert made == DRAWINGS and len(DRAWINGS) >= 14 and isinstance(DRAWINGS[0](), Drawing)


def test_each_is_an_image_with_a_name_and_says_the_same_in_words() -> None:
    for draw in DRAWINGS:
        made = draw()
        assert ElementTree.fromstring(made.svg).get("aria-label") and len(made.summary.split()) > 25, draw.__name__


def test_nothing_is_drawn_outside() -> None:
    """Boxes, lines, and words as wide as seven pixels a letter."""
    offenders = []
    for draw in DRAWINGS:
        root = ElementTree.fromstring(draw().svg)
        width, height = map(float, root.get("viewBox").split()[2:])
        for box in root.iter(f"{SVG}rect"):
            x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
            if x < 0 or y < 0 or x + w > width or y + h > height:
                offenders.append((draw.__name__, "box", x, y))
        for line in root.iter(f"{SVG}line"):
            ends = [float(line.get(name)) for name in ("x1", "x2")]
            if min(ends) < 0 or max(ends) > width:
                offenders.append((draw.__name__, "line", *ends))
        for words in root.iter(f"{SVG}text"):
            long, x = 7.0 * len("".join(words.itertext())), float(words.get("x"))
            left = {"start": x, "middle": x - long / 2, "end": x - long}[words.get("text-anchor")]
            if left < 0 or left + long > width or float(words.get("y")) > height:
                offenders.append((draw.__name__, words.text))
    assert offenders == []
