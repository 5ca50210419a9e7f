"""A vocabulary of 90 word pieces, of which those from 60 on continue a word."""

from __future__ import annotations

import torch

from kit.pretraining.compact_bert import Size
from kit.pretraining.windows import Frame
from kit.training.masking import Pieces

PAD, UNK, CLS, SEP, MASK = range(5)
V = 90
FRAME, ONE_LAYER = Frame(CLS, SEP, PAD), Size(1, 64)
PIECES = Pieces(continues=torch.arange(V) >= 60, special=torch.arange(V) < 5, mask_id=MASK, first_word_id=5)
