"""What headlines and captions claim, and numbers beside marks, against answers that are worked out here."""

from __future__ import annotations

import math
import re
from itertools import permutations

import pytest

from kit.boards.board import script
from kit.boards.padding_widget import WAYS
from kit.boards.scale_widget import STARTS
from kit.boards.whitening_widget import REPAIRS
from tests.browser.board_cases import CASES, grid, measured_systems
from tests.browser.board_page import put
from tests.browser.test_boards import LOAD

# What a board says and draws at each setting; `changes` replace some of its computed numbers.
TOLD = """([settings, changes]) => settings.map((chosen) => {
    const {compute, draw, lead, brief, motion} = window.kitModule.board, state = window.kitState;
    const figure = {...compute(state, chosen), ...changes}, moving = {...figure, ...motion?.(figure, chosen, state)};
    const read = (html) => new DOMParser().parseFromString(html, "text/html");
    const words = (html) => read(html).body.textContent;
    const panels = draw(moving, chosen, state).map(read), all = (kind) => panels.map((one) =>
        [...one.querySelectorAll(kind)]);
    return {
        lead: words(lead(figure, chosen, state)),
        brief: words(brief(figure, chosen, state)),
        texts: all("text").map((some) => some.map((one) => [one.textContent, Number(one.getAttribute("y"))])),
        dots: all("circle").map((some) => some.map((one) => ["cx", "cy", "r"].map((k) => Number(one.getAttribute(k))))),
        strokes: all("polyline").map((some) => some.map((one) => ["stroke", "stroke-dasharray"].map((k) =>
            one.getAttribute(k)))),
        fills: all("circle").map((some) => some.map((one) => one.getAttribute("fill"))),
        rings: all("circle").map((some) => some.map((one) => one.getAttribute("stroke"))),
        lines: all("polyline").map((some) => some.map((one) => one.getAttribute("points"))),
        rows: all("tbody tr").flat().map((row) => [...row.children].map((cell) => cell.textContent)),
    };
})"""


def told(page, board: str, settings: list[dict], state: dict | None = None, **changes) -> list[dict]:
    put(page, LOAD, script(board), state or CASES[board]()[0])
    return put(page, TOLD, settings, changes)


def test_the_system_that_is_said_to_lead_has_the_higher_score(blank) -> None:
    """In the headline, the caption and under the lines; with scores below zero too."""
    systems = measured_systems()
    state, _ = CASES["conventions"]()
    state["values"]["backwards"] = {
        task: {"all": [-v for v in of["all"]], "parts": [[-v for v in part] for part in of["parts"]]}
        for task, of in state["values"]["raw"].items()
    }
    state["runs"]["backwards"] = 1

    def score(system: str) -> float:
        runs = systems["raw" if system == "backwards" else system]
        mean = sum(run["STS12"]["all"]["spearman"] for run in runs) / len(runs)
        return -mean if system == "backwards" else mean

    names = list(permutations([*systems, "backwards"], 2))
    settings = [
        {"first": a, "second": b, "task": "STS12", "aggregation": "all", "correlation": "Spearman"} for a, b in names
    ]
    for pair, shown in zip(names, told(blank, "conventions", settings, state)):
        leader = max(pair, key=score)
        assert f"{leader} leads" in shown["brief"] and f"{leader} leads by" in shown["lead"], (pair, shown["lead"])
        name, gap = next(words for words, _ in shown["texts"][0] if " +" in words).split(" +")
        assert name == leader and float(gap) == pytest.approx(abs(score(pair[0]) - score(pair[1])), abs=0.11)


def test_nobody_leads_where_the_printed_scores_are_equal(blank) -> None:
    state, (chosen, *_) = CASES["conventions"]()
    for of in state["values"].values():  # 51.21 and 51.24
        of["STS12"]["all"] = [51.21 + 0.03 * (of is state["values"]["trained"])] * 2
    settings = [{**chosen, "task": "STS12", "first": a, "second": b} for a, b in permutations(["raw", "trained"])]
    for shown in told(blank, "conventions", settings, state):
        assert shown["lead"] == "STS12: level by “all”" and shown["brief"].endswith("51.2: level.")


def test_whitening_raises_or_lowers_sts_as_it_says(blank) -> None:
    state, chosen_list = CASES["whitening"]()
    curve = state["curves"]["other sentences"]["whitened"]["sts"]
    chosen_list = [one for one in chosen_list if one["fitted"] == "other sentences" and one["repair"] == "whitened"]
    for raw in (min(curve) - 1, sum(curve) / len(curve), max(curve) + 1):
        at = state | {"raw": state["raw"] | {"sts": raw}}
        for chosen, shown in zip(chosen_list, told(blank, "whitening", chosen_list, at)):
            here = curve[state["dims"].index(chosen["dim"])]
            assert ("STS rises from" in shown["lead"], "STS falls from" in shown["lead"]) == (here > raw, here < raw)
            assert (", the best" in shown["brief"]) == (here == max(curve) and here > raw), shown["brief"]


