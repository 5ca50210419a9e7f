"""The relations of a batch as a picture: colours, counts, repeated anchors, nonsense."""

from __future__ import annotations

import pytest
import torch

from kit.errors import KitError
from kit.figures import relations_figure
from kit.figures.palette import NEGATIVE, NEUTRAL, POSITIVE
from kit.losses import Relations, mnrl_relations, scl_relations, supmpn_relations

IDS, LABELS = torch.tensor([0, 0, 0, 1, 1, 2]), torch.tensor([0, 0, 2, 0, 1, 1])
COLUMNS = ["1a", "1b", "1c", "2a", "2b", "3a"]


def drawn(relations: Relations) -> list[list[int]]:
    shape = relations.positive.shape
    picture = relations_figure(relations, ["a"] * shape[0], ["c"] * shape[1])
    return [list(row) for row in picture.figure.data[0].z]


def test_two_is_positive_one_negative_zero_ignored() -> None:
    for relations in [
        mnrl_relations(3),
        supmpn_relations(2, positives=2, negatives=1),
        scl_relations(IDS, LABELS),
        scl_relations(IDS, LABELS, anchors="row"),
        scl_relations(IDS, LABELS, max_negatives=1, generator=torch.Generator().manual_seed(0)),
    ]:
        z = torch.tensor(drawn(relations))
        assert torch.equal(z == 2, relations.positive) and torch.equal(z == 1, relations.negative)
        assert torch.equal(z == 0, ~relations.positive & ~relations.negative)


def test_the_sentence_counts() -> None:
    relations = scl_relations(IDS, LABELS, max_positives=1, generator=torch.Generator().manual_seed(0))
    picture = relations_figure(relations, ["premise 1", "premise 2"], COLUMNS)
    assert picture.summary == (
        "2 anchors and 6 candidates: 2 positive, 9 negative and 1 ignored pairs. "
        "Positives of each anchor: premise 1: 1, premise 2: 1."
    )


def test_many_anchors_are_summed_up() -> None:
    ids, labels = torch.arange(12).repeat_interleave(2), torch.tensor([0, 0, 0, 1] * 6)
    picture = relations_figure(scl_relations(ids, labels), [f"premise {i}" for i in range(12)], ["c"] * 24)
    assert picture.summary.endswith("an anchor has 1 to 2 positives.")


def test_rows_of_one_name_stay_apart() -> None:
    """As with an anchor per row: plotly would draw categories of one name over each other."""
    relations = scl_relations(IDS, LABELS, anchors="row")
    figure = relations_figure(relations, ["premise 1", "premise 1", "premise 2"], COLUMNS).figure
    assert figure.data[0].y is None and len(figure.data[0].z) == 3
    assert list(figure.layout.yaxis.tickvals) == [0, 1, 2]
    assert list(figure.layout.yaxis.ticktext) == ["premise 1", "premise 1", "premise 2"]
    assert list(figure.layout.xaxis.ticktext) == COLUMNS and figure.data[0].hovertext[2][0] == "premise 2 · 1a"
    assert figure.layout.yaxis.autorange == "reversed", "the first anchor is the top row"


def test_colour_and_sign_say_the_same() -> None:
    heat, *key = relations_figure(scl_relations(IDS, LABELS), ["premise 1", "premise 2"], COLUMNS).figure.data
    sign = {0: "", 1: "−", 2: "+"}
    assert [list(row) for row in heat.text] == [[sign[kind] for kind in row] for row in heat.z]
    kinds = ("ignored", "negative", "positive")
    assert [list(row) for row in heat.customdata] == [[kinds[kind] for kind in row] for row in heat.z]
    middles = [
        next(colour for place, colour in reversed(heat.colorscale) if place <= (kind + 0.5) / 3) for kind in range(3)
    ]
    assert middles == [NEUTRAL, NEGATIVE, POSITIVE]
    named = {"positive +": POSITIVE, "negative −": NEGATIVE, "ignored": NEUTRAL}
    assert {mark.name: mark.marker.color for mark in key}.items() <= named.items()
    assert (heat.zmin, heat.zmax) == (-0.5, 2.5)


def test_the_key_names_what_occurs() -> None:
    for relations, kinds in [
        (scl_relations(IDS, LABELS), ["positive +", "negative −"]),
        (scl_relations(IDS, LABELS, max_negatives=1), ["positive +", "negative −", "ignored"]),
    ]:
        _, *key = relations_figure(relations, ["premise 1", "premise 2"], COLUMNS).figure.data
        assert [mark.name for mark in key] == kinds


def test_no_anchor_is_said() -> None:
    relations = scl_relations(torch.tensor([0, 1]), torch.tensor([1, 2]))
    picture = relations_figure(relations, [], ["1a", "2a"])
    assert "0 anchors and 2 candidates" in picture.summary and "nothing is pulled" in picture.summary


def test_other_numbers_of_labels_are_refused() -> None:
    for rows, columns in [(1, 6), (2, 5), (3, 6), (0, 0)]:
        with pytest.raises(KitError, match=f"expected a label for each of 2 anchors and 6 candidates, got {rows} and"):
            relations_figure(scl_relations(IDS, LABELS), ["a"] * rows, ["c"] * columns)


def test_both_axes_have_titles() -> None:
    layout = relations_figure(scl_relations(IDS, LABELS), ["a", "b"], COLUMNS).figure.layout
    assert layout.xaxis.title.text == "candidate" and layout.yaxis.title.text == "anchor"
