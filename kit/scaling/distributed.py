"""One batch on several processes: the vectors of all ranks gathered, and the gradient of a single process.

A contrastive loss lives on the negatives of its batch. Two ranks that train on half a batch each see half the
negatives; to keep them all, every rank embeds its shard of the rows and the vectors are gathered.

Why the naive gather has a wrong gradient. `torch.distributed.all_gather` copies numbers, and a copy has no graph. Row
j of rank s is a candidate of anchor i of rank r: the term of i says where z_j should go, but rank r says it to a copy,
which forgets it. So a sentence moves as an anchor, and as a candidate of the anchors of its own rank; of W ranks that
push it, W − 1 are not heard. The loss is right to the last digit: no curve shows it.

What is done instead. Let the loss be a sum with one term for each of W ranks, L = Σ_r L_r. Then

    forward    z = gather(z of each rank)                    every rank has every vector
    backward   ∂L/∂z_j = Σ_r ∂L_r/∂z_j, for j of one's own   the gather's transpose: a reduce-scatter
    weights    ∂L/∂w = Σ_r (what rank r found for w)         one all-reduce

The last line holds for the encoder, of which each rank finds what its own rows say, and for a classifier behind the
vectors, of which each rank finds what L_r says. (An average of the gradients, as DistributedDataParallel takes it,
would be 1/W of that.) There are two ways to divide a loss; `division_of` says which objective takes which:

    replicated  every rank computes all of L and takes L/W: plain, right for any loss
    by_anchors  every rank computes the terms of its block of anchors: 1/W of the similarity matrix; of the kit's own
                softmax alone, whose formula it has

Clipping and AdamW then see on every rank what one process would have seen; so the weights stay equal unsent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from kit import fast
from kit.checks.own_objective import embed_once
from kit.encoder.pooling import PADDED_POOLINGS
from kit.errors import KitError, shown
from kit.losses import contrastive_softmax, cross_entropy
from kit.scaling.ranks import Ranks, connect
from kit.training.batches import Batch
from kit.training.grad_cache import cached_gradient, full_gradient
from kit.training.objectives import Objective, StepContext
from kit.training.objectives.contrast import Contrast
from kit.training.settings import Recipe
from kit.training.trainer import Trainer


def partition(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Which rows each of `size` ranks embeds: sorted by length, one to each rank in turn.

    Every rank gets as many rows as the others, or one less, and at most one longest row more in tokens.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[rank::size] for rank in range(size)]


def gather(mine: Tensor, shards: Sequence[Sequence[int]]) -> Tensor:
    """The vectors [rows, dim] of the whole batch, with a gradient, from those of this rank, [own rows, dim].

    shards: the rows of the batch that each rank holds, see `partition`; they may be uneven, and empty. Must be
    called by all ranks, and backpropagated by all: what comes back is the sum of what they all found.
    """
    most = max(map(len, shards))
    table = Gather.apply(F.pad(mine, (0, 0, 0, most - len(mine))), len(shards))  # [ranks · most, dim]
    place = torch.empty(sum(map(len, shards)), dtype=torch.int64)
    for rank, rows in enumerate(shards):
        place[list(rows)] = rank * most + torch.arange(len(rows))
    return table.index_select(0, place.to(mine.device))


class Gather(torch.autograd.Function):
    """[rows, dim] of each rank → [ranks · rows, dim], the same on all; backwards a sum over the ranks."""

    @staticmethod
    def forward(ctx, mine: Tensor, size: int) -> Tensor:
        gathered = mine.new_empty(size * len(mine), mine.shape[1])
        dist.all_gather(list(gathered.chunk(size)), mine.contiguous())
        ctx.size = size
        return gathered

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None]:
        parts = gradient.contiguous().chunk(ctx.size)
        mine = torch.empty_like(parts[0])
        dist.reduce_scatter(mine, list(parts))
        return mine, None


RankLoss = Callable[[Objective, Any, StepContext, Ranks], tuple[Tensor, dict[str, Tensor]]]


def replicated(
    objective: Objective, batch: Any, context: StepContext, ranks: Ranks
) -> tuple[Tensor, dict[str, Tensor]]:
    """L/W and its parts: the loss of the whole batch, as one process computes it, on every rank."""
    loss, parts = objective.loss(batch, context)
    return loss / ranks.size, {name: part / ranks.size for name, part in parts.items()}


def by_anchors(
    objective: Objective, batch: Batch, context: StepContext, ranks: Ranks
) -> tuple[Tensor, dict[str, Tensor]]:
    """The terms of this rank's block of anchors, against all candidates, and of its block of pairs.

    Both are divided by the number of all, so that the ranks' terms add up to `Contrast.loss`.
    """
    options, z = context.recipe.options, context.embed(batch.token_ids)  # [rows, dim]
    lam, other_positives = 1.0, "included"  # classes and two views have the contrast alone, whatever their options hold
    if isinstance(objective, Contrast):
        lam, other_positives = options.lam, options.other_positives
    weights, parts = {"cross_entropy": 1 - lam, "contrastive": lam}, {}
    if weights["cross_entropy"]:
        pairs = _block(len(batch.labels), ranks)
        u, v = z.index_select(0, batch.u[pairs]), z.index_select(0, batch.v[pairs])  # as in `Contrast.loss`
        labels = batch.labels[pairs]
        parts["cross_entropy"] = cross_entropy(objective.head(u, v), labels) * len(labels) / max(1, len(batch.labels))
    if weights["contrastive"]:
        anchors = _block(len(batch.relations.anchors), ranks)
        relations = batch.relations.slice(anchors.start, anchors.stop)
        count = ranks.sum(relations.num_valid_anchors()).clamp(min=1)
        z = objective.project(z)
        total = contrastive_softmax(
            z, relations, options.temperature, options.similarity, other_positives, "sum", context.fast
        )
        parts["contrastive"] = total / count
    loss = sum(weights[name] * part for name, part in parts.items())
    return loss, {name: part.detach() for name, part in parts.items()}


def _block(count: int, ranks: Ranks) -> slice:
    """This rank's share of `count` neighbours."""
    return slice(count * ranks.rank // ranks.size, count * (ranks.rank + 1) // ranks.size)


# by the objective's `division_of`
RANK_LOSSES: dict[str, RankLoss] = {"replicated": replicated, "by_anchors": by_anchors}


def division_of(objective: Objective | type[Objective]) -> str | None:
    """How the loss of an objective is divided; None where it needs more of the encoder than the vectors of the rows.

    `by_anchors` does not call `loss`, but computes what stands in that of the kit's classes. So a loss of one's own is
    replicated where its class has only inherited "by_anchors". Errors: `KitError` where it says so itself, and for a
    division that is none.
    """
    scopes = objective.__mro__ if isinstance(objective, type) else (objective, *type(objective).__mro__)
    losses, said = ([scope for scope in scopes if name in vars(scope)] for name in ("loss", "division"))
    division = getattr(objective, "division", None)
    own = not isinstance(losses[0], type) or not losses[0].__module__.startswith("kit.")
    if own and division == "by_anchors" and scopes.index(losses[0]) < scopes.index(said[0]):
        return "replicated"
    name = getattr(objective, "__name__", type(objective).__name__)
    if division is not None and (not isinstance(division, str) or division not in RANK_LOSSES):
        raise KitError(
            f"expected the division of {name} as 'replicated', 'by_anchors' or None, got {shown(division)}: take "
            "'replicated', which is right for any loss of the vectors, or train it with one process."
        )
    if own and division == "by_anchors":
        raise KitError(
            f"expected no division 'by_anchors' of {name}, whose loss is its own, as it stands for the kit's own "
            "softmax: take 'replicated', or train it with one process."
        )
    return division


class RankTrainer(Trainer):
    """A `Trainer` that is one of several: all choose the same batch, each embeds its shard of the rows.

    After `backward` every rank has the gradient that one process would have. Dropout is drawn from the seed, the step
    and the rank: two copies of a sentence on two ranks must not get one mask. A chunk in the recipe is the rows that
    one rank has in memory.
    """

    def __init__(self, ranks: Ranks, encoder, recipe: Recipe, *rest):
        ranks.check_equal("recipe and encoder", str((recipe.as_dict(), [p.shape for p in encoder.parameters()])))
        super().__init__(encoder.to(ranks.device), recipe, *rest)
        self.ranks = ranks
        ranks.broadcast(self.module)

    def backward(self, batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
        ranks, shards = self.ranks, partition([len(row) for row in batch.token_ids], self.ranks.size)
        torch.manual_seed(((self.seed * 1_000_003 + self.step_number) * ranks.size + ranks.rank) % 2**63)
        mine = [batch.token_ids[row] for row in shards[ranks.rank]]
        rank_loss, chunk, parts = RANK_LOSSES[division_of(self.objective)], self.recipe.options.chunk, {}

        def loss_of(vectors: Tensor, _: Any) -> Tensor:
            z = gather(vectors[: len(mine)], shards)  # [rows of the batch, dim]
            context = self.context(embed_once(self.objective, batch, z))
            loss, its_parts = rank_loss(self.objective, batch, context, ranks)
            parts.update(its_parts)
            return loss

        # A rank without a row embeds one and takes none of it: its gradients are then 0, and not missing.
        rows = SimpleNamespace(token_ids=mine or batch.token_ids[:1])
        if chunk is None:
            loss = full_gradient(self._embed, rows, loss_of)
        else:
            loss = cached_gradient(self._embed, rows, loss_of, chunk)
        sum_gradients(self.module, ranks)
        loss, *values = ranks.sum(torch.stack([loss, *parts.values()]))
        return loss, dict(zip(parts, values))


def sum_gradients(module: nn.Module, ranks: Ranks) -> None:
    """Replace every gradient of `module` by its sum over the ranks, in one message."""
    with_gradient = [p for p in module.parameters() if p.grad is not None]
    summed = ranks.sum(torch.cat([p.grad.flatten() for p in with_gradient]))
    for parameter, gradient in zip(with_gradient, summed.split([p.numel() for p in with_gradient])):
        parameter.grad = gradient.view_as(parameter)


@dataclass(frozen=True)
class TrainingRanks(Ranks):
    """The ranks of one training: how `fit` makes its trainer, and what tokenises its data."""

    def trainer(self, encoder, recipe: Recipe, *rest) -> Trainer:
        """A `RankTrainer`, or a plain `Trainer` for a single rank; arguments as of `Trainer`.

        Errors: `KitError` for several ranks and an encoder whose vectors depend on which rows stand beside them.
        """
        if self.is_single:
            return Trainer(encoder, recipe, *rest)
        if encoder.pooling in PADDED_POOLINGS:
            raise KitError(
                f"recipe {recipe.name!r} on {self.size} ranks: expected an encoder whose pooling does not depend on "
                f"the padding, got {encoder.pooling!r}: train it with one process."
            )
        return RankTrainer(self, encoder, recipe, *rest)

    def tokenizer(self, encoder):
        """Stands in for `encoder` where data is tokenised: each rank takes a part, see `kit.fast`."""
        if self.is_single or not fast.enabled():
            return encoder
        from kit.fast.shared_tokens import SharedTokens

        return SharedTokens(encoder, self)


def ranks_for(recipe: Recipe, device: torch.device) -> TrainingRanks:
    """The ranks to train `recipe` among, see `connect`.

    Errors: `KitError` as there and by `division_of`, and for several ranks and a recipe whose loss needs more of the
    encoder than the vectors of the rows.
    """
    ranks = connect(device)
    if not ranks.is_single:
        expected = None
        if division_of(recipe.objective) is None:
            expected = f"an objective that needs nothing but the vectors of the rows, got {recipe.objective.name!r}"
        elif getattr(recipe.options, "mlm_weight", 0):
            expected = f"no words to guess beside the contrast, got mlm_weight {recipe.options.mlm_weight}"
        if expected:
            raise KitError(
                f"recipe {recipe.name!r} on {ranks.size} ranks: expected {expected}: train it with one process."
            )
    return TrainingRanks(ranks.rank, ranks.size, ranks.device, ranks.group)
