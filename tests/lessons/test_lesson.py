"""The first cell of every notebook, and the twelve sentences."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest
import torch

import kit.lesson
from kit.data.twelve import twelve_labels, twelve_sentences
from kit.errors import KitError
from kit.training.device import describe_hardware


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What the lesson prints on the page: (line, is it a warning)."""
    lines: list[tuple[str, bool]] = []
    monkeypatch.setattr(kit.lesson, "say", lambda line, warn=False: lines.append((line, warn)))
    return lines


def test_starts_twice_and_says_what_is_in_use(said: list) -> None:
    first, second = kit.lesson.start("smoke", seed=3), kit.lesson.start("smoke", seed=3)
    assert (first.preset, first.seed) == (second.preset, second.seed) == ("smoke", 3)
    assert said[0] == said[1] and "preset smoke, seed 3" in said[0][0]


def test_a_gpu_is_said_to_be_where_it_works_and_nowhere_else(said: list, monkeypatch: pytest.MonkeyPatch) -> None:
    """Encoders are on the CPU but in two lessons, so the line names the processor, and the GPU for these."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA H200")
    on_cpu = describe_hardware(torch.device("cpu"))
    assert kit.lesson.start("smoke").encoder("kit-bert-tiny").device.type == "cpu"
    assert said[0][0].endswith(f"on {on_cpu}, in lessons 09 and 12 also on NVIDIA H200.")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    kit.lesson.start("smoke")
    assert said[-1][0].endswith(f"on {on_cpu}.")


def test_numba_gets_a_folder_where_home_takes_no_files(
    said: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KIT_OUT", str(tmp_path / "kept"))
    for home, folder in ((tmp_path, None), (tmp_path / "nowhere", str(tmp_path / "kept" / "numba"))):
        monkeypatch.setenv("NUMBA_CACHE_DIR", "")  # so that it is put back afterwards
        monkeypatch.delenv("NUMBA_CACHE_DIR")
        monkeypatch.setenv("HOME", str(home))
        kit.lesson.start("smoke")
        assert os.environ.get("NUMBA_CACHE_DIR") == folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"preset": "labtop"}, "unknown preset 'labtop'.*'laptop'"),
        ({"seed": -1}, "expected seed as a whole number from 0, got -1"),
        ({"seed": "7"}, "expected seed as a whole number from 0, got '7'"),
    ],
)
def test_bad_settings_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(KitError, match=message):
        kit.lesson.start(**arguments)


def test_pick_takes_the_presets_value(said: list) -> None:
    lesson = kit.lesson.start("smoke")
    assert lesson.pick(smoke=1, laptop=2, gpu=3) == 1
    with pytest.raises(KitError, match="expected a value for the preset 'smoke', got laptop"):
        lesson.pick(laptop=2)


def test_the_world_is_announced_as_a_warning(said: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    lesson = kit.lesson.start("smoke")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the orange line is enough: no second warning
        groups = lesson.nli(rows=300)
        tasks = lesson.sts(["STS-B"], rows=50)
    assert len(groups) > 10 and len(tasks["STS-B"].scores) == 50
    assert [warn for _, warn in said[1:]] == [True, True]
    assert said[-1][0].startswith("Similarity tasks STS-B: 50 pairs from the world. No real pairs were at hand for")
    assert "not a result on English" in said[-1][0]


def test_real_data_is_no_warning(said: list, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_DATA", str(mirror))
    lesson = kit.lesson.start("smoke")
    lesson.sts(["STS16"])
    assert said[-1] == ("Similarity tasks STS16: 1,186 pairs from the mirror.", False)


@pytest.mark.slow
def test_the_encoder_is_described(said: list) -> None:
    encoder = kit.lesson.start("smoke").encoder(pooling="mean")
    assert f"{encoder.dim} wide" in said[-1][0] and "bundled with the kit" in said[-1][0]


def test_results_are_kept_with_what_was_in_use(said: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_OUT", str(tmp_path / "new"))
    lesson = kit.lesson.start("smoke", seed=2)
    lesson.encoder()
    lesson.encoder()
    kept = json.loads(lesson.keep("tour", {"answer": 42}).read_text())
    assert kept["answer"] == 42 and kept["seed"] == 2 and kept["peak_memory_mb"] > 0
    assert len(kept["in_use"]) == 1, "the same line twice is one line"
    monkeypatch.setattr(kit.lesson, "peak_memory_mb", lambda: None)  # as on Windows
    assert json.loads(lesson.keep("tour", {}).read_text())["peak_memory_mb"] is None


def test_a_folder_that_cannot_be_written_is_named(said: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("KIT_OUT", str(tmp_path / "file"))
    with pytest.raises(KitError, match="expected to write .*tour.json"):
        kit.lesson.start("smoke").keep("tour", {})


def test_twelve_are_twelve() -> None:
    assert len(set(twelve_sentences())) == len(twelve_labels()) == 12


def test_measured_results_are_read_and_a_missing_file_is_told() -> None:
    assert kit.lesson.measured("foundation")["runs"]
    with pytest.raises(KitError, match="unknown results file 'fundation': did you mean 'foundation'"):
        kit.lesson.measured("fundation")
    assert kit.lesson.measured("fundation", missing={"rows": []}) == {"rows": []}
    assert kit.lesson.measured("foundation", missing={})["runs"]


@pytest.mark.slow
def test_a_stream_says_where_it_comes_from(said: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    lesson = kit.lesson.start("smoke", seed=3)
    stream = lesson.stream(buffer=500)
    assert stream.seed == 3 and stream.buffer == 500
    assert "world" in said[-1][0] and said[-1][1] is True
