"""A model's folder is looked at before anything of it is loaded: nothing in it is run, and its settings make sense."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from kit.checks.too_many_parts import refuse_too_many_parts
from kit.errors import KitError, shown
from kit.number_checks import is_finite, is_whole

# Of an encoder that has them, each at least 1: a model without layers loads, and gives other vectors.
SIZES = (
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "num_attention_heads",
    "num_hidden_layers",
    "vocab_size",
)
KINDS_OF_TEXT = "type_vocab_size"  # 0 in models that have none
MOST_POSITIONS = 2**20  # of a model that turns its vectors by them and keeps no table of them among its weights
# For any other (a repository's name, or flash attention that is not installed) transformers fetches code from the Hub,
# and what config.json says of it outweighs the argument of from_pretrained.
ATTENTIONS = (None, "eager", "sdpa", "flex_attention")
ASKS_FOR_ATTENTION = ("attn_implementation", "_attn_implementation", "_attn_implementation_internal")


def refuse_foreign_code(folder: Path) -> None:
    """Raises KitError where the model or its tokenizer asks for Python of its own, for an unknown class, for attention
    from the Hub, or for a size that no model can have.
    """
    import transformers

    refuse_too_many_parts(folder)
    _refuse_impossible_sizes(folder / "config.json")
    for file in (folder / "config.json", folder / "tokenizer_config.json"):
        settings = read_settings(file) if file.exists() else {}
        tokenizer = str(settings.get("tokenizer_class") or "BertTokenizer")
        if own := settings.keys() & {"auto_map", "custom_pipelines"}:
            asks = f"asks for Python code of the model's own ({min(own)})"
        elif not any(hasattr(transformers, tokenizer + fast) for fast in ("", "Fast")):
            asks = f"asks for the tokenizer class {tokenizer!r}, which transformers does not have"
        elif foreign := _foreign_attention(settings):
            asks = f"asks for the attention {shown(foreign)}, whose code would come from the Hub"
        else:
            continue
        raise KitError(
            f"expected a model that transformers runs by itself, but {file} {asks}: "
            "no code from a model's folder is run here, so take a model without it."
        )


def read_settings(file: Path, kind: type = dict) -> Any:
    """The content of a JSON file that must hold a dict (or list) of settings. Errors: `KitError` where it does not."""
    try:
        content = json.loads(file.read_text("utf-8"), parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        raise KitError(
            f"expected JSON in {file}, but it is damaged or cannot be read ({error}): copy the model again."
        ) from error
    if not isinstance(content, kind) or not all(isinstance(part, dict) for part in (content if kind is list else ())):
        raise KitError(
            f"expected a {kind.__name__} of settings in {file}, but it holds something else: copy the model again."
        )
    return content


def _foreign_attention(settings: dict) -> Any:
    """The first attention that is none of ATTENTIONS, of the model or of a part of it; None where there is none."""
    for name, value in settings.items():
        if name in ASKS_FOR_ATTENTION and value not in ATTENTIONS:
            return value
        if isinstance(value, dict) and (foreign := _foreign_attention(value)):
            return foreign
    return None


def _refuse_impossible_sizes(file: Path) -> None:
    settings = read_settings(file) if file.exists() else {}
    for name in (*SIZES, KINDS_OF_TEXT):
        least = int(name in SIZES)
        if name in settings and not is_whole(settings[name], least):
            raise KitError(
                f"expected {name} in {file} as a whole number from {least}, got {shown(settings[name])}: "
                "copy the model again."
            )
    if not is_finite(eps := settings.get("layer_norm_eps", 1.0)) or eps <= 0:  # or every vector is NaN
        raise KitError(f"expected layer_norm_eps in {file} above 0, got {shown(eps)}: copy the model again.")
    # A module of sentence-transformers has no hidden_size, and may name the layers of a transformer elsewhere.
    if "hidden_size" in settings and (weights := file.with_name("model.safetensors")).is_file():
        _refuse_larger_than_weights(file, settings, weights)


def _refuse_larger_than_weights(file: Path, settings: dict, weights: Path) -> None:
    """Memory and minutes would go to a model that its weights cannot fill; closer differences are found in loading."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(weights, "numpy") as opened:
            shapes = {name: opened.get_slice(name).get_shape() for name in opened.keys()}  # noqa: SIM118
    except (OSError, SafetensorError):
        return  # a damaged file has a sentence of its own later
    axes, parameters = {size for shape in shapes.values() for size in shape}, sum(map(math.prod, shapes.values()))
    widest, hidden = max(axes, default=0), settings["hidden_size"]
    if widest >= hidden and hidden not in axes and 4 * hidden**2 > parameters:  # those of the attention of one layer
        raise KitError(
            f"expected hidden_size in {file} as the weights beside it have it, got {hidden:,}, which would take more "
            f"than their {parameters:,} numbers for one layer: the weights belong to another config.json."
        )
    most_of = {"num_hidden_layers": len(shapes)}
    if not any("position_embeddings" in name for name in shapes):
        most_of["max_position_embeddings"] = max(widest, MOST_POSITIONS)
    for name in filter(settings.__contains__, (*SIZES, KINDS_OF_TEXT)):
        if settings[name] > (most := most_of.get(name, widest)):
            raise KitError(
                f"expected {name} in {file} of at most {most:,}, as the weights beside it allow, got "
                f"{shown(settings[name])}: the weights belong to another config.json."
            )


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")
