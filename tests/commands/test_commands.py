"""`kit` alone: its commands, near matches, and nothing heavy imported for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

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


def with_output_to(out: BinaryIO, folder: Path, arguments: list[str], unbuffered: str) -> subprocess.CompletedProcess:
    (folder / "pairs.csv").write_text("anchor,positive\nA dog runs.,A dog moves.\nA cat sleeps.,A cat rests.\n")
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kit", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.PIPE, text=True)
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    return done


unbuffered_and_not = pytest.mark.parametrize("unbuffered", ["1", ""])
overview_and_command = pytest.mark.parametrize(
    "arguments", [["--help"], ["look", "pairs.csv"]], ids=["overview", "a command"]
)


@pytest.mark.slow
@unbuffered_and_not
@overview_and_command
def test_output_that_nobody_reads_ends_the_command(tmp_path: Path, arguments: list[str], unbuffered: str) -> None:
    read, closed = os.pipe()
    os.close(read)
    with open(closed, "wb") as pipe:
        assert with_output_to(pipe, tmp_path, arguments, unbuffered).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without a device that is always full")
@unbuffered_and_not
@overview_and_command
def test_output_without_room_is_told_in_a_sentence(tmp_path: Path, arguments: list[str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        done = with_output_to(full, tmp_path, arguments, unbuffered)
    assert done.returncode == BAD_INPUT and "No space left on device': make some" in done.stderr
