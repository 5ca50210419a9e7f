"""Execute a notebook as a reader would, measure it, and find the errors that hide in it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from notebook_page import own_sockets

WIDGETS = "application/vnd.jupyter.widget-state+json"
# The class that the kit's widgets give to the box in which they show an error.
ERROR_MARK = re.compile(r"""class=\\?["'][^"'>]*\bkit-error\b""")


@dataclass
class Execution:
    """An executed notebook (parsed JSON), what it cost, and the error that stopped it, if any."""

    notebook: dict
    seconds: float
    peak_mib: float
    stopped_by: str | None


def errors_in(notebook: dict) -> list[str]:
    """Every error in an executed notebook, papermill's blind spots included.

    A callback that raises leaves the notebook "successful": the error is an output of an Output
    widget in the saved widget state, or the text of an HTML widget. Each is told in one line.
    """
    found = []
    for number, cell in enumerate(notebook["cells"]):
        found += [f"cell {number}: {problem}" for problem in _in_outputs(cell.get("outputs", []))]
    state = notebook["metadata"].get("widgets", {}).get(WIDGETS, {}).get("state", {})
    for model in state.values():
        inside, name = model.get("state", {}), model.get("model_name", "widget")
        found += [f"{name}: {problem}" for problem in _in_outputs(inside.get("outputs") or [])]
        if ERROR_MARK.search(str(inside.get("value", ""))):
            found.append(f"{name}: shows an error: {inside['value']}")
    return found


def _in_outputs(outputs: list[dict]) -> Iterator[str]:
    for output in outputs:
        if output.get("output_type") == "error":
            yield f"{output.get('ename')}: {output.get('evalue')}"
        text = output.get("text", "")
        if "Traceback (most recent call last)" in "".join(text):
            yield "a traceback among the printed lines"
        if ERROR_MARK.search("".join(output.get("data", {}).get("text/html", ""))):
            yield "shows an error box"


class KernelMemory(threading.Thread):
    """Watches the kernels that this process starts; `.peak_mib` is the largest one's peak.

    Linux keeps a process's high-water mark, so nothing falls between two looks there.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mib = 0.0
        self._over = threading.Event()

    def run(self) -> None:
        import psutil

        kernels, looks = [], 0
        while not self._over.wait(0.1):
            if not kernels or looks % 10 == 0:  # looking for them takes longer than looking at them
                kernels = list(_kernels())
            looks += 1
            for kernel in kernels:
                with contextlib.suppress(psutil.Error, OSError):  # it has just ended
                    self.peak_mib = max(self.peak_mib, _peak_mib(kernel))

    def __enter__(self) -> KernelMemory:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()


def _kernels() -> Iterator:
    """The kernels among the processes that this one started."""
    import psutil

    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            if any("ipykernel" in part for part in (child.name(), *child.cmdline())):
                yield child


def _peak_mib(process) -> float:
    status = Path(f"/proc/{process.pid}/status")
    if status.exists() and (mark := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        return int(mark[1]) / 1024
    return process.memory_info().rss / 2**20


@contextlib.contextmanager
def read_only_kernel(folder: Path, protected: Path, environment: dict[str, str]) -> Iterator[str | None]:
    """Make a kernel in `folder` (to be put on JUPYTER_PATH) for which `protected` and HOME are read-only; its name.

    A file system of its own, not permissions, so that it holds for root too. None where the machine allows none. All
    kernels of this name are forks of one process (warm_kernel.py), which starts with `environment`.
    """
    mounts = f"mount --bind {protected} {protected} && mount -o remount,ro,bind {protected} {protected}"
    home = folder / "home"
    home.mkdir(parents=True)
    mounts += f""" && mount -t tmpfs -o ro tmpfs {home} && cd "$PWD" """  # anew: `.` is what was there before
    enter = ["unshare", "-rm", "bash", "-c", f'{mounts} && exec "$@"', "kernel"]
    probe = [*enter, "bash", "-c", "! touch .probe"]
    if not shutil.which("unshare") or subprocess.run(probe, cwd=protected, capture_output=True).returncode:
        yield None
        return
    places = {"HOME": str(home), "NUMBA_CACHE_DIR": str(folder / "numba"), "IPYTHONDIR": str(folder / "ipython")}
    with warm_kernels(folder, "read_only", environment, places, enter, protected) as server:
        wait_until_warm(server)
        yield "read_only"


@contextlib.contextmanager
def warm_kernels(
    folder: Path,
    name: str,
    environment: dict[str, str],
    own: Mapping[str, str] | None = None,
    enter: Sequence[str] = (),
    place: Path | None = None,
) -> Iterator[subprocess.Popen]:
    """Make the kernel `name` in `folder` (to be put on JUPYTER_PATH), each a fork of one process, which is given.

    own: what its environment and that of each kernel have beside what starts them. enter: what the process runs in.
    """
    spec, door = folder / "kernels" / name, str(folder / "door")
    spec.mkdir(parents=True)
    warm = [sys.executable, str(Path(__file__).with_name("warm_kernel.py"))]
    kernel = {"argv": [*warm, "run", door, "{connection_file}"], "display_name": name, "language": "python"}
    (spec / "kernel.json").write_text(json.dumps({**kernel, "env": dict(own or {})}), "utf-8")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": place}
    with subprocess.Popen([*enter, *warm, "serve", door], env={**environment, **(own or {})}, **pipes) as server:
        yield server
        server.stdin.close()


def wait_until_warm(server: subprocess.Popen) -> None:
    assert server.stdout.readline() == b"ready\n", "warm_kernel.py does not start"


def execute(path: Path, folder: Path, kernel: str = "python3", **parameters: object) -> Execution:
    """Run the notebook at `path` from its own folder; leave the executed copy in `folder`."""
    import papermill
    from papermill.exceptions import PapermillExecutionError

    folder.mkdir(parents=True, exist_ok=True)
    copy, stopped_by, start = folder / path.name, None, time.monotonic()
    with KernelMemory() as memory, tempfile.TemporaryDirectory() as sockets:
        try:
            papermill.execute_notebook(
                str(path),
                str(copy),
                parameters=parameters,
                kernel_name=kernel,
                cwd=str(path.parent),
                progress_bar=False,
                start_timeout=1200,
                request_save_on_cell_execute=False,  # at the end is enough: pictures make it large
                config=own_sockets(sockets),
            )
        except PapermillExecutionError as problem:
            stopped_by = str(problem)
    notebook = json.loads(copy.read_text("utf-8"))
    return Execution(notebook, time.monotonic() - start, memory.peak_mib, stopped_by)


def save_costs(folder: Path) -> None:
    """Gather the `*.cost.json` of single notebooks into one `costs.json`."""
    costs = {
        path.name.removesuffix(".cost.json"): json.loads(path.read_text("utf-8"))
        for path in sorted(folder.glob("*.cost.json"))
    }
    if costs:
        text = json.dumps({"cores": os.cpu_count(), "notebooks": costs}, indent=1)
        (folder / "costs.json").write_text(text + "\n", "utf-8")
