"""τ and λ on twelve sentences: what the softmax looks at, and who pulls how hard.

`tau_lambda_state` is the mathematics, a pure function; `TauLambda` shows it under two sliders.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.errors import KitError
from kit.losses import (PairClassifier, cross_entropy, interpolate, masked_softmax, scl_relations,
                        softmax_weights)

ENTAILED, CONTRADICTED = 0, 2


@dataclass(frozen=True)
class TauLambdaState:
    """What the picture shows for one τ and λ.

    weights [8]: softmax weights of the first anchor over the eight hypotheses; pulls: length
    of the gradient on the anchor's vector by term, each with its share of the loss.
    """

    tau: float
    lam: float
    weights: list[float]
    loss: float
    pulls: dict[str, float]

    @property
    def watched(self) -> float:
        """How many hypotheses the softmax looks at: e to the entropy of its weights."""
        w = torch.tensor(self.weights).clamp(min=1e-12)
        return float(torch.exp(-(w * w.log()).sum()))

    def sentence(self) -> str:
        total = sum(self.pulls.values())
        share = self.pulls["contrast"] / total if total else 0.0
        return (f"τ {self.tau:.3g}, λ {self.lam:.2f}: the anchor's softmax looks at {self.watched:.2f} of "
                f"{len(self.weights)} hypotheses, its own positive has weight {self.weights[0]:.3f}, the loss is "
                f"{self.loss:.3f}, and {share:.0%} of the pull on the anchor comes from the contrast.")


def tau_lambda_state(vectors: torch.Tensor, tau: float, lam: float, seed: int = 0) -> TauLambdaState:
    """Weights, loss and gradients on twelve vectors [12, dim] (anchor, +, − of four topics).

    The objective is Liao's: (1 − λ)·CE + λ·SCL with dot products. The classifier is fresh
    (weights drawn from `seed`), as at the first step of training.
    Errors: `KitError` for another number of vectors, τ ≤ 0 or λ outside [0, 1].
    """
    if vectors.ndim != 2 or len(vectors) % 3:
        raise KitError(f"expected vectors in threes (anchor, positive, negative), got shape {tuple(vectors.shape)}.")
    anchors = len(vectors) // 3
    rows = torch.cat([vectors[0::3], vectors[1::3], vectors[2::3]]).clone().requires_grad_()
    premise = torch.arange(anchors).repeat(2)
    labels = torch.tensor([ENTAILED] * anchors + [CONTRADICTED] * anchors)
    relations = scl_relations(premise, labels)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        head = PairClassifier(vectors.shape[1])

    def classify(z, _):
        return cross_entropy(head(z[premise], z[anchors:]), labels)

    def contrast(z, _):
        return masked_softmax(z, relations, tau, similarity="dot")

    total, _ = interpolate(classify, contrast, lam)(rows, None)
    pulls = {}
    for name, term, weight in (("classifier", classify, 1 - lam), ("contrast", contrast, lam)):
        (gradient,) = torch.autograd.grad(term(rows, None), rows)
        pulls[name] = weight * float(gradient[0].norm())
    weights = softmax_weights(rows.detach(), relations, tau, similarity="dot")[0]
    return TauLambdaState(tau, lam, weights.tolist(), float(total), pulls)


class TauLambda:
    """Two sliders over `tau_lambda_state`; `.panel` is the widget, `.tau` and `.lam` its values."""

    def __init__(self, vectors: torch.Tensor, labels: list[str], theme: str = "auto"):
        import ipywidgets as widgets
        from plotly import graph_objects as go

        from kit.viz.palette import CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE, layout
        from kit.viz.widgets import guarded

        self.vectors = vectors
        names = labels[1::3] + labels[2::3]
        anchors = len(labels) // 3
        style = {"description_width": "2em"}
        self.tau_slider = widgets.FloatLogSlider(value=1.0, base=10, min=-2, max=2, step=0.1, description="τ",
                                                 readout_format=".3g", style=style)
        self.lam_slider = widgets.FloatSlider(value=0.3, min=0.0, max=1.0, step=0.05, description="λ", style=style)
        self.message = widgets.HTML()
        colours = [POSITIVE, *[NEUTRAL] * (anchors - 1), NEGATIVE, *[NEUTRAL] * (anchors - 1)]
        self.bars = go.FigureWidget([go.Bar(x=names, y=[0] * len(names), marker_color=colours)])
        self.bars.update_layout(**layout(theme, height=300, width=520, title=f"weights of “{labels[0]}”"))
        self.bars.update_yaxes(range=[0, 1], title_text="softmax weight")
        self.bars.update_xaxes(title_text="hypothesis")
        self.pull = go.FigureWidget([go.Bar(x=["classifier", "contrast"], y=[0, 0], marker_color=[CLASSIFY, CONTRAST])])
        self.pull.update_layout(**layout(theme, height=300, width=300, title="pull on the anchor"))
        self.pull.update_yaxes(title_text="gradient length")
        self.pull.update_xaxes(title_text="term of the loss")
        update = guarded(self.update, self.message)
        for slider in (self.tau_slider, self.lam_slider):
            slider.observe(lambda _: update(), names="value")
        self.panel = widgets.VBox([widgets.HBox([self.tau_slider, self.lam_slider]), self.message,
                                   widgets.HBox([self.bars, self.pull])])
        update()

    @property
    def tau(self) -> float:
        return self.tau_slider.value

    @property
    def lam(self) -> float:
        return self.lam_slider.value

    def update(self) -> None:
        """Compute the state under the sliders and put it into the picture."""
        from kit.viz.picture import caption

        state = tau_lambda_state(self.vectors, self.tau, self.lam)
        with self.bars.batch_update():
            self.bars.data[0].y = state.weights
        with self.pull.batch_update():
            self.pull.data[0].y = list(state.pulls.values())
        self.message.value = caption(state.sentence())

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self.panel)
