"""The small programs around the kit: set-up, summary of the tests, notebooks' form, JupyterLab."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import lab
import notebook_head
import pytest
import run_tests
import setup_env
import strip_notebooks

import kit.paths

ROOT = Path(__file__).resolve().parents[2]


def cell(kind: str = "code", source: str = "1", **more: object) -> dict:
    outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **outputs, **more}


# --- set-up -----------------------------------------------------------------------------------


def test_setup_says_what_an_old_python_lacks() -> None:
    code = (
        f"import sys; sys.version_info = (3, 9, 1); sys.argv = ['setup_env.py']\n"
        f"exec(open({str(ROOT / 'scripts' / 'setup_env.py')!r}, encoding='utf-8').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer, but this is Python 3.9" in done.stderr


def test_setup_reads_pips_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "some/wheels more/wheels")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    code = "import setup_env, sys; print(setup_env.uv_options(setup_env.pip_settings(sys.executable)))"
    assert setup_env.uv_options({"find-links": "a b", "index-url": "c"}) == [
        "--find-links=a",
        "--find-links=b",
        "--default-index=c",
    ]
    has_pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0
    if has_pip:
        done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, cwd=ROOT / "scripts")
        assert done.stdout.strip() == "['--find-links=some/wheels', '--find-links=more/wheels']"


def test_setup_chooses_the_build_of_torch() -> None:
    assert setup_env.torch_options({}) == ["--torch-backend=auto"]
    assert setup_env.torch_options({"find-links": "wheels"}) == []


def test_setup_stamp_follows_what_would_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text("numpy==2.0.2\n")
    first = setup_env.fingerprint(pins)
    assert setup_env.fingerprint(pins) == first
    pins.write_text("numpy==2.1.0\n")
    second = setup_env.fingerprint(pins)
    monkeypatch.setattr(sys, "version", "3.99.0")
    assert len({first, second, setup_env.fingerprint(pins)}) == 3


def test_setup_without_a_whole_environment_starts_again(tmp_path: Path) -> None:
    assert setup_env.read_stamp(tmp_path) == {}
    (tmp_path / setup_env.STAMP).write_text('{"key": "x", "extras": []}')
    assert setup_env.read_stamp(tmp_path) == {}, "a stamp without an interpreter proves nothing"
    python = setup_env.python_in(tmp_path)
    python.parent.mkdir()
    python.touch()
    assert setup_env.read_stamp(tmp_path) == {"key": "x", "extras": []}
    (tmp_path / setup_env.STAMP).write_text('{"key": "x"')
    assert setup_env.read_stamp(tmp_path) == {}


def test_setup_touches_no_folder_that_is_no_environment(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(setup_env.SetupFailed, match="is no virtual environment"):
        setup_env.make_venv(tmp_path, setup_env.Steps(1, tmp_path / "log"))
    assert (tmp_path / "thesis.txt").exists()


def test_setup_steps_try_the_next_way_and_tell_the_end_of_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "setup.log"
    steps = setup_env.Steps(2, log)
    bad = ([sys.executable, "-c", "import sys; sys.exit('no such wheel')"], {})
    good = ([sys.executable, "-c", "import os; print(os.environ['WHICH'])"], {"WHICH": "second"})
    steps.run("torch", bad, good)
    assert "second" in log.read_text()
    with pytest.raises(setup_env.SetupFailed, match=r"Step 2 \(the rest\) failed.*run the same command again"):
        steps.run("the rest", bad)
    shown = capsys.readouterr().out
    assert "[1/2] torch: done" in shown and "no such wheel" in shown


# --- the summary of the tests -------------------------------------------------------------------


def test_summary_counts_and_names_what_failed(tmp_path: Path) -> None:
    report = tmp_path / "unit.xml"
    report.write_text('<testsuites><testsuite tests="9" failures="1" errors="1" skipped="2"/></testsuites>')
    assert run_tests.counts_from(report) == {"passed": 5, "failed": 2, "skipped": 2}
    assert run_tests.counts_from(tmp_path / "none.xml") == {}
    good = run_tests.Outcome("lint", True, 1.0, {"passed": 1, "failed": 0, "skipped": 0})
    bad = run_tests.Outcome("unit", False, 61.0, run_tests.counts_from(report))
    text = run_tests.summary([good, bad])
    assert "FAILED: unit after 1.0 minutes." in text and "2 skipped" in text
    assert "All passed" in run_tests.summary([good])


def test_a_stage_that_fails_does_not_stop_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_tests, "REPORTS", tmp_path)
    monkeypatch.setattr(
        run_tests,
        "STAGES",
        {
            "first": lambda: run_tests.run("first", [sys.executable, "-c", "raise SystemExit(1)"]),
            "second": lambda: run_tests.run("second", [sys.executable, "-c", ""]),
        },
    )
    monkeypatch.setattr(sys, "argv", ["run_tests.py"])
    with pytest.raises(SystemExit) as end:
        run_tests.main()
    assert end.value.code == 1
    assert "FAILED: first" in (shown := capsys.readouterr().out) and "second " in shown


def test_a_missing_browser_is_said_out_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_CHROMIUM", raising=False)
    monkeypatch.setattr(run_tests.shutil, "which", lambda name: None)
    outcome = run_tests.browser()
    assert outcome.ok and outcome.counts["skipped"] == 1
    assert "NOT RUN: no Chromium" in run_tests.summary([outcome])


# --- notebooks ----------------------------------------------------------------------------------


def test_strip_takes_everything_that_running_adds() -> None:
    ran = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"kernelspec": {"name": "my-env"}, "widgets": {"state": "large"}, "papermill": {}},
        "cells": [
            cell("markdown", "# Title\n", id="title"),
            cell(
                source=["a = 1\n", "b = 2\n\n"],
                id="title",
                outputs=[{"output_type": "stream"}],
                execution_count=3,
                metadata={"tags": ["parameters"], "papermill": {}, "jupyter": {"source_hidden": True}},
            ),
            cell(metadata={"tags": ["injected-parameters"]}),
            cell(source="1"),
            cell(source="1"),
        ],
    }
    clean = strip_notebooks.stripped(ran)
    assert clean["metadata"] == strip_notebooks.NOTEBOOK_METADATA and clean["nbformat_minor"] == 5
    title, code, *rest = clean["cells"]
    assert (title["id"], title["source"]) == ("title", ["# Title"])
    assert code["outputs"] == [] and code["execution_count"] is None
    assert code["metadata"] == {"tags": ["parameters"], "jupyter": {"source_hidden": True}}
    assert code["source"] == ["a = 1\n", "b = 2"]
    assert len(rest) == 2 and len({one["id"] for one in clean["cells"]}) == 4
    assert strip_notebooks.stripped(clean) == clean, "a second time changes nothing"
    assert strip_notebooks.stripped(ran) == clean, "ids do not depend on the moment"


def test_strip_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell()], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    before = path.read_text()
    program = [sys.executable, str(ROOT / "scripts" / "strip_notebooks.py")]
    assert subprocess.run([*program, "--check", str(path)], capture_output=True).returncode == 1
    assert path.read_text() == before
    assert subprocess.run([*program, str(path)], capture_output=True).returncode == 0
    assert subprocess.run([*program, "--check", str(path)], capture_output=True).returncode == 0


def test_head_is_put_after_the_title_and_replaced_by_id() -> None:
    bare = {"cells": [cell("markdown", "# Title", id="t"), cell(source="x = 1", id="x")]}
    path = "notebooks/00_tour.ipynb"
    headed = notebook_head.with_head(bare, path)
    assert [one["id"] for one in headed["cells"]] == ["t", "badges", "install", "x"]
    headed["cells"][1]["source"] = ["stale"]
    assert notebook_head.with_head(headed, path) == notebook_head.with_head(bare, path)


def test_badges_follow_pyproject() -> None:
    there = notebook_head.Address("https://github.com/somebody/something", "v1")
    assert there.colab("notebooks/a.ipynb").endswith("/github/somebody/something/blob/v1/notebooks/a.ipynb")
    assert there.binder("notebooks/a.ipynb").endswith("/gh/somebody/something/v1?urlpath=lab/tree/notebooks/a.ipynb")


@pytest.mark.parametrize(
    ("on_colab", "installed", "calls"), [(True, False, 1), (True, True, 0), (False, False, 0), (False, True, 0)]
)
def test_install_cell_acts_once_and_only_on_colab(
    on_colab: bool, installed: bool, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    from IPython.core.inputtransformer2 import TransformerManager

    done = []
    shell = types.SimpleNamespace(run_line_magic=lambda name, line: done.append((name, line)))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if installed else None)
    if on_colab:
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    code = TransformerManager().transform_cell(notebook_head.install_cell())
    exec(compile(code, "install", "exec"), {"get_ipython": lambda: shell})
    assert len(done) == calls
    if done:
        there = notebook_head.address()
        assert done == [("pip", f'install -q "git+{there.url}@{there.ref}"')]


# --- JupyterLab and the wheel -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "arguments"),
    [
        ({"JUPYTER_TOKEN": " "}, []),
        ({"JUPYTER_TOKEN": ""}, []),
        ({}, ["--IdentityProvider.token="]),
        ({}, ["--ServerApp.token", ""]),
        ({}, ["--ServerApp.password=x"]),
        ({}, ["--ip=0.0.0.0"]),
    ],
)
def test_lab_refuses_to_serve_everybody(environment: dict[str, str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="JUPYTER_TOKEN"):
        lab.check(environment, arguments)


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
        until = time.monotonic() + 90
        while not address and time.monotonic() < until and server.poll() is None:
            time.sleep(0.2)
            address = re.search(rf"http://127\.0\.0\.1:{port}/lab/tree/\S+\?token=([0-9a-f]{{32,}})", log.read_text())
        assert address, log.read_text()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/contents", timeout=10)
        news = f"/lab/api/settings/@jupyterlab/apputils-extension:notification?token={address[1]}"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{news}", timeout=10) as answer:
            assert json.load(answer)["schema"]["properties"]["fetchNews"]["default"] == "false"
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_bundle_is_the_data_folder_of_a_checkout() -> None:
    assert kit.paths.bundle() == ROOT / "data"
    assert kit.paths.bundle("models", "x") == ROOT / "data" / "models" / "x"


def test_wheel_carries_the_bundle_and_finds_it(tmp_path: Path) -> None:
    code = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        wheel.extractall(unpacked)
    bundled = {path.relative_to(ROOT / "data") for path in (ROOT / "data").rglob("*") if path.is_file()}
    carried = {
        path.relative_to(unpacked / "kit/_bundle") for path in (unpacked / "kit/_bundle").rglob("*") if path.is_file()
    }
    assert carried == bundled and any(path.parts[0] == "models" for path in carried)
    sources = {path.relative_to(ROOT) for path in (ROOT / "kit").rglob("*.py")}
    assert sources <= {path.relative_to(unpacked) for path in unpacked.rglob("*.py")}
    found = subprocess.run(
        [sys.executable, "-c", "import kit.paths; print(kit.paths.bundle('models'))"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        text=True,
        capture_output=True,
        check=True,
    )
    assert Path(found.stdout.strip()) == unpacked / "kit" / "_bundle" / "models"
