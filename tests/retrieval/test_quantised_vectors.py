"""Bytes and bits for floats: what is lost, and the same bits as sentence-transformers."""

from __future__ import annotations

import numpy as np
import pytest

from kit.errors import KitError
from kit.retrieval import Index, SmallVectors, compare_sizes, evaluate_retrieval, quantise, task_from_pairs
from kit.retrieval.quantised_vectors import restored
from tests.retrieval.test_vector_index import Drawn

VECTORS = np.random.default_rng(0).normal(size=(50, 20))


def cosines(rows: np.ndarray) -> np.ndarray:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def test_bytes_keep_the_cosine_and_bits_count_differing_signs() -> None:
    whole = quantise(VECTORS, "int8")
    assert whole.dtype == np.int8 and np.abs(whole).max(axis=1).tolist() == [127] * 50
    assert np.abs(cosines(restored(whole, "int8", 20)) - cosines(VECTORS)).max() < 0.01
    bits = quantise(VECTORS, "binary")
    assert bits.shape == (50, 3) and np.allclose(restored(bits, "binary", 20), np.where(VECTORS > 0, 1, -1))
    differing = np.unpackbits(bits[0] ^ bits[1]).sum()
    assert cosines(restored(bits, "binary", 20))[0, 1] == pytest.approx(1 - 2 * differing / 20)
    assert not quantise(np.zeros((1, 4)), "int8").any() and quantise(VECTORS, "float32").dtype == np.float32


@pytest.mark.slow
def test_the_bits_are_those_of_sentence_transformers() -> None:
    from sentence_transformers.quantization import quantize_embeddings

    assert np.array_equal(quantise(VECTORS, "binary"), quantize_embeddings(VECTORS, "ubinary"))


def test_smaller_vectors_are_judged_and_searched_as_any_encoder() -> None:
    texts = [f"text {i}" for i in range(30)]
    small = SmallVectors(Drawn(dim=20), 8, "int8")
    assert small.encode(["a", "b", "a"]).shape == (3, 8) and "8 dimensions, int8" in small.name
    index = Index.build(small, texts)
    assert index.dim == 8 and index.search("text 4", 1)[0].id == 4
    task = task_from_pairs([f"query {i}" for i in range(30)], texts)
    found = compare_sizes(Drawn(dim=20), task, (20, 8), measure="mrr@10", resamples=50)
    assert [row[:3] for row in found.rows] == [
        (20, "float32", 80), (20, "int8", 20), (20, "binary", 3), (8, "float32", 32), (8, "int8", 8), (8, "binary", 1),
    ]  # fmt: skip
    alone = evaluate_retrieval(SmallVectors(Drawn(dim=20), 8, "binary"), task, ["mrr@10"])
    assert found.rows[-1][3]["mrr@10"] == alone["mrr@10"]
    assert found.rows[-1][4].difference == pytest.approx(alone["mrr@10"] - found.rows[0][3]["mrr@10"])
    assert len(str(found).splitlines()) == 7
    moved = found.rows[-1][4]
    low, high = (f"{end:+.2f}" for end in (moved.interval.low, moved.interval.high))
    last = str(found).splitlines()[-1].split()
    assert last[:3] == ["8", "binary", "1"] and last[-4:] == [f"{moved.difference:+.2f}", low, "to", high]
    untested = compare_sizes(Drawn(dim=20), task, (20, 8), measure="mrr@10", resamples=0)
    seeded = compare_sizes(Drawn(dim=20), task, (8,), ["binary"], measure="mrr@10", resamples=50, seed=1)
    assert seeded.rows[1][3].seed == 1 and seeded.rows[1][4].interval != found.rows[-1][4].interval
    for tested, row in zip(found.rows[1:], untested.rows[1:], strict=True):
        assert row[4].difference == tested[4].difference and row[4].interval is None and row[4].p is None


def test_sizes_that_cannot_be_are_told() -> None:
    task = task_from_pairs(["a"], ["b"])
    for call, said in (
        (lambda: quantise(VECTORS, "int4"), "unknown precision 'int4'"),
        (lambda: quantise(VECTORS * np.nan, "int8"), "finite"),
        (lambda: SmallVectors(Drawn(), 0), "dim as a whole number from 1"),
        (lambda: SmallVectors(Drawn(dim=4), 5).encode(["a"]), "dim up to the encoder's 4, got 5"),
        (lambda: SmallVectors(Drawn()).encode("a text alone"), "sentences as a list"),
        (lambda: compare_sizes(Drawn(), task, []), "at least one dimension"),
        (lambda: compare_sizes(Drawn(dim=4), task, [8]), "dim up to the encoder's 4, got 8"),
    ):
        with pytest.raises(KitError, match=said):
            call()
