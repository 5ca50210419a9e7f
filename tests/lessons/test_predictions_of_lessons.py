"""Predict, then look: at least three places a lesson, each question once, with options that say how it came out."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("whole", [2.0, 4.0])
@pytest.mark.parametrize("chunks", [2.0, 4.0])
def test_one_option_on_memory_is_true_however_it_grows(whole: float, chunks: float) -> None:
    asked = {question: call for notebook in NOTEBOOKS for question, call in questions(notebook)}
    call = asked["Twice the pairs: how many times the memory for the whole matrix, and how many in chunks?"]
    (options,) = [keyword.value for keyword in call.keywords if keyword.arg == "options"]
    true = eval(ast.unparse(options), {"times_whole": whole, "times_chunks": chunks})
    assert sum(true.values()) == 1
