"""The drawings of lessons 06 to 08: what they say in words is what they draw."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from kit.figures import mixture_drawing, span_rows_drawing, spans_drawing
from kit.figures.palette import NEGATIVE, POSITIVE


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


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


def test_what_the_labelled_positives_cost_is_taken_off() -> None:
    """Above, both parts of the mixture side by side; below, each in its own place and width."""
    boxes = ElementTree.fromstring(mixture_drawing().svg).iter("{http://www.w3.org/2000/svg}rect")
    places = [(float(box.get("x")), float(box.get("width")), box.get("fill")) for box in boxes]
    positive, negative, labelled, left = places
    assert labelled == positive and left == negative and positive[0] + positive[1] == negative[0]
    assert (positive[2], negative[2]) == (POSITIVE, NEGATIVE)
