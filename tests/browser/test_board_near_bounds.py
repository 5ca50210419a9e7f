"""What boards say where two numbers print alike, where one is nearly nothing or nearly all, where a part is missing."""

from __future__ import annotations

from importlib import import_module
from inspect import signature

import pytest

from kit.boards.board import script
from kit.boards.own_sentences_widget import SHOWN
from kit.boards.padding_widget import WAYS
from tests.browser.board_cases import CASES
from tests.browser.board_page import HEAPS, page_of_boards, put, resized
from tests.browser.test_boards import LOAD

# The sentences at one setting; `changes` replace some of the computed numbers.
SAID = """([chosen, changes]) => {
    const {compute, lead, brief, summary} = window.kitModule.board, state = window.kitState;
    const figure = {...compute(state, chosen, window.kitGiven), ...changes};
    const words = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;
    return [lead, brief, summary].map((say) => words(say?.(figure, chosen, state) ?? ""));
}"""
DRAWN = """(chosen) => {
    const {compute, draw} = window.kitModule.board, state = window.kitState;
    return draw(compute(state, chosen, window.kitGiven), chosen, state).join("");
}"""


def said(page, board: str, chosen: dict, state: dict | None = None, **changes) -> list[str]:
    """Headline, caption and summary."""
    put(page, LOAD, script(board), state or CASES[board]()[0])
    return put(page, SAID, chosen, changes)


def first_case(board: str) -> tuple[dict, dict]:
    state, (chosen, *_) = CASES[board]()
    return state, chosen


def test_a_word_is_counted_where_it_stands_itself(blank) -> None:
    """Not where one begins like it."""
    texts = {"raw": ["an intervening interaction", "interests"], "trained": ["interactions", "The INTERNET, today"]}
    columns = [
        {"name": name, "hits": [{"id": i, "text": text, "score": 0.5} for i, text in enumerate(all_)], "right": None}
        for name, all_ in texts.items()
    ]
    state = CASES["search"]()[0] | {"query": "internet", "columns": columns}
    chosen = {"query": "internet", "k": 2, "vote": ""}
    assert said(blank, "search", chosen, state)[0].endswith("“internet” is in 1 of 2 hits of trained, in 0 of raw")
    drawn = blank.evaluate(DRAWN, chosen)
    assert "in 0 of 2" in drawn and "in 1 of 2" in drawn and "in 2 of 2" not in drawn


def padded(lengths: list[int], itself: float = 1.0, unrelated: float = 0.4) -> dict:
    products = [[1, itself, 0.5, unrelated, 1, 1]] * 41  # ⟨u, u⟩ ⟨u, s⟩ ⟨u, v⟩ ⟨u, w⟩ ⟨v, v⟩ ⟨w, w⟩
    one = {"sentences": ["a", "b", "c"], "lengths": lengths, "alone": 1, "products": dict.fromkeys(WAYS, products)}
    return {"sets": {"set": one}}


def test_without_padding_the_ways_agree_on_what_has_none(blank) -> None:
    chosen = {"padding": 0, "sentences": "set"}
    lead, caption, _ = said(blank, "padding", chosen, padded([14, 14, 12]))
    assert lead.endswith("all four ways give sentence 1 one vector")
    assert caption == "Sentence 1 has no [PAD], so all four ways agree on it; a shorter sentence beside it has some."
    assert "has nothing to hide" in said(blank, "padding", chosen, padded([3, 3, 3]))[1]
    verdicts = [": right" in blank.evaluate(DRAWN, chosen | {"padding": many}) for many in (0, 1)]
    assert verdicts == [False, True], "no way is right or wrong where all agree"


@pytest.mark.parametrize(
    "itself, unrelated, words",
    [
        (0.9187, 0.9214, "(cosine 0.921) is nearer than the sentence itself without padding (0.919)"),
        (0.92, 0.92, "(cosine 0.92) is as near as the sentence itself without padding (0.92)"),
    ],
)
def test_what_lies_nearer_has_another_number(itself: float, unrelated: float, words: str, blank) -> None:
    state = padded([3, 3, 3], itself, unrelated)
    assert words in said(blank, "padding", {"padding": 6, "sentences": "set"}, state)[1]


