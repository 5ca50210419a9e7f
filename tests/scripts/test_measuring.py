"""Intervals over seeds, as every result file has them."""

from __future__ import annotations

import pytest
from measuring import mean_interval


def test_interval_over_seeds() -> None:
    figure = mean_interval([1.0, 2.0, 3.0])
    assert figure["mean"] == 2.0 and figure["sd"] == 1.0
    assert figure["high"] - 2.0 == pytest.approx(4.302653 / 3**0.5, rel=1e-6)  # t(0.975, 2) = 4.302653
    assert mean_interval([5.0]) == {"mean": 5.0, "n": 1}
