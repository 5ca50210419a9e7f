"""SupMPN's groups: counts, what is real, what is borrowed and from whom."""

from __future__ import annotations

from collections import Counter

import pytest

from kit.data import Group, group_by_premise
from kit.data.augment import delete_words
from kit.data.multiples import Multiple, Multiples, multiples
from kit.errors import KitError
from kit.world import World


@pytest.fixture(scope="module")
def groups() -> list[Group]:
    made = World(5).groups(60, positives=3, neutrals=1, negatives=2)
    thinned = []
    for i, group in enumerate(made):  # some with none, one or all of their hypotheses
        keep = [k for k in range(len(group.hypotheses)) if (k + i) % 3 or i % 2]
        thinned.append(
            Group(
                group.premise_id,
                group.anchor,
                tuple(group.hypotheses[k] for k in keep),
                tuple(group.labels[k] for k in keep),
            )
        )
    return thinned


def words(text: str) -> Counter:
    return Counter(word.strip(".,") for word in text.split())


def test_exactly_p_and_q_and_the_real_ones_first(groups: list[Group]) -> None:
    for fill in ["copy", "delete"]:
        for p, q in [(5, 5), (1, 0), (2, 1), (4, 9)]:
            made = multiples(groups, p, q, fill, seed=1)
            assert len(made) == len(groups)
            for m, group in zip(made, groups):
                assert m.anchor == group.anchor and len(m.positives) == p and len(m.negatives) == q
                assert m.real_positives == min(p, len(group.positives))
                assert m.real_negatives == min(q, len(group.negatives))
                real, filled = m.positives[: m.real_positives], m.positives[m.real_positives :]
                assert set(real) <= set(group.positives) and len(set(real)) == len(real)
                assert set(m.negatives[: m.real_negatives]) <= set(group.negatives)
                assert len(set(m.negatives)) == q
                if fill == "copy":
                    assert all(text == group.anchor for text in filled)
                else:
                    sources = set(real) or {group.anchor}
                    assert all(any(words(text) < words(source) for source in sources) for text in filled)


def test_borrowed_negatives_are_other_anchors_hypotheses_and_never_ones_own(groups: list[Group]) -> None:
    # Every group but the first has a sentence of the first among its own.
    first = groups[0]
    crowded = [
        first,
        *(Group(g.premise_id, g.anchor, (*g.hypotheses, first.hypotheses[0]), (*g.labels, 1)) for g in groups[1:]),
    ]
    for seed in range(10):
        for m, group in zip(multiples(crowded, 5, 5, seed=seed), crowded):
            others = {h for g in crowded if g is not group for h in (*g.positives, *g.negatives)}
            borrowed = m.negatives[m.real_negatives :]
            assert set(borrowed) <= others
            assert set(borrowed).isdisjoint({group.anchor, *group.hypotheses})


def test_an_anchor_is_not_its_own_negative_where_another_says_it() -> None:
    groups = [Group(0, "a dog runs", ("a dog moves",), (0,)), Group(1, "an animal", ("a dog runs", "it lives"), (1, 0))]
    assert [multiples(groups, 1, 1, seed=s)[0].negatives for s in range(8)] == [("it lives",)] * 8


def test_a_seed_repeats_and_another_does_not(groups: list[Group]) -> None:
    assert multiples(groups, seed=4) == multiples(groups, seed=4) != multiples(groups, seed=5)
    assert multiples(groups, fill="delete", seed=4) == multiples(groups, fill="delete", seed=4)


def test_the_fill_changes_the_filled_positives_and_nothing_else(groups: list[Group]) -> None:
    unlike = 0
    for plain, cut in zip(multiples(groups, seed=2), multiples(groups, fill="delete", seed=2)):
        assert plain.negatives == cut.negatives and plain.real_positives == cut.real_positives
        assert plain.positives[: plain.real_positives] == cut.positives[: cut.real_positives]
        unlike += len(set(cut.positives[cut.real_positives :])) > 1
    assert unlike > 0.7 * len(groups), "each filled positive is drawn anew"


def test_the_tenth_word_goes() -> None:
    groups = [
        Group(0, "one two three four five six seven eight nine ten.", ("a",), (2,)),
        Group(1, "x y", ("b",), (2,)),
    ]
    filled = multiples(groups, 3, 1, "delete")[0].positives
    assert all(len(text.split()) == 9 for text in filled)
    assert set(filled) <= {delete_words(groups[0].anchor, 0.1, seed) for seed in range(200)}


def test_changed_are_the_entailed_hypotheses_in_turn() -> None:
    """Appendix A.1; a copy is of the anchor (section 5.2)."""
    group = Group(0, "never seen", ("first one here", "second two there"), (0, 0))
    filled = multiples([group], 6, 0, "delete")[0].positives[2:]
    of = ["first" if words(text) < words(group.hypotheses[0]) else "second" for text in filled]
    assert of == ["first", "second", "first", "second"]
    assert multiples([group], 4, 0, "copy")[0].positives[2:] == (group.anchor,) * 2


def test_of_more_than_enough_some_are_drawn(groups: list[Group]) -> None:
    rich = next(g for g in groups if len(g.positives) == 3)
    seen = {multiples([rich, *groups], 1, 0, seed=seed)[0].positives[0] for seed in range(30)}
    assert seen == set(rich.positives)


def test_what_is_real_is_counted() -> None:
    one = Multiple("a", ("p", "a"), ("n", "x"), 1, 1)
    two = Multiple("b", ("q", "r"), ("m", "o"), 2, 2)
    made = Multiples([one, two])
    assert (made.real_positives, made.real_negatives, made.complete) == (3, 3, 1)
    assert made.summary() == (
        "2 anchors: 75.0% of the positives and 75.0% of the negatives are real; for 1 anchors all are."
    )
    assert "negatives" not in Multiples([Multiple("a", ("p",), (), 1, 0)]).summary()


def test_what_cannot_be_made_is_one_sentence(groups: list[Group]) -> None:
    for changes, sentence in [
        ({"positives": 0}, "expected positives as a whole number from 1, got 0"),
        ({"positives": 2.0}, "got 2.0"),
        ({"negatives": -1}, "expected negatives as a whole number from 0, got -1"),
        ({"negatives": True}, "got True"),
        ({"fill": "copies"}, "unknown way to fill missing positives 'copies': did you mean"),
        ({"negatives": 1000}, "expected .* hypotheses of other anchors to borrow .* ask for fewer negatives"),
        ({"groups": []}, "expected NLI groups to choose positives and negatives from, got none"),
    ]:
        with pytest.raises(KitError, match=sentence):
            multiples(**{"groups": groups, **changes})


def test_real_nli_has_few_of_its_own(mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_DATA", str(mirror))
    from kit.data import load

    made = multiples(group_by_premise(load("stanfordnlp/snli", rows=3000)))
    positives = sum(len(m.positives) for m in made)
    assert 0.05 < made.real_positives / positives < 0.5 and made.complete < 0.1 * len(made)


def test_a_pool_too_small_is_not_filled_with_ones_own() -> None:
    """Three to borrow, and the other anchor has two: an own positive would make the third in some draws."""
    groups = [Group(0, "a", ("b", "c", "d"), (0, 0, 2)), Group(1, "e", ("f", "g"), (0, 2))]
    for seed in range(20):
        with pytest.raises(KitError, match="to borrow for 'a', but there are 2"):
            multiples(groups, 1, 4, seed=seed)
