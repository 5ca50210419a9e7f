"""Positives made without an annotator: a copy, words deleted, or words replaced by synonyms.

    copy            the sentence itself; dropout makes the difference
    delete_words    words are drawn at random and deleted; the punctuation stays
    replace_synonyms  the words of WordNet's most usual sense, in the form of the word replaced

SupMPN (Dehghan & Amasyali 2022, Appendix A) fills missing positives with each of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from kit import extensions
from kit.checks.argument_checks import checked
from kit.checks.sentences import is_blank
from kit.errors import KitError, check_name
from kit.number_checks import fraction, whole_number

_WORD = re.compile(r"\w+(?:['’\-]\w+)*")


@checked
def copy(sentence: str, share: float = 0.0, rng: random.Random | int = 0) -> str:
    """The sentence itself. Takes `share` and `rng` only to have the same signature as the other augmenters."""
    _check(sentence, share)
    return sentence


@checked
def delete_words(sentence: str, share: float = 0.1, rng: random.Random | int = 0) -> str:
    """The sentence without a `share` of its words, drawn by `rng`; its punctuation stays.

    At least one word is deleted and at least one stays, so a sentence of one word is unchanged.
    rng: a seed, or a `random.Random` that goes on from call to call.
    Source: SupMPN, Appendix A (10 %). Errors: `KitError` for no text or a share outside [0, 1].
    """
    _check(sentence, share)
    between, words = _split(sentence)
    count = min(_count(share, len(words)), len(words) - 1)
    if count < 1:
        return sentence
    deleted = set(_random(rng).sample(range(len(words)), count))
    return _join(between, ["" if i in deleted else word for i, word in enumerate(words)])


@checked
def replace_synonyms(sentence: str, share: float = 0.2, rng: random.Random | int = 0) -> str:
    """The sentence with a `share` of its words replaced by synonyms from WordNet, drawn by `rng`.

    A synonym takes the form of the word it replaces (plural, -s, -ing, -ed), its capital, and an article before it.
    Function words stay. WordNet does not know which sense is meant: the most usual one is taken, and is sometimes
    wrong. Where no word has a synonym the sentence is unchanged.
    Source: SupMPN, Appendix A (20 %). Errors: as `delete_words`, and where WordNet is not installed.
    """
    english = extensions.english()
    _check(sentence, share)
    rng = _random(rng)
    between, words = _split(sentence)
    wanted, order = _count(share, len(words)), list(range(len(words)))
    rng.shuffle(order)
    for i in order:
        synonyms = english.synonyms(words[i].lower()) if wanted else ()
        if synonyms:
            wanted -= 1
            chosen = rng.choice(synonyms)
            words[i] = chosen.capitalize() if words[i][0].isupper() else chosen
            if i and words[i - 1] in ("a", "an", "A", "An"):
                fitting = english.article(chosen)
                words[i - 1] = fitting.capitalize() if words[i - 1][0].isupper() else fitting
    return _join(between, words)


AUGMENTERS: dict[str, Callable[..., str]] = {"copy": copy, "delete": delete_words, "synonyms": replace_synonyms}
SHARES = {"copy": 0.0, "delete": 0.1, "synonyms": 0.2}  # as in SupMPN's Appendix A


def augment(sentence: str, how: str, rng: random.Random | int = 0) -> str:
    """`sentence` under the augmenter called `how` ("copy", "delete", "synonyms"), with the paper's share. Lesson 05."""
    check_name("way to augment", how, AUGMENTERS)
    return AUGMENTERS[how](sentence, SHARES[how], rng)


def _check(sentence: object, share: object) -> None:
    if not isinstance(sentence, str) or is_blank(sentence):
        raise KitError(f"expected a sentence to augment, got {sentence!r}: give text that is not blank.")
    fraction("a share of the words", share, hint="0.1 is every tenth")


def _random(rng: random.Random | int) -> random.Random:
    return rng if isinstance(rng, random.Random) else random.Random(whole_number("rng", rng, hint="give a seed"))


def _count(share: float, words: int) -> int:
    """How many of so many words: the share rounded, and where there is a share at least one."""
    return max(1, round(share * words)) if share and words else 0


def _split(sentence: str) -> tuple[list[str], list[str]]:
    """The words, and what stands before, between and behind them (one more than words)."""
    return _WORD.split(sentence), _WORD.findall(sentence)


def _join(between: list[str], words: list[str]) -> str:
    """Words and the text between them joined again, without the double spaces that deleted words leave."""
    text = between[0]
    for word, after in zip(words, between[1:]):
        # A deleted word takes one space with it: the one behind, or else the one before.
        if not word and after[:1].isspace():
            after = after[1:]
        elif not word:
            text = text.rstrip()
        text += word + after
    return text.strip()
