"""Nearest neighbours before and after training: what an encoder learnt, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.errors import KitError
from kit.figures.caption_numbers import written
from kit.figures.page_table import PageTable


def neighbours_table(encoders: Mapping[str, object], sentences: Sequence[str], queries: Sequence[int]) -> PageTable:
    """The sentence nearest to each query by cosine, itself left out, a column for each encoder.

    encoders: {"before": an Encoder, "after": another}. sentences: those among which is searched, without repeats.
    queries: which of them ask, by index. The caption counts over *all* sentences how many have another nearest
    neighbour in the last encoder than in the first. Errors: `KitError` for fewer than two sentences, repeats, a query
    that is none of them, and no encoder. Lessons 00, 02, 03 and 06.
    """
    import torch

    if not encoders or len(sentences) < 2 or len(set(sentences)) < len(sentences):
        raise KitError("expected an encoder and two or more different sentences: take repeats out first.")
    if not all(0 <= query < len(sentences) for query in queries):
        raise KitError(f"expected queries from 0 to {len(sentences) - 1}, got {list(queries)}.")
    nearest, cosine = {}, {}
    for name, encoder in encoders.items():
        unit = torch.nn.functional.normalize(encoder.encode(list(sentences)).double(), dim=1)
        cosines = (unit @ unit.T).fill_diagonal_(-torch.inf)
        cosine[name], nearest[name] = cosines.max(dim=1)
    rows = [
        [
            sentences[query],
            *(f"{sentences[nearest[name][query]]} ({written(cosine[name][query].item())})" for name in encoders),
        ]
        for query in queries
    ]
    first, *_, last = [*encoders, *encoders]
    moved = (nearest[first] != nearest[last]).sum().item()
    return PageTable(
        ("query", *(f"nearest {name} (cosine)" for name in encoders)),
        rows,
        f"For {moved:,} of {len(sentences):,} sentences, the nearest neighbour under “{last}” is not the one under "
        f"“{first}”.",
        words=1 + len(encoders),
    )
