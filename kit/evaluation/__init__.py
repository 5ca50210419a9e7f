"""Measuring: what people say about pairs of sentences, and what the vectors say of themselves.

evaluate_sts              an encoder on STS tasks, in three aggregations
aggregate, by_subset      the same on cosines and gold scores at hand
geometry                  collapse in numbers: cosines, spectrum, alignment, uniformity
isoscore                  one number for how evenly the variance fills the dimensions
frequency_correlation     whether nearness follows the frequency of words

NumPy and SciPy only; vectors may be torch tensors, arrays or lists.
"""

from kit.evaluation.aggregation import (
    AGGREGATIONS,
    Aggregated,
    SubsetScore,
    aggregate,
    by_subset,
    mean_or_none,
    subset_mean,
    subset_wmean,
)
from kit.evaluation.frequency import frequency_correlation, mean_log_frequency, nearness, word_counts
from kit.evaluation.geometry import (
    Geometry,
    covariance_spectrum,
    effective_rank,
    geometry,
    random_pair_cosines,
)
from kit.evaluation.isoscore import isoscore
from kit.evaluation.report import StsReport, TaskScore
from kit.evaluation.sts import evaluate_sts
from kit.evaluation.vectors import cosine_matrix, pair_cosines, spearman

__all__ = [
    "evaluate_sts",
    "StsReport",
    "TaskScore",
    "AGGREGATIONS",
    "Aggregated",
    "SubsetScore",
    "aggregate",
    "by_subset",
    "subset_mean",
    "subset_wmean",
    "mean_or_none",
    "spearman",
    "pair_cosines",
    "cosine_matrix",
    "geometry",
    "Geometry",
    "random_pair_cosines",
    "covariance_spectrum",
    "effective_rank",
    "isoscore",
    "frequency_correlation",
    "nearness",
    "mean_log_frequency",
    "word_counts",
]
