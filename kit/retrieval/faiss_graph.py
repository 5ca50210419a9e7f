"""Approximate search by faiss, for collections that are too large for an exact pass; an optional extra.

HNSW (Malkov & Yashunin 2020): a graph of neighbours, walked greedily. It finds most of the nearest, not all; its
candidates are scored again in float64, as the exact search does.
"""

from __future__ import annotations

import numpy as np

from kit.errors import KitError
from kit.retrieval.exact_search import exact_products

LINKS, BUILD, BREADTH = 32, 128, 128  # neighbours of a node; breadth of the search while building, and at least later


class FaissGraph:
    """A graph over unit vectors [n, dim]. Errors: `KitError` where faiss is not installed."""

    def __init__(self, vectors: np.ndarray) -> None:
        try:
            import faiss
        except ImportError as error:
            raise KitError("expected faiss for this engine: pip install faiss-cpu, or take engine='exact'.") from error
        self.vectors = vectors
        self.graph = faiss.IndexHNSWFlat(vectors.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
        self.graph.hnsw.efConstruction = BUILD
        self.graph.add(np.ascontiguousarray(vectors))

    def search(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(scores float64, places) [n, min(k, rows)], best first; place −1 where the walk found fewer."""
        k = min(k, len(self.vectors))
        self.graph.hnsw.efSearch = max(BREADTH, 2 * k)
        _, places = self.graph.search(np.ascontiguousarray(queries), k)
        scores = exact_products(queries, self.vectors, places)
        scores[places < 0] = -np.inf
        order = np.lexsort((places, -scores))
        return np.take_along_axis(scores, order, 1), np.take_along_axis(places, order, 1)
