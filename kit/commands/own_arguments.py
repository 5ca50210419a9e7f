"""The options of a command that say how a file of one's own is to be read."""

from __future__ import annotations

import argparse

from kit.errors import KitError

ROLES = {
    "anchor": "the texts that are asked with, such as questions",
    "positive": "what belongs to the anchor; several columns for several positives",
    "negative": "what does not; several columns for several negatives",
    "sentence1": "the first sentence of a labelled or scored pair",
    "sentence2": "the second",
    "label": "its class, or that of a single text",
    "score": "its score",
    "text": "single sentences or documents",
    "group": "names of groups, whose rows no split may tear apart: for kit split, without effect on other commands",
}
KINDS = (  # importing them is slow
    "pairs", "triplets", "multiples", "labelled", "scored", "classes", "sentences", "documents",
)  # fmt: skip
SEVERAL = ("positive", "negative")
READING = ("kind", "encoding", "separator", "split", "sheet", "leave_out", "score_range")


def add_own_arguments(one: argparse.ArgumentParser) -> None:
    """The columns by their roles, and the settings of `kit.owndata.read`."""
    group = one.add_argument_group("a file of your own", "what is not said is told by names and content, and printed")
    for role, meaning in ROLES.items():
        nargs = {"nargs": "+"} if role in SEVERAL else {}
        group.add_argument(f"--{role}", metavar="COLUMN", help=f"the column of {meaning}", **nargs)
    group.add_argument("--kind", metavar="NAME", help=f"one of {', '.join(KINDS)}")
    group.add_argument(
        "--score-range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="the lowest and highest possible score"
    )
    group.add_argument("--leave-out", action="store_true", help="leave out rows that cannot be used, and say so")
    group.add_argument("--encoding", metavar="NAME", help="of the file, such as cp1252 (default: told by its bytes)")
    group.add_argument("--separator", metavar="CHARACTER", help="between cells (default: told by the first rows)")
    group.add_argument("--no-header", action="store_true", help="the first row is no header")
    group.add_argument("--sheet", metavar="NAME", help="of an Excel file (default: the first)")
    group.add_argument("--split", default="train", metavar="NAME", help="of a Hub id (default: train)")


def reading(options: argparse.Namespace) -> dict:
    """The arguments of `kit.owndata.read` that the options say."""
    said = {name: getattr(options, name) for name in (*READING, *ROLES) if getattr(options, name) not in (None, False)}
    for role in SEVERAL:
        if role in said and len(said[role]) == 1:
            said[role] = said[role][0]
    if options.no_header:
        said["header"] = False
    if said.get("separator") == "\\t":
        said["separator"] = "\t"
    return said


def as_options(options: argparse.Namespace) -> str:
    """Those of the options that name the columns of a file, as they are typed, each after a space."""
    from kit.owndata import as_typed  # importing it is slow

    said = {name: getattr(options, name) for name in (*ROLES, "kind")}
    return as_typed.options(said) + " --no-header" * options.no_header


def need_pairs(options: argparse.Namespace) -> None:
    """Errors: `KitError` for options on a file of one's own where --pairs names none."""
    if options.pairs is not None:
        return
    if options.retrieval:
        raise KitError("expected --pairs beside --retrieval, got none: it says which text belongs to which.")
    if getattr(options, "threshold_from", None):
        raise KitError("expected --pairs beside --threshold-from, got none: name the pairs that are judged.")
    raw = getattr(options, "raw", None) is not None
    if raw or is_said(options):
        name = "--raw" if raw else next(name for name in reading(options) if name != "split")
        name = name if raw else "--no-header" if name == "header" else f"--{name.replace('_', '-')}"
        raise KitError(f"expected --pairs beside {name}, got none: name the file, or leave {name} out.")


def is_said(options: argparse.Namespace) -> bool:
    """Whether any option says how to read a file."""
    return any(name != "split" for name in reading(options))
