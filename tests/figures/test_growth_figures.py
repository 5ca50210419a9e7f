"""Pictures of growth: they show what was measured, and their sentences have the figures."""

from __future__ import annotations

import copy
import math

import pytest

from kit.errors import KitError
from kit.figures import CaptionedFigure, growth_figure, growth_table
from kit.figures.palette import GRID, INK

SIZES = (10, 20, 40, 80)


def curve(name: str, subject: str, time: tuple | None, memory: tuple | None, power: int = 1, start: int = 20) -> dict:
    """A curve whose points lie exactly on factor · size^exponent; time and memory: (factor, exponent, error)."""

    def of(law: tuple | None, size: int) -> float:
        return law[0] * size ** law[1] if law else 0.004

    points = [
        {
            "size": size,
            "seconds": of(time, size),
            "low": 0.9 * of(time, size),
            "high": 1.2 * of(time, size),
            "megabytes": of(memory, size),
        }
        for size in SIZES
    ]
    laws = [law and {"factor": law[0], "exponent": law[1], "error": law[2], "from": start} for law in (time, memory)]
    return {
        "name": name,
        "subject": subject,
        "title": f"the {name}",
        "power": power,
        "points": points,
        "time": laws[0],
        "memory": laws[1],
    }


@pytest.fixture()
def result() -> dict:
    return {
        "threads": 1,
        "subjects": {"rows": "rows of data", "anchors": "anchors in the batch", "none": "nothing"},
        "curves": [
            curve("sorting", "rows", (1e-3, 1.04, 0.02), (0.5, -0.1, 0.3)),
            curve("counting", "rows", (2e-3, 0.98, 0.01), None),
            curve("matrix", "anchors", (1e-5, 2.01, 0.03), (0.01, 1.99, 0.0), power=2, start=10),
        ],
    }


def panel(picture: CaptionedFigure, axis: str, mode: str) -> list:
    return [trace for trace in picture.figure.data if trace.yaxis == axis and trace.mode == mode]


def test_markers_are_the_points_and_lines_the_laws(result: dict) -> None:
    picture = growth_figure(result, "rows")
    markers = panel(picture, "y", "markers")
    assert [list(trace.x) for trace in markers] == [list(SIZES)] * 2
    assert list(markers[1].y) == [point["seconds"] for point in result["curves"][1]["points"]]
    assert list(markers[0].error_y.array) == pytest.approx([0.2 * value for value in markers[0].y])
    assert list(markers[0].error_y.arrayminus) == pytest.approx([0.1 * value for value in markers[0].y])
    solid, dotted = panel(picture, "y", "lines")[:2]
    assert [trace.error_y.array for trace in panel(picture, "y2", "markers")] == [None, None], "memory has no bars"
    assert len({trace.marker.symbol for trace in markers}) == len({trace.marker.color for trace in markers}) == 2
    colours = {trace.name: trace.marker.color for trace in markers}
    assert all(trace.line.color == colours[trace.name] for trace in panel(picture, "y", "lines"))
    assert (list(solid.x), solid.line.dash, list(dotted.x), dotted.line.dash) == ([20, 80], "solid", [10, 20], "dot")
    assert list(solid.y) == pytest.approx([1e-3 * 20**1.04, 1e-3 * 80**1.04])
    assert picture.figure.layout.xaxis.type == picture.figure.layout.yaxis2.type == "log"


def test_every_axis_and_every_exponent_has_its_words(result: dict) -> None:
    picture = growth_figure(result, "rows")
    drawn = picture.figure.layout
    assert [drawn.xaxis.title.text, drawn.xaxis2.title.text] == ["rows of data"] * 2
    assert [drawn.yaxis.title.text, drawn.yaxis2.title.text] == ["processor time (s)", "peak memory (MB)"]
    notes = [(note.yref, " ".join(note.text.replace("<br>", " ").split())) for note in drawn.annotations]
    assert notes == [
        ("y", "the sorting: 1.04 ± 0.02"),
        ("y", "the counting: 0.98 ± 0.01"),
        ("y2", "the sorting: −0.10 ± 0.30"),
    ], "the counting took no memory to speak of"
    assert {note.x for note in drawn.annotations} == {math.log10(80)}, "at the largest size, by its power"


