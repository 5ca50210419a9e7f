"""The drawings of lessons 06 to 08: what they say in words is what they draw."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from kit.figures import span_rows_drawing, spans_drawing


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
