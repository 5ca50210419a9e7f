"""Load an encoder by name, or make one with the same architecture and random weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch

from kit.encoder.encoder import Encoder, longest_input
from kit.encoder.find import DEFAULT, ModelSource, find_model
from kit.encoder.quiet import quiet_transformers
from kit.errors import KitError


def load_encoder(
    name_or_path: str | Path = DEFAULT,
    pooling: str | None = None,
    max_length: int | None = None,
    first_layer: int | None = None,
    device: str | torch.device = "cpu",
) -> Encoder:
    """An `Encoder` from a folder, the mirror, the bundle or the Hub, in fp32, dropout off.

    pooling, max_length and first_layer default to what the folder's `kit.json` says (written by `Encoder.save`),
    else to "mean", 128 (or the encoder's maximum, if smaller) and 1.
    Errors: `KitError` for an unknown name or pooling, a folder without safetensors, or weights that do not fit
    their config. Lesson 01.
    """
    source = find_model(name_or_path)
    kept = _kept_settings(source)
    bert, tokenizer = _load_parts(source)
    usual = {"pooling": "mean", "max_length": min(128, longest_input(bert.config)), "first_layer": 1}
    asked = {"pooling": pooling, "max_length": max_length, "first_layer": first_layer}
    settings = {name: kept.get(name, usual[name]) if value is None else value for name, value in asked.items()}
    return Encoder(bert, tokenizer, source=source, **settings).to(device).eval()


def random_encoder(name_or_path: str | Path = DEFAULT, seed: int = 0, **settings) -> Encoder:
    """The architecture and tokenizer of `name_or_path` with freshly drawn weights.

    The control for "what is pretraining worth?": the weights differ, and nothing else.
    """
    from transformers import AutoModel

    encoder = load_encoder(name_or_path, **settings)
    device = encoder.device
    with torch.random.fork_rng(devices=[]):  # the caller's random state stays as it is
        torch.manual_seed(seed)
        bert = AutoModel.from_config(encoder.bert.config, attn_implementation=_attention())
    encoder.bert = _without_pooler(bert)
    name = f"{encoder.source.name} with random weights (seed {seed})"
    encoder.source = replace(encoder.source, name=name, asked=name)
    return encoder.to(device).eval()


def _load_parts(source: ModelSource):
    """(transformer, tokenizer) of a found model."""
    from transformers import AutoModel, AutoTokenizer

    with quiet_transformers():
        try:
            bert, report = AutoModel.from_pretrained(
                source.location,
                dtype=torch.float32,
                use_safetensors=True,
                attn_implementation=_attention(),
                output_loading_info=True,
            )
            tokenizer = AutoTokenizer.from_pretrained(source.location)
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise KitError(
                f"expected {source.name} to load from {source.location}, but transformers "
                f"said: {reason}. Check that the download or the copy is complete."
            ) from error
        except Exception as error:  # safetensors raises a type of its own for a damaged file
            if "safetensor" not in type(error).__name__.lower():
                raise
            raise KitError(
                f"expected whole safetensors weights in {source.location}, but the file is "
                f"damaged ({error}): copy or download it again."
            ) from error
    # transformers initialises missing weights at random, and says so only in a log.
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise KitError(
            f"expected all weights of {source.name} in {source.location}, but {len(missing)} are "
            f"missing (the first is {missing[0]}): the weights belong to another config.json."
        )
    if len(tokenizer) > bert.config.vocab_size:
        raise KitError(
            f"expected a vocabulary of at most {bert.config.vocab_size:,} pieces in {source.location}, "
            f"got {len(tokenizer):,}: the tokenizer belongs to another model."
        )
    return _without_pooler(bert), tokenizer


def _without_pooler(bert):
    """Drop BERT's pooler, which was trained for next-sentence prediction and is not used here."""
    if hasattr(bert, "pooler"):
        bert.pooler = None
    return bert


def _attention() -> str:
    """At these sizes plain matrix products are faster than the fused kernel on a CPU, but not on a GPU."""
    return "sdpa" if torch.cuda.is_available() else "eager"


def _kept_settings(source: ModelSource) -> dict:
    file = Path(source.location) / "kit.json"
    try:
        return json.loads(file.read_text()) if file.exists() else {}
    except ValueError as error:
        raise KitError(
            f"expected JSON in {file}, but it is damaged ({error}): save the encoder again, "
            "or delete this file to load with the usual settings."
        ) from error
