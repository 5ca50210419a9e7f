"""A training that is killed with SIGKILL, at any moment, and resumed continues bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.tiny import write_tiny_bert
from tests.training.test_fit import run

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow  # one interpreter is killed nine times


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


# One fresh interpreter; each run is a child of it, forked before torch has computed anything.
DRIVER = """
    import json, os, signal, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    import torch
    from kit.encoder.load import load_encoder
    from kit.storage import checkpoint
    from kit.training import fit, recipe
    from tests.tiny import tiny_groups
    from tests.training.test_fit import CHANGES, EVERY
    import transformers.models.bert.modeling_bert

    tiny, runs = Path(sys.argv[2]), Path(sys.argv[3])

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def train(folder, out, step=None, moment="callback"):
        save, write, rename = checkpoint.save_checkpoint, checkpoint.write_synced, Path.rename
        def write_then_die(path, blob):
            if moment == "half a file":
                blob = blob[:len(blob) // 2]
            write(path, blob)
            if f"-{step:08d}-" in str(path) and path.name.startswith("tensors"):
                die()
        def rename_never(self, target):
            die() if target.name == f"step-{step:08d}" else rename(self, target)
        if moment in ("half a file", "tensors written"):
            checkpoint.write_synced = write_then_die
        if moment == "not renamed":
            Path.rename = rename_never
        def callback(told):
            if moment == "callback" and told["step"] == step:
                die()
        encoder = load_encoder(tiny, pooling="mean_without_cls")
        result = fit(encoder, recipe("scl", **CHANGES), tiny_groups(), folder=folder, checkpoint_every=EVERY,
                     callback=callback, progress=False)
        weights = {k: v.tolist() for k, v in encoder.state_dict().items()}
        out.write_text(json.dumps({"history": result.history, "weights": weights}))

    for name, deaths in json.loads(sys.argv[4]).items():
        for death in [*deaths, []]:  # killed here, killed there, and at last left alone
            child = os.fork()
            if not child:
                code = 1
                try:
                    train(runs / name, runs / f"{name}.json", *death)
                    code = 0
                finally:
                    os._exit(code)
            status = os.waitpid(child, 0)[1]
            expected = signal.SIGKILL if death else 0
            assert status == expected, f"{name} {death}: ended with {status}"
            if death:
                assert not (runs / f"{name}.json").exists()
"""
# Checkpoints come at steps 3, 6, 9 ...; the callback of a step comes before its checkpoint.
DEATHS = {
    "uninterrupted": [],
    "before_the_first_checkpoint": [[2]],
    "right_after_a_checkpoint": [[4]],
    "between_checkpoints_and_over_an_epoch": [[8]],
    "just_before_a_checkpoint": [[9]],
    "twice": [[5], [11]],
    "in_the_middle_of_a_file": [[6, "half a file"]],
    "between_the_two_files": [[6, "tensors written"]],
    "before_the_rename": [[6, "not renamed"]],
    "on_the_last_step": [[12]],
}


@pytest.fixture(scope="module")
def outcomes(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All runs of `DEATHS`, killed with SIGKILL and resumed to their end."""
    runs = tmp_path_factory.mktemp("runs")
    command = [sys.executable, "-c", textwrap.dedent(DRIVER), str(ROOT), str(tiny), str(runs), json.dumps(DEATHS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    return runs


@pytest.mark.parametrize("name", [name for name in DEATHS if name != "uninterrupted"])
def test_a_killed_run_goes_on_bit_for_bit(outcomes: Path, name: str) -> None:
    whole, resumed = (json.loads((outcomes / f"{n}.json").read_text()) for n in ("uninterrupted", name))
    assert len(whole["history"]) == 12, "the deaths above are placed for twelve steps"
    assert resumed["history"] == whole["history"]
    assert resumed["weights"] == whole["weights"]
    assert not list((outcomes / name).glob(".writing-*"))


def test_a_checkpoint_does_not_disturb_the_run(outcomes: Path, tiny: Path) -> None:
    assert json.loads((outcomes / "uninterrupted.json").read_text())["history"] == run(tiny).history
