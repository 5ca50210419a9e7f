"""Augmenters: what they keep, what they take, and what they refuse."""

from __future__ import annotations

import random
import re

import pytest

from kit.data.augment import AUGMENTERS, SHARES, augment, copy, delete_words, replace_synonyms
from kit.data.twelve import twelve_sentences
from kit.errors import KitError
from kit.world import World

SENTENCES = [
    *World(3).sentences(200),
    *twelve_sentences(),
    "Stop!",
    "(Well, yes.)",
    'He said: "no, no"',
    "It's three o'clock.",
    "A well-known man's hat",
    "...",
    "Go - now",
]
SHARE = [0.0, 0.1, 0.2, 0.5, 1.0]


def words_of(text: str) -> list[str]:
    """Letters, digits, and what binds them inside a word; written apart from the kit's pattern."""
    return [w for w in (part.strip("\"'().,:;!?-") for part in text.split()) if w]


def marks_of(text: str) -> str:
    return re.sub(r"[\w\s]", "", text)


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in part)


def test_deleting_takes_the_share_of_the_words_and_nothing_else() -> None:
    for share in SHARE:
        for seed, sentence in enumerate(SENTENCES):
            made, before, after = (
                delete_words(sentence, share, seed),
                words_of(sentence),
                words_of(delete_words(sentence, share, seed)),
            )
            expected = max(1, round(share * len(before))) if share else 0
            assert len(before) - len(after) == max(0, min(expected, len(before) - 1))
            assert is_subsequence(after, before)
            assert made.strip() == made and made


def test_punctuation_stays_where_it_stood() -> None:
    for seed, sentence in enumerate(SENTENCES):
        if "'" in sentence or "-" in sentence:
            continue  # these marks may belong to a word that goes
        made = delete_words(sentence, 0.4, seed)
        assert marks_of(made) == marks_of(sentence)
        assert not re.search(r"\s[.,:;!?)]|\s\s|[(]\s", made), made


class Chosen(random.Random):
    """Draws what it is told to."""

    def __init__(self, drawn: set[int]) -> None:
        super().__init__()
        self.drawn = drawn

    def sample(self, population, k):
        return list(self.drawn)


def test_what_is_left_around_a_gap() -> None:
    for sentence, gone, expected in [
        ("Rain fell.", {0}, "fell."),
        ("Rain fell.", {1}, "Rain."),
        ("Yes, we can.", {0}, ", we can."),
        ("We (you and I) go", {1}, "We (and I) go"),
        ("We (you and I) go", {3}, "We (you and) go"),
        ("It's late", {0}, "late"),
    ]:
        assert delete_words(sentence, len(gone) / len(words_of(sentence)), Chosen(gone)) == expected


def test_one_word_or_none_is_unchanged() -> None:
    for sentence in ["Stop!", "  word ", "...", "- ?!"]:
        for share in [0.1, 1.0]:
            assert delete_words(sentence, share, 1) == sentence


def test_every_word_has_the_same_chance() -> None:
    rng, sentence = random.Random(0), "one two three four five"
    kept = [set(words_of(delete_words(sentence, 0.2, rng))) for _ in range(2000)]
    for word in sentence.split():
        assert 320 < sum(word not in left for left in kept) < 480  # 400 expected, sd 18


def test_a_seed_repeats_and_a_generator_goes_on() -> None:
    sentence = twelve_sentences()[0]
    assert (
        delete_words(sentence, 0.2, 5)
        == delete_words(sentence, 0.2, random.Random(5))
        == delete_words(sentence, 0.2, 5)
    )
    assert len({delete_words(sentence, 0.2, seed) for seed in range(10)}) > 3
    rng = random.Random(5)
    assert len({delete_words(sentence, 0.2, rng) for _ in range(10)}) > 3
    assert delete_words(sentence) == delete_words(sentence, 0.1, 0)


def test_a_copy_is_a_copy() -> None:
    assert all(copy(sentence) == augment(sentence, "copy", 7) == sentence for sentence in SENTENCES)


def test_the_shares_are_those_of_the_paper() -> None:
    assert SHARES == {"copy": 0, "delete": 0.1, "synonyms": 0.2} and SHARES.keys() == AUGMENTERS.keys()
    assert augment(SENTENCES[0], "delete", 3) == delete_words(SENTENCES[0], 0.1, 3)


def test_bad_input_is_one_sentence() -> None:
    for function in [copy, delete_words, replace_synonyms]:
        for sentence, share, says in [
            ("", 0.1, "expected a sentence to augment, got ''"),
            (" \n", 0.1, "text that is not blank"),
            (None, 0.1, "got None"),
            (["a b"], 0.1, "expected a sentence"),
            ("a b", -0.1, "share of the words from 0 to 1"),
            ("a b", 1.1, "got 1.1"),
            ("a b", True, "got True"),
            ("a b", float("nan"), "got nan"),
            ("a b", "0.1", "got '0.1'"),
        ]:
            with pytest.raises(KitError, match=says):
                function(sentence, share)


def test_an_unknown_way_names_the_known_ones() -> None:
    with pytest.raises(KitError, match="unknown way to augment 'synonym': did you mean 'synonyms'"):
        augment("a dog", "synonym")
