"""What holds for every schematic: it is an image that says in words what it draws, and all of it is on the page."""

from __future__ import annotations

from xml.etree import ElementTree

import kit.figures
from kit.figures import Drawing
from kit.figures.schematics import LETTER

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
    """Boxes, lines, and words as wide as eight pixels a letter; words stay on their side of a fold."""
    offenders = []
    for draw in DRAWINGS:
        for strip in ElementTree.fromstring(draw().svg):
            left, _, width, height = map(float, strip.get("viewBox").split())
            for box in strip.iter(f"{SVG}rect"):
                x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
                if x < left or y < 0 or x + w > left + width or y + h > height:
                    offenders.append((draw.__name__, "box", x, y))
            for words in strip.iter(f"{SVG}text"):
                long, x = LETTER * len("".join(words.itertext())), float(words.get("x"))
                start = {"start": x, "middle": x - long / 2, "end": x - long}[words.get("text-anchor")]
                if start < left or start + long > left + width or float(words.get("y")) > height:
                    offenders.append((draw.__name__, words.text, start - left, left + width - start - long))
    assert offenders == []


def test_words_take_the_ink_of_the_page() -> None:
    """No other colour can be read on white and on dark alike."""
    for draw in DRAWINGS:
        fills = {words.get("fill") for words in ElementTree.fromstring(draw().svg).iter(f"{SVG}text")}
        assert fills == {"currentColor"}, draw.__name__


def test_lettering_has_eleven_pixels_on_a_phone() -> None:
    """A phone of 390 pixels has a page of 358; the widest part shrinks to it, and all parts with it."""
    for draw in DRAWINGS:
        strips = list(ElementTree.fromstring(draw().svg))
        shrunk = min(1, 358 / max(float(strip.get("width")) for strip in strips))
        for strip in strips:
            sizes = [shrunk * float(words.get("font-size")) for words in strip.iter(f"{SVG}text")]
            assert min(sizes) >= 11, (draw.__name__, min(sizes))
