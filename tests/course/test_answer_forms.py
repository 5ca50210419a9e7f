"""A right answer is right in every form, for every exercise; so are the lessons' own functions."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from kit.course.exercises import exercises, find_exercise
from kit.course.exercises.answer_forms import other_forms
from kit.course.exercises.checking import judge
from kit.course.exercises.conditions import ROWS
from kit.course.exercises.verdict import NOT_YET, RIGHT
from kit.course.papers.published import bounds
from kit.evaluation import geometry
from kit.evaluation.vectors import cosine_matrix


def changed(value: object, number: Callable, whole: Callable) -> object:
    """`value` with `number` of each Python number and `whole` of each tensor or array; texts as they are."""
    if isinstance(value, (tuple, list)):
        return type(value)(changed(one, number, whole) for one in value)
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return whole(value)
    return value if isinstance(value, (str, bool)) else number(value)


def decimals(value: object) -> object:
    return list(map(decimals, value)) if isinstance(value, list) else Decimal(repr(value))


def fractions(value: object) -> object:
    return list(map(fractions, value)) if isinstance(value, list) else Fraction(repr(value))


FORMS = {
    "NumPy": (np.float64, np.asarray),
    "float32": (np.float32, lambda value: np.asarray(value).astype(np.float32)),
    "Python": (float, lambda value: value.tolist()),
    "tensors": (torch.tensor, torch.as_tensor),
    "Fraction": (lambda value: Fraction(repr(float(value))), lambda value: fractions((value * 1.0).tolist())),
    "Decimal": (lambda value: Decimal(repr(float(value))), lambda value: decimals((value * 1.0).tolist())),
    "tuple of rows": (float, lambda value: tuple(value) if value.ndim else value),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_right_answer_is_right_in_every_form(form: str) -> None:
    wrong = []
    for one in exercises():
        if one.cases:
            answer = lambda *given, one=one: changed(one.solution(*given), *FORMS[form])  # noqa: E731
            loses_gradient = one.is_loss and form in ("tensors", "tuple of rows")
        else:
            answer, loses_gradient = changed(one.solution, *FORMS[form]), False
        verdict = judge(replace(one, without=()), answer)  # the functions above loop
        if verdict.outcome != RIGHT and not loses_gradient:
            wrong.append(f"{one.name}: {verdict}")
    assert wrong == []


OWN = {
    "rounding-interval": bounds,
    "effective-rank": lambda vectors: geometry(vectors).effective_rank,
    "all-cosines": cosine_matrix,
    "seconds-of-a-run": lambda times, steps: np.mean(times[2:]) * steps,
    "growth-exponent": lambda sizes, seconds: np.polyfit(np.log(sizes), np.log(seconds), 1)[0],
    "padded-share": lambda lengths: 1 - sum(lengths.tolist()) / (len(lengths) * max(lengths.tolist())),
    "mean-cosine": lambda vectors: float(find_exercise("mean-cosine").solution(vectors)),
    "cosine-temperature": lambda tau, one, other: tau / (np.linalg.norm(one) * np.linalg.norm(other)),
    "triplet-by-hand": lambda anchors, positives, negatives, margin: (
        sum(
            max(0.0, (a - p).norm().item() - (a - n).norm().item() + margin)
            for a, p, n in zip(anchors, positives, negatives)
        )
        / len(anchors)
    ),
}


def test_what_the_lessons_use_and_what_everybody_writes_is_right() -> None:
    verdicts = {name: judge(find_exercise(name), answer) for name, answer in OWN.items()}
    assert [f"{name}: {verdict}" for name, verdict in verdicts.items() if verdict.outcome != RIGHT] == []
    seconds = judge(find_exercise("seconds-of-a-run"), lambda times, steps: statistics.mean(times[2:]) * steps)
    assert seconds.outcome == RIGHT and "(given " in seconds.message


def test_what_goes_over_all_pairs_is_told_so_in_lesson_02() -> None:
    verdict = judge(find_exercise("mean-cosine"), lambda vectors: geometry(vectors).mean_cosine)
    assert verdict.outcome == NOT_YET and f"where the [{ROWS}, {ROWS}] matrix has" in verdict.message


def test_the_forms_that_inputs_are_given_in() -> None:
    case = (torch.ones(2, 3), [1, 2], [torch.zeros(2)], "text", 3, torch.tensor([True]))
    told = {form: cases[0] for form, cases in other_forms([case])}
    assert list(told) == ["NumPy arrays", "lists", "tensors"]
    assert [type(value) for value in told["NumPy arrays"]] == [np.ndarray, np.ndarray, list, str, int, np.ndarray]
    assert told["lists"] == ([[1.0] * 3] * 2, [1, 2], [[0.0, 0.0]], "text", 3, [True])
    assert [type(value) for value in told["tensors"]][:3] == [torch.Tensor, torch.Tensor, list]
    assert isinstance(told["NumPy arrays"][2][0], np.ndarray)
