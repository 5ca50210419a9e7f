"""One step of every recipe on a device that is not the CPU and computes nothing: prints {what: its error, or ""}.

torch's fake tensors know shapes and devices alone, and refuse to mix two devices, as a GPU does. A backend of torch's
own for such tests stands in for the GPU. Run in a process of its own: it changes torch.
"""

from __future__ import annotations

import copy
import json
import sys
import traceback
from functools import cache

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

import kit.losses.scored
from kit.data import Group
from kit.encoder import load_encoder
from kit.training import RECIPES, recipe
from kit.training.example_sources import open_data, source_of
from kit.training.objectives import StepContext
from kit.training.trainer import set_dropout

DEVICE = "fakegpu:0"
HYPOTHESES = ("an animal {} moves", "a cat {} sleeps", "nobody {} is here", "something {} runs")
GROUPS = [
    Group(i, f"a dog {i} runs in the park", tuple(h.format(i) for h in HYPOTHESES), (0, 2, 1, 0)) for i in range(8)
]
DOCUMENTS = [" ".join(f"word{j} and a dog runs in the park number {j * i}" for j in range(60)) for i in range(4)]
SCORED = [(f"a dog {i}", f"a cat {i}", (i % 5) / 4) for i in range(10)]
VARIANTS = [
    *((name, {}) for name in RECIPES),
    ("scl", {"max_positives": 1, "max_negatives": 2}),
    ("scl", {"anchors": "row", "max_positives": 1}),
    ("scl", {"mask_duplicates": True}),
    ("scl", {"head": "two linear"}),
    ("simcse", {"projection": "tanh"}),
    ("supmpn", {"other_positives": "zero_logit", "mask_duplicates": True}),
    ("declutr", {"shared_pass": False}),
    ("pause", {"classes": 3, "divide_by_classes": True}),
]


def make_torch_fake() -> None:
    """A backend without a machine; what asks a tensor for its value is told nothing in particular."""
    _setup_privateuseone_for_python_backend("fakegpu")
    torch.fakegpu.get_amp_supported_dtype = lambda: [torch.bfloat16, torch.float16]
    real = torch.tensor

    def tensor(data, *some, device=None, **others):
        made = real(data, *some, **others)
        there = device is not None and torch.device(device).type != "cpu"
        return torch.empty(made.shape, dtype=made.dtype, device=device) if there else made

    torch.tensor = tensor
    torch.Tensor.new_tensor = lambda self, data: torch.tensor(data, dtype=self.dtype, device=self.device)
    for name, value in (("__bool__", False), ("__int__", 0), ("__float__", 0.0)):
        setattr(torch.Tensor, name, lambda self, value=value: value)
    torch.equal = lambda one, other: one.shape == other.shape
    FakeTensor.tolist = lambda self: [0] * self.numel()  # else a symbol for each number, in seconds
    kit.losses.scored._checked_scores = lambda scores, similarities: scores
    kit.encoder.load.check_finite = lambda model, where: None


def move(module: nn.Module) -> None:
    """All weights and buffers of a module to the device, without their values."""
    for part in module.modules():
        for name, weight in part._parameters.items():
            if weight is not None:
                part._parameters[name] = nn.Parameter(torch.empty(weight.shape, dtype=weight.dtype, device=DEVICE))
        for name, held in part._buffers.items():
            if held is not None:
                part._buffers[name] = torch.empty(held.shape, dtype=held.dtype, device=DEVICE)


def faked(batch, mode: FakeTensorMode):
    """A batch whose tensors are fake ones of the CPU, for `to` to move."""
    if isinstance(batch, torch.Tensor):
        return mode.from_tensor(batch)
    if not hasattr(batch, "__dict__"):
        return batch
    made = copy.copy(batch)
    for name, value in vars(batch).items():
        if isinstance(value, torch.Tensor) or hasattr(value, "anchors"):
            object.__setattr__(made, name, faked(value, mode))
    return made


@cache
def loaded(pooling: str, first_layer: int):
    """The bundled encoder, with attention as on a GPU."""
    encoder = load_encoder("kit-bert-tiny", pooling=pooling, first_layer=first_layer)
    encoder.bert.set_attn_implementation("sdpa")
    return encoder


def step(name: str, changes: dict, fast: bool) -> None:
    """Loss and gradient of one batch."""
    short = {"max_span": 16, "min_span": 4} if name == "declutr" else {}
    made = recipe(name, "smoke", **changes, **short)
    encoder = copy.deepcopy(loaded(made.pooling, made.first_layer))
    set_dropout(encoder, 0.1)
    data = {"documents": DOCUMENTS, "scored": SCORED}.get(made.data_format, GROUPS)
    items = open_data(encoder, data, made, 0)
    batch = made.objective(encoder, made).batch(
        source_of(items, made, 0).batches(0)[0], made, torch.Generator().manual_seed(0)
    )
    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()) as mode:
        move(encoder)
        objective = made.objective(encoder, made)
        move(objective)
        encoder.train(), objective.train()
        context = StepContext(
            encoder,
            lambda ids: encoder.embed(ids, None, fast).float(),
            lambda: torch.autocast("cpu", enabled=False),
            *(made, 0, 10, 0, None, fast),
        )
        loss, _ = objective.loss(faked(batch, mode).to(torch.device(DEVICE)), context)
        assert loss.device.type == "fakegpu", f"the loss is on {loss.device}"
        loss.backward()
        gradients = [weight.grad for weight in encoder.parameters() if weight.grad is not None]
        assert gradients and {grad.device.type for grad in gradients} == {"fakegpu"}


def mixed() -> None:
    """What must be refused, else nothing here says anything."""
    with FakeTensorMode():
        torch.empty(3, device=DEVICE) + torch.empty(3)


def told(work, *arguments) -> str:
    try:
        work(*arguments)
    except Exception as error:
        lines = [f"{one.filename.split('/')[-1]}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
        return f"{type(error).__name__}: {str(error).splitlines()[0]} ({' '.join(lines[-4:])})"
    return ""


if __name__ == "__main__":
    make_torch_fake()
    steps = [(*one, True) for one in VARIANTS] + [(name, {}, False) for name in ("scl", "simcse", "supmpn", "declutr")]
    found = {f"{name} {changes} fast={fast}": told(step, name, changes, fast) for name, changes, fast in steps}
    json.dump({"mixed": told(mixed), "steps": found}, sys.stdout)
