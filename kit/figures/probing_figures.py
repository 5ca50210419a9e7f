"""What probing found before and after training, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from kit.errors import KitError
from kit.figures.caption_numbers import written
from kit.figures.page_table import PageTable


def probing_table(found: Mapping, caption: str = "") -> PageTable:
    """A row for each task and one for their mean; accuracies × 100.

    found: data/results/probing.json. Columns: guessing, a bag of words, random weights, untrained, then for
    each recipe the change by training, with half of its 95 % interval over seeds. Where
    recipes have different poolings, each is compared with the untrained encoder of its own, and
    the first of these is shown. Errors: `KitError` for a file without a trained encoder. Lesson 10.
    """
    if not found["trained"]:
        raise KitError("expected at least one trained encoder among the probing results, got none.")
    recipes = list(found["trained"])
    untrained = found["untrained"][found["trained"][recipes[0]]["pooling"]]
    rows = []
    for name in (*found["tasks"], "mean"):
        guessing = found["chance"] if name == "mean" else found["tasks"][name]["chance"]
        before = [of["accuracy"][name]["mean"] for of in (found["words"], found["random"], untrained)]
        changes = [changed(found["trained"][recipe]["change"][name]) for recipe in recipes]
        rows.append((name, f"{guessing:.1f}", *(f"{value:.1f}" for value in before), *changes))
    return PageTable(("task", "guessing", "bag of words", "random weights", "untrained", *recipes), rows, caption)


def changed(interval: Mapping) -> str:
    """ "−3.1 ± 0.8": a difference with half of its interval."""
    said = written(interval["mean"], ".1f", "+")
    return f"{said} ± {interval['high'] - interval['mean']:.1f}" if "high" in interval else said
