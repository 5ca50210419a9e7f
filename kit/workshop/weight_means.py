"""One encoder from several: the mean of their weights, number by number."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from kit.checks.argument_checks import checked
from kit.encoder.encoder import Encoder
from kit.errors import KitError, shown
from kit.number_checks import is_finite


@checked
def mean_of_weights(encoders: Sequence, shares: Sequence[float] | None = None) -> Encoder:
    """A new encoder, each of whose weights is Σᵢ shareᵢ · weightᵢ over `encoders`; they stay as they are. Lesson 09.

    shares: as many numbers as encoders, 1 in all (None: equal ones). With (1 − p, p) for two encoders, p from 0 to 1
    goes the straight line from one to the other; beyond these it goes on. Of the first are tokenizer and pooling.
    Source: Wortsman et al. 2022, Model soups (the uniform soup); for runs of one start. From different random weights
    unit k of one encoder has nothing to do with unit k of the other, and the mean is neither.

    Raises KitError for no encoder, something else among them, another shape, vocabulary or pooling, and wrong shares.
    """
    import torch

    encoders = _alike(encoders)
    shares = _shares(shares, len(encoders))
    states = [one.state_dict() for one in encoders]
    mean = copy.deepcopy(encoders[0])
    with torch.no_grad():
        for name, weight in mean.state_dict().items():  # the tensors themselves: written in place
            if weight.is_floating_point():  # the others are positions, the same in all
                parts = [share * state[name].to(weight.device).double() for share, state in zip(shares, states)]
                weight.copy_(sum(parts))
    mean.source = None  # it is none of those that were loaded
    return mean


def _alike(encoders: Sequence) -> list[Encoder]:
    """The encoders as a list, if their weights can be added up."""
    encoders = list(encoders)
    if strange := [one for one in encoders if not isinstance(one, Encoder)]:
        raise KitError(f"expected encoders, got {shown(strange[0])} among them: load each with load_encoder.")
    if not encoders:
        raise KitError("expected at least one encoder to take the mean of, got none.")
    shapes = [{name: tuple(weight.shape) for name, weight in one.state_dict().items()} for one in encoders]
    if unequal := [i for i, shape in enumerate(shapes) if shape != shapes[0]]:
        raise KitError(
            f"expected encoders of one shape, but the weights of number {unequal[0]} are others in number or size than "
            "those of number 0: take runs that began from the same encoder."
        )
    pieces = [one.tokenizer.get_vocab() for one in encoders]
    if unequal := [i for i, known in enumerate(pieces) if known != pieces[0]]:
        raise KitError(
            f"expected encoders of one vocabulary, but the word pieces of number {unequal[0]} are others than those of "
            "number 0: take runs that began from the same encoder."
        )
    poolings = {one.pooling + f" from layer {one.first_layer}" * (one.pooling == "first_last") for one in encoders}
    if len(poolings) > 1:
        raise KitError(f"expected encoders of one pooling, got {', '.join(sorted(poolings))}: load all with the same.")
    return encoders


def _shares(shares: Sequence[float] | None, count: int) -> list[float]:
    if shares is None:
        return [1 / count] * count
    if len(shares) != count or not all(map(is_finite, shares)) or abs(sum(shares) - 1) > 1e-6:
        raise KitError(f"expected {count} shares that are 1 in all, one for each encoder, got {shown(shares)}.")
    return [float(share) for share in shares]
