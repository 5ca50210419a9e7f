"""The scoreboard's figure, its plain picture and its table: all of one set of rows, none by colour alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from kit.course.papers import CLAIMS, Entry, effect_of, read_published, weakest
from kit.course.papers.scoreboard import Measured
from kit.errors import KitError
from kit.figures.palette import NEUTRAL
from kit.figures.scoreboard_figures import (
    BAND,
    EFFECT,
    INK,
    LINE,
    LOOK,
    TOP,
    reach,
    scoreboard_figure,
    scoreboard_rows,
    scoreboard_summary,
    scoreboard_svg,
    scoreboard_table,
    ticks,
)
from kit.figures.scoreboard_sizes import different, sizes_table, without_pairs

FIGURES = read_published()


def entry(name: str, *values: float) -> Entry:
    effect = effect_of(values)
    parts = tuple(
        Measured(part, effect, published, part.judge(effect, published), values)
        for part in CLAIMS[name].parts
        for published in [part.published(FIGURES)]
    )
    verdicts = weakest(p.verdict for p in parts)
    return Entry(CLAIMS[name], parts, verdicts, f"make claims ONLY={name}", CLAIMS[name].differs)


BOARD = {
    "L1": entry("L1", 2.0, 2.1, 2.2),
    "L2": entry("L2", 1.0, 1.1, 1.2),
    "S1": entry("S1", 95.0),
    "S2": entry("S2", -1.0, 1.0, 1.5),
    "D2": entry("D2", 0.1, 0.2, 40.0),
    "P4": entry("P4", 1.0, 2.0, 3.0),
}


def test_rows_are_those_in_points() -> None:
    rows = scoreboard_rows(BOARD)
    assert [row.label for row in rows] == [
        "L1: SCL − SBERT",
        "L2: 3p3n-Augment − SBERT",
        "L2: allpalln-Augment − SBERT",
        "S2: SupMPN − SimCSE",
        "D2: A 2 − A 1",
        "P4: annealed − constant, 10% labels",
    ]
    assert {row.verdict for row in rows} == set(LOOK)
    with pytest.raises(KitError, match="run make claims"):
        scoreboard_rows({"S1": BOARD["S1"]})


def test_shape_and_colour_both_tell_the_verdict() -> None:
    assert len({colour for colour, _ in LOOK.values()}) == len({shape for _, shape in LOOK.values()}) == 4


def test_the_figure_holds_the_rows() -> None:
    picture = scoreboard_figure(BOARD)
    *measured, published = picture.figure.data
    assert sum(len(trace.x) for trace in measured) == 6 and len(published.x) == 4
    by_label = {label: value for trace in measured for label, value in zip(trace.y, trace.x)}
    assert by_label == {row.label: row.mean for row in scoreboard_rows(BOARD)}
    rows = {row.label: row for row in scoreboard_rows(BOARD)}
    for trace in measured:
        for label, x, up, down in zip(trace.y, trace.x, trace.error_x.array, trace.error_x.arrayminus):
            assert (x - down, x + up) == pytest.approx((rows[label].low, rows[label].high))
    assert dict(zip(published.y, published.x)) == {
        label: row.published for label, row in rows.items() if row.published is not None
    }
    [title] = [note for note in picture.figure.layout.annotations if note.text]
    assert title.text == EFFECT and title.xanchor == "right", "in one line, which reaches to the left on a phone"
    assert picture.summary == scoreboard_summary(BOARD)


def test_the_first_claim_stands_at_the_top() -> None:
    """Plotly puts the first category at the bottom."""
    axis = scoreboard_figure(BOARD).figure.layout.yaxis
    rows = scoreboard_rows(BOARD)
    claims = [key for key in axis.categoryarray if key in {row.label for row in rows}]
    assert claims[::-1] == [row.label for row in rows] and axis.tickvals == axis.categoryarray
    assert axis.ticktext[-2:] == ("SCL − SBERT (L1)", f"<b>{rows[0].paper}</b>"), "under the name of its paper"
    assert axis.range[0] < 0 and len(axis.categoryarray) - 1 < axis.range[1], "the first and the last are inside"


def test_the_sentence_counts() -> None:
    """L1's and L2's narrow intervals miss the published figures, S2's wide one holds it."""
    said = scoreboard_summary(BOARD)
    assert said.startswith(
        "Of 6 claims, 2 replicate (L1, S1), 1 is contradicted (L2), 2 are undecided (S2, D2), 1 is not comparable (P4)"
    )
    assert "Not drawn, as they are not in points: S1 (% of pairs)." in said
    assert said.endswith("Longer than the picture: the interval of D2: A 2 − A 1.")
    assert "holds the published effect in 1 of 4 comparisons" in said and "farthest off is L2: 3p3n" in said


