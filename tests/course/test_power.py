"""Planning against the noncentral t and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import nct, t

from kit.course.papers.power import chance_to_replicate, seeds_to_replicate
from kit.course.papers.rule import effect_of, verdict
from kit.errors import KitError


def test_a_gain_by_the_noncentral_t() -> None:
    for effect, spread, seeds in ((0.8, 0.8, 2), (0.8, 0.8, 7), (0.2, 1.0, 20), (-0.5, 1.0, 5), (3.0, 0.5, 3)):
        expected = nct.sf(t.ppf(0.975, seeds - 1), seeds - 1, effect / spread * seeds**0.5)
        assert chance_to_replicate("above", effect, spread, seeds) == pytest.approx(expected, abs=2e-4)
        assert chance_to_replicate("below", -effect, spread, seeds) == pytest.approx(expected, abs=2e-4)


def test_as_often_as_in_a_simulation() -> None:
    """Effect = spread = 0.8: seven seeds replicate with a chance of 0.60; the margins likewise, by counting."""
    draw = np.random.default_rng(11)
    for rule, effect, spread, seeds, margin in (("above", 0.8, 0.8, 7, None), ("alike", 0.2, 0.6, 8, 1.0)):
        runs = draw.normal(effect, spread, (200_000, seeds))
        mean, half = runs.mean(1), t.ppf(0.975, seeds - 1) * runs.std(1, ddof=1) / seeds**0.5
        inside = mean - half > 0 if rule == "above" else (mean - half > -1.0) & (mean + half < 1.0)
        assert chance_to_replicate(rule, effect, spread, seeds, margin) == pytest.approx(inside.mean(), abs=0.004)
        for one, found in zip(runs[:50], inside):
            assert (verdict(rule, effect_of(one.tolist()), margin) == "replicates") == found
    assert chance_to_replicate("above", 0.8, 0.8, 7) == pytest.approx(0.60, abs=0.005)


def test_the_fewest_seeds() -> None:
    assert seeds_to_replicate("above", 0.8, 0.8) == 10 and seeds_to_replicate("above", 0.8, 0.8, chance=0.93) == 14
    assert seeds_to_replicate("above", 0.0, 0.8) is None and seeds_to_replicate("alike", 0.0, 0.0, margin=1.0) == 2


def test_nonsense_is_told() -> None:
    with pytest.raises(KitError, match="did you mean 'above'"):
        chance_to_replicate("abov", 1, 1, 3)
    with pytest.raises(KitError, match="a margin above 0"):
        chance_to_replicate("alike", 0, 1, 3)
    for spread, seeds in ((-1, 3), (1, 1)):
        with pytest.raises(KitError, match="a spread of 0 or more"):
            chance_to_replicate("above", 1, spread, seeds)
