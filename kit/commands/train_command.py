"""`kit train`: train an encoder by a recipe, with one process or with as many as a launcher starts.

    kit train --recipe scl --preset laptop --out runs/scl
    torchrun --nproc-per-node 2 -m kit train --recipe scl --preset laptop --out runs/scl
    accelerate launch --multi_gpu --num_processes 2 -m kit train --recipe scl --preset laptop --out runs/scl
    kit train --data my.csv --anchor question --positive answer --validation dev.csv --out runs/mine

The first three train the same encoder; `kit.scaling.distributed` says how. (--multi_gpu stands for several
processes, also where there is no GPU: with --cpu accelerate starts one.) The same command again goes on from
the newest checkpoint.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import random
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from kit.checks.sentences import warn_of_unknown_words
from kit.commands.interrupts import stopping_with_a_checkpoint
from kit.commands.own_arguments import as_options
from kit.commands.own_training import (
    TEXTS_ALONE,
    chosen_recipe,
    judged,
    kept_in_words,
    own_data,
    own_validation,
    shared_in_words,
)
from kit.commands.prompts import PromptedValidation, after_prompts, note_prompts, sentence
from kit.commands.sentence_transformers_folder import encoder_of_run
from kit.commands.start_of_training import as_evaluated, of_another_start, of_modules, prompts_here
from kit.commands.two_classes import go_on_by
from kit.data import group_by_premise, load, load_documents
from kit.encoder import load_encoder
from kit.encoder.find import DEFAULT
from kit.errors import KitError
from kit.owndata import OwnData, OwnValidation, fitted, training_data
from kit.paths import output
from kit.retrieval import matryoshka
from kit.storage.run_lock import owner_of
from kit.training.device import pick_device
from kit.training.fit import FitResult
from kit.training.processes import processes_for
from kit.training.recipes import Recipe, recipe
from kit.workshop.run_folder import prepare_run
from kit.workshop.run_record import Run
from kit.workshop.validation import measure_of

OF_THEIR_OWN = {"name": "recipe", "preset": "preset", "encoder": "encoder"}  # arguments of `recipe`: their options
EVERY = 50  # steps between two validations
LOOKED_AT = 1_000  # texts of one's own of which is told whether the encoder can read them


def train(options: argparse.Namespace) -> Run:
    """Do what the parsed arguments ask for: train, then save the encoder with its model card.

    Rank 0 alone speaks and saves. Raises KitError for whatever the recipe, the data, the encoder, the folder
    or the launcher's settings have wrong.
    """
    own, said = own_data(options), []
    _check_validation_options(options)
    options.encoder = encoder_of_run(options.encoder)
    if own is None and not options.recipe:
        if Path(options.data).expanduser().is_file():
            raise KitError(
                f"expected a recipe for {options.data}, a file in the form of the course, got none: name one with "
                "--recipe, such as scl."
            )
        raise KitError("expected a recipe, got none: name one with --recipe, such as mnrl, or give a file of your own.")
    if own is not None:
        options.recipe, options.preset = chosen_recipe(options, own, said.append)
        own = some_rows(own, options)
    settings = recipe(options.recipe, options.preset, options.encoder, **changes(options.set))
    if options.matryoshka:
        settings = matryoshka(settings, options.matryoshka)
    processes = processes_for(settings, pick_device(options.device))
    if not processes.is_main:
        warnings.simplefilter("ignore", UserWarning)  # rank 0 says the same
    out = options.out or output("train", f"{options.recipe}-{options.preset}" if options.preset else options.recipe)
    if not re.fullmatch(r"[\w-]+", out.resolve().name):
        raise KitError(
            f"expected --out as a folder whose name has letters, digits, - and _ only, got {out.resolve().name!r}: it "
            "becomes the name of the run."
        )
    prepare_run(out)
    with owner_of(out if processes.is_main else None):
        options.prompts, of_prompts = prompts_here(options.encoder, own)
        data, settings, line = load_data(options, settings) if own is None else load_own(own, settings, options)
        validation = own_validation(options, own)
        if validation and any(options.prompts):
            validation = PromptedValidation(validation.data, options.prompts)
        with_bars = processes.is_main and not options.quiet
        if validation:
            said += go_on_by(measure_of(out), validation)
            trained = own.texts() if own is not None else course_texts(data)
            if shared := shared_in_words(trained, validation.data, with_bars):
                said.append(shared)
        return _train(options, settings, processes, out, data, [line, *of_prompts, *said], validation, own)


def _train(
    options: argparse.Namespace,
    settings: Recipe,
    processes,
    out: Path,
    data: Sequence,
    lines: list[str],
    validation: OwnValidation | None,
    own: OwnData | None,
) -> Run:
    encoder = load_encoder(
        options.encoder,
        pooling=settings.pooling,
        first_layer=settings.first_layer,
        max_length=options.max_length,
        device=processes.device,
    )
    if own is not None:  # in any script
        texts = own.texts()  # column after column, so some of all
        some = texts[:: max(1, len(texts) // LOOKED_AT)]
        looked_at = [text[: encoder.max_length - 2] for text in some]  # what is cut of all of them, the training says
        warn_of_unknown_words(looked_at, encoder.tokenize(looked_at), encoder.tokenizer)
    say = print if processes.is_main and not options.json else lambda *_, **__: None  # of --json nothing but JSON
    say(encoder.source.summary(), *of_modules(encoder), *lines, sep="\n")
    untrained = None
    if validation and processes.is_main:
        evaluated = as_evaluated(options.encoder, encoder)
        for line in of_another_start(encoder, evaluated):
            say(line)
        untrained = validation.report(evaluated, "untrained")
        del evaluated  # its memory is needed
    run = Run(
        out.resolve().name,
        encoder,
        settings,
        data,
        seed=options.seed,
        steps=options.steps,
        validation=validation,
        every=options.validate_every or EVERY,
        keep_best=validation is not None and options.keep != "last",
        precision=options.precision,
        checkpoint_every=options.checkpoint_every,
        folder=out.resolve().parent,
        about={
            "data": lines[0],
            "preset": options.preset or "the paper's numbers",
            "encoder": f"{encoder.source.summary()} {sentence(options.prompts)}".strip(),
        },
    )
    if run.history:
        say(goes_on(run))
    with stopping_with_a_checkpoint(run) as stopped:
        result = run.train(progress=not options.quiet)
    if stopped or result.steps < result.planned:
        raise KeyboardInterrupt
    if processes.is_main:
        _tell(run, result, options, say, untrained, own)
    processes.barrier()  # a launcher ends all processes when one ends badly: none leaves before the encoder is saved
    return run


def _tell(
    run: Run, result: FitResult, options: argparse.Namespace, say: Callable, untrained: Any, own: OwnData | None
) -> None:
    """Save the encoder and say what came of the training: in words, or with --json as one line."""
    saved, validation, found, compared = run.export(), run.validation, {}, []
    note_prompts(saved, options.prompts)  # a kill before it loses nothing: the same command saves again
    if validation:
        words, found, compared = judged(untrained, validation.report(run.encoder, "trained"), validation.baseline())
        say(validation.described, words, kept_in_words(run, result.steps), sep="\n")
    if not any(step["loss"] for step in result.history):
        say("The loss was 0 at every step, so nothing was learnt: a batch of one has no negatives, for example.")
    say(
        result.summary(),
        f"On {result.hardware}.",
        f"Saved {saved}; measure it with: {measuring(saved, options, own)}",
        sep="\n",
    )
    if options.json:
        parts = {"steps": result.steps, "seconds": result.seconds, "encoder": str(saved), "validation": found}
        parts["comparisons"] = compared
        parts["measure"] = validation and validation.measure  # by which a step is the best
        parts["kept_step"] = run.best[0] if run.best else result.steps
        print(json.dumps({"recipe": run.recipe.name, "data": run.about["data"], **parts}))


def _check_validation_options(options: argparse.Namespace) -> None:
    """Errors: `KitError` for options of a validation where there is none."""
    if options.validation is None and (options.validate_every or options.keep):
        name = "--validate-every" if options.validate_every else "--keep"
        raise KitError(f"expected --validation beside {name}, got none: give a file to judge by, or leave {name} out.")


def goes_on(run: Run) -> str:
    """That an earlier call has begun, or ended, the run in the folder; whether it is this one, `fit` finds out."""
    step = run.history[-1]["step"]
    if run.finished:
        return f"{run.folder} holds a run with all its {step:,} steps: if it is this one, nothing is trained anew."
    return f"Goes on from the checkpoint of step {step:,} in {run.folder}, if that is of this run."


def measuring(saved: Path, options: argparse.Namespace, own: OwnData | None) -> str:
    """The command that measures what was saved as it was trained: the same columns, beside the same start."""
    alone = own is not None and own.kind in TEXTS_ALONE  # whose column no pair has
    if options.validation is None and (own is None or alone):
        return f"kit evaluate {quote(str(saved))}"
    raw = "" if options.encoder == DEFAULT else f" --raw {quote(options.encoder)}"
    columns = "" if alone else as_options(options)
    return f"kit evaluate {quote(str(saved))} --pairs test.csv{columns}{raw}"


def course_texts(data: Sequence) -> list[str]:
    """What a recipe trains on, of a data set of the course: premises and hypotheses, or documents."""
    return [
        text for one in data for text in ([one] if isinstance(one, str) else [one.anchor, *map(str, one.hypotheses)])
    ]


def some_rows(own: OwnData, options: argparse.Namespace) -> OwnData:
    """The rows that --rows leaves, drawn by --seed; all without it."""
    if options.rows is None:
        return own
    return own.take(sorted(random.Random(options.seed).sample(range(len(own)), min(options.rows, len(own)))))


def load_own(own: OwnData, settings: Recipe, options: argparse.Namespace) -> tuple[Sequence, Recipe, str]:
    """(what the recipe trains on, the recipe with what the data decide, how they were read)."""
    settings, set_by_data = fitted(settings, own, changes(options.set))
    return (
        training_data(after_prompts(own, options.prompts), settings),
        settings,
        f"{own.summary()} {set_by_data}".strip(),
    )


def load_data(options: argparse.Namespace, settings: Recipe) -> tuple[Sequence, Recipe, str]:
    """(what the recipe trains on, the recipe, one sentence on the data): long documents, or NLI groups by premise.

    Raises KitError as the loaders do.
    """
    path = Path(options.data).expanduser()
    own = path if path.exists() else None
    if settings.data_format == "documents":
        if options.split != "train":
            raise KitError(
                f"expected no --split for long documents, which have none, got {options.split!r}: leave it out."
            )
        documents = load_documents(options.rows, seed=options.seed, path=own)
        return documents, settings, documents.source.summary()
    table = load(path.stem if own else options.data, options.split, path=own, rows=options.rows, seed=options.seed)
    groups = group_by_premise(table)
    as_numbers = " Labels 0, 1 and 2 were read as NLI's entailment, neutral and contradiction." if own else ""
    return groups, settings, f"{table.source.summary()} {len(groups):,} premises.{as_numbers}"


def changes(pairs: Sequence[str]) -> dict[str, Any]:
    """{name: value} of "name=value": a value is JSON (0.1, true, null) or Python (True, None), else the word itself.

    Raises KitError where there is no "=", and for what has an option of its own.
    """
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise KitError(f"expected a setting as NAME=VALUE, got {pair!r}: write --set temperature=0.1, for example.")
        if name in OF_THEIR_OWN:
            raise KitError(f"expected a setting of the recipe in --set, got {pair!r}: use --{OF_THEIR_OWN[name]}.")
        found[name] = _value(value)
    return found


def _value(written: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return read(written)
    return written
