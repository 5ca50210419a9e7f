"""Pictures: the figure holds the data, the summary is computed from it, nonsense is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from kit.captions import caption
from kit.data.twelve import twelve_labels
from kit.errors import KitError
from kit.figures import (
    CaptionedFigure,
    PageTable,
    before_after,
    collapse_curve,
    cosine_histogram,
    count_curve,
    frequency_map,
    heat_maps,
    labels_curve,
    loss_curve,
    reduction_curve,
    risk_curve,
    spectra,
)
from kit.figures.caption_numbers import PARTS
from kit.figures.palette import AFTER, BEFORE, INK
from kit.figures.probing_figures import changed
from kit.figures.score_figures import Score
from kit.figures.scoreboard_figures import signed


def contrast(hexadecimal: str, background: str) -> float:
    """WCAG 2.1 contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(hexadecimal), luminance(background)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_on_its_background() -> None:
    """WCAG AA asks 4.5 : 1; one grey for both may fall to 4.2."""
    assert all(contrast(INK, background) >= 4.2 for background in ("#ffffff", "#111111"))


def test_heat_map_counts_topics_and_high_cosines() -> None:
    matrix = np.full((12, 12), 0.5)
    np.fill_diagonal(matrix, 1.0)
    matrix[0, 1] = matrix[1, 0] = 0.9  # weather: the positive is nearer
    matrix[3, 5] = matrix[5, 3] = 0.7  # sport: the negative is nearer
    picture = heat_maps({"raw": matrix.tolist()}, twelve_labels())
    assert "from 0.50 to 0.90" in picture.summary
    assert "3% of them above 0.6" in picture.summary  # 4 of 132
    assert "in 1 of 4 topics" in picture.summary
    np.testing.assert_allclose(np.array(picture.figure.data[0].z, dtype=float), matrix)
    assert picture.figure.layout.coloraxis.cmin == 0 and picture.figure.layout.coloraxis.cmax == 1
    assert picture.figure.layout.yaxis.autorange == "reversed", "the diagonal falls, as on paper"


def test_each_heat_map_stands_under_its_name() -> None:
    figure = heat_maps({"raw": np.eye(12).tolist(), "trained": np.ones((12, 12)).tolist()}, twelve_labels()).figure
    assert [note.text for note in figure.layout.annotations] == ["raw", "trained"]
    assert [float(np.sum(trace.z)) for trace in figure.data] == [12, 144]
    assert figure.layout.annotations[0].x < figure.layout.annotations[1].x and figure.data[1].xaxis == "x2"
    named = [axis.showticklabels for axis in (figure.layout.yaxis, figure.layout.yaxis2)]
    assert named == [True, False], "names of the second would lie on the first"


def test_heat_map_of_another_size_is_refused() -> None:
    with pytest.raises(KitError, match="expected a 12 × 12 matrix for 'raw'.*got 3 rows"):
        heat_maps({"raw": np.eye(3).tolist()}, twelve_labels())


def test_a_heat_map_says_that_negative_cosines_look_like_none() -> None:
    matrix = np.eye(12)
    matrix[0, 1] = matrix[1, 0] = -0.3
    picture = heat_maps({"raw": matrix.tolist()}, twelve_labels())
    assert picture.summary.endswith("All cosines below 0 have the colour of 0.")
    bar = picture.figure.layout.coloraxis.colorbar
    assert dict(zip(bar.tickvals, bar.ticktext))[0] == "0 and<br>below"
    none = heat_maps({"raw": np.eye(12).tolist()}, twelve_labels())
    assert "colour" not in none.summary and none.figure.layout.coloraxis.colorbar.ticktext is None


def test_cosines_that_cannot_be_drawn_are_refused() -> None:
    for matrices, labels in (({"x": [[1.0]]}, ["a"]), ({"x": []}, []), ({}, ["a", "b"])):
        with pytest.raises(KitError, match="one matrix or more of two sentences or more"):
            heat_maps(matrices, labels)
    with pytest.raises(KitError, match="expected finite cosines for 'x'"):
        heat_maps({"x": [[1.0, float("nan")]] * 2}, ["a", "b"])
    for cosines in ([float("nan")], [float("nan"), 0.5]):
        with pytest.raises(KitError, match="expected finite cosines for 'a'"):
            cosine_histogram({"a": cosines})


