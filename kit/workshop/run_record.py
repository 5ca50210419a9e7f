"""A training with a name and a folder of its own: paused, killed, taken up again, and kept for comparison.

`fit` does the work. A `Run` adds what a workshop needs: a thread, somebody who listens, STS-B
validation on the way, and a record that outlives the process.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from kit.errors import KitError
from kit.evaluation import geometry, pair_cosines, spearman
from kit.paths import output
from kit.training.checkpoint import load_checkpoint, write_atomically
from kit.training.fit import FitResult, fit
from kit.training.settings import Recipe

RECORD = "run.json"


def watch(encoder, task) -> dict[str, float]:
    """What a training is watched by: Spearman × 100 on a scored task, and the mean cosine of its sentences."""
    texts = list(dict.fromkeys([*task.sentences1, *task.sentences2]))
    row = {text: i for i, text in enumerate(texts)}
    vectors = encoder.encode(texts, batch_size=128).numpy()  # [texts, dim]
    first, second = (vectors[[row[text] for text in side]] for side in (task.sentences1, task.sentences2))
    agreement = spearman(pair_cosines(first, second), task.scores)
    return {"validation": 100 * (agreement or 0.0), "mean_cosine": geometry(vectors).mean_cosine}


class Run:
    """One training. `train` works in the foreground, `start` in the background; both take up where it stopped.

    name: letters, digits, - and _; also its folder under `folder` (default: runs in KIT_OUT or .kit).
    encoder: untrained, and trained in place. recipe, data, seed, steps, precision: as in `fit`.
    validation: a scored task (STS-B validation, never a test set), looked at every `every` steps;
    None: not watched. about: lines for the record, such as {"data": …, "encoder": …}.

    While it trains in the background, dropout draws from torch's one generator: with dropout, and
    cells beside it that draw as well, a repetition is not bit for bit.
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
        checkpoint_every: int = 50,
        precision: str = "auto",
        folder: Path | str | None = None,
        about: dict[str, str] | None = None,
    ):
        if not re.fullmatch(r"[\w-]+", name):
            raise KitError(f"expected a name of letters, digits, - and _, got {name!r}: it becomes a folder.")
        if not isinstance(every, int) or every < 1:
            raise KitError(f"expected a look every 1 step or more, got {every!r}.")
        self.name, self.folder = name, Path(folder or output("runs")) / name
        self.encoder, self.recipe, self.data, self.seed, self.steps = encoder, recipe, data, seed, steps
        self.validation, self.every, self.about = validation, every, about or {}
        self._fit = {"checkpoint_every": checkpoint_every, "precision": precision}
        self._weights = {k: v.clone() for k, v in encoder.state_dict().items()}
        self._listeners: list[Callable[[dict], None]] = []
        self._going, self._thread = threading.Event(), None
        self.untrained: dict[str, float] = {}
        self.history: list[dict] = []
        self.problem, self.finished = "", False
        self._take_up()

    @property
    def running(self) -> bool:
        return self._going.is_set()

    @property
    def frame(self) -> dict:
        """The newest step: step, loss and its parts, lr, rows, and speed (sentences a second)."""
        return self.history[-1] if self.history else {"step": 0, **self.untrained}

    def listen(self, function: Callable[[dict], None]) -> None:
        """Call `function` with the frame of each step, once more at the end, and with "problem" when it fails."""
        self._listeners.append(function)

    def train(self, progress: bool = True) -> FitResult:
        """Train to the end, or until somebody calls `pause`; returns what `fit` returns.

        Continues from the newest whole checkpoint. Errors: as `fit`, and `KitError` while it trains already.
        """
        if self.running:
            raise KitError(f"run {self.name!r} is training already: pause it first.")
        self._going.set()
        return self._train(progress)

    def _train(self, progress: bool) -> FitResult:
        try:
            self._take_up()
            self._clock, self._speeds = time.perf_counter(), deque(maxlen=20)
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
            self.finished = self.running or result.steps == self.steps  # nobody asked it to stop
            self._keep(result)
        finally:
            self._going.clear()
        self._tell(self.frame)
        return result

    def start(self) -> None:
        """Train in the background; a second start changes nothing. What goes wrong is told to the listeners."""
        if self.running:
            return
        self.problem = ""
        self._going.set()
        self._thread = threading.Thread(target=self._work, name=f"run {self.name}", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop after the step at hand, with a checkpoint; `start` and `train` go on from there."""
        self._going.clear()
        self.wait()

    def wait(self, seconds: float = 60) -> bool:
        """Wait until the background is done with it; False if it still trains after `seconds`."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def reset(self) -> None:
        """Back to the untrained encoder: stops the training and deletes its folder."""
        self.pause()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.history, self.problem, self.finished = [], "", False
        self._take_up()

    def record(self) -> dict:
        """What is kept of it, JSON-ready."""
        return json.loads((self.folder / RECORD).read_text("utf-8"))

    def export(self, folder: Path | str | None = None) -> Path:
        """Save the encoder as it is now, with a model card; kit and sentence-transformers load it.

        Errors: `KitError` before the first step, and as `Encoder.save`.
        """
        from kit.workshop.model_card import model_card

        if not (self.folder / RECORD).exists():
            raise KitError(f"expected a run that has been trained, but {self.name!r} has not: train it first.")
        folder = self.encoder.save(folder or self.folder / "encoder")
        write_atomically(folder / "README.md", model_card(self.record()))
        return folder

    def _take_up(self) -> None:
        """The encoder and the curves as the newest checkpoint has them, or untrained."""
        self.encoder.load_state_dict(self._weights)
        if self.validation is not None and not self.untrained:
            self.untrained = watch(self.encoder, self.validation)
        found = load_checkpoint(self.folder) if self.folder.is_dir() else None
        if found is not None:
            tensors, meta = found
            kept = {k.removeprefix("module.encoder."): v for k, v in tensors.items() if k.startswith("module.encoder.")}
            if kept.keys() == self._weights.keys() and all(kept[k].shape == self._weights[k].shape for k in kept):
                self.encoder.load_state_dict(kept)  # else `fit` says that it is another encoder's
                self.history = meta["history"]
                self.finished = self.history[-1]["step"] == meta["identity"]["steps"]

    def _after_step(self, told: dict) -> None:
        now = time.perf_counter()
        self._speeds.append((told["rows"], now - self._clock))
        if self.validation is not None and told["step"] % self.every == 0:
            told |= watch(self.encoder, self.validation)  # kept in the history, and so in the checkpoints
        self.history.append(told)
        speed = sum(rows for rows, _ in self._speeds) / max(sum(seconds for _, seconds in self._speeds), 1e-9)
        self._tell({**told, "speed": speed})
        self._clock = time.perf_counter()

    def _keep(self, result: FitResult) -> None:
        """Write the record, for `kept_runs`."""
        last = result.history[-1]
        if self.validation is not None and "validation" not in last:
            last |= watch(self.encoder, self.validation)
        self.history = result.history
        record = {
            "name": self.name,
            "recipe": self.recipe.as_dict(),
            "title": self.recipe.title,
            "seed": self.seed,
            "about": self.about,
            "steps": result.steps,
            "finished": self.finished,
            "sentences": result.sentences,
            "seconds": round(result.seconds, 2),
            "hardware": result.hardware,
            "untrained": self.untrained,
            "history": result.history,
        }
        if self.validation is not None:
            record["watched"] = f"{self.validation.source.summary()} {len(self.validation):,} scored pairs."
            record["validation"] = last["validation"]
        write_atomically(self.folder / RECORD, json.dumps(record, indent=1))

    def _work(self) -> None:
        devices = [self.encoder.device] if self.encoder.device.type == "cuda" else []
        with torch.random.fork_rng(devices):  # a run beside the page must not change what its next cell draws
            try:
                self._train(progress=False)
            except Exception as problem:  # a thread would lose it
                told = str(problem) if isinstance(problem, KitError) else f"{type(problem).__name__}: {problem}"
                self.problem = told
                self._tell({**self.frame, "problem": told})

    def _tell(self, frame: dict) -> None:
        for listener in self._listeners:
            listener(frame)


def kept_runs(folder: Path | str | None = None) -> dict[str, dict]:
    """The records of all runs in `folder` (default: runs in KIT_OUT or .kit) by name, oldest first."""
    files = sorted(Path(folder or output("runs")).glob(f"*/{RECORD}"), key=lambda file: file.stat().st_mtime_ns)
    return {file.parent.name: json.loads(file.read_text("utf-8")) for file in files}
