"""The drawings of lessons 09 to 12: what they say in words is what they draw."""

from __future__ import annotations

from xml.etree import ElementTree

from kit.course.papers import Effect, verdict
from kit.figures import intervals_drawing, ranks_drawing, score_drawing, training_loop_drawing
from kit.figures.training_drawings import interval_rows

DRAWINGS = (training_loop_drawing, score_drawing, intervals_drawing, ranks_drawing)
SVG = "{http://www.w3.org/2000/svg}"


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
            long, x = 7.0 * len(words.text), float(words.get("x"))
            left = {"start": x, "middle": x - long / 2, "end": x - long}[words.get("text-anchor")]
            if left < 0 or left + long > width or float(words.get("y")) > height:
                offenders.append((draw.__name__, words.text))
    assert offenders == []


def test_the_verdicts_that_are_drawn_are_those_of_the_rule() -> None:
    for low, high, words, _ in interval_rows():
        found = verdict("above", Effect((low + high) / 2, low, high, 5), margin=0.5)
        assert words.startswith(found), words
    assert "no effect" in interval_rows()[3][2]
