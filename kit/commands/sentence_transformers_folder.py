"""Folders that sentence-transformers wrote: the usual ones are read here, the others by that library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.encoder import POOLINGS, Encoder, load_encoder
from kit.errors import KitError

MODULES = "modules.json"
USUAL = (("Transformer", "Pooling"), ("Transformer", "Pooling", "Normalize"))


class Normalized:
    """An encoder whose vectors have length 1, as the module Normalize makes them."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.source, self.dim = encoder, encoder.source, encoder.dim

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        """float32 [n, dim], each of length 1."""
        import torch

        return torch.nn.functional.normalize(self.encoder.encode(sentences, batch_size, progress), dim=1)


def load_any(name: str) -> tuple[Any, str]:
    """(an encoder, one sentence on what it is) for a name or a folder of any of the three kinds.

    A folder of the kit has kit.json; one of sentence-transformers has modules.json; a plain
    transformers folder gets mean pooling. Raises KitError as `load_encoder` does, for a name
    that another encoder would stand in for, and for modules that neither the kit nor an
    installed sentence-transformers can run.
    """
    folder = Path(name).expanduser()
    if (folder / MODULES).is_file() and not (folder / "kit.json").exists():
        return _from_modules(folder)
    encoder = load_encoder(name)
    if encoder.source.is_fallback:
        raise KitError(
            f"expected the encoder {name}, but it is not on this machine and the Hub could not be reached: "
            "give a folder, or try again with a network."
        )
    return encoder, f"{encoder.source.summary()} Pooling {encoder.pooling}, at most {encoder.max_length} word pieces."


def _from_modules(folder: Path) -> tuple[Any, str]:
    modules = [
        (str(part.get("type", "")).rpartition(".")[2], folder / str(part.get("path", "")))
        for part in _json(folder / MODULES, list)
    ]
    kinds = tuple(kind for kind, _ in modules)
    pooling = _pooling(modules[1][1]) if kinds in USUAL else None
    if pooling is None or not _plain(modules[0][1], folder):
        return _by_the_library(folder, kinds)
    encoder = load_encoder(modules[0][1], pooling=pooling, max_length=_max_length(modules[0][1]))
    normalized = "Normalize" in kinds
    line = (
        f"Encoder: the sentence-transformers folder {folder}, pooling {pooling}, at most {encoder.max_length} "
        f"word pieces{', normalised' if normalized else ''}."
    )
    return (Normalized(encoder) if normalized else encoder), line


def _plain(transformer: Path, folder: Path) -> bool:
    """Whether sentences go into the transformer as they are: no prompt before them, no second lower-casing."""
    settings = _json(transformer / "sentence_bert_config.json", dict)
    prompts = folder / "config_sentence_transformers.json"
    asked = _json(prompts, dict).get("default_prompt_name") if prompts.exists() else None
    task = settings.get("transformer_task", "feature-extraction")
    return not asked and not settings.get("do_lower_case") and task == "feature-extraction"


def _max_length(transformer: Path) -> int:
    """Word pieces of a sentence: as older versions note it, else as the tokenizer does; at most the positions."""
    noted = _json(transformer / "sentence_bert_config.json", dict).get("max_seq_length")
    tokenizer = transformer / "tokenizer_config.json"
    if noted is None and tokenizer.exists():
        noted = _json(tokenizer, dict).get("model_max_length")
    positions = _json(transformer / "config.json", dict).get("max_position_embeddings", 512)
    return min(positions if noted is None else int(noted), positions)


def _pooling(folder: Path) -> str | None:
    """The one pooling that the kit has too; None for others and for several side by side."""
    config = _json(folder / "config.json", dict)
    modes = config.get("pooling_mode")  # newer versions; the older ones have a switch for each
    if modes is None:
        modes = [
            key.removeprefix("pooling_mode_").removesuffix("_token").removesuffix("_tokens")
            for key, on in config.items()
            if key.startswith("pooling_mode_") and on
        ]
    modes = [modes] if isinstance(modes, str) else list(modes)
    return modes[0] if len(modes) == 1 and modes[0] in POOLINGS else None


def _by_the_library(folder: Path, kinds: tuple[str, ...]) -> tuple[Any, str]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise KitError(
            f"expected modules that the kit can run in {folder}, but it has {', '.join(kinds)}: install "
            "sentence-transformers to evaluate it."
        ) from error
    try:
        model = SentenceTransformer(str(folder), device="cpu", model_kwargs={"use_safetensors": True})
    except (OSError, ValueError, ImportError, KeyError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise KitError(
            f"expected {folder} to load with sentence-transformers, but it said: {reason}. Check that the "
            "copy is complete."
        ) from error
    return model, f"Encoder: the folder {folder}, run by sentence-transformers ({', '.join(kinds)})."


def _json(file: Path, kind: type) -> Any:
    """The content of a JSON file that must hold a list or a dict of settings; else KitError."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise KitError(f"expected JSON in {file}, but it cannot be read ({error}): copy the model again.") from error
    if not isinstance(content, kind) or not all(isinstance(x, dict) for x in (content if kind is list else ())):
        raise KitError(
            f"expected a {kind.__name__} of settings in {file}, but it holds something else: copy the model again."
        )
    return content
