"""The drawings of lessons 03 to 05 agree with the masks and regions that they stand for."""

from __future__ import annotations

from xml.etree import ElementTree

from kit.figures import batch_matrix, margin_plane, siblings_matrix
from kit.losses import mnrl_relations, supmpn_relations


def words(drawing) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(drawing.svg).iter() if node.tag.endswith("text")]


def test_the_plane_names_the_three_regions() -> None:
    said = " ".join(words(margin_plane()))
    assert all(name in said for name in ("hard:", "semi-hard:", "easy:", "d⁺ + m"))


def test_the_batch_is_that_of_mnrl() -> None:
    signs = [word for word in words(batch_matrix()) if word in ("+", "−")]
    expected = ["+" if positive else "−" for positive in mnrl_relations(4).positive.flatten().tolist()]
    assert signs == expected


def test_the_siblings_are_those_of_supmpn() -> None:
    said = words(siblings_matrix())
    signs = [word for word in said if word in ("+", "−")]
    assert signs == ["+" if positive else "−" for positive in supmpn_relations(2, 2, 1).positive.flatten().tolist()]
    assert said.count("1b") == 2 and said.count("1a") == 3, "left out of one denominator only"
