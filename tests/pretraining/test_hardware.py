"""What long runs ask of the machine, and the schedule that lets a run be made longer."""

from __future__ import annotations

import pytest

from kit.pretraining.hardware import tune_malloc
from kit.pretraining.pretrain import warmup_stable_decay


def test_tuning_malloc_is_harmless_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    def absent(name: str) -> None:
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "CDLL", absent)
    assert tune_malloc() is False


def test_the_schedule_that_is_stable_until_it_falls() -> None:
    stable = [warmup_stable_decay(step, 10, 4, decay=0.4) for step in range(11)]
    assert stable == pytest.approx([1 / 4, 2 / 4, 3 / 4, 1, 1, 1, 1, 3 / 4, 2 / 4, 1 / 4, 0])
    assert [warmup_stable_decay(step, 10, 4) for step in range(7, 11)] == pytest.approx([1, 1, 1 / 2, 0]), "a fifth"
    longer = [warmup_stable_decay(step, 100, 4, decay=0.4) for step in range(61)]
    assert longer[:7] == stable[:7] and longer[6:] == [1] * 55, "until the fall nothing depends on the steps in all"
