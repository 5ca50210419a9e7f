"""Batches of windows and paragraphs, each a function of seed and step."""

from __future__ import annotations

import torch

from kit.pretraining.corpus import Stream
from kit.pretraining.windows import LONG, SHORT, USUAL, draw_batch, kind_of
from tests.pretraining.toy import CLS, FRAME, PAD, SEP


def test_ten_steps_have_three_lengths() -> None:
    kinds = [kind_of(step) for step in range(10)]
    assert sorted(kinds) == [SHORT] + [USUAL] * 8 + [LONG] == [32] + [128] * 8 + [512]
    assert kinds == [kind_of(step) for step in range(730, 740)]


def test_batch_is_a_function_of_seed_and_step(stream: Stream) -> None:
    for step in (0, 4, 9):
        torch.manual_seed(1)
        first = draw_batch(stream, FRAME, step, 2048, seed=5)[0]
        torch.manual_seed(2)
        assert torch.equal(first, draw_batch(stream, FRAME, step, 2048, seed=5)[0])
        assert not torch.equal(first, draw_batch(stream, FRAME, step + 10, 2048, seed=5)[0])
        assert not torch.equal(first, draw_batch(stream, FRAME, step, 2048, seed=6)[0])
        assert first.shape == (2048 // kind_of(step), kind_of(step))


def test_windows_are_framed_pieces_of_the_stream(stream: Stream) -> None:
    for step in (0, 4):
        ids, mask, _ = draw_batch(stream, FRAME, step, 4096, seed=0)
        assert mask is None and ids.dtype == torch.int64
        assert (ids[:, 0] == CLS).all() and (ids[:, -1] == SEP).all()
        windows = stream.tokens.long().unfold(0, ids.shape[1] - 2, 1)
        for row in ids:
            assert (windows == row[1:-1]).all(1).any()


def test_windows_come_evenly_from_all_of_the_stream() -> None:
    length = 20_000
    numbered = Stream(torch.arange(length), torch.tensor([0]), torch.tensor([1]), {})
    starts = torch.cat(
        [draw_batch(numbered, FRAME, step, 4096, seed=0)[0][:, 1] for step in range(40) if kind_of(step) == USUAL]
    )
    quarters = torch.histc(starts.float(), 4, 0, length) / len(starts)
    assert len(starts) > 900 and (quarters - 1 / 4).abs().max() < 0.05
    assert starts.min() < length / 50 and starts.max() > length * 49 / 50 - USUAL


def test_short_batches_are_whole_paragraphs_padded(stream: Stream) -> None:
    ids, mask, _ = draw_batch(stream, FRAME, 9, 32 * 400, seed=0)
    lines = {
        tuple(stream.tokens[s : s + min(n, 30)].tolist())
        for s, n in zip(stream.line_starts.tolist(), stream.line_lengths.tolist())
    }
    seen = set()
    for row, real in zip(ids.tolist(), mask.tolist()):
        n = sum(real)
        assert real == [1] * n + [0] * (32 - n)
        assert row[0] == CLS and row[n - 1] == SEP and row[n:] == [PAD] * (32 - n)
        assert tuple(row[1 : n - 1]) in lines
        seen.add(tuple(row[1 : n - 1]))
    assert len(seen) > 0.9 * len(lines), "every paragraph can be drawn"
    assert {len(line) for line in seen} >= {30}, "long ones are cut to fit"


def test_a_stream_shorter_than_a_window_is_padded_with_its_end(stream: Stream) -> None:
    short = Stream(torch.tensor([5, 6, 7, SEP], dtype=torch.int32), torch.tensor([0]), torch.tensor([3]), {})
    ids, _, _ = draw_batch(short, FRAME, 0, 256, seed=0)
    assert ids[0].tolist() == [CLS, 5, 6, 7] + [SEP] * 124
