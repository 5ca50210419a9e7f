"""The tour's sentences that no cell computes: each held by what it is about."""

from __future__ import annotations

import pytest
import torch
from prove_evaluation import WHEEL, weights

from kit.data.twelve import TWELVE, twelve_sentences
from kit.encoder import load_encoder
from kit.evaluation import cosine_matrix


def word_overlap(a: str, b: str) -> float:
    """Share of distinct words two sentences have in common (Jaccard), case and stops aside."""
    first, second = ({w.strip(".,").lower() for w in s.split()} for s in (a, b))
    return len(first & second) / len(first | second)


def test_in_two_topics_the_words_mislead() -> None:
    """Weather and sport, whose negative shares more words with the anchor than the positive does; the others not."""
    misleading = {
        topic.name
        for topic in TWELVE
        if word_overlap(topic.anchor, topic.negative) > word_overlap(topic.anchor, topic.positive)
    }
    assert misleading == {"weather", "sport"}


def test_weather_misleads_an_encoder_in_wide_use_too() -> None:
    folder = weights()
    if folder is None:
        pytest.skip(f"NOT COMPARED: the package {WHEEL} is not installed")
    wide, ours = load_encoder(str(folder)), load_encoder("kit-bert-tiny")
    cosines = cosine_matrix(wide.encode(twelve_sentences()))
    right = {topic.name for i, topic in enumerate(TWELVE) if cosines[3 * i, 3 * i + 1] > cosines[3 * i, 3 * i + 2]}
    assert right == {"sport", "phone", "food"}
    assert round(parameters(wide) / parameters(ours)) == 15


def parameters(encoder) -> int:
    return sum(weight.numel() for weight in encoder.parameters())


def test_a_dot_product_is_many_times_larger_than_a_cosine() -> None:
    sentences = [sentence for topic in TWELVE for sentence in (topic.anchor, topic.positive, topic.negative)]
    for pooling in ("mean", "mean_without_cls"):
        vectors = load_encoder("kit-bert-tiny", pooling=pooling).encode(sentences).double()
        ratio = (vectors @ vectors.T).numpy() / cosine_matrix(vectors)
        assert ratio.min() > 10, "the product of two lengths"


def test_a_step_raises_the_lead_and_not_always_the_cosine_with_the_positive() -> None:
    """Positive at 26°, negative at 53° on one side: both cosines fall; the lead of the positive grows in any case."""

    def at(degrees: float) -> torch.Tensor:
        radians = torch.tensor(degrees, dtype=torch.float64).deg2rad()
        return torch.stack([radians.cos(), radians.sin()])

    def cosines(candidates: torch.Tensor, share: float = 0.0) -> torch.Tensor:
        anchor = at(0.0) + share * (candidates[0] - candidates[1])  # a step against w_n/τ · (n − p)
        return candidates @ torch.nn.functional.normalize(anchor, dim=0)

    for angles in ((26.0, 53.0), (26.0, -53.0), (100.0, 10.0), (60.0, 26.0)):
        candidates = torch.stack([at(angle) for angle in angles])
        before, after = cosines(candidates), cosines(candidates, 0.01)
        assert after[0] - after[1] > before[0] - before[1], angles
        assert (after < before).all() == (angles == (26.0, 53.0)), angles
