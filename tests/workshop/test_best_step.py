"""The best step by validation: chosen from the history, kept through kills, and what the run ends with."""

from __future__ import annotations

import signal
from functools import partial
from pathlib import Path

import pytest
import torch

from kit.errors import KitError, KitWarning
from kit.storage.checkpoint import save_checkpoint
from kit.workshop.best_step import BEST, best_step, keep_best, load_best
from kit.workshop.model_card import model_card
from kit.workshop.run_record import Run
from kit.workshop.validation import keep_to_validation
from tests.forks import end_of
from tests.tiny import tiny_encoder, tiny_groups
from tests.workshop.runs import a_run, killed_run

FIGURES = {4: 30.0, 8: 50.0, 12: 50.0, 16: 20.0}  # by step: 8 is best, and the first of two


class Told:
    """A validation that says what it is told to, by how often it was asked; it keeps the weights it saw."""

    measure, described = "told", "nothing."

    def __init__(self, figures: list[float]) -> None:
        self.figures, self.seen = list(figures), []

    def validate(self, encoder) -> dict[str, float]:
        self.seen.append({name: value.clone() for name, value in encoder.state_dict().items()})
        return {"validation": self.figures[len(self.seen) - 1], "mean_cosine": 0.5}


def same(weights: dict, others: dict) -> bool:
    return all(torch.equal(weights[name], others[name]) for name in weights)


def test_the_best_is_the_first_of_the_largest_and_the_untrained_counts() -> None:
    history = [{"step": s, "loss": 1.0} | ({"validation": FIGURES[s]} if s in FIGURES else {}) for s in range(1, 17)]
    assert best_step({"validation": 10.0}, history) == (8, 50.0)
    assert best_step({"validation": 10.0}, history[:7]) == (4, 30.0)
    assert best_step({"validation": 50.0}, history) == (0, 50.0)
    assert best_step({"validation": 10.0}, []) == (0, 10.0)


def test_kept_are_the_best_until_now_and_until_each_checkpoint(tiny: Path, tmp_path: Path) -> None:
    encoder, history, untrained = tiny_encoder(tiny), [], {"validation": 10.0}
    keep_best(tmp_path, encoder, untrained, history)
    for step in range(1, 17):
        history.append({"step": step})
        if step in FIGURES:
            history[-1]["validation"] = FIGURES[step]
            with torch.no_grad():
                next(iter(encoder.parameters())).fill_(step)
            keep_best(tmp_path, encoder, untrained, history)
        if step == 6:
            (tmp_path / "step-00000006").mkdir()
    assert sorted(path.name for path in (tmp_path / BEST).glob("step-*")) == ["step-00000004", "step-00000008"]
    keep_best(tmp_path, encoder, untrained, history, final=True)
    assert load_best(tmp_path, encoder, history) == (8, 50.0) and next(iter(encoder.parameters())).flatten()[0] == 8
    (tmp_path / BEST / "step-00000008" / "tensors.safetensors").write_bytes(b"")
    with pytest.warns(KitWarning, match="step-00000008 is damaged"):
        assert load_best(tmp_path, encoder, history) is None
    with pytest.warns(KitWarning, match="where validation was best are damaged or gone from .*none"):
        assert load_best(tmp_path / "none", encoder, history) is None


def test_another_step_is_not_taken_for_the_best_and_names_decide_nothing(tiny: Path, tmp_path: Path) -> None:
    encoder, untrained = tiny_encoder(tiny), {"validation": 10.0}
    history = [{"step": 4, "validation": 30.0}]
    (tmp_path / "step-of mine").mkdir()
    save_checkpoint(tmp_path, 4, {}, {})
    keep_best(tmp_path, encoder, untrained, history)
    (tmp_path / BEST / "step-00000004").rename(tmp_path / BEST / "step-copy")
    assert load_best(tmp_path, encoder, history) == (4, 30.0)
    with pytest.warns(KitWarning, match="where validation was best are damaged or gone"):
        assert load_best(tmp_path, encoder, [*history, {"step": 8, "validation": 40.0}]) is None


def told_run(tiny: Path, folder: Path, figures: list[float]) -> Run:
    run = a_run(tiny, folder, keep_best=True)  # validated at 0, 4, 8 and 12
    run.validation, run.untrained = Told(figures), {}
    return run


@pytest.mark.slow
def test_a_run_ends_with_the_encoder_of_its_best_step(tiny: Path, tmp_path: Path) -> None:
    for figures, best in (([1.0, 5.0, 3.0, 2.0], 1), ([9.0, 5.0, 3.0, 2.0], 0), ([1.0, 2.0, 3.0, 4.0], 3)):
        run = told_run(tiny, tmp_path / str(best), figures)
        run.train(progress=False)
        assert run.best == (4 * best, figures[best]) and same(run.validation.seen[best], run.encoder.state_dict())
        record = run.record()
        assert record["best"] == {"step": 4 * best, "of": 12} and record["validation"] == figures[best]
        assert f"The encoder is that of step {4 * best} of 12, the best" in model_card(record)
        again = a_run(tiny, tmp_path / str(best), keep_best=True)
        assert again.best == run.best and same(run.encoder.state_dict(), again.encoder.state_dict())
        (again.folder / "run.json").unlink()  # as if killed before it was written
        assert f"The encoder is that of step {4 * best} of 12, the best" in (again.export() / "README.md").read_text()
    with pytest.raises(KitError, match="expected a validation to keep the best step by"):
        Run("x", tiny_encoder(tiny), run.recipe, tiny_groups(), keep_best=True, folder=tmp_path)