def heat_state(**ends: tuple[float, float]) -> dict:
    """Three sentences, and in each space the cosines from one end to the other."""
    cosines = {name: [[1, low, high], [low, 1, low], [high, low, 1]] for name, (low, high) in ends.items()}
    return CASES["heat"]()[0] | {"sentences": list("abc"), "threes": False, "cosines": cosines}


def test_headline_and_caption_measure_one_width(blank) -> None:
    chosen = {"own": "a | b | c", "space": "raw", "sentence": 1}
    state = heat_state(raw=(0.1049, 0.5951), trained=(0.1051, 0.5949))  # 0.10 to 0.60, 0.11 to 0.59
    lead, caption, _ = said(blank, "heat", chosen, state)
    assert lead == "Nothing spreads the cosines farther than raw" and "nowhere wider" in caption
    state = heat_state(raw=(0.1049, 0.6049), trained=(0.1051, 0.6151))  # 0.10 to 0.60, 0.11 to 0.62
    lead, caption, _ = said(blank, "heat", chosen, state)
    assert lead == "trained spreads cosines hardly farther than raw" and "from 0.11 to 0.62 in trained" in caption
    state = heat_state(raw=(0.1001, 0.1049), trained=(0.1, 0.1041))
    lead, caption, _ = said(blank, "heat", chosen, state)
    assert lead.startswith("Nothing spreads") and "nowhere wider" in caption


def test_two_sentences_have_no_spread(blank) -> None:
    cosines = {name: [[1, c], [c, 1]] for name, c in (("raw", 0.5), ("trained", 0.2))}
    state = CASES["heat"]()[0] | {"sentences": ["a", "b"], "threes": False, "cosines": cosines}
    lead, caption, _ = said(blank, "heat", {"own": "a | b", "space": "raw", "sentence": 1}, state)
    assert lead == "Two sentences have one cosine in each space: nothing to spread"
    assert caption.startswith("The cosine of the two is 0.50 in raw, 0.20 in trained.")


def test_whitening_that_prints_the_same_score_keeps_it(blank) -> None:
    state, chosen = first_case("whitening")
    here = state["curves"][chosen["fitted"]][chosen["repair"]]["sts"][0]
    state["raw"]["sts"] = round(here, 1)
    assert f"STS stays at {round(here, 1)}" in said(blank, "whitening", chosen, state, sts=round(here, 1) + 0.01)[0]


@pytest.mark.parametrize(
    "first, title", [("A boy sings.", "each word"), ("word " * 40, f"each of the first {SHOWN} pie")]
)
def test_the_lines_between_words_are_said_to_be_as_many_as_they_are(first: str, title: str, blank) -> None:
    state, _ = CASES["own_sentences"]()
    put(blank, LOAD, script("own_sentences"), state)
    assert f"raw: {title}" in blank.evaluate(DRAWN, {"first": first, "second": "Nobody sings."})


def test_a_correlation_that_moves_a_little_is_said_to_move(blank) -> None:
    _, chosen = first_case("agreement")
    found = said(blank, "agreement", chosen | {"power": 0.3}, pearson=[0.7996, 0.7, 0.9], curve=[0.7994] * 21)
    assert "moves Pearson by less than 0.1" in found[0] and "by less than 0.1" in found[1]


