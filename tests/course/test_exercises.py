"""The exercise machinery, on small exercises made here: verdicts, hints, solutions, progress."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.course.exercises import check, exercises, hint, progress, registry, solution
from kit.course.exercises.checking import judge
from kit.course.exercises.compare import same
from kit.course.exercises.exercise import Exercise, Mistake
from kit.course.exercises.progress_record import Record, record
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT, Verdict, marked_up
from kit.errors import KitError

ROOT = Path(__file__).resolve().parents[2]


# --- the exercises these tests ask ----------------------------------------------------------------


def mean_rows(x, scale):
    return x.mean(dim=1) * scale


def mean_of_columns(x, scale):
    return x.mean(dim=0) * scale


def sum_of_rows(x, scale):
    return x.sum(dim=1) * scale


def rows_cases():
    draw = torch.Generator().manual_seed(1)
    return [(torch.randn(rows, 5, generator=draw, dtype=torch.float64), scale) for rows, scale in ((3, 1.0), (4, 0.5))]


MEAN = Exercise(
    "mean-rows",
    "01",
    "Mean of rows",
    2,
    5,
    "Write `mean_rows(x, scale)`.",
    "def mean_rows(x, scale):\n    ...",
    ("Which axis?", "`dim=1`.", "`x.mean(dim=1)`, times the scale."),
    mean_rows,
    (
        Mistake(mean_of_columns, "You averaged over the columns: rows are dim 1."),
        Mistake(sum_of_rows, "You summed: divide by the number of columns."),
    ),
    rows_cases,
    because="A row is **one** sentence.",
    remember="A mean divides by how many there are.",
)


def total(x):
    return x.sum()


TOTAL = Exercise(
    "total",
    "01",
    "Total",
    1,
    1,
    "Write `total(x)`.",
    "def total(x):\n    ...",
    ("a", "b"),
    total,
    (Mistake(lambda x: x.mean(), "That is the mean."),),
    lambda: [(torch.arange(4.0).double(),)],
)


def stats(x):
    return x.mean(), [float(len(x)), "rows"]


STATS = Exercise(
    "stats",
    "02",
    "Two results",
    3,
    9,
    "Write `stats(x)`.",
    "def stats(x):\n    ...",
    ("a", "b"),
    stats,
    (Mistake(lambda x: (x.sum(), [float(len(x)), "rows"]), "The first is a sum."),),
    lambda: [(torch.arange(3.0).double(),)],
)
HALF = Exercise(
    "half",
    "02",
    "A half",
    1,
    2,
    "How much?",
    "answer = ...",
    ("a", "b"),
    0.5,
    (Mistake(2, "You divided the wrong way round."), Mistake(-0.5, "The sign is turned.")),
    tolerance=0.01,
)
CHOICE = Exercise(
    "choice",
    "02",
    "Choose",
    1,
    2,
    "a, b or c?",
    "choice = ...",
    ("a", "b"),
    "b",
    (Mistake("a", "Not a, because of this."),),
    choices=("a", "b", "c"),
    remember="It is b.",
)
TRUTH = Exercise("truth", "02", "True?", 1, 2, "Is it?", "truth = ...", ("a", "b"), True, ())
PAIR = Exercise(
    "pair",
    "02",
    "Both",
    1,
    2,
    "Which, and how many?",
    "pair = ..., ...",
    ("a", "b"),
    ("left", 3),
    (Mistake(("right", 3), "Turn round."),),
    choices=("left", "right"),
)
ALL = (MEAN, TOTAL, STATS, HALF, CHOICE, TRUTH, PAIR)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The exercises above instead of the lessons', and a progress file of the test's own."""
    monkeypatch.setattr(
        registry, "exercises", lambda lesson=None: tuple(one for one in ALL if lesson in (None, one.lesson))
    )
    monkeypatch.setenv("KIT_OUT", str(tmp_path))
    return tmp_path / "progress.json"


def message(exercise: Exercise, answer: object, outcome: str = NOT_YET) -> str:
    """The message of the verdict, which is one line, and whose outcome is as expected."""
    verdict = judge(exercise, answer)
    assert verdict.outcome == outcome, verdict
    assert "\n" not in verdict.message and verdict.message.endswith(".")
    assert "Traceback" not in str(verdict)
    return verdict.message


# --- three outcomes -------------------------------------------------------------------------------


