"""Pieces side by side: all of them, as one thread computes them, and nothing left behind."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import torch

from kit.fast.microbatches import PASS_TOKENS
from kit.fast.streams import LEAST, in_streams
from tests.tiny import tiny_encoder


def test_every_piece_comes_once_with_its_own_result(two_threads: None) -> None:
    pieces = list(range(20))
    assert sorted(in_streams(lambda piece: piece**2, pieces)) == [(piece, piece**2) for piece in pieces]


def test_each_runs_on_one_thread_and_without_gradients(two_threads: None) -> None:
    weight = torch.ones(2, requires_grad=True)
    for _, (threads, product) in in_streams(lambda piece: (torch.get_num_threads(), weight * piece), range(20)):
        assert threads == 1 and not product.requires_grad
    assert torch.get_num_threads() == 2


def test_few_pieces_are_parted_among_all_threads(two_threads: None) -> None:
    few = range(2 * LEAST - 1)
    assert [made for _, made in in_streams(lambda piece: torch.get_num_threads(), few)] == [2] * len(few)


def test_an_error_is_that_of_the_piece_and_the_threads_come_back(two_threads: None) -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_streams(lambda piece: 1 / piece, range(20)))
    assert torch.get_num_threads() == 2


def test_who_stops_early_leaves_the_rest_undone(two_threads: None) -> None:
    begun, told = [], threading.Event()

    def work(piece: int) -> None:
        begun.append(piece)
        assert piece == 99 or told.wait(60)  # all but the first wait until nobody wants them any more

    found = in_streams(work, range(100))
    next(found)
    threading.Timer(0.2, told.set).start()
    found.close()
    assert len(begun) <= 3 and torch.get_num_threads() == 2


def test_encoded_side_by_side_the_vectors_are_those_of_one_thread(two_threads: None, tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path)
    texts = [" ".join(["a dog runs"] * (1 + number % 9)) for number in range(PASS_TOKENS)]
    side_by_side = encoder.encode(texts)
    torch.set_num_threads(1)
    assert torch.equal(side_by_side, encoder.encode(texts))


def test_an_encode_that_is_interrupted_gives_the_threads_back(
    two_threads: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tqdm.auto

    def interrupt(bar: object, rows: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tqdm.auto.tqdm, "update", interrupt)
    encoder, before = tiny_encoder(tmp_path), set(threading.enumerate())  # threads of other tests may end meanwhile
    with pytest.raises(KeyboardInterrupt) as kept:  # as a notebook keeps it
        encoder.encode(["a dog runs"] * PASS_TOKENS)
    begun = [
        thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("ThreadPool")
    ]
    assert kept.tb is not None and torch.get_num_threads() == 2 and not begun
