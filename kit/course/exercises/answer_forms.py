"""The forms in which a right answer is right: what a function is given, and what is said of what it returns.

A function that tensors stop (`np.mean` of a tensor, `statistics.mean`) is tried on NumPy arrays and on lists,
one that lists stop on arrays and tensors.
"""

from __future__ import annotations

from collections.abc import Callable

from kit.course.exercises.compare import as_numbers, is_numpy
from kit.course.exercises.differences import is_sequence


def other_forms(cases: list[tuple]) -> list[tuple[str, list[tuple]]]:
    """The cases with NumPy arrays, with lists, and with tensors in them: (the form in words, cases)."""
    tried = (("NumPy arrays", _as_array), ("lists", _as_list), ("tensors", _as_tensor))
    return [(words, [tuple(map(change, case)) for case in cases]) for words, change in tried]


def remark(expected: object, got: object, is_loss: bool) -> str:
    """What is said of a right result in another form than the reference's, a sentence; "" if nothing is.

    is_loss: the result is a loss to train on, which only a tensor with a gradient can be.
    """
    import torch

    if not isinstance(expected, torch.Tensor):
        pairs = zip(expected, got) if is_sequence(expected) and is_sequence(got) else ()
        return next(filter(None, (remark(one, other, is_loss) for one, other in pairs)), "")
    if isinstance(got, torch.Tensor):
        if expected.dtype == torch.bool != got.dtype:
            return "A mask is of type bool: `~` and `&` do something else to numbers."
        return ""
    if is_loss:
        return (
            f"It returns {_kind(got)}: the number is right, and to train on it return a tensor; "
            "`.item()`, `float()` and NumPy cut off the gradient."
        )
    if is_numpy(got):
        return "It returns NumPy's numbers, which is as good here; `torch.from_numpy` makes a tensor of an array."
    if is_sequence(got):
        whole = all(isinstance(one, torch.Tensor) for one in got)
        return f"It returns a {type(got).__name__}; `torch.{'stack' if whole else 'tensor'}` makes one tensor of it."
    return ""


def _kind(value: object) -> str:
    if is_numpy(value):
        return "a NumPy number"
    return f"a {type(value).__name__}" if is_sequence(value) else "a plain Python number"


def _as_array(value: object) -> object:
    import numpy as np

    return _each(value, np.asarray)


def _as_tensor(value: object) -> object:
    import torch

    return _each(value, torch.as_tensor)


def _as_list(value: object) -> object:
    return _each(value, lambda whole: whole.tolist() if hasattr(whole, "tolist") else whole)


def _each(value: object, change: Callable) -> object:
    """`change` of a tensor, of a list of numbers, and of each tensor in a list of tensors; all else as it is."""
    import torch

    if is_sequence(value) and any(isinstance(one, torch.Tensor) for one in value):
        return type(value)(_each(one, change) for one in value)
    holds_numbers = isinstance(value, torch.Tensor) or (is_sequence(value) and as_numbers(value) is not None)
    return change(value) if holds_numbers else value
