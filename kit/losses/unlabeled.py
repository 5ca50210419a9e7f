"""Positive-unlabelled risk: what rows without a label can teach a classifier.

For class c, rows labelled c are its positives, rows without a label a mixture in which c has the share π (its prior),
and rows labelled otherwise take no part. With f its logit and the sigmoid loss ℓ(f, y) = 1 / (1 + e^{fy}):

    R⁺ = π · mean over labelled c of ℓ(f, +1)
    R⁻ = mean over unlabelled of ℓ(f, −1) − π · mean over labelled c of ℓ(f, −1)

R⁻ estimates (1 − π) · (mean over the negatives of ℓ(f, −1)), which cannot be below zero; the estimate can, once the
classifier has memorised the labelled rows. `naive_pu` is R⁺ + R⁻ (Du Plessis et al. 2014), `nn_pu` the
non-negative form (Kiryo et al. 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kit.errors import KitError, check_name
from kit.number_checks import is_finite

HIDDEN = -1  # the label of an unlabelled row. Lesson 08
ABSENT = ("skip", "push")
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True)
class PuRisks:
    """The two parts of the risk of every class, and whether both could be estimated, [C] each."""

    positive: Tensor  # R⁺
    negative: Tensor  # R⁻
    known: Tensor  # bool: the class has a labelled row, and there is an unlabelled one

    @property
    def switched(self) -> Tensor:
        """Where R⁻ is below zero, as no mean of losses can be: bool [C]."""
        return self.negative < 0


def pu_risks(logits: Tensor, labels: Tensor, class_prior: Sequence[float] | float) -> PuRisks:
    """R⁺ and R⁻ of every class (PAUSE, Eq. 7 and 9).

    logits [N, C]; labels integers [N], 0 to C − 1, or −1 for a hidden label; class_prior: π of each
    class, or one number for all. A mean over no rows counts as 0, see `known`.
    Errors: `KitError` for shapes, labels or priors that do not fit. Lesson 08.
    """
    _check(logits, labels)
    priors = check_priors(class_prior, logits.shape[1])
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    priors, labels = logits.new_tensor(priors), labels.to(logits.device, torch.int64)  # uint8 has no −1
    unlabelled = (labels == HIDDEN)[:, None]  # [N, 1]
    positive = labels[:, None] == torch.arange(logits.shape[1], device=logits.device)  # [N, C]
    as_positive, as_negative = torch.sigmoid(-logits), torch.sigmoid(logits)  # ℓ(f, +1), ℓ(f, −1)
    return PuRisks(
        positive=priors * _mean(as_positive, positive),
        negative=_mean(as_negative, unlabelled) - priors * _mean(as_negative, positive),
        known=positive.any(dim=0) & unlabelled.any(),
    )


def nn_pu(logits: Tensor, labels: Tensor, class_prior: Sequence[float] | float, absent: str = "skip") -> Tensor:
    """The non-negative risk: mean over the classes of R⁺ + R⁻, or of −R⁻ alone where R⁻ < 0.

    Below zero the positive part is dropped and the negative part ascended, which undoes some of the memorising.
    The value jumps where R⁻ changes sign.
    absent: what to do with a class that has no labelled row in this batch, or a batch without an unlabelled row:
    "skip" leaves it out of the mean (if no class is left: 0 with a graph); "push" is the released code, which takes
    the missing mean as 0: it pushes all unlabelled rows away from that class and, where no row is unlabelled (as in
    none of its own batches), labelled ones away from theirs. Shapes and errors as `pu_risks`.
    Source: Kiryo et al. 2017, algorithm 1 with γ 1; PAUSE (Cao et al. 2021), Eq. 8 and 10. Lesson 08.
    """
    risks = pu_risks(logits, labels, class_prior)
    each = torch.where(risks.switched, -risks.negative, risks.positive + risks.negative)  # [C]
    return _over_classes(each, risks.known, absent)


def naive_pu(logits: Tensor, labels: Tensor, class_prior: Sequence[float] | float, absent: str = "skip") -> Tensor:
    """The unbiased risk R⁺ + R⁻, mean over the classes: right on average, but may be below zero.

    Shapes, `absent` and errors as `nn_pu`. Source: Du Plessis et al. 2014; PAUSE, Eq. 7. Lesson 08.
    """
    risks = pu_risks(logits, labels, class_prior)
    return _over_classes(risks.positive + risks.negative, risks.known, absent)


def check_priors(class_prior: Sequence[float] | float, classes: int) -> list[float]:
    """π of each of the `classes`; one number stands for all.

    Errors: `KitError` unless each is in (0, 1) and their sum is at most 1.
    """
    if is_finite(class_prior):
        class_prior = [class_prior] * classes
    if hasattr(class_prior, "tolist"):
        class_prior = class_prior.tolist()
    if not isinstance(class_prior, Sequence) or isinstance(class_prior, str) or len(class_prior) != classes:
        raise KitError(
            f"expected a class_prior for each of {classes} classes, got {class_prior!r}: give one share a class."
        )
    for prior in class_prior:
        if not is_finite(prior) or not 0 < prior < 1:
            raise KitError(
                f"expected every class_prior above 0 and below 1, got {prior!r}: "
                "it is the share of the class among the rows without a label."
            )
    if sum(class_prior) > 1 + 1e-6:
        raise KitError(
            f"expected class priors that sum to 1 at most, got a sum of {sum(class_prior):.4g}: a row has one class."
        )
    return [float(prior) for prior in class_prior]


def _mean(values: Tensor, chosen: Tensor) -> Tensor:
    """Mean of values [N, C] over the chosen rows (bool [N, C] or [N, 1]) for every class, [C]."""
    return (values * chosen).sum(dim=0) / chosen.sum(dim=0).clamp(min=1)


def _over_classes(each: Tensor, known: Tensor, absent: str) -> Tensor:
    check_name("treatment of absent classes", absent, ABSENT)
    if absent == "push":
        return each.mean()
    return (each * known).sum() / known.sum().clamp(min=1)


def _check(logits: object, labels: object) -> None:
    if not isinstance(logits, Tensor) or logits.dim() != 2 or not logits.is_floating_point():
        shape = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise KitError(f"expected logits as floats of shape [rows, classes], got {shape}.")
    if not isinstance(labels, Tensor) or labels.shape != logits.shape[:1] or labels.dtype not in INTEGERS:
        came = f"{labels.dtype} {tuple(labels.shape)}" if isinstance(labels, Tensor) else type(labels).__name__
        raise KitError(f"expected one integer label per row, {len(logits)} in all, got {came}.")
    labels = labels.long()  # beside uint8, −1 would be 255
    outside = (labels < HIDDEN) | (labels >= logits.shape[1])
    if bool(outside.any()):
        raise KitError(
            f"expected labels from 0 to {logits.shape[1] - 1}, or −1 for a hidden one, got {int(labels[outside][0])}."
        )