@pytest.mark.parametrize(("best", "cosine"), [(0, "0.900"), (4, "0.400"), (8, "0.200")])
def test_the_card_has_the_mean_cosine_of_the_step_that_is_kept(best: int, cosine: str) -> None:
    """That of the untrained encoder too, which is the best where no step was better."""
    history = [{"step": 4, "validation": 30.0, "mean_cosine": 0.4}, {"step": 8, "validation": 20.0, "mean_cosine": 0.2}]
    untrained = {"validation": 10.0, "mean_cosine": 0.9}
    record = {"name": "x", "title": "X.", "recipe": {"name": "scl"}, "about": {}, "seed": 0, "hardware": "a machine"}
    record |= {"steps": 8, "sentences": 72, "seconds": 1.0, "finished": True, "untrained": untrained}
    record |= {"history": history, "validated_on": "pairs.", "validation": 50.0, "best": {"step": best, "of": 8}}
    assert f"from 0.900 to {cosine}. The encoder is that of step {best} of 8" in model_card(record)


@pytest.mark.slow
def test_a_best_step_that_is_damaged_is_told_and_nothing_claims_it(tiny: Path, tmp_path: Path) -> None:
    run, last = told_run(tiny, tmp_path, [1.0, 5.0, 3.0, 2.0]), {}

    def damage(frame: dict) -> None:
        if frame["step"] == 9:
            (tmp_path / "a-run" / BEST / "step-00000004" / "tensors.safetensors").write_bytes(b"")
        if frame["step"] == 12:
            last.update({name: value.clone() for name, value in run.encoder.state_dict().items()})

    run.add_callback(damage)
    with pytest.warns(KitWarning, match="where validation was best are damaged or gone"):
        run.train(progress=False)
    assert run.best is None and same(last, run.encoder.state_dict()) and "best" not in run.record()
    assert run.record()["validation"] == 2.0, "of the step that is kept"


@pytest.mark.slow
def test_killed_and_resumed_it_chooses_as_one_that_never_stopped(tiny: Path, tmp_path: Path) -> None:
    whole = a_run(tiny, tmp_path / "whole", keep_best=True)
    whole.train(progress=False)
    for at in (3, 9, 11):  # before the first checkpoint (5), between validation (8) and checkpoint (10), and later
        folder = tmp_path / str(at)
        assert end_of(partial(killed_run, keep_best=True), tiny, folder, at) == -signal.SIGKILL
        resumed = a_run(tiny, folder, keep_best=True)
        resumed.train(progress=False)
        assert resumed.best == whole.best and resumed.history == whole.history
        assert same(whole.encoder.state_dict(), resumed.encoder.state_dict())
        assert [path.name for path in (folder / "a-run" / BEST).iterdir()] == [f"step-{whole.best[0]:08d}"]


@pytest.mark.slow
def test_a_pause_decides_nothing(tiny: Path, tmp_path: Path) -> None:
    whole = a_run(tiny, tmp_path / "whole", keep_best=True)
    whole.train(progress=False)
    paused = a_run(tiny, tmp_path, keep_best=True)
    paused.add_callback(lambda frame: paused.pause() if frame["step"] in (6, 7) else None)
    for _ in range(3):
        paused.train(progress=False)
    assert paused.finished and paused.best == whole.best
    assert same(whole.encoder.state_dict(), paused.encoder.state_dict())


@pytest.mark.parametrize("name", [BEST, "encoder"])
def test_a_link_in_the_folder_does_not_choose_what_a_run_replaces(tiny: Path, tmp_path: Path, name: str) -> None:
    """As in a folder from somebody else, whose link leads to a run of one's own."""
    mine = tmp_path / "mine" / name / "step-00000001"
    mine.mkdir(parents=True)
    run = a_run(tiny, tmp_path, keep_best=True)
    run.folder.mkdir()
    (run.folder / name).symlink_to(f"../mine/{name}")
    with pytest.raises(KitError, match=f"{name} as a folder of the run's own, but it is a link to ../mine"):
        run.train(progress=False)
    assert mine.is_dir() and not list(run.folder.glob("step-*"))


def test_a_link_is_not_followed_by_the_export_of_a_run_either(tiny: Path, tmp_path: Path) -> None:
    run = a_run(tiny, tmp_path, steps=1)
    run.train(progress=False)
    (run.folder / "encoder").symlink_to(tmp_path / "mine")
    with pytest.raises(KitError, match="but it is a link to"):
        run.export()
    assert not (tmp_path / "mine").exists()
    (tmp_path / "disk").mkdir()
    (tmp_path / "named").symlink_to(tmp_path / "disk")
    run.export(tmp_path / "named")  # whoever names a link means what it leads to
    assert (tmp_path / "disk" / "config.json").is_file()


@pytest.mark.parametrize("damaged", ["{", "[" * 200_000, "[]", "null", '{"rows": 5}'])
def test_what_a_run_is_validated_on_cannot_be_read(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "validation.json").write_text(damaged)
    with pytest.raises(KitError, match="to say what the run is validated on, but it cannot be read"):
        keep_to_validation(tmp_path, Told([]), [])
