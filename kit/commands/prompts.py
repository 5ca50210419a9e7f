"""Prompts: what a model puts before queries and before documents, as sentence-transformers notes it beside the weights.

A pair of texts stands for them, of queries and of documents, "" for nothing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from kit.checks.after_prompt import AfterPrompt
from kit.checks.encoder_parts import SETTINGS
from kit.checks.foreign_code import read_settings
from kit.checks.sentences import check_sentences
from kit.encoder import Encoder
from kit.errors import KitError, printable, shown
from kit.owndata import OwnData, OwnValidation
from kit.sharing.cut_vectors import CutEncoder
from kit.storage.atomic import write_atomically

NO_PROMPTS = ("", "")
SIDE = {"anchor": 0, "positive": 1, "negative": 1, "positives": 1, "negatives": 1}  # role → whose prompt


class Prompted:
    """An encoder whose model puts a text of its own before queries, and one before documents; `encode` has neither."""

    def __init__(self, encoder: Any, query: str, document: str) -> None:
        self.encoder, self.source, self.dim = encoder, encoder.source, encoder.dim
        self.query, self.document = query, document

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        """float32 [n, dim]."""
        return self.encoder.encode(sentences, batch_size, progress)

    def encode_query(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        """float32 [n, dim] of queries."""
        return self._after(self.query, sentences, batch_size, progress)

    def encode_document(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        """float32 [n, dim] of documents."""
        return self._after(self.document, sentences, batch_size, progress)

    def _after(self, prompt: str, sentences: list[str], batch_size: int, progress: bool) -> Any:
        texts = check_sentences(sentences, cut=False)  # with a prompt before it no text is blank
        return self.encode([prompt + text for text in texts], batch_size, progress)


class PromptedValidation(OwnValidation):
    """Rows to validate on, of which an encoder being trained encodes the queries and documents after their prompts."""

    def __init__(self, data: OwnData, prompts: tuple[str, str]) -> None:
        super().__init__(data)
        self.prompts = prompts

    @property
    def described(self) -> str:
        """With the prompts: figures after others are not of the same run."""
        return f"{super().described} {sentence(self.prompts)}"

    def report(self, encoder: Any, name: str = "", resamples: int = 1000, seed: int = 0) -> Any:
        """As `OwnValidation.report`; what is not the bare encoder has its own way with prompts."""
        return super().report(with_prompts(encoder, self.prompts), name, resamples, seed)


def with_prompts(encoder: Any, prompts: tuple[str, str]) -> Any:
    """A bare encoder with the prompts where there are any; whatever else as it is."""
    return Prompted(encoder, *prompts) if any(prompts) and isinstance(encoder, Encoder | CutEncoder) else encoder


def prompts_of(settings: dict) -> tuple[str, str]:
    """The prompts in the settings of a model. Errors: `KitError` for what are no texts."""
    prompts = settings.get("prompts") or {}
    # That library looks for "document", then "passage", then "corpus", but the first is always there, if as "".
    found = [prompts.get(side) or "" for side in ("query", "document")] if isinstance(prompts, dict) else [None]
    if not all(isinstance(prompt, str) for prompt in found):
        raise KitError(f"expected prompts as a dict of texts, got {shown(prompts)}: copy the model again.")
    return found[0], found[1]


def prompts_in(folder: Path) -> tuple[str, str]:
    """The prompts that the folder of a model notes. Errors: as `prompts_of`, and for a damaged file."""
    return prompts_of(read_settings(folder / SETTINGS)) if (folder / SETTINGS).is_file() else NO_PROMPTS


def note_prompts(folder: Path, prompts: tuple[str, str]) -> None:
    """Note the prompts in the folder of a saved model, where the kit and sentence-transformers find them."""
    if any(prompts):
        noted = read_settings(folder / SETTINGS) | {"prompts": dict(zip(("query", "document"), prompts))}
        write_atomically(folder / SETTINGS, json.dumps(noted, indent=1) + "\n")


def sentence(prompts: tuple[str, str]) -> str:
    """What the prompts are, in words; "" where there are none."""
    return any(prompts) * printable(f"Queries stand after {prompts[0]!r} and documents after {prompts[1]!r}.")


def has_sides(data: OwnData | None) -> bool:
    """Whether rows have queries and documents: anchors, and what belongs to them or does not."""
    return data is not None and "anchor" in data.columns


def after_prompts(data: OwnData, prompts: tuple[str, str]) -> OwnData:
    """The rows with the prompt of queries before anchors and that of documents before all others.

    Of two different prompts each text knows what it is without: `mask_duplicates` goes by that.
    """
    put = str.__add__ if len(set(prompts)) == 1 else AfterPrompt

    def after(value: Any, prompt: str) -> Any:
        return put(prompt, value) if isinstance(value, str) else tuple(put(prompt, text) for text in value)

    if not has_sides(data):
        return data
    columns = {
        role: [after(value, prompts[SIDE[role]]) for value in values] if role in SIDE else values
        for role, values in data.columns.items()
    }
    return replace(data, columns=columns)
