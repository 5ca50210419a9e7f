"""Masking as in Devlin et al. 2019, section 3.1, by whole words as in their later code, anew for every batch.

15 % of the word pieces are chosen, whole words at a time; of the chosen, 80 % become
[MASK], 10 % a random piece, 10 % stay. Everything is a tensor operation of fixed shape, so
the same lines run on a GPU, inside a compiled graph, and on a laptop.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

IGNORE = -100  # the target of a slot that holds no masked position


@dataclass(frozen=True)
class Pieces:
    """What masking must know of a vocabulary, as lookup tables over token ids.

    continues: [V] bool, pieces such as '##ing'; special: [V] bool, never masked. Lesson 07.
    """

    continues: torch.Tensor
    special: torch.Tensor
    mask_id: int
    first_word_id: int  # random replacements are drawn from here to the end of the vocabulary

    @classmethod
    def of(cls, tokenizer, device: torch.device | str = "cpu") -> Pieces:
        tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
        specials = set(tokenizer.all_special_ids)
        last_word = max(set(range(len(tokens))) - specials)
        return cls(
            torch.tensor([t.startswith("##") for t in tokens], device=device),
            torch.tensor([i in specials for i in range(len(tokens))], device=device),
            tokenizer.mask_token_id,
            max(i for i in specials if i < last_word) + 1,  # not behind one that stands at the end
        )


def mask_whole_words(
    ids: torch.Tensor, pieces: Pieces, share: float = 0.15, generator: torch.Generator | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Choose whole words at random, up to `share` of each row's word pieces, and hide them.

    ids: [rows, length] token ids; special tokens and padding are never chosen. Returns (inputs [rows, length],
    positions [rows, slots], targets [rows, slots]), where slots is `share` of the length, rounded; a slot that no piece
    needs has target −100. A row's budget is `share` of its real pieces, rounded, at least 1; a word that would not fit
    whole into what is left of it is left out, so that slightly less than `share` is masked. Lesson 07.
    """
    rows, length = ids.shape
    slots = max(1, round(share * length))
    rand = {"generator": generator, "device": ids.device}

    # one random key for each word, shared by its pieces; special tokens come last of all
    word = (~pieces.continues[ids]).cumsum(1) - 1  # [rows, length]
    key = torch.rand(rows, length + 1, **rand).gather(1, word.clamp(min=0))
    key = key.masked_fill(pieces.special[ids], 2.0)
    key, order = key.sort(dim=1)  # smallest keys first

    # the budget follows the number of real pieces; a word cut by its edge shares its key
    # with the first piece outside, and is dropped
    real = (key < 2.0).sum(1)
    budget = (share * real).round().long().clamp(1, slots)  # [rows]
    edge = key.gather(1, budget[:, None].clamp(max=length - 1))  # first key outside
    slot = torch.arange(slots, device=ids.device)
    chosen = (slot < budget[:, None]) & (key[:, :slots] < edge) & (key[:, :slots] < 2.0)
    positions = order[:, :slots]
    truth = ids.gather(1, positions)
    targets = truth.masked_fill(~chosen, IGNORE)

    # 80 % [MASK], 10 % another piece, 10 % as it was
    dice = torch.rand(rows, slots, **rand)
    other = torch.randint(pieces.first_word_id, len(pieces.special), (rows, slots), **rand)
    shown = torch.where(dice < 0.8, pieces.mask_id, torch.where(dice < 0.9, other, truth))
    return ids.scatter(1, positions, torch.where(chosen, shown, truth).to(ids.dtype)), positions, targets


def masked_cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean − log softmax(logits)[target] over the targets that are not −100, in fp32 at least.

    logits [n, V], targets [n]. As `F.cross_entropy`, but 0 with a gradient where no target is
    left (a short row may hold no word that fits the budget), not NaN.
    """
    scores = logits.to(torch.promote_types(logits.dtype, torch.float32))
    total = F.cross_entropy(scores, targets, ignore_index=IGNORE, reduction="sum")
    return total / (targets != IGNORE).sum().clamp(min=1)
