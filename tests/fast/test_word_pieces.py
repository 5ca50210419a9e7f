"""Word pieces by looking words up: those of the tokenizer, on texts that are plain and on texts that are not."""

from __future__ import annotations

import random

import pytest
from tokenizers import AddedToken, Tokenizer
from tokenizers.pre_tokenizers import Whitespace

import kit.fast.word_pieces as word_pieces
from kit.encoder import load_encoder

ODD = [
    "Plain words, and (some) marks: it's 3.5% of $20?", "UPPER lower MiXed", "a_b-c/d\\e|f~g`h^i", "[SEP] in [MASK]",
    "café naïve Ünïcode", "日本 text", "tab\there", "line\nbreak", "a\x00b\x7fc", "x" * 130, "zzqqjjxxkk",
    "1234567890" * 12, "…", "'", "@user #tag http://x.y/z?a=b&c=d", "  spaces   inside  ", "emoji 🙂 here",
    "\u00a0no-break\u00a0space",
]  # fmt: skip


def made_up(count: int, seed: int = 0) -> list[str]:
    """Texts of printable ASCII drawn letter by letter, and every tenth an odd one."""
    rng = random.Random(seed)
    letters = [chr(i) for i in range(32, 127)] + list("aeiourstln      ")
    texts = ["a" + "".join(rng.choices(letters, k=rng.randint(1, 60))) for _ in range(count)]
    return [ODD[i // 10 % len(ODD)] if i % 10 == 0 else text for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def backend() -> Tokenizer:
    return load_encoder("kit-bert-tiny").tokenizer.backend_tokenizer


def test_they_are_those_of_the_tokenizer(backend: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = made_up(3000)
    expected = word_pieces.pieces_by_tokenizer(backend, texts)
    seen: list[int] = []
    asked = word_pieces.pieces_by_tokenizer
    monkeypatch.setattr(
        word_pieces, "pieces_by_tokenizer", lambda b, t, special=True: seen.append(len(t)) or asked(b, t, special)
    )
    assert word_pieces.pieces_of(backend, texts) == expected
    assert seen.pop() < 300, "of the last 952 texts it got only those that are not plain or hold a bracket"
    assert word_pieces.pieces_of(backend, texts[:9]) == expected[:9], "few go through the tokenizer"


def test_a_cased_vocabulary_and_other_special_tokens(backend: Tokenizer) -> None:
    texts = [text for text in made_up(1200, 1) if "\x00" not in text]
    cased = Tokenizer.from_str(backend.to_str())
    cased.normalizer = type(backend.normalizer)(lowercase=False)
    cased.add_tokens([AddedToken("~~")])
    assert word_pieces.pieces_of(cased, texts) == word_pieces.pieces_by_tokenizer(cased, texts)
    assert word_pieces.pieces_of(cased, texts) != word_pieces.pieces_of(backend, texts)


def test_another_kind_of_tokenizer_does_it_all_itself(backend: Tokenizer) -> None:
    texts = made_up(1200, 2)
    for change in (lambda one: setattr(one, "pre_tokenizer", Whitespace()), lambda one: one.add_tokens(["aa"])):
        other = Tokenizer.from_str(backend.to_str())
        change(other)
        assert word_pieces.pieces_of(other, texts) == word_pieces.pieces_by_tokenizer(other, texts)


def test_a_word_that_was_added_is_found_in_other_letters_too(backend: Tokenizer) -> None:
    """It is looked for after lower-casing, where its own first letter does not give it away."""
    other = Tokenizer.from_str(backend.to_str())
    other.add_tokens(["qq"])
    texts = ["THE QQ SITS"] * word_pieces.LEAST
    expected = word_pieces.pieces_by_tokenizer(other, texts)
    assert word_pieces.pieces_of(other, texts) == expected != word_pieces.pieces_by_tokenizer(backend, texts)
