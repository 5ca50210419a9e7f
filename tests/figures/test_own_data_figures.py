"""The lengths: every text in a bar, the line where the encoder cuts, and the same in words; the drawing of a split."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from kit.errors import KitError
from kit.figures import lengths_figure, split_drawing
from kit.figures.own_data_figures import CLUSTERS, SHIFTS
from kit.figures.palette import AFTER, BEFORE, NEGATIVE, POSITIVE


def test_every_text_is_in_a_bar_and_the_cut_is_said() -> None:
    lengths = {"anchor": [3, 4, 4, 12], "positive": [5, 20, 40, 900]}
    shown = lengths_figure(lengths, 16)
    assert [sum(trace.y) for trace in shown.figure.data] == [4, 4]
    assert shown.figure.data[1].y[-1] == 1, "beyond three limits they stand in the last bar"
    assert [shape.x0 for shape in shown.figure.layout.shapes] == [16]
    assert "positive: median 30 word pieces, longest 900, 3 of 4 (75.0%) longer than 16" in shown.summary
    assert not lengths_figure({"text": [3, 4]}, 128).figure.layout.shapes, "no line where nothing comes near it"
    assert sum(lengths_figure({"text": [2]}, 128).figure.data[0].y) == 1
    for nothing in ({}, {"text": []}):
        with pytest.raises(KitError, match="the lengths of one column or more"):
            lengths_figure(nothing, 16)


@pytest.mark.parametrize(
    ("columns", "colours"),
    [
        (("anchor", "positive", "negative"), (AFTER, POSITIVE, NEGATIVE)),
        (("text", "positives", "negatives"), (AFTER, POSITIVE, NEGATIVE)),
        (("sentence1", "sentence2"), (AFTER, BEFORE)),
    ],
)
def test_a_column_has_the_colour_of_what_it_is(columns: tuple[str, ...], colours: tuple[str, ...]) -> None:
    drawn = lengths_figure({column: [3, 4] for column in columns}, 16).figure.data
    assert tuple(trace.line.color for trace in drawn) == colours


def test_a_bar_says_which_lengths_it_holds() -> None:
    """Of 60 lengths two in each bar, one below and one above its middle; the last has the longer."""
    shown = lengths_figure({"text": [20, 20, 21, 900]}, 20)
    bars = dict(zip(shown.figure.data[0].customdata, zip(shown.figure.data[0].x, shown.figure.data[0].y)))
    assert bars["18 to 19"] == (19, 0) and bars["20 to 21"] == (21, 3) and bars["60 or more"] == (61, 1)
    assert "2 of 4 (50.0%) longer than 20" in shown.summary, "a text of just the limit is not cut"
    assert lengths_figure({"text": [20, 60]}, 20).figure.data[0].customdata[-1] == "60 to 61"


def test_bars_are_equally_wide_whole_numbers() -> None:
    """As many texts of each length make a level curve; only the first bar, of 0 and 1, and the last have fewer."""
    bars = lengths_figure({"text": [length for length in range(1, 46) for _ in range(100)]}, 128).figure.data[0]
    assert bars.y[0] == 100 and set(bars.y[1:]) == {200} and sum(bars.y) == 4500
    for longest in (2, 29, 30, 31, 61, 384):
        bars = lengths_figure({"text": [2, longest]}, 128).figure.data[0]
        assert len(set(np.diff(bars.x))) == 1 and sum(bars.y) == 2 and bars.y[-1] >= 1 and len(bars.x) <= 31


def test_the_drawn_split_deals_out_whole_clusters() -> None:
    """Six rows on the left, and each again in its part, with a line for each two neighbours of a cluster."""
    svg = split_drawing().svg
    drawn = Counter(re.findall(r'<circle cx="(\d+)"', svg))
    rows = [(part, x) for part, places in CLUSTERS for x, _ in places]
    assert len(rows) == 6 and drawn == Counter(str(x + shift) for part, x in rows for shift in (0, SHIFTS[part]))
    assert svg.count('stroke-width="3"') == 2 * sum(len(places) - 1 for _, places in CLUSTERS)
    boxes = {"train": range(415, 633), "test": range(650, 756)}
    assert all(x + SHIFTS[part] in boxes[part] for part, x in rows)
    colours = re.findall(r'<circle cx="(\d+)"[^>]* fill="(#\w+)"', svg)
    parts = {x + SHIFTS[part]: part for part, x in rows} | {x: "before" for _, x in rows}
    assert len({(parts[int(x)], colour) for x, colour in colours}) == len({colour for _, colour in colours}) == 3
