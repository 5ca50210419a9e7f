"""The k nearest of many vectors, exactly: blocked products, maxima of groups, and float64 for the last word.

products   corpus × queries in float32, as much at a time as the caches hold, so that memory stays flat
maxima     the k best rows lie in the k groups of 16 rows with the largest maxima: one pass over the scores, none of
           which is kept, and a partial sort of one value in 16
last word  the rows of these groups are scored again, the best of them in float64; equal ones keep their order

So a result depends neither on the size of the blocks, nor on the threads, nor on what other queries come along.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

GROUP = 16  # rows of the corpus of which the maximum is kept
QUERIES = 1024  # in a block
FEW = 8  # queries for which a matrix product is no faster than a plain pass
ROWS = 1024  # of the corpus in a block: 4 MB of scores at most
SLACK = 2  # groups, and candidates, beyond k
DOUBT = 4e-6  # by so much may float32 misjudge the product of two vectors of length 1
CELLS = 2**21  # numbers gathered at a time: they stay in the caches


def top_k(queries: np.ndarray, corpus: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(scores float64, places int64), each [queries, min(k, rows)]: the largest dot products, largest first.

    queries [n, dim], corpus [rows, dim], float32 rows of length 1 or 0; the corpus may be memory-mapped. Equal scores
    come in the order of the corpus.
    """
    k = min(k, len(corpus))
    scores, places = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.int64)
    for start in range(0, len(queries) if k else 0, QUERIES):
        block = slice(start, start + QUERIES)
        scores[block], places[block] = _of_block(np.ascontiguousarray(queries[block]), corpus, k)
    return scores, places


def as_unit(vectors: Any) -> np.ndarray:
    """Rows of length 1 as float32 [n, dim]; a zero vector stays zero. Errors: `KitError` for what is no matrix."""
    from kit.evaluation.vectors import unit_rows

    return unit_rows(vectors).astype(np.float32)


def exact_products(queries: np.ndarray, corpus: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Products in float64 [n, c] of each query with the rows at its places [n, c], one by one: equals stay equal."""
    products = np.empty(places.shape)
    at_a_time = max(1, CELLS // max(1, places.shape[1] * corpus.shape[1]))
    for start in range(0, len(queries), at_a_time):
        block = slice(start, start + at_a_time)
        rows = corpus[places[block]].astype(np.float64)
        rows *= queries[block, None, :]
        products[block] = rows.sum(axis=2)
    return products


def _of_block(queries: np.ndarray, corpus: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    by_groups = len(queries) > FEW and len(corpus) // GROUP > 4 * (k + SLACK)
    places, left_out = (_by_groups if by_groups else _by_scores)(queries, corpus, k + SLACK)
    scores = exact_products(queries, corpus, places)
    first = np.where(np.isnan(scores), np.inf, scores)  # of a damaged row: to be seen, as torch's topk has it
    order = np.lexsort((places, -first))[:, :k]
    scores, places = np.take_along_axis(scores, order, 1), np.take_along_axis(places, order, 1)
    for query in np.flatnonzero(left_out >= scores[:, -1] - DOUBT):  # a row left out may be as good as the last one
        scores[query], places[query] = _above(queries[query], corpus, scores[query, -1] - 2 * DOUBT, k)
    return scores, places


def _by_scores(queries: np.ndarray, corpus: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """(places [n, wanted] of the nearest by float32, the best score left out [n]) from all scores of few queries."""
    # The corpus first, and two columns at least: without AVX-512 other orders take 2 to 4 times as long.
    asked = torch.from_numpy(queries if len(queries) > 1 else queries.repeat(2, axis=0))
    scores = (_tensor(corpus) @ asked.T).T[: len(queries)]
    if wanted >= len(corpus):
        return np.tile(np.arange(len(corpus)), (len(queries), 1)), np.full(len(queries), -np.inf)
    values, places = scores.topk(wanted + 1, dim=1)
    return places[:, :-1].numpy(), values[:, -1].numpy()


def _by_groups(queries: np.ndarray, corpus: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """The same from the maxima of groups, with the rows at the end that fill none."""
    asked, whole, groups = torch.from_numpy(queries), _tensor(corpus), len(corpus) // GROUP
    grouped, rest = whole[: groups * GROUP], whole[groups * GROUP :]
    values, winners = _maxima(asked, grouped).topk(wanted + 1, dim=1)
    winners = winners[:, :-1]  # [n, wanted]
    places = (winners[:, :, None] * GROUP + torch.arange(GROUP)).flatten(1)  # [n, wanted · GROUP]
    scores = torch.empty(places.shape)
    at_a_time = max(1, CELLS // (places.shape[1] * whole.shape[1]))
    for start in range(0, len(asked), at_a_time):
        some = slice(start, start + at_a_time)
        rows = grouped.view(groups, -1).index_select(0, winners[some].flatten())
        torch.bmm(rows.view(-1, places.shape[1], whole.shape[1]), asked[some, :, None], out=scores[some, :, None])
    places = torch.cat([places, torch.arange(len(grouped), len(whole)).expand(len(asked), -1)], dim=1)
    best, kept = torch.cat([scores, asked @ rest.T], dim=1).topk(wanted + 1, dim=1)
    return places.gather(1, kept[:, :-1]).numpy(), torch.maximum(values[:, -1], best[:, -1]).numpy()


def _maxima(queries: torch.Tensor, corpus: torch.Tensor) -> torch.Tensor:
    """[n, groups]: the largest score of each query [n, dim] in every `GROUP` rows of corpus [groups · GROUP, dim]."""
    maxima = torch.empty(len(queries), len(corpus) // GROUP)
    scores = torch.empty(min(ROWS, len(corpus)), len(queries))
    for start in range(0, len(corpus), ROWS):
        rows = corpus[start : start + ROWS]
        grouped = torch.mm(rows, queries.T, out=scores[: len(rows)]).view(-1, GROUP, len(queries))
        maxima[:, start // GROUP : start // GROUP + len(grouped)] = grouped.amax(1).T
    return maxima


def _above(query: np.ndarray, corpus: np.ndarray, least: float, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k best of one query among all rows that float32 puts above `least`."""
    rough = (_tensor(corpus) @ torch.from_numpy(query)).numpy()
    places = np.flatnonzero(rough >= least)[None]
    scores = exact_products(query[None], corpus, places)[0]
    order = np.argsort(-scores, kind="stable")[:k]
    return scores[order], places[0, order]


def _tensor(rows: np.ndarray) -> torch.Tensor:
    """The same memory as a tensor, also where it is a read-only file."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch warns of memory that cannot be written; nobody writes it
        return torch.from_numpy(rows)
