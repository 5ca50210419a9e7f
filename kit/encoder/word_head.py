"""The word-guessing head that an encoder was pretrained with, which its file may hold beside its own weights."""

from __future__ import annotations

import torch

from kit.data.hub import first_line
from kit.encoder.encoder import Encoder
from kit.encoder.load import read_model
from kit.errors import KitError


def pretrained_word_head(encoder: Encoder) -> dict[str, torch.Tensor]:
    """BERT's head over token vectors, from the file that `encoder` was loaded from, without its last, tied matrix.

    dense.weight [dim, dim]; dense.bias, norm.weight, norm.bias [dim]; bias [vocabulary]. Errors: `KitError` for a file
    without such a head, and for an `encoder` that no longer has its file's weights: the head would not know it.
    """
    from transformers import BertForMaskedLM

    source, config = encoder.source, encoder.bert.config
    wrong = "" if config.model_type == "bert" and config.hidden_act == "gelu" else "is not of BERT's form"
    if source is None:
        wrong = "is not known"
    if not wrong:
        try:
            model, report = read_model(BertForMaskedLM, source)
        except Exception as error:  # safetensors, the system and the Hub's client have types of their own
            wrong = f"could not be read again ({first_line(error)})"
        else:
            lacking = [key for key in report["missing_keys"] if key.startswith("cls.") and ".decoder." not in key]
            words = encoder.bert.get_input_embeddings().weight.cpu()
            if lacking:
                wrong = "holds no such head"
            elif not torch.equal(model.get_input_embeddings().weight.to(words.dtype), words):
                wrong = "has other weights than the encoder by now"
    if wrong:
        file = f"the file of {source.name} in {source.location}" if source else "its file"
        raise KitError(f"expected an encoder beside the word-guessing head of its pretraining, but {file} {wrong}.")
    head = model.cls.predictions
    parts = {"dense": head.transform.dense, "norm": head.transform.LayerNorm}
    named = {f"{part}.{name}": value for part, layer in parts.items() for name, value in layer.state_dict().items()}
    return {**named, "bias": head.bias.detach()}
