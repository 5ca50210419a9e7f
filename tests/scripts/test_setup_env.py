"""Setting up: what an old Python is told, what is installed from where, and what an interrupted run leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import setup_env

ROOT = Path(__file__).resolve().parents[2]


def test_setup_says_what_an_old_python_lacks() -> None:
    code = (
        f"import sys; sys.version_info = (3, 9, 1); sys.argv = ['setup_env.py']\n"
        f"exec(open({str(ROOT / 'scripts' / 'setup_env.py')!r}, encoding='utf-8').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer, but this is Python 3.9" in done.stderr


@pytest.mark.slow
def test_setup_reads_pips_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "some/wheels more/wheels")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    code = "import setup_env, sys; print(setup_env.uv_options(setup_env.pip_settings(sys.executable)))"
    assert setup_env.uv_options({"find-links": "a b", "index-url": "c"}) == [
        "--find-links=a",
        "--find-links=b",
        "--default-index=c",
    ]
    for word, options in (("1", ["--no-index"]), ("yes", ["--no-index"]), ("0", ["--default-index=c"])):
        assert setup_env.uv_options({"no-index": word, "index-url": "c"}) == options
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


def test_setup_keeps_an_environment_of_this_very_python_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {
        "version = 3.11.1": True,
        "version_info = 3.11.1.final.0": True,
        "version = 3.11.14": False,
        "version = 3.12.3\nhome = /opt/python3.11.1/bin": False,
    }
    monkeypatch.setattr(sys, "version_info", (3, 11, 1, "final", 0))
    for text, same in cases.items():
        (tmp_path / "pyvenv.cfg").write_text(text + "\n")
        assert setup_env.is_of_this_python(tmp_path / "pyvenv.cfg") is same, text


def test_setup_touches_no_folder_that_is_no_environment(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(setup_env.SetupFailed, match="is no virtual environment"):
        setup_env.make_venv(tmp_path, setup_env.Steps(1, tmp_path / "log"))
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.slow
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
