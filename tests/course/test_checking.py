"""`check` on small exercises: right, not yet and why, or not tried."""

from __future__ import annotations

import math
import re
import statistics
import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from kit.course.exercises.checking import judge
from kit.course.exercises.compare import same
from kit.course.exercises.conditions import ALL_PAIRS, AUTOGRAD, LOOP
from kit.course.exercises.exercise import Exercise, Mistake
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT
from tests.course.small_exercises import (
    CHOICE,
    HALF,
    MEAN,
    PAIR,
    STATS,
    TOTAL,
    TRUTH,
    mean_rows,
    rows_cases,
    sum_of_rows,
)


def message(exercise: Exercise, answer: object, outcome: str = NOT_YET) -> str:
    """The message of the verdict, which is one line, and whose outcome is as expected."""
    verdict = judge(exercise, answer)
    assert verdict.outcome == outcome, verdict
    assert "\n" not in verdict.message and verdict.message.endswith(".")
    assert "Traceback" not in str(verdict)
    return verdict.message


def test_right() -> None:
    told = message(MEAN, lambda x, scale: scale * x.sum(1) / x.shape[1], RIGHT)
    assert told == "Your function agrees with the reference on all 2 inputs. A mean divides by how many there are."
    assert message(HALF, 0.505, RIGHT) == "That is it."


def mean_in_float32(x, scale):
    return mean_rows(x.float(), scale)


def mean_in_bfloat16(x, scale):
    return mean_rows(x.bfloat16(), scale)


def test_other_ways_of_being_right() -> None:
    module = torch.nn.Module()
    module.forward = mean_rows
    with_gradient = lambda x, scale: mean_rows(x.clone().requires_grad_(), scale)  # noqa: E731
    for answer in (mean_in_float32, mean_in_bfloat16, module, with_gradient):
        message(MEAN, answer, RIGHT)


def test_not_tried() -> None:
    def stub(x, scale): ...

    def half_written(x, scale):
        count = ...
        return x.sum(1) / count

    def to_do(x, scale):
        raise NotImplementedError

    write = "Write the body of `mean_rows` where the `...` stands, end it with `return`, and run the cell again."
    for answer in (stub, ...):
        assert message(MEAN, answer, NOT_TRIED) == write
    assert message(HALF, ..., NOT_TRIED) == "Replace the `...` with your answer and run the cell again."
    assert message(CHOICE, ..., NOT_TRIED).startswith('Replace the `...` with one of `"a"`, `"b"`, `"c"` and run')
    assert message(PAIR, (..., ...), NOT_TRIED)
    half = message(MEAN, half_written)
    assert half.startswith("There is still something to write on line ") and "(`return x.sum(1) / count`)" in half
    assert message(MEAN, to_do).endswith(write)
    assert message(PAIR, ("left", ...)).startswith("Value 2: it is still the `...` of the question")


def bool_product(x, scale):
    return ((x > 0) @ (x > 0).T).sum(1)


def own_words(x, scale):
    raise ValueError("no ellipsis here")


def test_a_whole_answer_is_never_called_unfinished() -> None:
    """PyTorch, too, raises NotImplementedError, and others speak of an ellipsis."""
    for answer, told in (
        (bool_product, "stops with NotImplementedError on line *: \"addmm_impl_cpu_\" not implemented for 'Bool' ("),
        (own_words, "stops with ValueError on line *: no ellipsis here."),
        (lambda x, scale: torch.einsum("i.->i", x), "that is not part of any ellipsis."),
        (lambda x, scale: x.numpy()[..., ...], "IndexError"),
    ):
        text = message(MEAN, answer)
        assert "something to write" not in text and all(part in text for part in told.split("*")), text
    for answer in (lambda x, scale: torch.tensor(...), lambda x, scale: x.sum(...), lambda x, scale: len(...)):
        assert message(MEAN, answer).startswith("There is still something to write")


def test_what_comes_back_is_never_called_not_tried() -> None:
    def forgets_to_return(x, scale):
        mean = x.mean(dim=1)
        mean * scale

    nothing = "Your function returns nothing (None): end it with `return` and the result."
    assert message(MEAN, forgets_to_return) == nothing
    for answer in (lambda x, scale: ..., lambda x, scale: (x, ...)):
        assert message(MEAN, answer).startswith("Your function still returns `...`.")
    for answer in (None, NotImplemented):
        for exercise in (MEAN, HALF, CHOICE, TRUTH, PAIR):
            assert message(exercise, answer)


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
    nearly = message(MEAN, lambda x, scale: mean_rows(x, scale) * 1.00001)
    assert nearly.endswith("every number is 1.00001 times what is expected."), nearly


