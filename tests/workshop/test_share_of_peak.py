"""The share of the machine's peak that training reaches: measured, over what the formula allows."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch

from kit.course.papers.step_cost import Shape
from kit.errors import KitError
from kit.workshop import share_of_peak
from kit.workshop.share_of_peak import random_bert, share_reached

SMALL = Shape(layers=3, hidden=32, vocabulary=50, positions=64)


def test_the_turn_that_warms_up_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of which the first turn takes a second and the next two: 4 sentences are 2 a second."""
    reads = iter([0.0, 1.0, 10.0, 12.0])
    monkeypatch.setattr(share_of_peak, "time", SimpleNamespace(perf_counter=lambda: next(reads)))
    monkeypatch.setattr(share_of_peak, "matrix_throughput", lambda *_, **__: 1e9)
    assert share_reached(SMALL, tokens=8, sentences=4, repetitions=1).measured == 2.0


@pytest.mark.slow
def test_the_share_reached_here_is_measured_over_allowed() -> None:
    """And torch's random state is left as it was."""
    before = torch.get_rng_state()
    random_bert(SMALL)
    assert torch.equal(before, torch.get_rng_state())
    found = share_reached(SMALL, tokens=8, sentences=4, repetitions=3)
    assert found.share == pytest.approx(found.measured / found.at_peak), "all figures are of one repetition"
    assert found.share > 0 and math.isfinite(found.peak)
    assert found.at_peak == pytest.approx(found.peak / SMALL.flops(8))
    with pytest.raises(KitError, match="expected sentences of 1 or more, got 0"):
        share_reached(SMALL, sentences=0)
