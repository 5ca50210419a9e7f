"""The compact BERTs, and masked language modelling on the masked positions only."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.training.pretrain.masking import IGNORE


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


def new_masked_lm(size: Size, vocabulary: int, positions: int = 512, seed: int = 0,
                  attention: str = "sdpa"):
    """A randomly initialised `transformers.BertForMaskedLM` with dropout off.

    Dropout 0 while pretraining: a model this small underfits its corpus, and the pass is
    faster. The saved config says 0.1, so that dropout is there for fine-tuning.
    """
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(seed)
    config = BertConfig(vocab_size=vocabulary, hidden_size=size.hidden, num_hidden_layers=size.layers,
                        num_attention_heads=size.heads, intermediate_size=4 * size.hidden,
                        max_position_embeddings=positions, type_vocab_size=2,
                        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    config._attn_implementation = attention
    return BertForMaskedLM(config)


def masked_lm_loss(model, inputs: torch.Tensor, positions: torch.Tensor, targets: torch.Tensor,
                   attention_mask: torch.Tensor | None = None) -> torch.Tensor:
    """Mean cross-entropy over the masked pieces: − log p(piece | the rest of the text).

    inputs [rows, length]; positions, targets [rows, slots] as from `mask_whole_words`.
    Only the masked positions go through the vocabulary projection: with 15 % masked that
    is a seventh of the work (the projection is the largest matrix of a compact BERT).
    """
    logits = masked_logits(model, inputs, positions, attention_mask)      # [rows, slots, V]
    return CrossEntropy.apply(logits.flatten(0, 1), targets.flatten())


class CrossEntropy(torch.autograd.Function):
    """Mean − log softmax(logits)[target] over the targets that are not −100, in fp32 at least.

    logits [n, V], targets [n]. The same value and gradient as `F.cross_entropy` (a test
    compares them), but for no target at all, where this is 0 and not NaN. Written out because
    its gradient is known before the backward pass, (softmax − one-hot) / count, and taking it
    in the forward pass, while the logits are in the cache, halves the time of a whole training
    step on a CPU.
    """

    @staticmethod
    def forward(ctx, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        scores = logits.to(torch.promote_types(logits.dtype, torch.float32))
        real = targets != IGNORE
        count = real.sum().clamp(min=1)
        index = targets.clamp(min=0)[:, None]
        probabilities = scores.softmax(1)                                 # [n, V]
        # log Σ exp = largest score − log of its probability, which is at least 1/V
        top, best = scores.max(1, keepdim=True)
        logsumexp = top - probabilities.gather(1, best).log()
        loss = ((logsumexp - scores.gather(1, index))[:, 0] * real).sum() / count
        gradient = probabilities.scatter_add_(1, index, -torch.ones_like(top))
        ctx.save_for_backward(gradient.mul_((real.to(scores.dtype) / count)[:, None]).to(logits.dtype))
        return loss

    @staticmethod
    def backward(ctx, upstream: torch.Tensor):
        (gradient,) = ctx.saved_tensors
        return gradient * upstream.to(gradient.dtype), None


def masked_logits(model, inputs: torch.Tensor, positions: torch.Tensor,
                  attention_mask: torch.Tensor | None = None) -> torch.Tensor:
    """Vocabulary logits [rows, slots, V] at `positions` of `inputs`."""
    hidden = model.bert(input_ids=inputs, attention_mask=attention_mask).last_hidden_state
    index = positions[..., None].expand(-1, -1, hidden.shape[-1])         # [rows, slots, H]
    return model.cls(hidden.gather(1, index))


def flops_per_token(size: Size, vocabulary: int, length: int, share: float = 0.15) -> float:
    """Floating-point operations a token costs in training (forward + backward = 3 × forward).

    Matrix products only: per layer 12·H² weights (query, key, value, output, and the 4·H
    feed-forward) and 2·length·H for attention; the vocabulary head on the masked share.
    """
    hidden = size.hidden
    layer = 2 * 12 * hidden**2 + 2 * 2 * length * hidden
    head = share * 2 * (hidden * vocabulary + hidden**2)
    return 3 * (size.layers * layer + head)
