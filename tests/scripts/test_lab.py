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
    options = (
        "--IdentityProvider.token=", "--ServerApp.token", "--ServerApp.password=x", "--ip=0.0.0.0", "--ServerApp.ip=",
        "--ServerApp.disable_check_xsrf=True", "--ServerApp.allow_remote_access=True", "--ServerApp.allow_origin=*",
        "--ServerApp.allow_origin_pat=.*", "--config=mine.py", "--conf=mine.py", "--ServerApp.config_file=mine.py",
        "--ServerApp.allow_unauthenticated_access=True", "mine.ipynb", "--ServerApp.disable_check_xsrf",
    )  # fmt: skip
    for environment, arguments in [
        ({"JUPYTER_TOKEN": " "}, []),
        ({"JUPYTER_TOKEN": ""}, []),
        *(({}, [option]) for option in options),
    ]:
        with pytest.raises(SystemExit, match="JUPYTER_TOKEN"):
            lab.check(environment, arguments)


def test_lab_takes_the_options_that_change_no_guard() -> None:
    lab.check({}, ["--no-browser", "--debug", "--port=8889", "--port", "8889", "--ServerApp.port=1"])


def accepts(port: int) -> bool:
    """Whether somebody listens on this port of this machine."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_lab_serves_this_machine_behind_a_token(tmp_path: Path) -> None:
    """The real server; configurations on every path of Jupyter would switch the token and XSRF off."""
    home = tmp_path / "home"
    off = "c.IdentityProvider.token = ''\nc.ServerApp.disable_check_xsrf = True\nc.ServerApp.allow_origin = '*'\n"
    for folder in (home / ".jupyter", tmp_path / "path", tmp_path / "dir", ROOT / ".kit" / "lab"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "jupyter_server_config.py").write_text(off)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "lab.py"), "--no-browser", f"--ServerApp.port={port}"],
            stdout=out,
            stderr=out,
            env={
                **environment,
                "HOME": str(home),
                "JUPYTER_CONFIG_PATH": str(tmp_path / "path"),
                "JUPYTER_CONFIG_DIR": str(tmp_path / "dir"),
            },
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
        known = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        known.open(f"http://127.0.0.1:{port}/api/contents?token={address[1]}")  # from here on a cookie says who it is
        known.open(f"http://127.0.0.1:{port}/api/contents")
        with pytest.raises(urllib.error.HTTPError, match="403"):  # but a page elsewhere lacks the token of XSRF
            known.open(f"http://127.0.0.1:{port}/api/contents", data=b"{}")
        news = f"/lab/api/settings/@jupyterlab/apputils-extension:notification?token={address[1]}"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{news}") as answer:
            assert json.load(answer)["schema"]["properties"]["fetchNews"]["default"] == "false"
    finally:
        server.terminate()
        server.wait()
        (ROOT / ".kit" / "lab" / "jupyter_server_config.py").unlink()