def test_the_sentence_has_the_figures(result: dict) -> None:
    summary = growth_figure(result, "rows").summary
    assert summary.startswith("Fitted exponents of time and of memory against rows of data, on one thread: ")
    assert "the sorting 1.04 ± 0.02 and −0.10 ± 0.30 (95 ms and below 1 MB at 80)" in summary
    assert "the counting 0.98 ± 0.01 and too small to fit (0.15 s and below 1 MB at 80)" in summary
    changed = copy.deepcopy(result)
    changed["threads"] = 2
    assert ", on 2 threads: " in growth_figure(changed, "rows").summary
    changed["curves"][1]["points"][-1] |= {"size": 12_000, "seconds": 3.21, "megabytes": 1234.5}
    assert "(3.2 s and 1,234 MB at 12,000)" in growth_figure(changed, "rows").summary


def test_what_is_too_small_to_fit_has_no_line(result: dict) -> None:
    picture = growth_figure(result, "rows")
    assert len(panel(picture, "y2", "lines")) == 2, "of the sorting alone"
    assert len(panel(picture, "y2", "markers")[1].x) == 0, "four kilobytes are the allocator's"
    assert [trace.line.dash for trace in panel(growth_figure(result, "anchors"), "y", "lines")] == ["solid"]


def test_a_short_logarithmic_axis_has_more_than_powers_of_ten(result: dict) -> None:
    drawn = growth_figure(result, "rows").figure.layout
    assert {"0.01", "0.02", "0.05", "0.1"} <= set(drawn.yaxis.ticktext)
    result["curves"][0]["points"][-1]["seconds"] = 1000.0
    far = growth_figure(result, "rows").figure.layout.yaxis
    assert "0.02" not in far.ticktext and list(far.tickvals)[-1] == 1000 and far.ticktext[-1] == "1,000"


def test_ticks_stand_all_along_the_sizes(result: dict) -> None:
    """All of four sizes, every other one of more, powers of ten of very many."""
    points = result["curves"][0]["points"]
    for count, shown in [(4, ("10", "20", "40", "80")), (6, ("10", "40", "160")), (9, None)]:
        points += [points[-1] | {"size": 10 * 2**power} for power in range(len(points), count)]
        assert growth_figure(result, "rows").figure.layout.xaxis.ticktext == shown


def test_the_table_has_a_row_for_each_curve(result: dict) -> None:
    table = growth_table(result, caption="one thread")
    assert table.rows[2] == ("the matrix", "anchors in the batch", "2.01 ± 0.03", "1.99 ± 0.00", "80", "67 ms", "61 MB")
    assert [row[0] for row in growth_table(result, "rows").rows] == ["the sorting", "the counting"]
    assert str(table).endswith("one thread")


def test_an_unknown_subject_and_one_without_curves_are_refused(result: dict) -> None:
    for draw in [growth_figure, growth_table]:
        with pytest.raises(KitError, match="unknown subject of growth 'raws'.*'rows'"):
            draw(result, "raws")
        with pytest.raises(KitError, match="expected at least one measured curve, got none"):
            draw(result, "none")


def test_all_axes_have_the_ink_of_the_palette(result: dict) -> None:
    layout = growth_figure(result, "rows").figure.layout
    assert layout.font.color == INK
    assert layout.xaxis.gridcolor == layout.xaxis2.gridcolor == layout.yaxis2.gridcolor == GRID


def test_no_curve_is_left_out_where_colours_run_out(result: dict) -> None:
    result["curves"] = [curve(f"curve {n}", "rows", (1e-3, 1.0, 0.0), (0.5, 1.0, 0.0)) for n in range(22)]
    picture = growth_figure(result, "rows")
    assert len(panel(picture, "y", "markers")) == len(panel(picture, "y2", "markers")) == 22
