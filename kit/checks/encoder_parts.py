"""Whether a transformer and its tokenizer can be read as the kit reads them: as BERT and its kin."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

from kit.checks.foreign_code import read_settings
from kit.errors import KitError, KitWarning, shown
from kit.number_checks import is_whole

MODULES = "modules.json"
SETTINGS = "config_sentence_transformers.json"  # prompts and the similarity among them
MARKS = {"cls_token_id": "[CLS]", "sep_token_id": "[SEP]", "pad_token_id": "[PAD]"}


class UnlikeBert(KitError):
    """A model that the kit does not read, although sentence-transformers may."""


def refuse_decoder(model: Any, where: object) -> None:
    """Errors: `UnlikeBert` for a model that needs a second text to decode, such as that of a T5, or reads as a decoder.

    A BERT that reads so gives other vectors than the same weights as an encoder, whose words see those after them too.
    """
    if getattr(model.config, "is_decoder", False):
        raise UnlikeBert(
            f"expected an encoder in {where}, but its config.json says is_decoder, with which no word sees those after "
            "it: set it to false if these are an encoder's weights, or run the model with sentence-transformers."
        )
    if "decoder_input_ids" in inspect.signature(model.forward).parameters:
        raise UnlikeBert(
            f"expected an encoder in {where}, but transformers makes the encoder-decoder {type(model).__name__} of it: "
            "take a model such as BERT, or run it with sentence-transformers."
        )


def check_finite(model: Any, where: object) -> None:
    """Errors: `KitError` for weights that hold NaN or infinity, before they give figures that mean nothing."""
    # A sum that is finite has only finite parts, and is several times as fast as to look at each of them.
    doubtful = [(name, weights) for name, weights in model.named_parameters() if not weights.detach().sum().isfinite()]
    if spoilt := [name for name, weights in doubtful if not weights.isfinite().all()]:
        raise KitError(
            f"expected finite weights in {where}, got NaN or infinity in {len(spoilt)} tensors (the first is "
            f"{spoilt[0]}), as a training that diverged leaves them: copy the model again, or train it anew."
        )


def check_vocabulary(tokenizer: Any, rows: int, where: object) -> None:
    """Errors: `KitError` for a tokenizer with more pieces than embeddings have rows, or an id beyond the last row."""
    if len(tokenizer) > rows:
        raise KitError(
            f"expected a vocabulary of at most {rows:,} pieces in {where}, got {len(tokenizer):,}: the tokenizer "
            "belongs to another model."
        )
    ids = tokenizer.get_vocab()
    piece = max(ids, key=ids.__getitem__, default=None)
    if piece is not None and ids[piece] >= rows:
        raise KitError(
            f"expected the ids of all pieces in {where} to be below {rows:,}, the rows of its embeddings, got "
            f"{ids[piece]:,} for {shown(piece)}: the tokenizer belongs to another model, or is damaged."
        )


def check_marks(tokenizer: Any) -> None:
    """Errors: `UnlikeBert` for a tokenizer that is slow, or has no pieces to begin, end and pad a sentence with."""
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise UnlikeBert(
            f"expected a fast tokenizer, as tokenizer.json holds it, but {type(tokenizer).__name__} is written in "
            "Python: take a model that has one, or run it with sentence-transformers."
        )
    if lacks := [mark for name, mark in MARKS.items() if getattr(tokenizer, name, None) is None]:
        raise UnlikeBert(
            f"expected a tokenizer with pieces such as [CLS], [SEP] and [PAD], but {type(tokenizer).__name__} has none "
            f"for {' and '.join(lacks)}: take a model such as BERT, or run it with sentence-transformers."
        )
    ids = tokenizer("a").input_ids
    if ids[:1] != [tokenizer.cls_token_id] or ids[-1:] != [tokenizer.sep_token_id]:
        raise UnlikeBert(
            "expected a tokenizer that puts [CLS] before a sentence and [SEP] behind it, but "
            f"{type(tokenizer).__name__} makes {tokenizer.convert_ids_to_tokens(ids)} of the word 'a': take a model "
            "such as BERT, or run it with sentence-transformers."
        )


def is_of_modules(folder: Path) -> bool:
    """Whether a folder is a model of sentence-transformers, and none that the kit saved, whose kit.json says it all."""
    return (folder / MODULES).is_file() and not (folder / "kit.json").exists()


def warn_of_modules(folder: Path) -> None:
    """Warn where sentence-transformers notes beside a transformer what comes before and after it."""
    if is_of_modules(folder):
        warnings.warn(
            f"{folder} is a model of sentence-transformers, of which load_encoder takes the transformer alone, with "
            "mean pooling unless told otherwise: give what its modules.json says, or load the whole model, as "
            "kit evaluate does, with kit.commands.sentence_transformers_folder.load_any.",
            KitWarning,
            stacklevel=4,
        )
    warn_of_prompts(folder)


def warn_of_prompts(folder: Path) -> None:
    """Warn where a folder that the kit saved notes prompts, which the encoder by itself does not put before texts."""
    noted = folder / SETTINGS
    prompts = read_settings(noted).get("prompts") if (folder / "kit.json").exists() and noted.is_file() else None
    if isinstance(prompts, dict) and any(prompts.values()):
        warnings.warn(
            f"{folder} was trained with prompts before queries and documents, which load_encoder leaves "
            "out: put them before the texts yourself, or load the model with its prompts, as kit evaluate does, "
            "with kit.commands.sentence_transformers_folder.load_any.",
            KitWarning,
            stacklevel=5,
        )


def longest_input(bert: Any) -> int:
    """The number of word pieces that a model has positions for: the largest `max_length`."""
    positions = getattr(bert.config, "max_position_embeddings", None)
    positions = positions if is_whole(positions, 1) else 512  # some, such as XLNet, count from token to token
    table = getattr(getattr(bert, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)  # RoBERTa and its kin count from the place after that of padding
    return positions if padding is None else positions - padding - 1


def check_max_length(max_length: object, bert: Any) -> None:
    """Errors: `KitError` for a number of word pieces that the model cannot read."""
    longest = longest_input(bert)
    if not is_whole(max_length, 3) or max_length > longest:
        raise KitError(f"expected max_length between 3 and the encoder's maximum of {longest}, got {max_length!r}.")
