"""evaluate_sts: every sentence once, the right pairs, an honest report, clear refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from kit.data import STS_TASKS, Source, StsTask
from kit.errors import KitError
from kit.evaluation import (
    AGGREGATIONS,
    CORRELATIONS,
    SIMILARITIES,
    Difference,
    StsComparison,
    aggregate,
    compare_sts,
    evaluate_sts,
    pair_cosines,
    pearson,
    rescore,
    spearman,
    with_intervals,
)
from kit.evaluation.encoding import encode_distinct
from kit.evaluation.intervals import _seed
from kit.evaluation.significance import interval, p_value, resample, swapped_differences
from kit.evaluation.sts_report import SIMILARITY

WORDS = ("boat", "river", "child", "red", "kite", "sleeps")


class CountingEncoder:
    """Counts letters: vectors one can check by hand. Remembers what it was asked to encode."""

    def __init__(self):
        self.calls: list[list[str]] = []

    def vector(self, sentence: str) -> list[float]:
        return [float(sentence.count(letter)) for letter in "abcdehiklprsv "]

    def encode(self, sentences):
        self.calls.append(list(sentences))
        return torch.tensor([self.vector(sentence) for sentence in sentences])


class Constant:
    def encode(self, sentences):
        return np.full((len(sentences), 3), 0.7, dtype=np.float32)


def source(name="made/here", tier="path"):
    return Source(name, "test", tier, "pairs.parquet", "sha256:0", 4)


def make_task(name="STS-B", pairs=12, subsets=("one", "two"), seed=0, tier="path") -> StsTask:
    rng = np.random.default_rng(seed)
    say = lambda: " ".join(rng.choice(WORDS, size=rng.integers(1, 6)))  # noqa: E731
    return StsTask(
        name,
        [say() for _ in range(pairs)],
        [say() for _ in range(pairs)],
        rng.uniform(0, 5, size=pairs).tolist(),
        [subsets[i % len(subsets)] for i in range(pairs)],
        source(name, tier),
    )


def all_seven(**options) -> dict[str, StsTask]:
    return {name: make_task(name, seed=i, **options) for i, name in enumerate(STS_TASKS)}


def test_each_distinct_sentence_is_encoded_once_over_all_tasks():
    encoder, tasks = CountingEncoder(), all_seven()
    tasks["STS13"].sentences1[0] = tasks["STS12"].sentences2[3]
    report = evaluate_sts(encoder, tasks, progress=False)
    distinct = {s for task in tasks.values() for s in task.sentences1 + task.sentences2}
    assert len(encoder.calls) == 1
    assert len(encoder.calls[0]) == len(distinct) == report.sentences
    assert set(encoder.calls[0]) == distinct
    lengths = [len(sentence) for sentence in encoder.calls[0]]
    assert lengths == sorted(lengths)


def test_scores_are_those_of_the_pairs_in_the_order_given():
    encoder, task = CountingEncoder(), make_task(pairs=40)
    first = [encoder.vector(sentence) for sentence in task.sentences1]
    second = [encoder.vector(sentence) for sentence in task.sentences2]
    expected = aggregate(pair_cosines(first, second), task.scores, task.subsets)
    found = evaluate_sts(encoder, task)["STS-B"]
    assert found.scores == expected and found.pairs == 40
    assert expected.all != expected.mean


def test_the_order_and_form_of_the_tasks_do_not_matter():
    tasks = all_seven()
    mapping = evaluate_sts(CountingEncoder(), tasks)
    backwards = evaluate_sts(CountingEncoder(), list(tasks.values())[::-1])
    assert all(mapping[name].scores == backwards[name].scores for name in STS_TASKS)


def test_options_are_passed_on_where_the_encoder_has_them():
    asked = {}

    class Ours(CountingEncoder):
        def encode(self, sentences, batch_size=1, progress=True):
            asked["ours"] = (batch_size, progress)
            return super().encode(sentences)

    class Theirs(CountingEncoder):
        def encode(self, sentences, batch_size=1, show_progress_bar=None):
            asked["theirs"] = (batch_size, show_progress_bar)
            return super().encode(sentences)

    evaluate_sts(Ours(), make_task(), batch_size=8, progress=False)
    evaluate_sts(Theirs(), make_task(), batch_size=16, progress=True)
    assert asked == {"ours": (8, False), "theirs": (16, True)}


def test_the_average_is_over_all_seven_tasks_in_each_aggregation():
    report = evaluate_sts(CountingEncoder(), all_seven())
    for kind in ("all", "mean", "wmean"):
        seven = [getattr(report[name].scores, kind) for name in STS_TASKS]
        assert getattr(report.average, kind) == pytest.approx(sum(seven) / 7)
    assert report.table().splitlines()[-1].startswith("average")


def test_without_one_of_the_tasks_there_is_no_average():
    tasks = all_seven()
    del tasks["STS14"]
    report = evaluate_sts(CountingEncoder(), tasks)
    assert report.average.all is None and "average" not in report.table()
    assert "No average: it would need STS14 too." in report.summary()
    named = evaluate_sts(CountingEncoder(), tasks, average_over=("STS12", "STS13"))
    pair = [named["STS12"].scores.all, named["STS13"].scores.all]
    assert named.average.all == pytest.approx(sum(pair) / 2)
    assert "No average" in evaluate_sts(CountingEncoder(), tasks, average_over=()).summary()


def test_an_undefined_task_leaves_the_average_undefined():
    tasks = all_seven()
    tasks["STS15"].scores[:] = [2.0] * len(tasks["STS15"])
    report = evaluate_sts(CountingEncoder(), tasks)
    assert report["STS15"].scores.all is None and report.average.all is None
    assert report.table().splitlines()[-1].split() == ["average", "–", "–", "–"]
    assert "do not have two different gold scores" in report.summary()


def test_constant_embeddings_are_undefined_and_never_nan():
    report = evaluate_sts(Constant(), make_task())
    assert report["STS-B"].scores.all is None
    text = report.table(subsets=True) + report.summary() + str(report) + json.dumps(report.as_dict())
    assert "nan" not in text.lower() and "–" in report.table()
    assert "STS-B (one): the correlation is undefined" in report.summary()
    assert "do not have two different cosines" in report.summary()


def test_what_does_not_differ_is_named_where_subsets_are_numbers():
    first, second = ("a dog", "a red cat", "a hat", "a kite"), ("a cat", "a dog runs", "a bird", "a hat")
    task = StsTask("own", first, second, [2.0, 2.0, 1.0, 3.0], (1, 1, 2, 2), source("own"))
    said = evaluate_sts(CountingEncoder(), task).summary()
    assert "own (1): the correlation is undefined, because its 2 pairs do not have two different gold scores" in said


def test_a_zero_vector_counts_as_cosine_zero_and_is_told():
    task = make_task(pairs=4, subsets=("one",))
    task.sentences1[2] = "gogo"  # none of the letters that the encoder counts
    report = evaluate_sts(CountingEncoder(), task)
    assert report.notes == ("STS-B: 1 of 4 pairs have a sentence with a zero vector; their cosine counts as 0.",)
    assert report["STS-B"].scores.all is not None
    assert rescore(report, "dot").notes == (), "a dot product needs no direction"
    turned = replace(task, sentences1=task.sentences2, sentences2=task.sentences1)
    assert evaluate_sts(CountingEncoder(), turned).notes == report.notes
    assert evaluate_sts(CountingEncoder(), make_task()).notes == (), "without a zero vector nothing is told of it"


def test_two_evaluations_of_one_encoder_are_equal_and_print_no_vectors():
    first, again = (evaluate_sts(CountingEncoder(), make_task()) for _ in range(2))
    assert first == again != evaluate_sts(CountingEncoder(), make_task(seed=1))
    assert "array" not in repr(first)
    assert first["STS-B"].scored != again["STS-B"].scored, "arrays are no truth: theirs is another object"


def test_made_up_tasks_are_labelled_and_not_averaged_with_real_ones():
    tasks = all_seven()
    tasks["STS12"] = make_task("STS12", tier="world")
    report = evaluate_sts(CountingEncoder(), tasks)
    assert "STS12 (world)" in report.table() and "STS12 (world)" in report.summary()
    assert report.average.all is None and "made-up scenes" in report.summary()
    assert report.as_dict()["tasks"]["STS12"]["made_up"] is True
    stand_ins = evaluate_sts(CountingEncoder(), all_seven(tier="world"))
    assert stand_ins.average.all is not None


def test_the_report_in_all_its_forms_has_the_same_figures():
    report = evaluate_sts(CountingEncoder(), make_task())
    scores = report["STS-B"].scores
    figures = [f"{value:.2f}" for value in (scores.all, scores.mean, scores.wmean)]
    text = report.table().splitlines()
    assert text[0].split() == ["task", "pairs", "all", "mean", "wmean"]
    assert text[1].split() == ["STS-B", "12", *figures]
    markdown = report.table("markdown", subsets=True).splitlines()
    assert markdown[1] == "|---|---:|---:|---:|---:|"
    assert markdown[2] == f"| STS-B | 12 | {' | '.join(figures)} |"
    assert markdown[3].startswith("| · one | 6 |") and len(markdown) == 5
    how = "task together (all)", "subsets of a task (mean)", "weighted by their pairs (wmean)"
    for kind, figure, said in zip(("all", "mean", "wmean"), figures, how, strict=True):
        assert f"{said}: STS-B {figure}" in report.summary(kind)
    plain = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert plain["tasks"]["STS-B"]["wmean"] == scores.wmean
    assert plain["tasks"]["STS-B"]["source"]["revision"] == "sha256:0"
    assert plain["tasks"]["STS-B"]["subsets"][1]["pairs"] == 6


def test_the_forms_say_the_correlation_and_the_aggregation_asked_for():
    report = rescore(evaluate_sts(CountingEncoder(), all_seven(subsets=("one", "two", "one"))), correlation="pearson")
    part = report["STS12"].subsets[0]
    assert report.table(subsets=True).splitlines()[2].split() == ["·", "one", "8", f"{part.pearson:.2f}"]
    for kind in AGGREGATIONS:
        assert f"; average {getattr(report.average, kind):.2f}." in report.summary(kind)


def test_a_copy_without_subsets_says_that_its_three_figures_are_one():
    """The Hub's files have no such column; the world's pairs are no English anyway, and STS-B is one collection."""
    years = {name: make_task(name, subsets=(name,), tier="hub", seed=at) for at, name in enumerate(("STS12", "STS13"))}
    report = evaluate_sts(CountingEncoder(), years)
    scores = report["STS12"].scores
    assert scores.all == scores.mean == scores.wmean
    assert [note.split(":")[0] for note in report.notes] == [
        "This copy of STS12–16 does not say which subset a pair is from, so mean and wmean are the same as all"
    ]
    assert report.summary("wmean").endswith(report.notes[0])
    for task in (
        make_task("STS12", subsets=("MSRpar",), tier="hub"),
        make_task("STS12", tier="hub"),
        make_task("STS12", subsets=("STS12",), tier="world"),
        make_task("STS-B", subsets=("STS-B",), tier="hub"),
        replace(make_task("STS12", subsets=("STS12",)), source=None),
    ):
        assert evaluate_sts(CountingEncoder(), task).notes == ()


def test_unknown_names_are_refused_with_near_matches():
    report = evaluate_sts(CountingEncoder(), make_task())
    with pytest.raises(KitError, match="did you mean 'STS-B'"):
        report["STSB"]
    with pytest.raises(KitError, match="did you mean 'markdown'"):
        report.table("markdwon")
    with pytest.raises(KitError, match="did you mean 'wmean'"):
        report.summary("wmeen")


def test_lists_of_different_lengths_are_refused():
    task = make_task()
    task.scores.pop()
    with pytest.raises(KitError, match="got 12 sentences1, 12 sentences2, 11 scores, 12 subsets"):
        evaluate_sts(CountingEncoder(), task)


def test_an_empty_task_and_no_task_are_refused():
    with pytest.raises(KitError, match="one entry or more for each row in all columns, got 0 sentences1"):
        evaluate_sts(CountingEncoder(), make_task(pairs=0))
    for nothing in ({}, []):
        with pytest.raises(KitError, match="at least one STS task"):
            evaluate_sts(CountingEncoder(), nothing)


def test_what_is_no_task_and_a_task_twice_are_refused():
    with pytest.raises(KitError, match="got str"):
        evaluate_sts(CountingEncoder(), ["STS-B"])
    with pytest.raises(KitError, match="each STS task once"):
        evaluate_sts(CountingEncoder(), [make_task(), make_task()])


def test_scores_that_are_not_finite_are_refused_before_encoding():
    task, encoder = make_task(), CountingEncoder()
    task.scores[5] = float("nan")
    with pytest.raises(KitError, match="gold scores of STS-B, but number 5 is nan"):
        evaluate_sts(encoder, task)
    assert encoder.calls == []


def test_vectors_that_are_not_finite_are_refused():
    class Diverged(Constant):
        def __init__(self, value):
            self.value = value

        def encode(self, sentences):
            vectors = super().encode(sentences)
            vectors[3, 1] = self.value
            return vectors

    for value in (float("nan"), float("inf")):
        with pytest.raises(KitError, match=r"1 of \d+ hold NaN or infinity \(row 3 first\)"):
            evaluate_sts(Diverged(value), make_task())


def test_an_encoder_must_encode_and_return_a_vector_for_each_sentence():
    class Forgetful(Constant):
        def encode(self, sentences):
            return super().encode(sentences)[1:]

    with pytest.raises(KitError, match="one vector for each of"):
        evaluate_sts(Forgetful(), make_task())
    for no_encoder in ("kit-bert-tiny", None):
        with pytest.raises(KitError, match="a method encode"):
            evaluate_sts(no_encoder, make_task())
        with pytest.raises(KitError, match="a method encode"):
            encode_distinct(no_encoder, ["a boat"])


def test_the_same_vectors_by_every_similarity_and_correlation():
    for similarity in SIMILARITIES:
        for correlation in CORRELATIONS:
            encoder, task = CountingEncoder(), make_task(pairs=40)
            first = np.array([encoder.vector(sentence) for sentence in task.sentences1])
            second = np.array([encoder.vector(sentence) for sentence in task.sentences2])
            by_hand = {
                "cosine": pair_cosines(first, second),
                "dot": (first * second).sum(axis=1),
                "euclidean": -np.sqrt(((first - second) ** 2).sum(axis=1)),
            }[similarity]
            report = rescore(evaluate_sts(encoder, task), similarity, correlation)
            measure = spearman if correlation == "spearman" else pearson
            found = report["STS-B"].scores
            assert found.all == pytest.approx(100 * measure(by_hand, task.scores))
            halves = [100 * measure(by_hand[start::2], task.scores[start::2]) for start in (0, 1)]
            assert found.mean == pytest.approx(sum(halves) / 2) == pytest.approx(found.wmean)
            assert report.as_dict()["metric"] == f"{correlation}_{similarity}_x100"
            assert report.summary().startswith(f"{correlation.capitalize()} ×100 of {SIMILARITY[similarity]} and gold")
            assert len(encoder.calls) == 1  # nothing is encoded again


def test_unknown_similarities_and_correlations_are_refused():
    report = evaluate_sts(CountingEncoder(), make_task())
    with pytest.raises(KitError, match="did you mean 'euclidean'"):
        rescore(report, "euclidian")
    with pytest.raises(KitError, match="unknown correlation 'kendall'"):
        rescore(report, correlation="kendall")


def test_every_figure_can_have_its_interval():
    report = evaluate_sts(CountingEncoder(), all_seven(pairs=60), resamples=200)
    for task in report.tasks:
        for kind in AGGREGATIONS:
            around = task.intervals.aggregated[kind]
            assert around.low < getattr(task.scores, kind) < around.high
        assert list(task.intervals.parts) == ["one", "two"]
    widths = [task.intervals.aggregated["all"].high - task.intervals.aggregated["all"].low for task in report.tasks]
    average = report.average_intervals["all"]
    assert average.low < report.average.all < average.high
    assert average.high - average.low < 0.6 * min(widths)  # seven independent tasks: about 1/√7
    assert f"[{average.low:.2f}, {average.high:.2f}]" in report.table().splitlines()[-1]
    assert f"[{report['STS12'].intervals.parts['one'].low:.2f}, " in report.table(subsets=True).splitlines()[2]
    plain = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert plain["average_intervals"]["all"] == [average.low, average.high]
    assert set(plain["tasks"]["STS13"]["intervals"]) == {*AGGREGATIONS, "subsets"}
    assert report == with_intervals(evaluate_sts(CountingEncoder(), all_seven(pairs=60)), 200)
    seeded = evaluate_sts(CountingEncoder(), all_seven(pairs=60), resamples=200, seed=1)
    assert report != seeded == with_intervals(report, 200, seed=1)


def narrowed(half, usual) -> bool:
    """Whether of the same draws the middle half is given, which a normal one has in 0.34 of the width."""
    return half.high - half.low < 0.6 * (usual.high - usual.low)


def test_intervals_are_of_the_confidence_asked_for():
    report = evaluate_sts(CountingEncoder(), all_seven(pairs=30))
    half, usual = (with_intervals(report, 50, confidence=confidence) for confidence in (0.5, 0.95))
    assert {found.confidence for found in half.average_intervals.values()} == {0.5}
    for kind in AGGREGATIONS:
        assert narrowed(half.average_intervals[kind], usual.average_intervals[kind])
        assert narrowed(half["STS12"].intervals.aggregated[kind], usual["STS12"].intervals.aggregated[kind])
    assert narrowed(half["STS12"].intervals.parts["one"], usual["STS12"].intervals.parts["one"])


@pytest.mark.parametrize(("similarity", "correlation"), [("dot", "pearson"), ("euclidean", "spearman")])
def test_intervals_and_p_are_of_the_similarity_and_correlation_of_the_report(similarity, correlation):
    tasks = {"STS-B": make_task(pairs=40)}
    reports = [
        rescore(evaluate_sts(encoder, tasks), similarity, correlation)
        for encoder in (CountingEncoder(), Guessing(tasks, 0.5, 1))
    ]
    scored, seed = [report["STS-B"].scored for report in reports], _seed("STS-B", 0)
    first, second = (one.similarities[similarity] for one in scored)
    pairs = scored[0].gold, scored[0].subsets
    drawn = [resample(values, *pairs, 50, seed, correlation).aggregated["all"] for values in (first, second)]
    assert with_intervals(reports[0], 50)["STS-B"].intervals.aggregated["all"] == interval(drawn[0])
    (row,) = compare_sts(*reports, resamples=50).rows
    between = interval(drawn[0] - drawn[1])
    assert (row.low, row.high) == (between.low, between.high)
    assert row.p == p_value(row.difference, swapped_differences(first, second, *pairs, "all", 50, seed, correlation))


def test_every_task_is_drawn_by_itself():
    """Of the same pairs under another name other resamples: else the average's interval would be too wide."""
    tasks = {name: make_task(name, pairs=60, seed=1) for name in ("STS12", "STS13")}
    first, second = evaluate_sts(CountingEncoder(), tasks, resamples=50).tasks
    assert first.scores == second.scores and first.intervals != second.intervals


