"""What boards draw, against the values that they draw: numbers in their rows, marks at their places, colours as told.

The values are made up and all different, so that none can stand where another belongs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from kit.boards.board import script
from kit.boards.padding_widget import WAYS
from kit.boards.pulls_widget import pulls_values
from kit.boards.verdict_widget import MARGIN, PROMISES, SEEDS
from kit.course.papers import rule
from tests.browser.board_cases import CASES, grid
from tests.browser.board_page import put
from tests.browser.test_boards import LOAD

# Of every panel all its elements, in their order: {tag, text, and each attribute by its name}.
DRAWN = """([settings, changes]) => settings.map((chosen) => {
    const {compute, draw, motion} = window.kitModule.board, state = window.kitState;
    const figure = {...compute(state, chosen), ...changes}, moving = {...figure, ...motion?.(figure, chosen, state)};
    const read = (html) => [...new DOMParser().parseFromString(html, "text/html").body.querySelectorAll("*")];
    return draw(moving, chosen, state).map((html) => read(html).map((one) => ({
        tag: one.localName,
        text: one.textContent,
        ...Object.fromEntries([...one.attributes].map(({name, value}) => [name, value])),
    })));
})"""


@pytest.fixture(scope="module")
def page(window) -> Iterator:
    """One for all: each test loads its board anew."""
    page = window.new_page()
    yield page
    page.close()


def drawn(page, board: str, *settings: dict, state: dict | None = None, **changes) -> list[list[list[dict]]]:
    """For each setting the panels of a board; `changes` replace some of its computed numbers.

    Without a state it is that of the board's case, with whose first setting the others are filled up.
    """
    of, (first, *_) = (state, [{}]) if state else CASES[board]()
    put(page, LOAD, script(board), of)
    return put(page, DRAWN, [first | one for one in settings], changes)


def hue(name: str) -> str:
    return f"var(--kit-{name})"


def numbers(words: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in re.findall(r"[-−]?\d+(?:\.\d+)?", words)]


def texts(panel: list[dict]) -> dict[str, tuple[float, float]]:
    """Where its words stand."""
    return {one["text"]: (float(one["x"]), float(one["y"])) for one in panel if one["tag"] == "text"}


def inks(panel: list[dict]) -> dict[str, str]:
    """The colours of words that have one."""
    found = [(one["text"], re.search(r"--kit-\w+", one.get("style", ""))) for one in panel]
    return {words: f"var({found[0]})" for words, found in found if found}


def legend(panel: list[dict]) -> dict[str, str]:
    """The colours of the boxes by the words right of them."""
    pairs = [(one, after) for one, after in pairwise(panel) if after["tag"] == "text"]
    return {after["text"]: one["fill"] for one, after in pairs if one.get("rx") == "2" and one.get("width") == "13"}


def scale(panel: list[dict], axis: str):
    """From pixels to numbers, as the numbers along the axis ("x" or "y") say."""
    ticks = [one for one in panel if one["tag"] == "text" and re.fullmatch(r"−?\d+(\.\d+)?", one["text"])]
    ticks = [one for one in ticks if one.get("class") == "kit-small"]
    if axis == "x":
        foot = max(float(one["y"]) for one in ticks if one["text-anchor"] == "middle")
        ticks = [one for one in ticks if one["text-anchor"] == "middle" and float(one["y"]) == foot]
    else:
        side = min(float(one["x"]) for one in ticks if one["text-anchor"] == "end")
        ticks = [one for one in ticks if one["text-anchor"] == "end" and float(one["x"]) == side]
    found = sorted((float(one[axis]) - (4 if axis == "y" else 0), *numbers(one["text"])) for one in ticks)
    (a, low), (b, high) = found[0], found[-1]
    return lambda pixel: low + (pixel - a) / (b - a) * (high - low)


def paths(panel: list[dict], kind: str) -> list[list[float]]:
    """The numbers of the paths of a class."""
    return [numbers(one["d"]) for one in panel if one.get("class") == kind and one["tag"] == "path"]


def cursor(panel: list[dict]) -> float:
    """Where the dashed line stands, as the axis counts."""
    [[x, *_]] = paths(panel, "kit-marker")
    return scale(panel, "x")(x)


def curve(panel: list[dict], number: int) -> list[tuple[float, float]]:
    """A curve of a chart, as its axes count."""
    line = [one for one in panel if one["tag"] == "polyline"][number]
    x, y = scale(panel, "x"), scale(panel, "y")
    return [(x(a), y(b)) for a, b in (map(float, point.split(",")) for point in line["points"].split())]


def rows_of(panel: list[dict]) -> list[list[str]]:
    """The rows of a table."""
    cells = [one for one in panel if one["tag"] in ("th", "td") and one.get("scope") != "col"]
    starts = [i for i, one in enumerate(cells) if one.get("scope") == "row"]
    return [[one["text"] for one in cells[a:b]] for a, b in zip(starts, [*starts[1:], None])]


def large(panel: list[dict]) -> list[tuple[str, str, str | None]]:
    """Large figures: the value, what it is, its colour."""
    found = inks(panel)
    pairs = [(one, after) for one, after in pairwise(panel) if one.get("class") == "kit-figure"]
    return [(b["text"], p["text"].removeprefix(b["text"]).strip(), found.get(b["text"])) for p, b in pairs]


# ---- numbers in tables, large figures, bars ----


def test_temperature_has_each_value_in_its_row(page) -> None:
    values = {"loss": 0.11, "smallest": 0.012, "push": 1.5, "gradient": 2.25, "watched": 3.4}
    cosines, weights = [0.9, 0.8, 0.7, 0.65, *[0.1] * 7], [0.5, 0.2, 0.1, 0.06, *[0.02] * 7]
    [[rows, figures, table]] = drawn(
        page, "temperature", {"tau": 0.3}, **values, cosines=cosines, weights=weights, shares=[0.42] + [0.058] * 10
    )
    assert rows_of(table) == [
        ["loss", "0.11"],
        ["the least it can be", "0.012"],
        ["pull = all pushes together", "1.5"],
        ["gradient on the anchor", "2.25"],
    ]
    assert [value for value, *_ in large(figures)] == ["3.4", "42 %"]
    said = [one["text"] for one in rows if one["tag"] == "text" and re.fullmatch(r"0\.\d{3}", one["text"])]
    assert said == [f"{one:.3f}" for pair in zip(cosines, weights) for one in pair], "the order of the candidates"
    bars = [float(one["width"]) for one in rows if one.get("fill-opacity") == "0.4"]
    assert bars == pytest.approx([bars[0] * one / weights[0] for one in weights], abs=0.2)


def test_the_bars_of_nnpu_are_its_risks(page) -> None:
    risks = {"positive": 0.3, "negative": -0.5, "naive": -0.2, "nnpu": 0.45, "new": 0.15}
    [[line, _, points]] = drawn(page, "nnpu", {"memory": 4.0, "kept": 0.25}, **risks, switched=True)
    words = [one["text"] for one in line if one["tag"] == "text"]
    said = {words[i - 1]: v for i, v in enumerate(words) if re.fullmatch(r"−?\d\.\d{3}", v)}
    assert list(said.values()) == ["0.300", "−0.500", "−0.200", "0.450", "0.150"]
    assert (said["= naive risk"], said["nnPU instead"]) == ("−0.200", "0.450")
    bars = [one for one in line if one.get("rx") == "2"]
    left, wide = ([float(one[name]) for one in bars] for name in ("x", "width"))
    unit, zero = wide[0] / 0.3, left[0]
    assert wide == pytest.approx([unit * abs(risk) for risk in risks.values()], abs=0.2)
    ends = [left[1] + wide[1], left[2] + wide[2], left[3], left[4]]
    assert ends == pytest.approx([zero + unit * 0.3, zero, zero, zero], abs=0.2), "R⁻ goes on from R⁺"
    strokes = [numbers(one["d"])[1] + 6 for one in points if one.get("d", "").endswith("v12")]
    named = {name: texts(points)[name][1] - 4 for name in ("hidden positives", "negatives", "other classes")}
    counts = {name: sum(abs(at - y) < 1 for at in strokes) for name, y in named.items()}
    assert counts == {"hidden positives": 45, "negatives": 68, "other classes": 22}, "a quarter is kept"


def test_the_averages_of_annealing_stand_at_their_names(page) -> None:
    """α 3 over two epochs: 1 / (α + 1) over the run, and an eighth of it where t is reset."""
    [[figures, picture]] = drawn(page, "annealing", {"alpha": 3, "epochs": 2, "done": 0.35})
    [whole, reset] = large(figures)
    assert whole == ("25 %", "of its full weight, on average over the run", hue("after"))
    assert reset == ("3.1 %", "on average, with t reset in every epoch", hue("negative"))
    ends = [curve(picture, number)[-1] for number in (0, 1)]
    assert ends[0] == pytest.approx((1, 1), abs=0.02) and ends[1] == pytest.approx((1, 1 / 8), abs=0.02)
    strokes = [one["stroke"] for one in picture if one["tag"] == "polyline"]
    assert strokes == [hue("after"), hue("negative")]
    names = inks(picture)
    assert names["whole run"] == hue("after") and names["reset"] == hue("negative")


def test_scale_has_the_speed_of_its_own_number_of_gpus(page) -> None:
    efficiency, spent = [[2**k, 1 - 0.06 * k] for k in range(11)], [[2**k, 9.0 - k] for k in range(4, 14)]
    parts = [300.0, 100.0, 80.0, 60.0, 20.0, 250.0]
    speeds = {1: "100 %", 8: "82 %", 1024: "40 %"}
    settings = grid(gpus=list(speeds), batch=[256])
    changes = {"efficiency": efficiency, "spent": spent, "parts": parts, "step": 560.0}
    pictures = drawn(page, "scale", *settings, **changes)
    for (gpus, left), (figures, step, kept, larger) in zip(speeds.items(), pictures):
        assert [value for value, *_ in large(figures)][1:] == ["25 %", left]
        titles = [i for i, one in enumerate(step) if one["tag"] == "title"]
        bars = {step[i]["text"].split(":")[0]: step[i + 1] for i in titles}
        unit, zero = float(bars["encoder"]["width"]) / 300, float(bars["encoder"]["x"])
        begins = [0, 300, 400, 480, 540, 0]
        for name, long, start in zip(("encoder", "similarity", "gather", "reduce", "update", "data"), parts, begins):
            assert float(bars[name]["width"]) == pytest.approx(unit * long, abs=0.2), name
            assert float(bars[name]["x"]) == pytest.approx(zero + unit * start, abs=0.3), name
        for picture, at, points in ((kept, gpus, efficiency), (larger, 256, spent)):
            [[x, *_]] = paths(picture, "kit-marker")
            line = next(numbers(one["points"]) for one in picture if one["tag"] == "polyline")
            assert x == pytest.approx(line[2 * [n for n, _ in points].index(at)], abs=0.1), "the cursor is on its point"


def test_the_bars_of_pulls_have_the_signs_and_colours_of_their_roles(page) -> None:
    state, _ = CASES["pulls"]()
    push = [-0.5, -0.1, 0.3, 0.05, 0.06, 0.07, 0.08, 0.09, 0.02]
    chosen = {"anchor": "premise 1", "tau": 0.3, "lam": 0.3}
    plain = {"ends": [[0, 1], [1, 0]], "arrows": [[0, 0.7], [0.3, 0], [0.3, 0.7]]}
    [[_, plane, _, picture]] = drawn(page, "pulls", chosen, push=push, lengths=[0.5, 0.2, 0.4], **plain)
    told = {words: ink for words, ink in inks(plane).items() if re.match("CE|SCL", words)}
    assert told == {"CE 0.35": hue("classify"), "SCL 0.06": hue("contrast")}, "each times its own weight"
    names = [i for i, one in enumerate(picture) if one["tag"] == "title"]
    found = {picture[i]["text"]: picture[i + 1 : i + 5] for i in names}
    told = legend(picture)
    expected = {
        f"{state['names'][0]} + sentence 0": ("−0.50", told["its positives"]),
        f"{state['names'][1]} + sentence 1": ("−0.10", told["its positives"]),
        f"{state['names'][2]} − sentence 2": ("0.30", told["its own negatives"]),
        f"{state['names'][7]} − sentence 7": ("0.09", told["other anchors’"]),
    }
    assert len({*told.values()}) == 3 and list(found)[:4] == list(expected), "the anchor’s own, then the most pushed"
    for name, (said, colour) in expected.items():
        bar = next(one for one in found[name] if one["tag"] == "rect" and "fill" in one)
        assert said in [one["text"] for one in found[name]] and bar["fill"] == colour, name


def test_the_numbers_beside_the_sphere_are_now_and_then(page) -> None:
    now = {"mean_cosine": 0.31, "effective_rank": 33.3, "sts": 52.5}
    [[figures, *_]] = drawn(page, "sphere", {"position": 3}, **now, first=[0.72, 26.6, 43.4])
    said = [one["text"] for one in figures if one["tag"] == "text" and re.search(r"\d\.\d", one["text"])]
    assert [numbers(one)[0] for one in said][:6] == [0.31, 0.72, 33.3, 26.6, 52.5, 43.4], said
    assert [one.startswith("raw ") for one in said][:6] == [False, True] * 3


# ---- marks at their places ----


@pytest.mark.parametrize(("peak", "said"), [(40, []), (150, ["↑ 3.0 × the raw peak"])])
def test_the_raw_hill_of_the_sphere_stands_still(peak: int, said: list[str], page) -> None:
    """Whatever the cosines are now: a hill that is higher than the picture is cut without an edge, and it is said."""
    [[figures, *_]] = drawn(page, "sphere", {"position": 3}, raw=[5, 50, 10], histogram=[0, peak, 3])
    [hill] = [one for one in figures if one["tag"] == "polyline" and "stroke-dasharray" in one]
    heights = [float(point.split(",")[1]) for point in hill["points"].split()]
    [area] = [numbers(one["points"]) for one in figures if one["tag"] == "polygon"]
    base, top = area[1], min(area[1::2])
    unit = (base - heights[1]) / 50
    assert [base - y for y in heights] == pytest.approx([5 * unit, 50 * unit, 10 * unit], abs=0.1)
    assert base - top == pytest.approx(unit * min(peak, 80), abs=0.1), "one scale, which ends at 1.6 raw peaks"
    strokes = [numbers(one["points"])[1::2] for one in figures if one["tag"] == "polyline" and one is not hill]
    assert [len(set(ends)) for ends in strokes] == ([2, 2] if said else [3]), "no line along the cut"
    assert [words for words in texts(figures) if "raw peak" in words] == said


@pytest.mark.parametrize(
    ("board", "changes"), [("tau_lambda", {"shares": [0.3, 0.7], "lam": 0.2}), ("pulls", {"share": 0.7})]
)
def test_what_lambda_says_and_what_it_does_stand_apart(board: str, changes: dict, page) -> None:
    [[first, *_]] = drawn(page, board, {"lam": 0.2, "tau": 0.3}, **changes)
    [[mark, *_]] = paths(first, "kit-mark")
    bars = [one for one in first if one["tag"] == "rect"]
    [contrast, classify] = [next(one for one in bars if one["fill"] == hue(name)) for name in ("contrast", "classify")]
    start, wide = float(contrast["x"]), float(contrast["width"]) + float(classify["width"])
    assert mark == pytest.approx(start + 0.2 * wide, abs=0.2)
    assert texts(first)["λ says 20 %"][0] == pytest.approx(mark, abs=1)
    assert float(contrast["width"]) == pytest.approx(0.7 * wide, abs=0.2)
    assert float(classify["x"]) == pytest.approx(start + 0.7 * wide, abs=0.2)


def test_the_pulls_of_tau_lambda_are_what_their_weights_leave(page) -> None:
    [[_, _, pulls, _]] = drawn(page, "tau_lambda", {"lam": 0.25, "tau": 0.3}, lengths=[2.0, 8.0], lam=0.25)

    def bars(name: str) -> list[float]:
        return [float(one["width"]) for one in pulls if hue(name) in (one.get("fill"), one.get("stroke"))]

    [[outer, filled], [other, left]] = [bars("contrast"), bars("classify")]
    assert [filled / outer, left / other, outer / other] == pytest.approx([0.25, 0.75, 4], rel=0.01)
    assert {"× λ 0.25 = pull 2", "× (1 − λ) 0.75 = pull 1.5"} <= set(texts(pulls))


def test_the_bar_of_pulls_measures_them_and_their_picture_keeps_its_height(page) -> None:
    state, _ = CASES["pulls"]()
    settings = grid(anchor=["premise 1"], lam=[0.0, 0.4], similarity=["dot product"], tau=[0.01, 0.3, 10.0])
    bars, heights = set(), set()
    for chosen, (_, plane, *_) in zip(settings, drawn(page, "pulls", *settings)):
        lengths = pulls_values(state, chosen)["lengths"]
        ce, scl, start = ([float(one["cx"]), float(one["cy"])] for one in plane if one.get("r") == "5.5")
        [[_, _, _, _, _, wide, *_]] = paths(plane, "kit-rule")
        [said] = [numbers(words)[0] for words in texts(plane) if words.startswith("length ")]
        for end, length in zip((ce, scl), lengths):
            assert math.dist(start, end) == pytest.approx(length * wide / said, abs=0.3), chosen
        bars.add(said)
        heights.add(plane[1]["height"])
    assert len(heights) == 1 and len(bars) > 1, "each picture has its own scale"


def test_the_words_of_a_short_bar_of_pulls_are_not_cut(page) -> None:
    state, (chosen, *_) = CASES["pulls"]()
    lengths = pulls_values(state, chosen)["lengths"]
    for times in (1e-3, 1.2e-3, 1.4e-3, 1.6e-3, 1.8e-3):
        [[_, plane, *_]] = drawn(page, "pulls", chosen, lengths=[times * length for length in lengths])
        [(words, x)] = [(words, x) for words, (x, _) in texts(plane).items() if words.startswith("length ")]
        assert x + 3.2 * len(words) < float(plane[1]["width"])


def test_the_forces_of_masks_have_one_scale_at_every_tau_and_after_a_training(page) -> None:
    """And a ring tells how long each arrow was before it."""
    state, _ = CASES["masks"]()
    settings = grid(loss=["SupMPN"], anchor=[1], twins=["a negative"], tau=[0.01, 0.05, 10.0])
    units, before = set(), [0.1 * (k % 7) - 0.35 for k, _ in enumerate(state["names"])]
    push = [one / 2 for one in before]
    for earlier in (None, state["before"]):
        changes = {"push": push, "before": before if earlier else []}
        for _, ladder, *_ in drawn(page, "masks", *settings, state=state | {"before": earlier}, **changes):
            [[_, _, _, start, *_], [zero, *_], *_] = paths(ladder, "kit-axis")
            units.add(round((zero - start) / 0.5, 1))
            at = [i for i, one in enumerate(ladder) if "data-force" in one]
            rings = [next((r for r in ladder[i + 1 : i + 4] if r.get("stroke") == "currentColor"), {}) for i in at]
            ends = [zero + before[int(ladder[i]["data-force"])] * (zero - start) / 0.5 for i in at]
            assert not earlier or [float(ring["cx"]) for ring in rings] == pytest.approx(ends, abs=0.3)
    assert len(units) == 1, units


def test_the_threads_of_agreement_end_at_their_ranks(page) -> None:
    values = [((7 * k) % 20 + 0.5) / 20 for k in range(20)]
    points = [[v, k % 6] for k, v in enumerate(values)]
    [[ladder, _]] = drawn(page, "agreement", {"pairs": 20, "power": 10.0}, points=points)
    dots = [(float(one["cx"]), float(one["cy"]), one["fill"]) for one in ladder if one["tag"] == "circle"]
    left, right = dots[::2], dots[1::2]
    top, foot = min(y for _, y, _ in right), max(y for _, y, _ in right)
    ranks = [sorted(values).index(v) / 19 for v in values]
    assert [y for _, y, _ in right] == pytest.approx([foot - rank * (foot - top) for rank in ranks], abs=0.1)
    assert [y for _, y, _ in left] == pytest.approx([foot - v * (foot - top) for v in values], abs=0.1)
    assert [texts(ladder)[name][1] for name in ("highest", "lowest")] == pytest.approx([top, foot], abs=6)
    tints = [one["fill"] for one in ladder if one["tag"] == "rect" and "color-mix" in one.get("fill", "")]
    assert [colour for *_, colour in left] == [tints[k % 6] for k in range(20)], "the colour of its gold score"
    assert [colour for *_, colour in right] == [tints[k % 6] for k in range(20)]


def test_the_range_of_all_maps_has_its_ends_where_they_are(page) -> None:
    places = {"least": 0.5, "most": 2.5, "distance": 1.25, "pca": 1.75, "space": 2.0}
    [[strip, umap, pca]] = drawn(page, "maps", {}, curves=[[0.5, 1.0], [2.5, 1.25]], **places)
    at = texts(strip)
    [start, _, _, _, _, end, *_] = paths(strip, "kit-rule")[0]
    assert at["0.50"][0] < start and at["2.50"][0] > end

    def x(pixel: float) -> float:
        return 0.5 + (pixel - start) / (end - start) * 2

    dots = [(x(float(one["cx"])), one["r"]) for one in strip if one["tag"] == "circle"]
    assert [v for v, _ in dots] == pytest.approx([0.5, 1.0, 2.5, 1.25, 1.25], abs=0.01) and dots[-1][1] == "8"
    ticks = {one["stroke"]: x(numbers(one["d"])[0]) for one in strip if one["tag"] == "path" and "stroke" in one}
    assert ticks == pytest.approx({hue("before"): 2.0, hue("neutral"): 1.75}, abs=0.01)
    told = {"the space itself 2.00": hue("before"), "PCA 1.75": hue("neutral"), "this map 1.25": hue("after")}
    assert {words: inks(strip).get(words) for words in told} == told
    assert any("1.25 apart" in one["text"] for one in umap) and any("1.75 apart" in one["text"] for one in pca)


def test_the_arrows_of_padding_have_their_angles_lengths_and_labels(page) -> None:
    itself, length = [1.0, 0.95, 0.7, 0.4], [1.0, 0.8, 0.6, 0.5]
    products = dict.fromkeys(WAYS, [[1] * 6] * 41)
    one = {"sentences": ["a", "b", "c"], "lengths": [3, 3, 3], "alone": 1, "products": products}
    chosen, state = {"padding": 10, "sentences": "set"}, {"sets": {"set": one}}
    [[_, arrows, _]] = drawn(page, "padding", chosen, state=state, itself=itself, length=length)
    hues = [hue(name) for name in ("positive", "after", "before", "negative")]
    said = ["masked: 1.00", "divided by the padded length: 80 %", "[PAD] averaged in: 0.70", "no mask: 0.40, 50 % long"]
    assert {words: inks(arrows).get(words) for words in said} == dict(zip(said, hues))

    def arrow(colour: str) -> tuple[float, float]:
        """The cosine of its angle, and its length in pixels."""
        own = [one for one in arrows if one["tag"] == "path" and colour in (one.get("stroke"), one.get("fill"))]
        [(x, y, *_), (tip_x, tip_y, *_)] = [numbers(one["d"]) for one in own]
        return (tip_x - x) / math.hypot(tip_x - x, tip_y - y), math.hypot(tip_x - x, tip_y - y)

    cosines, pixels = zip(*map(arrow, hues))
    assert cosines == pytest.approx(itself, abs=0.01)
    assert [one / pixels[0] for one in pixels] == pytest.approx(length, abs=0.01)


def test_the_cursors_of_look_stand_where_the_sliders_do(page) -> None:
    [[lengths, side]] = drawn(page, "look", {"limit": 16, "least": 0.85, "batch": 128})
    pictures = [i for i, one in enumerate(side) if one["tag"] == "svg"]
    twins, falses = (side[a:b] for a, b in pairwise(pictures))
    assert [cursor(one) for one in (lengths, twins, falses)] == pytest.approx([16.5, 85, 128], abs=0.5)
    [[line, *_]], [cut] = paths(lengths, "kit-marker"), [ink for words, ink in inks(lengths).items() if "%" in words]
    bars = [one for one in lengths if one["tag"] == "rect" and float(one["height"]) > 0]
    hues = {(one["fill"], float(one["x"]) >= line - 0.5) for one in bars}
    assert hues == {(hue("neutral"), False), (cut, True)}, "what is cut has the colour of its number"


def test_whitening_has_its_cursor_at_the_slider_and_its_ring_at_the_best(page) -> None:
    def spread(sts: list[float]) -> dict:
        return {"sts": sts, "mean_cosine": [0.2] * 4, "effective_rank": [3.0] * 4, "variances": [4.0, 3, 2, 1]}

    curves = {"whitened": spread([10.0, 40, 30, 20]), "centred and turned": spread([12.0, 22, 32, 33])}
    state = {"dims": [1, 2, 3, 4], "curves": {"some": curves}, "raw": spread([27.0]) | {"sts": 27.0}, "pairs": 9}
    chosen = grid(dim=[3], repair=list(curves), fitted=["some"])
    pictures = drawn(page, "whitening", *chosen, state=state | {"label": "some pairs"})
    for repair, (_, picture), best in zip(curves, pictures, (2, 4)):
        assert cursor(picture) == pytest.approx(3, abs=0.02)
        [ring] = [one for one in picture if one["tag"] == "circle" and one["fill"] == "none"]
        assert scale(picture, "x")(float(ring["cx"])) == pytest.approx(best, abs=0.02)
        heights = [[y for _, y in curve(picture, k)] for k in range(3)]
        expected = [*(of["sts"] for of in curves.values()), [27.0, 27.0]]
        assert all(a == pytest.approx(b, abs=0.3) for a, b in zip(heights, expected)), heights
        strokes = [one["stroke"] for one in picture if one["tag"] == "polyline"]
        assert ring["stroke"] == strokes[list(curves).index(repair)]


def test_guessing_costs_the_logarithm_of_three(page) -> None:
    [panels] = drawn(page, "workshop", {"smooth": 1, "reached": 1})
    parts = next(one for one in panels if one[1].get("aria-label") == "The loss and its parts")
    assert [y for _, y in curve(parts, -1)] == pytest.approx([math.log(3)] * 2, abs=0.03)
    assert "log 3: guessing" in texts(parts)


def test_one_winner_is_named_also_where_the_marker_stands_there(page) -> None:
    for [_, beside, _], words in zip(drawn(page, "temperature", {"tau": 0.01}, {"tau": 0.5}), ("winner", "one winner")):
        [[marker, *_]] = paths(beside, "kit-marker")
        x, _ = texts(beside)[words]
        assert not marker - 70 < x < marker + 4, "it would be struck"


def test_a_part_of_a_length_is_written_as_the_length_is(page) -> None:
    for lengths, said in (([0.06, 0.0019], "pull 0.00095"), ([0.06, 0.00019], "pull 9.5e−5")):
        [[_, _, pulls, _]] = drawn(page, "tau_lambda", {"tau": 10, "lam": 0.5}, lengths=lengths)
        assert f"× λ 0.5 = {said}" in texts(pulls)


def test_no_edge_cuts_the_name_of_a_point(page) -> None:
    for y in (2.2, -2.2):
        [[plane, _]] = drawn(page, "margin", dict.fromkeys(("anchor_y", "positive_y", "negative_y"), y))
        [frame] = [one for one in plane if one["tag"] == "rect" and one.get("class") == "kit-axis"]
        top, tall = float(frame["y"]), float(frame["height"])
        for name in ("anchor", "positive", "negative"):
            assert top + 12 < texts(plane)[name][1] < top + tall - 4, (y, name)


def test_what_the_first_steps_bring_is_not_the_whole_gain(page) -> None:
    state, (chosen, *_) = CASES["workshop"]()
    measured = {"step": [0, 5, 10, 15], "validation": [48.0, 57.0, 58.0, 58.0], "mean_cosine": [0.7] * 4}
    state |= {"mode": "recorded", "columns": {name: v[:15] for name, v in state["columns"].items()}}
    state, chosen = state | {"validated": measured}, chosen | {"smooth": 1, "reached": 1}
    [[agreement, *_, table]] = drawn(page, "workshop", chosen, state=state)
    words = " ".join(texts(agreement))
    assert "+9.0 of +10.0 in the first 5 steps" in words and "58.0" in texts(agreement)
    assert ["agreement × 100", "48.0", "58.0"] in rows_of(table)


def test_recorded_runs_begin_at_the_line_of_the_raw_space(page) -> None:
    [panels] = drawn(page, "live", {"position": 99}, first=[0.7, 26.0, 43.0])
    [runs] = [one for one in panels if any(node["text"] == "raw 43.0" for node in one)]
    pictures = [one.get("aria-label", "").startswith("How the runs end") for one in runs]
    runs = runs[pictures.index(True) :]
    [level] = [one["points"] for one in runs if one["tag"] == "polyline" and "stroke-dasharray" in one]
    y = scale(runs, "y")
    assert [y(float(point.split(",")[1])) for point in level.split()] == pytest.approx([43, 43], abs=0.3)


def test_the_ranks_of_a_search_stand_along_a_logarithm(page) -> None:
    state, (chosen, *_) = CASES["search"]()
    [[axis, *_]] = drawn(page, "search", chosen | {"query": state["query"], "k": 5})
    ticks = {words: at for words, (at, _) in texts(axis).items() if words in ("1", "10")}
    dots = [float(one["cx"]) for one in axis if one["tag"] == "circle"]
    ranks = [10 ** ((x - ticks["1"]) / (ticks["10"] - ticks["1"])) for x in dots]
    assert ranks == pytest.approx([14, 2], rel=0.01) and ticks["1"] < ticks["10"]
    assert {"raw 14", "trained 2"} <= set(texts(axis))


def test_what_a_positive_shares_most_lies_on_top(page) -> None:
    settings, several = grid(strategy=["any"], positives=[4], longest=[16], shown=["1"], again=[0, 7]), 0
    for _, ribbons, *_ in drawn(page, "spans", *settings):
        shares: dict[tuple, list[float]] = {}
        for one in ribbons:
            if one["tag"] == "title" and one["text"].startswith(("anchor", "positive")):
                a, b = numbers(one["text"])[-2:]
                if one["text"].startswith("anchor"):
                    anchor = (a, b)
                else:
                    both = max(0, min(b, anchor[1]) - max(a, anchor[0]))
                    shares.setdefault(anchor, []).append(both / (b - a))
        assert all(each == sorted(each) for each in shares.values()), shares
        several += sum(len({*each}) > 1 for each in shares.values())
    assert several


# ---- colours against their legend ----


def test_words_with_little_meaning_have_the_colour_of_their_name(page) -> None:
    state, (chosen, *_) = CASES["explorer"]()
    state["tokens"] = [
        ["[CLS]", "the", "boat", "sails", "far", ".", "[SEP]"],
        ["b0", "b1"],
        [f"c{t}" for t in range(5)],
    ]
    contributions = [0.01, 0.03, 0.3, 0.2, 0.1, 0.02, 0.01]
    chosen |= {"explained": "1", "against": "2", "pooling": "mean"}
    [[wiring, *_]] = drawn(page, "explorer", chosen, state=state, contributions=contributions)
    told = {words: ink for words, ink in inks(wiring).items() if re.search(r"0\.\d", words)}
    little, meaning = told["marks, “the” … 0.070"], told["words with a meaning 0.600"]
    boxes = [(after["text"], one["fill"]) for one, after in pairwise(wiring) if one.get("rx") == "5" and "fill" in one]
    assert little != meaning and boxes[:7] == [
        *(("[CLS]", little), ("the", little), ("boat", meaning), ("sails", meaning)),
        *(("far", meaning), (".", little), ("[SEP]", little)),
    ]


def test_the_bars_of_conventions_have_the_colour_of_who_is_ahead(page) -> None:
    rows = [["part a", 10, 50.0, 53.0], ["part b", 20, 60.0, 58.0]]
    [[_, bars]] = drawn(page, "conventions", {"first": "raw", "second": "trained"}, rows=rows)
    told, found = legend(bars), [i for i, one in enumerate(bars) if one["tag"] == "title"]
    assert [bars[i]["text"] for i in found] == ["part a (10 pairs)", "part b (20 pairs)"]
    assert [bars[i + 2]["fill"] for i in found] == [told["trained ahead"], told["raw ahead"]] and len(told) == 2
    assert [bars[i + 3]["text"] for i in found] == ["3.0", "−2.0"]


def test_a_system_keeps_its_colour_in_either_place(page) -> None:
    state, (chosen, *_) = CASES["conventions"]()
    state["values"] |= dict.fromkeys(("whitened", "other"), state["values"]["trained"])
    state["runs"] |= {"whitened": 1, "other": 1}
    own = {"raw": hue("before"), "whitened": hue("classify"), "trained": hue("after"), "other": hue("after")}
    pairs = [(a, b) for a in own for b in own if {a, b} != {"trained", "other"} and a != b]
    settings = [chosen | {"first": a, "second": b} for a, b in pairs]
    for (a, b), (lines, bars) in zip(pairs, drawn(page, "conventions", *settings, state=state)):
        assert legend(bars) == {f"{a} ahead": own[a], f"{b} ahead": own[b]}
        assert [one["stroke"] for one in lines if one.get("stroke-width") == "3" and "class" not in one][-2:] == [
            own[a],
            own[b],
        ]
    [[_, bars]] = drawn(page, "conventions", chosen | {"first": "trained", "second": "other"}, state=state)
    assert len({*legend(bars).values()}) == 2, "two that were trained are told apart"


def test_the_scores_of_conventions_stand_clear_of_the_axis(page) -> None:
    [[lines, _]] = drawn(
        page, "conventions", {"first": "raw", "second": "trained"}, first=[57.8, 50, 54], second=[58, 54, 50]
    )
    at = {one["text"]: float(one["x"]) for one in lines if one["tag"] == "text" and one.get("text-anchor") == "end"}
    assert at["57.8"] - 7 * 4 - at["54"] > 10, at


def test_an_interval_that_leaves_the_picture_has_no_rim_there(page) -> None:
    state = {"first": SEEDS[0], "margin": MARGIN, "parts": 10, "promises": list(PROMISES)}
    state |= {"verdicts": [rule.REPLICATES, rule.UNDECIDED, rule.CONTRADICTED], "quantiles": [2.0 for _ in SEEDS]}
    chosen = {"seeds": 3, "wanted": 80, "promise": state["promises"][0], "effect": 0.0, "spread": 1.0}
    halves = [9.0, 6.0, *[2.0 for _ in SEEDS[2:]]]  # cut for two and for three seeds, and part of the way to four
    [[_, band, _]] = drawn(page, "verdict", chosen, state=state, halves=halves)
    rims = [numbers(one["d"]) for one in band if one.get("stroke-width") == "2.4"]
    x, y = scale(band, "x"), scale(band, "y")
    points = [(x(a), y(b)) for rim in rims for a, b in zip(rim[::2], rim[1::2])]
    assert min(a for a, _ in points) > SEEDS[1] and max(b for _, b in points) == pytest.approx(4.5, abs=0.1)
    flat = [a for a, b in points if abs(abs(b) - 4.5) < 0.05]
    assert len(flat) == 2, "each rim begins at its edge, once"


def test_the_time_for_a_pair_has_the_scale_of_its_own_number_of_gpus(page) -> None:
    """One GPU sends nothing: beside the times of 64 its own would lie on the axis."""
    spent = [[2**k, 32.0 - k] for k in range(4, 14)]
    [[*_, larger]] = drawn(page, "scale", {"gpus": 1, "batch": 512}, spent=spent)
    [[_, foot, top]] = paths(larger, "kit-marker")
    [heights] = [numbers(one["points"])[1::2] for one in larger if one["tag"] == "polyline"]
    assert heights == pytest.approx([foot - (foot - top) * time / 28 for _, time in spent], abs=0.2)


def test_a_verdict_has_one_colour_and_a_kept_promise_its_own(page) -> None:
    """In the interval, its words and the band of all seeds."""
    hues = [hue(name) for name in ("positive", "before", "negative")]
    typical, trials = ["replicates", "undecided", "contradicts"], ((2.0, 0.4), (0.1, 3.0), (-2.0, 0.4))
    state = {"first": SEEDS[0], "margin": MARGIN, "parts": 10, "promises": list(PROMISES)}
    state |= {"verdicts": [rule.REPLICATES, rule.UNDECIDED, rule.CONTRADICTED]}
    state |= {"quantiles": [1.96 + 9 / (n - 1) ** 2 for n in SEEDS]}  # nearly Student's, which take a second
    chosen = {"seeds": 3, "wanted": 80, "promise": state["promises"][0]}
    settings = [chosen | {"effect": effect, "spread": spread} for effect, spread in trials]
    chances = [0.05 * k for k, _ in enumerate(SEEDS)]
    for k, (line, band, chance) in enumerate(drawn(page, "verdict", *settings, state=state, chances=chances)):
        [interval] = [one["stroke"] for one in line if one.get("stroke-width") == "5"]
        assert interval == inks(line)[state["verdicts"][k]] == hues[k]
        [[said, ink]] = [pair for pair in inks(band).items() if re.search("|".join(typical), pair[0])]
        assert typical[k] in said and ink == hues[k] in [one.get("fill") for one in band]
        [promise] = [one["stroke"] for one in line if one.get("fill-opacity") == "0.16"]
        assert (interval == promise) == (k == 0)
        assert [y for _, y in curve(chance, 0)] == pytest.approx([100 * one for one in chances], abs=1)


def test_the_kinds_of_spans_have_the_colours_of_their_positives(page) -> None:
    seen, settings = {}, grid(strategy=["adjacent", "any"], positives=[4], longest=[16], shown=["1"], again=[0, 7])
    for spans, _, kinds, _ in drawn(page, "spans", *settings, kinds=[0.5, 0.3, 0.2]):
        told = legend(kinds)
        assert list(told) == ["overlapping 50 %", "adjacent 30 %", "subsumed 20 %"] and len({*told.values()}) == 3
        bars = [one for one in kinds if one["tag"] == "rect" and one["height"] == "22" and "class" not in one]
        wide = [float(one["width"]) for one in bars]
        assert [one["fill"] for one in bars] == list(told.values())
        assert wide == pytest.approx([sum(wide) * share for share in (0.5, 0.3, 0.2)], abs=0.3)
        found = {re.search(r"positive \d: (\w+)|$", words)[1]: colour for words, colour in inks(spans).items()}
        seen |= {kind: (colour, told) for kind, colour in found.items() if kind}
    assert len(seen) == 3, "every kind is drawn"
    for kind, (colour, told) in seen.items():
        assert colour == next(of for words, of in told.items() if words.startswith(kind)), kind


@pytest.mark.parametrize("length", [3, 100])
def test_the_numbers_of_tokens_stand_below_what_they_mark(length: int, page) -> None:
    """One label for a short stretch: apart they would stand beside it."""
    spans = {"anchor": [500, 500 + length], "positives": [[499, 502]]}
    state, (chosen, *_) = CASES["spans"]()
    documents = [[spans], *([] for _ in state["tokens"][1:])]
    [[enlarged, *_]] = drawn(page, "spans", chosen, state=state, documents=documents)
    bars = [one for one in enlarged if one["tag"] == "rect" and "stroke" in one]
    left, right = (min(float(one["x"]) for one in bars), max(float(one["x"]) + float(one["width"]) for one in bars))
    found = {words: x for words, (x, _) in texts(enlarged).items() if words.startswith("token")}
    if length == 3:
        assert found == {"tokens 499 to 503": pytest.approx((left + right) / 2, abs=1)}
    else:
        assert found == {"token 499": pytest.approx(left, abs=1), "token 600": pytest.approx(right, abs=1)}


def test_the_rings_of_margin_are_its_boundaries(page) -> None:
    """Each has the colour of the piece of the hinge that ends there."""
    [[plane, hinge]] = drawn(page, "margin", {"distance": "euclidean", "margin": 1.5}, boundaries=[0.8, 2.3])
    rings = {one["stroke"]: float(one["r"]) for one in plane if "r" in one and one.get("fill-opacity") == "0.16"}
    strokes = [one["stroke"] for one in hinge if one["tag"] == "polyline"]
    ends = {stroke: curve(hinge, k)[-1][0] for k, stroke in enumerate(strokes[:2])}
    assert ends == pytest.approx({hue("negative"): 0.8, hue("before"): 2.3}, abs=0.03)
    costs = [y for k in range(3) for _, y in curve(hinge, k)]
    assert costs == pytest.approx([2.3, 1.5, 1.5, 0, 0, 0], abs=0.03), "from the end of one piece on the next"
    unit = rings[hue("before")] / 2.3
    assert {colour: radius / unit for colour, radius in rings.items()} == pytest.approx(ends, abs=0.05)
    assert [inks(hinge)[name] for name in ("hard", "semi-hard")] == strokes[:2]


def test_the_shades_of_heat_are_those_of_their_legend(page) -> None:
    """A cell has the shade that stands as far along the legend as its cosine, from 0 to 1 as in the tour's maps."""
    [[_, maps, _]] = drawn(page, "heat", {})
    shades = {i: numbers(one["fill"])[:2] for i, one in enumerate(maps) if one.get("fill", "").startswith("rgb(")}
    key = [shade for i, shade in shades.items() if maps[i]["width"] == "9"]
    assert {"≤ 0", "0"} & set(texts(maps)) and len(key) == 16 and key == sorted(key), "light is near"
    cells = [i for i in shades if maps[i]["width"] != "9"]
    assert len(cells) == 144
    for i in cells:
        cosine = numbers(next(one["text"] for one in maps[i::-1] if one["tag"] == "title"))[-1]
        at = round(15 * max(0, cosine))
        nearest = list(zip(*key[max(at - 1, 0) : at + 2]))
        for part, found in zip(shades[i], nearest):
            assert min(found) - 3 <= part <= max(found) + 3, (cosine, shades[i], nearest)


