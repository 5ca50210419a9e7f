"""What the tests of several losses share: a comparison with a peer, and the corners of a batch."""

from __future__ import annotations

import torch


def both(ours, theirs, *tensors, close=1e-6):
    """Asserts equal loss and equal gradient of every tensor."""
    results = []
    for function in (ours, theirs):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        loss = function(*leaves)
        results.append((loss, *torch.autograd.grad(loss, leaves)))
    for mine, other in zip(*results, strict=True):
        assert mine.abs().max() > 0
        torch.testing.assert_close(mine, other, rtol=close, atol=close)


# name → what it makes of vectors [rows, dim]
CORNERS = {
    "random": lambda z: z,
    "duplicates": lambda z: z[:1].expand_as(z).clone(),
    "opposites": lambda z: z[:1] * torch.tensor([1.0, -1.0]).repeat(len(z))[: len(z), None],
    "zero_vectors": lambda z: z * 0,
    "one_zero_vector": lambda z: z * (torch.arange(len(z)) > 0)[:, None],
    "long_vectors": lambda z: z * 1000,
    "short_vectors": lambda z: z * 1e-15,
}
