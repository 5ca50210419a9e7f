"""Public functions × hostile values: each argument of a good call is replaced by each of them in turn.

A case is right where KitError says one sentence that names the argument, or where the call returns and
`ALLOWED` says why it may. Anything else is an offender: another exception, several lines, a sentence
that does not say what it is about, a value that nobody vouches for.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hostile_own
import hostile_rest
import numpy as np
import pandas as pd
import torch

import kit.losses
from kit.data import (
    Table,
    count_priors,
    group_by_premise,
    hide_labels,
    load,
    load_documents,
    load_sts,
    load_transfer,
    mix_rows,
    sample,
    similar_pairs,
    triplets,
)
from kit.data.augment import augment, delete_words
from kit.data.multiples import multiples
from kit.data.table import Source
from kit.encoder import load_encoder, random_encoder
from kit.encoder.whitening import whitening, without_top_directions
from kit.errors import KitError
from kit.evaluation import (
    aggregate,
    cosine_matrix,
    covariance_spectrum,
    effective_rank,
    evaluate_sts,
    geometry,
    isoscore,
    pair_cosines,
    pearson,
    random_pair_cosines,
    spearman,
)
from kit.evaluation.significance import interval, resample, swapped_differences
from kit.lesson import start
from kit.losses import (
    Relations,
    blend,
    contrastive,
    cross_entropy,
    masked_softmax,
    mnrl,
    mnrl_hard,
    mnrl_relations,
    nn_pu,
    nt_xent,
    nt_xent_relations,
    scl,
    scl_relations,
    softmax_weights,
    supcon,
    supcon_relations,
    supmpn,
    supmpn_relations,
    triplet,
)
from kit.scaling.row_stream import load_stream, stream_of
from kit.training import fit
from kit.training.device import pick_device
from kit.training.recipes import recipe

# name → value, or a function that makes it anew (for what can be read once)
VALUES: dict[str, Any] = {
    "None": None, "True": True, "-1": -1, "0": 0, "2.5": 2.5, "nan": float("nan"), "inf": float("inf"),
    "-inf": float("-inf"), "30 digits": 10**30, "400 digits": 10**400, "1e300": 1e300, "1e-300": 1e-300,
    "a fraction": fractions.Fraction(1, 3), "a decimal": decimal.Decimal("0.5"), "complex": 1 + 2j,
    "empty text": "", "text": "scl", "half a character": "a \ud800 b", "NUL": "\x00", "zero width": "\u200b",
    "long text": "x" * 5000, "bytes": b"a dog", "a list of None": [None], "empty list": [], "numbers": [1, 2],
    "texts": ["a dog", "a cat"], "nested lists": [[1.0, 2.0], [3.0]], "NaN in a list": [float("nan"), 1.0],
    "dict": {"a": 1}, "set": {"a dog"}, "object": object(), "a class": dict, "a function": len, "a date": datetime.date(2020, 1, 1),  # noqa: E501
    "np.int64": np.int64(2), "np.float32": np.float32(0.5), "np.bool": np.bool_(True), "array": np.ones((4, 3)),
    "array of text": np.array(["a", "b"]), "array of objects": np.array([object()]), "0-d array": np.array(1.0),
    "tensor [3]": torch.ones(3), "tensor [4, 3]": torch.ones(4, 3), "0-d tensor": torch.tensor(1.0),
    "tensor of int": torch.ones(4, 3, dtype=torch.int64), "tensor of bool": torch.ones(4, dtype=torch.bool),
    "complex tensor": torch.ones(4, 3, dtype=torch.complex64), "tensor of NaN": torch.full((4, 3), float("nan")),
    "tensor of inf": torch.full((4, 3), float("inf")), "huge tensor": torch.full((4, 3), 1e30), "empty tensor": torch.ones(0, 3),  # noqa: E501
    "tensor without columns": torch.ones(4, 0), "data frame": pd.DataFrame({"sentence": ["a dog"], "label": [0]}),
    "series": pd.Series([0, 1]), "path": Path("nowhere"), "generator": lambda: (x for x in ()),
}  # fmt: skip
MADE_ANEW = {"generator"}
WORDS = "A man sleeps. A dog runs. Two birds wait. Nobody sings. It rains. A cat sits on a mat.".split(". ")


def losses_of_relations() -> Iterator[tuple[Callable, dict[str, Any]]]:
    """Public losses that need no more than (embeddings, relations), with the defaults of their other arguments."""
    for function in (getattr(kit.losses, name) for name in kit.losses.__all__):
        takes = inspect.signature(function).parameters if inspect.isfunction(function) else {}
        defaults = {name: one.default for name, one in takes.items() if one.default is not one.empty}
        if takes.keys() - defaults.keys() == {"embeddings", "relations"}:
            yield function, defaults


@dataclass(frozen=True)
class Call:
    """A function and arguments that it takes well; `names` are other words for an argument in a sentence."""

    function: Callable
    good: dict[str, Any]
    names: dict[str, str]


@cache
def calls() -> dict[str, Call]:
    """Every call of the table by its name."""
    torch.manual_seed(0)
    z, ids, labels = torch.randn(4, 3), torch.tensor([0, 0, 1, 1]), torch.tensor([0, 2, 0, 1])
    relations, near = mnrl_relations(2), supcon_relations([0, 0, 1, 1])
    encoder = load_encoder()
    rows = {"premise": ["a", "a", "b", "b"], "hypothesis": ["c", "d", "e", "f"], "label": [0, 2, 0, 2]}
    table = Table(rows, Source("mine", "train", "own", "memory", "none", 4))
    groups = group_by_premise(table)
    tasks = load_sts("STS-B", rows=8)
    small = recipe("simcse_unsup", "smoke", batch_size=4)
    quick = {"steps": 1, "progress": False}
    batch = {"embeddings": z, "relations": relations, "temperature": 0.1, "similarity": "cosine"}
    margin = {"embeddings": z, "relations": near, "margin": 1.0, "distance": "euclidean", "reduction": "mean"}
    scored = {"cosines": [0.1, 0.5, 0.3], "scores": [1.0, 2.0, 3.0], "subsets": ["a", "a", "a"]}
    pairs = {"predicted": [0.1, 0.5, 0.3], "gold": [1.0, 2.0, 3.0]}
    found: dict[str, Call] = {}

    def add(function: Callable, good: dict[str, Any], **names: str) -> None:
        found[function.__qualname__] = Call(function, good, names)

    add(nt_xent, {"views": z, "temperature": 0.1}, views="embeddings|rows")
    add(supcon, {"embeddings": z, "labels": ids, "temperature": 0.1}, labels="label", embeddings="embeddings|rows")
    add(mnrl, {"anchors": z, "positives": z, "temperature": 0.1}, anchors="embeddings", positives="embeddings")
    add(
        mnrl_hard,
        {"anchors": z, "positives": z, "negatives": z[:, None], "temperature": 0.1},
        anchors="embeddings|negatives",
        positives="embeddings",
    )
    add(
        scl,
        {
            "premises": z[:2],
            "hypotheses": z,
            "premise_ids": ids,
            "labels": labels,
            "temperature": 1.0,
            "similarity": "dot",
        },
        premises="embeddings",
        hypotheses="embeddings",
        premise_ids="premise id",
    )
    add(
        supmpn,
        {
            "anchors": z,
            "positives": z[:, None],
            "negatives": z[:, None],
            "temperature": 0.1,
            "other_positives": "excluded",
        },
        anchors="embeddings",
        positives="embeddings",
        negatives="embeddings",
    )
    add(masked_softmax, {**batch, "other_positives": "included", "reduction": "mean"}, relations="Relations|embeddings")
    add(softmax_weights, batch, relations="Relations|embeddings")
    add(
        nn_pu,
        {"logits": z, "labels": torch.tensor([0, 1, 2, -1]), "class_prior": 0.3, "absent": "skip"},
        labels="label",
        class_prior="class prior",
        logits="logits|label|class_prior",
    )
    add(cross_entropy, {"logits": z, "labels": torch.tensor([0, 1, 2, 0])}, labels="label", logits="logits|label")
    add(
        triplet,
        {"anchors": z, "positives": z, "negatives": z, "margin": 1.0, "distance": "euclidean"},
        anchors="embeddings|negatives|positives",
        positives="positives|embeddings",
        negatives="negatives|embeddings",
    )
    add(contrastive, margin, relations="Relations|embeddings")
    add(
        Relations,
        {
            "anchors": relations.anchors,
            "candidates": relations.candidates,
            "positive": relations.positive,
            "negative": relations.negative,
        },
        anchors="anchors|positive",
        candidates="candidates|positive",
        positive="positive",
        negative="negative|positive",
    )
    add(nt_xent_relations, {"pairs": 2})
    add(mnrl_relations, {"n": 2})
    add(supmpn_relations, {"n": 2, "positives": 1, "negatives": 1})
    add(supcon_relations, {"labels": [0, 1]})
    add(
        scl_relations,
        {"premise_ids": ids, "labels": labels, "anchors": "premise", "max_positives": 1, "max_negatives": 1},
        premise_ids="premise id",
    )
    add(blend, {"terms": {"one": (lambda z, batch: z.sum(), 1.0)}}, terms="term")
    add(group_by_premise, {"table": table})
    add(triplets, {"groups": groups, "seed": 0, "all": False}, groups="groups|group")
    add(
        multiples,
        {"groups": groups, "positives": 1, "negatives": 1, "seed": 0, "fill": "copy"},
        groups="groups|group|anchors",
        fill="fill|way",
    )
    add(
        hide_labels,
        {"labels": [0, 1, 0, 1], "fraction": 0.5, "seed": 0, "stratified": True},
        labels="label",
        fraction="fraction|label",
    )
    add(count_priors, {"labels": [0, 1, 0, 1], "classes": 2}, labels="label", classes="classes|labels")
    add(mix_rows, {"labels": [0, -1, 0, 1], "labelled": 0.5, "seed": 0}, labels="label")
    add(sample, {"table": table, "rows": 2, "seed": 0})
    add(
        load,
        {"name": "stanfordnlp/snli", "split": "train", "path": None, "rows": 8, "seed": 0},
        name="data set",
        path="path|Parquet",
        split="split",
    )
    add(
        load_sts,
        {"names": ["STS-B"], "split": "test", "rows": 8, "path": None},
        names="STS task",
        path="path|Parquet|folder",
        split="split",
    )
    add(
        load_transfer,
        {"names": ["opinions"], "rows": 8, "seed": 0, "path": None},
        names="transfer task",
        path="path|folder",
    )
    add(
        load_documents,
        {"rows": 2, "least_words": 800, "seed": 0, "path": None},
        least_words="least_words|words",
        path="path|Parquet",
    )
    add(similar_pairs, {"split": "train", "rows": 8, "seed": 0})
    add(
        load_stream,
        {"name": "stanfordnlp/snli", "split": "train", "path": None, "seed": 0, "buffer": 64},
        name="data set",
        path="path|file|folder|split",
        buffer="buffer|rows",
    )
    add(
        stream_of,
        {"rows": ["a dog", "a cat"], "name": "mine", "seed": 0, "buffer": 8},
        rows="rows|sentence|columns|elements",
        buffer="buffer|rows",
    )
    add(delete_words, {"sentence": "a b c", "share": 0.1, "rng": 0})
    add(augment, {"sentence": "a b c", "how": "copy", "rng": 0}, how="way to augment")
    add(
        load_encoder,
        {"name_or_path": "kit-bert-tiny", "pooling": "mean", "max_length": 32, "first_layer": 1, "device": "cpu"},
        name_or_path="encoder|name_or_path|model folder",
    )
    add(random_encoder, {"name_or_path": "kit-bert-tiny", "seed": 0}, name_or_path="encoder|name_or_path|model folder")
    add(
        encoder.encode,
        {"sentences": ["a dog", "a cat"], "batch_size": 2, "precision": "fp32"},
        sentences="sentence",
        batch_size="batch size",
    )
    add(encoder.tokenize, {"sentences": ["a dog"]}, sentences="sentence")
    add(whitening, {"vectors": z, "dim": 1})
    add(without_top_directions, {"vectors": z, "removed": 1}, removed="remove")
    for function in (cosine_matrix, covariance_spectrum, isoscore):
        add(function, {"embeddings": z})
    add(pair_cosines, {"vectors1": z, "vectors2": z}, vectors1="embeddings|vectors", vectors2="embeddings|vectors")
    add(random_pair_cosines, {"embeddings": z, "pairs": 5, "seed": 0})
    add(
        geometry,
        {"embeddings": z, "pairs": [(0, 1)], "sample": 5, "seed": 0, "threshold": 0.6},
        embeddings="embeddings|pairs|pair",
    )
    add(effective_rank, {"spectrum": [0.5, 0.5]})
    for function in (spearman, pearson):
        add(function, pairs, predicted="prediction")
    add(aggregate, {**scored, "correlation": "spearman"}, cosines="cosine", scores="gold score", subsets="subset")
    add(
        resample, {**pairs, "resamples": 5, "seed": 0, "correlation": "spearman"}, predicted="cosine", gold="gold score"
    )
    add(
        swapped_differences,
        {
            "first": pairs["predicted"],
            "second": pairs["predicted"],
            "gold": pairs["gold"],
            "aggregation": "all",
            "swaps": 5,
            "seed": 0,
        },
        first="cosine|gold",
        second="cosine",
        gold="gold score",
    )
    add(interval, {"figures": np.ones(10), "confidence": 0.9})
    add(
        evaluate_sts,
        {"encoder": encoder, "tasks": tasks, "progress": False, "average_over": ["STS-B"], "resamples": 2, "seed": 0},
        tasks="task",
    )
    add(pick_device, {"name": "cpu"}, name="device")
    add(
        recipe,
        {
            "name": "scl",
            "preset": "smoke",
            "temperature": 0.1,
            "lam": 0.3,
            "batch_size": 8,
            "lr": 1e-3,
            "pooling": "mean",
            "max_positives": 1,
            "group_batches": True,
        },
        temperature="τ",
        lam="λ",
        name="recipe",
        lr="learning rate",
    )
    add(
        fit,
        {
            "encoder": encoder,
            "recipe": small,
            "data": groups,
            "seed": 0,
            "precision": "fp32",
            "checkpoint_every": 1,
            "callback": None,
            **quick,
        },
        data="groups|data",
        checkpoint_every="checkpoint",
        steps="step",
        encoder="encoder|Encoder",
    )
    add(start, {"preset": "smoke", "seed": 0})
    hostile_own.add_calls(add, encoder)
    hostile_rest.add_calls(add, encoder, tasks)
    for function, settings in losses_of_relations():
        if function.__qualname__ not in found:
            good = {"embeddings": z, "relations": near, **settings}
            add(function, good, relations="Relations|embeddings")
    return found


def cases() -> Iterator[tuple[str, str, str]]:
    """(function, argument, name of the value), in an order that stays."""
    for name, call in calls().items():
        for argument in call.good:
            for value in VALUES:
                yield name, argument, value


# (function, argument, value) as patterns → why the call may return
NUMBERS, WHOLE = "2\\.5|30 digits|1e300|1e-300|a fraction|np\\.int64|np\\.float32|0|-1", "0|np\\.int64"
VECTORS = "embeddings|views|anchors|positives|negatives|premises|hypotheses|vectors\\d?|logits"
ALLOWED: list[tuple[str, str, str, str]] = [
    (".*", "(?!buffer).*", "None", "None is the default, or leaves the choice to the call"),
    (
        ".*",
        "seed|rows|sample|pairs|resamples|swaps|batch_size|n|steps|classes|dim|removed|buffer|least_words",
        WHOLE,
        "a whole number, NumPy's too",
    ),
    (
        ".*",
        "checkpoint_every|max_positives|max_negatives|positives|negatives|first_layer|max_length",
        WHOLE,
        "a whole number, NumPy's too",
    ),
    (
        ".*",
        "temperature|margin|lam|lr|threshold|share|fraction|labelled|confidence|class_prior",
        NUMBERS,
        "a finite number in its range, of any type",
    ),
    (".*", "progress|all|stratified|group_batches", "True|np\\.bool", "it is True or False"),
    ("load_transfer", "path", "empty text", "a folder, the one where this runs: made-up tasks need nothing in it"),
    (".*", VECTORS, "tensor \\[4, 3\\]|array|tensor of int", "vectors of the right shape"),
    (
        ".*",
        VECTORS,
        "tensor without columns|empty tensor",
        "vectors of no dimension, or none: the loss of nothing is 0 and has a graph",
    ),
    (".*", VECTORS, "tensor of NaN", "NaN in, NaN out: `fit` stops at such a loss and names the step"),
    ("cross_entropy|nn_pu", "logits", "tensor of inf|huge tensor", "an infinite logit is the limit of large ones"),
    (
        "cosine_matrix|covariance_spectrum|geometry|isoscore|pair_cosines|random_pair_cosines|without_top_directions",
        VECTORS,
        "huge tensor",
        "float64 holds the lengths",
    ),
    (
        "aggregate|resample|swapped_differences|spearman|pearson|interval",
        ".*",
        "tensor \\[3\\]|tensor of bool|NaN in a list|a list of None|numbers|series",
        "numbers, one for each pair; an undefined resample is NaN or None",
    ),
    ("resample|swapped_differences", "seed", "empty list|numbers", "several seeds, as documented"),
    ("delete_words", "rng", "0|-1|np\\.int64", "Python's own generator takes any whole number"),
    ("augment", "rng", ".*", "a copy draws nothing, see its docstring"),
    ("augment|delete_words", "sentence", "text|half a character|long text|NUL", "text is text, whatever it is"),
    ("Encoder.encode|Encoder.tokenize", "sentences", "texts|array of text", "sentences in an order"),
    (
        "evaluate_sts",
        "average_over",
        "empty list|texts|array of text|empty tensor",
        "names; the report says which are missing",
    ),
    ("fit", "callback", "a class|a function", "it can be called"),
    ("fit", "data", "texts", "unsupervised SimCSE takes sentences"),
    (
        "hide_labels|count_priors|supcon_relations|mix_rows",
        "labels",
        "numbers|series|empty list|empty tensor",
        "whole numbers, one for each row",
    ),
    ("effective_rank", "spectrum", "empty list|series", "shares that sum to 1, or no direction at all"),
    ("geometry", "threshold", ".*", "a finite number"),
    ("recipe", "name", "text", "the value is the name of a recipe"),
    ("stream_of", "rows", ".*", "rows may be elements of any kind; `fit` says which it takes"),
    ("stream_of", "name", ".*", "any name that is text"),
]
PASSES = {
    **hostile_own.PASSES,
    ("stream_of", "rows", "a function"): "the reader's own function failed: its own error passes through",
}


def outcome(name: str, argument: str, value: str) -> tuple[str, str]:
    """("sentence" | "returned" | "offender", what was said) of one case."""
    call = calls()[name]
    hostile = VALUES[value]() if value in MADE_ANEW else VALUES[value]
    spoken = io.StringIO()
    try:
        with warnings.catch_warnings(), redirect_stdout(spoken), redirect_stderr(spoken):
            warnings.simplefilter("ignore")
            call.function(**{**call.good, argument: hostile})
    except KitError as error:
        said = str(error)
        words = f"{argument}|{argument.replace('_', ' ')}|{call.names.get(argument, argument)}"
        if "\n" in said or len(said) > 2000:
            return "offender", f"more than a sentence: {said[:300]!r}"
        if not re.search(words, said):
            return "offender", f"does not name {argument}: {said}"
        return "sentence", said
    except Exception as error:
        if why := PASSES.get((name, argument, value)):
            return "returned", why
        return "offender", f"{type(error).__name__}: {str(error)[:200]!r}"
    reasons = [
        why
        for f, a, v, why in [*ALLOWED, *hostile_own.ALLOWED, *hostile_rest.ALLOWED]
        if re.fullmatch(f, name) and re.fullmatch(a, argument) and re.fullmatch(v, value)
    ]
    return ("returned", reasons[0]) if reasons else ("offender", "returned, and nobody says why it may")