def test_right() -> None:
    told = message(MEAN, lambda x, scale: scale * x.sum(1) / x.shape[1], RIGHT)
    assert told == "Your function agrees with the reference on all 2 inputs. A mean divides by how many there are."
    assert message(HALF, 0.505, RIGHT) == "That is it."


def mean_in_float32(x, scale):
    return mean_rows(x.float(), scale)


def mean_in_bfloat16(x, scale):
    return mean_rows(x.bfloat16(), scale)


@pytest.mark.parametrize(
    "answer",
    [mean_in_float32, mean_in_bfloat16, torch.nn.Module, lambda x, scale: mean_rows(x.clone().requires_grad_(), scale)],
    ids=["float32", "bfloat16", "a module", "with gradient"],
)
def test_other_ways_of_being_right(answer: object) -> None:
    if answer is torch.nn.Module:
        answer = torch.nn.Module()
        answer.forward = mean_rows
    message(MEAN, answer, RIGHT)


def test_not_tried() -> None:
    def stub(x, scale): ...

    def half_written(x, scale):
        count = ...
        return x.sum(1) / count

    def to_do(x, scale):
        raise NotImplementedError

    write = "Write the body of `mean_rows` where the `...` stands, end it with `return`, and run the cell again."
    for answer in (stub, None, ..., NotImplemented, lambda x, scale: ..., lambda x, scale: (x, ...)):
        assert message(MEAN, answer, NOT_TRIED) == write
    assert message(MEAN, half_written, NOT_TRIED).startswith("There is still something to write on line ")
    assert "(`return x.sum(1) / count`)" in judge(MEAN, half_written).message
    assert message(MEAN, to_do, NOT_TRIED).endswith(write)
    assert message(HALF, ..., NOT_TRIED) == "Replace the `...` with your answer and run the cell again."
    assert message(CHOICE, None, NOT_TRIED).startswith('Replace the `...` with one of `"a"`, `"b"`, `"c"` and run')
    assert message(PAIR, ("left", ...), NOT_TRIED)


def test_a_mistake_is_named() -> None:
    assert message(MEAN, lambda x, scale: x.mean(0) * scale) == "You averaged over the columns: rows are dim 1."
    assert message(MEAN, lambda x, scale: (x @ torch.ones(5).double()) * scale).startswith("You summed")
    assert message(HALF, 2.0) == "You divided the wrong way round."
    assert message(CHOICE, " A ") == "Not a, because of this."
    assert message(PAIR, ("RIGHT", 3)) == "Turn round."


def test_a_mistake_must_show_on_every_case() -> None:
    """Right on the first case, a mistake on the second: that is neither."""

    def sometimes(x, scale):
        return mean_rows(x, scale) if scale == 1 else sum_of_rows(x, scale)

    told = message(MEAN, sometimes)
    assert told.startswith("Right for 1 of 2 inputs. For `x` = a tensor of shape [4, 5] (") and "`scale` = 0.5:" in told
    assert told.endswith("every number is 5 times what is expected.")


def test_a_mistake_that_raises_is_recognised() -> None:
    def no_columns(x, scale):
        return x.mean(dim=7)

    raising = replace(MEAN, mistakes=(Mistake(no_columns, "There is no dim 7."),))
    assert message(raising, lambda x, scale: x.mean(dim=7) * 2) == "There is no dim 7."
    assert "stops with IndexError" in message(raising, lambda x, scale: x.mean(dim=8))


# --- what learners really hand in -----------------------------------------------------------------


def in_place(x, scale):
    x *= scale
    return x.mean(dim=1)


def printing(x, scale):
    print(mean_rows(x, scale))


def exits(x, scale):
    sys.exit("done")


def misspelt(x, scale):
    size = 3
    return torch.meen(x) / size


def long_error(x, scale):
    raise RuntimeError("first line.\nsecond line")


class MeanRows:
    def __init__(self, x, scale):
        self.result = mean_rows(x, scale)


