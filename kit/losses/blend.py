"""A weighted sum of loss terms, with weights that may change during training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.number_checks import is_finite

Term = Callable[[Tensor, Any], Tensor]  # (embeddings, batch) -> scalar
Schedule = Callable[[int], float]  # step -> weight
Weight = float | Schedule


@dataclass(frozen=True)
class Blend:
    """A weighted sum of terms, made by `blend`; a function of (embeddings, batch, step) to the total and its parts.

    The parts are the terms *before* weighting, as detached tensors. A term whose weight is 0 at this step is not
    computed and not among the parts; if all are 0, the total is 0 with a graph.
    """

    terms: Mapping[str, tuple[Term, Weight]]

    def weights(self, step: int = 0) -> dict[str, float]:
        """The weight of every term at `step`; negative or NaN raises `KitError`."""
        return {
            name: _checked(name, weight(step) if callable(weight) else weight)
            for name, (_, weight) in self.terms.items()
        }

    def __call__(self, embeddings: Tensor, batch: Any, step: int = 0) -> tuple[Tensor, dict[str, Tensor]]:
        total, parts = None, {}
        for name, weight in self.weights(step).items():
            if weight == 0:
                continue
            value = self.terms[name][0](embeddings, batch)
            parts[name] = value.detach()
            total = weight * value if total is None else total + weight * value
        return (embeddings * 0.0).sum() if total is None else total, parts


@checked
def blend(terms: Mapping[str, tuple[Term, Weight]]) -> Blend:
    """The sum Σ weight · term for `{name: (term, weight)}`.

    A term is a function (embeddings, batch) → scalar tensor; a weight is a number from 0, or a function
    step → number (see `linear_schedule` and `power_schedule`).
    Errors: `KitError` for a bad weight; for a scheduled one when its step comes.
    """
    if not terms:
        raise KitError("expected at least one term, got none: give blend {name: (term, weight)}.")
    for name, pair in terms.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[0]):
            raise KitError(
                f"expected (term, weight) under {name!r}, got {type(pair).__name__}: "
                "a term is a function of (embeddings, batch)."
            )
        if not callable(pair[1]):
            _checked(name, pair[1])
    return Blend(dict(terms))


def interpolate(cross_entropy: Term, contrastive: Term, lam: Weight) -> Blend:
    """(1 − λ) · cross-entropy + λ · contrastive, with λ from 0 to 1 or a schedule of it.

    The terms are named "cross_entropy" and "contrastive". Source: Liao 2021, Eq. 3 (λ 0.3). Lesson 06.
    """
    if not callable(lam):
        _check_lambda(lam)
        return blend({"cross_entropy": (cross_entropy, 1 - lam), "contrastive": (contrastive, lam)})
    return blend(
        {
            "cross_entropy": (cross_entropy, lambda step: 1 - _check_lambda(lam(step))),
            "contrastive": (contrastive, lambda step: _check_lambda(lam(step))),
        }
    )


def linear_schedule(start: float, end: float, steps: int) -> Schedule:
    """A weight that goes from `start` at step 0 to `end` at step `steps`, then stays."""
    _checked("start", start)
    _checked("end", end)
    _positive("steps", steps)
    return lambda step: start + (end - start) * min(step / steps, 1.0)


def power_schedule(alpha: float, total: int) -> Schedule:
    """The weight (t/T)^alpha of step t of `total` steps, 1 from there on.

    Source: PAUSE (Cao et al. 2021), where α = 3 lets the second term in late.
    """
    _positive("alpha", alpha)
    _positive("total", total)
    return lambda step: min(step / total, 1.0) ** alpha


def _checked(name: str, weight: object) -> float:
    if not is_finite(weight) or weight < 0:
        raise KitError(f"expected a weight from 0 for {name!r}, got {weight!r}.")
    return weight


def _check_lambda(lam: object) -> float:
    if not is_finite(lam) or not 0 <= lam <= 1:
        raise KitError(f"expected λ from 0 (cross-entropy alone) to 1 (contrastive alone), got {lam!r}.")
    return lam


def _positive(name: str, value: object) -> None:
    if not is_finite(value) or value <= 0:
        raise KitError(f"expected {name} above 0, got {value!r}.")
