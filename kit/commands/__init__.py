"""The kit at the command line: `kit evaluate PATH`, `kit train` (or `python -m kit evaluate PATH` …).

`main` reads the arguments, runs a command, and turns bad input into one sentence. Each command has a file of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import sys
import warnings
from collections.abc import Sequence

from kit.checks.argument_checks import closed_to_us
from kit.checks.failed_load import lacks_memory
from kit.commands.class_arguments import CLASS_COMMANDS
from kit.commands.command_form import Command, count, late, path, positive
from kit.commands.file_arguments import FILE_COMMANDS
from kit.commands.own_arguments import add_own_arguments
from kit.commands.recipes_command import RECIPE_COMMANDS
from kit.commands.retrieval_arguments import SEARCH_COMMANDS, add_device, add_judging, add_threshold
from kit.errors import KitError, unknown_name
from kit.storage.run_lock import FULL
from kit.threads import use_allowed_threads

BAD_INPUT, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it worked, 2 for bad input (said in one sentence), 130 if interrupted.

    Without a command, or with --help alone, the commands are listed.
    """
    code = 0
    try:
        try:
            code = _run(arguments)
            return code
        finally:  # also after argparse's own exit: what cannot be written must not wait for the end of Python
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:  # who reads, as `head`, has enough
        _drop_output()
        return code
    except OSError as error:
        if error.errno not in {*FULL, errno.EIO}:
            raise
        _drop_output()
        print(
            f"{_name()}: expected to write all that is said, but the system said '{error.strerror}': make some "
            "room, or write elsewhere.",
            file=sys.stderr,
        )
        return BAD_INPUT