HANDED_IN = {
    "in place": (
        MEAN,
        in_place,
        "The result is right, but your function changes its input `x` in place: put the "
        "result into a new tensor, so that the caller's stays as it was.",
    ),
    "print": (
        MEAN,
        printing,
        "Your function prints its result and returns nothing: write `return` in place of `print`.",
    ),
    "numpy": (
        MEAN,
        lambda x, scale: mean_rows(x, scale).numpy(),
        "The numbers are right, but it returns a NumPy array of shape [3] where a torch tensor is expected: "
        "compute with torch.",
    ),
    "wrong numpy": (MEAN, lambda x, scale: np.zeros(3), "expected [*], got [0, 0, 0]."),
    "list": (
        MEAN,
        lambda x, scale: mean_rows(x, scale).tolist(),
        "The numbers are right, but it returns a list where one torch tensor is expected: `torch.stack` it.",
    ),
    "list of tensors": (MEAN, lambda x, scale: list(mean_rows(x, scale)), "it returns a list where one torch tensor"),
    "item": (
        TOTAL,
        lambda x: x.sum().item(),
        "The numbers are right, but it returns a plain Python number where a torch tensor is expected: leave out "
        "`.item()` or `float()`, which cut off the gradient.",
    ),
    "keepdim": (
        MEAN,
        lambda x, scale: x.mean(1, keepdim=True) * scale,
        "expected the shape [3], got [3, 1]: the numbers are right, only the dimensions are not "
        "(`squeeze` it, or leave out `keepdim`).",
    ),
    "squeezed": (
        replace(MEAN, solution=lambda x, scale: x.mean(1, keepdim=True) * scale),
        mean_rows,
        "expected the shape [3, 1], got [3]: the numbers are right, only the dimensions are not "
        "(`unsqueeze` it, or use `keepdim`).",
    ),
    "transposed": (
        replace(MEAN, solution=lambda x, scale: x),
        lambda x, scale: x.T,
        "expected the shape [3, 5], got [5, 3]: it is the transpose of what is expected.",
    ),
    "shape": (MEAN, lambda x, scale: x, "expected the shape [3], got [3, 5]."),
    "one of one": (TOTAL, lambda x: x.sum()[None], "expected the shape [], got [1]: the numbers are right"),
    "integers": (
        MEAN,
        lambda x, scale: mean_rows(x, scale).round().long(),
        "the result is of an integer type, which has no fractions.",
    ),
    "NaN": (
        MEAN,
        lambda x, scale: mean_rows(x, scale) * math.nan,
        "3 of its 3 numbers are NaN: it comes from 0/0, from ∞ − ∞, or from the logarithm or root of a negative "
        "number.",
    ),
    "one NaN": (TOTAL, lambda x: x.sum() / 0 * 0, "the result is NaN: it comes from 0/0"),
    "infinity": (MEAN, lambda x, scale: mean_rows(x, scale) / 0, "numbers are infinity: it comes from a division by 0"),
    "sign": (MEAN, lambda x, scale: -mean_rows(x, scale), ": every sign is the wrong way round."),
    "barely": (TOTAL, lambda x: x.sum() + 1e-5, "expected 6, got a number that differs by 1e−05."),
    "barely, many": (
        MEAN,
        lambda x, scale: mean_rows(x, scale) + torch.tensor([0, 1e-5, 0]),
        "got a number that differs by 1e−05 at position [1], where it differs most.",
    ),
    "large": (
        replace(MEAN, solution=lambda x, scale: x),
        lambda x, scale: x.abs(),
        "at position [*], where it differs most.",
    ),
    "nothing on one": (
        MEAN,
        lambda x, scale: mean_rows(x, scale) if scale == 1 else None,
        "Right for 1 of 2 inputs. For *: your function returns nothing (None).",
    ),
    "one argument": (
        MEAN,
        lambda x: x,
        "Your function takes 1 argument (x) where 2 are given: begin with `def mean_rows(x, scale):`.",
    ),
    "no argument": (MEAN, lambda: 1, "Your function takes 0 arguments (none) where 2 are given"),
    "three arguments": (MEAN, lambda a, b, c: a, "Your function takes 3 arguments (a, b, c) where 2 are given"),
    "class": (
        MEAN,
        MeanRows,
        "`MeanRows` is a class where a function is expected: write `def mean_rows(x, scale):` "
        "and give `check` that function.",
    ),
    "called": (
        MEAN,
        mean_rows(*rows_cases()[0]),
        "Expected a function, got a tensor of shape [3] (*): give `check` "
        "the function `mean_rows` itself, without calling it.",
    ),
    "quoted": (
        MEAN,
        "mean_rows",
        "Expected a function, got the text 'mean_rows': give `check` the function "
        "`mean_rows` itself, without quotation marks.",
    ),
    "text": (MEAN, lambda x, scale: "0.5", "]), got the text '0.5'."),
    "dictionary": (MEAN, lambda x, scale: {"mean": x}, "got an object of type `dict`."),
    "a function back": (MEAN, lambda x, scale: mean_rows, "got the function `mean_rows`."),
    "a class back": (MEAN, lambda x, scale: MeanRows, "got the class `MeanRows`."),
    "an array of texts": (MEAN, lambda x, scale: np.array(["a"]), "got a NumPy array of shape [1]."),
    "too long an integer": (TOTAL, lambda x: 10**400, "got a number of more than 300 digits."),
    "error": (
        MEAN,
        misspelt,
        "your function stops with AttributeError on line * (`return torch.meen(x) / size`): "
        "module 'torch' has no attribute 'meen'.",
    ),
    "long error": (MEAN, long_error, "your function stops with RuntimeError on line * (*): first line."),
    "exit": (MEAN, exits, 'your function stops with SystemExit on line * (`sys.exit("done")`): done.'),
    "without end": (MEAN, lambda x, scale: judge_again(x, scale), "your function stops with RecursionError"),
    "one of two results": (STATS, lambda x: x.mean(), "expected 2 results separated by commas, got a tensor of shape"),
    "second result": (
        STATS,
        lambda x: (x.mean(), [4.0, "rows"]),
        "in result 2 of 2: in result 1 of 2: expected 3, got 4.",
    ),
    "type of a part": (STATS, lambda x: (x.mean().item(), [3.0, "rows"]), "it returns a plain Python number"),
    "text in a part": (STATS, lambda x: (x.mean(), [3, "columns"]), "the text 'rows', got the text 'columns'."),
}