@pytest.mark.parametrize(
    ("board", "changes", "words"),
    [
        ("margin", {"loss": 3.5e-4}, "the loss is 3.5e−4"),
        ("margin", {"loss": 0.0011}, "the loss is 0.001"),
        ("annealing", {"highest": 1.4e-4, "average_reset": 2.2e-5}, "never more than 1.4e−4, and 2.2e−5 on average"),
        ("annealing", {"now_reset": 0}, "it weighs 0.000 here"),
        ("pulls", {"share": 0.997, "lengths": [1, 1, 1]}, "SCL has 99.7 % of the pull"),
        ("pulls", {"share": 0.0004, "lengths": [1, 1, 1]}, "SCL has < 0.1 % of the pull"),
        ("tau_lambda", {"shares": [0.996, 0.004]}, "the contrast has 0.4 %."),
        ("temperature", {"shares": [0.997, 0.003]}, "takes 99.7 % of the push"),
        ("temperature", {"weights": [0.12349, 0.30043, 0.30044, 0.27564]}, "the positive weighs 0.124, so"),
        ("nnpu", {"naive": -1e-4}, "the naive risk is −1.0e−4;"),
    ],
)
def test_what_is_nearly_nothing_or_all_is_told_alike_in_both_languages(
    board: str, changes: dict, words: str, blank
) -> None:
    state, chosen = first_case(board)
    widget = import_module(f"kit.boards.{board}_widget")
    figure, summarise = getattr(widget, f"{board}_values"), getattr(widget, f"{board}_summary")
    values = figure(state, chosen) | changes
    told = said(blank, board, chosen, state, **values)[2]
    assert words in told and told == summarise(*[values, chosen, state][: len(signature(summarise).parameters)])


@pytest.mark.parametrize(
    ("board", "changes", "sayer", "words"),
    [
        ("margin", {"loss": 0.0011}, 1, "the loss is 0.001."),
        ("pulls", {"share": 0.997}, 0, "99.7 % of the pull"),
        ("pulls", {"share": 0.0019}, 1, "0.2 % of the pull"),
        ("temperature", {"weights": [0.12349, 0.30043, 0.30044, 0.27564]}, 1, "has 0.124 of the weight"),
        ("nnpu", {"naive": -1e-4}, 0, "the naive risk says −1.0e−4;"),
    ],
)
def test_captions_and_headlines_print_no_zero_for_a_little(
    board: str, changes: dict, sayer: int, words: str, blank
) -> None:
    state, chosen = first_case(board)
    assert words.lower() in said(blank, board, chosen, state, **changes)[sayer].lower()


def test_a_pull_of_nothing_has_its_own_reason(blank) -> None:
    """Only an anchor without a positive entails nothing."""
    state, chosen = first_case("pulls")
    chosen = chosen | {"lam": 1.0}
    for positives, words in (
        (0, f"At λ 1.00 nothing pulls: {chosen['anchor']} entails nothing"),
        (2, "At λ 1.00 nothing pulls"),
    ):
        assert said(blank, "pulls", chosen, state, lengths=[1, 0, 0], positives=positives)[0] == words


def test_a_word_that_is_unknown_is_not_a_small_one(blank) -> None:
    state, chosen = first_case("explorer")
    state["tokens"] = [(["[UNK]", "rain"] * 4)[: len(tokens)] for tokens in state["tokens"]]  # most are known
    contributions = [0.1] * 7
    assert said(blank, "explorer", chosen, state, contributions=contributions)[0].startswith("The cosine of 1 and ")
    state["tokens"][0][0] = "[CLS]"
    assert said(blank, "explorer", chosen, state, contributions=contributions)[0].startswith("14 % of this cosine")


def test_no_emoji_is_cut_in_two(blank) -> None:
    cut = """async (text) => {
        const module = URL.createObjectURL(new Blob([text], {type: "text/javascript"})), {kit} = await import(module);
        return ["", "a"].map((first) => kit.cut(first + "😀".repeat(20), 50));
    }"""
    found = blank.evaluate(cut, script("heat") + "\nexport { kit };")
    assert found == ["😀" * 3 + "…", "a" + "😀" * 2 + "…"]  # each as wide as two letters


def test_a_row_that_is_pointed_at_is_bold_and_keeps_its_words_off_its_weight(blank) -> None:
    page = page_of_boards(blank.context, ["temperature"])
    for width in range(700, 1300, 50):
        page.set_viewport_size({"width": width, "height": 900})
        resized(page)
        page.evaluate("document.querySelectorAll('[data-link]').forEach((one) => one.classList.add('kit-linked'))")
        assert page.evaluate(HEAPS) == [], width
    page.close()
