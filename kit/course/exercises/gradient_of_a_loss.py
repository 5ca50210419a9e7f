"""Does a loss that is right also have the right gradient? The same numbers may come with a part cut off.

Compared is one number for each input by which the reference has a gradient (what people scored has none), the
derivative along a direction that treats equal entries alike: right answers may share out the gradient of a tie, or of
a symmetric matrix, in different ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from kit.course.exercises.exercise import Exercise

NO_GRADIENT = (
    "your tensor carries no gradient, so nothing could be trained on it: `.detach()`, `.item()`, `no_grad`, NumPy and "
    "`torch.tensor` of a result cut it off"
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
        reference = _along_inputs(exercise.solution, case)
        own = _gradient(answer, case, reference)
        if own and any(map(math.isnan, own.values())) and not any(map(math.isnan, reference.values())):
            return (
                f"For input {number} its gradient is NaN, and one step with it would make all weights NaN: often "
                "that is a square root at 0, which has no derivative there (`.norm()` takes 0 for it)."
            )
    return ""


def _gradient(answer: Callable, case: tuple, places: Iterable[int]) -> dict[int, float] | None:
    """As `_along_inputs`; None also where the answer stops."""
    try:
        return _along_inputs(answer, case, places)
    except Exception:
        return None


def _wrong_gradient_at(exercise: Exercise, answer: Callable, case: tuple, tolerance: float) -> str:
    reference = _along_inputs(exercise.solution, case)
    try:
        own = _along_inputs(answer, case, reference)
    except Exception as error:  # what NumPy is asked for, a tensor with a gradient refuses
        if "inplace operation" in str(error):
            return CHANGED_IN_PLACE
        own = None
    if own is None:
        return NO_GRADIENT
    right = ((own.get(place, 0.0), slope) for place, slope in reference.items())
    return "" if all(abs(one - other) <= tolerance * max(1, abs(other)) for one, other in right) else CUT_OFF


def _along_inputs(function: Callable, case: tuple, places: Iterable[int] | None = None) -> dict[int, float] | None:
    """The derivative of the loss by each tensor of the case at these places, or by all on which it depends, along a
    direction; None without a gradient."""
    import torch

    floating = [
        place for place, value in enumerate(case) if isinstance(value, torch.Tensor) and value.is_floating_point()
    ]
    places = [place for place in floating if places is None or place in places]
    given = [value.clone().requires_grad_() if place in places else value for place, value in enumerate(case)]
    with torch.enable_grad():
        loss = function(*given)
    if not getattr(loss, "requires_grad", False):  # a float has none
        return None
    gradients = torch.autograd.grad(loss, [given[place] for place in places], allow_unused=True)
    return {
        place: (slope * torch.sin(3 * given[place].detach() + 1)).sum().item()
        for place, slope in zip(places, gradients)
        if slope is not None
    }
