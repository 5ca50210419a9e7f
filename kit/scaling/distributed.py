"""One batch on several processes: the vectors of all ranks gathered, and the gradient of a single process.

A contrastive loss lives on the negatives of its batch. Two ranks that train on half a batch each see half
the negatives; to keep them all, every rank embeds its share of the rows and the vectors are gathered.

Why the naive gather has a wrong gradient. `torch.distributed.all_gather` copies numbers, and a copy has
no graph. Row j of rank s is a candidate of anchor i of rank r: the term of i says where z_j should go, but rank r
says it to a copy, which forgets it. So a sentence moves as an anchor, and as a candidate of the anchors
of its own rank; of W ranks that push it, W − 1 are not heard. The loss is right to the last digit: no curve shows it.

What is done instead. Let the loss be a sum of shares, one computed by each of W ranks, L = Σ_r L_r. Then

    forward    z = gather(z of each rank)                    every rank has every vector
    backward   ∂L/∂z_j = Σ_r ∂L_r/∂z_j, for j of one's own   the gather's transpose: a reduce-scatter
    weights    ∂L/∂w = Σ_r (what rank r found for w)         one all-reduce

The last line holds for the encoder, of which each rank finds what its own rows say, and for a classifier
behind the vectors, of which each rank finds what L_r says. (An average of the gradients, as
DistributedDataParallel takes it, would be 1/W of that.) There are two ways to share a loss out, and `SHARES` says
which system takes which:

    whole       every rank computes all of L and takes L/W as its share: plain, right for any loss
    by_anchors  every rank computes the terms of its block of anchors: 1/W of the similarity matrix

Clipping and AdamW then see on every rank what one process would have seen; so the weights stay equal unsent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from kit.encoder.pooling import PADDED_POOLINGS
from kit.errors import KitError
from kit.losses import contrastive_softmax, cross_entropy, interpolate
from kit.scaling.ranks import Ranks, join
from kit.training.batches import Batch
from kit.training.grad_cache import cached_gradient, full_gradient
from kit.training.objectives import Moment, System
from kit.training.objectives.rows import Rows
from kit.training.settings import Recipe
from kit.training.trainer import Trainer


def deal(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Which rows each of `size` ranks embeds: sorted by length, dealt like cards.

    Every rank gets as many rows as the others, or one less, and at most one longest row more in tokens.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[rank::size] for rank in range(size)]


def gather(mine: Tensor, hands: Sequence[Sequence[int]]) -> Tensor:
    """The vectors [rows, dim] of the whole batch, with a gradient, from those of this rank, [own rows, dim].

    hands: the rows of the batch that each rank holds, see `deal`; they may be uneven, and empty. Must be
    called by all ranks, and backpropagated by all: what comes back is the sum of what they all found.
    """
    most = max(map(len, hands))
    table = Gather.apply(F.pad(mine, (0, 0, 0, most - len(mine))), len(hands))  # [ranks · most, dim]
    place = torch.empty(sum(map(len, hands)), dtype=torch.int64)
    for rank, rows in enumerate(hands):
        place[list(rows)] = rank * most + torch.arange(len(rows))
    return table.index_select(0, place.to(mine.device))


class Gather(torch.autograd.Function):
    """[rows, dim] of each rank → [ranks · rows, dim], the same on all; backwards a sum over the ranks."""

    @staticmethod
    def forward(ctx, mine: Tensor, size: int) -> Tensor:
        everybody = mine.new_empty(size * len(mine), mine.shape[1])
        dist.all_gather(list(everybody.chunk(size)), mine.contiguous())
        ctx.size = size
        return everybody

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None]:
        parts = gradient.contiguous().chunk(ctx.size)
        mine = torch.empty_like(parts[0])
        dist.reduce_scatter(mine, list(parts))
        return mine, None


Share = Callable[[System, Any, Moment, Ranks], tuple[Tensor, dict[str, Tensor]]]


def whole(system: System, batch: Any, moment: Moment, ranks: Ranks) -> tuple[Tensor, dict[str, Tensor]]:
    """L/W and its parts: the whole loss, as one process computes it, on every rank."""
    loss, parts = system.loss(batch, moment)
    return loss / ranks.size, {name: part / ranks.size for name, part in parts.items()}


def by_anchors(system: System, batch: Batch, moment: Moment, ranks: Ranks) -> tuple[Tensor, dict[str, Tensor]]:
    """The terms of this rank's block of anchors, against all candidates, and of its block of pairs.

    Both are divided by the number of all, so that the shares add up to `Contrast.loss`.
    """
    recipe = moment.recipe

    def block(count: int) -> slice:
        return slice(count * ranks.rank // ranks.size, count * (ranks.rank + 1) // ranks.size)

    def classify(z: Tensor, batch: Batch) -> Tensor:
        mine = block(len(batch.labels))
        logits, labels = system.head(z[batch.u[mine]], z[batch.v[mine]]), batch.labels[mine]
        return cross_entropy(logits, labels) * len(labels) / max(1, len(batch.labels))

    def contrast(z: Tensor, batch: Batch) -> Tensor:
        mine = block(len(batch.relations.anchors))
        relations = batch.relations.slice(mine.start, mine.stop)
        anchors = ranks.sum(relations.num_valid_anchors()).clamp(min=1)
        return (
            contrastive_softmax(z, relations, recipe.temperature, recipe.similarity, recipe.other_positives, "sum")
            / anchors
        )

    return interpolate(classify, contrast, recipe.lam)(moment.embed(batch.token_ids), batch, moment.step)


# The systems that need of the encoder nothing but the vectors of the rows; the last two have no matrix to share out.
SHARES: dict[str, Share] = {"contrast": by_anchors, "views": by_anchors, "augment": whole, "pause": whole}


class RankTrainer(Trainer):
    """A `Trainer` that is one of several: all choose the same batch, each embeds its hand of the rows.

    After `backward` every rank has the gradient that one process would have. Dropout is drawn from the
    seed, the step and the rank: two copies of a sentence on two ranks must not get one mask. A chunk in
    the recipe is the rows that one rank has in memory.
    """

    def __init__(self, ranks: Ranks, encoder, recipe: Recipe, *rest):
        ranks.agree("recipe and encoder", str((recipe.settings(), [p.shape for p in encoder.parameters()])))
        super().__init__(encoder.to(ranks.device), recipe, *rest)
        self.ranks = ranks
        ranks.spread(self.module)

    def backward(self, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        ranks, hands = self.ranks, deal([len(row) for row in batch.token_ids], self.ranks.size)
        torch.manual_seed((self.seed * 1_000_003 + self.step_number) * ranks.size + ranks.rank)
        mine = [batch.token_ids[row] for row in hands[ranks.rank]]
        parts = {}

        def loss_of(vectors: Tensor, _: Rows) -> Tensor:
            z = gather(vectors[: len(mine)], hands)  # [rows of the batch, dim]
            loss, found = SHARES[self.recipe.system](self.system, batch, self.moment(lambda token_ids: z), ranks)
            parts.update(found)
            return loss

        # A rank without a row embeds one and takes none of it: its gradients are 0 then, and not missing.
        rows = Rows(mine or batch.token_ids[:1])
        if self.recipe.chunk is None:
            loss = full_gradient(self._embed, rows, loss_of)
        else:
            loss = cached_gradient(self._embed, rows, loss_of, self.recipe.chunk)
        sum_gradients(self.module, ranks)
        loss, *values = ranks.sum(torch.stack([loss, *parts.values()]))
        return loss, dict(zip(parts, values))


def sum_gradients(module: nn.Module, ranks: Ranks) -> None:
    """Replace every gradient of `module` by its sum over the ranks, in one message."""
    found = [p for p in module.parameters() if p.grad is not None]
    summed = ranks.sum(torch.cat([p.grad.flatten() for p in found]))
    for parameter, gradient in zip(found, summed.split([p.numel() for p in found])):
        parameter.grad = gradient.view_as(parameter)


def ranks_for(recipe: Recipe, device: torch.device) -> Ranks:
    """The ranks to train `recipe` among: see `join`.

    Errors: `KitError` as there, and for several ranks and a recipe whose loss needs more of the encoder than the
    vectors of the rows, or vectors that depend on which rows stand beside them.
    """
    ranks = join(device)
    if ranks.alone:
        return ranks
    trouble = None
    if recipe.system not in SHARES:
        trouble = f"a system whose rows can be shared out ({', '.join(SHARES)}), got {recipe.system!r}"
    elif recipe.mlm_weight:
        trouble = f"no words to guess beside the contrast, got mlm_weight {recipe.mlm_weight}"
    elif recipe.pooling in PADDED_POOLINGS:
        trouble = f"a pooling that does not depend on the padding, got {recipe.pooling!r}"
    if trouble:
        raise KitError(f"recipe {recipe.name!r} on {ranks.size} ranks: expected {trouble}: train it with one process.")
    return ranks


def trainer_among(ranks: Ranks, encoder, recipe: Recipe, *rest) -> Trainer:
    """The trainer for these ranks; the rest as for `Trainer`, which it is where there is one rank."""
    return Trainer(encoder, recipe, *rest) if ranks.alone else RankTrainer(ranks, encoder, recipe, *rest)


@dataclass(frozen=True)
class Traffic:
    """Bytes that every rank sends in one step, and as many that it receives."""

    vectors: float  # the gather
    pulls: float  # the gradient of the vectors on its way back
    gradients: float  # of the weights

    @property
    def total(self) -> float:
        return self.vectors + self.pulls + self.gradients


def traffic(rows: int, dim: int, parameters: int, size: int) -> Traffic:
    """What one step of `size` ranks sends, for `rows` of the whole batch and `parameters` in all.

    The formulas of `kit.course.papers.step_cost`, 4 bytes a number; the padding of an uneven share is not counted.
    """
    from kit.course.papers.step_cost import all_gather_bytes, ring_all_reduce_bytes  # late: a training does without

    table = all_gather_bytes(size, rows / size, dim)
    return Traffic(table, table, ring_all_reduce_bytes(size, parameters))