def test_a_mistake_that_raises_is_recognised() -> None:
    def no_columns(x, scale):
        return x.mean(dim=7)

    raising = replace(MEAN, mistakes=(Mistake(no_columns, "There is no dim 7."),))
    assert message(raising, lambda x, scale: x.mean(dim=7) * 2) == "There is no dim 7."
    assert "stops with IndexError" in message(raising, lambda x, scale: x.mean(dim=8))


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


def one_by_one(x, scale):
    yield from mean_rows(x, scale)


async def awaited(x, scale):
    return mean_rows(x, scale)


HANDED_IN = {
    "yield": (MEAN, one_by_one, "one by one: write `return` in place of `yield`."),
    "async": (MEAN, awaited, "gives no result when it is called: begin with `def mean_rows(x, scale):`."),
    "all parts": (
        replace(MEAN, solution=lambda x, scale: x.topk(2, dim=1).indices),
        lambda x, scale: x.topk(2, dim=1),
        "got several results in one (`values`, `indices`): return `.indices` alone.",
    ),
    "parts of other shapes": (
        MEAN,
        lambda x, scale: torch.linalg.eigh(x @ x.T),
        "got several results in one (`eigenvalues`, `eigenvectors`): return the one that is asked for.",
    ),
    "in place": (
        MEAN,
        in_place,
        "The result is right, but your function changes its input `x` in place: work "
        "on a copy, so that the caller's stays as it was.",
    ),
    "print": (
        MEAN,
        printing,
        "Your function prints its result and returns nothing: write `return` in place of `print`.",
    ),
    "wrong numpy": (MEAN, lambda x, scale: np.zeros(3), "expected [*], got [0, 0, 0]."),
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
        "3 of its 3 numbers are NaN: it comes from 0/0, ∞/∞, 0 · ∞ or ∞ − ∞, or from the logarithm or root of a "
        "negative number.",
    ),
    "one NaN": (TOTAL, lambda x: x.sum() / 0 * 0, "the result is NaN: it comes from 0/0"),
    "infinity": (MEAN, lambda x, scale: mean_rows(x, scale) / 0, "numbers are infinity: it comes from a division by 0"),
    "sign": (MEAN, lambda x, scale: -mean_rows(x, scale), ": every sign is the wrong way round."),
    "barely": (TOTAL, lambda x: x.sum() + 1e-5, "expected 6, got 6.00001."),
    "barely, many": (MEAN, lambda x, scale: mean_rows(x, scale) + torch.tensor([0, 1e-5, 0]), "expected [*], got [*]."),
    "large": (
        replace(MEAN, solution=lambda x, scale: x),
        lambda x, scale: x.abs(),
        "at position [*], where it differs most.",
    ),
    "complex": (MEAN, lambda x, scale: mean_rows(x, scale) + 0j, "]), got complex numbers: take their `.real`"),
    "close": (
        replace(TOTAL, solution=lambda x: (66.055, 66.065)),
        lambda x: (66.01, 66.11),
        "expected [66.055, 66.065], got [66.01, 66.11].",
    ),
    "reverse": (
        replace(TOTAL, solution=lambda x: (1, 2, 5)),
        lambda x: [5, 2, 1],
        "expected [1, 2, 5], got the same numbers in the reverse order.",
    ),
    "truth": (replace(TOTAL, solution=lambda x: True), lambda x: 0, "expected True, got False."),
    "truths": (
        replace(TOTAL, solution=lambda x: x > 1),
        lambda x: x > 2,
        "expected [False, False, True, True], got [False, False, False, True].",
    ),
    "many truths": (
        replace(TOTAL, solution=lambda x: torch.eye(6) > 0),
        lambda x: torch.eye(6) == 0,
        "expected 6 of 36 True, got 30 of 36 True.",
    ),
    "as many truths": (
        replace(TOTAL, solution=lambda x: torch.eye(6) > 0),
        lambda x: torch.eye(6).flip(0) > 0,
        "expected True at position [0, 0], got False (6 of 36 True in both, but not the same ones).",
    ),
    "one number for two": (
        replace(TOTAL, solution=lambda x: (1, 2)),
        lambda x: 3,
        "expected 2 results separated by commas, got 3.",
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
    "by name": (
        MEAN,
        lambda x, *, scale: x,
        "Your function takes scale by name only, as a `*` stands before: `check` gives its inputs by position, so "
        "begin with `def mean_rows(x, scale):`.",
    ),
    "another order": (
        MEAN,
        lambda scale, x: x.mean(dim=1) * scale,
        "Your function takes its inputs in another order (scale, x) than they are given: begin with "
        "`def mean_rows(x, scale):`.",
    ),
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
    "text in a part": (STATS, lambda x: (x.mean(), [3, "columns"]), "the text 'rows', got the text 'columns'."),
}


def judge_again(x, scale):
    return judge_again(x, scale)


