"""Training under the reader's hand: frames, controls that take effect, and a thread that stops."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np
import pytest
import torch

from kit.data import load_sts
from kit.data.nli import group_by_premise
from kit.data.sources import load
from kit.data.sts_tasks import StsTask
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.training import recipe
from kit.workshop import LiveTraining
from kit.workshop.live_training import MAX_FRAMES
from kit.workshop.monitored_set import LEAST, first_view, frame_of, look, split_monitored

pytestmark = pytest.mark.filterwarnings("ignore::kit.errors.KitWarning")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KIT_DATA", raising=False)
        patch.setenv("HF_HUB_OFFLINE", "1")
        return group_by_premise(load("stanfordnlp/snli", rows=400)), load_sts("STS-B", rows=60)["STS-B"]


@pytest.fixture
def live(text) -> LiveTraining:
    training = LiveTraining(load_encoder(), recipe("simcse", "smoke", batch_size=8), *text, seconds=0.01)
    yield training
    training.pause()


def test_the_first_frame_is_the_untrained_encoder(live: LiveTraining) -> None:
    assert live.frame["step"] == 0 and "loss" not in live.frame
    seen = look(load_encoder(), live.monitored)
    assert live.frame.items() >= frame_of(seen, first_view(seen)).items()
    assert len(live.frame["theta"]) == len(live.monitored.sentences) == 3 * len(set(live.monitored.premise))


def test_the_scored_pairs_are_spread_over_the_file(text) -> None:
    """A file sorted by kind gives pairs of each; the first N would be of one."""
    groups, task = text
    kinds = 600 * ["captions"] + 500 * ["news"] + 279 * ["forums"]
    texts = [f"{kind} {i}" for i, kind in enumerate(kinds)]
    long = StsTask("STS-B", texts, texts, [float(i % 6) for i in range(1379)], kinds, task.source)
    monitored, _ = split_monitored(groups, long)
    found = Counter(text.split()[0] for text in monitored.sentences1)
    assert monitored.sentences1 == monitored.sentences2 and found.total() == 120
    assert monitored.scores == [long.scores[texts.index(one)] for one in monitored.sentences1]
    assert all(abs(found[kind] - 120 * kinds.count(kind) / 1379) <= 1 for kind in set(kinds)), found
    assert split_monitored(groups, task)[0].sentences1 == task.sentences1, "all of a short one"


def test_the_monitored_premises_are_never_trained_on(text) -> None:
    monitored, rest = split_monitored(*text)
    assert not set(monitored.sentences) & {g.anchor for g in rest}
    assert len(rest) == len(text[0]) - len(set(monitored.premise))
    able = sum(bool(g.positives and g.negatives) for g in text[0])
    assert len(set(monitored.premise)) == min(40, able // 4) > LEAST


@pytest.mark.slow
def test_training_moves_what_is_measured(live: LiveTraining) -> None:
    before, after = live.frame, live.advance(steps=12)
    assert after["step"] == 12
    assert after["loss"] > 0 and after["mean_cosine"] < before["mean_cosine"] - 0.02
    assert all(after[key] != before[key] for key in ("alignment", "uniformity", "effective_rank", "sts"))


def test_tau_counts_from_the_next_step_on(live: LiveTraining) -> None:
    assert live.advance(steps=1)["tau"] == 0.05
    live.change(temperature=5.0)
    assert live.settings["tau"] == 5.0 and live.frame["tau"] == 0.05
    after = live.advance(steps=1)
    assert after["tau"] == 5.0
    # 8 triplets have 16 candidates: with all cosines over 5 nearly alike the loss is nearly log 16
    assert after["loss"] == pytest.approx(np.log(16), abs=0.1)


def test_the_loss_of_a_frame_is_the_mean_of_its_steps(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = iter([{"step": 1, "loss": 4.0}, {"step": 2, "loss": 3.0}, {"step": 3, "loss": 0.5}])
    monkeypatch.setattr(live._trainer, "step", lambda: next(steps))
    frame = live.advance(steps=3)
    assert (frame["step"], frame["loss"]) == (3, 2.5)


def test_nonsense_is_refused_and_changes_nothing(live: LiveTraining) -> None:
    with pytest.raises(KitError, match="above 0"):
        live.change(temperature=0.0)
    assert live.settings["tau"] == 0.05


def test_reset_brings_the_encoder_back_and_keeps_tau(live: LiveTraining) -> None:
    first = live.frame
    live.change(temperature=0.5)
    live.advance(steps=3)
    live.reset()
    assert live.history == [live.frame] and not live.running
    assert live.frame["theta"] == first["theta"] and live.frame["phi"] == first["phi"] and live.settings["tau"] == 0.5


@pytest.mark.slow
def test_a_run_repeats_itself(text) -> None:
    losses = []
    for _ in range(2):
        live = LiveTraining(load_encoder(), recipe("scl", "smoke", batch_size=8), *text, seed=3)
        losses.append([live.advance(steps=2)["loss"] for _ in range(2)])
    assert losses[0] == losses[1]


def test_it_trains_in_the_background_until_paused(live: LiveTraining) -> None:
    frames, enough = [], threading.Event()

    def callback(frame: dict) -> None:
        frames.append(frame)
        if len(frames) >= 3 or "problem" in frame:
            enough.set()

    live.add_callback(callback)
    before = torch.get_rng_state()
    live.start()
    live.start()  # a second press on the button
    enough.wait()
    thread = live._thread
    live.pause()
    assert not thread.is_alive() and not live.running
    steps = [frame["step"] for frame in frames]
    assert "problem" not in frames[-1] and steps == sorted(set(steps)), "two threads trained at once"
    assert torch.equal(before, torch.get_rng_state())


def test_an_error_in_the_thread_is_handed_out(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    told, over = [], threading.Event()
    live.add_callback(lambda frame: (told.append(frame.get("problem")), over.set()))
    monkeypatch.setattr(live, "advance", lambda: 1 / 0)
    live.start()
    over.wait()
    assert told == ["ZeroDivisionError: division by zero"] and not live.running


def test_stopped_and_started_at_once_one_thread_trains(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    in_frame, goes_on, at_once = threading.Event(), threading.Event(), []

    def advance() -> dict:
        at_once.append(threading.current_thread())
        in_frame.set()
        goes_on.wait()
        return live.frame

    monkeypatch.setattr(live, "advance", advance)
    live.start()
    in_frame.wait()
    live.stop_soon()
    threading.Timer(0.2, goes_on.set).start()
    first = live._thread
    live.start()
    assert not first.is_alive() and live.running
    live.pause()
    assert set(at_once[1:]) <= {live._thread}


def test_a_reset_waits_for_a_frame_that_takes_long(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    in_frame, goes_on, alive = threading.Event(), threading.Event(), []
    monkeypatch.setattr(live, "advance", lambda: (in_frame.set(), goes_on.wait(), live.frame)[-1])
    monkeypatch.setattr(live, "_initialise", lambda: alive.append(thread.is_alive()))
    live.start()
    in_frame.wait()
    thread, join = live._thread, live._thread.join

    def joined(timeout: float | None = None) -> None:
        if timeout is None:  # a limit is over before the frame is
            goes_on.set()
            join()

    monkeypatch.setattr(thread, "join", joined)
    live.reset()
    goes_on.set()
    join()
    assert alive == [False], "the weights were reloaded under the running thread"


def test_started_by_a_callback_it_goes_on_in_its_thread(live: LiveTraining) -> None:
    threads, over = [], threading.Event()

    def callback(frame: dict) -> None:
        threads.append(threading.current_thread())
        live.stop_soon()
        if len(threads) < 3:
            live.start()
        else:
            over.set()

    live.add_callback(callback)
    live.start()
    over.wait()
    live.pause()
    assert threads == [live._thread] * 3


def test_a_callback_that_fails_stops_the_training_and_the_others_are_told(live: LiveTraining) -> None:
    told, over = [], threading.Event()
    live.add_callback(lambda frame: 1 / 0 if "problem" not in frame else None)
    live.add_callback(lambda frame: (told.append(frame.get("problem")), "problem" in frame and over.set()))
    live.start()
    assert over.wait(30)
    live.pause()
    assert told == [None, "ZeroDivisionError: division by zero"] and not live.running


def test_history_stays_short_and_keeps_both_ends(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.workshop.live_training.frame_of", lambda *_: {"theta": [0] * 32})
    monkeypatch.setattr("kit.workshop.live_training.look", lambda *_: None)
    for step in range(1, 1000):
        live._append_frame({"step": step, "seconds": 0.0})
        assert live.frame["step"] == step
    assert len(live.history) <= MAX_FRAMES and live.history[0]["step"] == 0


def test_too_little_text_is_told() -> None:
    with pytest.raises(KitError, match="expected 6 premises"):
        split_monitored([], [])


def test_a_training_that_diverges_stops_and_says_so(live: LiveTraining) -> None:
    told, over = [], threading.Event()
    live.add_callback(lambda frame: "problem" in frame and (told.append(frame["problem"]), over.set()))
    live.advance(steps=2)
    with torch.no_grad():
        next(live._encoder.parameters())[:] = float("nan")
    live.start()
    over.wait()
    assert told[0].startswith("expected a finite loss and gradient in step 3") and not live.running
    assert live.frame["step"] == 2 and np.isfinite(live.frame["sts"])
    live.reset()
    assert live.advance(steps=1)["step"] == 1


def test_an_interrupted_frame_leaves_the_encoder_ready(live: LiveTraining, monkeypatch: pytest.MonkeyPatch) -> None:
    backward = live._trainer.backward

    def interrupted(batch):
        backward(batch)
        raise KeyboardInterrupt

    monkeypatch.setattr(live._trainer, "backward", interrupted)
    with pytest.raises(KeyboardInterrupt):
        live.advance(steps=1)
    assert not live._encoder.training and all(p.grad is None for p in live._encoder.parameters())
    monkeypatch.undo()
    assert live.advance(steps=1)["step"] == 1


def test_a_callback_that_is_removed_is_not_called(live: LiveTraining) -> None:
    seen = []
    live.add_callback(seen.append)
    live.remove_callback(seen.append)
    live.start()
    live.pause()
    assert seen == []
