"""Transfer: labels that are there are found, shuffled ones are not, and no test row helps to choose."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from kit.data import Source, load_transfer
from kit.data.transfer_tasks import TRANSFER_TASKS, TransferTask
from kit.errors import KitError
from kit.evaluation import evaluate_transfer
from kit.evaluation.logistic import Protocol, choose_strength, comparison_features, fit_classifiers, predict_held_out
from kit.storage.result_cache import ResultCache, content_hash

QUICK = Protocol(folds=4, inner_folds=3, strengths=(0.01, 1.0))
GIVEN = ("train", "train", "train", "validation", "test")


class Planted:
    """Row number → a vector that knows its label up to noise; column 0 is the row's number."""

    def __init__(self, task: TransferTask, noise: float = 1.0, seed: int = 0):
        generator = np.random.default_rng(seed)
        self.place = {text: row for row, text in enumerate(task.texts)}
        signal = np.eye(len(task.classes))[task.labels]
        self.vectors = np.hstack([np.arange(len(task))[:, None], signal + noise * generator.normal(size=signal.shape)])
        self.calls = 0

    def encode(self, sentences):
        self.calls += 1
        return self.vectors[[self.place[text] for text in sentences]]


def make(
    name: str = "MR",
    rows: int = 120,
    classes: int = 2,
    splits: tuple[str, ...] = ("all",),
    seed: int = 0,
    tier: str = "path",
) -> TransferTask:
    labels = np.random.default_rng(seed).permutation(np.arange(rows) % classes).tolist()
    source = Source(name, "all", tier, "here", "sha256:0", rows)
    return TransferTask(
        name,
        [f"{name} {row}" for row in range(rows)],
        None,
        labels,
        [splits[row % len(splits)] for row in range(rows)],
        {label: f"class {label}" for label in range(classes)},
        (source,),
    )


@pytest.mark.slow
def test_a_planted_label_is_found_and_a_shuffled_one_is_not():
    """Leakage of any kind would lift the shuffled accuracy above guessing."""
    for splits in [("all",), GIVEN]:
        task = make(rows=600, classes=3, splits=splits)
        found = evaluate_transfer(Planted(task, noise=0.2), task, progress=False, protocol=QUICK)["MR"]
        assert found.accuracy > 90 and found.tested == (600 if splits == ("all",) else 120)
        accuracies = []
        for seed in range(6):
            encoder = Planted(task, noise=0.2)
            encoder.vectors = np.random.default_rng(seed).permutation(encoder.vectors)
            accuracies.append(evaluate_transfer(encoder, task, progress=False, protocol=QUICK)["MR"].accuracy)
        assert abs(np.mean(accuracies) - 100 / 3) < 5.5  # 3.1 standard errors of 720 tested rows


@pytest.mark.parametrize("splits", [("all",), GIVEN, ("train", "train", "test")])
def test_scaler_and_strength_never_see_a_test_row(monkeypatch, splits):
    """Column 0 tells the rows: what is fitted before a prediction has none of the rows predicted."""
    task = make(rows=60, splits=splits)
    features = np.hstack([np.arange(60.0)[:, None], np.random.default_rng(0).normal(size=(60, 3))])
    scaled, fitted, predicted = [], [], []
    scale, fit, transform = StandardScaler.fit, LogisticRegression.fit, StandardScaler.transform
    monkeypatch.setattr(StandardScaler, "fit", lambda self, X, *_: (scaled.append(set(X[:, 0])), scale(self, X))[1])
    monkeypatch.setattr(LogisticRegression, "fit", lambda self, X, y: (fitted.append(len(X)), fit(self, X, y))[1])
    monkeypatch.setattr(
        StandardScaler, "transform", lambda self, X: (predicted.append(set(X[:, 0])), transform(self, X))[1]
    )
    found = predict_held_out(features, task.labels, task.splits, QUICK)
    models = 4 if splits == ("all",) else 1
    inner = 1 if "validation" in splits else 3
    assert len(scaled) == models * (inner + 1) and len(found.strengths) == models
    assert len(fitted) == models * (inner * 2 + 1)
    held = [rows for rows in predicted if rows not in scaled]  # everything else that was transformed
    for model in range(models):
        *choosing, last = scaled[model * (inner + 1) : (model + 1) * (inner + 1)]
        tested = set(range(60)) - last - ({row for row in range(60) if task.splits[row] == "validation"})
        assert tested in held and not any(tested & seen for seen in (*choosing, last))
        if splits == ("all",):
            assert len(last) == 45
        else:
            assert last == {row for row in range(60) if task.splits[row] == "train"}  # the full train set, no more
            assert tested == {row for row in range(60) if task.splits[row] == "test"} == set(found.rows)


