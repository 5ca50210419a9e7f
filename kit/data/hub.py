"""The Hugging Face Hub: whether it can be reached, and data sets from it, without hanging where there is no network.

Left alone, the Hub's libraries retry for 20 to 70 seconds where there is no
network. So one short probe comes first, and its answer holds for the process.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.data.catalogue import CATALOGUE, NLI_COLUMNS, STS_COLUMNS
from kit.errors import KitError, unknown_name

PROBE_SECONDS = 1.2
QUESTION = "/api/datasets/stanfordnlp/snli"  # a few kB of JSON
TRUE_VALUES = {"1", "ON", "YES", "TRUE"}


class UnavailableError(Exception):
    """This tier cannot give the data set; the message says why, and the next tier is asked."""


def hub_problem() -> str:
    """Why the Hub cannot be used, in a few words, or "" where it can; asks for `PROBE_SECONDS` once in a process.

    HF_HUB_OFFLINE=1 is respected; the address is the one of `huggingface_hub`
    (HF_ENDPOINT). `probe.cache_clear()` asks again after the network came back.
    """
    from huggingface_hub import constants

    if switched_on("HF_HUB_OFFLINE") or constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    return probe(constants.ENDPOINT, PROBE_SECONDS)


@lru_cache
def probe(endpoint: str, seconds: float) -> str:
    """Ask `endpoint` one question that only a Hub can answer; "" if it does, else why not.

    A connection alone proves little: a proxy or the log-in page of a hotel accepts it too. The question goes through
    the Hub library's own client, so that what stops the library stops the probe. It runs in a thread of its own
    because looking up a host name has no time limit.
    """
    from huggingface_hub.utils import get_session

    answers: list[str] = []

    def ask() -> None:
        try:
            reply = get_session().get(endpoint + QUESTION, timeout=seconds)
            kind = reply.headers.get("content-type", "nothing")
        except Exception as error:  # whatever the client raises means the same: not reachable
            answers.append(f"{endpoint}: {first_line(error)}")
        else:
            answered = reply.status_code == 200 and "json" in kind
            answers.append("" if answered else f"{endpoint}: status {reply.status_code}, {kind}")

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else f"{endpoint}: no answer within {seconds:g} seconds"


def first_line(error: BaseException, limit: int = 160) -> str:
    """The first line of an error's message, or its type where it has none."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".")[:limit] if lines else type(error).__name__


@contextmanager
def offline() -> Iterator[None]:
    """Within the block the Hub's libraries use only what is already on this disk.

    They read their switches once, when imported, so the switches are turned in the modules already loaded and turned
    back afterwards; the environment, which would outlive the block in anything imported meanwhile, stays as it is.
    """
    from huggingface_hub import constants

    datasets_config = sys.modules.get("datasets.config")  # None where it is not loaded
    switches = [
        (constants, "HF_HUB_OFFLINE"),
        (datasets_config, "HF_HUB_OFFLINE"),
        (datasets_config, "HF_DATASETS_OFFLINE"),
    ]
    before = [(module, name, getattr(module, name, None)) for module, name in switches if module]
    try:
        for module, name, _ in before:
            setattr(module, name, True)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def from_hub(name: str, split: str) -> tuple[dict[str, list], str, tuple[str, ...]]:
    """One split of a Hub data set: its columns, the commit, and notes for its Source.

    Where the Hub is out of reach, a copy that `datasets` has cached is used. Rows of NLI data without a gold label
    (-1) are dropped and counted in a note.

    Raises UnavailableError where neither can be had, KitError for an unknown data set or split.
    """
    problem = "HF_DATASETS_OFFLINE is set" if switched_on("HF_DATASETS_OFFLINE") else hub_problem()
    if problem and not os.path.isdir(cache_folder(name)):
        raise UnavailableError(f"the Hub could not be reached ({problem})")
    splits = load_splits(name, problem)
    if split not in splits:
        there = ", ".join(map(str, splits))
        raise KitError(f"{name} on the Hub has no split {split!r}: it has {there}.")
    dataset = splits[split]
    for wanted in (NLI_COLUMNS, STS_COLUMNS):
        if set(wanted) <= set(dataset.column_names):
            dataset = dataset.select_columns(list(wanted))
    columns: dict[str, list] = dataset.to_dict()
    notes: tuple[str, ...] = ()
    if set(NLI_COLUMNS) <= set(columns):
        columns, notes = _without_unlabelled(columns)
    if problem:
        notes += (f"a copy cached earlier, as the Hub could not be reached ({problem})",)
    return columns, commit_of(dataset), notes


def load_splits(name: str, problem: str, /, **settings: Any) -> dict[str, Any]:
    """All splits of a data set, from the cache alone where there is a `problem`; settings: of `load_dataset`.

    Raises UnavailableError and KitError as `from_hub`.
    """
    if os.path.exists(name):  # `datasets` would read that, and it would be called the Hub's
        raise KitError(f"expected {name} from the Hub, but there is such a path here: give path={name!r}, or move it.")
    try:
        import datasets
    except ImportError as error:
        raise UnavailableError(f"datasets is not installed ({first_line(error)})") from error
    try:
        with offline() if problem else nullcontext():
            return datasets.load_dataset(name, trust_remote_code=False, **settings)
    except datasets.exceptions.DatasetNotFoundError as error:
        if name in CATALOGUE:
            raise UnavailableError(f"the Hub did not give it ({first_line(error)})") from error
        raise unknown_name("data set", name, CATALOGUE) from error
    except ValueError as error:
        raise KitError(f"the Hub could not give {name}: {first_line(error)}.") from error
    except Exception as error:  # lost connections come as a dozen types, some of third libraries
        reason = f"{type(error).__name__}: {first_line(error)}"
        raise UnavailableError(f"loading from the Hub failed ({reason})") from error


def _without_unlabelled(columns: dict[str, list]) -> tuple[dict[str, list], tuple[str, ...]]:
    """The columns without the rows whose label is -1 or missing, and a note that counts them."""
    keep = [label is not None and label != -1 for label in columns["label"]]
    dropped = keep.count(False)
    if not dropped:
        return columns, ()
    labelled = {name: [value for value, k in zip(values, keep, strict=True) if k] for name, values in columns.items()}
    return labelled, (f"{dropped:,} rows without a gold label dropped",)


def commit_of(dataset: Any) -> str:
    """The commit in the addresses that the files were fetched from, else "unknown"."""
    found = re.search(r"@([0-9a-f]{40})", " ".join(dataset.info.download_checksums or {}))
    return found.group(1) if found else "unknown"


def cache_folder(name: str) -> Path:
    """Where `datasets` keeps what it has loaded from the Hub under this name."""
    from huggingface_hub import constants

    root = os.environ.get("HF_DATASETS_CACHE") or Path(constants.HF_HOME) / "datasets"
    return Path(os.path.expanduser(root)) / name.replace("/", "___")  # without a home the ~ stays, and is no folder


def switched_on(variable: str) -> bool:
    return os.environ.get(variable, "").upper() in TRUE_VALUES
