"""A batch larger than the memory: its exact gradient in chunks, and what is not that.

The denominator of a contrastive loss needs every vector of the batch at once, but the memory
goes into the encoder's activations, not into the vectors. So (Gao et al. 2021, "Scaling Deep
Contrastive Learning Batch Size under Memory Limited Setup"):

    1. embed chunk after chunk without a graph, remembering the random state of each
    2. the loss of all vectors; its gradient with respect to the vectors is the cache
    3. embed each chunk again, its dropout replayed, and backpropagate its part of the cache

The price is one more forward pass. Accumulating the gradients of small batches costs nothing,
but is another gradient: no anchor meets the negatives of another small batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from kit.errors import KitError
from kit.number_checks import whole_number

Embed = Callable[[list], Tensor]  # token ids of some rows -> [rows, dim], with a graph
LossOf = Callable[[Tensor, Any], Tensor]  # (embeddings, batch) -> scalar


def full_gradient(embed: Embed, batch: Any, loss_of: LossOf) -> Tensor:
    """Add the gradient of the whole batch, in one pass, to the parameters' `.grad`; returns the loss. Lesson 05.

    embed: as `encoder.embed`. batch: anything with `token_ids`, such as `kit.training.batches.Batch`.
    loss_of: (embeddings [rows, dim], batch) → scalar.
    """
    loss = loss_of(embed(batch.token_ids), batch)
    loss.backward()
    return loss.detach()


def cached_gradient(embed: Embed, batch: Any, loss_of: LossOf, chunk: int) -> Tensor:
    """`full_gradient` with the activations of `chunk` rows in memory at a time; the same numbers.

    Parameters of the loss itself (a classifier) get their gradient too. With dropout it is the gradient under the masks
    that were drawn for the chunks, and the random state afterwards is that after drawing them once. `embed` must draw
    on torch's global random numbers only. Errors: `KitError` for a chunk below 1. Lesson 05.
    """
    whole_number("chunk", chunk, 1, "it is how many rows fit into memory")
    rows = batch.token_ids
    parts = [rows[start : start + chunk] for start in range(0, len(rows), chunk)]
    vectors, states = _vectors(embed, parts, len(rows))
    loss = loss_of(vectors.requires_grad_(), batch)
    loss.backward()
    after = RandomState.now()  # the loss may draw too: that of masked words does
    loss, cache = loss.detach(), vectors.grad
    del vectors  # their gradient is all that the second pass needs
    for part, state, gradient in zip(parts, states, cache.split(chunk)):
        state.restore()
        if (again := embed(part)).requires_grad:  # of a frozen encoder the head alone learns
            again.backward(gradient)
    after.restore()
    return loss


def _vectors(embed: Embed, parts: list[list], rows: int) -> tuple[Tensor, list[RandomState]]:
    """The vectors of all parts [rows, dim], without a graph, and the random state before each part."""
    states, vectors, start = [], torch.empty(0), 0
    with torch.no_grad():
        for part in parts:
            states.append(RandomState.now())
            embedded = embed(part)
            if not start:  # one tensor for all, where concatenating would take twice the memory
                vectors = embedded.new_empty(rows, embedded.shape[1])
            vectors[start : start + len(part)] = embedded
            start += len(part)
    return vectors, states


def accumulated_gradient(embed: Embed, batches: Sequence[Any], loss_of: LossOf) -> Tensor:
    """Add the mean gradient of several small batches to the parameters' `.grad`; returns the mean loss.

    Plain gradient accumulation. For a loss that is a mean over single rows it is the gradient of the large batch. A
    contrastive loss is not such a mean: its anchors meet only the negatives of their own small batch.
    Errors: `KitError` for no batch. Lesson 05.
    """
    if not batches:
        raise KitError("expected at least one small batch to accumulate, got none: cut the large one into parts.")
    losses = []
    for batch in batches:
        loss = loss_of(embed(batch.token_ids), batch) / len(batches)
        loss.backward()
        losses.append(loss.detach())
    return torch.stack(losses).sum()


def take_gradient(module: nn.Module) -> Tensor:
    """Take the gradient of all of a module's parameters as one vector; `.grad` is emptied.

    A parameter without a gradient counts as 0. Lesson 05.
    """
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in module.parameters()]
    joined = torch.cat([gradient.flatten() for gradient in gradients])
    module.zero_grad(set_to_none=True)
    return joined


@dataclass(frozen=True)
class RandomState:
    """The state of torch's global random generators, on the CPU and on every GPU in use."""

    cpu: Tensor
    cuda: tuple[Tensor, ...]

    @classmethod
    def now(cls) -> RandomState:
        in_use = torch.cuda.is_available() and torch.cuda.is_initialized()
        return cls(torch.get_rng_state(), tuple(torch.cuda.get_rng_state_all()) if in_use else ())

    def restore(self) -> None:
        torch.set_rng_state(self.cpu)
        if self.cuda:
            torch.cuda.set_rng_state_all(list(self.cuda))
