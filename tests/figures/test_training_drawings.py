"""The drawings of lessons 09 to 12: what they say in words is what they draw."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kit.course.papers import Effect, verdict
from kit.figures import intervals_drawing, ranks_drawing
from kit.figures.palette import AFTER, CLASSIFY
from kit.figures.scoreboard_figures import LOOK
from kit.figures.training_drawings import interval_rows

SVG = "{http://www.w3.org/2000/svg}"


def test_the_verdicts_that_are_drawn_are_those_of_the_rule() -> None:
    for low, high, words, _ in interval_rows():
        found = verdict("above", Effect((low + high) / 2, low, high, 5), margin=0.5)
        assert words.startswith(found), words
    assert "no effect" in interval_rows()[3][2]


def test_the_intervals_are_drawn_to_scale_in_the_colours_of_the_scoreboard() -> None:
    root = ElementTree.fromstring(intervals_drawing().svg)
    marks = {node.text: float(node.get("x")) for node in root.iter(f"{SVG}text")}
    zero, unit = marks["0"], 2 * (marks["m"] - marks["0"])
    band = next(root.iter(f"{SVG}rect"))
    assert float(band.get("x")) == marks["−m"] and float(band.get("width")) == marks["m"] - marks["−m"]
    lines = [line for line in root.iter(f"{SVG}line") if line.get("y1") == line.get("y2")]
    assert len(lines) == len(interval_rows())
    for line, (low, high, words, colour) in zip(lines, interval_rows()):
        assert [(float(line.get(end)) - zero) / unit for end in ("x1", "x2")] == pytest.approx([low, high])
        assert line.get("stroke") == colour == LOOK[words.split(",")[0].split(":")[0]][0]


def test_the_gather_sends_each_rank_the_vectors_of_the_other() -> None:
    """The arrows in a rank's colour go from its half of the picture to the other."""
    arrows = ElementTree.fromstring(ranks_drawing().svg).iter(f"{SVG}polygon")
    ends = {arrow.get("fill"): float(arrow.get("points").split()[0].split(",")[1]) for arrow in arrows}
    assert ends[AFTER] > 190 and ends[CLASSIFY] < 94
