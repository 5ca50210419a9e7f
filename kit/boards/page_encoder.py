"""An encoder as the page needs it, to encode by itself what somebody types (js/bert.js): its numbers as bytes.

Only for encoders like the bundled one: a BERT with the pooling "mean_without_cls" and a lower-case WordPiece vocabulary
without accents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from kit.errors import KitError

CHARACTERS = Path(__file__).parent / "js" / "characters.json"  # written by scripts/record_characters.py
LAYER = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def page_buffers(encoders: Mapping, sentences: Sequence[str]) -> list[bytes]:
    """What js/own_sentences.js receives: the shape as JSON, the weights of each encoder, its vectors of `sentences`.

    encoders: two or more by name, alike but for their weights. Weights and vectors [n, dim] are in half precision.
    Errors: `KitError` for an encoder that the page cannot compute.
    """
    shape = page_shape(next(iter(encoders.values())))
    if any(page_shape(encoder) != shape for encoder in encoders.values()):
        raise KitError("expected encoders of one shape and vocabulary, got different ones: compare two of a kind.")
    weights = [half_weights(encoder) for encoder in encoders.values()]
    vectors = [encoder.encode(list(sentences)).half().numpy().tobytes() for encoder in encoders.values()]
    return [json.dumps(shape, ensure_ascii=False).encode(), *weights, *vectors]


def page_shape(encoder) -> dict:
    """Sizes, vocabulary and classes of characters, JSON-ready.

    Errors: `KitError` for another kind of model, pooling or tokenizer.
    """
    config, tokenizer = encoder.bert.config, encoder.tokenizer
    normalizer = json.loads(tokenizer.backend_tokenizer.to_str()).get("normalizer") or {}
    plain = normalizer.get("type") == "BertNormalizer" and normalizer["lowercase"] and normalizer["clean_text"]
    if config.model_type != "bert" or encoder.pooling != "mean_without_cls" or not plain:
        raise KitError(
            f"expected a lower-case BERT with the pooling mean_without_cls, got {config.model_type} with "
            f"{encoder.pooling}: only such a one can run in the page."
        )
    return {
        "width": config.hidden_size,
        "inner": config.intermediate_size,
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "positions": config.max_position_embeddings,
        "longest": encoder.max_length,
        "eps": config.layer_norm_eps,
        "vocabulary": tokenizer.convert_ids_to_tokens(range(config.vocab_size)),
        "characters": json.loads(CHARACTERS.read_text("utf-8")),
    }


def half_weights(encoder) -> bytes:
    """The encoder's weights in half precision, in the order in which js/bert.js takes them."""
    state = encoder.bert.state_dict()
    first = ["word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"]
    names = [f"embeddings.{name}" for name in (*first, "LayerNorm.weight", "LayerNorm.bias")]
    for i in range(encoder.bert.config.num_hidden_layers):
        names += [f"encoder.layer.{i}.{part}.{kind}" for part in LAYER for kind in ("weight", "bias")]
    tensors = {name: state[name] for name in names}
    tensors[names[2]] = tensors[names[2]][0]  # of the first of two sentences; here there is one
    return b"".join(tensors[name].detach().cpu().half().numpy().tobytes() for name in names)
