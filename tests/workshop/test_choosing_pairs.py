"""The pairs that settings are chosen on: no test pair among them, and a score for each source."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.data import STS_TASKS, Source, StsTask
from kit.workshop import choosing_pairs as module

SOURCE = Source("some pairs", "test", "path", "here", "a revision", 3)


def task(name: str, *rows: tuple[str, str, float]) -> StsTask:
    first, second, scores = zip(*rows)
    return StsTask(name, list(first), list(second), list(scores), [name] * len(rows), SOURCE)


TESTS = {name: task(name, (f"a test of {name}", "and its pair", 3.0)) for name in STS_TASKS}
OTHERS = {
    "train": [("a dog runs", "a dog is running", 4.5), ("A test of STS12!", "and  its pair", 3.0)],
    "validation": [
        ("And its pair.", "a test of STS-B", 3.0),  # the other way round
        ("a dog is running", "a dog runs", 4.5),  # again, the other way round
        ("a cat sleeps", "nobody sings", 0.5),
        ("a test of STS12", "a dog runs", 1.0),  # a test sentence in another pair
    ],
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_sts(names=STS_TASKS, split: str = "test") -> dict[str, StsTask]:
        return TESTS if split == "test" else {names: task(names, *OTHERS[split])}

    monkeypatch.setattr(module, "load_sts", load_sts)


def test_no_pair_of_a_test_set_and_each_pair_once() -> None:
    found = module.choosing_pairs()
    assert list(found) == ["STS-B", "SICK-R"]
    kept = [("a dog runs", "a dog is running", 4.5), ("a cat sleeps", "nobody sings", 0.5)]
    for one in found.values():
        assert list(zip(one.sentences1, one.sentences2, one.scores)) == [*kept, ("a test of STS12", "a dog runs", 1.0)]
        assert len(one.subsets) == len(one)


def test_the_score_is_the_mean_of_the_sources_and_the_custom_stands_beside_it() -> None:
    class Encoder:
        def encode(self, sentences: list[str]) -> torch.Tensor:
            """The more words, the further from the first axis."""
            angles = torch.tensor([float(len(sentence.split())) for sentence in sentences])
            return torch.stack([angles.cos(), angles.sin()], dim=1)

    pairs = {"STS-B": task("STS-B", ("a", "a", 5.0), ("a", "a b", 3.0), ("a", "a b c", 1.0))}
    pairs["SICK-R"] = task("SICK-R", ("a", "a", 1.0), ("a", "a b", 3.0), ("a", "a b c", 5.0))
    found = module.choosing_score(Encoder(), pairs)
    assert found["by_source"] == {"STS-B": pytest.approx(100), "SICK-R": pytest.approx(-100)}
    assert found["choosing"] == pytest.approx(0) and -100 <= found["validation"] <= 100


@pytest.mark.slow
def test_the_mirror_leaves_pairs_of_both_sources(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit.data import load_sts

    monkeypatch.setenv("KIT_DATA", str(mirror))
    monkeypatch.setattr(module, "load_sts", load_sts)
    sizes = {name: len(one) for name, one in module.choosing_pairs().items()}
    assert sizes["STS-B"] > 1_000 and sizes["SICK-R"] > 4_000
