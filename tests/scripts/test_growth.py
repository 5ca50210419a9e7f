"""Cost grows no faster than the data, and with the square only where every anchor meets every candidate.

No seconds here: work is counted (tests/scripts/growth_shared.py). Four times the data may take four times the work,
and a little for what a few rows do not share.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.growth import fit, power_law
from benchmarks.growth_curves import CURVES
from kit.data import Group, group_by_premise, triplets
from kit.data.multiples import multiples
from kit.data.spans import SpanSampler
from kit.data.table import Source, Table
from kit.evaluation import aggregate, geometry, pair_cosines, resample, spearman
from kit.fast.chunked import CELLS, chunked_softmax
from kit.losses import mask_duplicates, masked_softmax, supmpn_relations
from kit.training import Trainer, recipe
from kit.training.batches import epoch_of_batches, make_batch, tokenize_groups
from tests.scripts.growth_shared import Cells, Saved, Text, cells, lines, peak_bytes
from tests.tiny import SENTENCES, tiny_encoder, tiny_groups

pytestmark = pytest.mark.slow  # counting lines and cells takes a second each

ROOT = Path(__file__).resolve().parents[2]
LINEAR, SQUARE = 4.25, 4.25**2  # at most, for four times the data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


def groups_of(n: int) -> list[Group]:
    """`n` premises whose texts are all different and count their comparisons."""
    return [
        Group(i, Text(f"{g.anchor} {i}"), tuple(Text(f"{h} {i}") for h in g.hypotheses), g.labels)
        for i, g in enumerate(tiny_groups(n))
    ]


def table_of(n: int) -> Table:
    rows = [(g.anchor, h, label) for g in groups_of(n) for h, label in zip(g.hypotheses, g.labels)]
    columns = dict(zip(("premise", "hypothesis", "label"), map(list, zip(*rows))))
    return Table(columns, Source("made up", "train", "world", "", "", len(rows)))


# --- the fit ----------------------------------------------------------------------------------


def test_the_fit_recovers_a_known_power() -> None:
    for exponent, factor in [(1.0, 3e-4), (2.0, 1e-7), (0.0, 5.0), (1.37, 2.0)]:
        sizes = [64, 128, 256, 512]
        law = power_law(sizes, [factor * size**exponent for size in sizes])
        assert law["exponent"] == pytest.approx(exponent, abs=1e-4)
        assert law["factor"] == pytest.approx(factor, rel=1e-3)
        assert law["error"] == pytest.approx(0, abs=1e-4) and law["from"] == 64


def test_the_error_of_the_exponent_is_that_of_a_regression() -> None:
    """By the textbook: residual variance with n − 2 degrees of freedom over the spread of log sizes."""
    sizes, values = np.array([1, 2, 4, 8, 16]), np.array([1.1, 1.9, 4.2, 7.7, 16.9])
    x, y = np.log(sizes), np.log(values)
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    residual = y - y.mean() - slope * (x - x.mean())
    error = np.sqrt((residual**2).sum() / 3 / ((x - x.mean()) ** 2).sum())
    law = power_law(sizes.tolist(), values.tolist())
    assert law["exponent"] == pytest.approx(slope, abs=1e-4) and law["error"] == pytest.approx(error, abs=1e-4)


def test_the_fit_takes_the_largest_sizes_where_the_constant_no_longer_matters() -> None:
    points = [
        {"size": size, "seconds": 0.01 + 1e-6 * size**2, "megabytes": 0.1} for size in (1, 10, 1000, 2000, 4000, 8000)
    ]
    law = fit(points, "seconds", 1e-4)
    assert law["from"] == 1000 and law["exponent"] == pytest.approx(2, abs=0.01)
    assert fit(points, "megabytes", 0.5) is None, "a tenth of a megabyte is the allocator's"
    assert fit(points[:2], "seconds", 0) is None, "two points make any line straight"


@pytest.mark.nightly
def test_the_program_writes_points_and_fits(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "growth.py"), "--quick", "--only", "group", "chunked"]
    done = subprocess.run([*command, "--out", str(tmp_path / "growth.json")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "growth.json").read_text("utf-8"))
    assert [curve["name"] for curve in result["curves"]] == ["group", "chunked"]
    for curve in result["curves"]:
        assert curve["subject"] in result["subjects"] and len(curve["points"]) == 3
        assert all(point["low"] <= point["seconds"] <= point["high"] for point in curve["points"])
        assert set(curve["time"]) == {"exponent", "error", "factor", "from"}
    assert result["curves"][0]["points"][-1]["megabytes"] > 0.1, "grouping 4,000 rows takes some"


# --- the meters can fail ----------------------------------------------------------------------


def test_the_meters_see_a_square() -> None:
    def scan(n: int) -> Callable:
        texts = [Text(i) for i in range(n)]
        return lambda: [text for text in texts if text in texts[-1:] + texts[:-1]]

    def matrix(n: int) -> Callable:
        return lambda: np.ones((n, n)).sum()

    assert lines(scan(80)) > 12 * lines(scan(20))
    assert peak_bytes(matrix(400)) > 12 * peak_bytes(matrix(100))
    z = torch.zeros(40, 3)
    assert cells(lambda: z @ z.T).largest == 1600 and cells(lambda: z + 1).total == 120


# --- rows of data -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "work",
    [
        lambda data: triplets(data),
        lambda data: triplets(data, all=True),
        lambda data: multiples(data),
        lambda data: multiples(data, fill="delete"),
    ],
    ids=["triplets", "all triplets", "multiples", "multiples by deletion"],
)
def test_choosing_takes_work_in_proportion_to_the_groups(work: Callable) -> None:
    few, many = groups_of(60), groups_of(240)
    assert lines(lambda: work(many)) <= LINEAR * lines(lambda: work(few))


def test_grouping_takes_work_in_proportion_to_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.data.nli.squeeze", Text)
    few, many = table_of(40), table_of(160)
    assert lines(lambda: group_by_premise(many)) <= LINEAR * lines(lambda: group_by_premise(few))


@pytest.mark.parametrize("name", ["scl", "mnrl", "supmpn"])
def test_an_epoch_takes_work_and_memory_in_proportion_to_the_rows(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokenising and every batch of an epoch; the tensors of a batch know no pairs of anchor and candidate."""
    monkeypatch.setattr("kit.fast.word_pieces.LEAST", 0)  # few and many are tokenised in the same way
    encoder, settings = tiny_encoder(folder), recipe(name).changed(batch_size=16, mask_duplicates=True)

    def epoch(data: list) -> Callable:
        def work() -> list:
            items = tokenize_groups(encoder, data, settings.data_format)
            return [make_batch(batch, settings) for batch in epoch_of_batches(items, 16, seed=0, epoch=0)]

        return work

    few, many = epoch(groups_of(80)), epoch(groups_of(320))
    few()  # what is imported late is there
    assert lines(many) <= LINEAR * lines(few)
    assert peak_bytes(many) <= LINEAR * peak_bytes(few)
    assert cells(many).total <= LINEAR * cells(few).total