def test_an_interval_beyond_the_picture_is_cut() -> None:
    low, high = reach(scoreboard_rows(BOARD))
    assert low < 0 < high < max(row.high for row in scoreboard_rows(BOARD))
    assert all(low < row.mean < high for row in scoreboard_rows(BOARD))


def test_an_arrow_at_a_cut_end_points_out_of_the_picture() -> None:
    """D2's interval is too long on both sides; an arrow's tail is at `ax`, pixels to the right of its head."""
    picture = scoreboard_figure(BOARD).figure
    arrows = {note.x: note for note in picture.layout.annotations if not note.text}
    left, right = picture.layout.xaxis.range
    assert list(arrows) == [left, right] and {arrow.y for arrow in arrows.values()} == {"D2: A 2 − A 1"}
    assert arrows[left].ax > 0 > arrows[right].ax
    assert {arrow.arrowcolor for arrow in arrows.values()} == {LOOK["undecided"][0]}


def test_the_plain_picture_is_whole() -> None:
    """Well-formed, described, one mark and one interval a row, everything within its edges."""
    text = scoreboard_svg(BOARD)
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}desc").text == scoreboard_summary(BOARD) and root.find(f"{space}title").text
    words = [node.text for node in root.iter(f"{space}text")]
    for row in scoreboard_rows(BOARD):
        assert row.label in words and any(row.verdict in word and word[:1] in "+−" for word in words)
    width, height = float(root.get("width")), float(root.get("height"))
    places = ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy")
    numbers = [(key, float(node.get(key))) for node in root.iter() for key in places if node.get(key)]
    assert all(0 <= value <= (height if "y" in key else width) for key, value in numbers)
    assert len(text) < 40_000 and not re.search(r"<script|href|nan|inf\b", text)


def test_the_plain_picture_is_to_scale() -> None:
    """Its own ticks give the scale; L1 replicates, so that its mean is a disc. A cut interval ends in arrow heads."""
    space, rows = "{http://www.w3.org/2000/svg}", scoreboard_rows(BOARD)
    root = ElementTree.fromstring(scoreboard_svg(BOARD))
    at = {node.text: float(node.get("x")) for node in root.iter(f"{space}text") if node.get("text-anchor") == "middle"}
    left, right = reach(rows)
    assert at["0"] < at["5"]

    def x(value: float) -> float:
        return at["0"] + (at["5"] - at["0"]) / 5 * min(max(value, left), right)

    lines = list(root.iter(f"{space}line"))
    for number, row in enumerate(rows):
        y = str(TOP + LINE * (number + 0.5))
        [interval] = [line for line in lines if line.get("y1") == line.get("y2") == y]
        assert [float(interval.get(end)) for end in ("x1", "x2")] == pytest.approx([x(row.low), x(row.high)], abs=0.2)
        bars = [line for line in lines if line.get("y1") == str(float(y) - 4)]
        cut = row.label.startswith("D2")
        assert len(bars) == (0 if cut else 2)
        found = (re.fullmatch(rf"M(\S+) {y}l(-?9) -5v10Z", path.get("d")) for path in root.iter(f"{space}path"))
        heads = [(float(one[1]), int(one[2])) for one in found if one]
        assert [back for _, back in heads] == ([9, -9] if cut else []), (
            "their tips are the ends, so they point outwards"
        )
        assert [tip for tip, _ in heads] == (pytest.approx([x(left), x(right)], abs=0.2) if cut else [])
    *_, disc = root.iter(f"{space}circle")
    assert float(disc.get("cx")) == pytest.approx(x(rows[0].mean), abs=0.2)
    diamonds = [path.get("d") for path in root.iter(f"{space}path") if path.get("fill") == NEUTRAL]
    tops = [float(path[1:].split()[0]) for path in diamonds[1:]]  # the first is the legend's
    assert tops == pytest.approx([x(row.published) for row in rows if row.published is not None], abs=0.2)
    strong = [line.get("x1") for line in lines if line.get("stroke") == INK]
    assert strong == [str(at["0"])], "zero alone"
    bands = [float(box.get("y")) for box in root.iter(f"{space}rect") if box.get("fill") == BAND]
    assert bands == [TOP + LINE * number for number in (1, 2, 4)], "a claim's comparisons share one"


def test_the_table_has_every_comparison() -> None:
    table = scoreboard_table(BOARD)
    assert len(table.rows) == 8 and len(scoreboard_table(BOARD, ["declutr2021"]).rows) == 1
    first = table.rows[0]
    assert first[2:4] == ["replicates", "+2.83"] and first[4].startswith("+2.10 [")
    assert table.rows[2][0] == "L2" and table.notes[1] == "", "said once for all comparisons of a claim"
    assert table.notes[0].endswith("Run it again: make claims ONLY=L1") and "ONLY=L2" in table.notes[2]
    share = next(row for row in table.rows if row[0].startswith("S1"))
    assert share[3:] == ["–", "95.0 % of pairs"]


