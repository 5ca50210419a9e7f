"""A normalizing flow as a repair: an invertible map to a standard normal, learned without labels.

Li et al. 2020 (BERT-flow): if sentence vectors were distributed like a standard normal, no direction would be favoured
and a cosine would mean the same everywhere. So an invertible f is learned that maximises their likelihood under a
standard normal of f(x); the encoder stays as it is.

Their flow is Glow; this one is smaller and of the same family. It starts with whitening, the best *linear* map to a
normal, which also drops directions without variance (where the likelihood is unbounded). Affine coupling layers
(Dinh et al. 2017, RealNVP) follow; they start as the identity and add the likelihood that whitening misses.
"""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, field

import torch
from torch import nn

from kit.checks.argument_checks import checked
from kit.encoder.whitening import LinearRepair, whitening
from kit.errors import KitError

COUPLINGS, HIDDEN = 6, 128  # layers, and the width of the network in each
BATCH, RATE, CLIP = 256, 3e-3, 1.0


@dataclass(frozen=True)
class FlowRepair:
    """x ↦ f(whitened x), f invertible; `fit_flow` makes one.

    start: the whitening [dim] → [kept]. flow: the coupling layers over a standard normal.
    history: a dict a step, {"step", "loss"}; the loss is minus the mean log-likelihood in nats.
    """

    start: LinearRepair
    flow: nn.Module
    history: list[dict] = field(repr=False)

    def __call__(self, vectors: torch.Tensor) -> torch.Tensor:
        """Repaired vectors [n, kept] of vectors [n, dim]."""
        with torch.no_grad():
            return self.flow().transform(self.start(vectors))

    def inverse(self, repaired: torch.Tensor) -> torch.Tensor:
        """The vectors [n, dim] that the repair maps to `repaired` [n, kept].

        Directions that whitening dropped (those without variance) come back as their mean.
        """
        with torch.no_grad():
            whitened = self.flow().transform.inv(repaired).double()
        return (whitened @ torch.linalg.pinv(self.start.matrix) + self.start.mean).float()

    def log_likelihood(self, vectors: torch.Tensor) -> torch.Tensor:
        """log p [n] of vectors [n, dim], in nats: log density of the normal at f(x) plus log |det ∂f/∂x|.

        The density is over the kept directions.
        """
        with torch.no_grad():
            return self.flow().log_prob(self.start(vectors)) + _log_volume(self.start)


@checked
@torch.inference_mode(False)  # and with gradients, whatever surrounds the call
def fit_flow(vectors: torch.Tensor, steps: int = 300, seed: int = 0, progress: bool = True) -> FlowRepair:
    """Fit a flow to `vectors` [n, dim] by maximum likelihood.

    Fit it on training sentences, never on those that are measured. steps: of Adam on batches of 256, with a learning
    rate that falls to 0; with 0 steps the map is whitening. The same seed gives the same map; torch's random state
    stays as it is. Errors: `KitError` without the package zuko, for a negative number of steps, for fewer than two
    vectors, and for vectors with fewer than two directions of variance. Lesson 02.
    """
    from tqdm.auto import tqdm

    if steps < 0:
        raise KitError(f"expected 0 steps or more, got {steps!r}.")
    start = whitening(vectors)
    flow = _couplings(start.matrix.shape[1], seed)
    x, history, volume = start(vectors), [], _log_volume(start)
    draw = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(flow.parameters(), lr=RATE)
    bar = tqdm(range(1, steps + 1), desc="flow", unit="step", leave=False, disable=not progress)
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 + math.cos(math.pi * (step - 1) / steps)) / 2
        rows = torch.randint(len(x), (BATCH,), generator=draw)
        loss = -(flow().log_prob(x[rows]).mean() + volume)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), CLIP)
        optimizer.step()
        history.append({"step": step, "loss": loss.item()})
        if step % 20 == 0:
            bar.set_postfix(log_likelihood=f"{-history[-1]['loss']:.1f}")
    return FlowRepair(start, flow.eval().requires_grad_(False), history)


def _couplings(dim: int, seed: int) -> nn.Module:
    """Coupling layers that start as the identity; each maps one random half of the dimensions given the other."""
    if importlib.util.find_spec("zuko") is None:
        raise KitError(
            "expected the package zuko, of which the flow is built, but it is not installed: "
            "pip install zuko, or leave this repair out."
        )
    if dim < 2:
        raise KitError("expected vectors with variance in two directions or more to fit a flow on, got one.")
    import zuko

    with torch.random.fork_rng(devices=[]):  # zuko draws masks and weights from torch's own generator
        torch.default_generator.manual_seed(seed)
        flow = zuko.flows.NICE(dim, transforms=COUPLINGS, randmask=True, hidden_features=(HIDDEN,))
    with torch.no_grad():
        for coupling in flow.transform.transforms:
            coupling.hyper[-1].weight.zero_()
            coupling.hyper[-1].bias.zero_()
    return flow


def _log_volume(repair: LinearRepair) -> float:
    """log |det| of the linear map within the directions it keeps."""
    return float(torch.linalg.svdvals(repair.matrix).log().sum())
