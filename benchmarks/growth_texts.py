"""What a reader does with texts of their own, for the curves of benchmarks/growth.py: read, part, find copies, search.

Each function takes how many texts there are, and returns the work to measure, with its data made.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

DIM, QUERIES, WORDS = 128, 100, 10
COPIES = 0.1  # of the texts are another with one word changed


def texts(count: int) -> list[str]:
    """Texts of ten words in which no two are alike by chance, and one in ten is nearly another."""
    rng = random.Random(0)
    rows = [rng.sample(vocabulary(), WORDS) for _ in range(count)]
    for row in range(1, count):
        if rng.random() < COPIES:
            rows[row] = [*rows[rng.randrange(row)][1:], rng.choice(vocabulary())]
    return [" ".join(row) for row in rows]


@cache
def vocabulary() -> list[str]:
    return [f"{first}{second}{third}" for first in "bdfgklmn" for second in "aeiou" for third in "lmnrst"]


class Drawn:
    """An encoder that takes no time: vectors drawn once, a row a text."""

    name = "drawn"

    def __init__(self, rows: list[str]):
        import numpy as np

        drawn = np.random.default_rng(0).standard_normal((len(rows), DIM)).astype(np.float32)
        self.vectors = dict(zip(rows, drawn))

    def encode(self, sentences: list[str]):
        import numpy as np

        return np.stack([self.vectors[sentence] for sentence in sentences])


def pairs(count: int) -> list[tuple[str, str]]:
    rows = texts(2 * count)
    return list(zip(rows[::2], rows[1::2]))


def reading(count: int) -> Callable[[], object]:
    """A file of so many pairs."""
    from kit.owndata import read

    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name) / "pairs.csv"
    file.write_text("\n".join(["anchor,positive", *map(",".join, pairs(count))]) + "\n", "utf-8")
    return lambda: (read(file), folder)[0]  # which holds the folder as long as the work is held


def parting(count: int) -> Callable[[], object]:
    from kit.owndata import read, split

    data = read(pairs(count))
    return lambda: split(data, seed=0)


def finding_copies(count: int) -> Callable[[], object]:
    from kit.owndata import near_duplicates

    rows = texts(count)
    return lambda: near_duplicates(rows)


def searching(count: int) -> Callable[[], object]:
    """The ten nearest of so many vectors, for a hundred queries."""
    import numpy as np

    from kit.retrieval.exact_search import as_unit, top_k

    rng = np.random.default_rng(0)
    corpus, asked = (as_unit(rng.standard_normal((rows, DIM))) for rows in (count, QUERIES))
    return lambda: top_k(asked, corpus, 10)


def mining(count: int) -> Callable[[], object]:
    """Hard negatives for so many anchors, among the positives of all of them."""
    from kit.retrieval import mine_hard_negatives

    both = pairs(count)
    encoder = Drawn([text for pair in both for text in pair])
    anchors, positives = zip(*both)
    return lambda: mine_hard_negatives(encoder, anchors, positives)
