"""`kit train`: a recipe trained and saved from the command line, bad input in one sentence."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from kit import commands
from kit.commands import main
from kit.commands.train_command import changes, load_data, some_rows
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.owndata import read
from kit.scaling.ranks import Ranks
from kit.training import recipe
from kit.workshop import saved_runs
from tests.storage.kills import kill, owning_child
from tests.tiny import write_tiny_bert

ROOT = Path(__file__).resolve().parents[2]
QUICK = ["--rows", "200", "--precision", "fp32", "--device", "cpu", "--quiet"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny"))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No mirror, no Hub and no launcher: the made-up world stands in."""
    for name in ("KIT_DATA", "KIT_OUT", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def test_an_encoder_is_trained_saved_and_told_about(tiny: str, capsys: pytest.CaptureFixture) -> None:
    options = "--recipe scl --preset smoke --steps 3 --seed 4 --set temperature=0.5 lam=0.4 --set".split()
    assert main(["train", *options, "head=two linear", "--out", "my runs/out", "--encoder", tiny, *QUICK]) == 0
    shown = capsys.readouterr()
    assert "Trained 3 steps on" in shown.out and re.search("measure it with: kit evaluate '.*/my runs/out/", shown.out)
    remarks = shown.err.splitlines()
    assert "stand-in" in remarks[0] and all(line.startswith("kit: ") for line in remarks), "without their places"
    record = json.loads(Path("my runs/out/run.json").read_text())
    assert record["recipe"]["temperature"] == 0.5 and record["recipe"]["lam"] == 0.4 and record["seed"] == 4
    assert record["recipe"]["head"] == "two linear" and record["finished"] and len(record["history"]) == 3
    trained = load_encoder("my runs/out/encoder")
    assert trained.pooling == "mean_without_cls"
    untrained = load_encoder(tiny, pooling="mean_without_cls").encode(["a dog runs"])
    assert not torch.allclose(trained.encode(["a dog runs"]), untrained, atol=1e-3)
    assert "made-up scenes" in Path("my runs/out/encoder/README.md").read_text() and saved_runs("my runs").keys() == {
        "out"
    }


def test_of_a_model_of_sentence_transformers_it_is_said_what_is_trained(tiny: str, capsys) -> None:
    load_encoder(tiny, pooling="cls").save("theirs")
    options = ["--recipe", "mnrl", "--preset", "smoke", "--steps", "1", "--encoder", "theirs", *QUICK]
    assert main(["train", *options, "--out", "of-the-kit"]) == 0
    assert "sentence-transformers" not in capsys.readouterr().out, "kit.json notes all that there is"
    Path("theirs/kit.json").unlink()
    assert main(["train", *options, "--out", "of-theirs"]) == 0
    told = "the transformer alone is trained, with pooling mean and at most 64 word pieces"
    assert told in capsys.readouterr().out


@pytest.mark.slow
def test_vectors_that_may_be_cut_are_trained_on_request(tiny: str, capsys: pytest.CaptureFixture) -> None:
    options = ["--recipe", "mnrl", "--preset", "smoke", "--steps", "2", "--encoder", tiny, *QUICK]
    assert main(["train", *options, "--matryoshka", "32", "8", "--out", "cut"]) == 0
    record = json.loads(Path("cut/run.json").read_text())
    assert record["recipe"]["matryoshka_dims"] == [32, 8] and "contrastive 8" in record["history"][-1]
    capsys.readouterr()
    assert main(["export", "cut", "--out", "short", "--dim", "8"]) == 0
    assert "Matryoshka" not in capsys.readouterr().err, "it was trained to be cut"
    assert main(["train", *options, "--matryoshka", "64", "--out", "wide"]) == 2
    assert "expected dims up to the encoder's 32, got 64" in capsys.readouterr().err


def test_a_run_folder_with_a_link_is_refused_before_anything_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "encoder").symlink_to("../mine/encoder")
    assert main(["train", "--recipe", "mnrl", "--encoder", "nowhere", "--out", str(tmp_path / "theirs")]) == 2
    said = capsys.readouterr().err
    assert "it is a link to ../mine/encoder, whose content" in said and said.count("\n") == 1


