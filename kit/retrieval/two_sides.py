"""Queries and documents, each encoded in its own way where an encoder has two: with prompts, or two models in one.

Such an encoder has `encode_query` and `encode_document`, as those of sentence-transformers do, whose evaluators, search
and mining call them. Which prompt is which side's it decides itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from kit.evaluation.encoding import Repaired, check_encoder, encode_distinct


def sides_of(encoder: Any) -> tuple[Any, Any]:
    """(what encodes queries, what encodes documents), both with `encode`: the encoder itself where it has one way.

    A `Repaired` encoder has the ways of the one it repairs, each with the repair. Errors: `KitError` for what is no
    encoder.
    """
    check_encoder(encoder)
    ways = [getattr(encoder, name, None) for name in ("encode_query", "encode_document")]
    if not all(map(callable, ways)):
        return _repaired(encoder) if isinstance(encoder, Repaired) else (encoder, encoder)
    query, document = (SimpleNamespace(encode=way) for way in ways)
    return query, document


def _repaired(encoder: Repaired) -> tuple[Any, Any]:
    query, document = sides_of(encoder.encoder)
    if query is document:
        return encoder, encoder
    return Repaired(query, encoder.repair), Repaired(document, encoder.repair)


def encode_sides(
    encoder: Any, queries: Sequence[str], documents: Sequence[str], batch_size: int = 64, progress: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Vectors float64 [queries, dim] and [documents, dim], in the order given; each distinct text of a side encoded
    once, and once for both where the encoder has one way. Errors: as `encode_distinct`.
    """
    ask, answer = sides_of(encoder)
    if ask is answer:
        vectors, row = encode_distinct(encoder, (*queries, *documents), batch_size, progress)
        both = ((vectors, row), (vectors, row))
    else:
        both = tuple(encode_distinct(*side, batch_size, progress) for side in ((ask, queries), (answer, documents)))
    first, second = (
        found[[row[text] for text in texts]] for (found, row), texts in zip(both, (queries, documents), strict=True)
    )
    return first, second
