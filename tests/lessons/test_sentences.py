"""Prose cannot rot: a sentence that says what a run or a results file shows is computed or held by a test.

Three ways, best first:

* the cell says it itself, with `kit.course.finding`, which tests the sentence before it shows it;
* the paragraph ends with `<!-- held: test_name -->`, the test (in tests/lessons, tests/notebooks or any other
  tests/ folder) that reads the results file, or computes the value, and fails when the sentence is wrong;
* a sentence that only sounds like a result (what a cell does, what a picture's axes are, mathematics that an
  exercise or a library's test proves) ends with `<!-- no result -->`.

`EVIDENCE` finds the paragraphs that must choose one. It lists words, so it cannot find everything: whoever writes
a lesson marks also the sentences that it misses.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import stdev
from types import SimpleNamespace

import numpy as np
import pytest

import kit.lesson
from kit.evaluation import Interval
from kit.lesson import measured
from kit.retrieval.retrieval_report import PairedDifference

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MARK = re.compile(r"<!-- (held: (?P<test>\w+)|no result) -->")
SHOWN = r"(?:tables?|curves?|figures?|pictures?|boards?|maps?|bars?|runs?|cells?|lines?|prints?|spectra|histograms?)"
EVIDENCE = re.compile(
    rf"\b(?:{SHOWN} (?:above|below|says?|shows?|ends?|falls?|rises?|grows?|stays?)|printed|prints|measured|"
    rf"in (?:this|our|the) (?:run|measurement|table|sweep|recorded)|as (?:seen|shown|printed))\b",
    re.IGNORECASE,
)
# Lessons whose sentences are still to be marked; take a name out when its lesson is done.
NOT_YET: set[str] = set()


def paragraphs(notebook: Path) -> Iterator[tuple[str, str]]:
    """(cell id, paragraph or list item) of the prose; code blocks, formulas and exercises are left out."""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "markdown" or cell["id"].startswith("exercise-"):
            continue
        text = re.sub(r"^```.*?^```|\$\$.*?\$\$", "", "".join(cell["source"]), flags=re.DOTALL | re.MULTILINE)
        for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
            yield cell["id"], paragraph.strip()


def unmarked(notebook: Path) -> list[str]:
    """Paragraphs that cite evidence and say neither what holds them nor that they are no result."""
    return [
        f"{notebook.name}, {cell}: {paragraph[:100]}"
        for cell, paragraph in paragraphs(notebook)
        if EVIDENCE.search(MARK.sub("", paragraph)) and not MARK.search(paragraph)
    ]


def computed(notebook: Path) -> int:
    """The number of sentences that the notebook's cells test before they show them."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return len(re.findall(r"\bfinding\(", code))


def all_tests() -> set[str]:
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "tests").rglob("test_*.py")]
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_result_in_prose_is_held(capsys: pytest.CaptureFixture) -> None:
    rows, missing = [], []
    for notebook in NOTEBOOKS:
        marks = [mark for _, paragraph in paragraphs(notebook) for mark in MARK.finditer(paragraph)]
        held = sum(mark["test"] is not None for mark in marks)
        free = unmarked(notebook)
        rows.append(f"{notebook.stem:30} computed {computed(notebook):3}, held {held:3}, unguarded {len(free):3}")
        missing += [] if notebook.name in NOT_YET else free
    with capsys.disabled():
        print("\nSentences about results\n" + "\n".join(rows))
    assert missing == []


@pytest.mark.slow
def test_what_holds_a_sentence_is_a_test() -> None:
    tests = all_tests()
    named = {
        f"{notebook.name}, {cell}: {mark['test']}"
        for notebook in NOTEBOOKS
        for cell, paragraph in paragraphs(notebook)
        for mark in MARK.finditer(paragraph)
        if mark["test"] and mark["test"] not in tests
    }
    assert named == set()