def captions_of(value: float) -> list[str]:
    """Every caption and table that may hold a negative number, with this one."""
    matrix = [[1.0, value, value], [value, 1.0, value], [value, value, 1.0]]
    return [
        heat_maps({"x": matrix}, ["a anchor", "a +", "a −"]).summary,
        cosine_histogram({"x": [value]}).summary,
        loss_curve([{"step": 1, "loss": value}]).summary,
        risk_curve({"x": [{"step": 1, "estimate": value, "true": value}]}).summary,
        str(before_after({"x": value}, {"x": 2 * value})),
        changed({"mean": value, "high": value + 1}),
        signed(value),
        Score(value, value, 0.0).said,
        labels_curve({"x": value, "y": {"1": value}}).summary,
    ]


def test_a_minus_is_that_of_a_page_and_never_before_zero() -> None:
    for said in captions_of(-0.0001):
        assert "0.0" in said and not set("-−") & set(said), said
    for said in captions_of(-0.5):
        assert "−" in said and "-" not in said, said


def test_one_of_a_thing_is_singular() -> None:
    assert loss_curve([{"step": 1, "loss": 1.0}]).summary.startswith("Over 1 step: ")
    assert loss_curve([{"step": 2000, "loss": 1.0}]).summary.startswith("Over 2,000 steps: ")
    assert frequency_map({"PCA": [[0.0, 1.0]]}, [1.0], ["a"]).summary.startswith(
        "Colour is the mean log word frequency of 1 sentence: "
    )
    assert heat_maps({"x": np.eye(3).tolist()}, ["a anchor", "a +", "a −"]).summary.endswith("in 0 of 1 topic.")
    assert "after 1 step the" in collapse_curve({"x": [{"step": 1, "loss": 1.0, "distance": 2.0}]}, margin=1.0).summary
    assert "from 1 triplet of 3 sentences to 8 of 6" in count_curve({"x": {3: 1, 6: 8}}).summary


def test_histogram_shares_sum_to_one_and_sentence_has_mean() -> None:
    values = np.array([0.1, 0.2, 0.7, 0.9, 1.0, -1.0])
    picture = cosine_histogram({"before": values})
    assert sum(picture.figure.data[0].y) == pytest.approx(1.0)
    drawn = [x for x, y in zip(picture.figure.data[0].x, picture.figure.data[0].y) if y]
    assert drawn == pytest.approx(sorted(values), abs=0.0126), "each within half the width of its bar"
    two = cosine_histogram({"before": values, "after": values}).figure
    assert [trace.marker.color for trace in two.data] == [BEFORE, AFTER] and two.layout.barmode == "overlay"
    assert f"mean {values.mean():.2f}, 50% above 0.6" in picture.summary
    assert picture.summary.startswith("Cosines of 6 random pairs. ")
    assert cosine_histogram({"x": [0.5], "y": [0.1, 0.2]}).summary.startswith("Cosines of random pairs. ")


@pytest.mark.parametrize("lowest", [0.1, -0.4, -0.97])
def test_the_axis_of_a_histogram_has_all_cosines(lowest: float) -> None:
    figure = cosine_histogram({"before": [lowest, 0.3], "after": [0.9, 1.0]}).figure
    left, right = figure.layout.xaxis.range
    assert left <= min(lowest, 0) and right == 1


def test_histograms_with_and_without_a_few_far_pairs_have_one_axis() -> None:
    """Bars too low to be seen do not make the axis longer; the summary counts what lies beyond it."""
    near, far = [0.1] * 3000, [-0.6, -0.6]
    pictures = [cosine_histogram({"before": near}), cosine_histogram({"before": near, "after": near + far})]
    assert [list(picture.figure.layout.xaxis.range) for picture in pictures] == [[-0.5, 1]] * 2
    assert "axis" not in pictures[0].summary
    assert pictures[1].summary.endswith(" Left of the axis, below −0.5: 2 pairs.")


def test_histogram_of_nothing_is_refused() -> None:
    with pytest.raises(KitError, match="expected cosines for 'before', got none"):
        cosine_histogram({"before": []})


