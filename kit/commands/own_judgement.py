"""`kit evaluate --pairs`, `kit compare`: encoders judged on a file of one's own, beside BM25 and GloVe."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kit.checks.sentences import is_blank
from kit.commands.own_arguments import need_pairs, reading
from kit.commands.own_training import scores_in_words
from kit.commands.sentence_transformers_folder import encoder_of_run, load_saved
from kit.commands.two_classes import refuse_threshold, told_apart
from kit.data import load_sts
from kit.encoder.find import DEFAULT
from kit.errors import KitError, KitWarning, printable
from kit.evaluation import compare_sts, evaluate_sts
from kit.number_checks import whole_number
from kit.owndata import OwnData, OwnValidation, own_task, read
from kit.owndata.text_files import lines_of, read_text
from kit.retrieval import BM25, RetrievalReport, RetrievalTask, compare_retrieval, comparison_table, evaluate_retrieval
from kit.storage.atomic import writable, write_atomically
from kit.workshop.records import RECORD, read_record

RETRIEVAL = ("pairs", "triplets", "multiples", "classes")
OF_A_FILE = ("encoding", "separator", "leave_out")  # what holds for --retrieval as for --pairs
FEWEST = 20  # resamples: p is at least 1 in one more of them
NO_INTERVALS = "No intervals were asked for (--resamples 0), so differences are not judged."


def evaluate_own(options: argparse.Namespace) -> dict:
    """One encoder on --pairs (and --retrieval), beside its baselines; prints the tables, or one line of JSON.

    --out keeps what --json prints as report.json. Errors: `KitError` for options of the published tasks.
    """
    _check_options(options)
    if options.out is not None:
        writable(options.out, "the report")
    found = _on_own(options)
    if options.out is not None:
        write_atomically(options.out / "report.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        _say(options, f"Saved {options.out / 'report.json'}")
    return found


def _on_own(options: argparse.Namespace) -> dict:
    encoder, line = load_saved(options.path, options.device)
    data = read(options.pairs, **reading(options))
    _say(options, line, data.summary())
    systems, raw = [(options.path, encoder)], options.raw or DEFAULT
    if raw not in ("none", options.path):
        systems.append((f"raw ({raw})", load_saved(raw, options.device)[0]))
    for path in (options.path, raw):
        met_in_training(path, data, path)
    if data.kind not in RETRIEVAL:
        return _scored(options, data, systems)
    refuse_threshold(options, data)
    task = own_task(data, more_documents(options))
    reports = reports_on(options, task, [*baselines(), *reversed(systems)])
    lines, compared = [reports[-1].task, comparison_table(reports)], []
    if options.resamples:
        compared = [compare_retrieval(reports[-1], one, options.resamples, options.seed) for one in reports[:-1]]
        lines += [found.summary() for found in compared]
    else:
        lines.append(NO_INTERVALS)
    found = {"task": reports[-1].task, "systems": {report.name: report.as_dict() for report in reports}}
    found["comparisons"] = [one.as_dict() for one in compared]
    if accuracies := _accuracies(options, data, systems[:1], lines):
        found["triplet accuracy"] = accuracies[options.path]
    return _tell(options, lines, found)


def compare(options: argparse.Namespace) -> dict:
    """`kit compare A B`: two encoders on --pairs, or on the seven STS tasks; difference, interval and paired test.

    What it gives, and --json prints, has the same keys on any rows: systems, each by its name, and comparisons.
    """
    _check_options(options)
    (first, _), (second, _) = (load_saved(path, options.device) for path in (options.first, options.second))
    if _place(options.first) == _place(options.second):
        raise KitError(f"expected two encoders to compare, got {options.first} twice: name another one.")
    names = (options.first, options.second)
    if options.pairs is None:
        tasks = load_sts(rows=options.rows)
        reports = [evaluate_sts(encoder, tasks, progress=not options.quiet) for encoder in (first, second)]
        found = {"systems": {name: report.as_dict() for name, report in zip(names, reports)}}
        if not options.resamples:
            tables = [f"{name}\n{report.table()}" for name, report in zip(names, reports)]
            return _tell(options, [*tables, NO_INTERVALS], found | {"comparisons": []})
        compared = compare_sts(*reports, resamples=options.resamples, seed=options.seed, names=names)
        return _tell(options, [compared.table(), compared.summary()], found | {"comparisons": [compared.as_dict()]})
    data = read(options.pairs, **reading(options))
    _say(options, data.summary())
    for path in names:
        met_in_training(path, data, path)
    if data.kind not in RETRIEVAL:
        return _scored(options, data, [(names[0], first), (names[1], second)])
    refuse_threshold(options, data)
    task = own_task(data, more_documents(options))
    both = [(names[0], first), (names[1], second)]
    reports = reports_on(options, task, [*baselines(), *both])
    lines, found = [reports[-1].task, comparison_table(reports)], {"task": reports[-1].task}
    found |= {"systems": {report.name: report.as_dict() for report in reports}, "comparisons": []}
    if options.resamples:
        compared = compare_retrieval(reports[-2], reports[-1], options.resamples, options.seed)
        lines += [str(compared), compared.summary()]
        found["comparisons"].append(compared.as_dict())
    else:
        lines.append(NO_INTERVALS)
    if accuracies := _accuracies(options, data, both, lines):
        found["triplet accuracy"] = accuracies
    return _tell(options, lines, found)


def met_in_training(path: str, data: OwnData, who: str) -> str:
    """That the record of the run names the file of `data` as what it was trained on, or as what chose its step; "" if
    it does not, or where there is none. It is a warning, too. who: the encoder, as the sentence calls it."""
    inside = Path(encoder_of_run(path)).expanduser()
    if inside.name != "encoder" or not (inside.parent / RECORD).is_file():
        return ""
    try:
        record = read_record(inside.parent / RECORD)
    except KitError as problem:  # it is no reason not to judge
        warnings.warn(KitWarning(str(problem)), stacklevel=2)
        return ""
    named = re.compile(rf"([\d,]+ rows? of )?{re.escape(printable(data.name))}: ")  # as `OwnData.summary` begins
    if named.match(record["about"].get("data", "")):
        how = f"{who} was trained on {data.name}"
    elif "best" in record and named.match(record["validated_on"]):
        how = f"the step of {who} was chosen by {data.name}"
    else:
        return ""
    told = (
        f"Careful: {how}, as the record of its run says. If it is this file, these figures flatter {who}: report those "
        "on other rows."
    )
    warnings.warn(KitWarning(told), stacklevel=2)
    return told


def _place(path: str) -> str:
    """What tells an encoder from another: its real folder, or its name."""
    inside = Path(encoder_of_run(path)).expanduser()
    return str(inside.resolve()) if inside.exists() else path


def _accuracies(
    options: argparse.Namespace, data: OwnData, systems: list[tuple[str, Any]], lines: list[str]
) -> dict[str, float]:
    """Name → accuracy on triplets, each with a line of its own; nothing for rows that are no triplets."""
    if data.kind != "triplets":
        return {}
    validation, drawn = OwnValidation(data), {"resamples": options.resamples, "seed": options.seed}
    reports = {name: validation.report(encoder, **drawn) for name, encoder in systems}
    lines += [f"{name}: {report}" for name, report in reports.items()]
    return {name: report.accuracy for name, report in reports.items()}


def more_documents(options: argparse.Namespace) -> tuple[str, ...]:
    """The texts of --retrieval; where its rows are pairs or the like all but the anchors, which ask."""
    if not options.retrieval:
        return ()
    how = {name: value for name, value in reading(options).items() if name in OF_A_FILE}
    if _is_lines(options.retrieval):
        return tuple(corpus_texts(options.retrieval, encoding=how.get("encoding")))
    return tuple(read(options.retrieval, **how).texts(without="anchor"))


def corpus_texts(path: str | Path, tell: Callable[[str], None] | None = None, **how: Any) -> dict[str, int]:
    """The distinct texts of a file → the row or line in which each stands first, as an error would name it.

    A .txt has one text on each line, another file is read as data of one's own are. tell: is told how a file was read
    that is more than lines. how: arguments of `kit.owndata.read`.
    """
    if not _is_lines(path) or how.keys() - {"encoding", "split"}:
        data = read(str(path), **how)
        if tell:
            tell(data.summary())
            if len(columns := _text_columns(data)) > 1:
                tell(
                    f"The texts of {' and '.join(columns)} are found one by one; to find those of one column, name it: "
                    f"--text {shlex.quote(columns[-1])}."
                )
        return data.first_rows()
    try:
        text, notes = read_text(Path(path).expanduser(), how.get("encoding"))
    except OSError as error:
        raise KitError(f"expected a text file at {path}, but it cannot be read ({error}).") from error
    found: dict[str, int] = {}
    for number, line in enumerate(lines_of(text), 1):
        if not is_blank(line):
            found.setdefault(unicodedata.normalize("NFC", line.strip()), number)  # as `read` does
    if all("\t" in line for line in found):
        tabs = f"Each line of {path} holds a tab and is read as one text: say --separator '\\t' to read columns."
        notes += (tabs,)
    for note in notes:
        warnings.warn(note, KitWarning, stacklevel=1)
    return found


def _text_columns(data: OwnData) -> list[str]:
    """The columns of the file that hold texts, in the order of their roles."""
    several = [columns for role, columns in data.roles.items() if role not in ("label", "score", "group")]
    return [name for columns in several for name in ([columns] if isinstance(columns, str) else columns)]


def _is_lines(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".txt"


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
            print(printable(f"{number} of {len(systems)}: {name} …"), file=sys.stderr)
        reports.append(evaluate_retrieval(system, task, name=name, resamples=options.resamples, seed=options.seed))
    return reports


def refuse_search(options: argparse.Namespace, data: OwnData) -> None:
    """Errors: `KitError` for --retrieval beside scored or labelled pairs."""
    if options.retrieval:
        raise KitError(
            f"expected --retrieval beside pairs or triplets, got it beside {data.kind} rows in {options.pairs}, among "
            "which nothing is searched: leave it out."
        )


def _scored(options: argparse.Namespace, data: OwnData, systems: list[tuple[str, Any]]) -> dict:
    """An encoder on scored or labelled pairs, compared with a second one if there is one."""
    refuse_search(options, data)
    validation, drawn = OwnValidation(data), {"resamples": options.resamples, "seed": options.seed}
    reports = {name: validation.report(encoder, **drawn) for name, encoder in reversed(systems)}
    words, figures = scores_in_words(reports)
    found = {"systems": figures, "comparisons": []}
    if not options.resamples:
        words += f"\n{NO_INTERVALS}"
    elif len(systems) == 2:
        names = tuple(name for name, _ in systems)
        compared = compare_sts(*(reports[name] for name in names), **drawn, names=names)
        words += f"\n{'Spearman, ' if validation.by_chance else ''}{compared.summary()}"
        found["comparisons"].append(compared.as_dict())
    first = [validation.by_chance, validation.highest, validation.copies if options.resamples else ""]
    apart, as_json = told_apart(options, data, systems, reports)
    for name, one in as_json.items():
        figures[name]["same or not"] = one
    return _tell(options, [*filter(None, first), words, *apart], found)


def _check_options(options: argparse.Namespace) -> None:
    """Errors: `KitError` for so few resamples that no test can exclude chance, beside --pairs for what is not read
    there, and without them for what says how they are read."""
    need_pairs(options)
    ignored = [name for name in ("rows", "transfer", "probing") if getattr(options, name, None)]
    if options.pairs is not None and ignored:
        raise KitError(
            f"expected --pairs or --{ignored[0]}, got both: a file of your own is measured whole and without the "
            "published tasks, so leave one out."
        )
    if options.resamples:
        hint = "with fewer no test excludes chance; 1,000 are usual, and 0 gives no intervals"
        whole_number("--resamples", options.resamples, FEWEST, hint)


def _say(options: argparse.Namespace, *lines: str) -> None:
    for line in lines if not options.json else ():
        print(printable(line))


def _tell(options: argparse.Namespace, lines: list[str], found: dict) -> dict:
    print(json.dumps(found) if options.json else printable("\n\n".join(lines)))
    return found
