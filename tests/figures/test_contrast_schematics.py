"""The drawings of lessons 03 to 05 agree with the masks and regions that they stand for."""

from __future__ import annotations

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from kit.figures import batch_matrix, margin_plane, siblings_matrix, span_rows_drawing
from kit.figures.palette import BEFORE, NEGATIVE, NEUTRAL, POSITIVE
from kit.losses import mnrl_relations, supmpn_relations


def words(drawing) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(drawing.svg).iter() if node.tag.endswith("text")]


def test_the_plane_names_the_three_regions() -> None:
    said = " ".join(words(margin_plane()))
    assert all(name in said for name in ("hard:", "semi-hard:", "easy:", "d⁺ + m"))
    assert "than the positive loss m or more" in said and "by less than m loss between" in said
    assert "by m or more loss 0" in said


def test_each_negative_lies_in_the_region_of_its_colour() -> None:
    """Grey is easy, orange semi-hard, vermilion hard, as in the board and in the curve of the shares."""
    plane = next(iter(ElementTree.fromstring(margin_plane().svg)))
    discs = [node for node in plane if node.tag.endswith("circle")]
    x, y, radius = zip(*([float(disc.get(key)) for key in ("cx", "cy", "r")] for disc in discs))
    away = {disc.get("fill"): math.dist((x[0], y[0]), at) for disc, *at in zip(discs[3:], x[3:], y[3:])}
    (far, outer), (near, inner) = ((disc.get("fill"), r) for disc, r in zip(discs[:2], radius))
    assert (far, near, inner) == (BEFORE, NEGATIVE, pytest.approx(away[POSITIVE])), "the positive is on the rim"
    assert away[NEGATIVE] < inner < away[BEFORE] < outer < away[NEUTRAL]


@pytest.mark.parametrize("draw", [batch_matrix, siblings_matrix, span_rows_drawing])
def test_a_plus_is_green_and_a_minus_vermilion(draw) -> None:
    nodes = list(ElementTree.fromstring(draw().svg).iter())
    squares = {(words.text, box.get("fill")) for box, words in pairwise(nodes) if words.text in ("+", "−")}
    assert {square for square in squares if square[1] != "currentColor"} == {("+", POSITIVE), ("−", NEGATIVE)}


def test_the_batch_is_that_of_mnrl() -> None:
    signs = [word for word in words(batch_matrix()) if word in ("+", "−")]
    expected = ["+" if positive else "−" for positive in mnrl_relations(4).positive.flatten().tolist()]
    assert signs == expected
    labels = [node for node in ElementTree.fromstring(batch_matrix().svg).iter() if node.get("x") == "330"]
    assert [node.text for node in sorted(labels, key=lambda node: float(node.get("y")))] == ["label", *"0123"]


def test_the_siblings_are_those_of_supmpn() -> None:
    said = words(siblings_matrix())
    signs = [word for word in said if word in ("+", "−")]
    assert signs == ["+" if positive else "−" for positive in supmpn_relations(2, 2, 1).positive.flatten().tolist()]
    assert said.count("1b") == 2 and said.count("1a") == 3, "left out of one denominator only"
    included, excluded = said.index("included"), said.index("excluded")
    assert "1b" in said[included:excluded] and "1b" not in said[excluded:]
