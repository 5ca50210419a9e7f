"""`kit` alone: its commands, near matches, and nothing heavy imported for it."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from kit import commands
from kit.commands import BAD_INPUT, COMMANDS, main
from kit.commands.command_form import path

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


def test_a_home_that_the_shell_left_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setenv("HOME", "/me")
    assert path("~/runs/mine") == Path("/me/runs/mine") and path("a/~b") == Path("a/~b")
    with pytest.raises(SystemExit):
        main(["look", "a.csv", "--out=~nobody-of-this-name/x.html"])
    assert "expected a path, got '~nobody-of-this-name/x.html' (Could not" in capsys.readouterr().err


@pytest.mark.slow
def test_the_list_of_commands_imports_no_torch() -> None:
    code = "import sys, kit.commands as c; c.main([]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, check=True)
    assert "evaluate" in done.stdout and done.stdout.endswith("False\n")


@pytest.mark.slow
def test_the_module_runs_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "kit"], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0 and "usage: kit COMMAND" in done.stdout


PAIRS = "anchor,positive\nA dog runs.,A dog moves.\nA cat sleeps.,A cat rests.\n"
FULL = "/dev/full"
# `kit look`, which takes seconds to import what it needs: one interpreter does it once, and each command is a child of
# it with an output as Python opens it at its start, which ends as any Python does.
LOOK = """
    import contextlib, gc, io, json, os, runpy, sys
    from kit.commands import main

    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert main(["look", "pairs.csv"]) == 0 and "Recipes that fit" in said.getvalue()
    gc.freeze()  # else each child looks through all of it at its end

    def closed():
        read, out = os.pipe()
        os.close(read)
        return out

    ended = {}
    for to in ("closed", *sys.argv[1:]):
        for unbuffered in ("1", ""):
            child = os.fork()
            if not child:
                os.dup2(closed() if to == "closed" else os.open(to, os.O_WRONLY), 1)
                os.dup2(os.open(f"said{len(ended)}", os.O_WRONLY | os.O_CREAT), 2)
                out = io.FileIO(1, "w", closefd=False)
                buffer = out if unbuffered else io.BufferedWriter(out)
                sys.stdout = sys.__stdout__ = io.TextIOWrapper(buffer, "utf-8", write_through=bool(unbuffered))
                sys.argv = ["kit", "look", "pairs.csv"]
                runpy.run_module("kit", run_name="__main__", alter_sys=True)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            ended[f"{to} {unbuffered}"] = code, open(f"said{len(ended)}", encoding="utf-8").read()
    print(json.dumps(ended))
"""
full_only = pytest.mark.skipif(not Path(FULL).exists(), reason="a system without a device that is always full")
unbuffered_and_not = pytest.mark.parametrize("unbuffered", ["1", ""])


def environment(unbuffered: str = "") -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(ROOT)}


def overview_with(out: BinaryIO, unbuffered: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "kit", "--help"]
    done = subprocess.run(command, env=environment(unbuffered), stdout=out, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """(exit code, stderr) of `kit look` by where its output goes, "closed" or FULL, and whether it is unbuffered."""
    folder = tmp_path_factory.mktemp("look")
    (folder / "pairs.csv").write_text(PAIRS)
    command = [sys.executable, "-c", textwrap.dedent(LOOK), *filter(os.path.exists, [FULL])]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {case: tuple(ended) for case, ended in json.loads(done.stdout).items()}


def ends_quietly(code: int, said: str) -> bool:
    return code == 0 and "Traceback" not in said and "Exception ignored" not in said


def tells_that_there_is_no_room(code: int, said: str) -> bool:
    told = "No space left on device': make some" in said
    return code == BAD_INPUT and told and "Traceback" not in said and "Exception ignored" not in said


@pytest.mark.slow
@unbuffered_and_not
def test_output_that_nobody_reads_ends_the_overview(unbuffered: str) -> None:
    read, closed = os.pipe()
    os.close(read)
    with open(closed, "wb") as pipe:
        ended = overview_with(pipe, unbuffered)
    assert ends_quietly(*ended), ended


@pytest.mark.slow
@full_only
@unbuffered_and_not
def test_of_an_overview_without_room_a_sentence_tells(unbuffered: str) -> None:
    with open(FULL, "wb") as full:
        ended = overview_with(full, unbuffered)
    assert tells_that_there_is_no_room(*ended), ended


@pytest.mark.slow
@unbuffered_and_not
def test_output_that_nobody_reads_ends_the_command(looked: dict, unbuffered: str) -> None:
    assert ends_quietly(*looked[f"closed {unbuffered}"]), looked


@pytest.mark.slow
@full_only
@unbuffered_and_not
def test_output_without_room_is_told_in_a_sentence(looked: dict, unbuffered: str) -> None:
    assert tells_that_there_is_no_room(*looked[f"{FULL} {unbuffered}"]), looked


@pytest.mark.parametrize("number", [errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_a_quota_and_a_failing_disk_are_told_as_a_full_one_is(number: int, monkeypatch, capsys) -> None:
    class Refusing(io.StringIO):
        def flush(self) -> None:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(sys, "stdout", Refusing())
    monkeypatch.setattr(commands, "_drop_output", lambda: None)
    assert main(["--help"]) == BAD_INPUT
    assert f"but the system said '{os.strerror(number)}': make some room" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")]
)
def test_too_little_memory_is_one_sentence(error: Exception, monkeypatch, capsys) -> None:
    def fail(options) -> None:
        raise error

    monkeypatch.setitem(commands.COMMANDS, "look", replace(commands.COMMANDS["look"], run=fail))
    assert main(["look", "any.csv"]) == BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("kit: expected memory enough for kit look, but there is not") and said.count("\n") == 1
