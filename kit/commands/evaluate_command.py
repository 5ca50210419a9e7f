"""`kit evaluate PATH`: measure an encoder, print the tables, save the report."""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

from kit.commands.own_arguments import need_pairs
from kit.commands.report_page import Report, save_report
from kit.commands.sentence_transformers_folder import load_saved
from kit.data import load_sts, load_transfer
from kit.errors import KitError
from kit.evaluation import evaluate_sts, evaluate_transfer
from kit.evaluation.logistic import Protocol
from kit.paths import output
from kit.storage.atomic import writable
from kit.world.probing_accuracy import evaluate_probing
from kit.world.probing_tasks import LEAST_ROWS


def evaluate(options: argparse.Namespace) -> Report:
    """Do what the parsed arguments ask for; whether the folder takes files is tried before the work.

    Raises KitError for an encoder that cannot be loaded, a folder that cannot be written, and
    whatever the evaluations raise.
    """
    need_pairs(options)
    asked = Path(options.path).expanduser().resolve()
    out = options.out or output("evaluate", (asked.parent if asked.name == "encoder" else asked).name)
    if (options.transfer or options.probing) and (options.rows or LEAST_ROWS) < LEAST_ROWS:
        raise KitError(
            f"expected at least {LEAST_ROWS} rows for classifiers, got --rows {options.rows}: give more, or "
            "leave out --transfer and --probing."
        )
    began = time.perf_counter()
    encoder, line = load_saved(options.path, options.device)
    writable(out, "the report")
    print(line)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        tasks = load_sts(rows=options.rows)
        transfer_tasks = load_transfer(rows=options.rows, seed=options.seed) if options.transfer else None
    remarks = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    for remark in remarks:
        warnings.warn(remark, UserWarning, stacklevel=1)
    found = _measure(encoder, tasks, transfer_tasks, options, out / "kept")
    seconds = round(time.perf_counter() - began, 1)
    report = Report(options.path, line, options.rows, options.seed, remarks, seconds, **found)
    print(report.text())
    for file in save_report(report, out):
        print(f"Saved {file}")
    return report


def _measure(
    encoder: Any, tasks: dict, transfer_tasks: dict | None, options: argparse.Namespace, kept: Path
) -> dict[str, Any]:
    """The reports that were asked for, by name."""
    bars = not options.quiet
    found = {"sts": evaluate_sts(encoder, tasks, progress=bars, resamples=options.resamples, seed=options.seed)}
    if transfer_tasks is not None:
        found["transfer"] = evaluate_transfer(
            encoder, transfer_tasks, cache=kept, progress=bars, protocol=Protocol(seed=options.seed)
        )
    if options.probing:
        found["probing"] = evaluate_probing(encoder, rows=options.rows, seed=options.seed, cache=kept, progress=bars)
    return found
