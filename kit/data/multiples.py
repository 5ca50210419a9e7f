"""Several positives and negatives for every anchor, as SupMPN trains on them.

People wrote five entailed and five contradicted hypotheses for few premises. For the rest
SupMPN (Dehghan & Amasyali 2022) makes the anchor its own positive, as often as needed, and borrows
negatives from other anchors. `Multiples` counts how many are real.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kit.checks.argument_checks import checked
from kit.data.augment import AUGMENTERS, augment
from kit.data.nli import Group, only_groups
from kit.errors import KitError, NothingToTrainOn, check_name
from kit.number_checks import whole_number


@dataclass(frozen=True)
class Multiple:
    """An anchor with its positives and its negatives, the real ones first.

    `real_positives` and `real_negatives` say how many of them people wrote for this anchor.
    """

    anchor: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    real_positives: int
    real_negatives: int


class Multiples(list):
    """A list of Multiple that counts its real positives and negatives."""

    @property
    def real_positives(self) -> int:
        """Positives that are entailed hypotheses, over all anchors."""
        return sum(m.real_positives for m in self)

    @property
    def real_negatives(self) -> int:
        """Negatives that are contradicted hypotheses of their own anchor, over all anchors."""
        return sum(m.real_negatives for m in self)

    @property
    def complete(self) -> int:
        """Anchors for which nothing was filled in."""
        return sum(m.real_positives == len(m.positives) and m.real_negatives == len(m.negatives) for m in self)

    def summary(self) -> str:
        """One sentence for the screen."""
        positives, negatives = (sum(len(m.positives) for m in self), sum(len(m.negatives) for m in self))
        shares = " and ".join(
            f"{real / whole:.1%} of the {kind}"
            for real, whole, kind in (
                (self.real_positives, positives, "positives"),
                (self.real_negatives, negatives, "negatives"),
            )
            if whole
        )
        return f"{len(self):,} anchors: {shares} are real; for {self.complete:,} anchors all are."


@checked
def multiples(
    groups: Iterable[Group], positives: int = 5, negatives: int = 5, fill: str = "copy", seed: int = 0
) -> Multiples:
    """One `Multiple` for each group, with exactly so many positives and negatives.

    Where there are more real ones than asked for, `seed` draws some of them. Missing positives are made by `fill`:
    "copy" repeats the anchor; "delete" (a tenth of the words) and "synonyms" (a fifth of them replaced) change its
    entailed hypotheses, each in turn, or the anchor where it has none. Missing negatives are entailed or contradicted
    hypotheses of other anchors, drawn by `seed`: none twice for one anchor, none whose text stands in its own group.
    Source: SupMPN, section 5.2 and Appendix A.1. Errors: `KitError` for no groups, numbers out of range, an unknown
    fill, and too few hypotheses to borrow from. Lesson 05.
    """
    groups = only_groups(groups)
    if not groups:
        raise KitError("expected NLI groups to choose positives and negatives from, got none: group a data set first.")
    whole_number("positives", positives, 1, "SupMPN has 5")
    whole_number("negatives", negatives, 0, "SupMPN has 5")
    check_name("way to fill missing positives", fill, AUGMENTERS)
    # Two streams: the same real sentences and the same borrowed ones, whatever the fill draws.
    rng, fill_rng = random.Random(seed), random.Random(f"{seed}/{fill}")
    pool = [hypothesis for group in groups for hypothesis in (*group.positives, *group.negatives)]
    filled = Multiples()
    for group in groups:
        real = [_some(group.positives, positives, rng), _some(group.negatives, negatives, rng)]
        counts = [len(texts) for texts in real]
        changed = real[0] if real[0] and fill != "copy" else [group.anchor]
        made = [augment(changed[i % len(changed)], fill, fill_rng) for i in range(positives - counts[0])]
        borrowed = _borrow(pool, negatives - counts[1], group, rng)
        filled.append(Multiple(group.anchor, (*real[0], *made), (*real[1], *borrowed), *counts))
    return filled


def _some(texts: Sequence[str], count: int, rng: random.Random) -> list[str]:
    """At most `count` of the texts, in their order."""
    return [texts[i] for i in sorted(rng.sample(range(len(texts)), min(count, len(texts))))]


def _borrow(pool: list[str], count: int, group: Group, rng: random.Random) -> list[str]:
    """`count` different texts of the pool that do not stand in the group."""
    own, found = {group.anchor, *group.hypotheses}, {}
    for _ in range(20 * count):
        if len(found) == count:
            break
        text = rng.choice(pool) if pool else group.anchor
        if text not in own:
            found[text] = None
    if len(found) < count:  # a small pool: look at all of it
        rest = [text for text in dict.fromkeys(pool) if text not in own and text not in found]
        found |= dict.fromkeys(rng.sample(rest, min(count - len(found), len(rest))))
    if len(found) < count:
        raise NothingToTrainOn(
            f"expected {count} entailed or contradicted hypotheses of other anchors to borrow for "
            f"{group.anchor[:40]!r}, but there are {len(found)}: give more groups, or ask for fewer negatives."
        )
    return list(found)
