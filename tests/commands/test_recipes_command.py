"""`kit recipes`: the recipes as text, all or some, in any console."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, main
from kit.training.recipes import RECIPES, table


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_the_table_is_printed_whole_in_any_console(encoding: str) -> None:
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "kit", "recipes", "--preset", "laptop"]
    done = subprocess.run(
        command,
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        encoding=encoding,
    )
    shown = table("laptop").encode(encoding, "backslashreplace").decode(encoding)
    assert done.stdout.rstrip("\n") == shown and done.stderr == ""
    assert all(f"\n{name} · " in table("laptop") for name in RECIPES)


def test_some_of_them_by_name(capsys: pytest.CaptureFixture) -> None:
    assert main(["recipes", "simcse", "scl", "simcse"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" · ")[0] for line in lines if " · " in line] == ["simcse", "scl"], "each once, as asked for"
    assert not any("not implemented here" in line for line in lines)
    number = {row.split()[0]: row for row in lines[2:5]}
    assert "5e-05" in number["simcse"] and "512" in number["simcse"], "the paper's own numbers"


def test_an_unknown_name_or_preset_is_one_sentence(capsys: pytest.CaptureFixture) -> None:
    for arguments, said in (
        (["simsce"], "unknown recipe 'simsce': did you mean simcse?"),
        (["--preset", "big"], "big"),
    ):
        assert main(["recipes", *arguments]) == BAD_INPUT
        told = capsys.readouterr()
        assert told.err.startswith("kit: unknown ") and said.split(":")[0] in told.err and not told.out
        assert len(told.err.splitlines()) == 1