def test_every_row_is_tested_once_under_cross_validation():
    task = make(rows=83)
    found = predict_held_out(Planted(task).vectors, task.labels, None, QUICK)
    assert found.rows.tolist() == list(range(83)) and len(found.labels) == 83
    fewest = make(rows=8)  # a row of each class in every fold
    assert predict_held_out(Planted(fewest).vectors, fewest.labels, None, QUICK).rows.tolist() == list(range(8))


def test_the_protocols_seed_draws_the_folds(monkeypatch):
    """Those outside and those inside: which rows each model is fitted to."""
    task, fitted = make(rows=40), []
    features = np.hstack([np.arange(40.0)[:, None], np.random.default_rng(0).normal(size=(40, 2))])
    fit = StandardScaler.fit
    monkeypatch.setattr(StandardScaler, "fit", lambda self, X, *_: (fitted.append(set(X[:, 0])), fit(self, X))[1])
    outer, inner = slice(3, None, 4), slice(3)  # of each model three inner folds come before the one outside
    for splits, which in ((None, outer), (["train"] * 30 + ["test"] * 10, inner)):
        found = []
        for seed in (0, 0, 1):
            fitted.clear()
            predict_held_out(features, task.labels, splits, replace(QUICK, seed=seed))
            found.append(fitted[which])
        assert found[0] == found[1] != found[2]


def test_the_strength_is_the_one_with_the_most_validation_rows_right():
    """One column knows the label, sixty are noise: C decides, and 30 other rows say which C."""
    generator = np.random.default_rng(0)
    labels = np.arange(90) % 2
    knows = labels[:, None] + 0.8 * generator.normal(size=(90, 1))
    features = np.hstack([knows, generator.normal(size=(90, 60))])
    right = {}
    for strength in (1e-4, 1e4):  # what each would get right on those 30 rows, had they been the test
        alone = predict_held_out(
            features[:70], labels[:70], ["train"] * 40 + ["test"] * 30, Protocol(strengths=(strength,), inner_folds=2)
        )
        right[strength] = int((alone.labels == labels[alone.rows]).sum())
    assert right[1e-4] != right[1e4]
    found = predict_held_out(
        features, labels, ["train"] * 40 + ["validation"] * 30 + ["test"] * 20, Protocol(strengths=(1e-4, 1e4))
    )
    assert found.strengths == (max(right, key=right.get),)


def test_of_equally_good_strengths_it_is_the_smallest():
    labels = np.arange(60) % 2
    features, places = 9.0 * labels[:, None] - 4.5, np.arange(60)
    protocol = Protocol(strengths=(1.0, 10.0, 0.1))
    assert choose_strength(features, labels, places[:40], places[40:], protocol) == 0.1


def test_the_protocol_is_that_of_senteval():
    """Ten folds, and C in steps of ten, chosen by five inner ones."""
    assert Protocol().strengths == tuple(10.0**power for power in range(-3, 2))
    assert (Protocol().folds, Protocol().inner_folds) == (10, 5)


def test_arrays_are_scored_as_lists_are_and_cached_alike(tmp_path):
    task, protocol = make(rows=40), Protocol(folds=2, inner_folds=2, strengths=(1.0,))
    arrays = replace(task, texts=np.array(task.texts), labels=np.array(task.labels), splits=np.array(task.splits))
    ways = [evaluate_transfer(Planted(task), given, tmp_path, False, protocol)["MR"] for given in (task, arrays)]
    assert ways[0].accuracy == ways[1].accuracy and len(list(tmp_path.iterdir())) == 1