def _drop_output() -> None:
    """What is still to be written goes nowhere: Python would try it again at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console that lacks a letter shows its number
    name, *options = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help", "help"):
        print(overview())
        return 0
    if name not in COMMANDS:
        print(f"{_name()}: {unknown_name('command', name, COMMANDS)}", file=sys.stderr)
        return BAD_INPUT
    command = COMMANDS[name]
    parser = argparse.ArgumentParser(prog=f"kit {name}", description=command.description)
    command.add_arguments(parser)
    parsed = parser.parse_args(options)
    with warnings.catch_warnings():
        warnings.showwarning = _say  # without the place in the source, which is no reader's business
        warnings.simplefilter("default", UserWarning)
        try:
            if fewer := use_allowed_threads():
                print(f"{_name()}: {fewer}", file=sys.stderr)
            command.run(parsed)
        except (KitError, OSError, RuntimeError, MemoryError) as error:
            told = error if isinstance(error, KitError) else closed_to_us(error)
            if told is None and lacks_memory(error):
                told = (
                    f"expected memory enough for kit {name}, but there is not: end other programs, raise the limit "
                    "that this process has, or give fewer rows or a smaller batch."
                )
            if told is None:
                raise
            print(f"{_name()}: {told}", file=sys.stderr)
            return BAD_INPUT
        except KeyboardInterrupt:
            with contextlib.suppress(BrokenPipeError):  # Ctrl-C ends whom a pipe leads to as well
                print(f"\n{_name()}: interrupted; {command.saved}.", file=sys.stderr)
            return INTERRUPTED
    return 0


def overview() -> str:
    """The commands with one line each, as `kit` alone prints them."""
    lines = [f"  {name:<10} {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        (
            "usage: kit COMMAND [options]",
            "",
            "Contrastive sentence embeddings: train an encoder, or measure one.",
            "",
            *lines,
            "",
            "`kit COMMAND --help` lists the options of a command.",
        )
    )


def _say(message, category, *place) -> None:
    print(f"{_name()}: {message}", file=sys.stderr)


def _name() -> str:
    """Who speaks: one of several processes says which."""
    rank = os.environ.get("RANK", "0")
    return "kit" if rank == "0" or os.environ.get("WORLD_SIZE", "1") == "1" else f"kit, rank {rank}"


def _evaluate_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "path",
        metavar="PATH",
        help="a folder (kit, transformers or sentence-transformers), or a name such as kit-bert-tiny",
    )
    one.add_argument("--transfer", action="store_true", help="also the eight transfer tasks")
    one.add_argument("--probing", action="store_true", help="also the ten probing tasks, on made-up sentences")
    one.add_argument("--rows", type=positive, metavar="N", help="at most N rows a task: a quick look, no result")
    one.add_argument(
        "--resamples",
        type=count,
        default=1000,
        metavar="N",
        help="bootstrap resamples for the intervals; 0 for none (default: 1000)",
    )
    one.add_argument("--seed", type=count, default=0, metavar="N", help="of folds, resamples and transfer (default: 0)")
    one.add_argument(
        "--out",
        type=path,
        metavar="FOLDER",
        help="where report.json, report.md and report.html go (default: .kit/evaluate/<name>); with --pairs "
        "report.json alone (default: nowhere)",
    )
    one.add_argument(
        "--raw", metavar="NAME", help="with --pairs, the encoder beside it; 'none' for none (default: kit-bert-tiny)"
    )
    add_device(one)
    add_judging(one)
    add_threshold(one)


def _train_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--recipe",
        metavar="NAME",
        help="such as scl, simcse or mnrl; kit recipes lists them (default: the first that fits a file of your own, "
        "which is said)",
    )
    one.add_argument(
        "--preset",
        metavar="NAME",
        help="smoke, laptop or gpu (default: laptop for a file of your own, else the paper's own numbers)",
    )
    one.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="other settings of the recipe, such as temperature=0.1 batch_size=128",
    )
    one.add_argument(
        "--data",
        default="stanfordnlp/snli",
        metavar="NAME",
        help="a data set of the course, or a file of your own, .csv, .jsonl, .parquet, .xlsx and the like "
        "(default: SNLI); of another Hub id name the columns",
    )
    one.add_argument(
        "--matryoshka",
        nargs="+",
        type=positive,
        metavar="DIM",
        help="dimensions at which vectors may be cut: 128 64 32",
    )
    one.add_argument(
        "--validation", metavar="FILE", help="a file of your own, judged before, while and after training, beside BM25"
    )
    one.add_argument(
        "--validate-every", type=positive, metavar="N", help="with --validation: steps between two (default: 50)"
    )
    one.add_argument(
        "--keep",
        choices=("best", "last"),
        help="with --validation: the step whose encoder is saved, the best by it (default) or the last",
    )
    one.add_argument("--rows", type=positive, metavar="N", help="about N rows of it")
    one.add_argument(
        "--encoder",
        default="kit-bert-tiny",
        metavar="NAME",
        help="a folder, or a name such as kit-bert-mini-v2 (default: kit-bert-tiny)",
    )
    one.add_argument("--max-length", type=positive, metavar="N", help="word pieces a sentence may have")
    one.add_argument("--steps", type=positive, metavar="N", help="so many steps instead of the recipe's epochs")
    one.add_argument("--seed", type=count, default=0, metavar="N", help="of batches, dropout and samples (default: 0)")
    add_device(one)
    one.add_argument(
        "--precision",
        default="auto",
        metavar="NAME",
        help="fp32, bf16 or auto: bf16 where it is the faster way here (default)",
    )
    one.add_argument("--checkpoint-every", type=positive, default=200, metavar="N", help="steps (default: 200)")
    one.add_argument(
        "--out",
        type=path,
        metavar="FOLDER",
        help="checkpoints, run.json and the encoder (default: .kit/train/<recipe>-<preset>)",
    )
    one.add_argument("--quiet", action="store_true", help="no progress bar")
    one.add_argument("--json", action="store_true", help="what came of it as one line of JSON, and nothing else")
    add_own_arguments(one)


def _evaluate(options: argparse.Namespace) -> None:
    if options.pairs or options.retrieval or options.threshold_from:
        from kit.commands.own_judgement import evaluate_own

        evaluate_own(options)
        return
    from kit.commands.evaluate_command import evaluate

    if not options.json:
        evaluate(options)
        return
    with contextlib.redirect_stdout(sys.stderr):
        report = evaluate(options)
    print(json.dumps(report.as_dict()))


COMMANDS = {
    **FILE_COMMANDS,
    **RECIPE_COMMANDS,
    "evaluate": Command(
        "measure an encoder on STS, transfer and probing tasks, or on pairs of your own",
        "Measure an encoder on the seven STS tasks, and if asked on transfer and probing tasks. Real data comes from "
        "the mirror folder that KIT_DATA names; where it is missing, made-up data stands in and says so. With --pairs "
        "a file of your own is measured instead, beside BM25 and the raw encoder. Example: kit evaluate runs/mine "
        "--pairs test.csv --retrieval corpus.jsonl",
        _evaluate_arguments,
        _evaluate,
        "what was classified is kept, so the same command goes on from there",
    ),
    "train": Command(
        "train an encoder by a recipe, with one process or several",
        "Train an encoder by a recipe and save it. Started by torchrun --nproc-per-node N -m kit train or by "
        "accelerate launch, N processes share every batch and train the same encoder. Ctrl-C ends the step and leaves "
        "a checkpoint; the same command again goes on from the newest one. Example: kit train --data my.csv --anchor "
        "question --positive answer --validation dev.csv --out runs/mine",
        _train_arguments,
        late("train_command", "train"),
        "the same command goes on from the newest checkpoint, or from the start where there is none yet",
    ),
    **SEARCH_COMMANDS,
    **CLASS_COMMANDS,
}
