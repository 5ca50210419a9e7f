"""Losses: relations of a batch, the masked softmax over them, margins, cross-entropy, scored pairs,
unlabelled rows, weighted sums.

Tensors only: no tokenizer, model or data set.
"""

from kit.losses.blend import Blend, blend, interpolate, linear_schedule, power_schedule
from kit.losses.cross_entropy import PairClassifier, cross_entropy, multi_label_cross_entropy, pair_features
from kit.losses.duplicates import mask_duplicates
from kit.losses.margin import (
    DISTANCES,
    MARGIN_REDUCTIONS,
    batch_all,
    batch_hard,
    batch_semi_hard,
    contrastive,
    distance_matrix,
    pair_relations,
    triplet,
    triplet_relations,
)
from kit.losses.mining import REGIONS, all_triplets, count_triplets, triplet_regions
from kit.losses.named import mnrl, mnrl_hard, nt_xent, scl, simcse_supervised, simcse_unsupervised, supcon, supmpn
from kit.losses.relations import (
    GroupRelations,
    Relations,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
)
from kit.losses.scored import cosent, cosine_regression
from kit.losses.softmax import (
    contrastive_softmax,
    masked_softmax,
    similarity_gradient,
    similarity_matrix,
    softmax_weights,
)
from kit.losses.unlabeled import HIDDEN, PuRisks, check_priors, naive_pu, nn_pu, pu_risks

# fmt: off
__all__ = [
    "Relations", "GroupRelations", "nt_xent_relations", "supcon_relations", "mnrl_relations", "mnrl_hard_relations",
    "scl_relations", "supmpn_relations", "mask_duplicates",
    "masked_softmax", "contrastive_softmax", "similarity_matrix", "softmax_weights", "similarity_gradient",
    "nt_xent", "supcon", "mnrl", "simcse_unsupervised", "mnrl_hard", "simcse_supervised", "scl", "supmpn",
    "DISTANCES", "MARGIN_REDUCTIONS", "distance_matrix", "contrastive", "triplet", "batch_all", "batch_hard",
    "batch_semi_hard", "triplet_relations", "pair_relations",
    "REGIONS", "all_triplets", "count_triplets", "triplet_regions",
    "pair_features", "PairClassifier", "cross_entropy", "multi_label_cross_entropy", "cosent", "cosine_regression",
    "HIDDEN", "PuRisks", "pu_risks", "naive_pu", "nn_pu", "check_priors",
    "Blend", "blend", "interpolate", "linear_schedule", "power_schedule",
]
# fmt: on
