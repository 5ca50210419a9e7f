"""The workshop: choose recipe, data, encoder and preset, estimate the cost, train, and compare.

    workshop = Workshop({"SNLI": groups}, ["kit-bert-tiny"], validation)
    print(workshop.choose(recipe="scl", preset="laptop").summary())
    workshop.run.train()

The name of a choice is made of its parts and is also its folder: choosing the same again, in this
process or after a crash, resumes the run where it stopped.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import torch

from kit.encoder import load_encoder
from kit.errors import KitError, KitWarning, check_name, shown, unknown_name
from kit.number_checks import is_finite, whole_number
from kit.paths import output
from kit.training.recipes import PRESETS, RECIPES, Recipe, recipe
from kit.workshop.cost_estimate import Cost, estimate_cost
from kit.workshop.run_record import Run
from kit.workshop.validation import validate


@dataclass(frozen=True)
class Choice:
    """What to train. epochs_scale and lr_scale multiply the recipe's epochs and learning rate."""

    recipe: str
    data: str
    encoder: str
    preset: str
    epochs_scale: float = 1.0
    lr_scale: float = 1.0

    @property
    def name(self) -> str:
        """Letters, digits and hyphens: also the name of a folder."""
        parts = [self.recipe, self.preset, self.data, self.encoder]
        parts += [f"epochs-x{self.epochs_scale:g}".replace("+", "")] * (self.epochs_scale != 1)
        parts += [f"lr-x{self.lr_scale:g}".replace("+", "")] * (self.lr_scale != 1)  # 1e12 is no 1e-12
        return "-".join(map(_in_a_name, parts))


def _in_a_name(part: str) -> str:
    """What comes of a part of a choice in its name; of a folder its last part."""
    return re.sub(r"[^\w]+", "-", part.rstrip("/").rsplit("/", 1)[-1]).strip("-")