def test_intervals_of_what_is_undefined_are_none_and_never_nan():
    report = evaluate_sts(Constant(), all_seven(), resamples=20)
    assert set(report["STS12"].intervals.aggregated.values()) == {None}
    assert "nan" not in (str(report) + json.dumps(report.as_dict())).lower()
    for bad in (1, -5, 2.5, True):
        encoder = CountingEncoder()
        with pytest.raises(KitError, match="resamples as a whole number from 2"):
            evaluate_sts(encoder, make_task(), resamples=bad)
        assert encoder.calls == [], "before anything is encoded"


class Guessing:
    """Vectors that know how near two sentences of `tasks` are, up to noise."""

    def __init__(self, tasks, noise, seed):
        generator = np.random.default_rng(seed)
        self.angle = {}
        for task in tasks.values():
            for first, second, score in zip(task.sentences1, task.sentences2, task.scores, strict=True):
                self.angle[first] = 0.0
                self.angle[second] = (5 - score) / 5 + noise * abs(generator.normal())

    def encode(self, sentences):
        return np.array([[np.cos(self.angle[text]), np.sin(self.angle[text])] for text in sentences])


@pytest.fixture
def apart():
    """Seven tasks whose sentences are all different."""
    tasks = all_seven(pairs=50)
    for name, task in tasks.items():
        for place, column in enumerate((task.sentences1, task.sentences2)):
            column[:] = [f"{name} {place} {row}" for row in range(len(column))]
    return tasks


