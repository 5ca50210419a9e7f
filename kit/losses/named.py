"""The losses by name: each is a choice of relations, a similarity and a temperature.

All are the one formula of `kit.losses.softmax`. They take embeddings with their graph, return a scalar (the mean
over anchors) and raise `KitError` on bad input. `fast`: see `kit.fast.enabled`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.losses.relations import (
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
)
from kit.losses.softmax import contrastive_softmax


@checked
def nt_xent(views: Tensor, temperature: float = 0.05, fast: bool | None = None) -> Tensor:
    """NT-Xent: −log [ e^{cos(z_i, z_partner)/τ} / Σ_{k ≠ i} e^{cos(z_i, z_k)/τ} ], mean over all i.

    `views` [2N, dim]: rows i and i + N are two views of one sentence.
    Source: Chen et al. 2020 (SimCLR), Eq. 1; τ 0.05 is DeCLUTR's (Giorgi et al. 2021). Lesson 04.
    """
    if len(views) % 2:
        raise KitError(
            f"expected an even number of rows (N views, then N partners), got {len(views)}: "
            "give every sentence two views."
        )
    return contrastive_softmax(views, nt_xent_relations(len(views) // 2), temperature, fast=fast)


@checked
def supcon(
    embeddings: Tensor, labels: Tensor | Sequence[int], temperature: float = 0.1, fast: bool | None = None
) -> Tensor:
    """SupCon: NT-Xent with every other row of the same class as a positive, averaged.

    `embeddings` [rows, dim], `labels` integers [rows]; the other positives are included.
    Source: Khosla et al. 2020, Eq. 2; the paper sums over anchors, its code and this average. Lesson 05.
    """
    if len(labels) != len(embeddings):
        raise KitError(
            f"expected one label per row, got {len(labels)} labels for {len(embeddings)} rows: label every row."
        )
    return contrastive_softmax(embeddings, supcon_relations(labels), temperature, fast=fast)


@checked
def mnrl(anchors: Tensor, positives: Tensor, temperature: float = 0.05, fast: bool | None = None) -> Tensor:
    """Multiple negatives ranking: −log [ e^{cos(a_i, p_i)/τ} / Σ_j e^{cos(a_i, p_j)/τ} ].

    `anchors` and `positives` [N, dim], in the same order; τ 0.05 is a scale of 20. Source: Henderson et al. 2017,
    section 4.4 (dot product); cosine and scale as in sentence-transformers' MultipleNegativesRankingLoss. Lesson 04.
    """
    z = torch.cat([anchors, _like(anchors, "positives", positives)])
    return contrastive_softmax(z, mnrl_relations(len(anchors)), temperature, fast=fast)


def simcse_unsupervised(first: Tensor, second: Tensor, temperature: float = 0.05, fast: bool | None = None) -> Tensor:
    """Unsupervised SimCSE: `mnrl` where the positive is the sentence itself, encoded again.

    `first` and `second` [N, dim]: the same N sentences under two dropout masks.
    Source: Gao et al. 2021, Eq. 4. Lesson 05.
    """
    return mnrl(first, second, temperature, fast)


@checked
def mnrl_hard(
    anchors: Tensor, positives: Tensor, negatives: Tensor, temperature: float = 0.05, fast: bool | None = None
) -> Tensor:
    """`mnrl` with the hard negatives of the whole batch added to every denominator.

    `anchors` and `positives` [N, dim], `negatives` [N, Q, dim]. Source: Henderson et al. 2017; sentence-transformers'
    loss with (anchor, positive, negative, ...) columns. Lesson 05.
    """
    _like(anchors, "positives", positives)
    per_anchor = _per_anchor(anchors, "negatives", negatives)
    z = torch.cat([anchors, positives, negatives.flatten(0, 1)])
    return contrastive_softmax(z, mnrl_hard_relations(len(anchors), per_anchor), temperature, fast=fast)


@checked
def simcse_supervised(
    anchors: Tensor, positives: Tensor, negatives: Tensor, temperature: float = 0.05, fast: bool | None = None
) -> Tensor:
    """Supervised SimCSE: `mnrl_hard` with one contradiction per premise.

    All three [N, dim]: premise, an entailed and a contradicted hypothesis. Source: Gao et al. 2021, Eq. 5. Lesson 05.
    """
    return mnrl_hard(anchors, positives, _like(anchors, "negatives", negatives)[:, None], temperature, fast)


@checked
def scl(
    premises: Tensor,
    hypotheses: Tensor,
    premise_ids: Tensor | Sequence[int],
    labels: Tensor | Sequence[int],
    temperature: float = 1.0,
    similarity: str = "dot",
    fast: bool | None = None,
    **sampling,
) -> Tensor:
    """SCL: SupCon with premises as anchors and all hypotheses of the batch as candidates.

    −mean_{p ∈ P_i} log [ e^{z_i·z_p/τ} / Σ_k e^{z_i·z_k/τ} ], k over positives and negatives. `premises` [P, dim],
    `hypotheses` [H, dim]; `premise_ids` and `labels` [H] and `sampling` (`anchors`, `max_positives`, `max_negatives`,
    `generator`) as in `scl_relations`. The similarity is the raw dot product, τ 1.0 the paper's for it (lesson 04).
    Source: Liao 2021, Eq. 2. Lessons 00, 06.
    """
    relations = scl_relations(premise_ids, labels, **sampling)
    rows = len(premises) + len(hypotheses)
    if (
        len(hypotheses) != len(relations.candidates)
        or rows != relations.min_rows
        or premises.shape[1:] != hypotheses.shape[1:]
    ):
        raise KitError(
            "expected one premise id per hypothesis and every premise named by one, got "
            f"{len(premises)} premises, {len(hypotheses)} hypotheses of shape {tuple(hypotheses.shape)} and "
            f"{len(relations.candidates)} ids: give each premise once, then its hypotheses."
        )
    return contrastive_softmax(torch.cat([premises, hypotheses]), relations, temperature, similarity, fast=fast)


@checked
def supmpn(
    anchors: Tensor,
    positives: Tensor,
    negatives: Tensor,
    temperature: float = 0.05,
    other_positives: str = "excluded",
    fast: bool | None = None,
) -> Tensor:
    """SupMPN: each of P positives against all other sentences but the other positives of its anchor.

    −mean_k log [ e^{s_ik/τ} / (e^{s_ik/τ} + Σ positives of other anchors + Σ all negatives) ], s cosine. `anchors`
    [N, dim], `positives` [N, P, dim], `negatives` [N, Q, dim]. `other_positives` "zero_logit" computes what the
    released code does: it sets their logits to 0 instead of −∞, so that each adds e⁰ to the denominator.
    Source: Dehghan and Amasyali 2022 (SupMPN), section 4.1; τ 0.05 is the code's scale 20. Lesson 05.
    """
    p = _per_anchor(anchors, "positives", positives)
    q = _per_anchor(anchors, "negatives", negatives)
    z = torch.cat([anchors, positives.flatten(0, 1), negatives.flatten(0, 1)])
    return contrastive_softmax(
        z, supmpn_relations(len(anchors), p, q), temperature, other_positives=other_positives, fast=fast
    )


def _like(anchors: Tensor, name: str, rows: Tensor) -> Tensor:
    if rows.shape != anchors.shape:
        raise KitError(
            f"expected {name} of the anchors' shape {tuple(anchors.shape)}, "
            f"got {tuple(rows.shape)}: give one row per anchor."
        )
    return rows


def _per_anchor(anchors: Tensor, name: str, rows: Tensor) -> int:
    if rows.dim() != 3 or rows.shape[::2] != anchors.shape:
        raise KitError(
            f"expected {name} of shape [N, any number, dim] for anchors [N, dim] "
            f"{tuple(anchors.shape)}, got {tuple(rows.shape)}: stack those of one anchor."
        )
    return rows.shape[1]