def test_a_kept_result_is_of_these_vectors_labels_and_splits(tmp_path):
    task, protocol = make(rows=40), Protocol(folds=2, inner_folds=2, strengths=(1.0,))
    turned, parted = replace(task, labels=task.labels[::-1]), replace(task, splits=["train"] * 30 + ["test"] * 10)
    cases = ((Planted(task), task), (Planted(task, seed=1), task), (Planted(task), turned), (Planted(task), parted))
    for encoder, given in cases:
        kept, anew = (evaluate_transfer(encoder, given, cache, False, protocol)["MR"] for cache in (tmp_path, None))
        assert kept == anew
    assert len(list(tmp_path.iterdir())) == len(cases)


def test_the_batch_size_reaches_the_encoder():
    task, asked = make(rows=20), []

    class Sized(Planted):
        def encode(self, sentences, batch_size=64):
            asked.append(batch_size)
            return super().encode(sentences)

    protocol = Protocol(folds=2, inner_folds=2, strengths=(1.0,))
    evaluate_transfer(Sized(task), task, progress=False, protocol=protocol, batch_size=7)
    assert asked == [7]


def test_a_bar_says_what_is_done_and_counts_the_models(capsys):
    task = make(rows=40)
    report = evaluate_transfer(Planted(task), task, protocol=Protocol(folds=2, inner_folds=2, strengths=(1.0,)))
    shown = capsys.readouterr().err
    assert "encode MR" in shown and "classify MR" in shown and "2/2" in shown
    assert report["MR"].protocol == "2-fold"


def test_pairs_use_both_sentences_and_give_f1():
    generator = np.random.default_rng(0)
    labels = (np.arange(200) % 2).tolist()
    vectors = {f"a {row}": generator.normal(size=4) for row in range(200)}
    vectors |= {
        f"b {row}": vectors[f"a {row}"] + (0.1 if labels[row] else 3) * generator.normal(size=4) for row in range(200)
    }
    source = Source("MRPC", "train", "path", "here", "sha256:0", 200)
    task = TransferTask(
        "MRPC",
        [f"a {row}" for row in range(200)],
        [f"b {row}" for row in range(200)],
        labels,
        [GIVEN[row % 5] for row in range(200)],
        {0: "other", 1: "same"},
        (source,),
    )

    class Table:
        def encode(self, sentences):
            return np.array([vectors[text] for text in sentences])

    found = evaluate_transfer(Table(), task, progress=False)["MRPC"]
    assert found.accuracy > 90 and found.f1 > 90
    vectors.update({f"b {row}": vectors[f"a {row}"] + 9 * (1 - labels[row]) for row in range(200)})
    apart = evaluate_transfer(Table(), task, progress=False)["MRPC"]
    assert apart.accuracy == apart.f1 == 100
    u, v = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    assert comparison_features(u, v).tolist() == [[2, 3, 3, -2]]
    np.testing.assert_array_equal(comparison_features(u, v), comparison_features(v, u))


@pytest.mark.slow
def test_an_interrupted_evaluation_goes_on_where_it_was(tmp_path, monkeypatch):
    tasks = [make("MR"), make("CR", seed=1), make("SUBJ", seed=2)]

    class All:
        def encode(self, sentences):
            name = sentences[0].split()[0]
            return next(Planted(task) for task in tasks if task.name == name).encode(sentences)

    import kit.evaluation.transfer_evaluation as transfer

    real, classified = transfer.predict_held_out, []

    def interrupted(features, *rest, **options):
        if len(classified) == 2:
            raise KeyboardInterrupt
        classified.append(len(features))
        return real(features, *rest, **options)

    monkeypatch.setattr(transfer, "predict_held_out", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate_transfer(All(), tasks, cache=tmp_path, progress=False, protocol=QUICK)
    monkeypatch.setattr(
        transfer, "predict_held_out", lambda *args, **options: (classified.append(0), real(*args, **options))[1]
    )
    resumed = evaluate_transfer(All(), tasks, cache=tmp_path, progress=False, protocol=QUICK)
    assert len(classified) == 3  # only the third
    assert resumed == evaluate_transfer(All(), tasks, progress=False, protocol=QUICK)
    count = len(classified)
    evaluate_transfer(All(), tasks, cache=tmp_path, progress=False, protocol=Protocol(folds=5, inner_folds=3))
    assert len(classified) == count + 3  # other settings, nothing stale


def test_the_key_changes_with_vectors_labels_and_settings():
    vectors = np.ones((3, 2))
    labels, settings = [0, 1, 0], {"folds": 10}
    others = [
        (vectors, labels, settings),
        (vectors + 1e-12, labels, settings),
        (vectors, [0, 1, 1], settings),
        (vectors, labels, {"folds": 9}),
        (vectors.T, labels, settings),
        (vectors.astype("f4"), labels, settings),
    ]
    assert len({content_hash(*ingredients) for ingredients in others}) == 6
    assert content_hash(vectors, labels, settings) == content_hash(np.ones((3, 2)), [0, 1, 0], {"folds": 10})
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})