def judge_again(x, scale):
    return judge_again(x, scale)


@pytest.mark.parametrize("case", HANDED_IN)
def test_each_gets_one_clear_sentence(case: str) -> None:
    exercise, answer, expected = HANDED_IN[case]
    told, place = message(exercise, answer), 0
    for part in expected.split("*"):  # * stands for anything
        assert part in told[place:], told
        place = told.index(part, place) + len(part)


def test_a_builtin_without_a_signature_is_called() -> None:
    assert judge(TOTAL, torch.sum).outcome == RIGHT
    assert "stops with TypeError" in message(MEAN, torch.sum)


def test_prints_are_shown_for_the_first_case_only(capsys: pytest.CaptureFixture[str]) -> None:
    def chatty(x, scale):
        print("scale", scale)
        return mean_rows(x, scale)

    assert judge(MEAN, chatty).outcome == RIGHT
    assert capsys.readouterr().out == "scale 1.0\n"


def test_an_argument_that_the_reference_changes_too_may_be_changed() -> None:
    assert judge(replace(MEAN, solution=in_place), in_place).outcome == RIGHT


def test_random_state_is_left_alone() -> None:
    def drops(x, scale):
        return torch.nn.functional.dropout(x, 0.5).sum(1) + torch.rand(1).double()

    torch.manual_seed(7)
    before = torch.get_rng_state()
    for answer in (drops, mean_rows, misspelt, None):
        judge(replace(MEAN, cases=lambda: [(torch.rand(2, 2).double(), 1.0)]), answer)
    assert torch.equal(torch.get_rng_state(), before)
    assert judge(replace(MEAN, solution=drops), drops).outcome == RIGHT, "each call begins at the same random state"


def test_arguments_are_copies() -> None:
    kept = rows_cases()
    once = replace(MEAN, cases=lambda: kept)
    assert judge(once, in_place).outcome == NOT_YET
    assert all(torch.equal(a, b) for (a, _), (b, _) in zip(kept, rows_cases()))