def test_ticks_are_round() -> None:
    assert ticks(-3.2, 4.1) == [-3, -2, -1, 0, 1, 2, 3, 4] and ticks(-12, 18) == [-10, -5, 0, 5, 10, 15]


def test_sizes_stand_side_by_side_where_all_have_the_claim() -> None:
    larger = {"L1": entry("L1", 2.0, 2.1, 2.2), "S2": entry("S2", 3.0, 3.1, 3.2), "S6": entry("S6", 9.0, 9.1, 9.2)}
    table = sizes_table({"small": BOARD, "larger": larger})
    parts = [part.name for key in ("L1", "S2") for part in CLAIMS[key].parts]
    assert table.header == ("comparison", "published", "small", "verdict", "larger", "verdict")
    assert [row[0].split(" ", 1)[1] for row in table.rows] == parts, "S6 and the others are of one board alone"
    assert all("3 seeds" in row[2] and "3 seeds" in row[4] for row in table.rows)
    assert [(row[3], row[5]) for row in table.rows][-1] == ("undecided", "replicates")
    assert f": L1, S2, of {len(CLAIMS)} claims" in table.caption and "the verdicts differ for S2" in table.caption
    same = sizes_table({"small": BOARD, "larger": {"S1": BOARD["S1"]}})
    assert "the verdicts are the same" in same.caption and "seeds" not in same.rows[0][2]
    for boards in ({"small": BOARD}, {"small": BOARD, "larger": {"S6": larger["S6"]}}):
        with pytest.raises(KitError, match="expected"):
            sizes_table(boards)


def test_a_claim_that_each_contradicts_by_another_comparison_is_told_and_one_that_turns_round() -> None:
    """L2 promises a loss: its first comparison is contradicted from one encoder, its second from the other."""
    gained, lost = (entry("L2", *values).parts for values in ((1.0, 1.1, 1.2), (-1.0, -1.1, -1.2)))
    one, other = (
        Entry(CLAIMS["L2"], parts, "contradicted", "", "") for parts in ((lost[0], gained[1]), (gained[0], lost[1]))
    )
    said = sizes_table({"small": {"L2": one}, "larger": {"L2": other}}).caption
    assert "the verdicts are the same; L2: contradicted from each, but no comparison of it from all" in said
    assert "replicated from another: L2 3p3n-Augment − SBERT, L2 allpalln-Augment − SBERT." in said
    alike = sizes_table({"small": {"L2": one}, "larger": {"L2": one}}).caption
    assert "from each" not in alike and "from another" not in alike


def results_of_l1(new: list[float], old: list[float]) -> dict:
    """A results file of L1 alone."""
    [part] = CLAIMS["L1"].parts
    effect, published = effect_of([a - b for a, b in zip(new, old)]), part.published(FIGURES)
    told = {"published": published, "verdict": part.judge(effect, published)} | vars(effect)
    arms = {part.new: {"values": new}, part.old: {"values": old}}
    return {"encoder": "one", "claims": {"L1": {"parts": [told | {"arms": arms}]}}}


def test_what_two_claims_share_counts_once() -> None:
    found = results_of_l1([2.0, 3.0, 4.0], [1.0, 1.5, 2.0])
    [told] = found["claims"]["L1"]["parts"]
    found["claims"]["L4"] = {"parts": [told, told]}  # of L4's comparisons the second is L1's
    assert [name for name, *_ in different(found)] == ["L1", "L4"]
    told |= {"low": 1.0, "high": 1.0}
    assert different(found) == [], "equal values have no interval"


def test_a_verdict_that_hangs_on_the_pairs_is_named() -> None:
    """Arms that go together have a narrow interval in pairs and a wide one without, and the other way round."""
    told = without_pairs(results_of_l1([2.0, 12.0, 22.0], [1.0, 11.1, 20.9]))
    assert "r = +1.00 (" in told
    assert told.endswith("another verdict: L1 SCL − SBERT (undecided in place of replicates).")
    told = without_pairs(results_of_l1([22.0, 12.0, 2.0], [1.0, 11.0, 21.0]))
    assert "r = −1.00 (" in told and told.endswith("another verdict: none.")
    found = results_of_l1([2.0, 3.0, 4.0], [1.0, 1.5, 2.0])
    found["claims"]["L1"]["parts"][0]["arms"][CLAIMS["L1"].parts[0].old]["values"] = [1.0]
    assert without_pairs(found) == "", "a raw encoder has no seeds"
