"""Sentences tokenised by all ranks together: each does its shard, and all get all pieces."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import functional as F

from kit.checks.sentences import check_sentences


class SharedTokens:
    """Stands in for `encoder` where its data is tokenised; the plain twin is `Encoder.tokenize` on every rank.

    ranks: a `kit.scaling.ranks.Ranks`. All of them must be given the same sentences.
    It has a process group of its own, so a thread may tokenise the next buffer of a stream while the ranks train.
    """

    def __init__(self, encoder, ranks: Any):
        self._encoder, self._ranks = encoder, ranks.new_group()

    @property
    def device(self) -> torch.device:
        return self._encoder.device

    def tokenize(self, sentences: list[str]) -> list[list[int]]:
        """As `Encoder.tokenize`. Errors: also `KitError`, on all ranks, where one has other sentences."""
        texts, ranks = check_sentences(sentences, cut=False), self._ranks
        ranks.check_equal("sentences to tokenise", "\0".join(texts))
        shards = [range(rank, len(texts), ranks.size) for rank in range(ranks.size)]
        mine = [texts[i] for i in shards[ranks.rank]]
        rows = self._encoder.tokenize(mine) if mine else []
        lengths = self._gather(torch.tensor([len(row) for row in rows], dtype=torch.int32))
        pieces = self._gather(torch.tensor([piece for row in rows for piece in row], dtype=torch.int32))
        tokens: list[list[int]] = [[]] * len(texts)
        for shard, sizes, part in zip(shards, lengths, pieces):
            for i, row in zip(shard, part.split(sizes.tolist())):
                tokens[i] = row.tolist()
        return tokens

    def _gather(self, numbers: Tensor) -> list[Tensor]:
        """The numbers of every rank; each may have another count."""
        counts = torch.zeros(self._ranks.size, dtype=torch.int64)
        counts[self._ranks.rank] = len(numbers)
        counts = self._ranks.sum(counts)
        most = int(counts.max())
        parts = list(numbers.new_empty(self._ranks.size, most).unbind())
        dist.all_gather(parts, F.pad(numbers, (0, most - len(numbers))), group=self._ranks.group)
        return [part[:count] for part, count in zip(parts, counts.tolist())]
