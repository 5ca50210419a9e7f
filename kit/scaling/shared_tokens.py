"""Sentences tokenised by all ranks together: each cuts up its share, and all get all pieces."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import functional as F

from kit.encoder.sentences import check_sentences
from kit.scaling.ranks import Ranks


class SharedTokens:
    """Stands in for `encoder` where its data are tokenised. All ranks must be given the same sentences.

    It has a connection of its own, so a thread may tokenise the next pool of a stream while the ranks train.
    """

    def __init__(self, encoder, ranks: Ranks):
        self._encoder, self._ranks = encoder, ranks.beside()

    @property
    def device(self) -> torch.device:
        return self._encoder.device

    def tokenize(self, sentences: list[str]) -> list[list[int]]:
        """As `Encoder.tokenize`. Errors: also `KitError`, on all ranks, where one has other sentences."""
        texts, ranks = check_sentences(sentences), self._ranks
        ranks.agree("sentences to tokenise", "\0".join(texts))
        hands = [range(rank, len(texts), ranks.size) for rank in range(ranks.size)]
        mine = [texts[i] for i in hands[ranks.rank]]
        rows = self._encoder.tokenize(mine) if mine else []
        lengths = self._gather(torch.tensor([len(row) for row in rows], dtype=torch.int32))
        pieces = self._gather(torch.tensor([piece for row in rows for piece in row], dtype=torch.int32))
        found: list[list[int]] = [[]] * len(texts)
        for hand, sizes, part in zip(hands, lengths, pieces):
            for i, row in zip(hand, part.split(sizes.tolist())):
                found[i] = row.tolist()
        return found

    def _gather(self, numbers: Tensor) -> list[Tensor]:
        """The numbers of every rank, which may have as many as it likes."""
        counts = torch.zeros(self._ranks.size, dtype=torch.int64)
        counts[self._ranks.rank] = len(numbers)
        counts = self._ranks.sum(counts)
        most = int(counts.max())
        parts = list(numbers.new_empty(self._ranks.size, most).unbind())
        dist.all_gather(parts, F.pad(numbers, (0, most - len(numbers))), group=self._ranks.group)
        return [part[:count] for part, count in zip(parts, counts.tolist())]