def test_a_folder_in_use_is_refused_before_anything_is_loaded(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    owner = owning_child(tmp_path)
    try:
        assert main(["train", "--recipe", "mnrl", "--encoder", "nowhere", "--out", str(tmp_path)]) == 2
    finally:
        kill(owner)
    said = capsys.readouterr().err
    assert f"to be free, but process {owner} on" in said and said.count("\n") == 1


@pytest.mark.slow
def test_the_same_command_goes_on_from_its_checkpoint(
    tiny: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    options = "--recipe mnrl --set dropout=0.2 batch_size=8 --steps 6 --checkpoint-every 2".split()
    command = ["train", *options, "--encoder", tiny, *QUICK]
    assert main([*command, "--out", "whole"]) == 0
    from kit.training.trainer import Trainer

    step = Trainer.step

    def until_the_fifth(trainer: Trainer) -> dict:
        if trainer.step_number == 4:
            raise KeyboardInterrupt
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", until_the_fifth)
    assert main([*command, "--out", "died"]) == commands.INTERRUPTED
    assert (
        "kit: interrupted; the same command goes on from the newest checkpoint, or from the start"
        in capsys.readouterr().err
    )
    assert not Path("died/encoder").exists()
    monkeypatch.setattr(Trainer, "step", step)
    assert main([*command, "--out", "died"]) == 0
    whole, died = (json.loads(Path(name, "run.json").read_text()) for name in ("whole", "died"))
    assert died["history"] == whole["history"]


def test_the_folder_has_a_name_of_its_own_where_none_is_given(tiny: str) -> None:
    assert main(["train", "--recipe", "mnrl", "--preset", "smoke", "--encoder", tiny, "--steps", "1", *QUICK]) == 0
    assert Path(".kit/train/mnrl-smoke/encoder/model.safetensors").is_file()


def test_own_data_from_a_parquet_file(tiny: str, capsys: pytest.CaptureFixture) -> None:
    from datasets import Dataset

    rows = {
        "premise": [f"the {who} sleeps" for who in ("cat", "dog", "child", "bird")],
        "label": [0] * 4,
        "hypothesis": [f"a {who} is not awake" for who in ("cat", "dog", "child", "bird")],
    }
    Dataset.from_dict(rows).to_parquet("own.parquet")
    options = "--recipe mnrl --data own.parquet --steps 1 --out out --device cpu --quiet".split()
    assert main(["train", *options, "--encoder", tiny]) == 0
    said = capsys.readouterr().out
    assert "4 premises" in said and "0, 1 and 2 were read as NLI's entailment, neutral and contradiction" in said
    assert "own.parquet" in Path("out/run.json").read_text()


def test_zero_and_one_in_a_parquet_file_are_no_classes_of_nli(tiny: str, capsys: pytest.CaptureFixture) -> None:
    from datasets import Dataset

    rows = [("the cat sleeps", "a cat is not awake", 1), ("the dog runs", "nobody sings", 0)] * 4
    names = ("premise", "hypothesis", "label")
    Dataset.from_list([dict(zip(names, row)) for row in rows]).to_parquet("own.parquet")
    options = "--recipe mnrl --data own.parquet --steps 1 --out out --device cpu --quiet".split()
    assert main(["train", *options, "--encoder", tiny]) == 0
    assert "1 means the same" in capsys.readouterr().out


REFUSED = [
    (["--recipe", "slc"], "unknown recipe 'slc': did you mean 'scl'"),
    (["--recipe", "scl", "--preset", "labtop"], "unknown preset 'labtop': did you mean 'laptop'"),
    (["--recipe", "scl", "--set", "temprature=1"], "did you mean 'temperature'"),
    (["--recipe", "scl", "--set", "temperature=0"], "τ (temperature) above 0, got 0"),
    (["--recipe", "scl", "--set", "temperature"], "expected a setting as NAME=VALUE, got 'temperature'"),
    (["--recipe", "scl", "--set", "preset=smoke"], "in --set, got 'preset=smoke': use --preset"),
    (["--recipe", "scl", "--set", "name=mnrl"], "in --set, got 'name=mnrl': use --recipe"),
    (["--recipe", "scl", "--device", "gpu9"], "expected a device such as 'cpu' or 'cuda', got 'gpu9'"),
    (["--recipe", "scl", "--data", "stanfordnlp/snil"], "stanfordnlp/snil"),
    (["--recipe", "scl", "--encoder", "kit-bert-tinny"], "did you mean 'kit-bert-tiny'"),
    (["--recipe", "scl", "--out", "taken"], "expected a folder for checkpoints at taken"),
    (["--recipe", "scl", "--precision", "fp17", "--rows", "200", "--out", "o"], "unknown precision 'fp17'"),
]


@pytest.mark.slow
def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "taken").write_text("")
    for arguments, sentence in REFUSED:
        assert main(["train", "--quiet", *arguments]) == commands.BAD_INPUT, arguments
        error = capsys.readouterr().err.splitlines()
        assert error[-1].startswith("kit: ") and sentence in error[-1], arguments
        assert not any("Traceback" in line for line in error), arguments


def test_settings_are_numbers_where_they_are() -> None:
    assert changes(["a=1", "b=0.5", "c=null", "d=true", "e=cosine", "f=x=y", "g=False", "h=None", "i=.5"]) == {
        "a": 1,
        "b": 0.5,
        "c": None,
        "d": True,
        "e": "cosine",
        "f": "x=y",
        "g": False,
        "h": None,
        "i": 0.5,
    }
    with pytest.raises(KitError, match="NAME=VALUE, got '=3'"):
        changes(["=3"])


@pytest.mark.filterwarnings("ignore::kit.errors.KitWarning")
def test_the_seed_draws_the_rows_that_are_trained_on() -> None:
    """Of a data set of the course and of a file of one's own."""
    own = read([(f"question {i}", f"answer {i}") for i in range(40)])
    for load in (lambda options: load_data(options, recipe("mnrl"))[0], lambda options: some_rows(own, options).rows):
        drawn = []
        for seed in (0, 1, 1):
            options = argparse.Namespace(data="stanfordnlp/snli", rows=20, seed=seed, set=[], split="train")
            drawn.append(list(load(options)))
        assert drawn[0] != drawn[1] == drawn[2] and len(drawn[0]) <= 20


def test_another_rank_says_who_it_is_and_keeps_quiet(
    tiny: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr("kit.scaling.distributed.connect", lambda device: Ranks(1, 1))  # not the first, and by itself
    assert main(["train", "--recipe", "mnrl", "--encoder", tiny, "--steps", "1", "--out", "out", *QUICK]) == 0
    shown = capsys.readouterr()
    assert shown.out == shown.err == "" and not Path("out/encoder").exists() and not list(Path("out").glob("step-*"))
    assert main(["train", "--recipe", "mnlr"]) == 2
    assert capsys.readouterr().err.startswith("kit, rank 1: unknown recipe 'mnlr'")


@pytest.mark.slow
def test_a_wrong_launch_is_one_sentence_in_a_real_process(tmp_path: Path) -> None:
    wrong = {"WORLD_SIZE": "2", "RANK": "5", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "kit", "train", "--recipe", "scl", "--device", "cpu"],
        cwd=ROOT,
        text=True,
        capture_output=True,
        env={**os.environ, **wrong, "KIT_OUT": str(tmp_path)},
    )
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(r"kit, rank 5: expected RANK as a whole number from 0 to 1, got '5': .*\n", done.stderr)


def test_the_split_that_is_named_is_trained_on(tmp_path: Path) -> None:
    from datasets import Dataset

    for split, count in (("train", 3), ("dev", 2)):
        rows = {
            "premise": [f"a {split} {i}" for i in range(count)],
            "hypothesis": ["a b"] * count,
            "label": [0] * count,
        }
        Dataset.from_dict(rows).to_parquet(str(tmp_path / "nli" / f"{split}.parquet"))
    options = argparse.Namespace(data=str(tmp_path / "nli"), rows=None, seed=0, set=[], split="dev")
    assert "2 premises" in load_data(options, recipe("mnrl"))[2]
    with pytest.raises(KitError, match="no --split for long documents, which have none, got 'dev'"):
        load_data(options, recipe("declutr"))
