"""The first cell of every notebook: preset, seed, and one honest line on what is in use."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kit import extensions
from kit.captions import LAB_STYLE, caption
from kit.checks.argument_checks import checked
from kit.checks.kernel_state import advice, import_whole
from kit.checks.page_widgets import prepare_widgets
from kit.errors import KitError, KitWarning, check_name, unknown_name
from kit.paths import bundle, output, takes_files
from kit.training.recipes import PRESETS


@dataclass(frozen=True)
class Lesson:
    """The settings a notebook was started with; its methods load data and models and say where they came from."""

    preset: str
    seed: int
    in_use: list[str] = field(default_factory=list)  # the lines about data and encoder

    def pick(self, **by_preset):
        """Return the value for this lesson's preset: `pick(smoke=60, laptop=400, gpu=2000)`. Errors: `KitError`."""
        if self.preset not in by_preset:
            raise KitError(f"expected a value for the preset {self.preset!r}, got {', '.join(by_preset)}: add it.")
        return by_preset[self.preset]

    def nli(self, name: str = "stanfordnlp/snli", rows: int | None = None):
        """Load NLI groups by premise, and print which data they are."""
        from kit.data import group_by_premise, load

        with _no_warning():
            table = load(name, rows=rows, seed=self.seed)
        groups = group_by_premise(table)
        self._say(f"{table.source.summary()} {len(groups):,} premises.", table.source.is_fallback)
        return groups

    def stream(self, name: str = "stanfordnlp/snli", **settings):
        """Load NLI groups as a stream, read as they are needed, and print which data they are."""
        with _no_warning():
            stream = extensions.row_streams().load_stream(name, seed=self.seed, **settings)
        self._say(stream.summary(), stream.shards.source.is_fallback)
        return stream

    def sts(self, names: Sequence[str] | None = None, rows: int | None = None):
        """Load STS tasks by name (None: all seven), and print which data they are."""
        from kit.data import STS_TASKS, load_sts

        with _no_warning():
            tasks = load_sts(names or STS_TASKS, rows=rows)
        made_up = [name for name, task in tasks.items() if task.source.is_fallback]
        pairs = sum(len(task.scores) for task in tasks.values())
        tiers = " and the ".join(sorted({task.source.tier for task in tasks.values()}))
        line = f"Similarity tasks {', '.join(tasks)}: {pairs:,} pairs from the {tiers}."
        if made_up:
            line += (
                f" No real pairs were at hand for {', '.join(made_up)}: those of the kit's made-up world "
                "stand in. They show the mechanism; they are not a result on English."
            )
        self._say(line, bool(made_up))
        return tasks

    def validation(self, rows: int | None = None):
        """Load STS-B's validation pairs, on which settings are chosen, and print which they are."""
        from kit.data import load_sts

        with _no_warning():
            task = load_sts("STS-B", split="validation", rows=rows)["STS-B"]
        self._say(f"To choose by: {task.source.summary()}", task.source.is_fallback)
        return task

    def documents(self, rows: int | None = None, least_words: int | None = None):
        """Load long documents, a list of texts, and print which they are."""
        from kit.data.documents import LEAST_WORDS, find_documents

        found = find_documents(rows, least_words=least_words or LEAST_WORDS, seed=self.seed)
        self._say(found.source.summary(), found.source.is_fallback)
        return found

    def transfer(self, names: Sequence[str], rows: int | None = None):
        """Load transfer tasks by name, or made-up ones where there are none, and print which they are."""
        from kit.data import load_transfer

        with _no_warning():
            tasks = load_transfer(names, rows=rows, seed=self.seed)
        made_up = any(task.made_up for task in tasks.values())
        line = f"Transfer tasks {', '.join(tasks)}: {sum(map(len, tasks.values())):,} rows."
        if made_up:
            line += " Made-up sentences stand in for real ones: they show the mechanism; it is no result on English."
        self._say(line, made_up)
        return tasks

    def encoder(self, name: str | None = None, **settings):
        """Load an encoder, and print which one it is."""
        from kit.encoder import DEFAULT, load_encoder

        with _no_warning():
            encoder = load_encoder(name or DEFAULT, **settings)
        weights = sum(p.numel() for p in encoder.parameters())
        self._say(
            f"{encoder.source.summary()} {encoder.bert.config.num_hidden_layers} layers, {encoder.dim} wide, "
            f"{weights / 1e6:.1f} million weights, pooling {encoder.pooling}.",
            encoder.source.is_fallback,
        )
        return encoder

    def keep(self, name: str, content: dict) -> Path:
        """Write `content` as JSON, with what was in use, into KIT_OUT (or .kit in this folder)."""
        from kit.storage.atomic import write_atomically

        path = output(f"{name}.json")
        whole = {
            "preset": self.preset,
            "seed": self.seed,
            "in_use": list(dict.fromkeys(self.in_use)),
            "peak_memory_mb": peak_memory_mb(),
            **content,
        }
        write_atomically(path, json.dumps(whole, indent=1))
        return path

    def _say(self, line: str, warn: bool = False) -> None:
        self.in_use.append(line)
        say(line, warn=warn)


