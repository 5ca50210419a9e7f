"""Pictures and widgets: they draw what they are given."""

from __future__ import annotations

from kit.viz.figures import cosine_histogram, heat_maps, loss_curve
from kit.viz.picture import Picture
from kit.viz.tables import PageTable, before_after

__all__ = ["PageTable", "Picture", "TauLambda", "TauLambdaState", "before_after", "cosine_histogram", "heat_maps",
           "loss_curve", "tau_lambda_state"]


def __getattr__(name: str):
    """The widgets need torch, which is loaded only when one is asked for."""
    if name in ("TauLambda", "TauLambdaState", "tau_lambda_state"):
        from kit.viz import tau_lambda

        return getattr(tau_lambda, name)
    raise AttributeError(f"module 'kit.viz' has no attribute {name!r}")
