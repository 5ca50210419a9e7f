"""The forms in which a right answer is right: what a function is given, and what is said of what it returns.

A function that the cases stop is tried on them in other forms. They are in double precision, and a mask made by
`.float()` or a table made by `torch.zeros` is in single: PyTorch multiplies no matrix of one by a matrix of the other.
So they are first given in single precision. A function that tensors stop (`np.mean` of a tensor, `statistics.mean`)
is tried on NumPy arrays and on lists, one that lists stop on arrays and tensors.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kit.course.exercises.compare import HALF, as_numbers, is_numpy, tolerance_for
from kit.course.exercises.differences import is_sequence

SINGLE, ARRAYS, LISTS, TENSORS = "in single precision", "given NumPy arrays", "given lists", "given tensors"


def other_forms(cases: list[tuple]) -> list[tuple[str, list[tuple]]]:
    """The cases in single precision (if they have a number in double), with NumPy arrays, with lists, and with
    tensors in them: (the form in words, cases)."""
    tried = ((SINGLE, _as_single), (ARRAYS, _as_array), (LISTS, _as_list), (TENSORS, _as_tensor))
    tried = tried if _has_doubles(cases) else tried[1:]
    return [(words, [tuple(map(change, case)) for case in cases]) for words, change in tried]


def in_words(form: str, error: str) -> str:
    """What is said of an answer that is right in this form, and stops with an error in that of the check."""
    if form == SINGLE:
        return f" ({form}; in double precision, as the check gives its numbers, it stops with {error})"
    return f" ({form}; with the inputs in the form of this check it stops with {error})"


def what_type_to_take(error: str) -> str:
    """What to do about PyTorch's message that it does not compute with a type; "" for any other message."""
    if "not infer output dtype" in error or re.search(r"not implemented for '(Bool|Byte|Char|Short|Int|Long)'", error):
        return " (PyTorch does not compute this with whole numbers, or with True and False: take `.double()` of them)"
    if "expected scalar type" in error or "have the same dtype" in error:
        return " (PyTorch multiplies matrices of one type only: take `.double()` of both)"
    return ""


def remark(expected: object, got: object) -> str:
    """What is said of a right result in another form than the reference's, a sentence; "" if nothing is."""
    import torch

    if tolerance_for(0.0, got) >= HALF:
        return (
            "It returns half precision, which has three digits: only two were compared, and a smaller fault would not "
            "be seen."
        )
    if not isinstance(expected, torch.Tensor):
        pairs = zip(expected, got) if is_sequence(expected) and is_sequence(got) else ()
        return next(filter(None, (remark(one, other) for one, other in pairs)), "")
    if "int" in str(expected.dtype) and "float" in str(getattr(got, "dtype", "")):
        return "Indices are whole numbers: these are of a floating type, and nothing can be indexed with them."
    if isinstance(got, torch.Tensor):
        if expected.dtype == torch.bool != got.dtype:
            return "A mask is of type bool: `~` and `&` do something else to numbers."
        return ""
    if is_numpy(got):
        return "It returns NumPy's numbers, which is as good here; `torch.from_numpy` makes a tensor of an array."
    if is_sequence(got):
        whole = all(isinstance(one, torch.Tensor) for one in got)
        return f"It returns a {type(got).__name__}; `torch.{'stack' if whole else 'tensor'}` makes one tensor of it."
    return ""


def no_tensor(loss: object) -> str:
    """A clause on a loss that is a number, which nothing can be trained on; "" for a tensor."""
    import torch

    if isinstance(loss, torch.Tensor):
        return ""
    kind = "a NumPy number" if is_numpy(loss) else "a plain Python number"
    return (
        f"it is {kind}: `.item()`, `float()` and NumPy cut off the gradient, so nothing could be trained on it. "
        "Return a tensor"
    )


def _as_single(value: object) -> object:
    return _each(value, lambda whole: whole.float() if _has_doubles(whole) and not is_sequence(whole) else whole)


def _has_doubles(value: object) -> bool:
    """Whether it is a tensor in double precision, or a list or tuple with one in it."""
    if is_sequence(value):
        return any(map(_has_doubles, value))
    return str(getattr(value, "dtype", "")) == "torch.float64"


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