def test_each_gets_one_clear_sentence() -> None:
    """In HANDED_IN a * stands for anything."""
    others = {}
    for case, (exercise, answer, expected) in HANDED_IN.items():
        text = message(exercise, answer)
        if not re.search(".*".join(map(re.escape, expected.split("*"))), text):
            others[case] = text
    assert others == {}


LOSS = replace(TOTAL, is_loss=True)


def mean_of_array(x, scale):
    return np.mean(x, axis=1, keepdims=False) * scale


def mean_of_lists(x, scale):
    return [statistics.fmean(row) * scale for row in x + []]


RIGHT_FORMS = {
    "numpy": (MEAN, lambda x, scale: mean_rows(x, scale).numpy(), "It returns NumPy's numbers, which is as good here"),
    "list": (MEAN, lambda x, scale: mean_rows(x, scale).tolist(), "It returns a list; `torch.tensor` makes one tensor"),
    "tensors": (MEAN, lambda x, scale: list(mean_rows(x, scale)), "It returns a list; `torch.stack` makes one tensor"),
    "rows": (
        replace(MEAN, solution=lambda x, scale: x),
        lambda x, scale: tuple(x),
        "It returns a tuple; `torch.stack` makes one tensor",
    ),
    "item": (TOTAL, lambda x: x.sum().item(), "on its input."),
    "fraction": (TOTAL, lambda x: Fraction(x.sum().item()), "on its input."),
    "decimal": (TOTAL, lambda x: Decimal(x.sum().item()), "on its input."),
    "array": (TOTAL, lambda x: np.float32(x.sum()), "It returns NumPy's numbers"),
    "takes arrays": (
        MEAN,
        mean_of_array,
        "(given NumPy arrays; with the inputs in the form of this check it stops with TypeError on line ",
    ),
    "takes lists": (
        MEAN,
        mean_of_lists,
        "(given lists; with the inputs in the form of this check it stops with TypeError on line ",
    ),
    "two results": (STATS, lambda x: [np.float64(x.mean()), (3, "rows")], "It returns NumPy's numbers"),
    "mask of numbers": (replace(TOTAL, solution=lambda x: x > 1), lambda x: (x > 1) + 0, "A mask is of type bool"),
}


def test_a_right_answer_is_right_in_any_form() -> None:
    """With a remark where the course prefers another form."""
    told = {case: message(exercise, answer, RIGHT) for case, (exercise, answer, _) in RIGHT_FORMS.items()}
    assert [(case, told[case]) for case, (_, _, remark) in RIGHT_FORMS.items() if remark not in told[case]] == []


def test_a_loss_needs_the_right_gradient_too() -> None:
    for answer in (lambda x: x.detach().sum(), lambda x: torch.tensor(x.numpy().sum())):
        assert "The loss is right, but your tensor carries no gradient" in message(LOSS, answer)
    for answer in (lambda x: x.detach().sum() + 0 * x.sum(), lambda x: x[:2].sum() + x[2:].sum().item()):
        assert "The loss is right, but its gradient is not" in message(LOSS, answer)
    for answer in (lambda x: x @ torch.ones_like(x), lambda x: x.clone().sum()):
        message(LOSS, answer, RIGHT)


def test_a_loss_that_is_a_number_cannot_be_trained_on() -> None:
    for answer in (lambda x: x.sum().item(), lambda x: float(x.sum()), lambda x: np.float64(x.sum())):
        told = message(LOSS, answer)
        assert told.startswith("The number is right, but it is a ") and told.endswith("Return a tensor."), told
        assert "`.item()`, `float()` and NumPy cut off the gradient" in told
    assert "carries no gradient" in message(
        LOSS, lambda x: torch.from_numpy(np.add.reduce(x.numpy(), keepdims=True))[0]
    )
    assert message(replace(LOSS, is_loss=False), lambda x: x.sum().item(), RIGHT).endswith("on its input.")


def loop_of_another(x):
    return sum(one.sum() for one in x)


def slope_of_total(x):
    x = x.clone().requires_grad_()
    x.square().sum().backward()
    return x.grad


def count_down(x):
    rows, total = len(x), x.sum() * 0
    while rows:
        rows, total = rows - 1, total + x[rows - 1].sum()
    return total


def double(x):
    return torch.stack([one + one for one in x])


def pairs_in_numpy(x):
    return (x.numpy() @ x.numpy().T).sum() * 0 + x.sum()


CONDITIONS = {
    "loop": (LOOP, lambda x: sum(one.sum() for one in x), "in operations on whole tensors"),
    "while": (LOOP, count_down, "in operations on whole tensors"),
    "in a helper": (LOOP, lambda x: loop_of_another(x), "in operations on whole tensors"),
    "map": (LOOP, lambda x: torch.stack([*map(torch.sum, x)]).sum(), "in operations on whole tensors"),
    "pairs": (
        ALL_PAIRS,
        lambda x: (x @ x.T).sum() * 0 + x.sum(),
        "keeps 161,200 numbers at a time, where the [400, 400] matrix has 160,000",
    ),
    "NumPy pairs": (ALL_PAIRS, pairs_in_numpy, "where the [400, 400] matrix has 160,000"),
    "pairs in a list": (ALL_PAIRS, lambda x: sum([0.0 for _ in x for _ in x]) + x.sum(), "[400, 400]"),
}


