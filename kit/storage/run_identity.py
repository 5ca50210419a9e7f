"""Whose checkpoint is it? What determines a run is kept with each, and compared before one is resumed."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
import textwrap
import warnings
from abc import ABC
from pathlib import Path
from typing import Any

import torch

from kit.errors import KitError, KitWarning

NOT_OWN = ("kit", "torch", "builtins")  # whose classes an objective may be made of without being somebody's own
MOMENTS = ("exp_avg", "exp_avg_sq")  # what AdamW keeps of each weight, beside the number of its step


def settings_of(recipe: Any) -> dict:
    """What of a recipe makes another run, and not only another text about it.

    An objective that is not the kit's has its class and a hash of its code beside its name, which others may have too.
    """
    settings = {k: v for k, v in recipe.as_dict().items() if k not in ("title", "source", "deviations")}
    made_of = [cls for cls in recipe.objective.__mro__ if cls is not ABC]
    own = [cls for cls in made_of if cls.__module__.split(".")[0] not in NOT_OWN]
    if own:
        code = [[name, _code(name, value)] for cls in own for name, value in sorted(vars(cls).items())]
        hashed = hashlib.sha256(json.dumps([one for one in code if one[1] is not None]).encode()).hexdigest()[:12]
        settings["objective"] += f" ({recipe.objective.__qualname__}, code {hashed})"
    return settings


def _code(name: str, member: Any) -> Any:
    """What a member of a class does, JSON-ready: its source without comments, a number or text itself, else None."""
    member = getattr(member, "__func__", getattr(member, "fget", member))
    if not hasattr(member, "__code__"):
        return member if isinstance(member, str | int | float) and not name.startswith("__") else None
    try:
        return ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(member))))
    except (OSError, SyntaxError):  # nobody has kept it, or it is a part of a line
        return _compiled(member.__code__)


def _compiled(code: Any) -> list:
    def plain(one: Any) -> Any:
        if hasattr(one, "co_code"):
            return _compiled(one)
        return sorted(map(repr, one)) if isinstance(one, frozenset) else repr(one)

    return [code.co_code.hex(), code.co_names, [plain(one) for one in code.co_consts]]


def check_identity(folder: Path | str, saved: dict, expected: dict) -> None:
    """Raise `KitError` where a checkpoint in `folder` belongs to another run than `expected`, in one of its parts."""
    expected = json.loads(json.dumps(expected))
    for part in expected:
        if saved.get(part) != expected[part]:
            raise KitError(
                f"expected a checkpoint of this run in {folder}, but it belongs to another "
                f"({part}: {_difference(saved.get(part), expected[part])}): choose another folder "
                "or delete this one."
            )


def check_tensors(folder: Path | str, trainer: Any, tensors: dict[str, torch.Tensor]) -> None:
    """Raise `KitError`, before anything is changed, where a checkpoint's tensors are not those of this `trainer`."""
    here = {f"module.{name}": value.shape for name, value in trainer.module.state_dict().items()}
    here["rng.cpu"] = torch.get_rng_state().shape
    weights = [weight for group in trainer.optimizer.param_groups for weight in group["params"]]
    kept = {name.split(".")[1] for name in tensors if name.startswith("optimizer.")}  # those that have had a gradient
    for index, weight in enumerate(weights):
        if str(index) in kept:
            here |= {f"optimizer.{index}.{name}": weight.shape for name in MOMENTS}
            here[f"optimizer.{index}.step"] = torch.Size()
    there = {k: v.shape for k, v in tensors.items() if k == "rng.cpu" or k.startswith(("module.", "optimizer."))}
    for name in {**here, **there}:
        if here.get(name) != there.get(name):
            sizes = [list(shapes[name]) if name in shapes else "nothing" for shapes in (there, here)]
            raise KitError(
                f"expected the tensors of this run in {folder}, but {name} is {sizes[0]} there and {sizes[1]} here: "
                "choose another folder or delete this one."
            )


def arithmetic(trainer: Any) -> dict:
    """With what a trainer computes, JSON-ready: it makes no other run, but other digits of its losses."""
    kind = trainer.device.type
    with trainer.context(trainer.encoder.embed).autocast():
        low = torch.is_autocast_enabled(kind)
        precision = str(torch.get_autocast_dtype(kind)).removeprefix("torch.") if low else "float32"
    # as `kit.fast.enabled`, which is not imported from here
    fast = os.environ.get("KIT_FAST") != "0" if trainer.fast is None else trainer.fast
    weights = str(next(trainer.encoder.parameters()).dtype).removeprefix("torch.")
    return {"precision": precision, "fast": fast, "weights": weights}


def warn_of_other_arithmetic(saved: dict | None, trainer: Any, step: int) -> None:
    """A warning where a run goes on after `step` with another `arithmetic` than was `saved`; None: nobody knows."""
    if saved is not None and saved != (now := arithmetic(trainer)):
        warnings.warn(
            KitWarning(
                f"after step {step:,} the run goes on with another arithmetic ({_difference(saved, now)}): its losses "
                "are not those of a run without interruption; for those, give fit the same precision and fast, and "
                "the encoder the same type of weights."
            ),
            stacklevel=5,
        )


def _difference(saved: Any, expected: Any) -> str:
    """How two identities differ, short enough for one sentence; what only one of them has is another version's."""
    if not (isinstance(saved, dict) and isinstance(expected, dict)):
        return f"{saved!r} there, {expected!r} here"
    told = []
    for key in {**expected, **saved}:
        if key not in expected:
            told.append(f"{key}: {saved[key]!r} there, unknown to this version of the kit")
        elif key not in saved:
            told.append(f"{key}: unknown to the version of the kit there, {expected[key]!r} here")
        elif saved[key] != expected[key]:
            told.append(f"{key}: {saved[key]!r} there, {expected[key]!r} here")
    return ", ".join(told[:3])
