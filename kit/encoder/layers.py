"""Sentence vectors of every layer of an encoder."""

from __future__ import annotations

import torch

from kit.checks.argument_checks import checked
from kit.encoder.encoder import Encoder, pad
from kit.encoder.pooling import PADDED_POOLINGS, pool
from kit.errors import KitError
from kit.number_checks import whole_number


@checked
def by_layer(encoder: Encoder, sentences: list[str], batch_size: int = 64) -> torch.Tensor:
    """Vectors [layers + 1, n, dim] of `sentences`, float32, on the CPU; dropout off.

    The embedding layer's output comes first; the last is what `encoder.encode` gives. Each is pooled as the last is.
    Errors: `KitError` for the pooling "first_last", which mixes two layers, and as `encode`. Lesson 02.
    """
    if encoder.pooling == "first_last":
        raise KitError(
            'expected a pooling of one layer to look at each, got "first_last": load the encoder with pooling="mean".'
        )
    whole_number("batch_size", batch_size, 1)
    ids = encoder.tokenize(sentences)
    order = list(range(len(ids)))
    if encoder.pooling not in PADDED_POOLINGS:
        order.sort(key=lambda i: len(ids[i]))  # little padding in a batch
    vectors = torch.empty(encoder.bert.config.num_hidden_layers + 1, len(ids), encoder.dim, dtype=torch.float32)
    was_training = encoder.training
    encoder.eval()
    try:
        with torch.inference_mode():
            for start in range(0, len(order), batch_size):
                rows = order[start : start + batch_size]
                padded = pad([ids[i] for i in rows], encoder.tokenizer.pad_token_id)
                tokens, mask = (part.to(encoder.device) for part in padded)
                hidden = encoder.bert(input_ids=tokens, attention_mask=mask, output_hidden_states=True).hidden_states
                if encoder.pooling == "mean_without_cls":
                    mask = mask * (tokens != encoder.tokenizer.cls_token_id)
                pooled = [pool(encoder.pooling, (layer,), mask) for layer in hidden]
                vectors[:, rows] = torch.stack(pooled).float().cpu()
    finally:
        encoder.train(was_training)
    return vectors
