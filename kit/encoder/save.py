"""Save an encoder so that other libraries can load it: safetensors, no pickle.

The folder is a `transformers` model with the JSON files that make it a sentence-transformers model as well.
Poolings that library lacks are expressed in modules it has: mean without [CLS] as word weights (0 for [CLS]),
first-last as weighted layers. It always masks padding, so the two poolings that depend on padding are saved as
what they are without any: mean without [CLS].
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import torch

from kit.checks.argument_checks import checked
from kit.encoder.pooling import PADDED_POOLINGS
from kit.encoder.quiet import quiet_transformers
from kit.errors import KitError
from kit.storage.atomic import words_of_system
from kit.storage.replace_folder import check_replaceable, replace_folder

ST_POOLING = {
    "cls": "cls",
    "mean": "mean",
    "mean_without_cls": "mean",
    "max": "max",
    "first_last": "mean",
    "mean_over_padded": "mean",
    "mean_with_padding": "mean",
}
# What transformers, sentence-transformers and the kit write for a model, at the top and in the folders of modules.
MODEL_FILES = re.compile(
    r"(\d+_[A-Z]\w*/)*("
    r"(config|kit|modules|config_sentence_transformers|sentence_\w+_config|generation_config|model\.safetensors\.index"
    r"|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab)\.json"
    r"|model(-\d+-of-\d+)?\.safetensors|pytorch_model\.bin|(vocab|merges)\.txt|[\w.]+\.model|README\.md)"
)
WITHOUT_CLS = ("mean_without_cls", *PADDED_POOLINGS)


@checked
def save_encoder(encoder, folder: Path | str, card: str = "") -> Path:
    """Write `encoder` to `folder`, with `card` as its README.md; an earlier model there is replaced in one step.

    Errors: `KitError` if the disk is full or read-only (nothing half-written stays, and an earlier model is
    untouched), for a folder that holds something other than a model, and for weights that are not finite.
    """
    folder = Path(folder).expanduser().resolve()
    check_model_folder(folder)
    if spoilt := [name for name, weights in encoder.named_parameters() if not weights.isfinite().all()]:
        raise KitError(
            f"expected finite weights to save, got NaN or infinity in {len(spoilt)} tensors "
            f"(the first is {spoilt[0]}): train again with a smaller learning rate."
        )
    try:
        replace_folder(folder, lambda partial: _write(encoder, partial, card))
    except Exception as error:
        if reason := words_of_system(error):
            raise KitError(
                f"expected to save the encoder to {folder}, but the system said '{reason}': "
                "free space or choose another folder; nothing half-written is left."
            ) from error
        raise
    return folder


def check_model_folder(folder: Path) -> None:
    """Errors: `KitError` for a folder that holds something other than a saved model."""
    check_replaceable(folder, "a saved model", "config.json", MODEL_FILES)


def _write(encoder, folder: Path, card: str) -> None:
    config, weighted = encoder.bert.config, encoder.pooling == "first_last"
    config.output_hidden_states = weighted  # the layers module needs them; see `_first_last`
    try:
        with quiet_transformers():
            encoder.bert.save_pretrained(folder)
            encoder.tokenizer.save_pretrained(folder)
    finally:
        config.output_hidden_states = False
    modules = [("", "Transformer")]
    if weighted:
        modules.append((_first_last(encoder, folder), "WeightedLayerPooling"))
    if encoder.pooling in WITHOUT_CLS:
        modules.append((_without_cls(encoder, folder), "WordWeights"))
    modules.append((_pooling(encoder, folder, len(modules)), "Pooling"))
    _json(
        folder / "modules.json",
        [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
            for i, (path, name) in enumerate(modules)
        ],
    )
    settings = {"max_seq_length": encoder.max_length, "do_lower_case": False}
    if "add_pooling_layer" in inspect.signature(type(encoder.bert).__init__).parameters:
        # The kit has dropped BERT's pooler: none is missing. The backend "onnx" refuses such arguments, "openvino" not.
        settings["model_args"] = {"add_pooling_layer": False}
    _json(folder / "sentence_bert_config.json", settings)
    _json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})
    _json(
        folder / "kit.json",
        {"pooling": encoder.pooling, "max_length": encoder.max_length, "first_layer": encoder.first_layer},
    )
    if card:
        (folder / "README.md").write_text(card, encoding="utf-8")


def _pooling(encoder, folder: Path, place: int) -> str:
    name, mode = f"{place}_Pooling", ST_POOLING[encoder.pooling]
    (folder / name).mkdir()
    _json(
        folder / name / "config.json",
        {
            "word_embedding_dimension": encoder.dim,
            "pooling_mode_cls_token": mode == "cls",
            "pooling_mode_mean_tokens": mode == "mean",
            "pooling_mode_max_tokens": mode == "max",
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
    )
    return name


def _without_cls(encoder, folder: Path) -> str:
    """Word weights of 1 for every piece but [CLS], so that the mean leaves it out."""
    from safetensors.torch import save_file

    name = "1_WordWeights"
    (folder / name).mkdir()
    pieces = encoder.tokenizer.convert_ids_to_tokens(range(encoder.bert.config.vocab_size))
    vocabulary = [piece or "" for piece in pieces]  # None where the weights have more rows than there are pieces
    _json(
        folder / name / "config.json",
        {"vocab": vocabulary, "unknown_word_weight": 1.0, "word_weights": {encoder.tokenizer.cls_token: 0.0}},
    )
    weights = torch.ones(len(vocabulary), 1)
    weights[encoder.tokenizer.cls_token_id] = 0
    save_file({"emb_layer.weight": weights}, folder / name / "model.safetensors")
    return name


def _first_last(encoder, folder: Path) -> str:
    """Layer weights of 1 for the first and the last layer, 0 between."""
    from safetensors.torch import save_file

    name, layers, first = "1_WeightedLayerPooling", encoder.bert.config.num_hidden_layers, encoder.first_layer
    (folder / name).mkdir()
    weights = torch.zeros(layers + 1 - first)
    weights[[0, -1]] = 1.0
    _json(
        folder / name / "config.json",
        {"word_embedding_dimension": encoder.dim, "layer_start": first, "num_hidden_layers": layers},
    )
    save_file({"layer_weights": weights}, folder / name / "model.safetensors")
    return name


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
