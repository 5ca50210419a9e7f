"""The drawings of lessons 06 to 08: what they say in words is what they draw."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from kit.figures import mixture_drawing, span_rows_drawing, spans_drawing, two_losses_drawing

DRAWINGS = (two_losses_drawing, spans_drawing, span_rows_drawing, mixture_drawing)


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_each_is_an_image_with_a_name_and_says_the_same_in_words() -> None:
    for draw in DRAWINGS:
        made = draw()
        assert ElementTree.fromstring(made.svg).get("aria-label") and len(made.summary.split()) > 25, draw.__name__


def test_nothing_is_drawn_outside() -> None:
    offenders = []
    for draw in DRAWINGS:
        root = ElementTree.fromstring(draw().svg)
        width, height = map(float, root.get("viewBox").split()[2:])
        for box in root.iter("{http://www.w3.org/2000/svg}rect"):
            x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
            if x < 0 or y < 0 or x + w > width or y + h > height:
                offenders.append((draw.__name__, x, y))
    assert offenders == []


def test_the_matrix_of_four_rows_is_nt_xent() -> None:
    """The squares of the drawing are the relations of the loss: a partner each, everybody else pushed."""
    from kit.losses import nt_xent_relations

    drawn = [text for text in words(span_rows_drawing().svg) if re.fullmatch(r"[+−]?", text)]
    relations = nt_xent_relations(2)
    signs = {(True, False): "+", (False, True): "−", (False, False): ""}
    pairs = zip(relations.positive.flatten().tolist(), relations.negative.flatten().tolist())
    assert drawn == [signs[pair] for pair in pairs]


def test_a_positive_lies_where_the_sampler_may_put_it() -> None:
    """The first place is adjacent, then overlapping, subsumed, and adjacent again."""
    from kit.data.spans import kind_of

    boxes = ElementTree.fromstring(spans_drawing().svg).iter("{http://www.w3.org/2000/svg}rect")
    places = [(int(box.get("x")), int(box.get("x")) + int(box.get("width"))) for box in boxes]
    anchor, positives = places[1], places[2:]
    kinds = [kind_of(anchor, positive) for positive in positives]
    assert kinds == ["adjacent", "overlapping", "subsumed", "adjacent"]
