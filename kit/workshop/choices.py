"""The workshop: choose recipe, data, encoder and preset, see what it costs, train, and compare.

    workshop = Workshop({"SNLI": groups}, ["kit-bert-tiny"], validation)
    print(workshop.choose(recipe="scl", preset="laptop").summary())
    workshop.run.train()

A choice has a name made of its parts and a folder of that name: choosing the same again, in this
process or after a crash, finds the run where it stopped.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from kit.data.hub import KitWarning
from kit.encoder import load_encoder
from kit.errors import KitError, unknown_name
from kit.paths import output
from kit.training.recipes import PRESETS, RECIPES, Recipe, recipe
from kit.workshop.cost_estimate import Cost, estimate
from kit.workshop.run_record import Run, watch


@dataclass(frozen=True)
class Choice:
    """What is on the bench. longer: times the recipe's epochs; faster: times its learning rate."""

    recipe: str
    data: str
    encoder: str
    preset: str
    longer: float = 1.0
    faster: float = 1.0

    @property
    def name(self) -> str:
        """Letters, digits and hyphens, for a folder."""
        parts = [self.recipe, self.preset, self.data, self.encoder.rsplit("/", 1)[-1]]
        parts += [f"epochs-x{self.longer:g}"] * (self.longer != 1) + [f"lr-x{self.faster:g}"] * (self.faster != 1)
        return "-".join(re.sub(r"[^\w]+", "-", part).strip("-") for part in parts)


