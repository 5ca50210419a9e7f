"""The compact BERTs, and masked language modelling on the masked positions only."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.fast import enabled
from kit.training.masking import masked_cross_entropy


@dataclass(frozen=True)
class Size:
    """Layers, width and heads; 64 units a head, as in every BERT."""

    layers: int
    hidden: int

    @property
    def heads(self) -> int:
        return self.hidden // 64


# tiny: the "small" of the PAUSE paper (2 layers, 128 wide); mini: 4 layers, 256 wide
SIZES = {"kit-bert-tiny": Size(2, 128), "kit-bert-mini": Size(4, 256)}


def new_masked_lm(size: Size, vocabulary: int, positions: int = 512, seed: int = 0, attention: str = "sdpa"):
    """A randomly initialised `transformers.BertForMaskedLM` with dropout off.

    Dropout 0 while pretraining: a model this small underfits its corpus, and the pass is
    faster. The saved config says 0.1, so that dropout is there for fine-tuning.
    """
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.hidden,
        max_position_embeddings=positions,
        type_vocab_size=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    config._attn_implementation = attention
    model = BertForMaskedLM(config)
    model.bert.embeddings.register_forward_hook(_in_working_precision)
    return model


def _in_working_precision(module, inputs, embeddings: torch.Tensor) -> torch.Tensor:
    """`embeddings` in the type of autocast, where it is on.

    Layers add to them. Left in fp32 they would make every sum and LayerNorm fp32 again, and each product
    would begin by rounding them: a tenth of a step.
    """
    device = embeddings.device.type
    return embeddings.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else embeddings


def masked_lm_loss(
    model,
    inputs: torch.Tensor,
    positions: torch.Tensor,
    targets: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    fast: bool | None = None,
) -> torch.Tensor:
    """Mean cross-entropy over the masked pieces: − log p(piece | the rest of the text).

    inputs [rows, length]; positions, targets [rows, slots] as from `mask_whole_words`.
    Only the masked positions go through the vocabulary projection: with 15 % masked that
    is a seventh of the work (the projection is the largest matrix of a compact BERT).
    fast: take `kit.fast.masked_lm` where it can compute this, None for `kit.fast.enabled`.
    """
    if enabled(fast) and not torch.compiler.is_compiling():
        from kit.fast.masked_lm import can_be_sparse, sparse_masked_lm_loss

        if can_be_sparse(model):
            return sparse_masked_lm_loss(model, inputs, positions, targets, attention_mask)
    logits = masked_logits(model, inputs, positions, attention_mask)  # [rows, slots, V]
    return masked_cross_entropy(logits.flatten(0, 1), targets.flatten())


def masked_logits(
    model, inputs: torch.Tensor, positions: torch.Tensor, attention_mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Vocabulary logits [rows, slots, V] at `positions` of `inputs`."""
    hidden = model.bert(input_ids=inputs, attention_mask=attention_mask).last_hidden_state
    index = positions[..., None].expand(-1, -1, hidden.shape[-1])  # [rows, slots, H]
    return model.cls(hidden.gather(1, index))


def flops_per_token(
    size: Size, vocabulary: int, length: int, share: float = 0.15, last_layer_whole: bool = True
) -> float:
    """Floating-point operations a token costs in training (forward + backward = 3 × forward).

    Matrix products only: per layer 12·H² weights (query, key, value, output, and the 4·H
    feed-forward) and 2·length·H for attention; the vocabulary head on the masked share.
    last_layer_whole: False where the last layer, but for its keys and values, is computed on that share only.
    """
    hidden = size.hidden
    pair = 2 * 2 * hidden**2  # keys and values
    rest = 2 * 10 * hidden**2 + 2 * 2 * length * hidden
    last = pair + (rest if last_layer_whole else share * rest)
    head = share * 2 * (hidden * vocabulary + hidden**2)
    return 3 * ((size.layers - 1) * (pair + rest) + last + head)
