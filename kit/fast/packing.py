"""Where each token of some sentences lies: packed end to end, and in the blocks that attention takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional as F

STEP = 16  # sentences of a block are as long as the next multiple of this
# Tokens of a pass, likewise: a product of a new shape is first compiled, at 0.4 ms each in bf16, and kept. In fp32
# it keeps more, so there are fewer shapes: else a batch of many passes would take more memory than one of few.
ROUND, ROUND_FP32 = 128, 256


@dataclass(frozen=True)
class Block:
    """Sentences of like length: `tokens` [rows, length], the place of each in the packed ones; `mask` 1 for a token.

    The first `sentences` rows are sentences, the others empty.
    """

    tokens: Tensor
    mask: Tensor
    sentences: int

    def bias(self, heads: int, dtype: torch.dtype) -> Tensor:
        """What attention adds to its logits, [rows · heads, 1, length]: −∞ at a place without a token."""
        bias = torch.zeros(self.mask.shape, dtype=dtype)
        bias[: self.sentences].masked_fill_(self.mask[: self.sentences] == 0, -math.inf)  # of an empty row: nothing
        return bias.repeat_interleave(heads, dim=0)[:, None]


class Packing:
    """Where each token of some sentences lies: packed one after another, and at the places of the blocks.

    token_ids: `rows` sentences as word pieces, the shortest first. `ids`, `positions` [tokens]: packed. At
    least one filling token comes before them, up to a multiple of `multiple`; fillers are sentences of their
    own, `fillers` in number, that nothing reads: they stand at the places of a block without a token.
    few_shapes: fill the blocks with empty rows up to one of few numbers, see `rounded`.
    """

    def __init__(self, token_ids: list[list[int]], pad_id: int = 0, few_shapes: bool = False, multiple: int = ROUND):
        filling = multiple - sum(map(len, token_ids)) % multiple
        sentences = [[pad_id] * min(STEP, filling - i) for i in range(0, filling, STEP)] + token_ids
        self.rows, self.fillers = len(token_ids), len(sentences) - len(token_ids)
        self.ids = torch.tensor([piece for sentence in sentences for piece in sentence])
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        starts = lengths.cumsum(0) - lengths  # [sentences], the first token of each
        self.positions = torch.arange(len(self.ids)) - starts.repeat_interleave(lengths)
        self.blocks: list[Block] = []
        first = 0
        for length, members in groupby(-(-len(sentence) // STEP) * STEP for sentence in sentences):
            last = first + len(list(members))
            place = torch.arange(length)
            inside = place < lengths[first:last, None]  # [rows, length]
            tokens, mask = torch.where(inside, starts[first:last, None] + place, 0), inside.long()
            empty = rounded(last - first) - (last - first) if few_shapes else 0
            self.blocks.append(Block(F.pad(tokens, (0, 0, 0, empty)), F.pad(mask, (0, 0, 0, empty)), last - first))
            first = last

    def order(self, heads: int) -> tuple[Tensor, Tensor]:
        """From [token, head] to [block, row, head, place] and back: two lists of indices."""
        head = torch.arange(heads)[:, None]
        there = torch.cat([(block.tokens[:, None] * heads + head).flatten() for block in self.blocks])
        real = torch.cat([block.mask[:, None].expand(-1, heads, -1).flatten() for block in self.blocks])
        taken = real.nonzero().flatten()
        back = torch.empty(len(self.ids) * heads, dtype=torch.int64)
        back[there[taken]] = taken
        return there, back


def rounded(rows: int) -> int:
    """The next number of rows of which there are few: a multiple of 8, or of an eighth of the power of two below."""
    step = max(8, 2 ** (rows.bit_length() - 4))
    return -(-rows // step) * step
