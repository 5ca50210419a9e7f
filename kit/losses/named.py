"""The losses by name: each is a choice of relations, a similarity and a temperature.

All are the one formula of `kit.losses.softmax`, computed as in `kit.fast.chunked`; they take
embeddings that still carry their gradient, return a scalar (the mean over anchors) and raise
`KitError` on bad input.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kit.errors import KitError
from kit.fast.chunked import chunked_softmax
from kit.losses.owners import (
    mnrl_hard_owners,
    mnrl_owners,
    nt_xent_owners,
    scl_owners_unless_sampled,
    supcon_owners,
    supmpn_owners,
)


def nt_xent(views: Tensor, temperature: float = 0.05) -> Tensor:
    """NT-Xent: −log [ e^{cos(z_i, z_partner)/τ} / Σ_{k ≠ i} e^{cos(z_i, z_k)/τ} ], mean over all i.

    `views` [2N, dim]: rows i and i + N are two views of one sentence.
    Source: Chen et al. 2020 (SimCLR), Eq. 1; τ 0.05 is DeCLUTR's (Giorgi et al. 2021).
    """
    if len(views) % 2:
        raise KitError(
            f"expected an even number of rows (N views, then N partners), got {len(views)}: "
            "give every sentence two views."
        )
    return chunked_softmax(views, nt_xent_owners(len(views) // 2), temperature)


def supcon(embeddings: Tensor, labels: Tensor, temperature: float = 0.1) -> Tensor:
    """SupCon: NT-Xent with every other row of the same class as a positive, averaged.

    `embeddings` [rows, dim], `labels` integers [rows]; siblings are shared.
    Source: Khosla et al. 2020, Eq. 2; the paper sums over anchors, its code and this average.
    """
    if len(labels) != len(embeddings):
        raise KitError(
            f"expected one label per row, got {len(labels)} labels for {len(embeddings)} rows: label every row."
        )
    return chunked_softmax(embeddings, supcon_owners(labels), temperature)


def mnrl(anchors: Tensor, positives: Tensor, temperature: float = 0.05) -> Tensor:
    """Multiple negatives ranking: −log [ e^{cos(a_i, p_i)/τ} / Σ_j e^{cos(a_i, p_j)/τ} ].

    `anchors` and `positives` [N, dim], in the same order; τ 0.05 is a scale of 20.
    Source: Henderson et al. 2017, section 4.4 (dot product); cosine and scale as in
    sentence-transformers' MultipleNegativesRankingLoss.
    """
    z = torch.cat([anchors, _like(anchors, "positives", positives)])
    return chunked_softmax(z, mnrl_owners(len(anchors)), temperature)


def simcse_unsupervised(first: Tensor, second: Tensor, temperature: float = 0.05) -> Tensor:
    """Unsupervised SimCSE: `mnrl` where the positive is the sentence itself, encoded again.

    `first` and `second` [N, dim]: the same N sentences under two dropout masks.
    Source: Gao et al. 2021, Eq. 4.
    """
    return mnrl(first, second, temperature)


def mnrl_hard(anchors: Tensor, positives: Tensor, negatives: Tensor, temperature: float = 0.05) -> Tensor:
    """`mnrl` with the hard negatives of the whole batch added to every denominator.

    `anchors` and `positives` [N, dim], `negatives` [N, Q, dim].
    Source: Henderson et al. 2017; sentence-transformers' loss with (anchor, positive,
    negative, ...) columns.
    """
    _like(anchors, "positives", positives)
    per_anchor = _per_anchor(anchors, "negatives", negatives)
    z = torch.cat([anchors, positives, negatives.flatten(0, 1)])
    return chunked_softmax(z, mnrl_hard_owners(len(anchors), per_anchor), temperature)


def simcse_supervised(anchors: Tensor, positives: Tensor, negatives: Tensor, temperature: float = 0.05) -> Tensor:
    """Supervised SimCSE: `mnrl_hard` with one contradiction per premise.

    All three [N, dim]: premise, an entailed and a contradicted hypothesis.
    Source: Gao et al. 2021, Eq. 5.
    """
    negatives = _like(anchors, "negatives", negatives)
    return mnrl_hard(anchors, positives, negatives[:, None], temperature)


def scl(
    premises: Tensor,
    hypotheses: Tensor,
    premise_ids: Tensor,
    labels: Tensor,
    temperature: float = 1.0,
    similarity: str = "dot",
    **sampling,
) -> Tensor:
    """SCL: SupCon with premises as anchors and all hypotheses of the batch as candidates.

    −mean_{p ∈ P_i} log [ e^{z_i·z_p/τ} / Σ_k e^{z_i·z_k/τ} ], k over positives and negatives.
    `premises` [P, dim], `hypotheses` [H, dim]; `premise_ids` and `labels` [H] and `sampling`
    (`anchors`, `max_positives`, `max_negatives`, `generator`) as in `scl_relations`.
    The similarity is the raw dot product, and τ 1.0 is best *because* of that.
    Source: Liao 2021, Eq. 2.
    """
    relations = scl_owners_unless_sampled(premise_ids, labels, **sampling)
    rows = len(premises) + len(hypotheses)
    if len(hypotheses) != len(relations.candidates) or rows != relations.least_rows:
        raise KitError(
            "expected one premise id per hypothesis and every premise named by one, got "
            f"{len(premises)} premises, {len(hypotheses)} hypotheses and "
            f"{len(relations.candidates)} ids: give each premise once, then its hypotheses."
        )
    return chunked_softmax(torch.cat([premises, hypotheses]), relations, temperature, similarity)


def supmpn(
    anchors: Tensor, positives: Tensor, negatives: Tensor, temperature: float = 0.05, ghost_zero: bool = False
) -> Tensor:
    """SupMPN: each of P positives wins, without its siblings, against all other sentences.

    −mean_k log [ e^{s_ik/τ} / (e^{s_ik/τ} + Σ others' positives + Σ all negatives) ], s cosine.
    `anchors` [N, dim], `positives` [N, P, dim], `negatives` [N, Q, dim].
    `ghost_zero`: the released code sets the siblings' logits to 0 instead of −∞, so each adds
    e⁰ to the denominator. True computes that.
    Source: Dehghan and Amasyali 2022 (SupMPN), section 4.1; τ 0.05 is the code's scale 20.
    """
    p = _per_anchor(anchors, "positives", positives)
    q = _per_anchor(anchors, "negatives", negatives)
    z = torch.cat([anchors, positives.flatten(0, 1), negatives.flatten(0, 1)])
    siblings = "ghost" if ghost_zero else "alone"
    return chunked_softmax(z, supmpn_owners(len(anchors), p, q), temperature, siblings=siblings)


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
