"""What a prompt forbids is found on every Python, and nothing else is taken for it."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

from kit.course.exercises import find_exercise
from kit.course.exercises.checking import judge
from kit.course.exercises.conditions import CHUNK, FEWER, ROWS, broken_condition
from kit.course.exercises.verdict import NOT_YET, RIGHT
from tests.course.judged import refused, taken


def with_a_block(vectors):
    with torch.no_grad(), contextlib.suppress(ValueError):
        norm = vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)
    unit = vectors / norm
    return (unit @ unit.T).clamp(-1, 1)


def with_a_try(vectors):
    try:
        norm = vectors.norm(dim=1, keepdim=True)
    except AttributeError:
        norm = torch.tensor(vectors).norm(dim=1, keepdim=True)
    finally:
        least = 1e-12
    unit = vectors / norm.clamp(min=least)
    return unit @ unit.T


def with_a_variable_called_map(vectors):
    map = F.normalize(vectors, dim=1)
    return map @ map.T


def logged(function: Callable) -> Callable:
    @functools.wraps(function)
    def run(*given):
        return function(*given)

    return run


def logged_without_wraps(function: Callable) -> Callable:
    def run(*given):
        return function(*given)

    return run


def row_by_row(vectors):
    unit = F.normalize(vectors, dim=1)
    return torch.stack([unit @ row for row in unit])


def while_true(vectors):
    unit, made = F.normalize(vectors, dim=1), []
    while True:
        try:
            made.append(unit @ unit[len(made)])
        except IndexError:
            return torch.stack(made)


def with_a_loop_inside(vectors):
    with torch.no_grad():
        unit, made = F.normalize(vectors, dim=1), []
        while len(made) < len(unit):
            made.append(unit @ unit[len(made)])
    return torch.stack(made)


def with_map(vectors):
    unit = F.normalize(vectors, dim=1)
    return torch.stack(list(map(unit.matmul, unit)))


def calling_itself(vectors, made=()):
    if len(made) == len(vectors):
        return torch.stack(made)
    return calling_itself(vectors, (*made, F.normalize(vectors, dim=1) @ F.normalize(vectors[len(made)], dim=0)))


def reduced(vectors):
    unit = F.normalize(vectors, dim=1)
    return functools.reduce(lambda made, row: torch.cat([made, (unit @ row)[None]]), unit, unit[:0] @ unit.T)


class InOneProduct(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = [2 * size for size in (1, 2)]  # a loop, but not of the answer

    def forward(self, vectors):
        return self.cosines(F.normalize(vectors, dim=1))

    def cosines(self, unit):
        return unit @ unit.T


class RowByRow(InOneProduct):
    def cosines(self, unit):
        return torch.stack([unit @ row for row in unit])


class Called:
    def __call__(self, vectors):
        return row_by_row(vectors)


decorated = logged(row_by_row)
WITHOUT_A_LOOP = (
    with_a_block,
    with_a_try,
    with_a_variable_called_map,
    logged(with_a_try),
    logged(logged(with_a_try)),
    torch.no_grad()(with_a_try),
    InOneProduct(),
    functools.partial(with_a_try),
    lambda vectors: torch.vmap(with_a_block)(vectors[None])[0],
)
WITH_A_LOOP = {
    "rows": row_by_row,
    "while": while_true,
    "in a block": with_a_loop_inside,
    "map": with_map,
    "decorated": decorated,
    "decorated without wraps": logged_without_wraps(row_by_row),
    "decorated by torch": torch.no_grad()(row_by_row),
    "cached": functools.lru_cache(row_by_row),
    "a decorated helper": lambda vectors: decorated(vectors),
    "a module": RowByRow(),
    "an object": Called(),
    "partial": functools.partial(row_by_row),
    "calling itself": calling_itself,
    "reduce": reduced,
}


@pytest.mark.parametrize("answer", WITHOUT_A_LOOP)
def test_what_jumps_back_only_after_an_error_is_no_loop(answer: Callable) -> None:
    taken("all-cosines", answer)


@pytest.mark.parametrize("case", WITH_A_LOOP)
def test_a_loop_is_found_wherever_it_stands(case: str) -> None:
    refused("all-cosines", WITH_A_LOOP[case], "loops over Python objects")


def with_a_shared_variable_called_grad(scores, positive, tau):
    grad = torch.softmax(scores / tau, dim=0) / tau
    return torch.stack([grad[i] - (i == positive) / tau for i in range(len(scores))])


def loss(scores, positive, tau):
    return F.cross_entropy(scores[None] / tau, torch.tensor([positive]))


def by_backward(scores, positive, tau):
    scores = scores.clone().requires_grad_()
    loss(scores, positive, tau).backward()
    return scores.grad


def imported(scores, positive, tau):
    from torch.func import grad

    return (lambda: grad(lambda s: loss(s, positive, tau)))()(scores)


def by_dual_numbers(scores, positive, tau):
    slopes = []
    for one in torch.eye(len(scores), dtype=scores.dtype):
        with forward_ad.dual_level():
            slopes.append(forward_ad.unpack_dual(loss(forward_ad.make_dual(scores, one), positive, tau)).tangent)
    return torch.stack(slopes)


def by_linearize(scores, positive, tau):
    slope = torch.func.linearize(lambda s: loss(s, positive, tau), scores)[1]
    return torch.stack([slope(one) for one in torch.eye(len(scores), dtype=scores.dtype)])


class Slope(torch.nn.Module):
    def forward(self, scores, positive, tau):
        return by_backward(scores, positive, tau)


def differences_of(step: float, both_sides: bool = True) -> Callable:
    def quotient(scores, positive, tau):
        shifts = step * torch.eye(len(scores), dtype=scores.dtype)
        low = [loss(scores - shift if both_sides else scores, positive, tau) for shift in shifts]
        high = [loss(scores + shift, positive, tau) for shift in shifts]
        return (torch.stack(high) - torch.stack(low)) / (step * (1 + both_sides))

    return quotient


def triplet_differences(anchor, positive, negative, margin):
    def triplet(anchor):
        return ((anchor - positive).norm() - (anchor - negative).norm() + margin).relu()

    shifts = 1e-6 * torch.eye(len(anchor), dtype=anchor.dtype)
    slopes = torch.stack([triplet(anchor + shift) - triplet(anchor - shift) for shift in shifts]) / 2e-6
    return slopes if triplet(anchor) > 0 else slopes * 0


WITH_AUTOGRAD = {
    "backward": by_backward,
    "imported": imported,
    "under a name put together": lambda s, *more: getattr(torch.func, "gr" + "ad")(lambda s: loss(s, *more))(s),
    "made before": torch.func.grad(loss),
    "forward": torch.func.jacfwd(loss),
    "jacobian": lambda s, *more: torch.autograd.functional.jacobian(lambda s: loss(s, *more), s),
    "dual numbers": by_dual_numbers,
    "linearize": by_linearize,
    "a module": Slope(),
    "partial": functools.partial(by_backward),
}


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")  # linearize's own
@pytest.mark.parametrize("case", WITH_AUTOGRAD)
def test_autograd_is_seen_under_whatever_name(case: str) -> None:
    refused("similarity-gradient", WITH_AUTOGRAD[case], "it asks autograd")


@pytest.mark.parametrize("step", [1e-4, 1e-5, 1e-6, 1e-7, 1e-8])
def test_a_difference_of_losses_is_no_formula(step: float) -> None:
    refused("similarity-gradient", differences_of(step), "a difference of two losses")


def test_nor_is_one_of_one_side_or_of_a_triplet() -> None:
    refused("similarity-gradient", differences_of(1e-8, both_sides=False), "a difference of two losses")
    refused("gradient-on-the-anchor", triplet_differences, "a difference of two losses")


def with_exponentials(scores, positive, tau):
    weights = [math.exp((float(score) - float(scores.max())) / tau) for score in scores]
    return [(weight / sum(weights) - (place == positive)) / tau for place, weight in enumerate(weights)]


def with_a_guard(scores, positive, tau):
    scores = scores.detach() if scores.requires_grad else scores
    target = F.one_hot(torch.tensor(positive), len(scores))
    return torch.vmap(lambda weight, wanted: (weight - wanted) / (tau + 1e-12))(torch.softmax(scores / tau, 0), target)


def with_numbers_of(change: Callable) -> Callable:
    return lambda scores, positive, tau: with_a_guard(change(scores), positive, tau)


FORMULAS = {
    "exponentials": with_exponentials,
    "a guard": with_a_guard,
    "a variable called grad": with_a_shared_variable_called_grad,
    "single precision": with_numbers_of(torch.Tensor.float),
    "half precision": lambda *given: with_a_guard(*given).half(),
    "a leaf": with_numbers_of(lambda scores: scores.clone().requires_grad_()),
    "an array": lambda *given: with_a_guard(*given).numpy(),
}


@pytest.mark.parametrize("case", FORMULAS)
def test_a_formula_is_one_in_whatever_style(case: str) -> None:
    taken("similarity-gradient", FORMULAS[case])


def below_one(slope: Callable) -> Callable:
    """The gradient of the risk of one class, with `slope` for the derivative of the sigmoid."""

    def gradient(scores, labelled, prior):
        down = -slope(scores)
        one, other = 2 * prior * down / labelled.sum(), -down / (~labelled).sum()
        return torch.where(labelled, one, other)

    return gradient


SLOPES = {
    "the product": lambda x: x.sigmoid() * (1 - x.sigmoid()),
    "exponentials that overflow": lambda x: x.exp() / (1 + x.exp()) ** 2,
    "others": lambda x: (-x).exp() / (1 + (-x).exp()) ** 2,
    "a hyperbola": lambda x: 0.25 / torch.cosh(x / 2) ** 2,
    "half a tangent": lambda x: 0.25 * (1 - torch.tanh(x / 2) ** 2),
}


@pytest.mark.parametrize("case", SLOPES)
def test_a_formula_may_overflow_or_vanish_at_large_numbers(case: str) -> None:
    taken("pu-gradient", below_one(SLOPES[case]))


def arrows(anchor, positive, negative, margin):
    near, far = ((anchor - other) / ((anchor - other).norm() + 1e-8) for other in (positive, negative))
    return torch.where((anchor - positive).norm() + margin > (anchor - negative).norm(), near - far, 0.0)


def test_a_small_number_below_a_fraction_is_no_difference_of_losses() -> None:
    taken("gradient-on-the-anchor", arrows)
    taken("gradient-on-the-anchor", lambda *given: arrows(*given).bfloat16())


def in_chunks_of(size: int) -> Callable:
    def mean_cosine(vectors):
        unit, n = F.normalize(vectors, dim=1), len(vectors)
        return (sum((part @ unit.T).sum() for part in unit.split(size)) - n) / (n * (n - 1))

    return mean_cosine


def test_chunks_may_have_as_many_rows_as_the_prompt_says() -> None:
    exercise = find_exercise("mean-cosine")
    assert f"say, {CHUNK} rows" in exercise.prompt
    assert judge(exercise, in_chunks_of(CHUNK)).outcome == RIGHT
    verdict = judge(exercise, in_chunks_of(ROWS))
    assert verdict.outcome == NOT_YET and f"say, {CHUNK} of its rows at a time" in verdict.message


def test_what_holds_little_is_not_measured_twice() -> None:
    """So a loop over all pairs, which is slow, is waited for only once, and of fewer rows."""
    sizes = []

    def counted(vectors):
        sizes.append(len(vectors))
        return vectors.sum()

    assert broken_condition(find_exercise("mean-cosine"), counted, []) == "" and sizes == [4, FEWER]