@pytest.mark.parametrize(
    ("exercise", "answer", "told"),
    [
        (HALF, "0.5", "Answer with a number, without quotation marks, not with the text '0.5'."),
        (HALF, True, "Answer with one number, not with True."),
        (HALF, (0.5, 1), "Answer with one number, not with a list of 2 (0.5, 1)."),
        (HALF, math.nan, "Answer with one number, not with nan."),
        (HALF, lambda: 0.5, "Answer with one number, not with the function `<lambda>`."),
        (HALF, 0.7, "0.7 is too large."),
        (HALF, -math.inf, "−inf is too small."),
        (CHOICE, "d", '\'d\' is not among the choices, which are `"a"`, `"b"`, `"c"`.'),
        (CHOICE, "c", "'c' is not it."),
        (CHOICE, 1, 'Answer with a text in quotation marks, one of `"a"`, `"b"`, `"c"`, not with 1.'),
        (TRUTH, False, "It is not False."),
        (TRUTH, "True", "Answer with `True` or `False`, not with the text 'True'."),
        (PAIR, "left", "Answer with 2 values separated by commas, not with the text 'left'."),
        (PAIR, ("left", "3"), "Value 2: Answer with a number, without quotation marks, not with the text '3'."),
        (PAIR, ("left", 4), "1 of 2 values are right; value 2: 4 is too large."),
        (PAIR, ("up", 4), "0 of 2 values are right; value 1: 'up' is not among the choices"),
    ],
)
def test_values_that_are_not_it(exercise: Exercise, answer: object, told: str) -> None:
    assert message(exercise, answer).startswith(told)


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        (HALF, torch.tensor(0.5)),
        (HALF, torch.tensor([0.5], requires_grad=True)),
        (HALF, np.float32(0.5)),
        (HALF, np.array([[0.5]])),
        (CHOICE, " B\n"),
        (TRUTH, np.bool_(True)),
        (TRUTH, torch.tensor(True)),
        (PAIR, ["Left", torch.tensor(3)]),
    ],
)
def test_values_that_are_it_in_another_form(exercise: Exercise, answer: object) -> None:
    message(exercise, answer, RIGHT)


@pytest.mark.parametrize(
    ("expected", "got", "tolerance", "agree"),
    [
        (0.1, 0.1 + 1e-9, 1e-10, False),
        (0.1, 0.1 + 1e-9, 1e-8, True),
        (1000.0, 1000.5, 1e-3, True),
        (1000.0, 1001.5, 1e-3, False),
        (math.inf, math.inf, 1e-6, True),
        (math.inf, -math.inf, 1e-6, False),
        (math.inf, 5.0, 1e-6, False),
        (5.0, math.inf, 1e-6, False),
        (math.nan, math.nan, 1e-6, True),
        (1.0, math.nan, 1e-6, False),
        ([], torch.zeros(0), 1e-6, True),
        (torch.tensor([True, False]), torch.tensor([1.0, 0.0]), 1e-6, True),
        ([[1, 2]], [[1, 2], [3]], 1e-6, False),
        (torch.eye(2), torch.eye(2).to_sparse(), 1e-6, True),
        ("Mean ", "mean", 0, True),
        ("1", 1, 0, False),
        ((torch.ones(2), None), (torch.ones(2), None), 0, True),
        (1.0, torch.tensor(1.001).bfloat16(), 1e-6, True),
        ([1.0], [torch.tensor(1.000005)], 1e-6, True),
        (1.0, torch.tensor(1.0001), 1e-6, False),
    ],
)
def test_what_counts_as_the_same(expected: object, got: object, tolerance: float, agree: bool) -> None:
    assert same(expected, got, tolerance) is agree


# --- the verdict on the page ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "css", "words"),
    [
        (RIGHT, "kit-verdict-right", "Right."),
        (NOT_YET, "kit-verdict-notyet", "Not yet."),
        (NOT_TRIED, "kit-verdict-nottried", "Not tried yet."),
    ],
)
def test_verdict_as_box_and_as_line(outcome: str, css: str, words: str) -> None:
    verdict = Verdict(outcome, "Is `a < b`?", "Do this.", "File gone.")
    assert repr(verdict) == f"{words} Is `a < b`? Do this. File gone."
    page = verdict._repr_html_()
    assert f'class="kit-verdict {css}"' in page and "kit-error" not in page
    assert f"<b>{words}</b> Is <code>a &lt; b</code>?<br>Do this.<br>File gone." in page


def test_what_a_learner_wrote_cannot_become_html() -> None:
    def raises(x, scale):
        raise ValueError('<script class="kit-error">')

    page = judge(MEAN, raises)._repr_html_()
    assert "<script" not in page and "&lt;script" in page
    assert marked_up("`<b>` & c") == "<code>&lt;b&gt;</code> &amp; c"