def test_two_systems_are_compared_pair_by_pair(apart):
    for aggregation in AGGREGATIONS:
        good, bad, twin = (
            evaluate_sts(Guessing(apart, noise, seed), apart) for noise, seed in ((0.2, 0), (0.7, 1), (0.2, 2))
        )
        found = compare_sts(good, bad, aggregation, resamples=200, names=("good", "bad"))
        assert [row.name for row in found.rows] == [*STS_TASKS, "average"]
        for row in found.rows:
            assert row.difference == row.first - row.second and row.low < row.difference < row.high
        average = found["average"]
        assert average.first == getattr(good.average, aggregation)
        assert average.low > 0 and average.p < 0.02
        said = found.summary()
        assert f"excludes zero (p = {average.p:.3f})" in said and "would seldom turn" in said and "seeds" in said
        assert f"{average.difference:+.2f}" in found.table()
        equal = compare_sts(good, twin, aggregation, resamples=200)["average"]
        assert equal.low < 0 < equal.high and equal.p > 0.05
        back = compare_sts(bad, good, aggregation, resamples=200)["average"]
        assert (back.low, back.high, back.p) == pytest.approx((-average.high, -average.low, average.p))
        json.dumps(found.as_dict(), allow_nan=False)


def test_a_difference_has_the_confidence_asked_for(apart):
    reports = [evaluate_sts(Guessing(apart, noise, 0), apart) for noise in (0.3, 0.6)]
    half, usual = (compare_sts(*reports, resamples=50, confidence=confidence) for confidence in (0.5, 0.95))
    assert all(narrowed(half[row.name], row) for row in usual.rows) and "50% interval" in half.summary()


