"""Load an encoder by name, or make one with the same architecture and random weights."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import torch

from kit.encoder.encoder import Encoder
from kit.encoder.find import DEFAULT, ModelSource, find_model
from kit.errors import KitError


def load_encoder(name_or_path: str | Path = DEFAULT, pooling: str | None = None,
                 max_length: int | None = None, first_layer: int | None = None,
                 device: str | torch.device = "cpu") -> Encoder:
    """An `Encoder` from a folder, the mirror, the bundle or the Hub, in fp32, dropout off.

    pooling, max_length and first_layer default to what the folder's `kit.json` says (written
    by `Encoder.save`), else to "mean", 128 and 1.
    Errors: `KitError` for an unknown name or pooling, a folder without safetensors, or
    weights that do not fit their config.
    """
    source = find_model(name_or_path)
    kept = _kept_settings(source)
    settings = {"pooling": pooling or kept.get("pooling", "mean"),
                "max_length": max_length or kept.get("max_length", 128),
                "first_layer": kept.get("first_layer", 1) if first_layer is None else first_layer}
    bert, tokenizer = _load_parts(source)
    return Encoder(bert, tokenizer, source=source, **settings).to(device).eval()


def random_encoder(name_or_path: str | Path = DEFAULT, seed: int = 0, **settings) -> Encoder:
    """The architecture and tokenizer of `name_or_path` with freshly drawn weights.

    The control for "what is pretraining worth": everything is equal but the weights.
    """
    from transformers import AutoModel

    encoder = load_encoder(name_or_path, **settings)
    torch.manual_seed(seed)
    config = encoder.bert.config
    encoder.bert = _without_pooler(AutoModel.from_config(config, attn_implementation=_attention()))
    return encoder.to(encoder.device).eval()


def _load_parts(source: ModelSource):
    """(transformer, tokenizer) of a found model."""
    from transformers import AutoModel, AutoTokenizer

    with _quiet_transformers():
        try:
            bert = AutoModel.from_pretrained(source.location, dtype=torch.float32, use_safetensors=True,
                                             attn_implementation=_attention())
            tokenizer = AutoTokenizer.from_pretrained(source.location)
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise KitError(f"expected {source.name} to load from {source.location}, but transformers "
                           f"said: {reason}. Check that the download or the copy is complete.") from error
        except Exception as error:  # safetensors raises a type of its own for a damaged file
            if "safetensor" not in type(error).__name__.lower():
                raise
            raise KitError(f"expected whole safetensors weights in {source.location}, but the file is "
                           f"damaged ({error}): copy or download it again.") from error
    return _without_pooler(bert), tokenizer


def _without_pooler(bert):
    """BERT's pooler was trained for next-sentence prediction; no pooling here uses it."""
    if hasattr(bert, "pooler"):
        bert.pooler = None
    return bert


def _attention() -> str:
    """Plain matrix products beat the fused kernel on a CPU at these sizes; not on a GPU."""
    return "sdpa" if torch.cuda.is_available() else "eager"


def _kept_settings(source: ModelSource) -> dict:
    file = Path(source.location) / "kit.json"
    return json.loads(file.read_text()) if file.exists() else {}


@contextlib.contextmanager
def _quiet_transformers():
    """No loading bars and no report of the unused language-model head."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