class Workshop:
    """One training at a time, of whatever was chosen.

    data: {name: NLI groups, or a list of long documents}. encoders: names for `load_encoder`.
    validation: a scored task that trainings are watched on. most_steps: an upper bound for a page
    that must be quick. changes: settings of every recipe, such as {"batch_size": 16}.
    """

    def __init__(
        self,
        data: Mapping[str, Sequence],
        encoders: Sequence[str],
        validation,
        *,
        seed: int = 0,
        recipes: Sequence[str] | None = None,
        every: int = 10,
        most_steps: int | None = None,
        precision: str = "fp32",
        folder: Path | str | None = None,
        changes: Mapping | None = None,
        device: str | torch.device = "cpu",
    ):
        if not data or not encoders:
            raise KitError("expected some data and an encoder to choose from, got none of them: give one of each.")
        self.choices = {
            "recipe": list(recipes or RECIPES),
            "data": list(data),
            "encoder": list(encoders),
            "preset": list(PRESETS),
        }
        self._data, self._validation, self._seed, self._every = dict(data), validation, seed, every
        self._most, self._precision, self._changes = most_steps, precision, dict(changes or {})
        self._folder, self._device = Path(folder or output("runs")), device
        self._trials: dict[tuple, Cost] = {}
        self._looks: dict[tuple, tuple[dict, float]] = {}  # by `_looked`: what was seen, and in how long
        self._listeners: list[Callable[[dict], None]] = []
        self._run: Run | None = None
        self.choice: Choice | None = None
        self.cost: Cost | None = None

    def choose(self, **changes) -> Cost:
        """Put another choice on the bench (what is not named stays, or is the first) and say what it costs.

        A run in progress is paused first; it can be chosen again. Errors: `KitError` for a name
        that is not among `choices`, and data of a kind that the recipe does not take.
        """
        first = {kind: names[0] for kind, names in self.choices.items()}
        wanted = replace(self.choice or Choice(**first), **changes)
        for kind, names in self.choices.items():
            if getattr(wanted, kind) not in names:
                raise unknown_name(kind, getattr(wanted, kind), names)
        if wanted == self.choice:
            return self.cost
        settings = self.recipe_of(wanted)
        self._check_kind(settings, wanted.data)
        self.pause()
        self.cost, self.choice, self._run = self._cost_of(wanted, settings), wanted, None
        return self.cost

    @property
    def begun(self) -> bool:
        """Whether a run of this choice was started, now or in an earlier process."""
        return self._run is not None or (self._folder / self.choice.name).is_dir()

    @property
    def run(self) -> Run:
        """The run of this choice, where it stopped; errors: `KitError` while nothing is chosen."""
        if self.choice is None:
            raise KitError("expected a choice of recipe, data, encoder and preset: call choose first.")
        if self._run is None:
            settings, data = self.recipe_of(self.choice), self._data[self.choice.data]
            encoder = self._encoder(self.choice.encoder, settings)
            about = {
                "data": f"{self.choice.data}, {len(data):,} items",
                "preset": self.choice.preset,
                "encoder": encoder.source.summary(),
            }
            self._run = Run(
                self.choice.name,
                encoder,
                settings,
                data,
                seed=self._seed,
                steps=self.cost.steps,
                validation=self._validation,
                every=self._every,
                precision=self._precision,
                folder=self._folder,
                about=about,
            )
            for listener in self._listeners:
                self._run.listen(listener)
        return self._run

    @property
    def untrained(self) -> dict[str, float]:
        """What `watch` says of the chosen encoder before any step."""
        return self._looks[_looked(self.choice, self.recipe_of(self.choice))][0]

    def start(self) -> None:
        """Train in the background, from where this choice stopped."""
        self.run.start()

    def pause(self) -> None:
        """Stop after the step at hand, with a checkpoint."""
        if self._run is not None:
            self._run.pause()

    def reset(self) -> None:
        """Forget what this choice has learned, here and on the disk."""
        self.run.reset()
        self._run = None

    def recipe_of(self, choice: Choice) -> Recipe:
        """The recipe as it will be trained."""
        base = recipe(choice.recipe, choice.preset, **self._changes)
        return base.changed(epochs=base.epochs * choice.longer, lr=base.lr * choice.faster)

    def listen(self, function: Callable[[dict], None]) -> None:
        """Call `function` with the frames of whatever run is on the bench."""
        self._listeners.append(function)
        if self._run is not None:
            self._run.listen(function)

    def _encoder(self, name: str, settings: Recipe):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KitWarning)  # a stand-in is told in the encoder's line
            return load_encoder(name, pooling=settings.pooling, first_layer=settings.first_layer, device=self._device)

    def _cost_of(self, choice: Choice, settings: Recipe) -> Cost:
        """From a trial made once for each recipe, preset, data and encoder; the length and the looks on top."""
        key, looked = (choice.recipe, choice.preset, choice.data, choice.encoder), _looked(choice, settings)
        if key not in self._trials:
            encoder = self._encoder(choice.encoder, settings)
            seen, began = watch(encoder, self._validation), time.perf_counter()
            watch(encoder, self._validation)  # the first also imports what it needs
            self._looks[looked] = (seen, time.perf_counter() - began)
            self._trials[key] = estimate(
                encoder, settings, self._data[choice.data], seed=self._seed, precision=self._precision
            )
        trial = self._trials[key]
        steps = min(max(1, round(settings.epochs * trial.per_epoch)), self._most or 10**9)
        looks = (steps // self._every + 2) * self._looks[looked][1]
        return replace(trial, steps=steps, preparing=trial.preparing + looks)

    def _check_kind(self, settings: Recipe, name: str) -> None:
        def fits(other: str) -> bool:
            return isinstance(self._data[other][0], str) == (settings.layout == "documents")

        if not fits(name):
            takes = "long documents" if settings.layout == "documents" else "NLI groups"
            others = [other for other in self._data if fits(other)]
            what = f"choose {' or '.join(map(repr, others))} as data" if others else "load some of them first"
            raise KitError(f"recipe {settings.name!r} takes {takes}, and {name!r} has none: {what}.")


def _looked(choice: Choice, settings: Recipe) -> tuple:
    """What an untrained encoder's vectors depend on."""
    return choice.encoder, settings.pooling, settings.first_layer