def test_the_legend_of_the_sphere_has_marks_in_the_colours_of_their_words(page) -> None:
    [[_, globe, _]] = drawn(page, "sphere", {})
    names, colours = ("a sentence", "follows from it", "contradicts it"), []
    for i, one in enumerate(globe):
        if one["tag"] == "text" and one["text"] in names:
            mark, word = globe[i - 1], re.match(r"fill:([^;]+)", one["style"])[1]
            assert word in (mark.get("fill"), mark.get("stroke")), one["text"]
            colours.append(word)
    assert len({*colours}) == 3


def test_the_legend_of_the_masks_has_the_colours_of_its_cells(page) -> None:
    [[matrix, *_]] = drawn(page, "masks", {"loss": "SupMPN", "anchor": 1})
    told, signs, cells = legend(matrix), [], []  # of a cell its colour, edges left and right, above and below
    for one in matrix:
        signs += [(float(x) + 3, float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h6m-3", one.get("d", ""))]
        for found in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-", one.get("d", "")):
            x, y, wide, tall = map(float, found)
            cells.append((one["fill"], x, x + wide, y, y + tall))
    within = [any(a < x < b and c < y < d for x, y in signs) for _, a, b, c, d in cells]
    found = [{colour for (colour, *_), is_in in zip(cells, within) if is_in == signed} for signed in (True, False)]
    assert len(signs) == sum(within) and found[0] == {told["positive (+)"]}
    assert told["negative (pale: of other anchors)"] in found[1] - found[0] - {hue("neutral")}
