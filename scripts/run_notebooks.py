"""Run the notebooks of the course, several at a time, and only those that would come out differently.

What a notebook gives depends on itself, on the kit and its data, on the preset and on the folder of real data. Beside
each executed notebook stands a key of all these, `<name>.key`: where it is the same, the notebook is not run again.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from notebook_page import own_sockets

SOURCES = ("kit", "data", "constraints")  # what every notebook depends on


def run_all(notebooks: list[Path], folder: Path, preset: str, workers: int, root: Path) -> dict[str, str | None]:
    """Bring the executed notebooks in `folder` up to date; for each stem, what kept it from running.

    The notebook that took longest last time begins, so that no long one is left for the end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = {path: key_of(path, preset, root) for path in notebooks}
    due = [path for path in notebooks if not kept(folder / path.name, keys[path])]
    for path in notebooks:
        if path not in due:
            print(f"{path.stem}: unchanged", flush=True)
    due.sort(key=lambda path: -seconds(folder / path.name))
    problems: dict[str, str | None] = dict.fromkeys((path.stem for path in notebooks), None)
    with ProcessPoolExecutor(max(1, min(workers, len(due)))) as pool:
        running = {pool.submit(run, path, folder / path.name, preset, workers): path for path in due}
        for done in as_completed(running):
            path = running[done]
            problems[path.stem] = done.result()
            if problems[path.stem] is None:
                key_file(folder / path.name).write_text(keys[path], "utf-8")
            ended = "done" if problems[path.stem] is None else "failed"
            print(f"{path.stem}: {ended} after {seconds(folder / path.name):.0f} s", flush=True)
    return problems


def run(notebook: Path, executed: Path, preset: str, workers: int = 1) -> str | None:
    """Execute a notebook from its own folder into `executed`; what kept it from running, if anything.

    "": an error that stands in the executed notebook.
    """
    import papermill

    os.environ["KIT_OUT"] = str(executed.parent)
    if workers > 1:
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    key_file(executed).unlink(missing_ok=True)
    try:
        with tempfile.TemporaryDirectory() as sockets:
            papermill.execute_notebook(
                notebook,
                executed,
                kernel_name="python3",
                parameters={"preset": preset},
                cwd=str(notebook.parent),
                progress_bar=False,
                iopub_timeout=60,  # on a busy machine a kernel is late with what it has to say
                request_save_on_cell_execute=False,  # at the end is enough: pictures make it large
                config=own_sockets(sockets),
            )
    except papermill.PapermillExecutionError:
        return ""  # the error stands in the executed notebook
    except Exception as error:  # a dead kernel must not keep the other notebooks from their pages
        return f"{type(error).__name__}: {error}"
    return None


def key_of(notebook: Path, preset: str, root: Path) -> str:
    """A hash of what decides what the notebook gives; of a mirror, of its path alone."""
    found = hashlib.sha256(f"{preset} {os.environ.get('KIT_DATA', '')} {sys.version}".encode())
    files = (path for folder in SOURCES for path in sorted((root / folder).rglob("*")) if path.is_file())
    for path in (notebook, *files):
        if "__pycache__" not in path.parts:
            found.update(f"{path.name} ".encode() + path.read_bytes())
    return found.hexdigest()


def key_file(executed: Path) -> Path:
    return executed.with_suffix(".key")


def kept(executed: Path, key: str) -> bool:
    """Whether the executed notebook is there and is what `key` would give again."""
    stands = executed.is_file() and key_file(executed).is_file()
    return stands and key_file(executed).read_text("utf-8") == key


def seconds(executed: Path) -> float:
    """How long it ran, as papermill wrote it down; 0 where it did not."""
    import nbformat

    if not executed.is_file():
        return 0.0
    try:
        return nbformat.read(executed, as_version=4).metadata.get("papermill", {}).get("duration") or 0.0
    except (ValueError, nbformat.reader.NotJSONError):  # left half written by a run that was killed
        return 0.0
