"""`kit` alone: its commands, near matches, and nothing heavy imported for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]


def test_kit_alone_lists_its_commands(capsys: pytest.CaptureFixture) -> None:
    pages = []
    for arguments in ([], ["--help"], ["-h"]):
        assert main(arguments) == 0
        pages.append(capsys.readouterr().out)
    assert pages[0] == pages[1] == pages[2]
    lines = pages[0].splitlines()
    for name, command in COMMANDS.items():
        assert [line.split(maxsplit=1) for line in lines if line.startswith(f"  {name} ")] == [[name, command.summary]]


def test_an_unknown_command_is_one_sentence_with_near_matches(capsys: pytest.CaptureFixture) -> None:
    assert main(["trian", "--recipe", "scl"]) == BAD_INPUT
    error = capsys.readouterr().err
    assert error == f"kit: unknown command 'trian': did you mean 'train'? Known: {', '.join(COMMANDS)}.\n"


def test_each_command_explains_its_options(capsys: pytest.CaptureFixture) -> None:
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stop:
            main([name, "--help"])
        page = " ".join(capsys.readouterr().out.split())
        assert stop.value.code == 0 and f"usage: kit {name}" in page
        assert f"Example: kit {name}" in page, name


def test_bad_options_are_refused(capsys: pytest.CaptureFixture) -> None:
    evaluate, train = ["evaluate", "kit-bert-tiny"], ["train", "--recipe", "scl"]
    for arguments in (
        [*evaluate, "--rows", "0"],
        [*evaluate, "--rows", "many"],
        [*evaluate, "--resamples", "-1"],
        [*evaluate, "--sed", "1"],
        [*train, "--rows", "0"],
        [*train, "--steps", "x"],
    ):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2 and "usage" in capsys.readouterr().err, arguments


@pytest.mark.slow
def test_the_list_of_commands_imports_no_torch() -> None:
    code = "import sys, kit.commands as c; c.main([]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=True)
    assert "evaluate" in done.stdout and done.stdout.endswith("False\n")


@pytest.mark.slow
def test_the_module_runs_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "kit"], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0 and "usage: kit COMMAND" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without a device that is always full")
@pytest.mark.parametrize("unbuffered", ["1", ""])
@pytest.mark.parametrize("arguments", [["--help"], ["look", "pairs.csv"]], ids=["overview", "a command"])
def test_output_that_nobody_reads_or_that_has_no_room(tmp_path: Path, arguments: list[str], unbuffered: str) -> None:
    (tmp_path / "pairs.csv").write_text("anchor,positive\nA dog runs.,A dog moves.\nA cat sleeps.,A cat rests.\n")
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(ROOT)}
    read, closed = os.pipe()
    os.close(read)
    with open("/dev/full", "wb") as full, open(closed, "wb") as pipe:
        for out, code, words in ((full, BAD_INPUT, "No space left on device': make some"), (pipe, 0, "")):
            command = [sys.executable, "-m", "kit", *arguments]
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, stdout=out, stderr=subprocess.PIPE, text=True, check=False
            )
            assert done.returncode == code and words in done.stderr, done.stderr
            assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
