"""Word pieces of many texts: each distinct word is taken apart once, and looked up wherever it comes again.

A BERT tokenizer cuts at spaces and punctuation first, and a word's pieces do not depend on its neighbours. Texts of
printable ASCII, where that cut is one regular expression, are looked up; all others go through the tokenizer.

Plain twin: `encode_batch_fast` of the tokenizer on every text; the ids are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

LEAST = 1024  # texts: of fewer, too few words come again
AT_ONCE = 1024  # texts between two calls of the tokenizer, which limits the memory of its results

_words = re.compile(r"[A-Za-z0-9]+|[!-/:-@\[-`{-~]").findall  # of printable ASCII, each punctuation mark alone


def pieces_of(backend: Tokenizer, texts: list[str]) -> list[list[int]]:
    """Token ids of each text with the special tokens round it, uncut; `backend` neither truncates nor pads."""
    if len(texts) < LEAST or not _cuts_at_spaces_and_marks(backend):
        return pieces_by_tokenizer(backend, texts)
    special = {token.content[0] for token in backend.get_added_tokens_decoder().values()}  # "[" of "[SEP]"
    may_be_special = re.compile("|".join(map(re.escape, special)) or "(?!)").search  # without any: never
    first, last = _round_it(backend)
    as_read = str.lower if backend.normalizer.lowercase else str
    of_word = backend.model.tokenize
    known: dict[str, list[int]] = {}
    found: list[list[int]] = []
    for start in range(0, len(texts), AT_ONCE):
        part = texts[start : start + AT_ONCE]
        plain = [text.isascii() and text.isprintable() and not may_be_special(text) for text in part]
        words = [_words(as_read(text)) if ours else [] for text, ours in zip(part, plain)]
        new = set(chain.from_iterable(words)).difference(known)
        known |= {word: [piece.id for piece in of_word(word)] for word in new}
        others = iter(pieces_by_tokenizer(backend, [text for text, ours in zip(part, plain) if not ours]))
        found += [
            [*first, *chain.from_iterable(map(known.__getitem__, own)), *last] if ours else next(others)
            for own, ours in zip(words, plain)
        ]
    return found


def pieces_by_tokenizer(backend: Tokenizer, texts: Iterable[str], special: bool = True) -> list[list[int]]:
    """The same from the tokenizer alone; special: with the tokens round a text."""
    texts, found = list(texts), []
    for start in range(0, len(texts), AT_ONCE):
        rows = backend.encode_batch_fast(texts[start : start + AT_ONCE], add_special_tokens=special)
        found += [row.ids for row in rows]
    return found


def _cuts_at_spaces_and_marks(backend: Tokenizer) -> bool:
    """Whether it is a BERT tokenizer, whose special tokens all begin with a punctuation mark."""
    return (
        isinstance(backend.model, WordPiece)
        and isinstance(backend.normalizer, BertNormalizer)
        and isinstance(backend.pre_tokenizer, BertPreTokenizer)
        and all(_words(token.content[:1]) == [token.content[:1]] and not token.content[0].isalnum()
                for token in backend.get_added_tokens_decoder().values())
    )  # fmt: skip


def _round_it(backend: Tokenizer) -> tuple[list[int], list[int]]:
    """The ids that the tokenizer puts before and after a text: [CLS] and [SEP]."""
    (inner,), (whole,) = (pieces_by_tokenizer(backend, ["a"], special) for special in (False, True))
    at = next(i for i in range(len(whole)) if whole[i : i + len(inner)] == inner)
    return whole[:at], whole[at + len(inner) :]
