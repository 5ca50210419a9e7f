"""A training that is killed with SIGKILL, at any moment, and resumed continues bit for bit."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tests.forks import end_of, say_into
from tests.tiny import write_tiny_bert
from tests.training.test_fit import run

pytestmark = pytest.mark.slow  # a process is killed ten times


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


# One process; each run is a child of it, forked before torch has computed anything. It is given tiny, runs and deaths.
DRIVER = """
    import gc, json, os, signal
    from pathlib import Path
    import torch
    from kit.encoder.load import load_encoder
    from kit.storage import checkpoint
    from kit.training import fit, recipe
    from tests.tiny import tiny_groups
    from tests.training.test_fit import CHANGES, EVERY

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

    gc.freeze()
    for name, places in deaths.items():
        for death in [*places, []]:  # killed here, killed there, and at last left alone
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


def drive(given: dict, said: Path) -> None:
    say_into(said)
    exec(textwrap.dedent(DRIVER), given)


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
    said = runs / "said"
    assert end_of(drive, {"tiny": tiny, "runs": runs, "deaths": DEATHS}, said) == 0, said.read_text()[-3000:]
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
