"""Batches of the token stream, drawn from (seed, step) alone.

Because a batch is a function of the seed and the step number, a run that was killed
resumes with exactly the batches it would have seen, and no sampler state is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.pretraining.corpus import Stream

LONG, USUAL, SHORT = 512, 128, 32


@dataclass(frozen=True)
class Frame:
    """The ids that frame a sequence."""

    cls_id: int
    sep_id: int
    pad_id: int


def kind_of(step: int) -> int:
    """Length of the sequences of batch `step`: of ten, eight have 128, one 512, one 32.

    128 is the work-horse; 512 trains the far position embeddings, so that long spans are
    not out of reach; 32 shows single sentences, framed as they will be when encoded.
    """
    return {4: LONG, 9: SHORT}.get(step % 10, USUAL)


def draw_batch(
    stream: Stream, frame: Frame, step: int, tokens: int, seed: int
) -> tuple[torch.Tensor, torch.Tensor | None, torch.Generator]:
    """Token ids [rows, length], an attention mask (None: nothing is padded), a generator.

    `tokens` is rows × length. 128 and 512: windows of the stream at uniform starts, so in n
    passes over the corpus a token is seen about n times, in ever new surroundings. 32: one
    paragraph from its start, [SEP] after its end, padded.

    The last token of a stream longer than a window stands in no window of 128 or 512, as its start is never drawn.
    From step 100,003 on, seed s draws with the generators that seed s + 1 has from step 0 on.
    """
    device = stream.tokens.device
    generator = torch.Generator(device).manual_seed(seed * 100_003 + step)
    length = kind_of(step)
    rows, room = max(1, tokens // length), length - 2
    offsets = torch.arange(room, device=device)
    if length == SHORT:
        line = torch.randint(len(stream.line_starts), (rows,), generator=generator, device=device)
        starts, wanted = stream.line_starts[line], stream.line_lengths[line].clamp(max=room)
    else:
        last = max(1, len(stream.tokens) - room)
        starts, wanted = torch.randint(last, (rows,), generator=generator, device=device), None
    window = (starts[:, None] + offsets).clamp(max=len(stream.tokens) - 1)
    ids = stream.tokens[window].long()  # [rows, room]
    ids = torch.nn.functional.pad(ids, (1, 1), value=frame.sep_id)
    ids[:, 0] = frame.cls_id
    if wanted is None:
        return ids, None, generator
    place = torch.arange(length, device=device)
    ids = torch.where(place == wanted[:, None] + 1, frame.sep_id, ids)
    mask = place <= wanted[:, None] + 1  # [rows, length]
    return torch.where(mask, ids, frame.pad_id), mask.long(), generator
