"""Rows of one's own as what the objectives train on: every kind of data into the formats that it can fill."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from kit.checks.argument_checks import checked
from kit.comparators.text_classes import left_out_in_words, under_two_classes
from kit.data import CONTRADICTION, ENTAILMENT, HIDDEN, LABEL_NAMES, Group, Groups
from kit.errors import KitError, KitWarning
from kit.fast import without_collection
from kit.owndata.own_data import OwnData
from kit.training.recipes import RECIPES
from kit.training.settings import Recipe

TEXTS = ("self_pairs", "sentences")


@checked
@without_collection()
def training_data(data: OwnData, recipe: Recipe) -> list:
    """What `fit` takes with this recipe: groups, labelled or scored tuples, or texts.

    It holds what every row says, less what `groups_by_anchor` leaves out, such as pairs without a label, and less texts
    that stand under two classes, which a KitWarning counts. Another counts the anchors in it that `fit` will leave out,
    as a recipe of triplets takes none without a negative.

    Errors: `KitError` where the recipe takes another kind, which names recipes that take this one, and for fewer than
    two rows. Lesson 13.
    """
    made = formats(data)
    if recipe.data_format not in made:
        others = [name for name, one in RECIPES.items() if one.data_format in made]
        lacking = f", none of them {' or '.join(unseen)}," if (unseen := _unseen(data)) else ""
        raise KitError(
            f"recipe {recipe.name!r} trains on the format {recipe.data_format!r}, which {data.name} with its "
            f"{data.kind}{lacking} cannot fill: choose one of {', '.join(others)}."
        )
    if len(data) < 2:
        raise KitError(f"expected two rows or more to train on in {data.name}, got {len(data)}: add some.")
    found = made[recipe.data_format](data)
    if lacking := without_negative(found, recipe):
        said = (
            f"{data.name}: {lacking:,} of {len(found):,} anchors {'have' if lacking > 1 else 'has'} no negative, and "
            f"{recipe.name} leaves {'them' if lacking > 1 else 'it'} out: train by supmpn (--recipe supmpn), or lend "
            "negatives of other anchors with borrow_negatives=True (--set borrow_negatives=True)."
        )
        warnings.warn(KitWarning(said), stacklevel=2)
    return found


def without_negative(made: list, recipe: Recipe) -> int:
    """How many groups of `training_data` this recipe leaves out as they have a positive, but no negative."""
    if recipe.data_format != "triplets" or recipe.as_dict().get("borrow_negatives"):
        return 0
    return sum(bool(group.positives) and not group.negatives for group in made)


def formats(data: OwnData) -> dict[str, Callable[[OwnData], list]]:
    """Data format of a recipe → what fills it from this data."""
    texts = dict.fromkeys(TEXTS, OwnData.texts)
    if data.kind == "documents":
        return {"documents": OwnData.texts}
    if data.kind == "classes":
        return {"classes": _of_one_class, **texts}
    if data.kind == "scored":
        return {"scored": lambda one: list(one.rows), **texts}
    if data.kind == "labelled":
        classes = {} if _unseen(data) else {"labelled": lambda one: list(one.rows)}
        return {**classes, **_of_labels(data), **texts}
    if data.kind == "sentences":
        return texts
    made: dict[str, Callable] = {"pairs": groups_by_anchor, **texts}
    if data.kind == "triplets":
        made |= {"triplets": _one_group_a_row, "multi_positive": groups_by_anchor}
    if data.kind == "multiples" and any(data["negatives"]):
        made |= {"triplets": groups_by_anchor}
    if data.kind != "triplets":
        made |= {"multi_positive": groups_by_anchor}
    return made


def _unseen(data: OwnData) -> list[str]:
    """The classes of labelled pairs that no row has: two of NLI's three are numbered as all three are."""
    return [name for number, name in enumerate(data.label_names) if number not in data["label"]]


def _of_labels(data: OwnData) -> dict[str, Callable]:
    """Formats of labelled pairs: NLI in all of its forms, else the pairs that mean the same."""
    if is_nli(data):
        return dict.fromkeys(("groups", "triplets", "pairs", "multi_positive"), groups_by_anchor)
    if data.positive_label is None:
        return {}
    return dict.fromkeys(("triplets", "pairs", "multi_positive"), groups_by_anchor)


