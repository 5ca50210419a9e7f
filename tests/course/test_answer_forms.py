"""A right answer is right in every form, for every exercise (a loss as a tensor); so are the lessons' own functions."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from kit.course.exercises import exercises, find_exercise
from kit.course.exercises.answer_forms import SINGLE, other_forms
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


KEEP_GRADIENT = ("tensors", "tuple of rows")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_right_answer_is_right_in_every_form(form: str) -> None:
    wrong = []
    for one in exercises():
        if one.cases:
            answer = lambda *given, one=one: changed(one.solution(*given), *FORMS[form])  # noqa: E731
        else:
            answer = changed(one.solution, *FORMS[form])
        verdict = judge(replace(one, without=()), answer)  # the functions above loop
        if verdict.outcome != (NOT_YET if one.is_loss and form not in KEEP_GRADIENT else RIGHT):
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
        sum(max(0.0, (a - p).norm() - (a - n).norm() + margin) for a, p, n in zip(anchors, positives, negatives))
        / len(anchors)
    ),
}


def test_what_the_lessons_use_and_what_everybody_writes_is_right() -> None:
    verdicts = {name: judge(find_exercise(name), answer) for name, answer in OWN.items()}
    assert [f"{name}: {verdict}" for name, verdict in verdicts.items() if verdict.outcome != RIGHT] == []
    seconds = judge(find_exercise("seconds-of-a-run"), lambda times, steps: statistics.mean(times[2:]) * steps)
    assert seconds.outcome == RIGHT and "(given " in seconds.message and " it stops with " in seconds.message


def test_what_goes_over_all_pairs_is_told_so_in_lesson_02() -> None:
    verdict = judge(find_exercise("mean-cosine"), lambda vectors: geometry(vectors).mean_cosine)
    assert verdict.outcome == NOT_YET and f"where the [{ROWS}, {ROWS}] matrix has" in verdict.message


def test_the_forms_that_inputs_are_given_in() -> None:
    case = (torch.ones(2, 3), [1, 2], [torch.zeros(2)], "text", 3, torch.tensor([True]))
    told = {form: cases[0] for form, cases in other_forms([case])}
    assert list(told) == ["given NumPy arrays", "given lists", "given tensors"]
    assert [type(value) for value in told["given NumPy arrays"]] == [np.ndarray, np.ndarray, list, str, int, np.ndarray]
    assert told["given lists"] == ([[1.0] * 3] * 2, [1, 2], [[0.0, 0.0]], "text", 3, [True])
    assert [type(value) for value in told["given tensors"]][:3] == [torch.Tensor, torch.Tensor, list]
    assert isinstance(told["given NumPy arrays"][2][0], np.ndarray)


def test_numbers_in_double_precision_are_given_in_single_first() -> None:
    form, (given,) = other_forms([(torch.ones(2).double(), [torch.ones(1).double()], [0.5], torch.tensor([1]), 2.0)])[0]
    assert form == SINGLE and [given[0].dtype, given[1][0].dtype] == [torch.float32] * 2
    assert given[2:] == ([0.5], torch.tensor([1]), 2.0)


REMARKED = {
    "indices": ("nearest-neighbours", torch.Tensor.float, "nothing can be indexed with them"),
    "indices in NumPy": ("nearest-neighbours", lambda got: got.numpy().astype(float), "nothing can be indexed with"),
    "half": ("mean-pooling", torch.Tensor.half, "half precision"),
    "half in a list": ("recall-and-ndcg", lambda got: [one.bfloat16() for one in got], "half precision"),
    "a number in half": ("annealed-weight", lambda got: torch.tensor(got).bfloat16(), "half precision"),
    "half of a loss": ("scl-of-one-anchor", torch.Tensor.bfloat16, "half precision"),
    "single": ("mean-pooling", torch.Tensor.float, ""),
    "whole": ("nearest-neighbours", torch.Tensor.int, ""),
}


@pytest.mark.parametrize("case", REMARKED)
def test_a_type_that_is_of_little_use_is_told(case: str) -> None:
    name, change, told = REMARKED[case]
    exercise = find_exercise(name)
    verdict = judge(exercise, lambda *given: change(exercise.solution(*given)))
    as_it_is = judge(exercise, exercise.solution)
    assert verdict.outcome == RIGHT, str(verdict)
    assert told in verdict.message if told else verdict.message == as_it_is.message, str(verdict)


def masked_sum(tokens, mask):
    return torch.einsum("rld,rl->rd", tokens, mask.float()) / mask.sum(1, keepdim=True)


def filled_in(tokens, mask):
    made = torch.zeros(tokens.shape)
    made[mask.bool()] = tokens[mask.bool()]
    return made.sum(1) / mask.sum(1)[:, None]


def slopes_filled_in(scores, labelled, prior):
    slope, made = torch.sigmoid(scores) * torch.sigmoid(-scores), torch.zeros(len(scores))
    made[labelled] = -2 * prior * slope[labelled] / labelled.sum()
    made[~labelled] = slope[~labelled] / (~labelled).sum()
    return made


def discounted(hits, total, k):
    weights = 1 / torch.log2(torch.arange(2.0, hits.shape[1] + 2))
    best = torch.stack([weights[: min(k, int(n))].sum() for n in total])
    return torch.stack([(hits[:, :k].sum(1) / total).mean(), (hits[:, :k] @ weights[:k] / best).mean()])


def scl_of_a_mask(scores, positive, tau):
    return -torch.dot(torch.log_softmax(scores / tau, 0), positive.float()) / positive.sum()


def scl_without_a_gradient(scores, positive, tau):
    return -torch.dot(torch.log_softmax(scores / tau, 0).detach(), positive.float()) / positive.sum()


def scl_with_half_a_gradient(scores, positive, tau):
    logits = scores / tau
    return (positive.float() @ (logits.logsumexp(0).detach() - logits)) / positive.sum()


IN_SINGLE = {
    "a mask of floats": ("mean-pooling", masked_sum),
    "a table of zeros": ("mean-pooling", filled_in),
    "rows of zeros": ("pu-gradient", slopes_filled_in),
    "weights of ranks": ("recall-and-ndcg", discounted),
    "a loss": ("scl-of-one-anchor", scl_of_a_mask),
    "ones": (
        "gradient-of-a-gather",
        lambda gradients, rank: (
            torch.stack([*gradients.transpose(0, 1)])[
                rank * gradients.shape[1] // len(gradients) : (rank + 1) * gradients.shape[1] // len(gradients)
            ].transpose(1, 2)
            @ torch.ones(len(gradients))
        ),
    ),
}


@pytest.mark.parametrize("case", IN_SINGLE)
def test_what_is_right_in_single_precision_is_right(case: str) -> None:
    name, answer = IN_SINGLE[case]
    verdict = judge(find_exercise(name), answer)
    assert verdict.outcome == RIGHT, str(verdict)
    assert "(in single precision; in double precision, as the check gives its numbers, it stops with" in verdict.message


def test_a_loss_needs_its_gradient_in_single_precision_too() -> None:
    for answer, told in ((scl_without_a_gradient, "carries no gradient"), (scl_with_half_a_gradient, "is cut off")):
        verdict = judge(find_exercise("scl-of-one-anchor"), answer)
        assert verdict.outcome == NOT_YET and told in verdict.message, str(verdict)


def root_of_squares(anchors, positives, negatives, margin):
    near, far = (((anchors - side) ** 2).sum(1).sqrt() for side in (positives, negatives))
    return (near - far + margin).relu().mean()


def test_a_gradient_that_is_nan_is_told() -> None:
    verdict = judge(find_exercise("triplet-by-hand"), root_of_squares)
    assert verdict.outcome == RIGHT and "For input 6 its gradient is NaN" in verdict.message, str(verdict)
    assert "NaN" not in str(judge(find_exercise("triplet-by-hand"), find_exercise("triplet-by-hand").solution))


def twins_by_a_product_of_masks(anchors, candidates, positive):
    twin = (positive @ (candidates[:, None] == candidates[None, :])) > 0
    return ~positive & ~twin & (anchors[:, None] != candidates[None, :])


def mean_of_whole_numbers(lengths):
    return 1 - lengths.mean() / lengths.max()


REFUSED_BY_A_TENSOR = {
    "whole numbers": ("padded-share", mean_of_whole_numbers, "could not infer output dtype*take `.double()` of them"),
    "masks": ("true-negatives", twins_by_a_product_of_masks, "not implemented for 'Bool'*take `.double()` of them"),
    "two types": (
        "mean-pooling",
        lambda tokens, mask: (mask[:, None] @ tokens)[:, 0] / mask.sum(1, keepdim=True),
        "expected *take `.double()` of both",
    ),
}


@pytest.mark.parametrize("case", REFUSED_BY_A_TENSOR)
def test_what_the_tensors_of_the_prompt_refuse_is_not_right(case: str) -> None:
    """An array would compute it; it is a tensor that is given, in the lesson too."""
    name, answer, told = REFUSED_BY_A_TENSOR[case]
    verdict = judge(find_exercise(name), answer)
    assert verdict.outcome == NOT_YET and "your function stops with " in verdict.message
    assert re.search(".*".join(map(re.escape, told.split("*"))), verdict.message), str(verdict)
