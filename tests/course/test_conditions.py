"""What a prompt forbids is found on every Python, and nothing else is taken for it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from kit.course.exercises import find_exercise
from kit.course.exercises.checking import judge
from kit.course.exercises.conditions import ALL_PAIRS, AUTOGRAD, CHUNK, FEWER, LOOP, ROWS, broken_condition
from kit.course.exercises.verdict import NOT_YET, RIGHT


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


decorated = logged(row_by_row)
WITHOUT_A_LOOP = (with_a_block, with_a_try, with_a_variable_called_map, logged(with_a_try), torch.no_grad()(with_a_try))
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
}


@pytest.mark.parametrize("answer", WITHOUT_A_LOOP)
def test_what_jumps_back_only_after_an_error_is_no_loop(answer: Callable) -> None:
    verdict = judge(find_exercise("all-cosines"), answer)
    assert verdict.outcome == RIGHT, str(verdict)


@pytest.mark.parametrize("case", WITH_A_LOOP)
def test_a_loop_is_found_wherever_it_stands(case: str) -> None:
    assert "loops over Python objects" in broken_condition((LOOP,), WITH_A_LOOP[case])


def with_a_shared_variable_called_grad(scores, positive, tau):
    grad = torch.softmax(scores / tau, dim=0) / tau
    return torch.stack([grad[i] - (i == positive) / tau for i in range(len(scores))])


def slope(scores, positive, tau):
    from torch.func import grad

    return (lambda: grad(lambda s: F.cross_entropy(s[None] / tau, torch.tensor([positive]))))()(scores)


def test_a_variable_of_ones_own_may_be_called_grad() -> None:
    verdict = judge(find_exercise("similarity-gradient"), with_a_shared_variable_called_grad)
    assert verdict.outcome == RIGHT, str(verdict)
    assert "it asks autograd" in broken_condition((AUTOGRAD,), slope)


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

    assert broken_condition((ALL_PAIRS,), counted) == "" and sizes == [4, FEWER]
