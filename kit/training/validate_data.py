"""Does the data fit the layout? One clear sentence where a recipe is given the wrong kind."""

from __future__ import annotations

from collections.abc import Sequence

from kit.data import Group
from kit.data.multiples import Multiple
from kit.errors import KitError

_GROUPS = ("NLI groups", "make them with group_by_premise(load(…))")
_SENTENCES = ("NLI groups or a list of sentences", "group_by_premise(load(…)) makes groups")

# layout → the types of its items, what they are called, and where they come from
KINDS: dict[str, tuple[tuple[type, ...], str, str]] = {
    "groups": ((Group,), *_GROUPS),
    "triplets": ((Group,), *_GROUPS),
    "pairs": ((Group,), *_GROUPS),
    "multiples": ((Group, Multiple), "NLI groups", "multiples(…) of kit.data.multiples makes items of them"),
    "twins": ((Group, str), *_SENTENCES),
    "sentences": ((Group, str), *_SENTENCES),
}


def check_kind(data: object, layout: str, kinds: tuple[type, ...], wanted: str, remedy: str) -> None:
    """Errors: `KitError` unless `data` is a list of items that all are of one of `kinds`.

    wanted: what such data are called; remedy: where they come from. For the layouts of NLI groups and of
    sentences they stand in `KINDS`.
    """
    if isinstance(data, str) or not isinstance(data, Sequence):
        raise KitError(f"expected {wanted} for the layout {layout!r}, got {_told(data)}: {remedy}.")
    for place, item in enumerate(data):
        if not isinstance(item, kinds) or type(item) is not type(data[0]):
            raise KitError(
                f"expected {wanted} for the layout {layout!r}, but number {place} is {_told(item)}"
                f"{'' if place == 0 else f', while number 0 is {_told(data[0])}'}: {remedy}."
            )


def _told(item: object) -> str:
    return f"the string {item[:30]!r}" if isinstance(item, str) else f"a {type(item).__name__}"
