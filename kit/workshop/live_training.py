"""Training that a reader steers while it runs: start, pause, reset; τ and λ count from the next step.

A thread trains for a moment, measures, and hands out a *frame*: a dict of the numbers and of
the map at that step. Whoever listens draws it. `advance` is one such turn, and what the tests
and `scripts/record_live.py` call without a thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from kit.errors import KitError
from kit.evaluation import geometry
from kit.evaluation.vectors import pair_cosines
from kit.training.batches import tokenize_groups
from kit.training.settings import Recipe
from kit.training.trainer import Trainer

FOREVER = 1_000_000  # steps: the reader decides when it is enough
CLOSE = 4.0  # pairs that people scored at least so much count as positives for the alignment


@dataclass(frozen=True)
class Probe:
    """What a training is watched on: sentences for the map, and pairs that people scored.

    premise [n]: which premise a sentence of the map belongs to; roles [n]: "premise",
    "entailed" or "contradicted".
    """

    sentences: list[str]
    premise: list[int]
    roles: list[str]
    sentences1: list[str]
    sentences2: list[str]
    scores: list[float]


def make_probe(groups: Sequence, task, premises: int = 8, pairs: int = 120) -> tuple[Probe, list]:
    """A probe from the first groups with two entailed and one contradicted hypothesis, and the
    groups that are left to train on. Errors: `KitError` where there are not enough of either.
    """
    chosen = [g for g in groups if len(g.positives) >= 2 and g.negatives][:premises]
    if len(chosen) < 3 or len(task) < 10:
        raise KitError(
            f"expected 3 premises with two entailed and one contradicted hypothesis and 10 scored pairs to "
            f"watch, got {len(chosen)} and {len(task)}: load more rows."
        )
    taken = {id(g) for g in chosen}
    sentences = [s for g in chosen for s in (g.anchor, *g.positives[:2], g.negatives[0])]
    roles = ["premise", "entailed", "entailed", "contradicted"] * len(chosen)
    probe = Probe(
        sentences,
        [i for i in range(len(chosen)) for _ in range(4)],
        roles,
        task.sentences1[:pairs],
        task.sentences2[:pairs],
        task.scores[:pairs],
    )
    return probe, [g for g in groups if id(g) not in taken]


def look(encoder, probe: Probe, previous: np.ndarray | None = None) -> dict:
    """The numbers of one frame: mean cosine, effective rank, uniformity, alignment, STS, the map.

    Alignment and uniformity as in Wang & Isola 2020, on the scored pairs; sts: Spearman × 100.
    """
    from scipy.stats import spearmanr

    texts = list(dict.fromkeys([*probe.sentences, *probe.sentences1, *probe.sentences2]))
    row = {text: i for i, text in enumerate(texts)}
    vectors = encoder.encode(texts, batch_size=128, progress=False).numpy()
    first, second = ([row[s] for s in side] for side in (probe.sentences1, probe.sentences2))
    close = [(i, j) for i, j, score in zip(first, second, probe.scores) if score >= CLOSE and i != j]
    scored = sorted({*first, *second})
    place = {r: k for k, r in enumerate(scored)}
    space = geometry(vectors[scored], pairs=[(place[i], place[j]) for i, j in close] or None)
    cosines = pair_cosines(vectors[first], vectors[second])
    points = plane(vectors[[row[s] for s in probe.sentences]], previous)
    return {
        "mean_cosine": space.mean_cosine,
        "effective_rank": space.effective_rank,
        "uniformity": space.uniformity,
        "alignment": space.alignment,
        "sts": 100 * float(spearmanr(cosines, probe.scores).statistic),
        "points": points.round(3).tolist(),
    }


def plane(vectors: np.ndarray, previous: np.ndarray | None = None) -> np.ndarray:
    """Unit vectors [n, dim] seen along their two strongest directions, [n, 2].

    Not scaled: a collapsed space is a small heap in the middle. Principal axes may swap or
    flip from frame to frame, so the picture is turned to lie over the `previous` one
    (orthogonal Procrustes; Schönemann 1966).
    """
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(min=1e-12)
    centred = unit - unit.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * sizes[:2]
    if previous is not None:
        u, _, v = np.linalg.svd(points.T @ previous)
        points = points @ (u @ v)
    return points


class LiveTraining:
    """An encoder in training, one frame at a time.

    `encoder` is trained in place; `reset` puts its weights back. recipe: its τ and λ are where
    the training starts. seconds: what one frame may take for its steps (measuring comes on top).
    """

    def __init__(self, encoder, recipe: Recipe, groups: Sequence, task, seed: int = 0, seconds: float = 0.06):
        self.probe, rest = make_probe(groups, task)
        # No end is planned, so the rate must not fall towards one.
        self.recipe = replace(recipe, schedule="constant", warmup=0.0)
        self._encoder, self._seed, self._seconds = encoder, seed, seconds
        self._items = tokenize_groups(encoder, rest, recipe.layout, seed, recipe.keep_groups)
        self._weights = {k: v.clone() for k, v in encoder.state_dict().items()}
        self._listeners: list[Callable[[dict], None]] = []
        self._thread: threading.Thread | None = None
        self._going = threading.Event()
        self._wanted: dict[str, float] = {}
        look(encoder, self.probe)  # imports what it needs, so that the first frame tells the machine's real speed
        self._begin()

    def _begin(self) -> None:
        self._encoder.load_state_dict(self._weights)
        state = torch.get_rng_state()
        self._trainer = Trainer(self._encoder, self.recipe, self._items, FOREVER, self._seed, precision="fp32")
        torch.set_rng_state(state)  # a widget must not change what the next cell draws
        self._trainer.change(**self._wanted)
        self.history: list[dict] = []
        self._keep({"step": 0, "seconds": 0.0})

    @property
    def frame(self) -> dict:
        """The newest frame."""
        return self.history[-1]

    @property
    def running(self) -> bool:
        return self._going.is_set()

    @property
    def settings(self) -> dict[str, float]:
        """τ and λ of the next step."""
        return {"tau": self._trainer.recipe.temperature, "lam": self._trainer.recipe.lam}

    def listen(self, function: Callable[[dict], None]) -> None:
        """Call `function` with each new frame (from the training's thread)."""
        self._listeners.append(function)

    def change(self, **numbers: float) -> None:
        """Another temperature= or lam= from the next step on; kept over a reset.

        Errors: `KitError` as from `Trainer.change`, and nothing changes.
        """
        self._trainer.change(**numbers)
        self._wanted.update(numbers)

    def advance(self, steps: int | None = None) -> dict:
        """Train for a moment (or so many steps), measure, and return the frame."""
        began = time.perf_counter()
        losses: list[dict] = []
        while not losses or (len(losses) < steps if steps else time.perf_counter() - began < self._seconds):
            used = self.settings
            losses.append(self._trainer.step())
        loss = {"loss": sum(step["loss"] for step in losses) / len(losses), **used}
        self._keep({"step": losses[-1]["step"], "seconds": time.perf_counter() - began, **loss})
        return self.frame

    def _keep(self, frame: dict) -> None:
        began = time.perf_counter()
        previous = np.array(self.frame["points"]) if self.history else None
        frame |= look(self._encoder, self.probe, previous)
        frame["seconds"] += time.perf_counter() - began  # what this frame took in all
        self.history.append(frame)
        if len(self.history) > 400:  # the curve needs no more; the first frame stays
            del self.history[1::2]

    def start(self) -> None:
        """Train in the background until `pause`; a second start changes nothing."""
        if self.running:
            return
        self._going.set()
        self._thread = threading.Thread(target=self._train, name="live training", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop after the frame at hand."""
        self._going.clear()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=30)

    def reset(self) -> None:
        """Back to the untrained encoder; stops the training."""
        self.pause()
        self._begin()

    def _train(self) -> None:
        while self.running:
            try:
                frame = self.advance()
            except Exception as problem:  # a thread would lose it
                self._going.clear()
                frame = {**self.frame, "problem": f"{type(problem).__name__}: {problem}"}
            for listener in self._listeners:
                listener(frame)
