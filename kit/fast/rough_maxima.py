"""The largest score in each group of rows, by products in bfloat16: a first look for the exact search.

On a processor that multiplies bfloat16 these products take a fifth of the time of those in float32. How far off they
may be is known, so the search looks again wherever that could change its result.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kit.fast.fused import bf16_pays

ROWS = 2048  # of the corpus in a block
ROUNDED = 2.0**-8  # of a number: so much rounding to bfloat16 changes it at most
SUMMED = 1e-4  # of a sum of a few thousand products in float32: more than that is not lost


def looks_roughly(queries: int, rows: int) -> bool:
    """Whether the first look pays for so many queries and rows of the corpus."""
    return queries >= 64 and rows >= 8 * ROWS and bf16_pays()


def rough_maxima(queries: Tensor, corpus: Tensor, group: int) -> tuple[Tensor, Tensor]:
    """(maxima [n, groups] bfloat16, doubt [n] float32): every true maximum lies within `doubt` of the one given.

    queries [n, dim] and corpus [groups · group, dim], vectors no longer than 1. Plain twin:
    `kit.retrieval.exact_search.group_maxima`. By Cauchy–Schwarz, a product is off by at most the lengths of what
    rounding took away from its two vectors.
    """
    asked, taken = queries.bfloat16(), torch.zeros(())
    maxima = torch.empty(len(queries), len(corpus) // group, dtype=torch.bfloat16)
    products = torch.empty(min(ROWS, len(corpus)), len(queries), dtype=torch.bfloat16)
    for start in range(0, len(corpus), ROWS):
        rows = corpus[start : start + ROWS]
        rounded = rows.bfloat16()
        taken = torch.maximum(taken, torch.linalg.vector_norm(rows - rounded, dim=1).max())
        grouped = torch.mm(rounded, asked.T, out=products[: len(rows)]).view(-1, group, len(queries))
        maxima[:, start // group : start // group + len(grouped)] = torch.amax(grouped, 1).T
    least, most = torch.aminmax(maxima, dim=1)
    lost = torch.linalg.vector_norm(queries - asked, dim=1) * (1 + taken) + taken
    return maxima, lost + 2 * ROUNDED * torch.maximum(-least, most).float() + SUMMED
