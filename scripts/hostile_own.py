"""Functions of data of one's own, of search and of sharing × hostile values: their good calls, see `hostile_calls`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from kit.course.exam import exam, exam_page
from kit.losses import cosent, cosine_regression
from kit.owndata import (
    OwnData,
    OwnValidation,
    fitted,
    jaccard,
    leaks,
    look,
    near_duplicates,
    own_task,
    read,
    split,
    suggest,
    training_data,
)
from kit.retrieval import (
    BM25,
    Index,
    SmallVectors,
    average_precision,
    best_threshold,
    cluster,
    compare_retrieval,
    compare_sizes,
    comparison_table,
    deduplicate,
    evaluate_pairs,
    evaluate_retrieval,
    evaluate_triplets,
    matryoshka,
    mine_hard_negatives,
    ndcg_at_k,
    quantise,
    recall_at_k,
    reciprocal_rank,
    retrieval_task,
    same_or_not,
    task_from_classes,
    task_from_pairs,
)
from kit.sharing import OnnxEncoder, encoder_card, export_onnx, push
from kit.training.recipes import recipe
from kit.workshop.choosing_pairs import choosing_score

FIRST = ["a dog runs", "two birds wait", "it rains", "a cat sleeps", "nobody sings", "a man reads"]
SECOND = [
    "a hound is running",
    "birds are waiting",
    "rain falls",
    "the cat is asleep",
    "all are silent",
    "a man, a book",
]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.1, 0.3]
KEPT = TemporaryDirectory()  # what the good calls load; it goes when this process ends


def add_calls(add: Callable, encoder: Any) -> None:
    """Every call of this table, by `add(function, good arguments, **other words for an argument)`."""
    _own_data(add, encoder)
    _search(add, encoder)
    _judging(add, encoder)
    _sharing(add, encoder)


def _own_data(add: Callable, encoder: Any) -> None:
    pairs = OwnData("mine", "pairs", {"anchor": FIRST, "positive": SECOND}, list(range(6)))
    parts = {"train": 0.5, "test": 0.5}
    add(
        read,
        {
            "source": [{"anchor": a, "positive": b} for a, b in zip(FIRST, SECOND)],
            "kind": "pairs",
            "split": "train",
            "score_range": None,
            "leave_out": False,
            "encoding": None,
            "separator": None,
            "header": True,
            "sheet": 0,
            "anchor": "anchor",
        },
        source="list|file|data set|rows|columns|ndarray|Tensor|Series|DataFrame|generator",
        kind="kind|columns",
        anchor="column",
    )
    add(
        OwnData,
        {"name": "mine", "kind": "pairs", "columns": pairs.columns, "numbers": pairs.numbers},
        name="name|kind",
        columns="column",
    )
    add(pairs.take, {"indices": [0, 1]})
    add(look, {"data": pairs, "encoder": encoder, "least": 0.7, "batch_size": 4, "meaning": None}, meaning="threshold")
    add(split, {"data": pairs, "parts": parts, "seed": 0, "by": (), "least": 0.7, "progress": False})
    add(leaks, {"train": pairs, "test": pairs, "by": (), "least": 0.7, "progress": False})
    add(near_duplicates, {"texts": FIRST, "least": 0.7, "seed": 0})
    add(jaccard, {"a": "a dog", "b": "a cat"})
    add(suggest, {"data": pairs})
    add(training_data, {"data": pairs, "recipe": recipe("mnrl", "smoke")})
    add(fitted, {"recipe": recipe("mnrl", "smoke"), "data": pairs, "given": {}})
    add(OwnValidation, {"data": pairs})
    add(own_task, {"data": pairs, "others": ("more",)}, others="others|document")


def _search(add: Callable, encoder: Any) -> None:
    index = Index.build(encoder, FIRST, {"year": [1, 2, 3, 4, 5, 6]})
    add(
        Index.build,
        {"encoder": encoder, "texts": FIRST, "attributes": {}, "engine": "exact", "batch_size": 2, "progress": False},
        texts="sentence",
        attributes="attributes",
    )
    add(index.search, {"query": "a dog", "k": 2, "where": None}, query="sentence", where="attribute")
    add(index.save, {"folder": "an index"})
    saved = {"folder": index.save(Path(KEPT.name, "index")), "encoder": encoder, "engine": "exact"}
    # An index that a hostile name was given to lies there by now, and its encoder is the one of then.
    add(Index.load, saved, folder="folder|the index in")
    add(cluster, {"index": index, "clusters": 2, "words": 2, "seed": 0})
    add(
        deduplicate,
        {"encoder": encoder, "texts": FIRST, "threshold": 0.9, "batch_size": 2, "progress": False},
        texts="sentence",
    )
    add(quantise, {"vectors": torch.randn(4, 3), "precision": "int8"}, vectors="embeddings")
    add(SmallVectors, {"encoder": encoder, "dim": 4, "precision": "int8"})
    add(
        matryoshka, {"recipe": recipe("mnrl", "smoke"), "dims": (8, 4), "weights": (1, 1)}, weights="weight", dims="dim"
    )


def _judging(add: Callable, encoder: Any) -> None:
    task = task_from_pairs(FIRST, SECOND)
    report = evaluate_retrieval(encoder, task, resamples=2)
    ranked = {"ranked": [1, 2, 3], "relevant": [2], "k": 2}
    for measure in (recall_at_k, reciprocal_rank, ndcg_at_k, average_precision):
        add(measure, ranked)
    add(
        retrieval_task,
        {"queries": FIRST, "corpus": SECOND, "relevant": [[i] for i in range(6)], "name": "mine"},
        queries="query|queries",
        corpus="document|corpus",
    )
    add(
        task_from_pairs,
        {"anchors": FIRST, "positives": SECOND, "others": ("more",), "name": "mine"},
        others="document",
        anchors="anchor",
        positives="positive",
    )
    add(
        task_from_classes,
        {"texts": FIRST, "classes": [0, 0, 0, 1, 1, 1], "name": "mine"},
        texts="text",
        classes="class",
    )
    add(
        evaluate_retrieval,
        {
            "system": encoder,
            "task": task,
            "measures": ["ndcg@10"],
            "name": "mine",
            "batch_size": 2,
            "progress": False,
            "resamples": 2,
            "seed": 0,
            "confidence": 0.9,
        },
        system="encoder",
        measures="measure",
    )
    add(
        compare_retrieval,
        {"first": report, "second": report, "resamples": 2, "seed": 0, "confidence": 0.9},
        first="report",
        second="report",
    )
    add(
        comparison_table,
        {"reports": [report], "measures": ["ndcg@10"], "style": "text"},
        measures="measure",
        reports="report",
    )
    add(
        evaluate_triplets,
        {
            "encoder": encoder,
            "triplets": list(zip(FIRST, SECOND, reversed(SECOND))),
            "similarity": "cosine",
            "margin": 0.0,
            "with_interval": True,
            "batch_size": 2,
            "progress": False,
        },
        triplets="triplet|sentence",
    )
    add(
        evaluate_pairs,
        {
            "encoder": encoder,
            "first": FIRST,
            "second": SECOND,
            "scores": SCORES,
            "name": "mine",
            "resamples": 2,
            "seed": 0,
            "batch_size": 2,
            "progress": False,
        },
        first="texts",
        second="texts",
        scores="score",
    )
    told_apart = {"cosines": [0.9, 0.8, 0.3, 0.1], "same": [1, 0, 1, 0]}
    add(best_threshold, {**told_apart, "by": "f1"}, cosines="cosine|number", same="label|number|one alone")
    add(
        same_or_not,
        {**told_apart, "threshold": 0.5, "resamples": 2, "seed": 0, "chosen_on": "others"},
        cosines="cosine|number",
        same="label|number|one alone",
    )
    add(
        mine_hard_negatives,
        {
            "encoder": encoder,
            "anchors": FIRST,
            "positives": SECOND,
            "corpus": ("more",),
            "num_negatives": 1,
            "range_min": 0,
            "range_max": 3,
            "absolute_margin": 0.0,
            "relative_margin": 0.0,
            "max_score": 1.0,
            "min_score": -1.0,
            "sampling": "top",
            "seed": 0,
            "check": None,
            "batch_size": 2,
            "progress": False,
        },
        anchors="anchor|sentence",
        positives="positive|sentence",
        corpus="sentence",
        absolute_margin="margin",
        relative_margin="margin",
        num_negatives="num_negatives|ranks",
        range_min="range_m",
        check="check|encoder",
    )
    add(
        compare_sizes,
        {
            "encoder": encoder,
            "task": task,
            "dims": (8,),
            "precisions": ("int8",),
            "measure": "ndcg@10",
            "resamples": 2,
            "seed": 0,
        },
        dims="dim",
        precisions="precision",
    )
    add(BM25, {"k1": 1.2, "b": 0.75})
    add(BM25().rank, {"queries": FIRST, "corpus": SECOND, "k": 2}, queries="sentence", corpus="sentence")
    add(choosing_score, {"encoder": encoder, "pairs": None})


def _sharing(add: Callable, encoder: Any) -> None:
    report = evaluate_retrieval(encoder, task_from_pairs(FIRST, SECOND), resamples=2)
    card = Path(export_onnx(encoder, Path(KEPT.name, "onnx"), card="A card.").folder, "README.md")
    add(export_onnx, {"encoder": encoder, "folder": "onnx", "int8": False, "card": "c"}, card="card|README.md")
    add(OnnxEncoder, {"folder": card.parent})
    add(
        encoder_card,
        {
            "encoder": encoder,
            "name": "mine",
            "what": "w",
            "data": "d",
            "reports": [report],
            "training": "t",
            "limits": ["l"],
        },
    )
    add(
        push,
        {"folder": card.parent, "name": "you/model", "private": True, "token": "hf_none"},
        name="name|Hub",
        private="Hub",
        folder="folder|card",
    )
    add(exam, {"lesson": "04_temperature"})
    add(exam_page, {"lesson": "04_temperature", "answers": False})
    scored = {"u": torch.randn(4, 3), "v": torch.randn(4, 3), "scores": torch.tensor([0.1, 0.2, 0.3, 0.4])}
    add(
        cosent,
        {**scored, "temperature": 0.1},
        u="u and v|embeddings",
        v="u and v|embeddings",
        scores="score",
        temperature="temperature|τ",
    )
    add(cosine_regression, scored, u="u and v|embeddings", v="u and v|embeddings", scores="score")


NUMBERS, WHOLE = "2\\.5|30 digits|1e300|1e-300|a fraction|np\\.int64|np\\.float32|0|-1", "0|np\\.int64"
TEXT = "empty text|text|half a character|NUL|zero width|long text"
ALLOWED: list[tuple[str, str, str, str]] = [  # as in `hostile_calls`
    ("best_threshold|same_or_not", "cosines", "tensor of bool", "two levels of a number"),
    ("same_or_not", "chosen_on", "empty text|text|half a character|NUL|zero width|long text", "any name that is text"),
    (
        ".*",
        "least|meaning|absolute_margin|relative_margin|max_score|min_score|k1|b",
        NUMBERS,
        "a number in its range, of any type",
    ),
    (".*", "k|clusters|words|num_negatives|range_min|range_max|sheet|dim", WHOLE, "a whole number, NumPy's too"),
    (".*", "leave_out|header|int8|private|answers|with_interval", "True|np\\.bool", "it is True or False"),
    (".*", "name", TEXT, "any text is a name"),
    ("encoder_card", "what|data|training", TEXT, "any text, as it is given"),
    ("export_onnx", "card", TEXT, "any text, as it is given"),
    ("encoder_card", "limits", "empty list|texts|array of text|empty tensor", "texts in an order, or none"),
    ("encoder_card", "reports", "empty list|empty tensor", "none: nothing was measured"),
    ("read", "split|encoding|separator|sheet", f"-1|{TEXT}", "it is of a file, and these rows stand in a list"),
    ("read", "score_range", "numbers|series", "two numbers"),
    (".*", "by|measures", "empty list|empty tensor", "none of them: all"),
    (
        ".*",
        "texts|query|queries|corpus|others",
        f"texts|array of text|empty list|empty tensor|{TEXT}|generator",
        "texts in an order",
    ),
    (".*", "indices", "empty list|numbers|series|empty tensor|generator", "whole numbers of rows that there are"),
    ("jaccard", "a|b", TEXT, "any text"),
    ("fitted", "given", "dict", "settings by their names"),
    ("Index.search", "where", "a class|a function", "a function of the attributes"),
    (
        "Index.save|Index.load|export_onnx|OnnxEncoder",
        "folder",
        "text|zero width|path",
        "a name that a folder may have",
    ),
    ("quantise", "vectors", "huge tensor", "vectors of the right shape"),
    ("matryoshka|compare_sizes", "dims|weights", "numbers", "whole numbers"),
    (".*_at_k|reciprocal_rank|average_precision", "ranked|relevant", ".*", "ids in a list or set"),
    (
        "cosent|cosine_regression",
        "u|v",
        "tensor \\[4, 3\\]|tensor of NaN",
        "vectors of the right shape; NaN in, NaN out",
    ),
    ("evaluate_retrieval", "resamples", "0", "none: no intervals"),
]
PASSES = {
    ("mine_hard_negatives", "check", value): "the reader's own function failed: its own error passes through"
    for value in ("a class", "a function")
}
