"""The kit at the command line: `kit evaluate PATH` (or `python -m kit evaluate PATH`).

main        reads the arguments, runs a command, and turns bad input into one sentence
evaluate    measures an encoder and saves the report
foreign     folders that sentence-transformers wrote
report      the report as JSON, Markdown and a page of plots
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from kit.errors import KitError

BAD_INPUT, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it worked, 2 for bad input (said in one sentence), 130 if interrupted."""
    parsed = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _say  # without the place in the source, which is no reader's business
        warnings.simplefilter("default", UserWarning)
        try:
            from kit.commands.evaluate import evaluate

            evaluate(parsed)
        except KitError as error:
            print(f"kit: {error}", file=sys.stderr)
            return BAD_INPUT
        except KeyboardInterrupt:
            print("\nkit: interrupted; what was classified is kept, so the same command goes on from there.",
                  file=sys.stderr)
            return INTERRUPTED
    return 0


def _say(message, category, *place) -> None:
    print(f"kit: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kit", description="Contrastive sentence embeddings: measure an encoder.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser(
        "evaluate", help="measure an encoder on STS, transfer and probing tasks",
        description="Measure an encoder on the seven STS tasks, and if asked on transfer and probing tasks. Real data "
                    "come from the mirror folder that KIT_DATA names; where they are missing, made-up data stand in "
                    "and say so.")
    one.add_argument("path", metavar="PATH",
                     help="a folder (kit, transformers or sentence-transformers), or a name such as kit-bert-tiny")
    one.add_argument("--transfer", action="store_true", help="also the eight transfer tasks")
    one.add_argument("--probing", action="store_true", help="also the ten probing tasks")
    one.add_argument("--rows", type=_positive, metavar="N", help="at most N rows a task: a quick look, no result")
    one.add_argument("--resamples", type=_count, default=1000, metavar="N",
                     help="bootstrap resamples for the intervals; 0 for none (default: 1000)")
    one.add_argument("--seed", type=_count, default=0, metavar="N", help="draws samples, folds, resamples (default: 0)")
    one.add_argument("--out", type=Path, metavar="FOLDER",
                     help="where report.json, report.md and report.html go (default: .kit/evaluate/<name>)")
    one.add_argument("--quiet", action="store_true", help="no progress bars")
    return parser


def _positive(text: str) -> int:
    return _at_least(text, 1)


def _count(text: str) -> int:
    return _at_least(text, 0)


def _at_least(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"expected a whole number from {least}, got {text!r}")
    return int(text)
