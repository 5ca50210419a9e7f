"""Do the data fit the recipe's format? One clear sentence where they do not."""

from __future__ import annotations

from collections.abc import Sequence

from kit.data import Group
from kit.data.multiples import Multiple
from kit.errors import KitError

_GROUPS = ("NLI groups", "make them with group_by_premise(load(…))")
_SENTENCES = ("NLI groups or a list of sentences", "group_by_premise(load(…)) makes groups")

# data format → the types of its elements, what they are called, and where they come from
ELEMENTS: dict[str, tuple[tuple[type, ...], str, str]] = {
    "groups": ((Group,), *_GROUPS),
    "triplets": ((Group,), *_GROUPS),
    "pairs": ((Group,), *_GROUPS),
    "multi_positive": ((Group, Multiple), "NLI groups", "multiples(…) of kit.data.multiples makes examples of them"),
    "self_pairs": ((Group, str), *_SENTENCES),
    "sentences": ((Group, str), *_SENTENCES),
}


def validate_data(data: object, data_format: str) -> None:
    """Check that `data` are a list of one type that the format takes. Errors: `KitError` where they are not."""
    types, expected, remedy = ELEMENTS[data_format]
    if isinstance(data, str) or not isinstance(data, Sequence):
        raise KitError(f"expected {expected} for the format {data_format!r}, got {_described(data)}: {remedy}.")
    for place, element in enumerate(data):
        if not isinstance(element, types) or type(element) is not type(data[0]):
            raise KitError(
                f"expected {expected} for the format {data_format!r}, but number {place} is {_described(element)}"
                f"{'' if place == 0 else f', while number 0 is {_described(data[0])}'}: {remedy}."
            )


def _described(element: object) -> str:
    return f"the string {element[:30]!r}" if isinstance(element, str) else f"a {type(element).__name__}"
