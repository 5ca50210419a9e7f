"""A JupyterLab of our own on loopback, for the tests: a random token, a working copy, no network."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from tests.notebooks.execute import wait_until_warm, warm_kernels
from tests.notebooks.needed_cells import needed_for

ROOT = Path(__file__).resolve().parents[2]
NO_NETWORK = ROOT / "tests" / "no_network"


def cells_for(cells: list, only: str) -> list:
    """The code that cells matching `only` need, without the prose, which takes a browser longest to set."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    needed = needed_for([cell.source for cell in code], only)
    return [cell for cell, wanted in zip(code, needed) if wanted]


class Lab:
    """JupyterLab on loopback with a random token, on a working copy, with no other settings.

    Its kernels are forks of one process that has imported what they all import first.
    """

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        self.log = folder / "jupyter.log"
        self.token = secrets.token_urlsafe(24)
        self._settings = folder / "settings"
        for place in (self.work, self._settings):
            place.mkdir(parents=True)
        self._write_overrides()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._ends = ExitStack()
        self._process = self._start(folder)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _write_overrides(self) -> None:
        overrides = json.loads((ROOT / "jupyter" / "overrides.json").read_text("utf-8"))
        # Cells out of sight exist in the page too, so that a test can find what is in them.
        overrides["@jupyterlab/notebook-extension:tracker"]["windowingMode"] = "none"
        (self._settings / "overrides.json").write_text(json.dumps(overrides), "utf-8")

    def _start(self, folder: Path) -> subprocess.Popen:
        environment = {
            **os.environ,
            "JUPYTER_TOKEN": self.token,
            "JUPYTER_PATH": str(folder / "data"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "user-settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            # The kernels inherit it.
            "PYTHONPATH": os.pathsep.join(filter(None, [str(NO_NETWORK), os.environ.get("PYTHONPATH")])),
            "KIT_DENY_NETWORK": "1",
        }
        environment.pop("KIT_DATA", None)
        self._warm = self._ends.enter_context(warm_kernels(folder / "data", "python3", environment))
        command = [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--expose-app-in-browser",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={self.port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.work}",
            f"--LabApp.app_settings_dir={self._settings}",
        ]
        with self.log.open("w") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def ask(self, path: str, method: str = "GET", token: str | None = None) -> bytes:
        """The server's answer to a request of its interface; OSError when it refuses."""
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {self.token if token is None else token}"}
        )
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def wait_until_up(self) -> None:
        while True:
            try:
                self.ask("/api/status")
                return wait_until_warm(self._warm)
            except OSError:
                if self._process.poll() is not None:
                    raise RuntimeError("JupyterLab did not start:\n" + self.log.read_text()) from None
                time.sleep(0.2)

    def copy(self, notebook: Path, only: str | None = None, **parameters: object) -> str:
        """Put a copy of `notebook`, with other parameters, into the work folder: its path there.

        `only` is a pattern: the cells that match it stay, and those that they need (papermill runs all of them
        elsewhere).
        """
        from papermill.iorw import load_notebook_node
        from papermill.parameterize import parameterize_notebook

        (self.work / "notebooks").mkdir(exist_ok=True)
        target = self.work / "notebooks" / notebook.name
        if parameters:
            import nbformat

            changed = parameterize_notebook(load_notebook_node(str(notebook)), parameters)
            if only:
                changed.cells = cells_for(changed.cells, only)
            nbformat.write(changed, target)
        else:
            shutil.copy(notebook, target)
        return target.relative_to(self.work).as_posix()

    def stop_kernels(self) -> None:
        for session in json.loads(self.ask("/api/sessions")):
            self.ask(f"/api/sessions/{session['id']}", method="DELETE")

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ends.close()
