"""Names beside lines and over histograms: each at its own place, none on another, and readable."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kit.figures import collapse_curve, cosine_histogram, labels_curve, loss_curve
from kit.figures.direct_labels import LINE, OVER, apart, readable
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE
from tests.figures.test_basic_figures import contrast

HISTORY = [{"step": n + 1, "loss": 3.0 - 0.1 * n, "distance": 1.0 / (n + 1)} for n in range(20)]


@pytest.mark.parametrize(
    "places", [[50.0], [50, 50], [50, 51, 120], [0, 0, 0], [200, 200, 199], [90, 10, 20, 30, 95], [60, 40, 140, 130]]
)
def test_names_stand_apart_in_the_order_of_their_lines(places: list[float]) -> None:
    lines = [1 + n % 3 for n in range(len(places))]
    found = apart(places, lines, 200)
    order = sorted(range(len(places)), key=found.__getitem__)
    for one, other in pairwise(order):
        assert found[other] - found[one] >= (lines[one] + lines[other]) * LINE / 2 - 1e-9
        assert places[one] <= places[other]
    assert found[order[0]] - lines[order[0]] * LINE / 2 >= -OVER - 1e-9
    assert found[order[-1]] + lines[order[-1]] * LINE / 2 <= 200 + OVER + 1e-9
    if len(places) == 1:
        assert found == places


def test_each_line_is_named_in_each_panel_at_its_end() -> None:
    figure = collapse_curve({"fast": HISTORY, "slow <b>": HISTORY[:10]}, margin=2.5).figure
    assert not figure.layout.showlegend
    notes = [(note.text, note.yref, round(note.x), round(note.y, 2)) for note in figure.layout.annotations]
    assert notes == [
        *(("fast", "y", 20, 1.1), ("slow &lt;b&gt;", "y", 10, 2.1), ("the margin", "y", 20, 2.5)),
        *(("fast", "y2", 20, -1.3), ("slow &lt;b&gt;", "y2", 10, -1.0)),
    ], "on a logarithmic axis plotly wants the power"
    drawn = {readable(trace.line.color) for trace in figure.data}
    assert {note.font.color for note in figure.layout.annotations} == drawn
    strokes = {(note.arrowcolor, note.arrowwidth) for note in figure.layout.annotations}
    assert strokes == {(NEUTRAL, 1)}, "a stroke is no line of data"
    assert all(note.ax > note.x for note in figure.layout.annotations), "beside the panel, not on a line"
    left = [note for note in figure.layout.annotations if note.yref == "y"]
    assert sorted(left, key=lambda note: note.ay) == sorted(left, key=lambda note: note.y), "none crosses another"
    assert figure.layout.margin.r > 60


@pytest.mark.parametrize("short, above", [([4.0, 5.0], True), ([0.0, 1.0], False)])
def test_a_line_that_ends_early_is_named_on_its_side_of_those_that_go_on(short: list[float], above: bool) -> None:
    """At its end the first line is above the other, which ends higher, or below it, which ends lower."""
    ends = {"1": short[0], "10": short[1]}, {"1": 2.0, "10": 3.0, "100": 9.0 if above else 0.0}
    figure = labels_curve({"short": ends[0], "long": ends[1]}).figure
    short_name, long_name = figure.layout.annotations
    assert (short_name.text, long_name.text) == ("short", "long")
    assert (short_name.ay > long_name.ay) == above != (short_name.y > long_name.y)


def test_one_curve_or_one_a_panel_needs_no_name() -> None:
    assert not loss_curve(HISTORY).figure.layout.annotations
    assert not loss_curve(HISTORY, ["loss", "distance"], panels=True).figure.layout.annotations
    assert len(loss_curve(HISTORY, ["loss", "distance"]).figure.layout.annotations) == 2


def test_the_ends_of_error_bars_are_in_the_picture() -> None:
    one, other = {"mean": 52.0, "low": 51.0, "high": 75.0}, {"mean": 60.0, "low": 59.0, "high": 61.0}
    low, high = labels_curve({"measured": {"1": one, "100": other}}).figure.layout.yaxis.range
    assert 45 < low < 51 and 75 < high < 80


def test_names_are_in_the_shade_of_their_lines() -> None:
    figure = loss_curve(HISTORY, ["loss", "distance"]).figure
    drawn = [readable(trace.line.color) for trace in figure.data]
    assert [note.font.color for note in figure.layout.annotations] == drawn


def test_histograms_are_named_over_their_peaks_and_never_on_one_another() -> None:
    figure = cosine_histogram({"before": [0.81] * 9 + [0.1], "after": [0.81] * 9 + [0.2], "later": [0.0]}).figure
    notes = {note.text: note for note in figure.layout.annotations}
    assert {name: note.x for name, note in notes.items()} == pytest.approx(
        {"before": 0.8125, "after": 0.8125, "later": 0.0125}
    )
    assert abs(notes["before"].ay - notes["after"].ay) >= LINE and not figure.layout.showlegend
    assert figure.layout.yaxis.range[1] > 1


def test_names_of_histograms_stand_clear_of_all_bars_and_inside() -> None:
    """A name ends `ay` pixels from its peak, upwards where that is negative, and `ax` to the right."""
    heaps = {"steep": [0.4], "as steep": [0.4], "steep, too": [0.4], "at the edge": [1.0]}
    figure = cosine_histogram(heaps).figure
    layout = figure.layout
    pixels = (layout.height - layout.margin.t - layout.margin.b) / layout.yaxis.range[1]  # of a share of 1
    tops = [note.y * pixels - note.ay for note in layout.annotations]
    assert len(tops) == 4 and pixels < min(tops) and max(tops) < layout.yaxis.range[1] * pixels
    edge = next(note for note in layout.annotations if note.text == "at the edge")
    assert edge.ax < 0, "moved in from the edge"


def test_a_name_stands_above_the_higher_bar_beside_its_peak() -> None:
    figure = cosine_histogram({"a broad one": [0.3, 0.3, -0.3, -0.2, -0.1], "steep": [0.4] * 10}).figure
    [broad] = [note for note in figure.layout.annotations if note.text == "a broad one"]
    pixels = (figure.layout.height - figure.layout.margin.t - figure.layout.margin.b) / figure.layout.yaxis.range[1]
    assert broad.y == 0.4 and broad.y * pixels - broad.ay > pixels


@pytest.mark.parametrize("colour", [POSITIVE, NEGATIVE, NEUTRAL, BEFORE, AFTER, CONTRAST, CLASSIFY, "#000000"])
def test_words_in_the_colour_of_a_line_can_be_read(colour: str) -> None:
    assert all(contrast(readable(colour), ground) >= 4.2 for ground in ("#ffffff", "#111111"))
