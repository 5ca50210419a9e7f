"""Similar or not: the four shares, and the predictions of a pair classifier."""

from __future__ import annotations

import random

import pytest
import torch

from kit.errors import KitError
from kit.evaluation import BinaryScores, binary_scores, classify_pairs
from kit.losses import PairClassifier


def test_by_counting() -> None:
    """Of five similar pairs three are found, and one is claimed that is none."""
    scores = binary_scores([1, 1, 1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 1, 0, 0, 0])
    assert (scores.accuracy, scores.precision, scores.recall) == (62.5, 75.0, 60.0)
    assert scores.f1 == pytest.approx(200 * 0.75 * 0.6 / (0.75 + 0.6))
    assert (scores.positive, scores.pairs) == (62.5, 8)


def test_as_scikit_learn_has_it() -> None:
    from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

    rng = random.Random(0)
    for _ in range(30):
        pairs, bias = rng.randint(1, 40), rng.random()
        gold, said = ([int(rng.random() < bias) for _ in range(pairs)] for _ in range(2))
        scores = binary_scores(said, gold)
        theirs = [f(gold, said, zero_division=0) for f in (precision_score, recall_score, f1_score)]
        assert [scores.accuracy, scores.precision, scores.recall, scores.f1] == pytest.approx(
            [100 * accuracy_score(gold, said), *(100 * share for share in theirs)]
        )


def test_a_share_of_nothing_is_zero() -> None:
    assert binary_scores([0, 0], [0, 1]) == BinaryScores(50.0, 0.0, 0.0, 0.0, 50.0, 2, 0.0)
    assert binary_scores([0, 0], [0, 0]).recall == 0


def test_the_sentence_names_what_always_the_same_answer_gives() -> None:
    said = binary_scores([1, 1, 1, 0], [1, 1, 1, 1]).summary()
    assert (
        "Of 4 pairs 75.0 % were classified correctly (always the same answer: 100.0 %)" in said
        and "recall 75.0 %" in said
    )
    assert binary_scores([1, 0], [1, 0]).as_dict()["f1"] == 100.0


def test_there_is_no_precision_where_nothing_is_called_similar() -> None:
    scores = binary_scores([0, 0], [1, 0])
    assert scores.called == 0 and "none was called similar, so no precision, recall 0.0 %" in scores.summary()
    assert "precision 0.0 %" in binary_scores([1, 0], [0, 1]).summary(), "called so, and wrong"


def test_bad_input_is_one_sentence() -> None:
    for said, gold, words in [
        ([], [], "an answer for each label, and one at least, got 0 and 0"),
        ([1], [1, 0], "got 1 and 2"),
        ([2], [1], "expected answers 0 .not similar. or 1 .similar., got 2"),
        ([1], [-1], "expected labels 0 .* got -1"),
        ([0.5], [1], "got 0.5"),
        (["1"], [1], "got '1'"),
    ]:
        with pytest.raises(KitError, match=words):
            binary_scores(said, gold)


class Counting:
    """An encoder whose vector is (length, number of a's), and that counts what it encodes."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, sentences: list[str]) -> torch.Tensor:
        self.seen += sentences
        return torch.tensor([[float(len(text)), float(text.count("a"))] for text in sentences])


def test_pairs_are_classified_by_the_head_and_sentences_encoded_once() -> None:
    def same_length(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        apart = (u - v).abs()[:, :1]
        return torch.cat([apart, 0.5 - apart], dim=1)  # class 1 where the lengths agree

    encoder = Counting()
    assert classify_pairs(encoder, same_length, ["ab", "abc", "ab"], ["xy", "x", "abcd"]) == [1, 0, 0]
    assert sorted(encoder.seen) == ["ab", "abc", "abcd", "x", "xy"]
    assert classify_pairs(encoder, same_length, [], []) == []


def test_with_a_head_of_the_kit_the_classes_are_its_largest_logits() -> None:
    torch.manual_seed(0)
    head, encoder = PairClassifier(2, classes=3, product=True, hidden=5, activation=torch.nn.ELU()), Counting()
    first, second = ["a", "banana", "xyz"], ["aa", "b", "xyzzy"]
    logits = head(encoder.encode(first), encoder.encode(second))
    assert classify_pairs(encoder, head, first, second) == logits.argmax(dim=1).tolist()


def test_an_encoder_may_give_arrays_or_lists() -> None:
    class Listed(Counting):
        def encode(self, sentences: list[str], prompt_name: str | None = None) -> list:
            return super().encode(sentences).tolist()

    torch.manual_seed(0)
    head, pairs = PairClassifier(2), (["a", "banana"], ["aa", "b"])
    assert classify_pairs(Listed(), head, *pairs) == classify_pairs(Counting(), head, *pairs)
    with pytest.raises(KitError, match="expected first as a list"):
        classify_pairs(Listed(), head, "one", "two")


def test_two_sentences_a_pair() -> None:
    with pytest.raises(KitError, match="two sentences a pair, got 1 first and 2 second"):
        classify_pairs(Counting(), PairClassifier(2), ["a"], ["b", "c"])