def test_the_search_finds_what_it_is_for(tmp_path: Path) -> None:
    cells = [
        "The table below shows that the rank falls.",
        "The table below shows that the rank falls. <!-- held: test_what_holds_a_sentence_is_a_test -->",
        "A cosine is a product of unit vectors.",
        "- fine\n- In this run it fell.",
    ]
    notebook = tmp_path / "00.ipynb"
    content = [{"cell_type": "markdown", "id": f"c{i}", "source": [text]} for i, text in enumerate(cells)]
    notebook.write_text(json.dumps({"cells": content}), "utf-8")
    assert [line.split(":")[0] for line in unmarked(notebook)] == ["00.ipynb, c0", "00.ipynb, c3"]


def told(lesson: str, cells: str, **names: object) -> str:
    """What the findings of these cells of a lesson say at these figures, where one of a question's options came out."""
    (path,) = (path for path in NOTEBOOKS if path.name.startswith(lesson))
    code = {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]}
    said = []

    def finding(held: object, sentence: str, otherwise: str, ask: str = "", options: dict | None = None) -> None:
        said.append(sentence if held else otherwise)
        assert not options or sum(map(bool, options.values())) == 1, options

    names["finding"] = finding
    for cell in cells.split():
        exec(code[cell], names)
    return " ".join(said)


def test_differences_of_fits_are_those_of_the_figures_beside_them() -> None:
    ends = {"NLI": (50.096, 42.85), "the task's own": (50.0, 56.236), "measured": (50.0, 60.979)}
    state = {"dims": (63, 128), "curves": {name: {"whitened": {"sts": list(sts)}} for name, sts in ends.items()}}
    task = SimpleNamespace(source=SimpleNamespace(is_fallback=False))
    said = told("02", "board-reading fitted-reading", board=SimpleNamespace(state=state), task=task, np=np)
    assert "STS is 50.1, with all 42.9" in said and "STS changes by +7.2." in said
    assert "Up to 56.2 no measured sentence is needed; the other 4.8 points" in said and "moves STS at least" in said


def test_recorded_gains_are_those_of_the_table_beside_them() -> None:
    task = SimpleNamespace(source=SimpleNamespace(is_fallback=False))
    found = measured("repairs")
    said = told("02", "centring customs average-choice", gain=found["repairs"], found=found, change=0.0, task=task)
    averages = {name: repair["average"]["embeddings_last"]["all"]["mean"] for name, repair in found["repairs"].items()}
    gain = round(averages["centred"], 1) - round(averages["raw"], 1)
    assert f"centring gains ({gain:.1f})" in said and f"{gain:+.1f} to" in said


def test_batch_hard_is_said_to_be_the_first_where_it_is() -> None:
    names = ("ready-made, margin 1", "ready-made, margin 5", "BatchAll, margin 1", "softmax, τ 0.05")
    figures = {"raw": 80.0, "BatchHard, margin 1": 88.4, **dict.fromkeys(names, 87.0)}
    said = told("03", "what_mattered", scores=figures, ends={"BatchHard, rate 0.01": "collapsed"})
    assert "Highest in this run: BatchHard" in said and "is the first." in said
    said = told("03", "what_mattered", scores={**figures, names[0]: 89.0}, ends={"BatchHard, rate 0.01": "collapsed"})
    assert "is not the last." in said


@pytest.mark.parametrize("highest, knows", [(33.0, False), (45.0, True)])
def test_who_scores_no_more_than_the_point_is_not_said_to_know_again(highest: float, knows: bool) -> None:
    figures = {"raw": 45.8, "in the point": 33.2, "BatchHard": highest, "semi-hard": 30.1, "softmax": 29.0}
    known = {"known": figures, "best": "BatchHard", "share": {"BatchHard": 0.1, "semi-hard": 0.2, "softmax": 0.7}}
    sts = {"STS-B": SimpleNamespace(scores=[])}
    said = told("03", "ranks_overlook", **known, begun=0.01, hard_high="collapsed", sts=sts)
    assert ("two things" in said) == knows and ("none of the three scores more than" in said) != knows


