"""No library tells its makers of the reader: not where the kit loads it, nor where a program does by itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny import write_tiny_bert

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK", "DISABLE_TELEMETRY")
SHOW = f"""
import kit, os
from huggingface_hub import constants
print(*(os.environ.get(name, "-") for name in {VARIABLES}), constants.HF_HUB_DISABLE_TELEMETRY)
"""
EXPORT = """
import sys, time
from kit.encoder import load_encoder
from kit.sharing import export_onnx
export_onnx(load_encoder(sys.argv[1]), sys.argv[2])
time.sleep(3)  # it asks for its address a second after it is loaded
"""


def environment(**chosen: str) -> dict[str, str]:
    """This process's, without what `import kit` has set in it."""
    return (
        {name: value for name, value in os.environ.items() if name not in VARIABLES}
        | {"PYTHONPATH": str(ROOT)}
        | chosen
    )


@pytest.mark.parametrize(
    ("chosen", "then"),
    [
        ({}, "1 1 1 - True"),
        ({"ORT_DISABLE_TELEMETRY": "0"}, "0 1 1 - True"),
        ({"HF_HUB_DISABLE_TELEMETRY": "0"}, "1 0 - - False"),
        ({"DISABLE_TELEMETRY": "0"}, "1 - - 0 False"),
        ({"DO_NOT_TRACK": "0"}, "1 - 0 - False"),
    ],
)
def test_it_is_off_unless_the_reader_has_said_otherwise(chosen: dict[str, str], then: str) -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], env=environment(**chosen), text=True, capture_output=True)
    assert done.stdout.strip() == then, done.stderr


@pytest.mark.slow
def test_an_export_leaves_nothing_in_the_home_folder_and_asks_for_no_address(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    home, model, trace = tmp_path / "home", write_tiny_bert(tmp_path / "tiny"), tmp_path / "trace"
    home.mkdir()
    command = [sys.executable, "-c", EXPORT, str(model), str(tmp_path / "export")]
    if shutil.which("strace"):
        command = [
            "strace",
            "-f",
            "-s",
            "100",
            "-e",
            "trace=connect,sendto,sendmsg,sendmmsg",
            "-o",
            str(trace),
            *command,
        ]
    environ = environment(HOME=str(home), TMPDIR=str(tmp_path), HF_HUB_OFFLINE="1")
    done = subprocess.run(command, env=environ, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [str(path) for path in home.rglob("*") if path.is_file()] == []
    asked = trace.read_text("utf-8", errors="replace") if trace.exists() else ""
    assert [line for line in asked.splitlines() if "htons(53)" in line or "events" in line] == []


def test_programs_that_load_onnxruntime_load_the_kit_before_or_say_so_themselves() -> None:
    loads = re.compile(r"^.*(\bimport onnxruntime|from onnxruntime|importorskip\(\W+onnxruntime)", re.MULTILINE)
    silent = re.compile(r"^\s*(import|from) kit\b|ORT_DISABLE_TELEMETRY", re.MULTILINE)
    folders = ("scripts", "benchmarks", "tests", "notebooks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".ipynb")]
    texts = {path: path.read_text("utf-8") for path in files if path != Path(__file__)}
    loading = {path: found.start() for path, text in texts.items() if (found := loads.search(text))}
    assert len(loading) >= 3
    assert [path for path, place in loading.items() if not silent.search(texts[path][:place])] == []