def test_spans_take_the_same_work_in_any_document() -> None:
    sampler, draws = SpanSampler(min_span=4, max_span=16), [(0.5, 0.5), (0.2, 0.7)]
    short, long = (lines(lambda tokens=tokens: sampler.place(tokens, draws, [draws, draws])) for tokens in (64, 64_000))
    assert short == long


def test_encoding_takes_work_in_proportion_to_the_sentences(folder: Path) -> None:
    encoder = tiny_encoder(folder)
    few, many = SENTENCES * 24, SENTENCES * 96  # several passes of the longest either way
    encoder.encode(few)
    one, four = (cells(lambda texts=texts: encoder.encode(texts, batch_size=2)) for texts in (few, many))
    assert four.total <= LINEAR * one.total
    assert four.largest <= max(one.largest, len(many) * encoder.dim), "but for all vectors, a pass stays a pass"


# --- a batch ----------------------------------------------------------------------------------


def saved_in_a_step(folder: Path, batch_size: int, chunk: int | None) -> int:
    encoder = tiny_encoder(folder)
    items = tokenize_groups(encoder, groups_of(batch_size), "pairs")[:batch_size]
    settings = recipe("mnrl").changed(batch_size=batch_size, chunk=chunk, dropout=0.1)
    trainer, counter = Trainer(encoder, settings, items, 10, precision="fp32"), Saved()
    trainer.microbatch_tokens = None
    with torch.autograd.graph.saved_tensors_hooks(counter.pack, lambda kept: kept.tensor):
        trainer.step()
    return counter.peak


def test_what_a_step_keeps_grows_with_the_batch_and_under_gradient_caching_with_the_chunk(folder: Path) -> None:
    whole = [saved_in_a_step(folder, batch, None) for batch in (16, 64)]
    cached = [saved_in_a_step(folder, batch, 16) for batch in (16, 64)]
    assert 3 * whole[0] < whole[1] <= LINEAR * whole[0]
    assert cached[0] < whole[0]
    assert cached[1] < 1.5 * cached[0], "four times the batch, the same chunk"


