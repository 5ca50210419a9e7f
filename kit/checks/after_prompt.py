"""Texts after the prompts of two sides, which are the same text wherever what stands after the prompts is the same.

So a batch knows the text of an anchor among the documents, although it is tokenised after another prompt there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any


class AfterPrompt(str):
    """A text after a prompt, in all else a text like others. bare: what stands after the prompt."""

    bare: str

    def __new__(cls, prompt: str, bare: str) -> AfterPrompt:
        text = super().__new__(cls, prompt + bare)
        text.bare = bare
        return text

    def __getnewargs__(self) -> tuple[str, str]:
        return self.prompt, self.bare

    @property
    def prompt(self) -> str:
        return self[: len(self) - len(self.bare)]


class KeyedIds(list):
    """The token ids of a text after a prompt. key: equal for equal texts, whatever prompt they stand after."""

    key: tuple[int, ...]


def ids_of(encoder: Any, texts: Iterable[str]) -> dict[str, list[int]]:
    """Distinct text → its token ids, by which `text_key` tells it from others."""
    distinct = list(dict.fromkeys(texts))
    ids = dict(zip(distinct, encoder.tokenize(distinct)))
    if not (prompted := [text for text in distinct if isinstance(text, AfterPrompt)]):
        return ids
    prompts = [prompt for prompt in {text.prompt for text in prompted} if prompt.strip()]
    longest = max((len(row) - 2 for row in encoder.tokenize(prompts)), default=0) if prompts else 0
    seen = max(1, encoder.max_length - 2 - longest)  # pieces of a text that are read after each of the prompts
    bare = list(dict.fromkeys(text.bare for text in prompted))
    keys = {text: tuple(row[1:-1][:seen]) for text, row in zip(bare, encoder.tokenize(bare))}
    for text in prompted:
        ids[text] = KeyedIds(ids[text])
        ids[text].key = keys[text.bare]
    return ids


def text_key(ids: list[int]) -> Hashable:
    """What is equal for equal texts: the ids without those of a prompt that differs from side to side, else all."""
    return ids.key if isinstance(ids, KeyedIds) else tuple(ids)
