"""Load an encoder by name, or make one with the same architecture and random weights."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import torch

from kit.checks.argument_checks import checked
from kit.checks.encoder_parts import check_finite, check_vocabulary, longest_input, refuse_decoder, warn_of_modules
from kit.checks.failed_load import not_loaded
from kit.checks.foreign_code import read_settings, refuse_foreign_code
from kit.data.hub import first_line
from kit.encoder.encoder import Encoder
from kit.encoder.find import DEFAULT, ModelSource, find_model
from kit.encoder.quiet import quiet_transformers
from kit.errors import KitError, shown
from kit.fast import without_collection


@checked
def load_encoder(
    name_or_path: str | Path = DEFAULT,
    pooling: str | None = None,
    max_length: int | None = None,
    first_layer: int | None = None,
    device: str | torch.device = "cpu",
) -> Encoder:
    """An `Encoder` from a folder, the mirror, the bundle or the Hub, in fp32, dropout off.

    pooling, max_length and first_layer default to what `kit.json` beside the weights says (`Encoder.save` writes it),
    else to "mean", 128 (or the encoder's maximum, if smaller) and 1. Errors: `KitError` for an unknown name or pooling,
    a folder without safetensors, weights that do not fit their config, or an encoder-decoder. Lesson 01.
    """
    try:
        device = torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, TypeError, ValueError) as error:
        raise KitError(
            f"expected a device that torch has here, such as 'cpu', got {shown(device)} ({first_line(error)})."
        ) from error
    source = find_model(name_or_path)
    folder = _settings_folder(source)
    kept = read_settings(file) if (file := folder / "kit.json").exists() else {}
    if pooling is None:
        warn_of_modules(folder)
    refuse_foreign_code(folder)
    bert, tokenizer = _load_parts(source, attention_on(device))
    usual = {"pooling": "mean", "max_length": min(128, longest_input(bert)), "first_layer": 1}
    asked = {"pooling": pooling, "max_length": max_length, "first_layer": first_layer}
    settings = {name: kept.get(name, usual[name]) if value is None else value for name, value in asked.items()}
    return Encoder(bert, tokenizer, source=source, **settings).to(device).eval()


@checked
def random_encoder(name_or_path: str | Path = DEFAULT, seed: int = 0, **settings) -> Encoder:
    """The architecture and tokenizer of `name_or_path` with freshly drawn weights.

    The control for "what is pretraining worth?": the weights differ, and nothing else. settings: as `load_encoder`
    takes them (pooling, max_length, first_layer, device).
    """
    from transformers import AutoModel

    encoder = load_encoder(name_or_path, **settings)
    device = encoder.device
    with torch.random.fork_rng(devices=[]), torch.inference_mode(False):  # the caller's random state stays as it is
        torch.default_generator.manual_seed(seed)  # `torch.manual_seed` would also set that of a GPU
        config, attention = encoder.bert.config, attention_on(device)
        bert = AutoModel.from_config(config, attn_implementation=attention, trust_remote_code=False)
    encoder.bert = _without_pooler(bert)
    name = f"{encoder.source.name} with random weights (seed {seed})"
    encoder.source = replace(encoder.source, name=name, asked=name)
    return encoder.to(device).eval()


def _settings_folder(source: ModelSource) -> Path:
    """The folder with the model's settings, which are looked at before it is loaded (the Hub is asked)."""
    if source.tier != "hub":
        return Path(source.location)
    from huggingface_hub import snapshot_download

    try:
        with quiet_transformers():
            return Path(snapshot_download(source.location, allow_patterns=["*config.json", "kit.json", "modules.json"]))
    except Exception as error:  # the client has a type for every status, and those of its transport
        raise KitError(f"expected {source.name} on the Hub, but: {first_line(error)}. Check the name.") from error


@without_collection()
def _load_parts(source: ModelSource, attention: str):
    """(transformer, tokenizer) of a found model."""
    from transformers import AutoModel, AutoTokenizer

    try:
        # sizes that do not fit are listed in the report
        bert, report = read_model(AutoModel, source, attn_implementation=attention, ignore_mismatched_sizes=True)
        with quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(source.location, trust_remote_code=False)
    except Exception as error:  # safetensors and the tokenizers have types of their own for a damaged file
        raise not_loaded(source.name, source.location, error, first_line(error)) from error
    refuse_decoder(bert, source.location)
    _check_weights(bert, report, source)
    check_vocabulary(tokenizer, bert.config.vocab_size, source.location)
    check_finite(_without_pooler(bert), source.location)
    return bert, tokenizer


def read_model(kind: type, source: ModelSource, **settings):
    """(model of that class of transformers, report on its weights) in fp32, from safetensors alone, quietly.

    Errors: those of transformers, safetensors and the system.
    """
    # It draws weights that the file does not have; and what is made in inference mode could never be trained.
    with quiet_transformers(), torch.random.fork_rng(devices=[]), torch.inference_mode(False):
        return kind.from_pretrained(
            source.location,
            dtype=torch.float32,
            use_safetensors=True,
            return_dict=True,  # whatever config.json says of it
            output_loading_info=True,
            trust_remote_code=False,
            **settings,
        )


def _check_weights(bert, report: dict, source: ModelSource) -> None:
    """Weights and config.json must be of one model: transformers says in a log at most where they are not."""

    def kind(key: str) -> str:
        return re.sub(r"\d+", "#", key.removeprefix(f"{bert.base_model_prefix}."))

    kinds = {kind(key) for key in bert.state_dict()}
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    extra = sorted(key for key in report["unexpected_keys"] if kind(key) in kinds)  # of layers; heads may be there
    shaped = sorted(key if isinstance(key, str) else key[0] for key in report["mismatched_keys"])
    for keys, what in ((missing, "missing"), (shaped, "of another shape"), (extra, "of more layers than it has")):
        if keys:
            raise KitError(
                f"expected all weights of {source.name} in {source.location} to fit its config.json, but {len(keys)} "
                f"are {what} (the first is {keys[0]}): the weights belong to another config.json."
            )


def _without_pooler(bert):
    """Drop BERT's pooler, which was trained for next-sentence prediction and is not used here."""
    if hasattr(bert, "pooler"):
        bert.pooler = None
    return bert


def attention_on(device: str | torch.device) -> str:
    """At these sizes plain matrix products are faster than the fused kernel on a CPU, but not on a GPU."""
    return "eager" if torch.device(device).type == "cpu" else "sdpa"
