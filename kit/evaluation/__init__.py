"""Evaluation: agreement with people's similarity scores, classifiers on frozen vectors, the geometry of a space.

evaluate_sts              an encoder on STS tasks, in three aggregations
rescore, with_intervals   the same by another similarity or correlation; with bootstrap intervals
compare_sts               two encoders pair by pair: a bootstrap interval and a permutation test
evaluate_transfer         a classifier on frozen embeddings: what they hold beyond similarity
aggregate, by_subset      the same from cosines and gold scores that are given
geometry                  collapse in numbers: cosines, spectrum, alignment, uniformity
isoscore                  one number for how evenly the variance fills the dimensions
binary_scores             accuracy, precision, recall of similar / not similar
frequency_correlation     whether nearness follows the frequency of words

NumPy and SciPy, for classifiers scikit-learn; vectors may be torch tensors, arrays or lists.
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
    isoscore,
    random_pair_cosines,
)
from kit.evaluation.intervals import Difference, StsComparison, compare_sts, with_intervals
from kit.evaluation.pair_classification import BinaryScores, binary_scores, classify_pairs
from kit.evaluation.significance import Interval, interval, p_value, resample, swapped_differences
from kit.evaluation.sts_evaluation import evaluate_sts, rescore
from kit.evaluation.sts_report import StsReport, TaskScore
from kit.evaluation.transfer_evaluation import evaluate_transfer
from kit.evaluation.transfer_report import TransferReport, TransferScore
from kit.evaluation.vectors import (
    CORRELATIONS,
    SIMILARITIES,
    cosine_matrix,
    pair_cosines,
    pair_similarities,
    pearson,
    spearman,
)

__all__ = [
    "evaluate_sts", "StsReport", "TaskScore", "rescore", "with_intervals", "compare_sts", "StsComparison", "Difference",
    "Interval", "interval", "resample", "swapped_differences", "p_value", "evaluate_transfer", "TransferReport",
    "TransferScore", "AGGREGATIONS", "Aggregated", "SubsetScore", "aggregate", "by_subset", "subset_mean",
    "subset_wmean", "mean_or_none", "SIMILARITIES", "CORRELATIONS", "spearman", "pearson", "pair_cosines",
    "pair_similarities", "cosine_matrix", "geometry", "Geometry", "random_pair_cosines", "covariance_spectrum",
    "effective_rank", "isoscore", "binary_scores", "BinaryScores", "classify_pairs", "frequency_correlation",
    "nearness", "mean_log_frequency", "word_counts",
]  # fmt: skip
