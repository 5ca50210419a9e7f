"""The commands that look at a file of one's own before anything is trained: their options."""

from __future__ import annotations

import argparse

from kit.commands.command_form import Command, count, late, path, positive
from kit.commands.own_arguments import add_own_arguments


def _look_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("data", metavar="FILE", help="a file of your own, or a Hub id")
    one.add_argument("--encoder", default="kit-bert-tiny", metavar="NAME", help="whose word pieces count")
    one.add_argument("--max-length", type=positive, metavar="N", help="word pieces it may read (default: its own)")
    one.add_argument(
        "--meaning", type=float, metavar="COSINE", help="also texts whose cosine is at least this, as 0.95 (slower)"
    )
    one.add_argument("--out", type=path, metavar="FILE", help="where a picture of the lengths goes, .html")
    one.add_argument("--json", action="store_true", help="all of it as one line of JSON, and nothing else")
    add_own_arguments(one)


def _split_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("data", metavar="FILE", help="a file of your own, or a Hub id")
    one.add_argument("--out", type=path, required=True, metavar="FOLDER", help="where the parts go, as .jsonl")
    one.add_argument(
        "--parts",
        nargs="+",
        metavar="NAME=SHARE",
        help="the first is for training (default: train=0.8 validation=0.1 test=0.1)",
    )
    one.add_argument(
        "--by", nargs="+", default=[], metavar="ROLE", help="whose texts count, such as anchor (default: all texts)"
    )
    one.add_argument(
        "--least", type=float, metavar="J", help="likeness of words from which texts count as one (default: 0.7)"
    )
    one.add_argument("--seed", type=count, default=0, metavar="N", help="of the parts (default: 0)")
    one.add_argument("--quiet", action="store_true", help="no progress bars")
    one.add_argument("--json", action="store_true", help="what came of it as one line of JSON, and nothing else")
    add_own_arguments(one)


FILE_COMMANDS = {
    "look": Command(
        "look at a file of your own before training, and see which recipe fits",
        "Read a file of your own, say how it was read, count lengths, copies, near-duplicates, contradictions and "
        "oddities, and name the recipes that fit. Example: kit look my.csv --anchor question --positive answer",
        _look_arguments,
        late("look_command", "look_at"),
        "nothing was changed",
    ),
    "split": Command(
        "split a file of your own for training, validation and test, without a leak",
        "Write the rows of a file of your own into parts: rows that share a text, wholly or nearly, or a group stay in "
        "one part. Each part is a file of JSON lines whose columns are called by their roles. Example: kit split "
        "my.csv --anchor question --positive answer --out parts",
        _split_arguments,
        late("split_command", "split_file"),
        "each file is whole or not there",
    ),
}
