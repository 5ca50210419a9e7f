"""Put into words how an answer differs from the expected one, and describe any value briefly."""

from __future__ import annotations

import reprlib
from decimal import Decimal
from itertools import islice
from numbers import Real

from kit.course.exercises.compare import as_numbers, close, is_numpy, same, tolerance_for

WRITTEN_OUT = 6  # of a tensor with more numbers than this, the first three are shown
WRITTEN_TRUTHS = 30  # True and False are written out up to so many
CAUSES = {
    "NaN": "it comes from 0/0, ∞/∞, 0 · ∞ or ∞ − ∞, or from the logarithm or root of a negative number",
    "infinity": "it comes from a division by 0, from log 0, or from an exponential of a large number",
}


def difference(expected: object, got: object, tolerance: float) -> str:
    """How `got` differs from `expected`, as a clause without a full stop."""
    left, right = as_numbers(expected), as_numbers(got)
    if isinstance(got, str) and left is not None and left.ndim == 0:
        what = "True or False" if is_truth(expected) else "a number"
        return f"expected {what}, got {describe(got)}: return it without `str` and quotation marks"
    if is_sequence(got) and len(got) == 1 and left is not None and left.ndim == 0:
        what = "True or False" if is_truth(expected) else "one number"
        return f"expected {what}, got {describe(got)}: leave out the comma or the brackets that make it one"
    differs = getattr(left, "shape", None) != getattr(right, "shape", ...)
    if differs and not is_sequence(expected) and (parts := named_parts(got)):
        right_one = [f"return `.{name}` alone" for name in parts if same(expected, getattr(got, name), tolerance)]
        listed = ", ".join(f"`{name}`" for name in parts)
        return f"got several results in one ({listed}): {(*right_one, 'return the one that is asked for')[0]}"
    if is_sequence(expected) and (left is None or right is None or right.ndim == 0):
        return _difference_of_lists(expected, got, tolerance)
    if is_truth(expected) and right is not None and left.shape == right.shape and ((right == 0) | (right == 1)).all():
        return _difference_in_truths(left, right)
    if left is None or right is None:
        if "complex" in str(getattr(got, "dtype", "")):
            return f"expected {describe(expected)}, got complex numbers: take their `.real`, or a real function"
        return f"expected {describe(expected)}, got {describe(got)}"
    tolerance = tolerance_for(tolerance, got)
    if left.shape != right.shape:
        return _difference_in_shape(left, right, tolerance)
    for word, strange in (("NaN", right.isnan() & ~left.isnan()), ("infinity", right.isinf() & ~left.isinf())):
        if strange.any():
            which = f"{int(strange.sum())} of its {strange.numel()} numbers are" if strange.ndim else "the result is"
            return f"{which} {word}: {CAUSES[word]}"
    text = _difference_in_numbers(left, right, tolerance)
    if str(getattr(got, "dtype", "")).removeprefix("torch.").startswith("int") and (left % 1).any():
        text += "; the result is of an integer type, which has no fractions"
    return text


def is_truth(value: object) -> bool:
    """Whether a value is True, False, or a tensor of these."""
    return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "torch.bool"


def _difference_in_truths(expected, got) -> str:
    """Both; of large ones with as many True, the first place that differs."""
    left, right = _truths(expected), _truths(got)
    if left != right:
        return f"expected {left}, got {right}"
    first = int((expected != got).flatten().int().argmax())
    wanted, place = bool(expected.flatten()[first]), _position(first, expected.shape)
    return f"expected {wanted} at {place}, got {not wanted} ({left} in both, but not the same ones)"


def _truths(tensor) -> str:
    """True and False in place of 1 and 0, of a small tensor all, of a larger one how many are True."""
    if tensor.ndim == 0:
        return str(bool(tensor))
    if tensor.ndim > 2 or tensor.numel() > WRITTEN_TRUTHS:
        return f"{int(tensor.sum())} of {tensor.numel()} True"
    return f"[{', '.join(map(_truths, tensor))}]"


def describe(value: object, numbers: bool = True) -> str:
    """A value in a few words on one line: "a tensor of shape [2, 5] (0.5, 1.2, −0.3, …)"."""
    import torch

    if isinstance(value, torch.Tensor) or (is_numpy(value) and hasattr(value, "shape")):
        kind = f"a {'NumPy array' if is_numpy(value) else 'tensor'} of shape {list(value.shape)}"
        inside = as_numbers(value) if numbers else None
        if inside is None:
            return kind
        few = inside.numel() <= WRITTEN_OUT
        return f"{kind} ({written(inside) if few else ', '.join(map(number, inside.flatten()[:3].tolist())) + ', …'})"
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, (Real, Decimal)):
        return f"{number(float(value))} ({type(value).__name__})"
    if isinstance(value, str):
        return f"the text {reprlib.repr(value)}"
    if is_sequence(value):
        shown = [describe(one) for one in islice(value, 3)] + ["…"] * (len(value) > 3)
        return f"a {type(value).__name__} of {len(value)} ({', '.join(shown)})"
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function `{value.__name__}`"
    return "nothing (None)" if value is None else f"an object of type `{type(value).__name__}`"


