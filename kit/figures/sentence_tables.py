"""The nearest sentence of a few queries in several spaces: sentences to read, beside the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.errors import KitError
from kit.figures.page_table import PageTable


def neighbour_table(
    spaces: Mapping[str, object], sentences: Sequence[str], queries: Sequence[int], caption: str = ""
) -> PageTable:
    """For each query its nearest other sentence by cosine in each space: one row a query and space.

    spaces: name → vectors [n, dim] of the n sentences, before and after training, say; queries: places in them.
    Errors: `KitError` for another number of vectors than sentences, or a query outside them. Lesson 00.
    """
    from kit.evaluation import cosine_matrix

    n, rows = len(sentences), []
    for query in queries:
        if not 0 <= query < n:
            raise KitError(f"expected queries from 0 to {n - 1}, got {query}: choose places in the sentences.")
    found = {}
    for name, vectors in spaces.items():
        if len(vectors) != n or n < 2:
            raise KitError(f"expected a vector for each of {n} sentences in {name!r}, got {len(vectors)}: encode them.")
        found[name] = cosine_matrix(vectors)
    for query in queries:
        for place, (name, cosines) in enumerate(found.items()):
            nearest = max((j for j in range(n) if j != query), key=lambda j: cosines[query][j])
            shown = sentences[query] if place == 0 else ""
            rows.append((shown, name, sentences[nearest], f"{cosines[query][nearest]:.2f}"))
    return PageTable(("sentence", "space", "its nearest", "cosine"), rows, caption, words=3)