def test_check_says_what_to_do_next() -> None:
    assert str(check("mean-rows")).startswith("Not tried yet. Write the body of `mean_rows`")
    assert check("mean-rows", sum_of_rows).advice == '`hint("mean-rows")` gives hint 1 of 3.'
    hint("mean-rows")
    assert check("mean-rows", sum_of_rows).advice == '`hint("mean-rows")` gives hint 2 of 3.'
    hint("mean-rows"), hint("mean-rows")
    assert check("mean-rows", sum_of_rows).advice == (
        'You have seen all 3 hints; `solution("mean-rows")` shows the reference answer.'
    )
    assert check("mean-rows", mean_rows).advice == ""


@pytest.mark.parametrize("asks", [check, hint, solution])
def test_unknown_names(asks: object) -> None:
    with pytest.raises(KitError, match="unknown exercise 'mean-row': did you mean 'mean-rows'"):
        asks("mean-row")


# --- hints and solutions --------------------------------------------------------------------------


def test_hints_come_one_by_one_and_the_last_stays() -> None:
    assert [str(hint("mean-rows")) for _ in range(4)] == [
        "Hint 1 of 3: Which axis?",
        "Hint 2 of 3: `dim=1`.",
        *["Hint 3 of 3: `x.mean(dim=1)`, times the scale."] * 2,
    ]
    assert str(hint("mean-rows", 1)) == "Hint 1 of 3: Which axis?"
    assert record().entry("mean-rows")["hints"] == 3
    assert "<b>Hint 3 of 3:</b> <code>x.mean(dim=1)</code>" in hint("mean-rows")._repr_html_()
    for number in (0, 4, "2"):
        with pytest.raises(KitError, match="expected the number of a hint from 1 to 3"):
            hint("mean-rows", number)


def test_a_solution_is_code_with_a_reason() -> None:
    shown = solution("mean-rows")
    assert str(shown) == ("def mean_rows(x, scale):\n    return x.mean(dim=1) * scale\n\nA row is **one** sentence.")
    assert shown._repr_markdown_().startswith("```python\ndef mean_rows(x, scale):")
    assert solution("pair").code == "pair = ('left', 3)"


SCALE = 3


def scaled(x):
    return x * SCALE


def with_helpers(x):
    return [math.sqrt(scaled(y).abs()) for y in x], replace, torch.sum(x)


def test_a_solution_brings_what_it_uses() -> None:
    code = replace(TOTAL, solution=with_helpers)
    from kit.course.exercises.hints import reference_code

    space: dict = {}
    exec(reference_code(code), space)
    assert space["with_helpers"](torch.tensor([3.0, -12.0]))[0] == [3.0, 6.0]
    assert "from dataclasses import replace" in reference_code(code)


# --- progress -------------------------------------------------------------------------------------


def test_states_and_the_table(asked: Path) -> None:
    check("mean-rows", None), check("half", ...)
    assert not asked.exists(), "a notebook that is only run leaves no trace"
    check("mean-rows", sum_of_rows), hint("mean-rows")
    solution("total"), check("total", total)
    check("half", 0.5), solution("half"), check("half", 3)
    table = progress()
    assert str(table).splitlines()[:5] == [
        "lesson  exercise   difficulty  minutes  state                          hints taken",
        "01      mean-rows  ●●○         5        not yet                        1 of 3",
        "01      total      ●○○         1        right, with the solution seen  0 of 2",
        "02      stats      ●●●         9        not tried                      0 of 2",
        "02      half       ●○○         2        right                          0 of 2",
    ]
    assert table.summary == ("2 of 7 exercises are right (1 with the solution seen); the others take about 20 minutes.")
    assert '<td style="text-align:left" aria-label="difficulty 2 of 3">●●○</td>' in table._repr_html_()
    assert [row[1] for row in progress("01").rows] == ["mean-rows", "total"]
    assert progress("01").summary.startswith("1 of 2")


def test_a_second_kernel_goes_on_from_the_file(asked: Path) -> None:
    hint("total"), check("half", 0.5)
    again = Record(asked)
    assert again.entry("total")["hints"] == 1 and again.entry("half")["state"] == RIGHT
    assert again.entry("never")["state"] == NOT_TRIED


