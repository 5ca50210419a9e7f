"""τ and λ on twelve sentences: what the softmax looks at, and who pulls how hard.

`tau_lambda_state` is the mathematics, a pure function; `TauLambda` shows it under two sliders.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.errors import KitError
from kit.losses import PairClassifier, cross_entropy, masked_softmax, scl_relations, softmax_weights

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

    @property
    def shares(self) -> dict[str, float]:
        """Each term's part of the pull; all zero where nothing pulls."""
        total = sum(self.pulls.values()) or 1.0
        return {name: pull / total for name, pull in self.pulls.items()}

    def sentence(self) -> str:
        return (f"τ {self.tau:.3g}, λ {self.lam:.2f}: the anchor's softmax looks at {self.watched:.2f} of "
                f"{len(self.weights)} hypotheses, its own positive has weight {self.weights[0]:.3f}, the loss is "
                f"{self.loss:.3f}, and {self.shares['contrast']:.0%} of the pull on the anchor "
                "comes from the contrast.")


def fresh_head(dim: int, seed: int = 0) -> PairClassifier:
    """The classifier of (u, v, |u−v|) as at the first step of training; torch's random state is kept."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return PairClassifier(dim)


def tau_lambda_state(vectors: torch.Tensor, tau: float, lam: float, similarity: str = "cosine",
                     head: PairClassifier | None = None) -> TauLambdaState:
    """Weights, loss and gradients on twelve vectors [12, dim] (anchor, +, − of four topics).

    The objective is (1 − λ)·CE + λ·SCL (Liao 2021, Eq. 3); `head` None is a fresh classifier.
    Errors: `KitError` for another number of vectors, τ ≤ 0 or λ outside [0, 1].
    """
    if vectors.ndim != 2 or len(vectors) % 3 or not len(vectors):
        raise KitError(f"expected vectors in threes (anchor, positive, negative), got shape {tuple(vectors.shape)}.")
    if not 0 <= lam <= 1:
        raise KitError(f"expected λ from 0 to 1, got {lam!r}.")
    head = head or fresh_head(vectors.shape[1])
    anchors = len(vectors) // 3
    rows = torch.cat([vectors[0::3], vectors[1::3], vectors[2::3]]).detach().requires_grad_()
    premise = torch.arange(anchors).repeat(2)
    labels = torch.tensor([ENTAILED] * anchors + [CONTRADICTED] * anchors)
    relations = scl_relations(premise, labels)
    terms = {"classifier": (1 - lam, cross_entropy(head(rows[premise], rows[anchors:]), labels)),
             "contrast": (lam, masked_softmax(rows, relations, tau, similarity=similarity))}
    pulls = {name: weight * float(torch.autograd.grad(value, rows)[0][0].norm())
             for name, (weight, value) in terms.items()}
    weights = softmax_weights(rows.detach(), relations, tau, similarity=similarity)[0]
    total = sum(weight * value.item() for weight, value in terms.values())
    return TauLambdaState(tau, lam, weights.tolist(), total, pulls)


def weight_figure(labels: list[str], theme: str = "auto"):
    """An empty figure: bars for the softmax weights of the first anchor, and for the pulls on it."""
    from plotly.subplots import make_subplots

    from kit.viz.palette import CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE, layout

    names, others = labels[1::3] + labels[2::3], len(labels) // 3 - 1
    figure = make_subplots(1, 2, column_widths=[0.72, 0.28], horizontal_spacing=0.14, subplot_titles=[
        f"softmax weights of “{labels[0]}”", "who pulls that anchor"])
    colours = [POSITIVE, *[NEUTRAL] * others, NEGATIVE, *[NEUTRAL] * others]
    figure.add_bar(x=names, y=[0] * len(names), marker_color=colours, row=1, col=1)
    figure.add_bar(x=["classifier", "contrast"], y=[0, 0], marker_color=[CLASSIFY, CONTRAST], row=1, col=2)
    shared = layout(theme, height=340, showlegend=False)
    axes = {name: shared.pop(name) for name in ("xaxis", "yaxis")}
    figure.update_layout(**shared)
    figure.update_xaxes(**axes["xaxis"])
    figure.update_yaxes(**axes["yaxis"])
    figure.update_yaxes(range=[0, 1], title_text="softmax weight", row=1, col=1)
    figure.update_yaxes(range=[0, 1], title_text="share of the gradient", row=1, col=2)
    figure.update_xaxes(title_text="hypothesis", row=1, col=1)
    figure.update_xaxes(title_text="term of the loss", row=1, col=2)
    return figure


class TauLambda:
    """Two sliders over `tau_lambda_state`; `.panel` is the widget, `.tau` and `.lam` its values."""

    def __init__(self, vectors: torch.Tensor, labels: list[str], theme: str = "auto"):
        import ipywidgets as widgets
        from plotly import graph_objects as go

        from kit.viz.widgets import guarded

        self.vectors, self.head = vectors, fresh_head(vectors.shape[1])
        style = {"description_width": "2em"}
        self.tau_slider = widgets.FloatLogSlider(value=0.05, base=10, min=-2, max=1, step=0.1, description="τ",
                                                 readout_format=".3g", style=style)
        self.lam_slider = widgets.FloatSlider(value=0.3, min=0.0, max=1.0, step=0.05, description="λ", style=style)
        self.message = widgets.HTML()
        self.figure = go.FigureWidget(weight_figure(labels, theme))
        update = guarded(self.update, self.message)
        for slider in (self.tau_slider, self.lam_slider):
            slider.observe(lambda _: update(), names="value")
        self.panel = widgets.VBox([widgets.HBox([self.tau_slider, self.lam_slider]), self.message, self.figure])
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

        state = tau_lambda_state(self.vectors, self.tau, self.lam, head=self.head)
        self.message.value = caption(state.sentence())  # first: the numbers need not wait for the drawing
        with self.figure.batch_update():
            self.figure.data[0].y = state.weights
            self.figure.data[1].y = list(state.shares.values())

    def _ipython_display_(self) -> None:
        """The panel; beside it a picture and the sentence, for a page without a kernel."""
        from kit.viz.picture import show_widget

        show_widget(self.panel, self.figure, self.message.value)