def test_a_damaged_result_is_computed_again_and_an_unwritable_folder_refused(tmp_path):
    cache = ResultCache(tmp_path / "new")
    cache.put("x", {"accuracy": 1})
    assert cache.get("x") == {"accuracy": 1} and cache.get("y") is None
    (tmp_path / "new" / "x.json").write_text('{"accu')
    assert cache.get("x") is None
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["x.json"]
    cache.put("probe", {"of": "the reader"})
    assert ResultCache(tmp_path / "new").get("probe") == {"of": "the reader"}
    (tmp_path / "file").write_text("")
    with pytest.raises(KitError, match="choose another folder"):
        evaluate_transfer(Planted(make()), make(), cache=tmp_path / "file" / "cache", progress=False)


def test_a_cache_that_cannot_be_written_is_told_before_the_work(tmp_path, monkeypatch):
    """The folder is there, and takes nothing new: so it is on a read-only or a full disk."""

    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    encoder = Planted(make())
    with monkeypatch.context() as patch, pytest.raises(KitError, match="'Read-only file system': choose another"):
        patch.setattr(os, "mkdir", refuse)
        patch.setattr(os, "fsync", refuse)
        evaluate_transfer(encoder, make(), cache=tmp_path, progress=False, protocol=QUICK)
    assert encoder.calls == 0


@pytest.mark.slow
def test_without_one_of_the_tasks_there_is_no_average():
    tasks = {name: make(name, rows=40, seed=place) for place, name in enumerate(TRANSFER_TASKS)}

    class All:
        def encode(self, sentences):
            return Planted(tasks[sentences[0].rpartition(" ")[0]]).encode(sentences)

    whole = evaluate_transfer(All(), tasks, progress=False, protocol=QUICK)
    figures = {task.name: task.accuracy for task in whole.tasks}
    assert whole.average == pytest.approx(np.mean(list(figures.values()))) == whole.averages["eight"]
    assert whole.averages["seven"] == pytest.approx(np.mean([v for k, v in figures.items() if k != "SST-5"]))
    assert whole.table().splitlines()[-1].split() == ["average", f"{whole.average:.2f}"]
    del tasks["TREC"]
    part = evaluate_transfer(All(), tasks, progress=False, protocol=QUICK)
    assert part.average is None and part.missing == ("TREC",) and part.averages == {"eight": None, "seven": None}
    assert "average" not in part.table() and "No average: it would need TREC too." in part.summary()
    assert "No average: it would need TREC too." in str(part)


def test_the_report_in_all_its_forms_has_the_same_figures():
    task = make(rows=60, tier="world")
    report = evaluate_transfer(Planted(task), task, progress=False, protocol=QUICK, average_over=["MR"])
    shown, most = f"{report['MR'].accuracy:.2f}", f"{report['MR'].largest_class:.2f}"
    assert shown != most and shown in report.table("markdown")
    row, average = (line.split() for line in report.table().splitlines()[-2:])
    assert row == ["MR", "(world)", "60", "4-fold", shown, most] and average == ["average", shown]
    assert f"MR (world) {shown}; average {shown}." in report.summary()
    plain = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert plain["tasks"]["MR"]["accuracy"] == report["MR"].accuracy == report.average
    assert plain["tasks"]["MR"]["made_up"] is True and plain["tasks"]["MR"]["protocol"] == "4-fold"
    with pytest.raises(KitError, match="did you mean 'MR'"):
        report["MRR"]


