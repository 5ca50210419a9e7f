"""`kit evaluate`, `kit compare` and `kit train --validation` on pairs of two classes: how well a cosine tells them
apart, and from which one on."""

from __future__ import annotations

import argparse
from typing import Any

from kit.commands.own_arguments import reading
from kit.errors import KitError, UnknownName, printable
from kit.evaluation.significance import interval
from kit.owndata import OwnData, OwnValidation, read
from kit.owndata.own_validation import SPEARMAN
from kit.retrieval import SameOrNot, best_threshold, same_or_not
from kit.retrieval.same_or_not import ORDER, ORDER_100, has_two_classes


def refuse_threshold(options: argparse.Namespace, data: OwnData) -> None:
    """Errors: `KitError` for --threshold-from beside rows that are no pairs of two classes."""
    if options.threshold_from:
        raise KitError(
            f"expected --threshold-from beside pairs of two classes, the same or not, but {data.name} has other rows "
            f"({data.kind}), which have no threshold: give such pairs, or leave it out."
        )


def told_apart(
    options: argparse.Namespace, data: OwnData, systems: list[tuple[str, Any]], reports: dict[str, Any]
) -> tuple[list[str], dict[str, dict]]:
    """(lines, name → as JSON) on each of `reports`, of `evaluate_pairs` by the names of their encoders; nothing for
    pairs with more than two scores or classes. Errors: `KitError` for a --threshold-from of other rows."""
    scored = {name: report.tasks[0].scored for name, report in reports.items()}
    if not all(has_two_classes(one.gold) for one in scored.values()):
        refuse_threshold(options, data)
        return [], {}
    thresholds, chosen_on, lines = dict.fromkeys(reports), "", []
    if options.threshold_from:
        chosen_on, thresholds, lines = _chosen(options, data, systems)
    found = {
        name: same_or_not(
            one.similarities["cosine"], one.gold, thresholds[name], options.resamples, options.seed, chosen_on
        )
        for name, one in scored.items()
    }
    lines += [f"{name}: {one}" for name, one in found.items()]
    if not options.threshold_from:
        lines.append("Choose the threshold on other pairs, as of a validation part: --threshold-from FILE.")
    if len(systems) == 2 and options.resamples:
        lines.append(_difference(*((name, found[name]) for name, _ in systems)))
    return ["\n".join(lines)], {name: one.as_dict() for name, one in found.items()}


def trained_apart(reports: dict[str, Any]) -> tuple[str, dict[str, dict]]:
    """(lines, name → as JSON) on the encoder before and after a training; nothing for pairs with more than two scores
    or classes. A threshold stands in the JSON alone: one for other pairs is chosen when the training is over."""
    scored = {name: report.tasks[0].scored for name, report in reports.items()}
    if not all(has_two_classes(one.gold) for one in scored.values()):
        return "", {}
    found = {name: same_or_not(one.similarities["cosine"], one.gold) for name, one in scored.items()}
    lines = [f"{name}: {one.in_order()}" for name, one in found.items()]
    lines.append(_difference(*reversed(found.items())))
    return "\n".join(lines), {name: one.as_dict() for name, one in found.items()}


def go_on_by(measure: str, validation: OwnValidation) -> list[str]:
    """Judge pairs of two classes by Spearman where a run in the folder began so, as earlier versions did; what to say
    of it. measure: by which that run was judged, "" where there is none."""
    if (measure, validation.measure) != (SPEARMAN, ORDER_100):
        return []
    validation.measure = SPEARMAN
    return [
        f"The run in the folder began by {SPEARMAN}, and so its steps are judged on; a new run in another folder has "
        f"{ORDER_100} for such pairs."
    ]


def _chosen(
    options: argparse.Namespace, data: OwnData, systems: list[tuple[str, Any]]
) -> tuple[str, dict[str, float], list[str]]:
    """(what the thresholds were chosen on, name → the threshold of each encoder, what to say of it)."""
    said = reading(options)
    try:
        others = read(options.threshold_from, **data.roles | said)
    except UnknownName:  # its columns have other names
        others = read(options.threshold_from, **said)
    if others.kind not in ("labelled", "scored"):
        refuse_threshold(options, others)
    validation, found = OwnValidation(others), {}
    for name, encoder in systems:
        one = validation.report(encoder, resamples=0).tasks[0].scored
        if not has_two_classes(one.gold):
            refuse_threshold(options, others)
        found[name] = best_threshold(one.similarities["cosine"], one.gold)
    mine, theirs = ({row[:2] for row in part.rows} for part in (data, others))
    told = (
        f"Careful: {len(mine & theirs):,} of {len(mine):,} pairs of {data.name} stand in {others.name} too, so the "
        "threshold was chosen on them, and what follows from it is optimistic."
    )
    return f"{printable(others.name)}, by F1", found, [told] if mine & theirs else []


def _difference(first: tuple[str, SameOrNot], second: tuple[str, SameOrNot]) -> str:
    """The first's average precision less the second's; both drew the same pairs."""
    (one, ours), (other, theirs) = first, second
    said = (
        f"{ORDER}: {one} {ours[ORDER]:.2f}, {other} {theirs[ORDER]:.2f}, difference {ours[ORDER] - theirs[ORDER]:+.2f}"
    )
    between = interval(ours.resampled[ORDER] - theirs.resampled[ORDER])
    if between is None:
        return f"{said}; too few pairs for an interval."
    includes = between.low <= 0 <= between.high
    end = (
        "includes zero: other pairs like these could turn the order round"
        if includes
        else "excludes zero: other pairs like these would seldom turn the order round; how training seeds scatter is "
        "not in it"
    )
    return f"{said}, 95% interval {between.low:+.2f} to {between.high:+.2f}, which {end}."
