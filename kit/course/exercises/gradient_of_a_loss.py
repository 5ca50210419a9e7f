"""Does a loss that is right also have the right gradient? The same numbers may come with a part cut off.

Compared is one number for each input, the derivative along a direction that treats equal entries alike: right
answers may share out the gradient of a tie, or of a symmetric matrix, in different ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kit.course.exercises.exercise import Exercise

NO_GRADIENT = (
    "your tensor carries no gradient, so nothing could be trained on it: leave out `.detach()`, `no_grad` and NumPy"
)
CHANGED_IN_PLACE = "its backward pass fails, as a tensor that the gradient needs is changed in place: make a new one"
CUT_OFF = "its gradient is not: a part of it is cut off by `.detach()`, `.item()`, `torch.tensor` or `no_grad`"


def wrong_gradient(exercise: Exercise, answer: Callable, cases: list[tuple], tolerance: float = 1e-6) -> str:
    """A clause on a gradient that is missing or wrong; "" if it is right.

    Looked at are the exercise's `smooth_cases`, which are drawn at random and have neither ties nor kinks. cases: all
    of them, in the form that the answer takes; tolerance: 1e-4 where that is single precision.
    """
    found = [_wrong_gradient_at(exercise, answer, cases[number], tolerance) for number in exercise.smooth_cases]
    problem = next(filter(None, found), "")
    return CUT_OFF if problem == NO_GRADIENT and not all(found) else problem  # there is one, in another case


def gradient_of_nothing(exercise: Exercise, answer: Callable, cases: list[tuple]) -> str:
    """A sentence where the gradient is NaN for a case in which the reference has one; "" if there is none."""
    for number, case in enumerate(cases, start=1):
        own = _gradient(answer, case)
        if own and any(map(math.isnan, own)) and not any(map(math.isnan, _along_inputs(exercise.solution, case))):
            return (
                f"For input {number} its gradient is NaN, and one step with it would make all weights NaN: often "
                "that is a square root at 0, which has no derivative there (`.norm()` takes 0 for it)."
            )
    return ""


def _gradient(answer: Callable, case: tuple) -> list[float] | None:
    """As `_along_inputs`; None also where the answer stops."""
    try:
        return _along_inputs(answer, case)
    except Exception:
        return None


def _wrong_gradient_at(exercise: Exercise, answer: Callable, case: tuple, tolerance: float) -> str:
    try:
        own = _along_inputs(answer, case)
    except Exception as error:  # what NumPy is asked for, a tensor with a gradient refuses
        if "inplace operation" in str(error):
            return CHANGED_IN_PLACE
        own = None
    if own is None:
        return NO_GRADIENT
    right = zip(own, _along_inputs(exercise.solution, case))
    return "" if all(abs(one - other) <= tolerance * max(1, abs(other)) for one, other in right) else CUT_OFF


def _along_inputs(function: Callable, case: tuple) -> list[float] | None:
    """The derivative of the loss by each tensor of the case, along a direction; None without a gradient."""
    import torch

    given = [_with_gradient(value) for value in case]
    inputs = [one for one in given if isinstance(one, torch.Tensor) and one.requires_grad]
    with torch.enable_grad():
        loss = function(*given)
    if not getattr(loss, "requires_grad", False):  # a float has none
        return None
    gradients = torch.autograd.grad(loss, inputs, allow_unused=True)
    return [
        0.0 if slope is None else (slope * torch.sin(3 * one.detach() + 1)).sum().item()
        for slope, one in zip(gradients, inputs)
    ]


def _with_gradient(value: object) -> object:
    import torch

    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.clone().requires_grad_() if floating else value
