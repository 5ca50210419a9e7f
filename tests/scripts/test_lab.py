"""JupyterLab serves this machine only, behind a token."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import lab
import pytest
from lab_server import WithoutForeignWidgets
from nbformat.sign import NotebookNotary
from traitlets.utils.importstring import import_item

ROOT = Path(__file__).resolve().parents[2]


def test_lab_refuses_to_serve_everybody(tmp_path: Path) -> None:
    (tmp_path / "blank").write_text("\n")
    options = (
        "--IdentityProvider.token=", "--ServerApp.token", "--ServerApp.password=x", "--ip=0.0.0.0", "--ServerApp.ip=",
        "--ServerApp.disable_check_xsrf=True", "--ServerApp.allow_remote_access=True", "--ServerApp.allow_origin=*",
        "--ServerApp.allow_origin_pat=.*", "--config=mine.py", "--conf=mine.py", "--ServerApp.config_file=mine.py",
        "--ServerApp.allow_unauthenticated_access=True", "mine.ipynb", "--ServerApp.disable_check_xsrf",
    )  # fmt: skip
    for environment, arguments in [
        ({"JUPYTER_TOKEN": " "}, []),
        ({"JUPYTER_TOKEN": ""}, []),
        ({"JUPYTER_TOKEN_FILE": str(tmp_path / "blank")}, []),
        ({"JUPYTER_TOKEN_FILE": str(tmp_path / "nope")}, []),
        *(({}, [option]) for option in options),
    ]:
        with pytest.raises(SystemExit, match="JUPYTER_TOKEN"):
            lab.check(environment, arguments)


def test_lab_takes_a_token_from_either_place(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("mine")
    lab.check({"JUPYTER_TOKEN": "mine", "JUPYTER_TOKEN_FILE": str(tmp_path / "nope")}, [])  # which is not read then
    lab.check({"JUPYTER_TOKEN_FILE": str(tmp_path / "token")}, [])
    lab.check({"JUPYTER_TOKEN_FILE": ""}, [])


def test_lab_takes_the_options_that_change_no_guard() -> None:
    lab.check({}, ["--no-browser", "--debug", "--port=8889", "--port", "8889", "--ServerApp.port=1"])


def test_without_make_a_lesson_is_saved_with_its_boards_too() -> None:
    """JupyterLab's own default leaves their state out: such a file opens with an error in place of each."""
    readme = (ROOT / "README.md").read_text("utf-8")
    [folder] = re.findall(r"^jupyter lab --LabApp\.app_settings_dir=(\S+) ", readme, re.MULTILINE)
    settings = json.loads((ROOT / folder / "overrides.json").read_text("utf-8"))
    assert settings["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"] is True


STATE = {"application/vnd.jupyter.widget-state+json": {"state": {"a": {"state": {"_esm": "alert(1)"}}}}}


@pytest.fixture
def files(tmp_path: Path) -> Iterator[WithoutForeignWidgets]:
    """Jupyter's way to the files of a folder, with signatures of its own."""
    manager = WithoutForeignWidgets(root_dir=str(tmp_path))
    manager.notary = NotebookNotary(data_dir=str(tmp_path), secret_file=str(tmp_path / "secret"), db_file=":memory:")
    yield manager
    manager.notary.close()


def a_notebook(*cells: dict) -> dict:
    return {"cells": list(cells), "metadata": {"widgets": STATE}, "nbformat": 4, "nbformat_minor": 5}


TITLE = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Ada"}
SHOWN = {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}, "metadata": {}}
DRAWN = {"cell_type": "code", "id": "b", "metadata": {}, "source": "1", "execution_count": 1, "outputs": [SHOWN]}


@pytest.mark.parametrize("cells", [[TITLE], [DRAWN | {"metadata": {"trusted": True}}]])
def test_a_notebook_from_elsewhere_is_read_without_its_boards(files, tmp_path: Path, cells: list[dict]) -> None:
    """One that says of itself that it is trusted, too; a copy is made of what was read."""
    (tmp_path / "hers.ipynb").write_text(json.dumps(a_notebook(*cells)))
    read = asyncio.run(files.get("hers.ipynb"))
    assert read["content"]["metadata"] == {} and read["content"]["cells"][0]["source"] == cells[0]["source"]
    assert json.loads((tmp_path / "hers.ipynb").read_text())["metadata"] == {"widgets": STATE}, "the file is as it was"
    copy = asyncio.run(files.copy("hers.ipynb"))["path"]
    assert asyncio.run(files.get(copy))["content"]["metadata"] == {}


