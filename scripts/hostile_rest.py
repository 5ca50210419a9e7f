"""Losses, evaluation, exercises and the workshop × hostile values: what `hostile_calls` and `hostile_own` leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from kit.course import hint, solution
from kit.encoder import by_layer
from kit.evaluation import by_subset, compare_sts, evaluate_sts, nearness, pair_similarities, rescore, with_intervals
from kit.losses import (
    all_triplets,
    count_triplets,
    distance_matrix,
    interpolate,
    linear_schedule,
    mask_duplicates,
    mnrl_hard_relations,
    mnrl_relations,
    multi_label_cross_entropy,
    naive_pu,
    pair_relations,
    power_schedule,
    pu_risks,
    simcse_supervised,
    simcse_unsupervised,
    similarity_gradient,
    similarity_matrix,
    supcon_relations,
    triplet_regions,
    triplet_relations,
)
from kit.training.recipes import recipe
from kit.workshop import estimate_cost, saved_runs
from kit.workshop.weight_means import mean_of_weights

TEXTS = ["a dog runs", "two birds wait", "it rains", "a cat sleeps"]


def add_calls(add: Callable, encoder: Any, tasks: dict) -> None:
    """Every call of this table, by `add(function, good arguments, **other words for an argument)`."""
    _losses(add)
    _evaluation(add, encoder, tasks)
    _parts(add, encoder)
    add(hint, {"name": "distance-from-cosine", "number": 1}, name="exercise", number="hint")
    add(solution, {"name": "distance-from-cosine"}, name="exercise")
    small = recipe("simcse_unsup", "smoke", batch_size=4)
    trained = {"encoder": encoder, "recipe": small, "data": TEXTS, "seed": 0, "steps": 1, "precision": "fp32"}
    add(estimate_cost, {**trained, "patience": 0.01}, data="data|groups|sentence")
    add(saved_runs, {"folder": "runs"})
    add(mean_of_weights, {"encoders": [encoder, encoder], "shares": [0.5, 0.5]}, encoders="encoder", shares="share")


def _losses(add: Callable) -> None:
    z, relations, near = torch.randn(4, 3), mnrl_relations(2), supcon_relations([0, 0, 1, 1])
    labelled = {"logits": z, "labels": torch.tensor([0, 1, 2, -1]), "class_prior": 0.3}
    add(mnrl_hard_relations, {"n": 2, "negatives_per_anchor": 1}, negatives_per_anchor="negatives")
    batch = {"embeddings": z, "relations": relations, "similarity": "cosine"}
    add(similarity_matrix, batch, relations="Relations|embeddings")
    add(
        similarity_gradient,
        {**batch, "temperature": 0.1, "other_positives": "included"},
        relations="Relations|embeddings",
    )
    two = {"first": "anchors|positives|embeddings", "second": "positives|embeddings"}
    add(simcse_unsupervised, {"first": z, "second": z, "temperature": 0.1}, **two)
    three = {"anchors": z, "positives": z, "negatives": z, "temperature": 0.1}
    add(simcse_supervised, three, anchors="embeddings|negatives", positives="embeddings", negatives="embeddings")
    near_by = {"embeddings": z, "relations": near, "distance": "euclidean"}
    add(distance_matrix, near_by, relations="Relations|embeddings")
    add(triplet_regions, {**near_by, "margin": 1.0}, relations="Relations|embeddings")
    add(triplet_relations, {"n": 2})
    add(pair_relations, {"same": torch.tensor([True, False])})
    add(all_triplets, {"relations": near}, relations="Relations")
    add(count_triplets, {"relations": near}, relations="Relations")
    words = {"labels": "label", "class_prior": "class prior", "logits": "logits|label|class_prior"}
    add(pu_risks, labelled, **words)
    add(naive_pu, {**labelled, "absent": "skip"}, **words)
    add(linear_schedule, {"start": 0.0, "end": 1.0, "steps": 3})
    add(power_schedule, {"alpha": 0.5, "total": 3}, total="total|steps")


def _evaluation(add: Callable, encoder: Any, tasks: dict) -> None:
    z, report = torch.randn(4, 3), evaluate_sts(encoder, tasks, progress=False)
    scored = {"cosines": [0.1, 0.5, 0.3], "scores": [1.0, 2.0, 3.0], "subsets": ["a", "a", "a"]}
    resampled = {"resamples": 2, "seed": 0, "confidence": 0.9}
    add(rescore, {"report": report, "similarity": "cosine", "correlation": "spearman"})
    add(with_intervals, {"report": report, **resampled})
    add(
        compare_sts,
        {"first": report, "second": report, "aggregation": "all", **resampled},
        first="report",
        second="report",
    )
    add(by_subset, scored, cosines="cosine", scores="gold score", subsets="subset")
    both = {"vectors1": "embeddings|vectors", "vectors2": "embeddings|vectors"}
    add(pair_similarities, {"vectors1": z, "vectors2": z}, **both)
    add(nearness, {"embeddings": z})


def _parts(add: Callable, encoder: Any) -> None:
    """Parts of a loss or an encoder that lessons call by themselves."""
    z, term = torch.randn(4, 3), lambda embeddings, batch: embeddings.sum()
    add(by_layer, {"encoder": encoder, "sentences": TEXTS, "batch_size": 2}, encoder="encoder", sentences="sentence")
    add(interpolate, {"cross_entropy": term, "contrastive": term, "lam": 0.3}, lam="λ")
    add(mask_duplicates, {"relations": mnrl_relations(2), "keys": ["a", "b", "c", "d"]}, keys="keys|rows")
    add(multi_label_cross_entropy, {"logits": z, "labels": torch.ones(4, 3), "negatives": True})


NUMBERS = "2\\.5|30 digits|1e300|1e-300|a fraction|np\\.int64|np\\.float32|0|-1"
ALLOWED: list[tuple[str, str, str, str]] = [  # as in `hostile_calls`
    ("by_layer", "sentences", "texts|array of text", "sentences in an order"),
    (".*", "negatives", "True|np\\.bool", "it is True or False"),
    ("interpolate", "cross_entropy|contrastive|lam", "a class|a function", "it can be called"),
    ("mask_duplicates", "keys", "half a character|long text|bytes|tensor of bool", "a key for each row"),
    ("multi_label_cross_entropy", "labels", "tensor \\[4, 3\\]|tensor of int", "a 1 for each class of each pair"),
    (
        "simcse_unsupervised",
        "first|second",
        "tensor \\[4, 3\\]|tensor of int|tensor of NaN",
        "vectors of the right shape",
    ),
    ("linear_schedule|power_schedule", "start|end|steps|alpha|total", NUMBERS, "a number in its range, of any type"),
    (".*", "negatives_per_anchor", "0|np\\.int64", "a whole number, NumPy's too"),
    ("by_subset", "cosines|scores|subsets", "tensor \\[3\\]", "one for each pair"),
    ("pair_similarities|nearness", "vectors.|embeddings", "huge tensor", "float64 holds the lengths"),
    ("hint", "number", "np\\.int64", "a whole number, NumPy's too"),
    ("estimate_cost", "data", "texts", "unsupervised SimCSE takes sentences"),
    ("estimate_cost", "patience", NUMBERS, "seconds, up to ten minutes"),
    ("mean_of_weights", "shares", "series", "as many numbers as encoders, 1 in all"),
    ("saved_runs", "folder", "empty text|text|zero width|path", "a folder without runs"),
    ("pair_relations", "same", "tensor of bool", "a flag for each pair"),
    (
        "naive_pu|pu_risks|multi_label_cross_entropy",
        "logits",
        "tensor of inf|huge tensor",
        "an infinite logit is the limit of large ones",
    ),
]
