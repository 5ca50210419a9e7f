"""Checks of the losses' arguments and of what is to be trained; each error is one sentence. Not public."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from kit.errors import KitError, shown
from kit.number_checks import is_finite

LEAST_TEMPERATURE = 1e-30  # 1/τ, and the logits, must be float32 numbers
LARGEST_COMPONENT = 1e15  # its square, and a dot product over τ, must be float32 numbers


def check_temperature(temperature: object) -> float:
    if not is_finite(temperature) or temperature < LEAST_TEMPERATURE:
        raise KitError(
            f"expected a temperature above 0 (at least {LEAST_TEMPERATURE:g}), got {shown(temperature)}: "
            "with cosine try 0.05 (a scale of 20), with the dot product 1.0."
        )
    return float(temperature)


def check_embeddings(embeddings: object) -> None:
    if not isinstance(embeddings, Tensor):
        raise KitError(
            f"expected embeddings as a tensor [rows, dim], got {type(embeddings).__name__}: stack the vectors."
        )
    if embeddings.dim() != 2 or not embeddings.is_floating_point():
        raise KitError(
            f"expected embeddings as floats of shape [rows, dim], got shape "
            f"{tuple(embeddings.shape)} of {embeddings.dtype}: convert them."
        )
    if embeddings.is_cpu and embeddings.numel() and embeddings.dtype != torch.float64:  # a GPU would have to wait
        low, high = embeddings.detach().aminmax()
        if float(max(high, -low)) > LARGEST_COMPONENT:  # not of NaN, which the loss shows
            raise KitError(
                f"expected embeddings with components of at most {LARGEST_COMPONENT:g}, whose lengths float32 holds, "
                f"got one of {float(max(high, -low)):g}: divide them by their lengths first."
            )


def check_batch(embeddings: object, relations: object) -> None:
    """Embeddings, and relations that fit them."""
    check_embeddings(embeddings)
    if not hasattr(relations, "candidates"):
        raise KitError(f"expected Relations, got {shown(relations)}: functions such as mnrl_relations make them.")
    relations.check(len(embeddings))


def check_tensor(name: str, value: object, dtype: torch.dtype, dimensions: int) -> None:
    if not isinstance(value, Tensor):
        raise KitError(f"expected {name} as a tensor, got {type(value).__name__}: make it one.")
    if value.dtype != dtype or value.dim() != dimensions:
        raise KitError(
            f"expected {name} as a {dimensions}-dimensional tensor of {dtype}, "
            f"got {value.dim()} dimensions of {value.dtype}: convert it."
        )


def integers(name: str, values: Tensor | Sequence[int]) -> Tensor:
    """`values` as an int64 tensor with one dimension."""
    try:
        values = torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise KitError(f"expected {name} as one integer per row, got {type(values).__name__}: convert them.") from error
    whole = values.numel() == 0 or not (values.is_floating_point() or values.is_complex() or values.dtype == torch.bool)
    if values.dim() != 1 or not whole:
        raise KitError(
            f"expected {name} as one integer per row, got shape {tuple(values.shape)} of {values.dtype}: convert them."
        )
    return values.long()


def check_groups(premise_ids: Tensor, labels: Tensor) -> int:
    """The number of premises in the batch; premise ids must count from 0 without gaps, labels be 0, 1 or 2."""
    if len(premise_ids) != len(labels):
        raise KitError(
            f"expected one premise id per label, got {len(premise_ids)} ids "
            f"and {len(labels)} labels: give both for every hypothesis."
        )
    low, high = map(int, labels.aminmax()) if len(labels) else (0, 2)
    if low < 0 or high > 2:
        raise KitError(
            f"expected labels 0, 1 or 2, got {low if low < 0 else high}: drop the pairs without a gold label."
        )
    unique = premise_ids.unique()
    if not torch.equal(unique, torch.arange(len(unique), device=unique.device)):
        raise KitError(
            f"expected premise ids that count 0 to {len(unique) - 1} within the batch, got "
            f"{unique[:5].tolist()}: renumber them, e.g. with torch.unique(return_inverse=True)."
        )
    return len(unique)


def check_weights_learn(encoder: nn.Module) -> None:
    """What came to be in `torch.inference_mode` can never take part in a gradient."""
    if any(tensor.is_inference() for tensor in (*encoder.parameters(), *encoder.buffers())):
        raise KitError(
            "expected an encoder whose weights can learn, got one that was made in torch.inference_mode(): load it "
            "outside of that."
        )


def check_finite_weights(module: nn.Module, step: int, lr: float) -> None:
    """What a step has left, see `Trainer.check_finite`."""
    if spoilt := [name for name, p in module.named_parameters() if not p.isfinite().all()]:
        raise KitError(
            f"expected finite weights after step {step}, got NaN or infinity in {len(spoilt)} tensors "
            f"(the first is {spoilt[0]}) at learning rate {lr:.3g}: try a smaller lr."
        )


def diverged(module: nn.Module, step: int, loss: float, lr: float) -> KitError:
    """What to say of a loss or gradient that is not finite, before the gradients are taken away."""
    sizes = {n: p.grad.abs().max().item() for n, p in module.named_parameters() if p.grad is not None}
    name = max(sizes, key=lambda n: math.inf if math.isnan(sizes[n]) else sizes[n])
    return KitError(
        f"expected a finite loss and gradient in step {step}, got loss {loss:.4g} at learning rate {lr:.3g}, largest "
        f"gradient {sizes[name]:.3g} in {name}: the step was not taken; try a smaller lr, a longer warmup or a higher "
        "temperature."
    )