def test_no_line_is_left_out_where_colours_run_out() -> None:
    """Every name is drawn and said, in a look of its own; a dash or a hatching tells those of one colour apart."""
    names, steps = [f"run {n}" for n in range(8)], [{"step": n, "loss": 1.0, "distance": 2.0} for n in (1, 2)]
    pictures = {
        "histogram": cosine_histogram({name: [0.1, 0.2] for name in names}),
        "labels": labels_curve({name: {"10": 50.0, "100": 60.0} for name in names}),
        "collapse": collapse_curve(dict.fromkeys(names, steps), margin=1.0),
        "counts": count_curve({name: {10: 100, 20: 400} for name in names}),
        "reductions": reduction_curve({name: {0.1: 1.0, 1.0: 2.0} for name in names}),
        "spectra": spectra({name: [2.0, 1.0] for name in names}),
    }
    for kind, picture in pictures.items():
        drawn = [trace for trace in picture.figure.data if trace.name in names and trace.xaxis in (None, "x")]
        looks = {
            (t.marker.color, t.marker.pattern.shape) if kind == "histogram" else (t.line.color, t.line.dash)
            for t in drawn
        }
        assert [trace.name for trace in drawn] == names and len(looks) == len(names), kind
        assert all(name in picture.summary.lower() for name in names), kind


def test_loss_curve_is_a_running_mean() -> None:
    for steps in [1, 5, 8, 100]:
        history = [{"step": i + 1, "loss": float(i), "contrastive": 2.0} for i in range(steps)]
        picture = loss_curve(history, ["loss", "contrastive", "absent"], smooth=20)
        width = {1: 1, 5: 1, 8: 2, 100: 20}[steps]
        expected = [np.mean(range(max(0, i - width + 1), i + 1)) for i in range(steps)]
        np.testing.assert_allclose(picture.figure.data[0].y, expected)
        assert list(picture.figure.data[0].x) == list(range(1, steps + 1)), "it begins at the first step"
        assert len(picture.figure.data) == 2, "a part that was never computed has no line"
        of = f" (mean of {width} steps)" if width > 1 else ""
        assert f"loss from {expected[0]:.2f} at the first step to {expected[-1]:.2f}{of}, " in picture.summary


def test_parts_of_a_loss_have_colours_of_their_own() -> None:
    parts = ["loss", "cross_entropy", "contrastive", "mlm", "pu"]
    drawn = loss_curve([{"step": 1, **dict.fromkeys(parts, 1.0)}], parts).figure.data
    assert len({trace.line.color for trace in drawn}) == len(parts)


def test_a_part_that_begins_later_says_so() -> None:
    late = [{"step": n, "loss": 1.0} | ({"mlm": 2.0} if n > 1 else {}) for n in (1, 2, 3)]
    assert "MLM from 2.00 at step 2 to 2.00" in loss_curve(late, ["loss", "mlm"]).summary


def test_loss_curve_with_panels_gives_each_part_an_axis() -> None:
    parts = {"contrastive": "contrast", "mlm": "MLM", "pu": "PU risk", "cross_entropy": "cross-entropy"}
    picture = loss_curve([{"step": i + 1, **dict.fromkeys(parts, 0.5)} for i in range(5)], list(parts), panels=True)
    assert [trace.yaxis for trace in picture.figure.data] == ["y", "y2", "y3", "y4"]
    titles = [axis.title.text for axis in picture.figure.select_yaxes()]
    assert titles == list(parts.values()), "as the lessons write them"
    assert all(f"{words} from 0.50" in picture.summary for words in parts.values())


def test_loss_curve_without_steps_is_refused() -> None:
    with pytest.raises(KitError, match="expected at least one step"):
        loss_curve([])


@pytest.mark.parametrize(
    "picture",
    [
        heat_maps({"a": np.eye(12).tolist(), "b": np.eye(12).tolist()}, twelve_labels()),
        cosine_histogram({"a": [0.1, 0.2], "b": [0.3, 0.4]}),
        loss_curve([{"step": 1, "loss": 1.0}]),
    ],
    ids=["heat maps", "histogram", "loss"],
)
def test_every_axis_has_a_title(picture: CaptionedFigure) -> None:
    drawn = picture.figure.to_dict()["layout"]
    x_titles = [axis.get("title", {}).get("text") for name, axis in drawn.items() if name.startswith("xaxis")]
    y_titles = [axis.get("title", {}).get("text") for name, axis in drawn.items() if name.startswith("yaxis")]
    assert all(x_titles) and y_titles[0]