@checked
def start(preset: str = "laptop", seed: int = 0) -> Lesson:
    """Begin a lesson; safe to run twice.

    preset: "smoke" (seconds), "laptop" (a minute or two on a CPU) or "gpu" (the papers' settings). seed: makes the run
    repeatable.
    """
    import torch
    from IPython import get_ipython

    check_name("preset", preset, PRESETS)
    from kit import __version__
    from kit.threads import use_allowed_threads
    from kit.training.device import describe_hardware, pick_device

    torch.manual_seed(seed)
    if shell := get_ipython():
        prepare_widgets()
        shell.events.register("post_run_cell", _after_cell)
    import_whole("scipy.stats")  # seconds, here where they are expected
    if not takes_files(Path(os.path.expanduser("~/.cache"))):  # UMAP's numba keeps there what it compiles, or fails
        os.environ.setdefault("NUMBA_CACHE_DIR", str(output("numba").absolute()))
    if fewer := use_allowed_threads():
        say(fewer)
    gpu = f", in lessons 09 and 12 also on {describe_hardware(pick_device())}" if torch.cuda.is_available() else ""
    say(f"Pull·Push {__version__}, preset {preset}, seed {seed}, on {describe_hardware(torch.device('cpu'))}{gpu}.")
    return Lesson(preset, seed)


def measured(name: str, missing: dict | None = None) -> dict:
    """Read what a results script wrote into data/results/<name>.json: measured numbers with their provenance.

    missing: what to return where the file is not there yet. Errors: `KitError` for a file that is not
    there, with those that are, where `missing` is None.
    """
    file = bundle("results", f"{name}.json")
    if file.is_file():
        return json.loads(file.read_text("utf-8"))
    if missing is None:
        raise unknown_name("results file", name, sorted(path.stem for path in bundle("results").glob("*.json")))
    return missing


def say(line: str, warn: bool = False) -> None:
    """Show one line on the page; `warn` marks a fallback, which must not be overlooked."""
    from IPython.display import HTML, display

    display(HTML(LAB_STYLE + caption(line, kind="warning" if warn else "caption")))


def peak_memory_mb() -> int | None:
    """Peak memory of this process, in MiB; None where the system does not say."""
    status = Path("/proc/self/status")  # of Linux, where the counter below begins with what the parent held
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text("utf-8")) if status.exists() else None
    if found:
        return round(int(found.group(1)) / 2**10)
    try:
        import resource
    except ImportError:  # Windows has no such counter
        return None
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))


@contextlib.contextmanager
def _no_warning():
    """Suppress the warning about a stand-in: the orange line on the page says the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KitWarning)
        yield


def _after_cell(result) -> None:
    """Below the traceback of a cell: what to run first, where that is what it lacks."""
    from IPython import get_ipython

    if line := advice(result.error_in_exec, get_ipython().user_global_ns):
        say(line, warn=True)