def test_constant_embeddings_name_one_class_and_are_told():
    class Constant:
        def encode(self, sentences):
            return np.ones((len(sentences), 3))

    task = make(rows=60)
    task.labels[:] = [int(row % 3 == 0) for row in range(60)]
    report = evaluate_transfer(Constant(), task, progress=False, protocol=QUICK)
    assert report["MR"].accuracy == report["MR"].largest_class == pytest.approx(200 / 3)
    assert "all rows have the same features" in report.summary()


def test_the_largest_class_is_that_of_the_rows_tested():
    """Of all rows class 0 has two thirds, of those tested all."""
    task = make(rows=60, splits=("train", "test"))
    task.labels[:] = [int(row % 2 == 0 and row % 6 > 0) for row in range(60)]
    report = evaluate_transfer(Planted(task), task, progress=False, protocol=QUICK)
    assert report["MR"].tested == 30 and report["MR"].largest_class == 100


def test_classifiers_that_did_not_converge_are_counted():
    task = make(rows=120)
    protocol = Protocol(folds=3, inner_folds=2, strengths=(100.0,), iterations=1)
    report = evaluate_transfer(Planted(task), task, progress=False, protocol=protocol)
    assert "3 of 3 classifiers stopped before they converged" in report.summary()


def test_the_solver_stops_at_the_protocols_iterations(monkeypatch):
    task, fit, taken = make(rows=120), LogisticRegression.fit, []
    monkeypatch.setattr(
        LogisticRegression, "fit", lambda self, X, y: (fit(self, X, y), taken.append(int(self.n_iter_.max())))[0]
    )
    labels = np.array(task.labels)
    ((_, _, converged),) = fit_classifiers(Planted(task).vectors, labels, (100.0,), Protocol(iterations=2))
    assert taken == [2] and not converged


def test_bad_tasks_are_one_clear_sentence():
    for task, message in [
        ([], "at least one transfer task"),
        (["MR"], "got str"),
        ([make(), make()], "each transfer task once"),
        (make(rows=6), "at least 4 rows for 4 folds"),
        (make(rows=40, classes=1, splits=("train", "test")), "at least two classes"),
        (make(rows=40, splits=("train", "validation")), "train, test and perhaps validation"),
        (TransferTask("MR", ["a", "b"], None, [1], ["all"], {1: "x"}, ()), "got 2 texts, 1 labels, 1 splits"),
    ]:

        class Any:
            def encode(self, sentences):
                return np.random.default_rng(0).normal(size=(len(sentences), 3))

        with pytest.raises(KitError, match=message):
            evaluate_transfer(Any(), task, progress=False, protocol=QUICK)


def test_bad_input_is_one_clear_sentence():
    for call, message in [
        (lambda: Protocol(folds=1), "at least 2 folds"),
        (lambda: Protocol(strengths=()), "above 0"),
        (lambda: Protocol(strengths=(0.0,)), "above 0"),
        (lambda: comparison_features(np.ones((2, 3)), np.ones((2, 4))), "one shape"),
        (lambda: predict_held_out(np.ones((3, 2)), [0, 1]), "each of 3 rows"),
        (lambda: predict_held_out(np.full((2, 2), np.nan), [0, 1]), "NaN"),
        (lambda: evaluate_transfer("kit-bert-tiny", make()), "a method encode"),
    ]:
        with pytest.raises(KitError, match=message):
            call()


@pytest.mark.slow
def test_the_worlds_opinions_are_told_apart_by_the_bundled_encoder():
    """A whole chain with a real encoder: far above guessing, on 300 made-up sentences."""
    from kit.encoder import load_encoder

    tasks = load_transfer(["opinions", "questions"], rows=300)
    report = evaluate_transfer(load_encoder(), tasks, progress=False, protocol=QUICK, average_over=list(tasks))
    assert report["opinions"].accuracy > 65 and report["questions"].accuracy > 60
    assert report["questions"].largest_class < 40 and report.average is not None
