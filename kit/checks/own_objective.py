"""Checks of what others write for `fit`: a recipe with options of their own, and what their objective makes of data.

Each error is one sentence that names the class, before anything has been trained. Not public.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from torch import Tensor, nn

from kit.errors import KitError, shown
from kit.number_checks import is_whole

STEP = ("step", "loss", "lr", "rows")  # what every step of a history has
METHODS = ("examples", "batch", "loss")


def check_options(recipe: Any, base: type) -> None:
    """The options are of a class derived from `base`, their settings are fields, and they name an objective."""
    options, kind = recipe.options, type(recipe.options)
    if not isinstance(options, base):
        raise _told(recipe, "options", "of a class derived from kit.training.settings.Options", options)
    common, known = inspect.get_annotations(base), {field.name for field in fields(kind)}
    for cls in (cls for cls in kind.__mro__ if cls not in base.__mro__):
        own, decorated = inspect.get_annotations(cls), "__dataclass_fields__" in vars(cls)
        for name, value in vars(cls).items():
            is_own = name.startswith("__") or name == "_abc_impl" or hasattr(value, "__get__") or callable(value)
            fixed = "ClassVar" in str(own.get(name)) or (name in common and name not in known)
            if not (is_own or fixed or (decorated and name in own)):
                raise KitError(
                    f"recipe {recipe.name!r}: expected every setting of {cls.__name__} as a field, so that a run knows "
                    f"it, but {name} is none: write @dataclass(frozen=True) above the class and a type behind the name."
                )
    if not hasattr(options, "data_format"):
        raise _told(recipe, "data_format", f"named in {kind.__name__}, a text", None)
    objective = options.objective
    if not isinstance(objective, type):
        raise _told(recipe, "objective", f"a class that {kind.__name__} returns by a @property", objective)
    missing = [name for name in ("name", *METHODS) if not hasattr(objective, name)]
    missing += sorted(getattr(objective, "__abstractmethods__", ()))
    if missing:
        raise _told(recipe, "objective", f"with {missing[0]}, as Objective has it", objective.__name__)


def check_settings(recipe: Any, rules: Iterable[tuple[bool, str, Any]]) -> None:
    """The rules hold, and every setting can be written into a checkpoint."""
    for holds, expected, got in rules:
        if not holds:
            raise KitError(f"recipe {recipe.name!r}: expected {expected}, got {got!r}.")
    for owner in (recipe, recipe.options):
        for name in (field.name for field in fields(owner) if field.name not in ("options", "presets")):
            if not _is_json(value := getattr(owner, name)):
                raise _told(recipe, name, "made of numbers, texts and lists, as checkpoints hold it", value)


def check_objective(objective: nn.Module, encoder: nn.Module, examples: Any, sorts: bool) -> None:
    """It holds no weights of the encoder, and its examples can be put into batches; sorts: by their lengths."""
    name, weights = type(objective).__name__, {*encoder.parameters()}
    if held := [key for key, weight in objective.named_parameters() if weight in weights]:
        raise KitError(
            f"expected weights of its own in {name}, but {held[0]} is the encoder's, which would be trained and saved "
            "twice: take the encoder from context.encoder in loss."
        )
    if hasattr(examples, "batches"):  # a source, see `kit.training.example_sources`
        return
    if not isinstance(examples, list | tuple) or not examples:
        raise _made(name, "examples", "a list with an example or more", examples)
    first, needed = examples[0], ("size", "longest") if sorts else ("size",)
    for one in needed:
        if not is_whole(getattr(first, one, None), 0):
            raise _made(name, "examples", f"dataclasses with {one}, a whole number", first)
    if not is_dataclass(first) or not all(_is_json(getattr(first, field.name)) for field in fields(first)):
        raise _made(name, "examples", "dataclasses of numbers and lists, by which a run knows its data", first)


def check_batch_of(objective: nn.Module, batch: Any, device: Any) -> None:
    """A batch has rows, also after it was brought to `device`."""
    name = type(objective).__name__
    if not hasattr(batch, "token_ids") or not callable(getattr(batch, "to", None)):
        raise _made(name, "batch", "an object with token_ids and to(device)", batch)
    if not hasattr(moved := batch.to(device), "token_ids"):
        raise _made(name, "batch", "an object whose to(device) returns such a batch", moved)


def check_loss_of(objective: nn.Module, found: Any) -> None:
    """A loss is one number with its graph, and beside it the numbers that it is made of."""
    name = type(objective).__name__
    if not isinstance(found, tuple) or len(found) != 2:
        raise _made(name, "loss", "a pair: the loss, and a dict of its parts ({} for none)", found)
    loss, parts = found
    if not isinstance(loss, Tensor) or loss.numel() != 1:
        raise _made(name, "loss", "first the loss, a tensor of one number", loss)
    if not isinstance(parts, dict):
        raise _made(name, "loss", "second a dict of the loss's parts ({} for none)", parts)
    for part, value in parts.items():
        if not isinstance(part, str) or part in STEP:
            raise _made(name, "loss", f"parts with names other than {', '.join(STEP)}, which each step has", part)
        if not isinstance(value, Tensor) or value.numel() != 1:
            raise _made(name, "loss", f"{part} as a tensor of one number, detached", value)


def embed_once(objective: nn.Module, batch: Any, vectors: Tensor) -> Callable[[list], Tensor]:
    """`StepContext.embed` where the vectors of a batch are there already: for all of its rows in their order, once."""
    calls = iter(range(2))

    def embed(token_ids: list) -> Tensor:
        if next(calls, 1) or (token_ids is not batch.token_ids and [*token_ids] != [*batch.token_ids]):
            raise KitError(
                f"expected one context.embed(batch.token_ids) in the loss of {type(objective).__name__}, as under a "
                "chunk and on several processes the vectors of all rows are computed before it, got another call: take "
                "rows of what it returns, or train without."
            )
        return vectors

    return embed


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _told(recipe: Any, name: str, expected: str, got: Any) -> KitError:
    return KitError(f"recipe {recipe.name!r}: expected {name} {expected}, got {shown(got)}.")


def _made(objective: str, method: str, expected: str, got: Any) -> KitError:
    return KitError(
        f"expected {objective}.{method} to return {expected}, got {shown(got)}: see kit.training.objectives.Objective."
    )
