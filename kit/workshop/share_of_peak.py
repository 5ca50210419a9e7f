"""The formula of `kit.course.papers.step_cost`, held against a clock: what share of the peak does training reach?

`kit.course.papers.step_cost` takes a share of the GPU's peak as given. On the machine at hand it can be measured:
the peak is the throughput of one large product of matrices, and an encoder of any shape takes a few
steps, with random weights (time does not depend on them).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch

from kit.course.papers.step_cost import Shape
from kit.encoder.load import attention_on
from kit.errors import KitError
from kit.pretraining.hardware import matrix_throughput
from kit.training.device import autocast, pick_device


@dataclass(frozen=True)
class Reached:
    """Sentences a second: measured, and what the formula allows at the peak that was measured beside it.

    peak: FLOP/s of a large product of matrices. share: measured / at_peak, the median of the repetitions; the
    other figures are those of that repetition.
    """

    measured: float
    at_peak: float
    peak: float
    share: float


def share_reached(
    shape: Shape,
    tokens: int = 16,
    sentences: int = 64,
    precision: str = "fp32",
    device: torch.device | None = None,
    repetitions: int = 5,
) -> Reached:
    """Train a random BERT of `shape` on sentences of equal length, and compare with the formula.

    Forward and backward pass; neither tokenising, loss nor the update are in it. Steps and products of
    matrices take turns, `repetitions` times, so that a busy moment meets both; of an even number the upper
    of the two middle ones is given.
    Errors: `KitError` for fewer than one token, sentence or repetition. Lesson 12.
    """
    for name, number in (("tokens", tokens), ("sentences", sentences), ("repetitions", repetitions)):
        if number < 1:
            raise KitError(f"expected {name} of 1 or more, got {number!r}.")
    device = device or pick_device()
    bert = random_bert(shape, attention_on(device)).to(device).train()
    ids = torch.randint(5, shape.vocabulary, (sentences, tokens), device=device)
    turns = []
    for _ in range(repetitions + 1):
        began = time.perf_counter()
        with autocast(device, precision):
            vectors = bert(input_ids=ids).last_hidden_state.mean(dim=1)  # [sentences, hidden]
        vectors.float().square().sum().backward()
        bert.zero_grad(set_to_none=True)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        rate = sentences / (time.perf_counter() - began)
        turns.append((rate, matrix_throughput(device, precision, products=1, warmup=0)))
    flops = shape.flops(tokens)
    found = [Reached(rate, peak / flops, peak, rate * flops / peak) for rate, peak in turns[1:]]  # the first warms up
    return sorted(found, key=lambda turn: turn.share)[len(found) // 2]


def random_bert(shape: Shape, attention: str = "eager"):
    """A BERT of `shape` with random weights, without pooler and dropout; torch's random state is kept."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=max(1, shape.hidden // 64),
        intermediate_size=4 * shape.hidden,
        max_position_embeddings=shape.positions,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation=attention,
    )
    with torch.random.fork_rng():
        return BertModel(config, add_pooling_layer=False)
