"""A training run with a name and a folder: it can be paused, killed, resumed, and compared with others.

`fit` does the work. A `Run` adds a thread, callbacks, validation as it goes, and a record that outlives the process.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from kit.checks.argument_checks import in_words
from kit.errors import KitError
from kit.number_checks import is_whole
from kit.paths import output
from kit.storage.atomic import strict_json, write_atomically
from kit.storage.checkpoint import load_checkpoint
from kit.storage.run_identity import check_identity, settings_of
from kit.storage.run_lock import delete_run, owner_of
from kit.training.device import describe_hardware
from kit.training.fit import FitResult, fit
from kit.training.processes import processes_for
from kit.training.settings import Recipe
from kit.workshop.best_step import keep_best, load_best
from kit.workshop.kernel_interrupt import stop_on_interrupt
from kit.workshop.records import RECORD, read_record
from kit.workshop.run_folder import ENCODER, own_folder, prepare_run
from kit.workshop.validation import described, keep_to_validation, validate


class Run:
    """One training run. `train` works in the foreground, `start` in the background; both resume where it stopped.

    name: letters, digits, - and _; also its folder under `folder` (default: runs in KIT_OUT or .kit).
    encoder: untrained, and trained in place. recipe, data, seed, steps, precision: as in `fit`.
    validation: a scored task (STS-B validation, never a test set) or an `OwnValidation`, evaluated every `every`
    steps; None: no validation. keep_best: once trained, the encoder is that of the step with the best validation, see
    `kit.workshop.best_step`; `best` says which. about: lines for the record, such as {"data": …, "encoder": …}.

    In the background, dropout draws from torch's global generator: if other cells draw from it meanwhile, a repeated
    run is not bit for bit the same. Errors: `KitError` for bad settings. Lesson 09.
    """

    def __init__(
        self,
        name: str,
        encoder,
        recipe: Recipe,
        data: Sequence,
        *,
        seed: int = 0,
        steps: int | None = None,
        validation=None,
        every: int = 20,
        keep_best: bool = False,
        checkpoint_every: int = 50,
        precision: str = "auto",
        folder: Path | str | None = None,
        about: dict[str, str] | None = None,
    ):
        if not re.fullmatch(r"[\w-]+", name):
            raise KitError(f"expected a name of letters, digits, - and _, got {name!r}: it becomes a folder.")
        if not is_whole(every, 1):
            raise KitError(f"expected a validation every 1 step or more, got {every!r}.")
        if keep_best and validation is None:
            raise KitError("expected a validation to keep the best step by, got none: give one, or keep the last.")
        try:
            self.name, self.folder = name, Path(folder or output("runs")).expanduser().absolute() / name
        except RuntimeError as error:
            raise KitError(f"expected a folder for the run, but the ~ in {folder} is no home: name another.") from error
        self.encoder, self.recipe, self.data, self.seed, self.steps = encoder, recipe, data, seed, steps
        self.validation, self.every, self.about = validation, int(every), about or {}
        self.keep_best, self.best = keep_best, None  # (step, validation) once trained
        self._fit = {"checkpoint_every": checkpoint_every, "precision": precision}
        self._weights = {k: v.clone() for k, v in encoder.state_dict().items()}
        self._callbacks: list[Callable[[dict], None]] = []
        self._going, self._thread = threading.Event(), None
        self.untrained: dict[str, float] = {}
        self.history: list[dict] = []
        self.problem = ""
        self._restore()

    @property
    def running(self) -> bool:
        """Whether it is training, in the foreground or in the background."""
        return self._going.is_set()

    @property
    def frame(self) -> dict:
        """The newest step: step, loss and its parts, lr and rows; before the first, what the encoder was like."""
        newest = self.history[-1:]  # read once: another thread may begin anew meanwhile
        return newest[0] if newest else {"step": 0, **self.untrained}

    def add_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` with the frame of each step, once more at the end, and with "problem" where it fails."""
        self._callbacks.append(function)

    def remove_callback(self, function: Callable[[dict], None]) -> None:
        """Call `function` no longer."""
        self._callbacks.remove(function)

    def train(self, progress: bool = True) -> FitResult:
        """Train to the end or until `pause` is called, from the newest checkpoint on; return what `fit` returns.

        Errors: as `fit`, and `KitError` while it is already training.
        """
        if self.running:
            raise KitError(f"run {self.name!r} is training already: pause it first.")
        self.wait()  # for the checkpoint that follows `stop_soon`
        self._going.set()
        return self._train(progress)

    def _train(self, progress: bool) -> FitResult:
        try:
            prepare_run(self.folder)
            with owner_of(self.folder if processes_for(self.recipe, self.encoder.device).is_main else None):
                self._restore()
                keep_to_validation(self.folder, self.validation, self.history)
                self._keep_best()
                self._clock, self._speeds = time.perf_counter(), deque(maxlen=20)
                self._began = self._clock - self._seconds  # as if it had never stopped
                result = fit(
                    self.encoder,
                    self.recipe,
                    self.data,
                    seed=self.seed,
                    steps=self.steps,
                    folder=self.folder,
                    callback=self._after_step,
                    should_stop=lambda: not self.running,
                    progress=progress,
                    **self._fit,
                )
                self.finished = result.steps == result.planned
                self._save_record(result)
        finally:
            self._going.clear()
        self._notify(self.frame)
        return result

    def start(self) -> None:
        """Train in the background; does nothing while it is training. Callbacks receive errors as "problem"."""
        if self.running:
            return
        self.wait()  # for the checkpoint that follows `stop_soon`
        self.problem = ""
        stop_on_interrupt(self)
        self._going.set()
        self._thread = threading.Thread(target=self._work, name=f"run {self.name}", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop after the current step, with a checkpoint; `start` and `train` continue from there."""
        self.stop_soon()
        self.wait(60)

    def stop_soon(self) -> None:
        """As `pause`, without waiting; the kernel's interrupt calls it."""
        self._going.clear()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the background thread; False if it is still training after `seconds` (None: no limit)."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def reset(self) -> None:
        """Stop, delete the folder, and go back to the untrained encoder.

        Errors: `KitError` where the folder cannot be deleted or another process uses it; the run stays as it is.
        """
        self.pause()
        if self.folder.is_dir():
            delete_run(self.folder)
        self.problem = ""
        self._restore()

    def record(self) -> dict:
        """The saved record, JSON-ready. Errors: `KitError` where it is damaged."""
        return read_record(self.folder / RECORD)

    def export(self, folder: Path | str | None = None) -> Path:
        """Save the encoder as it is now, with a model card; kit and sentence-transformers load it.

        Errors: `KitError` before the first step and while it trains, and as `Encoder.save`.
        """
        from kit.workshop.model_card import model_card

        if self.running:
            raise KitError(f"expected a run at rest, but {self.name!r} is training: pause it first.")
        self.wait()
        if not self.history:
            raise KitError(f"expected a run that has been trained, but {self.name!r} has not: train it first.")
        record = self.record() if (self.folder / RECORD).exists() else None
        if record is None or record["steps"] != self.history[-1]["step"]:  # killed, or failed, since it was written
            self._validate_last()
            record = self._as_record(describe_hardware(self.encoder.device))
        return self.encoder.save(folder or own_folder(self.folder / ENCODER), model_card(record, self.encoder.source))

    def _restore(self) -> None:
        """Load encoder and history from the newest checkpoint, or go back to the untrained encoder."""
        self.encoder.load_state_dict(self._weights)
        self.history, self.finished, self.best, self._seconds = [], False, None, 0.0
        if self.validation is not None and not self.untrained:
            self.untrained = validate(self.encoder, self.validation)
        found = load_checkpoint(self.folder) if self.folder.is_dir() else None
        if found is not None and not self._is_of_another(found[1]):
            tensors, meta = found
            prefix = "module.encoder."
            saved = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
            if saved.keys() == self._weights.keys() and all(saved[k].shape == self._weights[k].shape for k in saved):
                self.encoder.load_state_dict(saved)  # else `fit` says that it is another encoder's
                self.history, self._seconds = meta["history"], meta["seconds"]
                self.finished = meta["step"] == meta["identity"]["steps"]
                self._take_best()

    def _is_of_another(self, meta: dict) -> bool:
        """Whether a checkpoint is of another recipe, seed or length, which `problem` then says, as `fit` does."""
        own = {"recipe": settings_of(self.recipe), "seed": self.seed, **({"steps": self.steps} if self.steps else {})}
        try:
            check_identity(self.folder, meta["identity"], own)
            return False
        except KitError as other:
            self.problem = str(other)
            return True

    def _after_step(self, step: dict) -> None:
        now = time.perf_counter()
        self._speeds.append((step["rows"], now - self._clock))
        if self.validation is not None and step["step"] % self.every == 0:
            step |= validate(self.encoder, self.validation)  # stays in the history, and so in the checkpoints
        self.history.append(step)
        if "validation" in step:
            self._keep_best()
        speed = sum(rows for rows, _ in self._speeds) / max(sum(seconds for _, seconds in self._speeds), 1e-9)
        self._notify({**step, "speed": speed})
        self._clock = time.perf_counter()
        self._seconds = self._clock - self._began

    def _save_record(self, result: FitResult) -> None:
        """Write the record that `saved_runs` reads."""
        self.history, self.best, self._seconds = result.history, None, result.seconds
        self._validate_last()
        if self.finished:  # a pause's own validation is in no checkpoint, and so decides nothing
            self._keep_best(final=True)
            self._take_best()
        write_atomically(self.folder / RECORD, strict_json(self._as_record(result.hardware), indent=1))

    def _validate_last(self) -> None:
        """Have a validation of the last step, unless the encoder is already that of the best one."""
        last = self.history[-1]
        if self.validation is not None and self.best is None and "validation" not in last:
            last |= validate(self.encoder, self.validation)

    def _as_record(self, hardware: str) -> dict:
        """The state of the encoder and how it came about."""
        last = self.history[-1]
        record = {
            "name": self.name,
            "recipe": self.recipe.as_dict(),
            "title": self.recipe.title,
            "seed": self.seed,
            "about": self.about,
            "steps": last["step"],
            "finished": self.finished,
            "sentences": sum(step["rows"] for step in self.history),
            "seconds": round(self._seconds, 2),
            "hardware": hardware,
            "untrained": self.untrained,
            "history": self.history,
        }
        if self.validation is not None:
            record |= {**described(self.validation), "validation": self.best[1] if self.best else last["validation"]}
        if self.best:
            record["best"] = {"step": self.best[0], "of": last["step"]}
        return record

    def _keep_best(self, final: bool = False) -> None:
        if self.keep_best and processes_for(self.recipe, self.encoder.device).is_main:
            keep_best(self.folder, self.encoder, self.untrained, self.history, final)

    def _take_best(self) -> None:
        """Once trained to the end, the encoder is that of the best step."""
        if self.keep_best and self.finished and processes_for(self.recipe, self.encoder.device).is_main:
            self.best = load_best(self.folder, self.encoder, self.history)

    def _work(self) -> None:
        try:
            self._train(progress=False)
        except Exception as problem:  # it would be lost in a thread
            self.problem = in_words(problem)
            self._notify({**self.frame, "problem": self.problem})

    def _notify(self, frame: dict) -> None:
        for callback in list(self._callbacks):
            callback(frame)
