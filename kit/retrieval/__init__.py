"""Retrieval with an encoder on one's own data: search with it, judge it, mine with it.

Index                              texts and their vectors: search, filters, add, remove, save and load
deduplicate, cluster               texts without near copies; texts in named groups
retrieval_task, task_from_pairs    queries, corpus, and what is relevant
task_from_classes                  the same from texts with a class each
evaluate_retrieval                 recall@k, MRR, nDCG, MAP with intervals over queries; encoders and BM25
compare_retrieval                  two systems query by query: a paired interval and test
mine_hard_negatives                near texts that are no positives, as a data set to look at
matryoshka                         a recipe whose vectors may be cut short
compare_sizes, SmallVectors        fewer dimensions, bytes and bits, beside the full vectors
evaluate_triplets, evaluate_pairs  an encoder on triplets, and on pairs with scores
same_or_not, best_threshold        pairs of two classes, told apart by a cosine, and from which one on
"""

from kit.retrieval.bm25_baseline import BM25
from kit.retrieval.hard_negatives import MinedNegatives, mine_hard_negatives
from kit.retrieval.matryoshka import matryoshka
from kit.retrieval.near_duplicates import Deduplicated, deduplicate
from kit.retrieval.own_judgements import TripletReport, evaluate_pairs, evaluate_triplets
from kit.retrieval.quantised_vectors import SmallVectors, compare_sizes, quantise
from kit.retrieval.retrieval_evaluation import evaluate_retrieval
from kit.retrieval.retrieval_measures import average_precision, ndcg_at_k, recall_at_k, reciprocal_rank
from kit.retrieval.retrieval_report import RetrievalReport, compare_retrieval, comparison_table
from kit.retrieval.retrieval_task import RetrievalTask, retrieval_task, task_from_classes, task_from_pairs
from kit.retrieval.same_or_not import SameOrNot, best_threshold, same_or_not
from kit.retrieval.text_clusters import Clusters, cluster
from kit.retrieval.vector_index import Hit, Index

__all__ = [
    "Index", "Hit", "deduplicate", "Deduplicated", "cluster", "Clusters", "RetrievalTask", "retrieval_task",
    "task_from_pairs", "task_from_classes", "evaluate_retrieval", "RetrievalReport",
    "compare_retrieval", "comparison_table", "BM25", "evaluate_triplets", "TripletReport", "evaluate_pairs",
    "same_or_not", "SameOrNot", "best_threshold",
    "mine_hard_negatives", "MinedNegatives", "matryoshka", "quantise", "SmallVectors", "compare_sizes",
    "recall_at_k", "reciprocal_rank", "ndcg_at_k", "average_precision",
]  # fmt: skip
