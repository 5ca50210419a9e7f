"""Names beside lines and over histograms: each at its own place, none on another, and readable."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kit.figures import collapse_curve, cosine_histogram, loss_curve
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
    drawn = {trace.line.color for trace in figure.data}
    assert {note.arrowcolor for note in figure.layout.annotations} == drawn
    assert all(note.ax > note.x for note in figure.layout.annotations), "beside the panel, not on a line"
    assert figure.layout.margin.r > 60


def test_one_curve_or_one_a_panel_needs_no_name() -> None:
    assert not loss_curve(HISTORY).figure.layout.annotations
    assert not loss_curve(HISTORY, ["loss", "distance"], panels=True).figure.layout.annotations
    assert len(loss_curve(HISTORY, ["loss", "distance"]).figure.layout.annotations) == 2


def test_histograms_are_named_over_their_peaks_and_never_on_one_another() -> None:
    figure = cosine_histogram({"before": [0.81] * 9 + [0.1], "after": [0.81] * 9 + [0.2], "later": [0.0]}).figure
    notes = {note.text: note for note in figure.layout.annotations}
    assert {name: note.x for name, note in notes.items()} == pytest.approx(
        {"before": 0.8125, "after": 0.8125, "later": 0.0125}
    )
    assert abs(notes["before"].ay - notes["after"].ay) >= LINE and not figure.layout.showlegend
    assert figure.layout.yaxis.range[1] > 1


@pytest.mark.parametrize("colour", [POSITIVE, NEGATIVE, NEUTRAL, BEFORE, AFTER, CONTRAST, CLASSIFY, "#000000"])
def test_words_in_the_colour_of_a_line_can_be_read(colour: str) -> None:
    for theme, grounds in {"auto": ["#ffffff", "#111111"], "light": ["#ffffff"], "dark": ["#111111"]}.items():
        assert all(contrast(readable(colour, theme), ground) >= (4.2 if theme == "auto" else 5) for ground in grounds)
