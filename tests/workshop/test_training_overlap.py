"""Test sentences in the training text: counted once each, and their pairs left out."""

from __future__ import annotations

from kit.data import Source, StsTask
from kit.workshop.training_overlap import Overlap, training_overlap, words_of_all

SOURCE = Source("some pairs", "test", "path", "here", "a revision", 4)


def test_sentences_are_counted_and_their_pairs_left_out() -> None:
    rows = [
        ("A dog runs.", "a cat sleeps", 1.0, "one"),
        ("a boat sails", "A boat sails!", 5.0, "one"),
        ("nobody sings", "a DOG runs", 2.0, "two"),
        ("bread is fresh", "the bread is fresh", 4.0, "two"),
    ]
    task = StsTask("STS-B", *map(list, zip(*rows)), SOURCE)
    training = ["a dog, runs", "bread is not fresh", "the cat"]
    for given in (training, words_of_all(training)):
        overlap, clean = training_overlap(task, given)
        assert overlap == Overlap(sentences=6, seen_sentences=1, pairs=4, pairs_with_one=2)
        assert list(zip(clean.sentences1, clean.sentences2, clean.scores, clean.subsets)) == [rows[1], rows[3]]
        assert clean.name == task.name


def test_other_words_are_other_sentences() -> None:
    task = StsTask("STS12", ["a dog runs"], ["a cat runs"], [2.0], ["x"], SOURCE)
    overlap, clean = training_overlap(task, ["a dog runs fast", "dog runs a"])
    assert overlap.seen_sentences == overlap.pairs_with_one == 0 and len(clean) == 1
