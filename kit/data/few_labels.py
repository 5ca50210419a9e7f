"""Few labels: hiding labels, counting those left, and mixing labelled with unlabelled rows.

A hidden label is −1, as pairs without a gold label have it in SNLI; those count as hidden too.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from kit import extensions
from kit.checks.argument_checks import checked
from kit.data.table import Table, squeeze
from kit.errors import KitError
from kit.number_checks import fraction as check_fraction
from kit.number_checks import is_whole, whole_number

HIDDEN = -1
SIMILAR = 3.0  # of 5: from here on two made-up scenes are called similar


@checked
def hide_labels(labels: Sequence[int], fraction: float, seed: int = 0, stratified: bool = True) -> list[int]:
    """The labels with all but a `fraction` of them hidden (−1), chosen by `seed`.

    fraction: from above 0 to 1, of the labels that are not hidden already. stratified: the same fraction of every
    class; else of all labels together. With one seed, the labels that a smaller fraction keeps are among those of a
    larger one. Source: PAUSE (Cao et al. 2021), section 4.1. Errors: `KitError` for a fraction outside (0, 1],
    something that is not a label, and a class of which no label would be left. Lesson 08.
    """
    labels = _checked(labels)
    fraction = check_fraction("a fraction of labels", fraction, zero=False)
    known = [row for row, label in enumerate(labels) if label != HIDDEN]
    if not known:
        raise KitError(f"expected at least one label to keep, got {len(labels)} rows without any.")
    strata = {0: known}
    if stratified:
        strata = {c: [row for row in known if labels[row] == c] for c in sorted({labels[row] for row in known})}
    visible: set[int] = set()
    for name, rows in strata.items():
        random.Random(f"{seed} {name}").shuffle(rows)
        visible.update(rows[: math.floor(fraction * len(rows) + 0.5)])
    shown = [label if row in visible else HIDDEN for row, label in enumerate(labels)]
    empty = sorted({labels[row] for row in known} - set(shown))
    if empty:
        count = sum(label == empty[0] for label in labels)
        raise KitError(
            f"expected a label left in every class, got none in class {empty[0]} ({fraction:g} of "
            f"{count} {'row' if count == 1 else 'rows'}): keep a larger fraction or load more rows."
        )
    return shown


@checked
def count_priors(labels: Sequence[int], classes: int) -> list[float]:
    """The share of each class among the labels that are not hidden: `classes` numbers that sum to 1.

    Errors: `KitError` for labels of more classes, and a class without a label.
    """
    whole_number("classes", classes, 1)
    counts = Counter(label for label in _checked(labels) if label != HIDDEN)
    for label in counts:
        if not 0 <= label < classes:
            raise KitError(f"expected labels from 0 to {classes - 1}, or −1 for a hidden one, got {label}.")
    for c in range(classes):
        if not counts[c]:
            raise KitError(
                f"expected a labelled row of each of {classes} classes, got none of class {c}: "
                "keep more labels or load more rows."
            )
    return [counts[c] / counts.total() for c in range(classes)]


@checked
def mix_rows(labels: Sequence[int], labelled: float, seed: int = 0) -> list[int]:
    """Indices of rows, as many as there are rows, a share `labelled` of which have a label.

    Labelled and unlabelled rows are each repeated until there are enough of them, and no row is used twice before
    all of its kind are used once. PAUSE's released code mixes its batches like this, a third of them labelled, but
    with as many of each class, where here the classes keep their shares; the paper keeps the share that the data
    have. Errors: `KitError` for a share outside (0, 1], and one below 1 where no label is hidden.
    """
    labels = _checked(labels)
    labelled = check_fraction("a share of labelled rows", labelled, zero=False)
    known = [row for row, label in enumerate(labels) if label != HIDDEN]
    others = [row for row, label in enumerate(labels) if label == HIDDEN]
    wanted = math.floor(labelled * len(labels) + 0.5)
    chosen = []
    for name, rows, count in (("with", known, wanted), ("without", others, len(labels) - wanted)):
        if count and not rows:
            raise KitError(f"expected rows {name} a label for a mix of {labelled:g} labelled, got none.")
        rng = random.Random(f"{seed} {name}")
        while count > 0:
            rng.shuffle(rows)
            chosen += rows[:count]
            count -= len(rows)
    return sorted(chosen)


@checked
def similar_pairs(split: str = "train", rows: int | None = None, seed: int = 0) -> Table:
    """Pairs with columns sentence1, sentence2, label: 1 similar, 0 not; for the binary use case.

    Paraphrases of news (MRPC) where the mirror folder KIT_DATA has them; else made-up scenes, called
    similar from 3 of 5 on, which say nothing about English: `source.is_fallback` tells.
    Errors: `KitError` for a split that does not exist and for `rows` below 1. Lesson 08.
    """
    from kit.data.sources import load, mirror_root

    root = mirror_root()
    if root is not None and (root / "senteval-transfer" / "mrpc").is_dir():
        table = load("senteval-transfer/mrpc", split, rows=rows, seed=seed)
        columns = {name: [squeeze(text) for text in table[name]] for name in ("sentence1", "sentence2")}
        return Table({**columns, "label": list(table["label"])}, table.source)
    return extensions.made_up_data().similar_pairs(split, rows, seed)


def _checked(labels: Sequence[int]) -> list[int]:
    labels = list(labels)
    for label in labels:
        if not is_whole(label, HIDDEN):
            raise KitError(f"expected labels as whole numbers from 0, or −1 for a hidden one, got {label!r}.")
    return labels