def is_nli(data: OwnData) -> bool:
    """Whether the classes are entailment, neutral and contradiction."""
    return tuple(name.lower() for name in data.label_names) == LABEL_NAMES


def groups_by_anchor(data: OwnData) -> Groups:
    """One `Group` for every distinct anchor, in order of first occurrence, with all its positives and negatives.

    Of classes other than NLI's the positive one counts as entailed, the others as contradicted; pairs without a label
    are left out, as a group has no place for them. So are texts that stand under two labels of one anchor, as in
    `kit.data.group_by_premise`: `.dropped` counts them, and a KitWarning says how many.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for anchor, others in zip(
        data.columns["anchor" if "anchor" in data.columns else "sentence1"], _labelled_others(data)
    ):
        found.setdefault(anchor, []).extend(others)
    groups, conflicting = Groups(), 0
    for anchor, others in found.items():
        distinct = list(dict.fromkeys(others))
        times = Counter(text for text, _ in distinct)
        kept = {text: label for text, label in distinct if times[text] == 1}
        conflicting += len(times) - len(kept)
        if kept:
            groups.append(Group(len(groups), anchor, tuple(kept), tuple(kept.values())))
    if conflicting:
        groups.dropped["conflicting"] = conflicting
        texts = (
            "1 text is left out, as it stands"
            if conflicting == 1
            else f"{conflicting:,} texts are left out, as they stand"
        )
        said = f"{data.name}: {texts} under two labels of one anchor."
        warnings.warn(KitWarning(said), stacklevel=2)
    return groups


def _of_one_class(data: OwnData) -> list[tuple[str, int]]:
    """The rows without the texts that stand under two classes, which SupCon would take for their own negatives."""
    if not (torn := under_two_classes(data.rows)):
        return list(data.rows)
    warnings.warn(KitWarning(f"{data.name}: {left_out_in_words(len(torn))}"), stacklevel=2)
    return [row for row in data.rows if row[0] not in torn]


def _one_group_a_row(data: OwnData) -> list[Group]:
    """Each triplet by itself, so that no positive meets another row's negative."""
    return [Group(i, a, (p, n), (ENTAILMENT, CONTRADICTION)) for i, (a, p, n) in enumerate(data.rows)]


def _labelled_others(data: OwnData) -> list[list[tuple[str, int]]]:
    """For each row its other texts with the kit's labels."""
    if data.kind == "pairs":
        return [[(positive, ENTAILMENT)] for positive in data["positive"]]
    if data.kind == "triplets":
        return [[(p, ENTAILMENT), (n, CONTRADICTION)] for _, p, n in data.rows]
    if data.kind == "multiples":
        return [[*((p, ENTAILMENT) for p in ps), *((n, CONTRADICTION) for n in ns)] for _, ps, ns in data.rows]
    as_is = is_nli(data)
    same = {data.positive_label: ENTAILMENT}
    return [
        [] if label == HIDDEN else [(text, label if as_is else same.get(label, CONTRADICTION))]
        for text, label in zip(data["sentence2"], data["label"])
    ]


@checked
def fitted(recipe: Recipe, data: OwnData, given: dict[str, Any] | None = None) -> tuple[Recipe, str]:
    """The recipe with what the data decide, and the same in words ("" where nothing changes).

    A classifier gets as many classes as there are, and known false negatives of a batch are ignored. What the reader
    has `given` stays. Lesson 13.
    """
    changes = {}
    own = recipe.as_dict()
    if "classes" in own and data.label_names and len(data.label_names) != own["classes"]:
        changes["classes"] = len(data.label_names)
    if own.get("mask_duplicates") is False and recipe.data_format in ("pairs", "triplets", "multi_positive"):
        changes["mask_duplicates"] = True
    changes = {name: value for name, value in changes.items() if name not in (given or {})}
    said = ", ".join(f"{name}={value}" for name, value in changes.items())
    return recipe.changed(**changes), f"Set by the data: {said}." if said else ""
