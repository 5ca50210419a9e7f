"""Losses: relations of a batch, the one masked softmax over them, cross-entropy, blending.

Tensors only: no tokenizer, no model, no data set.
"""

from kit.losses.blend import Blend, blend, interpolate, linear, power
from kit.losses.classify import PairClassifier, cross_entropy, pair_features
from kit.losses.named import (
    mnrl,
    mnrl_hard,
    nt_xent,
    scl,
    simcse_supervised,
    simcse_unsupervised,
    supcon,
    supmpn,
)
from kit.losses.relations import (
    Relations,
    mask_duplicates,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
)
from kit.losses.softmax import (
    masked_softmax,
    similarity_gradient,
    similarity_matrix,
    softmax_weights,
)

__all__ = [
    "Relations",
    "nt_xent_relations",
    "supcon_relations",
    "mnrl_relations",
    "mnrl_hard_relations",
    "scl_relations",
    "supmpn_relations",
    "mask_duplicates",
    "masked_softmax",
    "similarity_matrix",
    "softmax_weights",
    "similarity_gradient",
    "nt_xent",
    "supcon",
    "mnrl",
    "simcse_unsupervised",
    "mnrl_hard",
    "simcse_supervised",
    "scl",
    "supmpn",
    "pair_features",
    "PairClassifier",
    "cross_entropy",
    "Blend",
    "blend",
    "interpolate",
    "linear",
    "power",
]
