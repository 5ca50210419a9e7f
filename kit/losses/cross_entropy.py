"""Cross-entropy on pairs of sentences: the classifier and the loss that SBERT trains with."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kit.checks.argument_checks import checked
from kit.errors import KitError, shown


def pair_features(u: Tensor, v: Tensor, product: bool = False) -> Tensor:
    """(u, v, |u − v|) concatenated, [N, 3·dim]; with `product` also u∗v, [N, 4·dim].

    `u` and `v` [N, dim], e.g. premises and hypotheses. Source: Reimers and Gurevych 2019 (SBERT), section 3; with u∗v
    InferSent (Conneau et al. 2017) and PAUSE (Cao et al. 2021). Errors: `KitError` for unequal shapes.
    """
    if u.shape != v.shape or u.dim() != 2:
        raise KitError(
            f"expected u and v of one shape [pairs, dim], got {tuple(u.shape)} "
            f"and {tuple(v.shape)}: repeat a premise for each of its hypotheses."
        )
    parts = [u, v, (u - v).abs()]
    return torch.cat([*parts, u * v] if product else parts, dim=1)


class PairClassifier(nn.Module):
    """The classification head: `pair_features` to class logits, [N, classes].

    `hidden` None is one linear layer: SBERT, section 3, "classification objective function". A number gives two
    layers with `activation` between them. Liao 2021 has a "two-layer softmax classifier"; the released code has
    hidden = features // 2 and no activation (None here), which can express no more than one linear layer, but
    trains along another path. Errors: `KitError` for an activation without `hidden`. Lesson 06.
    """

    def __init__(
        self,
        dim: int,
        classes: int = 3,
        product: bool = False,
        hidden: int | None = None,
        activation: nn.Module | None = None,
    ) -> None:
        super().__init__()
        if activation is not None and hidden is None:
            raise KitError("expected a hidden size for the activation, got None: give hidden=...")
        self.product = product
        features = dim * (4 if product else 3)
        if hidden is None:
            self.layers = nn.Linear(features, classes)
        else:
            between = nn.Identity() if activation is None else activation
            self.layers = nn.Sequential(nn.Linear(features, hidden), between, nn.Linear(hidden, classes))

    def forward(self, u: Tensor, v: Tensor) -> Tensor:
        """Logits [N, classes] for the pairs (u_i, v_i), each [N, dim]."""
        return self.layers(pair_features(u, v, self.product))


@checked
def multi_label_cross_entropy(logits: Tensor, labels: Tensor, negatives: bool = False) -> Tensor:
    """−1 / (C·N) · Σ over pairs and classes of y · log σ(logit), in float32 or wider: each class a question of its own.

    `logits` [N, C]; `labels` [N, C], True or 1 for each class that a pair has. As printed only what a pair has counts,
    so that the loss alone raises every logit (PAUSE leaves the lowering to the PU risk). `negatives` adds the usual
    (1 − y) · log σ(−logit). Without pairs it is 0, with a gradient. Errors: `KitError` for shapes, and labels other
    than 0 and 1. Source: PAUSE (Cao et al. 2021), Eq. 2. Lesson 08.
    """
    if not logits.is_floating_point() or logits.dim() != 2 or labels.shape != logits.shape or labels.is_complex():
        raise KitError(
            f"expected logits and labels of one shape [pairs, classes], got {tuple(logits.shape)} of {logits.dtype} "
            f"and {tuple(labels.shape)}: give a 1 or 0 for every class of every pair."
        )
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    wanted = labels.to(logits.device, logits.dtype)
    if bool(((wanted != 0) & (wanted != 1)).any()):
        raise KitError("expected labels 0 or 1 for every class of every pair, got others: leave unlabelled pairs out.")
    likelihood = wanted * F.logsigmoid(logits)
    if negatives:
        likelihood = likelihood + (1 - wanted) * F.logsigmoid(-logits)
    return -likelihood.sum() / max(1, labels.numel())


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean over the pairs of −log softmax(logits)[label], in float32 or wider.

    `logits` [N, classes], `labels` integers [N] from 0 to classes − 1; anything else raises `KitError`. Without pairs
    it is 0, which can still be backpropagated. Labels may be on the CPU: checking them there does not make a GPU wait.
    Source: Liao 2021, Eq. 1. Lesson 06.
    """
    for name, value in (("logits", logits), ("labels", labels)):
        if not isinstance(value, Tensor):
            raise KitError(f"expected {name} as a tensor, got {shown(value)}: make it one with torch.as_tensor.")
    if (
        not logits.is_floating_point()
        or logits.dim() != 2
        or labels.shape != logits.shape[:1]
        or labels.is_floating_point()
        or labels.dtype == torch.bool
    ):
        raise KitError(
            "expected logits [pairs, classes] and one integer label per pair, got shapes "
            f"{tuple(logits.shape)} and {tuple(labels.shape)} of {labels.dtype}."
        )
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if len(labels) == 0:
        return logits.sum() * 0.0  # the mean of nothing would be NaN
    classes = logits.shape[1]
    outside = (labels < 0) | (labels >= classes)
    if bool(outside.any()):
        raise KitError(
            f"expected labels from 0 to {classes - 1}, got {int(labels[outside][0])}: "
            "drop the pairs without a gold label (−1) or give the head more classes."
        )
    return F.cross_entropy(logits, labels.to(logits.device, torch.int64))