def test_before_after_shows_changes_and_dashes() -> None:
    table = before_after({"mean cosine": 0.64, "STS-B": None}, {"mean cosine": 0.34, "STS-B": 60.0}, "note")
    assert table.rows == [("mean cosine", "0.64", "0.34", "−0.30"), ("STS-B", "–", "60.00", "–")]
    assert str(table).splitlines()[-1] == "note" and "<td" in table._repr_html_()


def test_captions_escape_and_name_their_kind() -> None:
    assert "&lt;b&gt;" in caption("<b>") and 'class="kit-caption"' in caption("x")
    assert 'class="kit-error" role="alert"' in caption("x", "error")


def test_picture_without_a_screen_is_its_summary() -> None:
    picture = cosine_histogram({"before": [0.5]})
    assert picture._repr_mimebundle_()["text/plain"] == picture.summary


@pytest.mark.parametrize(
    "cell", ["49.4 [49.4, 49.4]", "+9.54 [+9.41, -0.1] points", "2.20 ± 0.20", "15.7 TFLOP/s", "-0.3", "20,000", "3 %"]
)
def test_a_figure_of_a_table_stays_on_one_line(cell: str) -> None:
    def is_kept(*row: str, words: int = 1) -> list[bool]:
        page = PageTable(["4 %"] * len(row), [row], words=words)._repr_html_()
        return ["nowrap" in style for style in re.findall('<td style="([^"]*)"', page)]

    assert is_kept("raw", cell, "3 dogs on a beach", "needs 2 GPUs") == [False, True, False, False]
    assert is_kept(cell, cell, words=2) == [False, False], "words may break"


def test_words_align_left_and_numbers_right() -> None:
    text = str(PageTable(("a", "b", "c"), [("long", "x", "1"), ("s", "word", "10")], words=2)).splitlines()
    assert text == ["a     b      c", "long  x      1", "s     word  10"]
    below = PageTable(("off by", "where"), [("-5.90", "kit-2")])
    assert "−5.90   kit-2" in str(below) and ">−5.90<" in below._repr_html_() and ">kit-2<" in below._repr_html_()
    cells = re.findall(r'<(t[hd]) style="text-align:(\w+)', PageTable(("a", "b"), [("x", "1")])._repr_html_())
    assert cells == [("th", "left"), ("th", "right"), ("td", "left"), ("td", "right")]


def test_a_note_stands_under_its_row_over_the_whole_width() -> None:
    table = PageTable(("a", "b"), [("x", "1"), ("y", "2"), ("z", "3")], "said", notes=("", "why <y>", ""))
    assert str(table).splitlines()[2:] == ["y  2", "    why <y>", "z  3", "said"]
    rows = re.findall("<tr>(.*?)</tr>", table._repr_html_())[1:]
    assert len(rows) == 4 and rows[2] == '<td colspan="2" style="text-align:left">why &lt;y&gt;</td>'
    assert ["border-bottom:0" in row for row in rows] == [False, True, False, False], "no line between row and note"
    with pytest.raises(KitError, match="a note for each of 1 rows, or none at all, got 2"):
        PageTable(("a",), ["x"], notes=("one", "two"))


def test_the_parts_of_a_loss_have_one_name_in_curves_and_workshop() -> None:
    workshop = (Path(__file__).parents[2] / "kit" / "boards" / "js" / "workshop.js").read_text("utf-8")
    [listed] = re.findall(r"^const PARTS = \{(.*)\};$", workshop, re.MULTILINE)
    names = dict(re.findall(r'(\w+): "([^"]+)"', listed))
    assert names == PARTS
    for part, name in names.items():
        curve = loss_curve([{"step": 1, part: 1.0}, {"step": 2, part: 0.5}], [part])
        assert re.search(rf"\b{name}\b", curve.summary), curve.summary
