"""For each board a state and settings of its controls: both ends, the middle, every choice."""

from __future__ import annotations

from itertools import product


def grid(**values: list) -> list[dict]:
    """Every combination of the values given by name."""
    return [dict(zip(values, chosen)) for chosen in product(*values.values())]


def tau_lambda() -> tuple[dict, list[dict]]:
    import torch

    from kit.data.twelve import twelve_labels
    from kit.viz.tau_lambda import tau_lambda_state

    vectors = torch.randn(12, 32, generator=torch.manual_seed(0)) + 0.5
    return tau_lambda_state(vectors, twelve_labels()), grid(tau=[0.01, 0.05, 0.3, 1.0, 10.0], lam=[0.0, 0.3, 1.0])


CASES = {"tau_lambda": tau_lambda}
