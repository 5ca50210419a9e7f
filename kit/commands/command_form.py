"""What a command is, and the numbers and paths that options take; imported by all files that have options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from kit.checks.argument_checks import closed_place


@dataclass(frozen=True)
class Command:
    """A command: what it is for, its options, and the function that runs it (which imports torch, hence late)."""

    summary: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], object]
    saved: str  # what is there after an interruption


def late(module: str, name: str) -> Callable[[argparse.Namespace], object]:
    """The function of that name in that module of kit.commands, which is imported when it runs."""
    return lambda options: getattr(import_module(f"kit.commands.{module}"), name)(options)


def path(text: str) -> Path:
    """A path; a shell leaves the ~ of --out=~/runs as it stands. One that leads nowhere is refused before the work."""
    try:
        found = Path(text).expanduser()
    except RuntimeError as error:
        raise argparse.ArgumentTypeError(f"expected a path, got {text!r} ({str(error).rstrip('.')})") from None
    if told := closed_place([found]):
        raise argparse.ArgumentTypeError(str(told))
    return found


def positive(text: str) -> int:
    return at_least(text, 1)


def count(text: str) -> int:
    return at_least(text, 0)


def at_least(text: str, least: int) -> int:
    if not text.isdecimal() or len(text) > 18 or int(text) < least:
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} of at most 18 digits, got {text!r}")
    return int(text)