def test_the_average_is_over_the_tasks_named_in_its_interval_and_its_p_too(apart):
    """Tasks beside those change nothing of it."""
    chosen = {name: apart[name] for name in ("STS12", "STS13")}
    few, all_of_them = (
        [evaluate_sts(Guessing(apart, 0.5, seed), tasks, average_over=tuple(chosen)) for seed in (2, 3)]
        for tasks in (chosen, apart)
    )
    assert with_intervals(few[0], 50).average_intervals == with_intervals(all_of_them[0], 50).average_intervals
    row = compare_sts(*all_of_them, resamples=50)["average"]
    assert row == compare_sts(*few, resamples=50)["average"] and 0.02 < row.p < 1


def test_of_two_tasks_that_show_the_same_the_average_is_more_certain():
    """The swaps of each task are its own, so those of the average scatter less."""
    tasks = {name: make_task(name, pairs=60, seed=1) for name in ("STS12", "STS13")}
    for task in tasks.values():
        for side, column in enumerate((task.sentences1, task.sentences2)):
            column[:] = [f"{side} {row}" for row in range(len(column))]
    of_one = {"STS12": tasks["STS12"]}
    one, other = (
        evaluate_sts(Guessing(of_one, noise, seed), tasks, average_over=tuple(tasks))
        for noise, seed in ((0.6, 1), (0.7, 2))
    )
    found = compare_sts(one, other, resamples=500)
    assert found["STS12"].difference == found["STS13"].difference == found["average"].difference
    assert 0.02 < found["STS12"].p < 0.6, "neither certain nor chance"
    assert found["average"].p < 0.8 * min(found["STS12"].p, found["STS13"].p)


