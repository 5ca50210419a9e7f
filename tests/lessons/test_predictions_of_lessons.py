"""Predict, then look: at least three places a lesson, each question once, with options that say how it came out."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

# What came true in a run of preset smoke, seed 0, real sentences. To record a question anew, run its lesson: the
# output's metadata has each option, and whether it is true (`kit_board`, `state`, `options`).
CAME = json.loads(Path(__file__).with_name("predictions_came.json").read_text("utf-8"))
NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def questions(notebook: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every question that a lesson asks before it shows a finding, and the call."""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or "ask=" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "finding":
                asked = [keyword.value for keyword in node.keywords if keyword.arg == "ask"]
                if asked:
                    yield ast.literal_eval(asked[0]), node


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_lesson_asks_three_times_or_more(notebook: Path) -> None:
    assert len(list(questions(notebook))) >= 3


def test_a_question_is_asked_once_in_the_course() -> None:
    """The progress file knows a prediction by its question."""
    asked = Counter(question for notebook in NOTEBOOKS for question, _ in questions(notebook))
    assert [question for question, times in asked.items() if times > 1] == []


def test_most_questions_have_options_and_few_want_words() -> None:
    free = [
        question
        for notebook in NOTEBOOKS
        for question, call in questions(notebook)
        if not any(keyword.arg == "options" for keyword in call.keywords)
    ]
    assert len(free) <= 5


def written_out() -> dict[str, list[str]]:
    """The options of each question that has three or more of them, each written out, in their order."""
    found = {}
    for question, call in (asked for notebook in NOTEBOOKS for asked in questions(notebook)):
        options = [keyword.value for keyword in call.keywords if keyword.arg == "options"]
        words = [getattr(key, "value", "") for key in getattr(options[0], "keys", [])] if options else []
        if len(words) >= 3 and all(words):
            found[question] = words
    return found


def test_what_came_true_is_recorded_of_every_question() -> None:
    asked = written_out()
    assert set(CAME) == set(asked), "record what came true of the questions that differ"
    assert [question for question, words in CAME.items() if words not in asked[question]] == []


@pytest.mark.parametrize("options", [3, 4])
def test_no_place_among_the_options_comes_true_too_often(options: int) -> None:
    """Whoever always takes the second has hardly more than chance."""
    asked = {question: words for question, words in written_out().items() if len(words) == options}
    true = Counter(words.index(CAME[question]) for question, words in asked.items())
    assert len(asked) >= 15 and set(true) == set(range(options)) and max(true.values()) <= 0.4 * len(asked), true


@pytest.mark.parametrize("whole", [2.0, 4.0])
@pytest.mark.parametrize("chunks", [2.0, 4.0])
def test_one_option_on_memory_is_true_however_it_grows(whole: float, chunks: float) -> None:
    asked = {question: call for notebook in NOTEBOOKS for question, call in questions(notebook)}
    call = asked["Twice the pairs: how many times the memory for the whole matrix, and how many in chunks?"]
    (options,) = [keyword.value for keyword in call.keywords if keyword.arg == "options"]
    true = eval(ast.unparse(options), {"times_whole": whole, "times_chunks": chunks})
    assert sum(true.values()) == 1


def came(cell: str, known: dict) -> tuple[list[str], str]:
    """The options of a cell's question that are true, and the sentence shown, where the cell finds `known`."""
    told: list[tuple[list[str], str]] = []

    def finding(holds: bool, sentence: str, otherwise: str, ask: str, options: dict) -> None:
        told.append(([words for words, true in options.items() if true], sentence if holds else otherwise))

    cells = [one for path in NOTEBOOKS for one in json.loads(path.read_text("utf-8"))["cells"] if one["id"] == cell]
    exec("".join(cells[0]["source"]), {**known, "finding": finding})
    return told[0]


@pytest.mark.parametrize(("missed", "words"), [(0.2049, "a twentieth to a fifth"), (0.505, "more than a fifth")])
def test_the_miss_of_accumulation_is_keyed_by_the_figure_that_is_shown(missed: float, words: str) -> None:
    off = {f"accumulated, {parts} times": (0.9, share) for parts, share in ((2, 0.1), (4, missed), (8, 0.9), (32, 1))}
    true, told = came("large_read", {"off": {"cached": (1.0, 4e-16), **off}})
    assert true == [words] and "cached: 4e-16 (cosine 1.000); accumulated, 2 times: 0.10 " in told
    assert f"accumulated, 4 times: {missed:.2f} " in told


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.574, 0.570), "neither, by more than a tenth"),
        ((0.570, 0.574), "neither, by more than a tenth"),
        ((0.4, 0.39, 0.6), "the largest"),
        ((0.004, 0.007), "the largest"),
        ((0.6, 0.5), "the smallest"),
    ],
)
def test_timings_that_agree_put_no_encoder_ahead(shares: tuple[float, ...], words: str) -> None:
    true, told = came("reached-said", {"shares": list(shares)})
    assert true == [words] and f"The largest has {shares[-1] / shares[0]:.2f} times the share" in told


@pytest.mark.parametrize(
    ("difference", "decided", "words", "sentence"),
    [
        (1.3, False, "no gain or loss that shows", "no gain that these questions show"),
        (-1.3, False, "no gain or loss that shows", "no gain that these questions show"),
        (26.7, True, "more", "Training by class pays here"),
        (-5.0, True, "fewer", "a loss"),
    ],
)
def test_a_difference_within_chance_puts_no_system_ahead(
    difference: float, decided: bool, words: str, sentence: str
) -> None:
    row = {"precision@10": SimpleNamespace(difference=difference, decided=decided)}
    known = {"compare_retrieval": lambda trained, free: row, "between": lambda one: "its interval"}
    found_by = {name: {"precision@10": 50.0} for name in ("BM25", "raw", "trained")}
    true, told = came("classes-said", {**known, "found_by": found_by})
    assert true == [words] and sentence in told
