"""What decides between two ways of computing: their own work, not who else is at work."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
import torch

from kit.fast.stopwatch import least_seconds, seconds


def test_ways_take_turns_on_one_thread_and_the_first_round_is_left_out(
    two_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, times = [], iter([1, 1, 7, 4, 5, 6])

    def timed(way) -> float:
        seen.append((way(), torch.get_num_threads()))
        return next(times)

    monkeypatch.setattr("kit.fast.stopwatch.seconds", timed)
    assert least_seconds(lambda: "a", lambda: "b", rounds=2) == [5, 4]
    assert seen == [("a", 1), ("b", 1)] * 3
    assert torch.get_num_threads() == 2


def test_the_number_of_threads_comes_back_after_an_error(two_threads: None) -> None:
    with pytest.raises(ZeroDivisionError):
        least_seconds(lambda: 1 / 0)
    assert torch.get_num_threads() == 2


@pytest.mark.skipif(sys.platform == "win32", reason="its clock of a thread ticks every 16 ms")
def test_waiting_is_no_work() -> None:
    assert seconds(lambda: time.sleep(0.05)) < 0.025
    assert seconds(lambda: sum(range(10**6))) > 0.001


@pytest.mark.skipif(sys.platform == "win32", reason="its clock of a thread ticks every 16 ms")
def test_busy_programs_do_not_decide() -> None:
    """A product takes about as much work beside as many busy programs as there are processors as without them."""
    a, b = torch.ones(512, 256), torch.ones(256, 256)

    def work() -> tuple[float, float]:
        small, large = least_seconds(lambda: a[:128] @ b, lambda: a @ b, rounds=30)
        return small, large

    small, large = work()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(torch.get_num_threads() + 1)]
    try:
        time.sleep(0.2)
        beside_small, beside_large = work()
    finally:
        for program in busy:
            program.kill()
    for quiet, beside in ((small, beside_small), (large, beside_large)):
        assert beside < 2.5 * quiet
    assert small < large and beside_small < beside_large