def written(tensor, digits: int = 4) -> str:
    """All numbers of a small tensor, rounded: [[1, 0], [0.25, 1]]."""
    if tensor.ndim == 0:
        return number(tensor.item(), digits)
    return f"[{', '.join(written(part, digits) for part in tensor)}]"


def number(value: float, digits: int = 4) -> str:
    """A number to four digits (or so many); a whole number without a decimal point."""
    if isinstance(value, bool):
        return str(value)
    try:
        whole = float(value).is_integer() and abs(value) < 1e9
        return (f"{int(value)}" if whole else f"{value:.{digits}g}").replace("-", "−")
    except OverflowError:
        return "a number of more than 300 digits"


def digits_that_differ(*values: float) -> int:
    """The fewest digits, 4 to 10, at which numbers that differ are written differently."""
    different = len(set(values))
    return next((n for n in range(4, 10) if len({number(value, n) for value in values}) == different), 10)


def named_parts(value: object) -> tuple[str, ...]:
    """The names of the parts of a result such as that of `topk`, `max(dim=…)` or SciPy's tests; () of all else."""
    kind = type(value)
    return tuple(getattr(kind, "_fields", ()) or getattr(kind, "__match_args__", ())) if is_sequence(value) else ()


def is_sequence(value: object) -> bool:
    """Whether `value` is a list or a tuple."""
    return isinstance(value, (list, tuple))


def _difference_of_lists(expected, got: object, tolerance: float) -> str:
    if not is_sequence(got) or len(got) != len(expected):
        return f"expected {len(expected)} results separated by commas, got {describe(got)}"
    place = next(i for i, (e, g) in enumerate(zip(expected, got)) if not same(e, g, tolerance))
    return f"in result {place + 1} of {len(expected)}: {difference(expected[place], got[place], tolerance)}"


def _difference_in_shape(expected, got, tolerance: float) -> str:
    shapes = f"expected the shape {list(expected.shape)}, got {list(got.shape)}"
    if got.ndim == 2 and got.T.shape == expected.shape and close(expected, got.T, tolerance).all():
        return f"{shapes}: it is the transpose of what is expected"
    if expected.numel() == got.numel() and close(expected, got.reshape(expected.shape), tolerance).all():
        if got.squeeze().shape != expected.squeeze().shape:
            return f"{shapes}: the numbers are right, but nested differently"
        do = "`squeeze` it, or leave out `keepdim`" if got.ndim > expected.ndim else "`unsqueeze` it, or use `keepdim`"
        return f"{shapes}: the numbers are right, only the dimensions are not ({do})"
    return shapes


def _difference_in_numbers(expected, got, tolerance: float) -> str:
    if got.ndim == 1 and got.numel() > 1 and close(expected, got.flip(0), tolerance).all():
        return f"expected {written(expected)}, got the same numbers in the reverse order"
    distance = (expected - got).abs().nan_to_num(nan=float("inf")).masked_fill(close(expected, got, tolerance), 0)
    worst = int(distance.argmax())
    pair = expected.flatten()[worst].item(), got.flatten()[worst].item()
    digits = digits_that_differ(*pair)
    left, right = (number(value, digits) for value in pair)
    if digits > 7:
        text = f"expected {number(pair[0])}, got a number that differs by {number(distance.max().item())}"
    elif expected.numel() <= WRITTEN_OUT:
        digits = max(digits, digits_that_differ(*expected.flatten().tolist()))
        text = f"expected {written(expected, digits)}, got {written(got, digits)}"
    else:
        text = f"expected {left}, got {right}"
    if expected.numel() > WRITTEN_OUT or (digits > 7 and expected.ndim):
        text += f" at {_position(worst, expected.shape)}, where it differs most"
    return text + _common_factor(expected, got)


def _position(flat: int, shape) -> str:
    place = []
    for size in reversed(shape):
        flat, index = divmod(flat, size)
        place.insert(0, index)
    return f"position {place}"


def _common_factor(expected, got) -> str:
    """A remark if every number is the same multiple of the expected one; else ""."""
    apart = expected.numel() > 2 and expected.std() > 1e-3
    if not apart or not expected.isfinite().all():
        return ""
    factor = (expected * got).sum() / (expected * expected).sum()
    if factor.abs() < 1e-3 or not close(factor * expected, got, 1e-6).all():
        return ""
    return (
        ": every sign is the wrong way round"
        if close(factor, factor.new_tensor(-1.0), 1e-6)
        else f": every number is {number(factor.item(), digits_that_differ(factor.item(), 1.0))} times what is expected"
    )
