"""The encoder that `kit train` begins with, beside the same one as `kit evaluate` measures it: the row untrained."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from kit.checks.encoder_parts import is_of_modules
from kit.commands.prompts import NO_PROMPTS, Prompted, has_sides, sentence
from kit.commands.sentence_transformers_folder import load_any, prompts_to_train_with
from kit.encoder import Encoder
from kit.errors import KitError, KitWarning, printable
from kit.owndata import OwnData


def prompts_here(name: str, own: OwnData | None) -> tuple[tuple[str, str], list[str]]:
    """(the prompts of the encoder called `name` for this training, what to say of them).

    They stand before the texts of `own` where its rows have anchors, and before those that are judged and searched in
    any case. Errors: as `prompts_to_train_with`.
    """
    prompts, why_not = prompts_to_train_with(name)
    if why_not:
        return NO_PROMPTS, [
            f"Careful: {printable(name)} is trained and saved without its prompts, as {why_not}, which the kit does "
            "not train: what is saved reads texts as they are, while kit evaluate has the prompts for the model itself."
        ]
    if not any(prompts):
        return NO_PROMPTS, []
    if has_sides(own):
        return prompts, [f"{sentence(prompts)} So the model notes it; the training does the same, and it is saved on."]
    rows = "premises with hypotheses, or documents," if own is None else f"rows of the kind {own.kind}"
    return prompts, [
        f"{sentence(prompts)} So the model notes it, and it is saved on; but {rows} are neither "
        "queries nor what answers them, so the training reads them as they are."
    ]


def of_modules(encoder: Encoder) -> list[str]:
    """What to say where sentence-transformers puts something round the transformer, which the recipe does not."""
    if not is_of_modules(Path(encoder.source.location)):
        return []
    return [
        f"Careful: {encoder.source.name} is a model of sentence-transformers, of which the transformer alone is "
        f"trained, with pooling {encoder.pooling} and at most {encoder.max_length} word pieces. Its own pooling and "
        "length, which kit evaluate says, can be had with --set pooling=… and --max-length; whatever else it has, such "
        "as a Dense layer, is left out. Called untrained is the whole model, as kit evaluate measures it."
    ]


def as_evaluated(name: str, encoder: Encoder) -> Any:
    """What `kit evaluate` measures by this name, of which `encoder` is what is trained; a warning where it cannot be
    loaded, and `encoder` stands for it."""
    if encoder.source.is_fallback:  # which is said already
        return encoder
    try:
        return load_any(name, str(encoder.device))[0]
    except KitError as problem:
        warnings.warn(KitWarning(f"the transformer alone is called untrained: {problem}"), stacklevel=2)
        return encoder


def of_another_start(encoder: Encoder, evaluated: Any) -> list[str]:
    """What to say where an encoder of the kit's is trained with another pooling or length than it has."""
    whole = evaluated.encoder if isinstance(evaluated, Prompted) else evaluated
    if is_of_modules(Path(encoder.source.location)) or not isinstance(whole, Encoder):
        return []
    has, gets = ((one.pooling, one.max_length) for one in (whole, encoder))
    if has == gets:
        return []
    return [
        f"Careful: {encoder.source.name} has pooling {has[0]} and at most {has[1]} word pieces, and so it is called "
        f"untrained, as kit evaluate measures it; the training begins with {gets[0]} and {gets[1]}."
    ]
