"""Other looks at one sentence, on its row of token ids: the augmentations of ConSERT, Mirror-BERT and TSDAE.

    cut             some pieces leave                        ConSERT, token cutoff
    shuffle         the pieces change places                 ConSERT, token shuffling
    mask_span       a run of pieces becomes one [MASK]       Mirror-BERT, random span masking
    drop_words      each word leaves with a probability      TSDAE, deletion noise

A row is [CLS], pieces, [SEP]; the two ends always stay where they are. `generator` decides (None: torch's
global one). Dropout, the other augmentation of all three, is a setting of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

Row = list[int]


def cut(row: Row, share: float = 0.15, generator: torch.Generator | None = None) -> Row:
    """The row without `share` of its pieces, at least one; the others keep their order, and one stays.

    Source: ConSERT (Yan et al. 2021), section 3.2, which sets the vectors of those pieces to zero instead.
    """
    count = len(row) - 2
    gone = min(max(1, round(share * count)), count - 1)
    if gone < 1:
        return list(row)
    kept = torch.randperm(count, generator=generator)[gone:].sort().values
    return [row[0], *(row[1 + i] for i in kept.tolist()), row[-1]]


def shuffle(row: Row, generator: torch.Generator | None = None) -> Row:
    """The same pieces in any order.

    Source: ConSERT, section 3.2, which shuffles the position numbers: to a transformer with a mean on top
    that is the same, but that the authors' code moves the two ends as well.
    """
    order = torch.randperm(max(0, len(row) - 2), generator=generator)
    return [*row[:1], *(row[1 + i] for i in order.tolist()), *row[-1:]]


def mask_span(row: Row, span: int, mask_id: int, generator: torch.Generator | None = None) -> Row:
    """The row with `span` neighbouring pieces replaced by one [MASK]; a row with no more pieces is unchanged.

    Source: Mirror-BERT (Liu et al. 2021), section 2, where the span has k characters.
    """
    count = len(row) - 2
    if count <= span:
        return list(row)
    start = 1 + int(torch.randint(count - span + 1, (1,), generator=generator))
    return [*row[:start], mask_id, *row[start + span :]]


def drop_words(row: Row, share: float, continues: Sequence[bool], generator: torch.Generator | None = None) -> Row:
    """The row after each word, with all its pieces, has left with probability `share`; one word stays.

    continues: by token id, whether it goes on with the word before it ('##ing').
    Source: TSDAE (Wang et al. 2021), section 3 (0.6).
    """
    words: list[Row] = []
    for piece in row[1:-1]:
        if words and continues[piece]:
            words[-1].append(piece)
        else:
            words.append([piece])
    stays = torch.rand(len(words), generator=generator) >= share
    if len(words) and not bool(stays.any()):
        stays[torch.randint(len(words), (1,), generator=generator)] = True
    return [*row[:1], *(piece for word, stay in zip(words, stays.tolist()) if stay for piece in word), *row[-1:]]
