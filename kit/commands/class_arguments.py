"""The commands for a class: their options. What they do stands in handout_command.py and progress_command.py."""

from __future__ import annotations

import argparse
from pathlib import Path

from kit.commands.command_form import Command, late, path


def _handout_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("lessons", nargs="*", metavar="NN", help="such as 01 04 (default: all)")
    one.add_argument("--out", type=path, default=Path("handout"), metavar="FOLDER", help="default: handout")
    one.add_argument("--notebooks", type=path, metavar="FOLDER", help="where the lessons are (default: the checkout's)")
    one.add_argument("--replace", action="store_true", help="also files there that somebody changed")


def _progress_arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "file",
        nargs="?",
        type=path,
        metavar="FILE",
        help="a progress file (default: .kit/progress.json here, else in notebooks or student, or in KIT_OUT)",
    )
    one.add_argument("--export", type=path, metavar="FILE", help="write it as .json or .csv, to be handed in")
    one.add_argument("--name", default="", metavar="NAME", help="who it is from, if that is to stand in it")
    one.add_argument(
        "--class",
        dest="of_class",
        type=path,
        metavar="FOLDER",
        help="read what a class handed in instead: who solved what, the hardest exercises, the predictions",
    )


def _handout(options: argparse.Namespace) -> None:
    from kit.commands.handout_command import default_notebooks, handout

    options.notebooks = options.notebooks or default_notebooks()
    handout(options)


CLASS_COMMANDS = {
    "handout": Command(
        "write the lessons for a class: a student's set and an instructor's",
        "Write two sets of notebooks, neither with what anybody has worked in them: for students with exercises, hints "
        "and checker, for instructors also with every reference answer, why it is right where the code does not say "
        "so, and what the checker says to the usual mistakes; and for either an exam of five questions a lesson. "
        "Example: kit handout 01 04 --out class",
        _handout_arguments,
        _handout,
        "what was written is whole",
    ),
    "progress": Command(
        "show what was solved and predicted, or export it to hand it in",
        "Show the exercises that were solved, and how often a prediction came true. With --export all of it is written "
        "to a file, with tries, hints and times; nothing is sent to anybody. With --class the files that students "
        "handed in are read together: kit progress --class handed-in --export class.csv. Example: kit progress "
        "notebooks/.kit/progress.json --export mine.csv --name 'Ada'",
        _progress_arguments,
        late("progress_command", "show_progress"),
        "nothing was changed",
    ),
}
