"""JupyterLab serves this machine only, behind a token."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import lab
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_lab_refuses_to_serve_everybody() -> None:
    options = ("--IdentityProvider.token=", "--ServerApp.token", "--ServerApp.password=x", "--ip=0.0.0.0")
    for environment, arguments in [
        ({"JUPYTER_TOKEN": " "}, []),
        ({"JUPYTER_TOKEN": ""}, []),
        *(({}, [option]) for option in options),
    ]:
        with pytest.raises(SystemExit, match="JUPYTER_TOKEN"):
            lab.check(environment, arguments)


def accepts(port: int) -> bool:
    """Whether somebody listens on this port of this machine."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_lab_serves_this_machine_behind_a_token(tmp_path: Path) -> None:
    """The real server, with a user configuration that switches the token off."""
    home = tmp_path / "home"
    (home / ".jupyter").mkdir(parents=True)
    (home / ".jupyter" / "jupyter_server_config.py").write_text("c.IdentityProvider.token = ''\n")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "lab.py"), "--no-browser", f"--ServerApp.port={port}"],
            stdout=out,
            stderr=out,
            env={**environment, "HOME": str(home)},
        )
    try:
        address = None
        while not address and server.poll() is None:
            time.sleep(0.2)
            address = re.search(rf"http://127\.0\.0\.1:{port}/lab/tree/\S+\?token=([0-9a-f]{{32,}})", log.read_text())
        assert address, log.read_text()
        while not accepts(port) and server.poll() is None:  # it says its address before it listens
            time.sleep(0.2)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/contents")
        news = f"/lab/api/settings/@jupyterlab/apputils-extension:notification?token={address[1]}"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{news}") as answer:
            assert json.load(answer)["schema"]["properties"]["fetchNews"]["default"] == "false"
    finally:
        server.terminate()
        server.wait()
