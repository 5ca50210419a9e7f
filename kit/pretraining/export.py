"""A trained masked language model as a folder that plain `transformers` loads."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from kit.errors import KitError
from kit.storage.atomic import words_of_system


def export_masked_lm(model, tokenizer, folder: Path | str) -> Path:
    """Write weights (safetensors, half precision), config and fast tokenizer to `folder`.

    Half precision is storage only: the config says float32, so `from_pretrained` computes in
    fp32 and the folder is half the size. Dropout is set to BERT's 0.1 for fine-tuning.
    Errors: `KitError` if the disk is full or read-only; the checkpoints are untouched.
    """
    from safetensors.torch import save

    folder = Path(folder)
    config = json.loads(model.config.to_json_string(use_diff=False))
    kept = {
        key: config[key]
        for key in (
            "vocab_size",
            "hidden_size",
            "num_hidden_layers",
            "num_attention_heads",
            "intermediate_size",
            "hidden_act",
            "max_position_embeddings",
            "type_vocab_size",
            "initializer_range",
            "layer_norm_eps",
            "pad_token_id",
        )
    }
    kept |= {
        "model_type": "bert",
        "architectures": ["BertForMaskedLM"],
        "torch_dtype": "float32",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    }
    weights = {
        name: value.detach().to("cpu", torch.float16).contiguous()
        for name, value in model.state_dict().items()
        if not name.startswith("cls.predictions.decoder")
    }  # tied to embeddings and bias
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
        (folder / "model.safetensors").write_bytes(save(weights, metadata={"format": "pt"}))
        tokenizer.save_pretrained(folder)
    except Exception as error:
        if reason := words_of_system(error):
            raise KitError(
                f"expected to write the model into {folder}, but the system said '{reason}': the "
                "checkpoints are intact; free space, then run the same command to export."
            ) from error
        raise
    return folder