class Workshop:
    """Train one choice of recipe, data, encoder and preset at a time. Lesson 09.

    data: {name: NLI groups, or a list of long documents}. encoders: names for `load_encoder`.
    validation: a scored task, evaluated every `every` steps. most_steps: an upper bound on the steps.
    changes: settings that override every recipe's, such as {"batch_size": 16}. Errors: `KitError` for bad settings.
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
        encoders = [encoders] if isinstance(encoders, str) else list(encoders)
        if not (data and encoders and all(map(len, data.values()))):
            raise KitError("expected some data and an encoder to choose from, got none of them: give one of each.")
        for kind, names in {"data": list(data), "encoders": encoders}.items():
            if len(set(map(_in_a_name, names))) < len(names):
                raise KitError(
                    f"expected {kind} with names that make folders of their own, got {shown(names)}: rename one, as "
                    "two with the same name would share their runs."
                )
        whole_number("every", every, 1)
        if most_steps is not None:
            whole_number("most_steps", most_steps, 1, "None is no bound")
        self.choices = {
            "recipe": list(recipes or RECIPES),
            "data": list(data),
            "encoder": encoders,
            "preset": list(PRESETS),
        }
        self._data, self._validation, self._seed, self._every = dict(data), validation, seed, every
        self._most, self._precision, self._changes = most_steps, precision, dict(changes or {})
        self._folder, self._device = Path(folder or output("runs")).expanduser(), device
        self._trials: dict[tuple, Cost] = {}
        self._untrained: dict[tuple, tuple[dict, float]] = {}  # by `_vectors_key`: validation, and its seconds
        self._callbacks: list[Callable[[dict], None]] = []
        self._run: Run | None = None
        self.choice: Choice | None = None
        self.cost: Cost | None = None

    def choose(self, **changes) -> Cost:
        """Change the current choice, and return the estimated cost of its run.

        Parts that are not named stay as they are, or are the first of `choices`. A run in progress is paused,
        and resumes when it is chosen again. Errors: `KitError` for a name that is not among `choices`, for a scale
        that is no number above 0, and for data of a kind that the recipe does not take.
        """
        for part in changes:
            check_name("part of a choice", part, [field.name for field in fields(Choice)])
        first = {kind: names[0] for kind, names in self.choices.items()}
        wanted = replace(self.choice or Choice(**first), **changes)
        for kind, names in self.choices.items():
            if getattr(wanted, kind) not in names:
                raise unknown_name(kind, getattr(wanted, kind), names)
        for part in ("epochs_scale", "lr_scale"):
            scale = getattr(wanted, part)
            if not is_finite(scale) or scale <= 0:
                raise KitError(
                    f"expected {part} as a number above 0, got {shown(scale)}: 1 leaves it as in the recipe."
                )
        if wanted == self.choice:
            return self.cost
        settings = self.recipe_of(wanted)
        self._check_kind(settings, wanted.data)
        self.pause()
        self.cost, self.choice, self._run = self._cost_of(wanted, settings), wanted, None
        return self.cost

    @property
    def started(self) -> bool:
        """Whether a run of this choice exists, from this process or an earlier one."""
        return self._run is not None or (self._folder / self._chosen.name).is_dir()

    @property
    def run(self) -> Run:
        """The run of the current choice, resumed where it stopped. Errors: `KitError` while nothing is chosen."""
        if self._run is None:
            settings, data = self.recipe_of(self._chosen), self._data[self._chosen.data]
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
            for callback in self._callbacks:
                self._run.add_callback(callback)
        return self._run

    @property
    def judge(self) -> str:
        """With whose scores `validate` compares, in words."""
        source = getattr(self._validation, "source", None)
        if source is None:
            return "the scores of your pairs"
        return "made-up scores" if source.is_fallback else "people on STS-B"

    @property
    def untrained(self) -> dict[str, float]:
        """What `validate` gives for the chosen encoder before any step."""
        return self._untrained[_vectors_key(self._chosen, self.recipe_of(self._chosen))][0]

    @property
    def _chosen(self) -> Choice:
        if self.choice is None:
            raise KitError("expected a choice of recipe, data, encoder and preset: call choose first.")
        return self.choice

    def start(self) -> None:
        """Train in the background, from where the run of this choice stopped."""
        self.run.start()

    def pause(self) -> None:
        """Stop after the current step, with a checkpoint."""
        if self._run is not None:
            self._run.pause()

    def reset(self) -> None:
        """Discard the run of this choice, in memory and on the disk."""
        self.run.reset()
        self._run = None

    def recipe_of(self, choice: Choice) -> Recipe:
        """The recipe with the choice's epochs and learning rate."""
        base = recipe(choice.recipe, choice.preset, choice.encoder, **self._changes)
        return base.changed(epochs=base.epochs * choice.epochs_scale, lr=base.lr * choice.lr_scale)

    def add_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` with the frames of the current run, whichever is chosen."""
        self._callbacks.append(function)
        if self._run is not None:
            self._run.add_callback(function)

    def remove_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` no longer."""
        self._callbacks.remove(function)
        if self._run is not None:
            self._run.remove_callback(function)

    def _encoder(self, name: str, settings: Recipe):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KitWarning)  # the line about the encoder names a stand-in
            return load_encoder(name, pooling=settings.pooling, first_layer=settings.first_layer, device=self._device)

    def _cost_of(self, choice: Choice, settings: Recipe) -> Cost:
        """The cost from one trial per recipe, preset, data and encoder, scaled to the length, validation included."""
        key, vectors = (choice.recipe, choice.preset, choice.data, choice.encoder), _vectors_key(choice, settings)
        if key not in self._trials:
            encoder = self._encoder(choice.encoder, settings)
            untrained, began = validate(encoder, self._validation), time.perf_counter()
            validate(encoder, self._validation)  # timed: the first call also loads imports
            self._untrained[vectors] = (untrained, time.perf_counter() - began)
            self._trials[key] = estimate_cost(
                encoder, settings, self._data[choice.data], seed=self._seed, precision=self._precision
            )
        trial = self._trials[key]
        steps = min(max(1, round(settings.epochs * trial.per_epoch)), self._most or 10**9)
        validating = (steps // self._every + 2) * self._untrained[vectors][1]
        return replace(trial, steps=steps, preparing=trial.preparing + validating)

    def _check_kind(self, settings: Recipe, name: str) -> None:
        def fits(other: str) -> bool:
            return isinstance(self._data[other][0], str) == (settings.data_format == "documents")

        if not fits(name):
            takes = "long documents" if settings.data_format == "documents" else "NLI groups"
            others = [other for other in self._data if fits(other)]
            what = f"choose {' or '.join(map(repr, others))} as data" if others else "load some of them first"
            raise KitError(f"recipe {settings.name!r} takes {takes}, and {name!r} has none: {what}.")


def _vectors_key(choice: Choice, settings: Recipe) -> tuple:
    """What an untrained encoder's vectors depend on."""
    return choice.encoder, settings.pooling, settings.first_layer
