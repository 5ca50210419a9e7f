"""Matryoshka: train so that the first dimensions of a vector are a good vector by themselves.

    L = Σ_d  w_d · loss(z[:d] / ‖z[:d]‖)      over the dimensions d, such as 128, 64, 32, 16

(Kusupati et al. 2022, Matryoshka Representation Learning, Eq. 1, for sentence vectors; the same as the MatryoshkaLoss
of sentence-transformers.) It wraps the objective of any recipe: sentences are embedded once, and each prefix goes
through the recipe's own loss, filled up with zeros, which change neither its products nor its length.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import fields, make_dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from kit.checks.argument_checks import checked
from kit.errors import KitError, shown
from kit.number_checks import is_finite, is_whole
from kit.training import Recipe
from kit.training.objectives import Objective, StepContext
from kit.training.settings import Options

# Objectives whose loss a prefix at length 1 does not fit, and why.
NOT_BY_COSINE = {
    "information": "compares with single tokens",
    "tension": "compares with a second encoder by dot products",
    "denoising": "compares no two vectors",
}


@checked
def matryoshka(recipe: Recipe, dims: Sequence[int], weights: Sequence | None = None) -> Recipe:
    """`recipe` whose loss is the weighted sum of its loss on the first `dims` dimensions of the vectors.

    dims: such as (128, 64, 32, 16), each once; the encoder's own should be among them, or the whole vector is not
    trained. weights: one for each, 1 where they are left out. `fit` takes it as it takes any recipe. Those of a recipe
    that has dims already are replaced.
    Errors: `KitError` for dimensions below 1 or twice, weights that do not fit, a recipe that compares by dot products
    or nothing, or guesses words, and, once it trains, a dimension that the encoder has not. Lesson 13.
    """
    dims = tuple(dims)
    if not dims or not all(is_whole(dim, 1) for dim in dims) or len(set(dims)) < len(dims):
        raise KitError(
            f"expected dims as different whole numbers from 1, got {shown(str(dims))}: 128, 64, 32, 16 are usual."
        )
    weights = (1.0,) * len(dims) if weights is None else tuple(weights)
    if len(weights) != len(dims) or not all(is_finite(weight) and weight > 0 for weight in weights):
        raise KitError(f"expected a weight above 0 for each of {len(dims)} dimensions, got {shown(str(weights))}.")
    options = recipe.options
    if getattr(options, "similarity", "cosine") != "cosine" or getattr(options, "mlm_weight", 0):
        raise KitError(
            f"expected a recipe that compares by cosine and guesses no words, got {recipe.name}: prefixes are "
            "brought to length 1; take similarity='cosine' and mlm_weight=0."
        )
    if options.objective.name in NOT_BY_COSINE:
        raise KitError(
            f"expected a recipe that compares its sentence vectors by cosine, got {recipe.name}: its loss "
            f"{NOT_BY_COSINE[options.objective.name]}, so shorter vectors would learn nothing; take mnrl or simcse."
        )
    ordered = sorted(zip(map(int, dims), map(float, weights)), reverse=True)
    own = {name: getattr(options, name) for name in [field.name for field in fields(options)]}
    own |= {"matryoshka_dims": tuple(d for d, _ in ordered), "matryoshka_weights": tuple(w for _, w in ordered)}
    kind = type(options) if hasattr(options, "matryoshka_dims") else _options_of(type(options))
    return replace(recipe, options=kind(**own))


def prefix(vectors: Tensor, dim: int) -> Tensor:
    """The first `dim` dimensions of vectors [rows, all], at length 1, the others 0."""
    return F.pad(F.normalize(vectors[:, :dim], dim=1), (0, vectors.shape[1] - dim))


class _Matryoshka:
    """The loss of the objective that stands behind it in the class, summed over prefixes."""

    def __init__(self, encoder: Any, recipe: Recipe) -> None:
        super().__init__(encoder, recipe)
        if recipe.options.matryoshka_dims[0] > encoder.dim:
            raise KitError(
                f"expected dims up to the encoder's {encoder.dim}, got {recipe.options.matryoshka_dims[0]}: leave out "
                "the larger ones."
            )

    def loss(self, batch: Any, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        options, embedded = context.recipe.options, []
        total, found = torch.zeros(()), {}
        for dim, weight in zip(options.matryoshka_dims, options.matryoshka_weights, strict=True):
            calls = iter(range(10**9))

            def embed(token_ids: list[list[int]], dim: int = dim, calls: Any = calls) -> Tensor:
                if (call := next(calls)) == len(embedded):
                    embedded.append(context.embed(token_ids))
                return prefix(embedded[call], dim)

            loss, parts = super().loss(batch, replace(context, embed=embed))
            total = total.to(loss) + weight * loss
            found |= {f"{name} {dim}": part for name, part in parts.items()}
        return total, found


@functools.cache
def _options_of(plain: type[Options]) -> type[Options]:
    """The class of options with dimensions beside those of `plain`."""
    added = [("matryoshka_dims", tuple, (128,)), ("matryoshka_weights", tuple, (1.0,))]
    objective = property(lambda self: _objective_of(plain.objective.fget(self)))
    name = f"Matryoshka{plain.__name__}"
    return make_dataclass(name, added, bases=(plain,), frozen=True, namespace={"objective": objective})


@functools.cache
def _objective_of(plain: type[Objective]) -> type[Objective]:
    division = "replicated" if plain.division else None
    of_plain = {"name": f"matryoshka {plain.name}", "division": division, "__module__": __name__}
    return type(f"Matryoshka{plain.__name__}", (_Matryoshka, plain), of_plain)
