"""The tour's sentences that no cell computes: each held by what it is about."""

from __future__ import annotations

from kit.data.twelve import TWELVE, word_overlap
from kit.encoder import load_encoder
from kit.evaluation import cosine_matrix


def test_in_two_topics_the_words_mislead() -> None:
    """Weather and sport, whose negative shares more words with the anchor than the positive does; the others not."""
    misleading = {
        topic.name
        for topic in TWELVE
        if word_overlap(topic.anchor, topic.negative) > word_overlap(topic.anchor, topic.positive)
    }
    assert misleading == {"weather", "sport"}


def test_a_dot_product_is_many_times_larger_than_a_cosine() -> None:
    sentences = [sentence for topic in TWELVE for sentence in (topic.anchor, topic.positive, topic.negative)]
    for pooling in ("mean", "mean_without_cls"):
        vectors = load_encoder("kit-bert-tiny", pooling=pooling).encode(sentences).double()
        ratio = (vectors @ vectors.T).numpy() / cosine_matrix(vectors)
        assert ratio.min() > 10, "the product of two lengths"
