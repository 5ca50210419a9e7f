"""Groups of texts and the words that name them."""

from __future__ import annotations

import numpy as np
import pytest

from kit.errors import KitError
from kit.retrieval import Index, cluster
from kit.retrieval.text_clusters import _names
from kit.retrieval.vector_index import PROBES
from tests.retrieval.test_retrieval_evaluation import Table
from tests.retrieval.test_vector_index import Drawn

TOPICS = {"birds": "the bird sings and flies", "money": "the bank pays interest", "food": "the soup is hot"}


@pytest.mark.slow  # scikit-learn takes seconds to import
def test_groups_are_those_of_the_vectors_and_named_by_what_sets_them_apart() -> None:
    generator = np.random.default_rng(0)
    texts = {f"{text} {i}": k for k, text in enumerate(TOPICS.values()) for i in range(10 + 5 * k)}
    vectors = {text: 3 * np.eye(3)[k] + 0.1 * generator.normal(size=3) for text, k in texts.items()}
    probes = {text: np.ones(3) for text in PROBES}
    found = cluster(Index.build(Table({**vectors, **probes}), list(texts)), 3)
    assert [len(group) for group in found.groups] == [20, 15, 10]
    for group, words in zip(
        found.groups, ({"soup", "hot", "is"}, {"bank", "pays", "interest"}, {"bird", "sings", "flies", "and"})
    ):
        assert set(group.name.split(", ")) <= words and group.cosine > 0.95
        assert len({texts[found.texts[place]] for place in group.places}) == 1
    assert len(found.table().splitlines()) == 4 and "3 of 45 texts" in repr(found)


def test_the_name_is_of_the_words_that_others_lack() -> None:
    groups = [["about zebras", "about zebras"], ["about yaks", "about yaks"]]
    assert _names(groups, 1) == ["zebras", "yaks"] and _names(groups, 2) == ["zebras, about", "yaks, about"]


@pytest.mark.slow
def test_the_most_central_text_comes_first() -> None:
    angles = {"middle": 0.0, "near": 0.1, "far": 0.4, "near below": -0.1, "far below": -0.4}
    vectors = {text: np.array([np.cos(angle), np.sin(angle)]) for text, angle in angles.items()}
    index = Index.build(Table({**vectors, **{text: np.ones(2) for text in PROBES}}), sorted(angles))
    order = [index.texts[place] for place in cluster(index, 1)[0].places]
    assert order[0] == "middle" and set(order[1:3]) == {"near", "near below"}


@pytest.mark.slow
def test_the_seed_draws_the_groups() -> None:
    index = Index.build(Drawn(), [f"text {i}" for i in range(200)])
    assert cluster(index, 8, seed=1).groups == cluster(index, 8, seed=1).groups != cluster(index, 8, seed=2).groups


@pytest.mark.slow
def test_numbers_of_groups_are_checked() -> None:
    index = Index.build(Drawn(), [f"text {i}" for i in range(40)])
    assert len(cluster(index, 1)) == 1
    twins, equal = Index.build(Drawn(), ["a", "a", "b"]), Index.build(Drawn(), ["a"] * 100)
    for bad, given, said in (
        (index, 0, "clusters as a whole"),
        (index, 41, "at most 40 clusters"),
        (twins, 3, "at most 2 "),
        (equal, 8, "at most 1 clusters"),
    ):
        with pytest.raises(KitError, match=said):
            cluster(bad, given)


def test_a_character_of_chinese_is_a_word_and_a_latin_letter_is_none() -> None:
    assert _names([["z zebras", "z"], ["y yaks", "y"]], 1) == ["zebras", "yaks"]
    assert _names([["我爱猫"] * 2, ["下雨了"] * 2], 1) != ["no words", "no words"]