@pytest.mark.parametrize(
    "dim, near, raw, said",
    [
        (4, 39.9, 46.7, "STS 46.7 → 40.0, its best, and below raw."),
        (4, 39.9, 40.01, "STS 40.0 → 40.0, its best, and no more than raw."),
        (4, 39.9, 30.0, "STS 30.0 → 40.0, the best."),
        (2, 39.9, 46.7, "STS 46.7 → 39.9, 0.1 less than with 4."),
        (2, 39.97, 46.7, "STS 46.7 → 40.0, as much as with 4, its best."),
        (2, 39.97, 30.0, "STS 30.0 → 40.0, as much as with 4, its best."),
    ],
)
def test_the_caption_of_whitening_says_where_its_curve_is_highest(dim, near, raw, said, blank) -> None:
    """Also on that place itself, where the repair is worse than none, and where another prints the same score."""
    state, (chosen, *_) = CASES["whitening"]()
    curve = state["curves"][chosen["fitted"]][chosen["repair"]]
    curve["sts"] = [{4: 40.0, 2: near}.get(k, 20.0) for k in state["dims"]]
    [shown] = told(blank, "whitening", [chosen | {"dim": dim}], state | {"raw": state["raw"] | {"sts": raw}})
    assert said in shown["brief"]


def test_the_clouds_of_whitening_have_their_own_shapes(blank) -> None:
    """The raw vectors' on the left, the repaired ones' on the right, the same dots: their heights by their widths."""
    state, _ = CASES["whitening"]()
    chosen = {"dim": 4, "repair": "whitened", "fitted": "other sentences"}
    [shown] = told(blank, "whitening", [chosen], state)
    dots = [(x, y) for x, y, r in shown["dots"][0] if r == 2.8]
    middle = sum(x for x, _ in dots) / len(dots)
    sides = [[one for one in dots if (one[0] > middle) == right] for right in (False, True)]
    drawn = [(max(y) - min(y)) / (max(x) - min(x)) for x, y in (zip(*one) for one in sides)]
    of = [state["raw"], state["curves"]["other sentences"]["whitened"]]
    ratios = [math.sqrt(one["variances"][3] / one["variances"][0]) for one in of]
    assert drawn[1] / drawn[0] == pytest.approx(ratios[1] / ratios[0], rel=0.03) and ratios[1] > 2 * ratios[0]


def test_a_repair_keeps_its_colour_whichever_is_chosen(blank) -> None:
    """In the cloud and both curves; "whitened" has that of the heat board, where blue is the trained space."""
    whitened, turned, raw = (f"var(--kit-{name})" for name in ("classify", "negative", "before"))
    chosen = [{"dim": 4, "repair": repair, "fitted": "other sentences"} for repair in REPAIRS]
    for colour, dashes, shown in zip(
        (whitened, turned), ([None, "5 4"], ["5 4", None]), told(blank, "whitening", chosen)
    ):
        assert shown["strokes"][1] == [[whitened, dashes[0]], [turned, dashes[1]], [raw, None]]
        assert set(shown["fills"][0]) == {"none", colour}
    state, (heat, *_) = CASES["heat"]()
    state |= {
        "spaces": ["raw", "whitened", "trained"],
        "cosines": {"whitened": state["cosines"]["raw"], **state["cosines"]},
    }
    [shown] = told(blank, "heat", [heat], state)
    assert set(shown["rings"][-1]) == {None, whitened}, "the second space has rings"


@pytest.mark.parametrize("itself, unrelated, said", [(0.9, 0.3, "farther than"), (0.2, 0.7, "nearer than")])
def test_what_lies_nearer_under_padding_is_said_and_drawn(itself: float, unrelated: float, said: str, blank) -> None:
    """The full bar is of the sentence itself, the pale one below it of the unrelated one."""
    products = [[1, itself, 0.5, unrelated, 1, 1]] * 41  # ⟨u, u⟩ ⟨u, s⟩ ⟨u, v⟩ ⟨u, w⟩ ⟨v, v⟩ ⟨w, w⟩
    one = {"sentences": ["a", "b", "c"], "lengths": [3, 3, 3], "alone": 1, "products": dict.fromkeys(WAYS, products)}
    [shown] = told(blank, "padding", [{"padding": 10, "sentences": "set"}], {"sets": {"set": one}})
    assert f"an unrelated sentence (cosine {unrelated:.2f}) is {said} the sentence itself" in shown["brief"]
    bars = [words for words, _ in shown["texts"][2] if re.fullmatch(r"0\.\d\d", words)]
    assert bars == [f"{itself:.2f}", f"{unrelated:.2f}"] * len(WAYS)


@pytest.mark.parametrize(
    "before, after, said",
    [(1, 3, "and gets 3 of 4 right, not 1"), (3, 1, "but gets fewer right"), (2, 2, "but gets no more right")],
)
def test_the_wider_space_is_said_to_get_as_many_right_as_it_does(before: int, after: int, said: str, blank) -> None:
    state, chosen_list = CASES["heat"]()

    def space(spread: float, right: int) -> list[list[float]]:
        """Of the first topics the positive is nearer to its anchor, of the others the negative."""
        cosines = [[1.0 if i == j else 0.5 for j in range(12)] for i in range(12)]
        for i in range(0, 12, 3):
            cosines[i][i + 1 : i + 3] = [0.5 + spread, 0.5 - spread][:: 1 if i < 3 * right else -1]
        return cosines

    state["cosines"] = {"raw": space(0.1, before), "trained": space(0.4, after)}
    [shown] = told(blank, "heat", chosen_list[:1], state)
    assert shown["lead"].startswith("trained spreads cosines 4.0 times as far as raw") and said in shown["lead"]