def test_a_system_against_itself_does_not_differ(apart):
    report = evaluate_sts(Guessing(apart, 0.3, 0), apart)
    found = compare_sts(report, report, resamples=20)
    assert {(row.difference, row.low, row.high, row.p) for row in found.rows} == {(0, 0, 0, 1)}
    assert "includes zero (p = 1.000): other pairs like these could turn" in found.summary()


def test_only_the_same_pairs_can_be_compared(apart):
    report = evaluate_sts(Guessing(apart, 0.3, 0), apart)
    fewer = evaluate_sts(Guessing(apart, 0.3, 0), {name: apart[name] for name in STS_TASKS[:3]})
    with pytest.raises(KitError, match="they differ"):
        compare_sts(report, fewer)
    with pytest.raises(KitError, match="they differ"):
        compare_sts(report, rescore(report, correlation="pearson"))
    moved = all_seven(pairs=50)
    with pytest.raises(KitError, match="they differ"):
        compare_sts(report, evaluate_sts(CountingEncoder(), moved))
    with pytest.raises(KitError, match="unknown aggregation"):
        compare_sts(report, report, "median")


def test_arrays_have_the_fingerprint_of_lists_and_every_pair_of_them_counts():
    def fingerprint(task: StsTask) -> str:
        return evaluate_sts(Constant(), [task])["STS-B"].scored.fingerprint

    lists = make_task(pairs=1_500)
    columns = (lists.sentences1, lists.sentences2, lists.scores, lists.subsets)
    arrays = StsTask(lists.name, *map(np.array, columns), lists.source)
    moved = StsTask(lists.name, *map(np.array, columns), lists.source)
    moved.sentences1[700] = "another"  # in the middle, which the repr of an array leaves out
    assert fingerprint(lists) == fingerprint(arrays) != fingerprint(moved)
    assert fingerprint(lists) == "2aff3d4c107f", "kept results hold such marks: they must not change"


def test_an_undefined_figure_is_not_compared(apart):
    apart["STS16"].scores[:] = [1.0] * 50
    reports = [evaluate_sts(Guessing(apart, 0.3, seed), apart) for seed in (0, 1)]
    found = compare_sts(*reports, resamples=20)
    assert found["STS16"].difference is None and found["average"].p is None
    assert "undefined" in found.summary() and "nan" not in (found.table() + found.summary()).lower()


def test_a_comparison_says_whose_figure_is_whose_and_from_where_to_where():
    row = Difference("average", 70.0, 65.0, 5.0, 2.0, 8.0, 0.004)
    found = StsComparison((row,), ("A", "B"), "all", 100, 0.9)
    said = "average (all): A 70.00, B 65.00, difference +5.00"
    sure = f"{said}, 90% interval +2.00 to +8.00, which excludes zero (p = 0.004)"
    assert found.summary().startswith(sure)
    assert found.table().splitlines()[-1].split() == "average 70.00 65.00 +5.00 +2.00 to +8.00 0.004".split()
    alone = replace(found, rows=(replace(row, low=None, high=None),))
    assert alone.summary() == f"{said}; too few pairs for an interval."
