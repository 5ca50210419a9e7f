"""Training that a reader steers while it runs: start, pause, reset; τ and λ take effect at the next step.

A background thread trains for a moment, evaluates, and passes a *frame* to its callbacks: a dict of the
numbers and of the sphere at that step. `advance` is one such round; the tests and `scripts/record_live.py`
call it without a thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from kit.checks.argument_checks import in_words
from kit.training.batches import tokenize_groups
from kit.training.grad_cache import RandomState
from kit.training.settings import Recipe
from kit.training.trainer import Trainer
from kit.workshop.kernel_interrupt import stop_on_interrupt
from kit.workshop.monitored_set import first_view, frame_of, look, split_monitored

NO_END = 1_000_000  # steps: the reader decides when it is enough
MAX_FRAMES = 400  # kept of the history


class LiveTraining:
    """An encoder in training, one frame at a time. Lessons 04 and 06.

    `encoder` is trained in place; `reset` restores its weights. recipe: its τ and λ are the starting
    values. seconds: time for the steps of one frame; its evaluation comes on top.
    """

    def __init__(self, encoder, recipe: Recipe, groups: Sequence, task, seed: int = 0, seconds: float = 0.06):
        self.monitored, rest = split_monitored(groups, task)
        # No end is planned, so the learning rate must not decay towards one.
        self.recipe = replace(recipe, schedule="constant", warmup=0.0)
        self._encoder, self._seed, self._seconds = encoder, seed, seconds
        self._items = tokenize_groups(encoder, rest, recipe.data_format, seed, recipe.options.group_batches)
        self._weights = {k: v.clone() for k, v in encoder.state_dict().items()}
        self._callbacks: list[Callable[[dict], None]] = []
        self._thread: threading.Thread | None = None
        self._going = threading.Event()
        self._changes: dict[str, float] = {}
        # The view is that of the start, also after a reset; and its imports are loaded before the first frame is timed.
        self._view = first_view(look(encoder, self.monitored))
        self._initialise()

    def _initialise(self) -> None:
        self._encoder.load_state_dict(self._weights)
        state = RandomState.now()
        self._trainer = Trainer(self._encoder, self.recipe, self._items, NO_END, self._seed, precision="fp32")
        state.restore()  # a widget must not change what the next cell draws
        self._trainer.change(**self._changes)
        self.history: list[dict] = []
        self._append_frame({"step": 0, "seconds": 0.0})

    @property
    def frame(self) -> dict:
        """The newest frame."""
        return self.history[-1]

    @property
    def running(self) -> bool:
        """Whether the background thread is training."""
        return self._going.is_set()

    @property
    def settings(self) -> dict[str, float]:
        """τ and λ of the next step."""
        return {"tau": self._trainer.recipe.options.temperature, "lam": self._trainer.recipe.options.lam}

    def add_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` with each new frame, from the training's thread; where one fails, training stops."""
        self._callbacks.append(function)

    def remove_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` no longer."""
        self._callbacks.remove(function)

    def change(self, **numbers: float) -> None:
        """Set temperature= or lam= from the next step on; a reset keeps the change.

        Errors: `KitError` as from `Trainer.change`, and nothing changes.
        """
        self._trainer.change(**numbers)
        self._changes.update(numbers)

    def advance(self, steps: int | None = None) -> dict:
        """Train for a moment, or for so many steps, evaluate, and return the frame.

        Errors: `KitError` for a loss or gradient that is not finite; the step is not taken.
        """
        began = time.perf_counter()
        losses: list[dict] = []
        try:
            while not losses or (len(losses) < steps if steps else time.perf_counter() - began < self._seconds):
                used = self.settings
                losses.append(self._trainer.step())
        finally:
            self._trainer.rest()
        loss = {"loss": sum(step["loss"] for step in losses) / len(losses), **used}
        self._append_frame({"step": losses[-1]["step"], "seconds": time.perf_counter() - began, **loss})
        return self.frame

    def _append_frame(self, frame: dict) -> None:
        began = time.perf_counter()
        frame |= frame_of(look(self._encoder, self.monitored), self._view)
        frame["seconds"] += time.perf_counter() - began  # of training and evaluation
        self.history.append(frame)
        if len(self.history) > MAX_FRAMES:
            del self.history[1::2]  # every second one; the first frame stays

    def start(self) -> None:
        """Train in the background until `pause`; does nothing while it is training."""
        if self.running:
            return
        stop_on_interrupt(self)
        if self._thread is threading.current_thread():  # called back in its own loop, which goes on
            self._going.set()
            return
        if self._thread is not None:
            self._thread.join()  # it may be at the last frame since `stop_soon`, and two would train one encoder
        self._going.set()
        self._thread = threading.Thread(target=self._train, name="live training", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop after the current frame, and wait for it."""
        self.stop_soon()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()  # however long: what follows may reload the weights under a frame

    def stop_soon(self) -> None:
        """Stop after the current frame, without waiting; the kernel's interrupt calls it."""
        self._going.clear()

    def reset(self) -> None:
        """Stop, and go back to the untrained encoder."""
        self.pause()
        self._initialise()

    def _train(self) -> None:
        try:
            while self.running:
                try:
                    self._notify(self.advance())
                except Exception as problem:  # it would be lost in a thread
                    self._going.clear()
                    self._notify({**self.frame, "problem": in_words(problem)})
        finally:
            self._going.clear()

    def _notify(self, frame: dict) -> None:
        """Call every callback, also those after one that fails, whose error is raised at the end."""
        failed = None
        for callback in list(self._callbacks):
            try:
                callback(frame)
            except Exception as problem:
                failed = problem
        if failed is not None:
            raise failed
