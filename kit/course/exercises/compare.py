"""Compare an answer with the expected one: tensors, numbers, texts, and lists of these.

Numbers are compared in float64, whatever their type (torch, NumPy, Python's own, fractions and decimals) and
whatever holds them (tensors, arrays, lists, tuples); shapes must agree.
"""

from __future__ import annotations

from decimal import Decimal
from numbers import Real

HALF = 1e-2  # the tolerance for half precision, which has three digits


def as_numbers(value: object):
    """`value` as a float64 tensor on the CPU, or None if it is not made of numbers."""
    import torch

    if isinstance(value, (list, tuple)):
        return _rows_of_numbers(value)
    try:
        if is_numpy(value):
            value = _as_tensor(value)
        elif isinstance(value, (Real, Decimal)):
            return torch.tensor(float(value), dtype=torch.float64)
        if isinstance(value, torch.Tensor) and not value.is_complex():
            return value.detach().cpu().to_dense().to(torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError):  # an array of texts, an integer of 400 digits
        pass
    return None


def _as_tensor(value):
    """NumPy's numbers as a tensor, also those that torch does not take: read backwards, 80 bits long, or fractions."""
    import torch

    if value.dtype.kind == "O":
        return as_numbers(value.tolist())
    return torch.as_tensor(value.astype("float64", order="C") if value.dtype.kind in "biuf" else value)


def is_numpy(value: object) -> bool:
    """Whether `value` is a NumPy array or number, without importing NumPy."""
    return type(value).__module__.partition(".")[0] == "numpy"


def same(expected: object, got: object, tolerance: float) -> bool:
    """Whether `got` has the shape and the numbers (or the text) of `expected`, whatever its type."""
    if isinstance(expected, str) and isinstance(got, str):
        return expected.strip().casefold() == got.strip().casefold()
    left, right = as_numbers(expected), as_numbers(got)
    if left is not None and right is not None:
        return left.shape == right.shape and bool(close(left, right, tolerance_for(tolerance, got)).all())
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(expected) == len(got) and all(same(e, g, tolerance) for e, g in zip(expected, got))
    return expected is None and got is None


def close(expected, got, tolerance: float):
    """Which elements of two float64 tensors differ by at most `tolerance` · max(1, |expected|).

    Two NaNs, and two equal infinities, agree too.
    """
    near = ((expected - got).abs() <= tolerance * expected.abs().clamp(min=1)) & expected.isfinite()
    return near | (expected == got) | (expected.isnan() & got.isnan())


def tolerance_for(tolerance: float, got: object) -> float:
    """The tolerance for the dtype of `got`: float32 has 7 digits, half precision 3."""
    if isinstance(got, (list, tuple)):
        return max((tolerance_for(tolerance, one) for one in got), default=tolerance)
    dtype = str(getattr(got, "dtype", "")).removeprefix("torch.")
    return max(tolerance, {"float32": 1e-5, "float16": HALF, "bfloat16": HALF}.get(dtype, 0.0))


def _rows_of_numbers(values: list | tuple):
    """A list of numbers, of tensors, or of lists of them, all of one shape, as one tensor; None for anything else."""
    import torch

    parts = [as_numbers(value) for value in values]
    if any(part is None for part in parts) or len({part.shape for part in parts}) > 1:
        return None
    return torch.stack(parts) if parts else torch.zeros(0, dtype=torch.float64)
