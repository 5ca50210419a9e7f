"""Probing an encoder: what is in the vectors is found, what is not there is not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import binomtest

from kit.errors import KitError
from kit.world.probing_accuracy import MADE_UP, BagOfWords, ProbingReport, ProbingScore, evaluate_probing
from kit.world.probing_tasks import PROBING_TASKS, probing_task

pytestmark = pytest.mark.slow

ROWS = 600


class Knows:
    """Vectors of noise, and one coordinate that holds what `about` says of a sentence."""

    def __init__(self, about) -> None:
        self.about, self.calls = about, 0

    def encode(self, sentences: list[str]) -> np.ndarray:
        self.calls += 1
        noise = np.random.default_rng(0).standard_normal((len(sentences), 8))
        return np.column_stack([noise, [self.about(text) for text in sentences]])


def labels_of(task) -> dict[str, int]:
    return {text: label for part in (task.train, task.validation, task.test) for text, label in zip(*part)}


@pytest.mark.parametrize("name", ["Tense", "SubjNum", "BShift", "CoordInv"])
def test_what_a_vector_holds_is_read_off(name: str) -> None:
    known = labels_of(probing_task(name, ROWS))
    report = evaluate_probing(Knows(known.get), name, rows=ROWS, progress=False)
    assert report[name].accuracy == 100 and report[name].converged and report.mean == 100


def test_a_report_offers_nothing_that_it_has_not_and_a_seed_is_a_number() -> None:
    assert not {"notes", "missing", "why_no_average"} & set(dir(ProbingReport))
    with pytest.raises(KitError, match="expected seed as"):
        evaluate_probing(BagOfWords(), "Tense", seed=[1])


@pytest.mark.parametrize("name", ["Tense", "SentLen"])
def test_noise_is_guessing(name: str) -> None:
    task = evaluate_probing(Knows(lambda text: 0.0), name, rows=3000, progress=False)[name]
    assert abs(task.accuracy - task.chance) < 9


def test_words_alone_tell_what_words_tell() -> None:
    """The control: word content yes, the order of words no."""
    report = evaluate_probing(BagOfWords(), ["WC", "BShift", "CoordInv"], rows=1800, progress=False)
    assert report["WC"].accuracy > 95
    assert max(abs(report[name].accuracy - 50) for name in ("BShift", "CoordInv")) < 9


def test_the_bag_of_words_has_no_order_and_no_memory() -> None:
    one, other, more = BagOfWords(16).encode(["The dog sees a cat.", "A cat, the dog sees.", "A man sees a cat."])
    assert np.allclose(one, other) and not np.allclose(one, more)
    assert np.array_equal(BagOfWords(16).encode(["the dog sees a cat"])[0], one)
    assert BagOfWords(16).encode([]).shape == (0, 16)


def test_the_bundled_encoder_knows_more_than_its_words() -> None:
    from kit.encoder import load_encoder

    encoder, names = load_encoder(), ["Tense", "SubjNum", "BShift"]
    trained, words = (evaluate_probing(one, names, rows=1200, progress=False) for one in (encoder, BagOfWords()))
    for name in names:
        assert trained[name].accuracy > words[name].accuracy + 5


def test_the_report_says_what_it_measured() -> None:
    report = evaluate_probing(BagOfWords(), ["WC", "Tense"], rows=ROWS, progress=False)
    found = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert found["mean"] == pytest.approx((report["WC"].accuracy + report["Tense"].accuracy) / 2) and found["made_up"]
    assert found["tasks"]["Tense"]["chance"] == 50 and found["tasks"]["Tense"]["tested"] == 100
    assert f"WC {report['WC'].accuracy:.1f} (guessing 3.3)" in report.summary() and MADE_UP in report.summary()
    assert "the tense of the verb" in str(report) and str(report).endswith(MADE_UP)
    assert report.table("markdown").startswith("| task | asks for |")
    with pytest.raises(KitError, match="unknown probing task 'SOMO'"):
        report["SOMO"]


def test_the_interval_is_wilsons() -> None:
    """As SciPy's."""
    for right, n in [(50, 100), (100, 100), (0, 50)]:
        score = ProbingScore("x", "x", 2, 100 * right / n, 50.0, n, 1.0, True)
        low, high = binomtest(right, n).proportion_ci(0.95, "wilson")
        assert score.interval == pytest.approx((100 * low, 100 * high), abs=1e-9)


def test_what_was_classified_before_is_read(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit.world import probing_accuracy as probing

    first = evaluate_probing(BagOfWords(), ["Tense", "WC"], rows=ROWS, cache=tmp_path, progress=False)
    assert len(list(tmp_path.glob("*.json"))) == 2
    monkeypatch.setattr(probing, "predict_held_out", lambda *_: pytest.fail("classified again"))
    assert evaluate_probing(BagOfWords(), ["Tense", "WC"], rows=ROWS, cache=tmp_path, progress=False) == first
    with pytest.raises(BaseException, match="classified again"):
        evaluate_probing(BagOfWords(64), "Tense", rows=ROWS, cache=tmp_path, progress=False)


def test_tasks_may_be_made_before() -> None:
    mine = probing_task("Tense", ROWS, seed=3)
    assert evaluate_probing(BagOfWords(), mine, progress=False) == evaluate_probing(
        BagOfWords(), "Tense", rows=ROWS, seed=3, progress=False
    )


def test_all_ten_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "kit.world.probing_accuracy._score",
        lambda encoder, task, kept, batch_size: ProbingScore(
            task.name, task.asks, len(task.classes), 60.0, task.chance, 10, 1.0, True
        ),
    )
    report = evaluate_probing(BagOfWords(), rows=200, progress=False)
    assert [task.name for task in report.tasks] == list(PROBING_TASKS) and len(PROBING_TASKS) == 10
    assert isinstance(report, ProbingReport) and report.mean == 60


def test_bad_input_is_told() -> None:
    words = BagOfWords()
    with pytest.raises(KitError, match="unknown probing task 'Tence'"):
        evaluate_probing(words, ["Tence"], progress=False)
    for bad in ([], ["WC", "WC"]):
        with pytest.raises(KitError, match="expected some probing tasks, each once"):
            evaluate_probing(words, bad, progress=False)
    with pytest.raises(KitError, match="rows as a whole number from 100"):
        evaluate_probing(words, "WC", rows=10, progress=False)
    with pytest.raises(KitError, match="expected an encoder with a method encode"):
        evaluate_probing("kit-bert-tiny", progress=False)
    with pytest.raises(KitError, match="finite embeddings"):
        evaluate_probing(Knows(lambda text: np.nan), "Tense", rows=ROWS, progress=False)
