"""Where each token of some sentences lies: packed end to end, and in the padded blocks that attention takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor
from torch.nn import functional as F

LENGTH_STEP = 16  # a block is as long as its sentences, rounded up to a multiple of this
# Tokens of a micro-batch are rounded up likewise, because a product of a new shape is compiled first and kept
# (more of it in fp32, so there the steps are wider and the shapes fewer).
TOKEN_STEP_BF16, TOKEN_STEP_FP32 = 128, 256


@dataclass(frozen=True)
class Block:
    """Sentences of similar length.

    `tokens` [rows, length]: the index of each token among the packed ones; `mask` [rows, length]: 1 for a token,
    0 for padding. The first `sentences` rows are sentences, the others are padding altogether.
    """

    tokens: Tensor
    mask: Tensor
    sentences: int

    def bias(self, heads: int, dtype: torch.dtype) -> Tensor:
        """What attention adds to its logits, [rows · heads, 1, length]: −∞ for padding (0 in rows without a token)."""
        bias = torch.zeros(self.mask.shape, dtype=dtype)
        bias[: self.sentences].masked_fill_(self.mask[: self.sentences] == 0, -math.inf)
        return bias.repeat_interleave(heads, dim=0)[:, None]


class Packing:
    """Index tables between packed tokens [tokens] and the padded blocks [block, row, length].

    token_ids: sentences as word pieces, sorted by length, the shortest first. `ids` and `positions` [tokens] are
    theirs, end to end, after at least one padding token; with the padding their number is a multiple of
    `multiple`. Padding tokens form `padding_rows` sentences of their own, which fill the places of a
    block that hold no token and whose vectors nobody reads.
    bucket_rows: add rows of padding to each block, up to the next number of `bucketed`, so that shapes repeat.
    """

    def __init__(self, token_ids: list[list[int]], pad_id: int, bucket_rows: bool, multiple: int):
        padding = multiple - sum(map(len, token_ids)) % multiple
        sentences = [[pad_id] * min(LENGTH_STEP, padding - i) for i in range(0, padding, LENGTH_STEP)] + token_ids
        self.rows, self.padding_rows = len(token_ids), len(sentences) - len(token_ids)
        self.ids = torch.tensor([piece for sentence in sentences for piece in sentence])
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        starts = lengths.cumsum(0) - lengths  # [sentences], the first token of each
        self.positions = torch.arange(len(self.ids)) - starts.repeat_interleave(lengths)
        self.blocks: list[Block] = []
        first = 0
        for length, members in groupby(-(-len(sentence) // LENGTH_STEP) * LENGTH_STEP for sentence in sentences):
            last = first + len(list(members))
            place = torch.arange(length)
            inside = place < lengths[first:last, None]  # [rows, length]
            tokens, mask = torch.where(inside, starts[first:last, None] + place, 0), inside.long()
            extra = bucketed(last - first) - (last - first) if bucket_rows else 0
            self.blocks.append(Block(F.pad(tokens, (0, 0, 0, extra)), F.pad(mask, (0, 0, 0, extra)), last - first))
            first = last

    def order(self, heads: int) -> tuple[Tensor, Tensor]:
        """Two lists of indices: from packed [token, head] to [block, row, head, place], and the inverse."""
        head = torch.arange(heads)[:, None]
        index = torch.cat([(block.tokens[:, None] * heads + head).flatten() for block in self.blocks])
        is_token = torch.cat([block.mask[:, None].expand(-1, heads, -1).flatten() for block in self.blocks])
        places = is_token.nonzero().flatten()
        inverse_index = torch.empty(len(self.ids) * heads, dtype=torch.int64)
        inverse_index[index[places]] = places
        return index, inverse_index


def bucketed(rows: int) -> int:
    """`rows` rounded up to one of a few sizes: multiples of 8, or of an eighth of the power of two below."""
    step = max(8, 2 ** (rows.bit_length() - 4))
    return -(-rows // step) * step