def test_a_matrix_is_said_to_need_chunks_where_it_is_larger_than_the_memory(blank) -> None:
    state, _ = CASES["scale"]()
    settings = [STARTS | one for one in grid(gpus=[1, 8, 64, 1024], batch=[16, 8192], matrix=state["matrices"])]
    kinds = set()
    for chosen, shown in zip(settings, told(blank, "scale", settings, state)):
        columns = chosen["gpus"] * chosen["batch"]
        rows = chosen["batch"] if chosen["matrix"] == "a block a GPU" else columns
        chunks = 4 * rows * columns > state["gpu"]["memory"]
        assert (", which fits in chunks only" in shown["brief"]) == chunks, chosen
        kinds.add((chosen["gpus"] * chosen["batch"], chunks))
    assert len(kinds) > len(settings) / 2, "of one size a block fits and the whole does not"


def test_the_table_of_pulls_has_each_terms_own_weight(blank) -> None:
    chosen = {"anchor": "premise 1", "similarity": "cosine", "tau": 0.3, "lam": 0.3}
    [shown] = told(blank, "pulls", [chosen], lengths=[0.5, 0.2, 0.4])
    [classifier, contrast, _] = shown["rows"]
    assert classifier[1:] == ["0.5", "0.70", "0.35"] and contrast[1:] == ["0.2", "0.30", "0.06"]


def test_the_curves_of_agreement_carry_their_own_names(blank) -> None:
    """Spearman's is the straight one."""
    state, (chosen, *_) = CASES["agreement"]()
    for pearson in (0.1, 0.9):
        [shown] = told(
            blank, "agreement", [{**chosen, "power": 10.0}], state, spearman=[0.5, 0.4, 0.6], curve=[pearson] * 41
        )
        heights = [float(points.split()[0].split(",")[1]) for points in shown["lines"][1][:2]]
        names = {words: y for words, y in shown["texts"][1] if words in ("Spearman", "Pearson")}
        assert [names["Spearman"], names["Pearson"]] == pytest.approx(heights, abs=18), (names, heights)
        assert abs(heights[0] - heights[1]) > 40


@pytest.mark.parametrize("unknown, whose", [([0, 1], "both sentences"), ([1], "the second sentence"), ([], "")])
def test_sentences_that_no_encoder_here_can_read_are_told(unknown: list[int], whose: str, blank) -> None:
    """In the captions of both boards, and above the explorer's cosine in place of who makes it."""
    told_of = f"Most words of {whose} are unknown to"
    state, (chosen, *_) = CASES["explorer"]()
    tokens = [["[CLS]", *(["[UNK]"] * 2 if k in unknown else ["rain", "falls"]), "[SEP]"] for k in range(2)]
    hidden = [[[[7, 1 + t, k] for t in range(4)] for k in range(2)] for _ in state["hidden"]]
    state |= {"sentences": ["one", "two"], "cut": [False] * 2, "tokens": tokens, "hidden": hidden}
    [explorer] = told(blank, "explorer", [chosen | {"pooling": "mean", "explained": "1", "against": "2"}], state)
    drawn = " ".join(words for words, _ in explorer["texts"][0])
    assert ("unknown words" in drawn) == (0 in unknown) and ("with a meaning" in drawn) == (0 not in unknown)
    state, (chosen, *_) = CASES["heat"]()
    state |= {"threes": False, "sentences": ["one", "two"], "labels": ["one", "two"], "readers": "this & that"}
    state |= {"cosines": {name: [[1, 0.9], [0.9, 1]] for name in state["spaces"]}}
    [heat] = told(blank, "heat", [chosen], state | {"unknown": [k in unknown for k in range(2)]})
    end = "cosines tell nothing of what is meant."
    for shown, readers in ((explorer, "this encoder"), (heat, "this & that")):
        assert (f"{told_of} {readers}: {end}" in shown["brief"]) == bool(whose) == (end in shown["brief"]), shown
    assert (explorer["lead"] == f"{told_of} this encoder") == bool(whose), explorer["lead"]


def test_of_three_sentences_those_that_cannot_be_read_are_counted(blank) -> None:
    state, (chosen, *_) = CASES["heat"]()
    for unknown, whose in [([0, 2], "sentences 1 and 3"), ([2], "sentence 3"), ([0, 1, 3], "sentences 1, 2 and 4")]:
        [shown] = told(blank, "heat", [chosen], state | {"unknown": [k in unknown for k in range(12)]})
        assert f"Most words of {whose} are unknown to " in shown["brief"]
    [shown] = told(blank, "heat", [chosen], state | {"unknown": [True] * 12})
    assert "Most words of all 12 sentences are unknown to " in shown["brief"]
