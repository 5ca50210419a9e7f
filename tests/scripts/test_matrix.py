"""The matrix of runs: keyed by what determines a run, resumed, and shared by several processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import matrix
import pytest
import results_labels
import training_code

from tests.tiny import tiny_encoder, tiny_groups


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A matrix of its own, on made-up groups and an encoder in a folder; the folder is returned."""
    monkeypatch.setattr(matrix, "MATRIX", tmp_path / "matrix")
    monkeypatch.setitem(matrix.DATA, "nli", lambda rows: {"items": tiny_groups(12), "data": [f"tiny {rows}"]})
    monkeypatch.setitem(matrix.MEASURES, "sts", lambda encoder: {"sts": encoder.dim, "geometry": {}})
    matrix.key.cache_clear()
    matrix.weights_of.cache_clear()
    tiny_encoder(tmp_path).save(tmp_path / "start")
    return tmp_path


def planned(folder: Path, seed: int = 0, **changes) -> matrix.Plan:
    changes = {"batch_size": 8, "max_positives": 2} | changes
    return matrix.plan("scl", seed, start=str(folder / "start"), **changes)


def test_a_key_has_all_that_determines_a_run(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = matrix.key(planned(small))
    others = [planned(small, seed=1), planned(small, lr=5e-3), matrix.plan("scl", start=str(small / "start"), rows=9)]
    assert len({key, *map(matrix.key, others)}) == 4
    (small / "start").rename(small / "elsewhere")
    matrix.key.cache_clear()
    moved = matrix.plan("scl", start=str(small / "elsewhere"), batch_size=8, max_positives=2)
    assert matrix.key(moved) == key, "weights count, not where they lie"
    monkeypatch.setattr(matrix, "training_code", lambda objective: "other code")
    matrix.key.cache_clear()
    assert matrix.key(moved) != key


def test_random_weights_are_known_by_their_shape(small: Path) -> None:
    def key_of(start: str) -> str:
        matrix.key.cache_clear()
        matrix.weights_of.cache_clear()
        return matrix.key(matrix.plan("scl", start=start))

    starts = [str(small / "start"), f"random:{small / 'start'}"]
    weights, shape = map(key_of, starts)
    (small / "start" / "model.safetensors").write_bytes(b"trained for longer")
    assert weights != key_of(starts[0]) and shape == key_of(starts[1])


def test_the_code_of_a_run_is_what_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(objective: str) -> set[str]:
        files = training_code.code_files((objective, *training_code.START))
        return {path.relative_to(training_code.ROOT).as_posix() for path in files}

    contrast, pause = (names(f"kit.training.objectives.{name}") for name in ("contrast", "pause"))
    needed = {"kit/training/trainer.py", "kit/training/batches.py", "kit/losses/softmax.py", "kit/fast/packed.py"}
    assert needed <= contrast and "kit/losses/unlabeled.py" in pause - contrast
    assert not {"kit/losses/margin.py", "kit/losses/__init__.py", "kit/training/objectives/pause.py"} & contrast
    texts = ["x = 1\n", '"""Other words."""\nx = 1  # a comment\n', "x = 2\n"]
    trees = []
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.py").write_text(text, "utf-8")
        trees.append(training_code._meaning(tmp_path / f"{i}.py"))
    assert trees[0] == trees[1] != trees[2]


def test_the_code_of_a_measure_is_what_it_runs_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(file: str) -> set[str]:
        """The measures whose code is other code when this file is."""
        real, before = training_code._meaning, codes()
        with monkeypatch.context() as patch:
            patch.setattr(training_code, "_meaning", lambda path: real(path) + "!" * path.as_posix().endswith(file))
            return {name for name, code in codes().items() if code != before[name]}

    def codes() -> dict[str, str]:
        return {name: training_code.measuring_code.__wrapped__(one) for name, one in matrix.MEASURES.items()}

    assert changed("kit/evaluation/sts_evaluation.py") == {"sts", "poolings"}
    assert changed("kit/evaluation/geometry.py") == {"sts"}
    assert changed("kit/evaluation/logistic.py") == {"transfer", "probing"}
    assert changed("kit/evaluation/encoding.py") == changed("kit/encoder/encoder.py") == set(matrix.MEASURES)
    assert changed("kit/data/sts_tasks.py") == {"sts", "validation", "poolings"}
    assert not changed("kit/training/trainer.py")


def test_other_code_measures_anew_and_trains_nothing(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p, trained = planned(small), []

    def train(p: matrix.Plan, folder: Path) -> None:
        trained.append(p)
        (folder / "record.json").write_text("{}")
        (folder / "sts.json").write_text('{"sts": "kept without a word on the code"}')

    monkeypatch.setattr(matrix, "train", train)
    monkeypatch.setattr(matrix, "trained", lambda p: tiny_encoder(small))
    assert matrix.one(p, ["sts"])["sts"] == 32
    monkeypatch.setitem(matrix.MEASURES, "sts", lambda encoder: {"sts": "repaired", "geometry": {}})
    assert matrix.missing(p, ["sts"]) == ["sts"]
    assert matrix.one(p, ["sts"])["sts"] == "repaired" and trained == [p]


def test_a_binary_run_is_kept_by_its_code_and_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []
    monkeypatch.setattr(results_labels, "RUNS", tmp_path)
    monkeypatch.setattr("kit.training.objectives.pause.train_classifier", lambda *given: trained.append(given))
    monkeypatch.setattr("kit.evaluation.classify_pairs", lambda *given: [0, 1])
    train, test = ({"sentence1": ["a", "b"], "sentence2": ["c", text], "label": [0, 1]} for text in "de")
    for table in (train, train, test):
        assert results_labels.binary_run(table, test, 0, results_labels.BINARY)["accuracy"] == 100
    monkeypatch.setattr(results_labels, "measuring_code", lambda run: "other code")
    results_labels.binary_run(train, test, 0, results_labels.BINARY)
    assert [given[2] for given in trained] == [train, test, train]


@pytest.mark.slow
def test_runs_are_made_once_and_told(small: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    plans = [planned(small, seed) for seed in (0, 1)]
    assert matrix.missing(plans[0], ["sts"]) == ["training", "sts"]
    records = matrix.measure_runs(plans, ("sts",))
    assert [records[p]["seed"] for p in plans] == [0, 1] and records[plans[0]]["sts"] == 32
    assert matrix.missing(plans[0], ["sts"]) == []
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("1 of 2 runs are there, about ") and told[1] == "2 of 2 runs are there"
    monkeypatch.setattr(matrix, "train", lambda *_: pytest.fail("trained again"))
    assert matrix.measure_runs(plans, ("sts",)) == records


@pytest.mark.slow
def test_a_run_that_was_interrupted_goes_on_from_its_checkpoint(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit.training import fit as real_fit

    p, seen = planned(small, epochs=4), []

    def stops(*args, **kwargs):
        real_fit(*args, **kwargs, checkpoint_every=2, should_stop=lambda: True)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kit.training.fit", stops)
        with pytest.raises(KeyboardInterrupt):
            matrix.measure_runs([p], ())
    assert matrix.missing(p, ()) == ["training"]
    monkeypatch.setattr(
        "kit.training.fit", lambda *a, **k: real_fit(*a, **k, callback=lambda m: seen.append(m["step"]))
    )
    record = matrix.measure_runs([p], ())[p]
    assert seen[0] == 2 and len(record["losses"]) == record["steps"] == len(seen) + 1
    assert not (matrix.MATRIX / matrix.key(p) / "checkpoints").exists()


def test_a_run_that_another_process_has_is_left_to_it(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes last, is waited for, and is read when the other one has written it."""
    plans = [planned(small, seed) for seed in (0, 1)]
    trained = []

    def train(p: matrix.Plan, folder: Path) -> None:
        trained.append(p.seed)
        (folder / "record.json").write_text(json.dumps({"seed": p.seed}))

    monkeypatch.setattr(matrix, "train", train)
    folder = matrix.MATRIX / matrix.key(plans[0])
    folder.mkdir(parents=True)
    taken = [True]

    def other_is_done(seconds: float) -> None:
        (folder / "record.json").write_text(json.dumps({"seed": "of the other"}))
        taken.clear()

    def one(p: matrix.Plan, what: list[str]) -> dict:
        if p == plans[0] and taken:
            raise matrix.InUse("another process has it")
        return real(p, what)

    real = matrix.one
    monkeypatch.setattr(matrix, "one", one)
    monkeypatch.setattr(matrix.time, "sleep", other_is_done)
    records = matrix.measure_runs(plans, ())
    assert records[plans[0]] == {"seed": "of the other"} and trained == [1]


def test_the_folder_of_a_run_has_one_owner(small: Path) -> None:
    import threading

    folder, refused = small / "run", []
    folder.mkdir()

    def second() -> None:
        try:
            with matrix._taken(folder):
                pass
        except matrix.InUse as error:
            refused.append(str(error))

    with matrix._taken(folder):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert len(refused) == 1


def test_durations_in_words() -> None:
    assert [matrix.in_words(s) for s in (40, 700, 12_600)] == ["40 s", "12 min", "3.5 h"]


WORKER = """
import os, time
def work(file):
    with open(file, "w") as out:
        out.write(str(os.getpid()))
    time.sleep(300)
"""
CALLER = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import matrix, worker
if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), matrix.end_with_parent) as pool:
        pool.submit(worker.work, sys.argv[1]).result()
"""


@pytest.mark.slow
def test_workers_end_with_a_call_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(WORKER, "utf-8")
    (tmp_path / "caller.py").write_text(CALLER, "utf-8")
    scripts = Path(matrix.__file__).parent
    paths = os.pathsep.join(map(str, (tmp_path, scripts, scripts.parent)))
    told = tmp_path / "pid"
    command = [sys.executable, str(tmp_path / "caller.py"), str(told)]
    caller = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": paths})
    assert within(60, lambda: told.exists() and told.read_text())
    caller.kill()
    caller.wait()
    assert within(30, lambda: not is_running(int(told.read_text())))


def within(seconds: float, asked: Callable[[], object]) -> bool:
    """Whether the answer is yes before the time is over."""
    end = time.monotonic() + seconds
    while not asked():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it has not ended and waits only for somebody to notice."""
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()
