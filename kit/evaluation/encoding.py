"""Encode texts for an evaluation, with any encoder, each distinct text once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from kit.checks.argument_checks import check_texts, checked
from kit.errors import KitError
from kit.evaluation.vectors import as_matrix


def check_encoder(encoder: Any) -> None:
    """Raise KitError unless `encoder` has a method `encode(sentences)`."""
    # a string has a method encode too, but one that makes bytes
    if isinstance(encoder, str) or not callable(getattr(encoder, "encode", None)):
        raise KitError(
            f"expected an encoder with a method encode(sentences), but got "
            f"{type(encoder).__name__}: give load_encoder(...) or a SentenceTransformer."
        )


def encode_distinct(
    encoder: Any, texts: Iterable[str], batch_size: int = 64, progress: bool = False
) -> tuple[np.ndarray, dict[str, int]]:
    """Vectors float64 [distinct, dim] from one call of `encode`, and the row of each text in them.

    Shortest first, so that a batch holds little padding. `batch_size` and `progress` (or `show_progress_bar`) are
    passed on where the encoder's signature has them. Raises KitError for what is no encoder, and for an encoder that
    does not return one finite vector for each text.
    """
    check_encoder(encoder)
    texts = check_texts("sentences", texts)
    distinct = sorted(set(texts), key=lambda text: (len(text), text))
    offered = {"batch_size": batch_size, "progress": progress, "show_progress_bar": progress}
    accepted = inspect.signature(encoder.encode).parameters
    options = {name: value for name, value in offered.items() if name in accepted}
    vectors = as_matrix(encoder.encode(distinct, **options))
    if len(vectors) != len(distinct):
        raise KitError(
            f"expected one vector for each of {len(distinct)} sentences, but the encoder returned {len(vectors)}."
        )
    return vectors, {text: index for index, text in enumerate(distinct)}


class Repaired:
    """Any encoder followed by a repair, from tensors [n, dim]; it has `encode`, so it is measured too. Lesson 02."""

    def __init__(self, encoder: Any, repair: Callable) -> None:
        check_encoder(encoder)
        self.encoder, self.repair = encoder, repair

    @checked
    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        import torch

        vectors, row = encode_distinct(self.encoder, sentences, batch_size, progress)
        return self.repair(torch.from_numpy(vectors[[row[text] for text in sentences]]).float())
