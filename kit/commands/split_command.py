"""`kit split FILE --out FOLDER`: parts without a leak, as files that the other commands read."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from kit.commands.own_arguments import reading
from kit.commands.own_training import TEXTS_ALONE
from kit.data import HIDDEN
from kit.errors import KitError, shown
from kit.owndata import OwnData, read, split
from kit.owndata.minhash import LEAST
from kit.owndata.split_own import NOT_TOLD, PARTS
from kit.storage.atomic import remove, writable, write_together
from kit.storage.run_lock import LOCK, NOTE, keep_owning, owner_of


def split_file(options: argparse.Namespace) -> None:
    """Write a file for each part, and say what a random split would have leaked and how training goes on."""
    shares = _shares(options.parts)
    paths = {name: options.out / f"{name}.jsonl" for name in shares}
    with _owned(options.out):
        _check_new(list(paths.values()))
        _write_parts(options, shares, paths)


@contextlib.contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Own the folder of the parts from the look for older ones to the last write; make it if need be.

    It holds nothing but parts afterwards, and goes where it was made for none.
    """
    is_new = not folder.exists()
    try:
        writable(folder, "the parts")
        with owner_of(folder):
            try:
                yield
            finally:  # it is the reader's folder: who owns it next finds the parts, and needs no lock to be refused
                remove(folder / NOTE)
                remove(folder / LOCK)
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()


def _check_new(paths: list[Path]) -> None:
    """Errors: `KitError` where a part is there; it is said where others of its set are not."""
    there = [path for path in paths if path.exists()]
    if not there:
        return
    remedy = "name another, so that the rows of an earlier training do not come into this test"
    lacking = [path.name for path in paths if path not in there]
    if lacking:
        remedy += f"; if it is what a stopped split left, which is no whole set without {lacking[0]}, delete it"
    raise KitError(f"expected a folder without parts for --out, but {there[0]} is there: {remedy}.")


def _write_parts(options: argparse.Namespace, shares: dict[str, float], paths: dict[str, Path]) -> None:
    data = read(options.data, **reading(options))
    quiet = options.json or options.quiet
    if not options.json:
        print(data.summary(), file=sys.stderr)
    least = LEAST if options.least is None else options.least
    found = split(data, shares, options.seed, tuple(options.by), least=least, progress=not quiet)
    how = _reading_alike(data)
    for name in paths:
        _check_usable(name, found[name], how)
    keep_owning(options.out)
    write_together((path, as_lines(found[name])) for name, path in paths.items())
    if options.json:
        named = {name: {"file": str(path), "rows": len(found[name])} for name, path in paths.items()}
        more = {"clusters": found.clusters, "largest": found.largest, "leaked_by_chance": found.leaked_by_chance}
        print(json.dumps({"parts": named, **more, "read with": how}))
        return
    print(found.summary(), *(f"Saved {path}: {len(found[name]):,} rows." for name, path in paths.items()), sep="\n")
    print("", *_next_steps(data, list(paths.values()), how), sep="\n")


def _shares(given: list[str] | None) -> dict[str, float]:
    """Name → share, as --parts says it."""
    if given is None:
        return PARTS
    shares = {}
    for one in given:
        name, sign, share = one.partition("=")
        try:
            number = float(share)
        except ValueError:
            number = None
        if not sign or number is None or name in shares or not name.isidentifier():
            raise KitError(
                f"expected --parts as NAME=SHARE, each name once, such as train=0.8 test=0.2, got {shown(one)}."
            )
        shares[name] = number
    return shares


def as_lines(data: OwnData) -> str:
    """`as_rows` as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in as_rows(data))


def as_rows(data: OwnData) -> list[dict]:
    """The rows with their roles as columns, classes in words and scores on their own scale."""
    columns = dict(data.columns)
    if data.kind in ("labelled", "classes"):
        columns["label"] = [None if one == HIDDEN else data.label_names[one] for one in columns["label"]]
    if data.kind == "scored":
        low, high = data.score_range
        columns["score"] = [round(low + score * (high - low), 9) for score in columns["score"]]
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _next_steps(data: OwnData, paths: list[Path], how: dict) -> list[str]:
    """The commands that train on the first part, keep a step by the one in between, and judge by the last."""
    said = f" --kind {data.kind}" if "kind" in how else ""
    if "score_range" in how:
        said += " --score-range {:.12g} {:.12g}".format(*how["score_range"])
    first, *between, last = (quote(str(path)) for path in paths)
    if data.kind in TEXTS_ALONE:  # which are judged by pairs
        return ["Next:", f"  kit train --data {first}{said} --out runs/mine"]
    validation = f" --validation {between[0]}" if between else ""
    return [
        "Next:",
        f"  kit train --data {first}{said}{validation} --out runs/mine",
        f"  kit evaluate runs/mine --pairs {last}{said}",
    ]


def _reading_alike(data: OwnData) -> dict:
    """With which arguments `read` takes what `as_lines` wrote as what it was."""
    how = {"kind": data.kind} if data.kind in NOT_TOLD else {}
    return {**how, "score_range": data.score_range} if data.kind == "scored" else how


def _check_usable(name: str, part: OwnData, how: dict) -> None:
    """Errors: `KitError` for a part that by itself is not enough, such as one with a single class."""
    try:
        read(as_rows(part), **how)
    except KitError as problem:
        what, _, _ = str(problem).partition(": ")  # its remedy is for a whole file
        raise KitError(
            f"expected parts that can be used by themselves, but of {name} it is said: {what}; nothing was written: "
            "larger shares may help, or another --seed."
        ) from problem
