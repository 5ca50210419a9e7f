"""`kit evaluate --pairs`, `kit compare`: encoders judged on a file of one's own, beside BM25 and GloVe."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from kit.commands.own_arguments import reading
from kit.commands.own_training import judged
from kit.commands.sentence_transformers_folder import load_any
from kit.data import load_sts
from kit.errors import KitError
from kit.evaluation import compare_sts, evaluate_sts
from kit.owndata import OwnData, OwnValidation, own_task, read
from kit.retrieval import BM25, RetrievalReport, RetrievalTask, compare_retrieval, comparison_table, evaluate_retrieval

RETRIEVAL = ("pairs", "triplets", "multiples")


def evaluate_own(options: argparse.Namespace) -> dict:
    """One encoder on --pairs (and --retrieval), beside its baselines; prints the tables, or one line of JSON."""
    if options.pairs is None:
        raise KitError("expected --pairs beside --retrieval, got none: it says which text belongs to which.")
    encoder, line = load_saved(options.path)
    data = read(options.pairs, **reading(options))
    _say(options, line, data.summary())
    raw = load_saved(options.raw)[0] if options.raw not in ("none", options.path) else None
    if data.kind not in RETRIEVAL:
        return _scored(options, data, encoder, raw or encoder)
    task = own_task(data, tuple(corpus_texts(options.retrieval)) if options.retrieval else ())
    systems = baselines() + ([(f"raw ({options.raw})", raw)] if raw is not None else [])
    reports = reports_on(options, task, [*systems, (options.path, encoder)])
    lines = [str(task), comparison_table(reports)]
    lines += [compare_retrieval(reports[-1], other, max(2, options.resamples)).summary() for other in reports[:-1]]
    found = {"task": str(task), "systems": {report.name: report.as_dict() for report in reports}}
    if data.kind == "triplets":
        report = OwnValidation(data).report(encoder, resamples=options.resamples, seed=options.seed)
        lines.append(f"{options.path}: {report}")
        found["triplet accuracy"] = report.accuracy
    return _tell(options, lines, found)


def compare(options: argparse.Namespace) -> dict:
    """`kit compare A B`: two encoders on --pairs, or on the seven STS tasks; difference, interval and paired test."""
    (first, _), (second, _) = (load_saved(path) for path in (options.first, options.second))
    if options.first == options.second:
        raise KitError(f"expected two encoders to compare, got {options.first} twice: name another one.")
    names = (options.first, options.second)
    if options.pairs is None:
        if options.retrieval:
            raise KitError("expected --pairs beside --retrieval, got none: it says which text belongs to which.")
        tasks = load_sts(rows=options.rows)
        reports = [evaluate_sts(encoder, tasks, progress=not options.quiet) for encoder in (first, second)]
        found = compare_sts(*reports, resamples=max(2, options.resamples), seed=options.seed, names=names)
        return _tell(options, [found.table(), found.summary()], found.as_dict())
    data = read(options.pairs, **reading(options))
    _say(options, data.summary())
    if data.kind not in RETRIEVAL:
        return _scored(options, data, first, second, names)
    task = own_task(data, tuple(corpus_texts(options.retrieval)) if options.retrieval else ())
    reports = reports_on(options, task, [*baselines(), (names[0], first), (names[1], second)])
    found = compare_retrieval(reports[-2], reports[-1], max(2, options.resamples), options.seed)
    lines = [str(task), comparison_table(reports), str(found), found.summary()]
    return _tell(options, lines, found.as_dict() | {"systems": {report.name: report.as_dict() for report in reports}})


def load_saved(path: str) -> tuple[Any, str]:
    """(encoder, one line on it) of a name, a model folder, or the folder of a run that holds one."""
    inside = Path(path).expanduser() / "encoder"
    return load_any(str(inside) if (inside / "config.json").is_file() else path)


def corpus_texts(path: str | Path) -> list[str]:
    """The distinct texts of a file: .txt has one on each line, another is read as data of one's own are."""
    path = Path(path).expanduser()
    if path.suffix != ".txt":
        return read(str(path)).texts()
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"expected a text file in UTF-8 at {path}, but it cannot be read ({error}).") from error
    texts = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not texts:
        raise KitError(f"expected one text on each line of {path}, got none: fill it, or name another file.")
    return texts


def baselines() -> list[tuple[str, Any]]:
    """BM25 and GloVe where their packages are installed."""
    from kit.comparators.glove import GloveEncoder

    found = []
    for name, make in (("BM25", BM25), ("GloVe", GloveEncoder)):
        try:
            found.append((name, make()))
        except KitError as missing:
            if name == "BM25":
                warnings.warn(f"Without BM25 in the table: {missing}", stacklevel=1)
    return found


def reports_on(
    options: argparse.Namespace, task: RetrievalTask, systems: list[tuple[str, Any]]
) -> list[RetrievalReport]:
    reports = []
    for number, (name, system) in enumerate(systems, 1):
        if not options.quiet:
            print(f"{number} of {len(systems)}: {name} …", file=sys.stderr)
        reports.append(evaluate_retrieval(system, task, name=name, resamples=options.resamples, seed=options.seed))
    return reports


def _scored(
    options: argparse.Namespace, data: OwnData, encoder: Any, other: Any, names: tuple[str, str] | None = None
) -> dict:
    """Two encoders on scored or labelled pairs."""
    validation = OwnValidation(data)
    resamples = max(2, options.resamples)
    reports = [validation.report(one, resamples=resamples, seed=options.seed) for one in (other, encoder)]
    words, figures = judged(*reports, None)
    names = names or (options.path, f"raw ({options.raw})")
    for said, name in (("untrained", names[1]), ("trained", names[0])):
        words = words.replace(f"{said} ", f"{name} ").replace(f"{said}:", f"{name}:")
    return _tell(options, [words], {names[1]: figures["untrained"], names[0]: figures["trained"]})


def _say(options: argparse.Namespace, *lines: str) -> None:
    for line in lines if not options.json else ():
        print(line)


def _tell(options: argparse.Namespace, lines: list[str], found: dict) -> dict:
    print(json.dumps(found, ensure_ascii=False) if options.json else "\n\n".join(lines))
    return found