def test_a_notebook_that_was_run_and_saved_here_keeps_its_boards(files, tmp_path: Path) -> None:
    own = a_notebook(TITLE, DRAWN | {"metadata": {"trusted": True}})
    asyncio.run(files.save({"type": "notebook", "content": own}, "own.ipynb"))
    assert asyncio.run(files.get("own.ipynb"))["content"]["metadata"] == {"widgets": STATE}
    changed = json.loads((tmp_path / "own.ipynb").read_text())
    changed["metadata"]["widgets"]["more"] = {}
    (tmp_path / "own.ipynb").write_text(json.dumps(changed))
    assert asyncio.run(files.get("own.ipynb"))["content"]["metadata"] == {}, "somebody has changed it since"
    not_run = a_notebook(DRAWN | {"metadata": {"trusted": False}})
    asyncio.run(files.save({"type": "notebook", "content": not_run}, "hers.ipynb"))
    assert asyncio.run(files.get("hers.ipynb"))["content"]["metadata"] == {}


def test_lab_reads_notebooks_by_that_way() -> None:
    [named] = [option.partition("=")[2] for option in lab.SAFE if "contents_manager_class" in option]
    assert import_item(named) is WithoutForeignWidgets


def accepts(port: int) -> bool:
    """Whether somebody listens on this port of this machine."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_lab_serves_this_machine_behind_a_token(tmp_path: Path) -> None:
    """The real server; configurations on the paths of Jupyter would switch the token and XSRF off.

    Those of the machine and of the environment (/etc/jupyter, etc/jupyter) are left out by the same switch; what
    stood there would reach every other server here.
    """
    home, ran = tmp_path / "home", tmp_path / "ran"
    off = "c.IdentityProvider.token = ''\nc.ServerApp.disable_check_xsrf = True\nc.ServerApp.allow_origin = '*'\n"
    off += f"open({str(ran)!r}, 'a').write(__file__)\n"
    as_json = {"IdentityProvider": {"token": ""}, "ServerApp": {"disable_check_xsrf": True, "allow_origin": "*"}}
    places = [home / ".jupyter", home / ".local/etc/jupyter", tmp_path / "path", tmp_path / "dir", tmp_path / "here"]
    for folder, kind in product(places, ("server", "lab")):
        (folder / f"jupyter_{kind}_config.d").mkdir(parents=True)
        (folder / f"jupyter_{kind}_config.py").write_text(off)
        for name in (f"jupyter_{kind}_config.json", f"jupyter_{kind}_config.d/off.json", "jupyter_config.json"):
            (folder / name).write_text(json.dumps(as_json))
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
                "JUPYTER_PREFER_ENV_PATH": "1",
                **dict.fromkeys(("JUPYTER_LAB__IdentityProvider__token", "SERVERAPP__IdentityProvider__token"), ""),
            },
            cwd=tmp_path / "here",
        )
    try:
        address = None
        while not address and server.poll() is None:
            time.sleep(0.2)
            address = re.search(rf"http://127\.0\.0\.1:{port}/lab\S*(?=\s)", log.read_text())
        assert address, log.read_text()
        token = re.search(r"\?token=([0-9a-f]{32,})$", address[0])
        assert token, f"{address[0]} has no token"
        while not accepts(port) and server.poll() is None:  # it says its address before it listens
            time.sleep(0.2)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/contents")
        known = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        known.open(f"http://127.0.0.1:{port}/api/contents?token={token[1]}")  # from here on a cookie says who it is
        known.open(f"http://127.0.0.1:{port}/api/contents")
        with pytest.raises(urllib.error.HTTPError, match="403"):  # but a page elsewhere lacks the token of XSRF
            known.open(f"http://127.0.0.1:{port}/api/contents", data=b"{}")
        news = f"/lab/api/settings/@jupyterlab/apputils-extension:notification?token={token[1]}"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{news}") as answer:
            assert json.load(answer)["schema"]["properties"]["fetchNews"]["default"] == "false"
        assert not ran.exists(), ran.read_text()
    finally:
        server.terminate()
        server.wait()