# --- the similarity matrix --------------------------------------------------------------------


def gradient_cells(loss: Callable, anchors: int, matrices: bool, **settings: object) -> Cells:
    z = torch.randn(2 * anchors, 8, generator=torch.Generator().manual_seed(0)).requires_grad_()
    groups = supmpn_relations(anchors, 1, 0)
    relations = groups.to_dense() if matrices else groups
    return cells(lambda: torch.autograd.grad(loss(z, relations, 0.1, **settings), z))


def test_the_plain_loss_holds_the_matrix_and_the_chunked_one_never_does() -> None:
    anchors, chunk = 256, 16
    assert gradient_cells(masked_softmax, anchors, True).largest == anchors**2
    assert gradient_cells(chunked_softmax, anchors, False, chunk=chunk).largest == chunk * anchors


def test_above_a_size_the_matrix_is_taken_in_chunks_unasked() -> None:
    anchors = 2048
    assert anchors**2 > CELLS["cpu"]
    assert gradient_cells(chunked_softmax, anchors, False).largest <= CELLS["cpu"]


def test_the_work_of_the_loss_is_that_of_the_matrix_and_no_more() -> None:
    few, many = (gradient_cells(chunked_softmax, anchors, False, chunk=16).total for anchors in (128, 512))
    assert 8 * few < many <= SQUARE * few


def test_relations_without_duplicates_take_cells_in_proportion_to_the_batch() -> None:
    def relate(anchors: int) -> Callable:
        keys = [row % (anchors + anchors // 2) for row in range(2 * anchors)]
        return lambda: mask_duplicates(supmpn_relations(anchors, 1, 0), keys)

    assert cells(relate(512)).total <= LINEAR * cells(relate(128)).total


# --- evaluation -------------------------------------------------------------------------------


def normal(n: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, dim))


@pytest.mark.parametrize(
    "work",
    [
        lambda n: spearman(normal(n)[:, 0], normal(n)[:, 1]),
        lambda n: aggregate(normal(n)[:, 0], normal(n)[:, 1], ["one", "other"] * (n // 2)),
        lambda n: resample(normal(n)[:, 0], normal(n)[:, 1], resamples=20),
        lambda n: pair_cosines(normal(n), normal(n, seed=1)),
        lambda n: geometry(normal(n), np.arange(n).reshape(-1, 2), sample=2000),
    ],
    ids=["spearman", "aggregate", "resample", "cosines", "geometry"],
)
def test_evaluation_holds_memory_in_proportion_to_the_pairs(work: Callable) -> None:
    work(3000)
    assert peak_bytes(lambda: work(12_000)) <= LINEAR * peak_bytes(lambda: work(3000))


def test_more_subsets_take_no_more_work_than_their_pairs() -> None:
    def work(n: int) -> Callable:
        names = [Text(pair // 3) for pair in range(n)]
        return lambda: aggregate(normal(n)[:, 0], normal(n)[:, 1], names)

    work(30)()
    assert lines(work(240)) <= LINEAR * lines(work(60))


def test_cosines_of_pairs_take_no_copy_of_all_vectors() -> None:
    """Copies of everything do not fit the cache, and each pair then takes several times as long."""
    first, second = normal(20_000), normal(20_000, seed=1)
    pair_cosines(first[:10], second[:10])
    assert peak_bytes(lambda: pair_cosines(first, second)) < first.nbytes


def test_random_pairs_of_a_large_space_take_no_matrix() -> None:
    n = 6000
    data = normal(n, dim=4)
    assert peak_bytes(lambda: geometry(data, sample=1000)) < 8 * n * n / 50


# --- texts of one's own -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["read", "split", "copies"])
def test_what_is_done_with_own_texts_takes_work_and_memory_in_proportion_to_them(name: str) -> None:
    prepare = CURVES[name].prepare
    few, many = prepare(500), prepare(2000)
    few()  # what is imported late is there
    assert lines(many) <= LINEAR * lines(few)
    assert peak_bytes(many) <= LINEAR * peak_bytes(few)


def test_a_search_holds_no_more_for_more_vectors() -> None:
    few, many = (CURVES["search"].prepare(n) for n in (20_000, 80_000))
    few()
    assert peak_bytes(many) <= 1.1 * peak_bytes(few)


def test_mining_holds_no_matrix_of_all_scores() -> None:
    few, many = (CURVES["mine"].prepare(n) for n in (500, 2000))
    few()
    assert peak_bytes(many) <= LINEAR * peak_bytes(few)
