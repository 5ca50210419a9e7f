"""The plot of a run: well-formed, complete, and its words are the data's."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kit.errors import KitError
from kit.figures import palette
from kit.pretraining.plot import describe, ticks, write_plot

SVG = "{http://www.w3.org/2000/svg}"
HISTORY = [
    {"step": s, "tokens": 4_000_000 * s, "heldout_loss": loss, "pseudo_perplexity": math.exp(loss)}
    for s, loss in ((1, 6.5), (2, 5.25), (3, 4.125), (4, 4.25))
]


@pytest.fixture
def root(tmp_path: Path) -> ElementTree.Element:
    return ElementTree.parse(write_plot(HISTORY, tmp_path / "run" / "heldout.svg")).getroot()


def points(root: ElementTree.Element) -> list[list[tuple[float, float]]]:
    return [
        [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
        for line in root.iter(f"{SVG}polyline")
    ]


def test_words_are_the_datas(root: ElementTree.Element) -> None:
    said = root.findtext(f"{SVG}desc")
    assert said == describe(HISTORY)
    for number in (
        "4.0 to 16.0 million",
        "6.500 to 4.250",
        "lowest 4.125",
        f"{math.exp(6.5):.1f} to {math.exp(4.25):.1f}",
    ):
        assert number in said
    ids = {element.get("id") for element in root.iter()}
    assert set(root.get("aria-labelledby").split()) <= ids


def test_two_panels_with_axis_titles_and_safe_colours(root: ElementTree.Element) -> None:
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert texts.count("Training tokens (millions)") == 2
    assert {"Held-out masked loss (nats)", "Held-out pseudo-perplexity"} <= set(texts)
    assert [line.get("stroke") for line in root.iter(f"{SVG}polyline")] == [palette.AFTER, palette.NEGATIVE]


def test_curves_follow_the_data_and_stay_inside(root: ElementTree.Element) -> None:
    width, height = map(float, root.get("viewBox").split()[2:])
    loss, perplexity = points(root)
    for curve in (loss, perplexity):
        assert len(curve) == len(HISTORY)
        assert all(0 < x < width and 0 < y < height for x, y in curve)
        assert [x for x, _ in curve] == sorted(x for x, _ in curve)
        ys = [y for _, y in curve]
        assert ys[0] < ys[1] < ys[3] < ys[2], "higher on the page is more"
    (_, a), (_, b), (_, c) = loss[:3]
    assert (b - a) / (c - b) == pytest.approx((6.5 - 5.25) / (5.25 - 4.125), abs=0.02)
    assert max(x for x, _ in loss) < min(x for x, _ in perplexity)


def test_a_history_without_a_range_is_drawn(tmp_path: Path) -> None:
    for history in [HISTORY[:1], [HISTORY[0], {**HISTORY[0], "tokens": 9}]]:
        root = ElementTree.parse(write_plot(history, tmp_path / "a.svg")).getroot()
        assert all(math.isfinite(v) for curve in points(root) for pair in curve for v in pair)


def test_an_empty_history_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="at least one measurement to draw"):
        write_plot([], tmp_path / "a.svg")


def test_ticks_are_few_round_and_cover() -> None:
    for low, high in [(0, 139.9), (4.2, 6.9), (73.7, 445.9), (0, 2000), (3.0, 3.0), (0.01, 0.013)]:
        marks = ticks(low, high)
        assert 2 <= len(marks) <= 8
        assert marks[0] <= low and marks[-1] >= high
        step = marks[1] - marks[0]
        assert f"{step:.0e}"[0] in "125"
        assert all(b - a == pytest.approx(step) for a, b in itertools.pairwise(marks))
