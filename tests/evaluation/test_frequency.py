"""Nearness and word frequency, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kit.errors import KitError
from kit.evaluation import cosine_matrix, frequency_correlation, mean_log_frequency, nearness, word_counts

COUNTS = {"the": 1000, "boat": 50, "sails": 10, "astrolabe": 1}
SENTENCES = ["The boat", "The boat sails.", "Boat sails", "astrolabe"]


def test_mean_log_frequency_by_hand():
    found = mean_log_frequency(["The boat!", "the zither"], COUNTS)
    log = math.log
    assert found.tolist() == pytest.approx([(log(1001) + log(51)) / 2, (log(1001) + log(1)) / 2])


def test_nearness_is_the_mean_cosine_with_the_others():
    vectors = np.random.default_rng(0).normal(size=(9, 4))
    cosines = cosine_matrix(vectors)
    expected = [np.delete(row, i).mean() for i, row in enumerate(cosines)]
    np.testing.assert_allclose(nearness(vectors), expected, atol=1e-11)


def test_the_correlation_finds_a_space_sorted_by_frequency():
    assert np.argsort(-mean_log_frequency(SENTENCES, COUNTS)).tolist() == [0, 1, 2, 3]
    # a direction they all share, and one of its own for each, the longer the rarer its words
    vectors = np.hstack([np.ones((4, 1)), np.diag([0.1, 0.5, 1.0, 3.0])])
    assert frequency_correlation(vectors, SENTENCES, COUNTS) == pytest.approx(1)
    assert frequency_correlation(vectors[::-1], SENTENCES, COUNTS) == pytest.approx(-1)
    # nearness ranks 4 3 2 1 against 4 3 1 2: Σd² = 2
    swapped = frequency_correlation(vectors[[0, 1, 3, 2]], SENTENCES, COUNTS)
    assert swapped == pytest.approx(1 - 6 * 2 / (4 * 15))


def test_where_all_are_equally_near_it_is_undefined():
    assert frequency_correlation(np.ones((4, 3)), SENTENCES, COUNTS) is None
    assert frequency_correlation(np.eye(4), SENTENCES, COUNTS) is None


def test_bad_input_is_refused():
    for vectors, sentences, counts, message in [
        (np.eye(3), SENTENCES, COUNTS, "each of 3 embeddings, but got 4"),
        (np.eye(4), [*SENTENCES[:3], "?!"], COUNTS, "number 3 has none"),
        (np.eye(4), SENTENCES, {"the": -1}, "negative"),
        (np.ones((1, 4)), SENTENCES[:1], COUNTS, "at least 2 embeddings"),
        (np.ones(4), SENTENCES, COUNTS, r"shape \[n, dim\]"),
        (np.full((4, 2), np.nan), SENTENCES, COUNTS, "NaN or infinity"),
    ]:
        with pytest.raises(KitError, match=message):
            frequency_correlation(vectors, sentences, counts)
    for call in (word_counts, lambda text: mean_log_frequency(text, COUNTS)):
        with pytest.raises(KitError, match="expected sentences as a list.* put it in a list"):
            call("the boat")
    with pytest.raises(KitError, match="expected sentences as a list of text, but number 1 is None"):
        word_counts(["the boat", None])