@pytest.mark.parametrize("pretrained", [4.0, 4.65])
def test_a_fresh_head_that_costs_more_is_explained_whatever_the_other_costs(pretrained: float) -> None:
    said = told("07", "guessing-said", costs={"fresh": 9.67, "pretrained": pretrained}, equal_shares=9.01)
    assert "random opinions" in said


def test_a_rise_that_stood_higher_in_between_is_not_told_as_parts_of_a_whole() -> None:
    looks = [{"step": step, "validation": 46.4 + rise, "mean_cosine": 0.9 - step / 100}
             for step, rise in enumerate((0, 11.12, 15.43, 15.31, 15.26))]  # fmt: skip
    said = told("09", "watched watched-said", linear=SimpleNamespace(untrained=looks[0], history=looks[1:]))
    assert "rises by 15.3 points (+11.1 by the first look, +15.4 by the middle of the run)" in said


def test_only_what_rested_near_guessing_is_said_to_rest_there() -> None:
    guess = {"guess_label": 1.10, "guess_contrast": 3.47, "contrast": 3.4, "cosine": 0.99, "jump": 6.3}
    linear = SimpleNamespace(record=lambda: None)
    said = told("09", "hot-found", **guess, label=1.60, linear=linear, at_the_end=lambda record: [1.07])
    assert "not quite the textbook case. The cross-entropy of `linear` rests near log 3 (1.07)" in said


def test_side_by_side_differs_from_the_mean_as_the_table_prints_them() -> None:
    said = told("09", "two-starts-read means-read means-said", kit=kit, stdev=stdev)
    arms = measured("means")["arms"]
    more = ("", ", three times as long", ", with minimal pairs", ", with definitions and with minimal pairs")
    shown = [arms[name] for size in ("tiny", "mini") for end in more if (name := f"{size}, pretrained{end}") in arms]
    beside = [round(arm["side_by_side"]["all"], 2) - round(arm["mean"]["all"], 2) for arm in shown]
    assert f"{min(beside):+.2f} to {max(beside):+.2f} points" in said


@pytest.mark.parametrize("with_dropout, words", [(0.042, "(+2%): not more than"), (0.045, "10% more")])
def test_a_cost_below_the_scatter_is_shown_and_called_that(with_dropout: float, words: str) -> None:
    assert words in told("12", "dropout-said", seconds={0.0: 0.041, 0.1: with_dropout})


@pytest.mark.parametrize(
    "low, high, p, words",
    [
        (-8.1, -1.1, 0.01, "a loss"),
        (-8.1, -1.1, 0.07, "−1.1; the test does not exclude chance: no gain that these queries"),
        (-8.1, 1.1, 0.2, "+1.1: no gain that these queries"),
        (1.1, 8.1, 0.01, "above"),
    ],
)
def test_a_loss_that_the_queries_decide_is_called_one(low: float, high: float, p: float, words: str) -> None:
    row = PairedDifference("ndcg@10", 50.0, 55.0, (low + high) / 2, Interval(low, high, 0.95), p)
    names = {
        "compare_retrieval": lambda *_: {"ndcg@10": row},
        "evaluate_retrieval": lambda *_, **named: {"ndcg@10": 1.0},
        "compare_sizes": lambda *_, **named: SimpleNamespace(rows=[(0, 0, 0, None)]),
        "reports": {"raw": {"ndcg@10": 1.0}, "trained": {"ndcg@10": 1.0}},
        "tried": dict.fromkeys(("hard", "same rows", "trained")),
        **{"encoders": {"hard": None}, "task": None, "choosing": None},
        **{"raw": SimpleNamespace(dim=128), "nested": None, "trained": None},
    }
    lost, level = row.decided and high < 0, low < 0 and not row.decided
    for cells, times in (("trained-said", 1), ("trained-said again-said", 3), ("trained-said small-said", 2)):
        said = told("13", cells, **names).replace("-", "−")
        assert words in said and (said.count("a loss"), said.count("no gain")) == (times * lost, times * level)