@pytest.mark.slow
def test_what_the_prompt_forbids_is_looked_after() -> None:
    total = replace(TOTAL, cases=lambda: [(torch.arange(6.0).double().view(2, 3),)])
    for case, (condition, answer, told) in CONDITIONS.items():
        assert told in message(replace(total, without=(condition,)), answer), case
        message(total, answer, RIGHT)
    for condition in (LOOP, AUTOGRAD, ALL_PAIRS):
        message(replace(total, without=(condition,)), lambda x: x.sum(), RIGHT)
        message(replace(total, without=(condition,)), lambda x: x.double().sum(), RIGHT)  # the tensor's, not ours
    slope = replace(TOTAL, solution=lambda x: 2 * x, without=(AUTOGRAD,))
    assert "it asks autograd: the exercise asks for the formula" in message(slope, slope_of_total)
    message(slope, lambda x: x + x, RIGHT)


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


TWO = replace(PAIR, solution=(2, 5), stub="two = ...  # more, less", mistakes=(), choices=())
LETTERS = replace(PAIR, solution=("b", "a"), mistakes=(), choices=("a", "b"))
WRONG_VALUES = [
    (HALF, "0.5", "Answer with a number, without quotation marks, not with the text '0.5'."),
    (HALF, True, "Answer with one number, not with True."),
    (HALF, (0.5, 1), "Answer with one number, not with a tuple of 2 (0.5, 1). A comma makes a tuple"),
    (HALF, math.nan, "Answer with one number, not with nan."),
    (HALF, lambda: 0.5, "Answer with one number, not with the function `<lambda>`."),
    (HALF, 0.7, "0.7 is too large."),
    (HALF, -math.inf, "−inf is too small."),
    (CHOICE, "d", '\'d\' is not among the choices, which are `"a"`, `"b"`, `"c"`.'),
    (CHOICE, "c", "'c' is not it."),
    (CHOICE, 1, 'Answer with a text in quotation marks, one of `"a"`, `"b"`, `"c"`, not with 1.'),
    (TRUTH, False, "It is not False."),
    (TRUTH, "True", "Answer with `True` or `False`, not with the text 'True'."),
    (PAIR, "left, 3", "Answer with 2 values separated by commas, not with one text 'left, 3'."),
    (
        LETTERS,
        "a,b",
        "Answer with 2 texts separated by commas, each in its own quotation marks, not with one text 'a,b'",
    ),
    (LETTERS, ["a"], "Answer with 2 texts separated by commas, each in its own quotation marks, not with a list of 1"),
    (PAIR, ("left", "3"), "Value 2: Answer with a number, without quotation marks, not with the text '3'."),
    (PAIR, ("left", 4), "1 of 2 values are right; value 2: 4 is too large."),
    (PAIR, (3, "left"), "Value 1: Answer with a text"),
    (TWO, (5, 2), "The values are right, but in another order than asked for: more, less."),
    (
        replace(PAIR, solution=("left", "right")),
        ("right", "left"),
        "0 of 2 values are right; value 1: 'right' is not it.",
    ),
    (PAIR, ("up", 4), "0 of 2 values are right; value 1: 'up' is not among the choices"),
]


def test_values_that_are_not_it() -> None:
    texts = [message(exercise, answer) for exercise, answer, _ in WRONG_VALUES]
    assert [text[: len(told)] for text, (_, _, told) in zip(texts, WRONG_VALUES)] == [
        told for _, _, told in WRONG_VALUES
    ]


RIGHT_VALUES = [
    (HALF, torch.tensor(0.5)),
    (HALF, torch.tensor([0.5], requires_grad=True)),
    (HALF, np.float32(0.5)),
    (HALF, np.array([[0.5]])),
    (CHOICE, " B\n"),
    (TRUTH, np.bool_(True)),
    (TRUTH, torch.tensor(True)),
    (TRUTH, 1),
    (HALF, Fraction(1, 2)),
    (HALF, Decimal("0.5")),
    (TWO, np.array([2, 5])),
    (TWO, [Fraction(2), Decimal(5)]),
    (PAIR, ["Left", torch.tensor(3)]),
]


def test_values_that_are_it_in_another_form() -> None:
    for exercise, answer in RIGHT_VALUES:
        message(exercise, answer, RIGHT)


COMPARED = [
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
]


def test_what_counts_as_the_same() -> None:
    wrong = [row for row in COMPARED if same(*row[:3]) is not row[3]]
    assert wrong == []