def test_what_is_not_ours_is_kept(asked: Path) -> None:
    entry = {"state": RIGHT, "hints": 0, "solution_seen": False, "new": 1}
    asked.write_text(json.dumps({"exercises": {"of-a-newer-kit": entry}}))
    hint("total")
    kept = json.loads(asked.read_text())["exercises"]
    assert kept["of-a-newer-kit"] == entry and kept["total"]["hints"] == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b'{"exercises": 3}',
        b'{"exercises": {"total": 3}}',
        b'{"exercises": {"total": {"hints": "many"}}}',
        b'{"exercises": {"total": {"state": "great"}}}',
    ],
)
def test_a_broken_file_is_put_aside(asked: Path, broken: bytes) -> None:
    for number in (1, 2):
        asked.write_bytes(broken)
        told = hint("total", 1)
        assert str(told).startswith("Hint 1 of 2: a The progress file ")
        aside = asked.parent / f"progress-broken-{number}.json"
        assert told.note.endswith(f"could not be read: it is now {aside.name}, and a new one is begun.")
        assert aside.read_bytes() == broken
        assert hint("total", 1).note == ""
    assert record().entry("total")["hints"] == 1


def test_an_unwritable_place_is_told_and_nothing_is_lost(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = asked.parent / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("KIT_OUT", str(blocked))
    assert [hint("mean-rows").number for _ in range(2)] == [1, 2]
    verdict = check("half", 0.5)
    assert verdict.outcome == RIGHT and "remembered only until this kernel stops" in verdict.note
    assert "remembered only" in progress().note and record().entry("half")["state"] == RIGHT
    blocked.unlink()
    assert check("total", total).note == ""
    saved = json.loads((blocked / "progress.json").read_text())["exercises"]
    assert (saved["mean-rows"]["hints"], saved["half"]["state"], saved["total"]["state"]) == (2, RIGHT, RIGHT)


def test_a_full_disk_leaves_the_old_file(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint("total")
    before = asked.read_bytes()

    def full(*arguments, **settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "(No space left on device)" in hint("total").note
    assert asked.read_bytes() == before and record().entry("total")["hints"] == 2
    assert not asked.with_name("progress.json.lock").exists()


def test_a_lock_left_behind_does_not_block(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.course.exercises.progress_record.LOCK_SECONDS", 0.05)
    asked.with_name("progress.json.lock").touch()
    assert hint("total").note == "" and json.loads(asked.read_text())["exercises"]["total"]["hints"] == 1
    assert not asked.with_name("progress.json.lock").exists()


def test_two_notebooks_write_at_once(asked: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kit.course.exercises.progress_record import Record\n"
        "record = Record(Path(sys.argv[1]))\n"
        "notes = [record.tried(f'{sys.argv[2]}-{i}', right=True) for i in range(40)]\n"
        "assert notes == [''] * 40, notes"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(asked), name], cwd=ROOT) for name in ("left", "right")]
    assert [one.wait(timeout=60) for one in both] == [0, 0]
    assert len(json.loads(asked.read_text())["exercises"]) == 80
    assert [path.name for path in asked.parent.iterdir()] == ["progress.json"]


# --- the room -------------------------------------------------------------------------------------


def test_importing_the_room_is_light() -> None:
    code = "import sys, kit.course.exercises; print(*{'torch', 'IPython', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        text=True,
        capture_output=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == ""


def test_a_lesson_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    monkeypatch.undo()
    found = types.SimpleNamespace(name="lesson99")
    monkeypatch.setattr(registry.pkgutil, "iter_modules", lambda where: [found, types.SimpleNamespace(name="lessons")])
    monkeypatch.setitem(sys.modules, "kit.course.exercises.lesson99", types.SimpleNamespace(EXERCISES=(HALF,)))
    assert exercises() == exercises("99") == (HALF,) and registry.exercise("half") is HALF
    with pytest.raises(KitError, match="unknown lesson with exercises '98'.*Known: 99"):
        exercises("98")


@pytest.mark.parametrize(
    ("stub", "cell"),
    [
        ("def f(x):\n    ...\n", 'def f(x):\n    ...\n\ncheck("a", f)'),
        ('def f(x):\n    ...\n\ncheck("a", f)', 'def f(x):\n    ...\n\ncheck("a", f)'),
    ],
)
def test_the_stub_ends_in_the_check(stub: str, cell: str) -> None:
    assert replace(MEAN, name="a", stub=stub).cell == cell
    assert HALF.cell == 'answer = ...\ncheck("half", answer)'
