"""A vocabulary of 90 word pieces, of which those from 60 on continue a word; and a run that ends in its middle."""

from __future__ import annotations

import os
import runpy
import signal
import sys
from pathlib import Path

import torch

from kit.pretraining import pretrain as run
from kit.pretraining.compact_bert import SIZES, Size
from kit.pretraining.windows import Frame
from kit.training.masking import Pieces
from tests.forks import say_into

PAD, UNK, CLS, SEP, MASK = range(5)
V = 90
FRAME, ONE_LAYER = Frame(CLS, SEP, PAD), Size(1, 64)
PIECES = Pieces(continues=torch.arange(V) >= 60, special=torch.arange(V) < 5, mask_id=MASK, first_word_id=5)


def end_at_step_seven(how: signal.Signals, script: Path, options: list[str], said: Path) -> None:
    """scripts/pretrain.py in a process of its own, which gets the signal `how` between the checkpoints of 4 and 8."""
    say_into(said)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits "ignore"
    draw = run.draw_batch

    def draw_or_end(stream, frame, step, tokens, seed):
        if step == 7:
            os.kill(os.getpid(), how)
        return draw(stream, frame, step, tokens, seed)

    SIZES["kit-bert-tiny"], run.draw_batch, run.matrix_throughput = ONE_LAYER, draw_or_end, lambda *_: 1e12
    sys.argv = ["pretrain.py", *options]
    runpy.run_path(str(script), run_name="__main__")
