"""An encoder whose vectors are cut to their first dimensions, for one trained with `matryoshka`.

The folder that `save_cut` writes is one of sentence-transformers, and needs no code of the kit:

    0_Transformer/        the whole encoder, as `Encoder.save` writes it
    1_Dense/              W = [1 0], [dim, all]: the first `dim` of all dimensions
    2_Normalize/          brought to length 1, as Matryoshka trains them
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from kit.checks.argument_checks import check_kind, checked
from kit.checks.encoder_parts import MODULES
from kit.checks.foreign_code import read_settings
from kit.encoder import Encoder
from kit.encoder.save import MODEL_FILES, save_encoder
from kit.errors import KitError
from kit.number_checks import is_whole
from kit.storage.replace_folder import check_replaceable, replace_folder

WHOLE, DENSE, NORMALIZE = "0_Transformer", "1_Dense", "2_Normalize"


class CutEncoder:
    """`encoder` with the first `dim` dimensions of its vectors, at length 1. Lesson 13.

    Errors: `KitError` for a `dim` that is not from 1 to the encoder's own.
    """

    def __init__(self, encoder: Encoder, dim: int) -> None:
        check_kind("encoder", encoder, "Encoder")
        if not is_whole(dim, 1) or dim > encoder.dim:
            raise KitError(f"expected dimensions from 1 to the encoder's {encoder.dim}, got {dim!r}: choose fewer.")
        self.encoder, self.dim = encoder, int(dim)
        self.source, self.pooling, self.max_length = encoder.source, encoder.pooling, encoder.max_length

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
        """float32 [n, dim], each of length 1. Errors: as `Encoder.encode`."""
        vectors = self.encoder.encode(sentences, batch_size, progress)
        return torch.nn.functional.normalize(vectors[:, : self.dim], dim=1)

    def save(self, folder: Path | str, card: str = "") -> Path:
        """As `save_cut`."""
        return save_cut(self, folder, card)


@checked
def save_cut(cut: CutEncoder, folder: Path | str, card: str = "") -> Path:
    """Write a folder that `SentenceTransformer(folder)` loads with the same vectors; card: its README.md.

    Errors: `KitError` for a folder that holds something else, and as `Encoder.save`.
    """
    from safetensors import SafetensorError

    folder = Path(folder).expanduser().resolve()
    check_cut_folder(folder)

    def fill(partial: Path) -> None:
        try:
            _write(cut, partial, card)
        except KitError as error:  # of the whole encoder's folder, which will have another name
            raise KitError(str(error).replace(str(partial), str(folder))) from error

    try:
        replace_folder(folder, fill)
    except (OSError, SafetensorError) as error:  # the latter has no strerror
        reason = getattr(error, "strerror", None) or error
        raise KitError(
            f"expected to save the encoder to {folder}, but the system said '{reason}': free space or "
            "choose another folder; nothing half-written is left."
        ) from error
    return folder


def check_cut_folder(folder: Path) -> None:
    """Errors: `KitError` for a folder that holds something other than an encoder with cut vectors."""
    check_replaceable(folder, "cut vectors", f"{WHOLE}/{MODULES}", MODEL_FILES)


def cut_of(folder: Path) -> int | None:
    """The dimensions to which `save_cut` has cut what is in a folder; None where it holds something else.

    Errors: `KitError` for damaged files.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    weights, settings = folder / DENSE / "model.safetensors", folder / DENSE / "config.json"
    if not all(file.is_file() for file in (folder / WHOLE / "kit.json", weights, settings)):
        return None
    try:
        matrix = load_file(weights).get("linear.weight")
    except (OSError, SafetensorError) as error:
        raise KitError(f"expected whole safetensors in {weights}, but {error}: copy the model again.") from error
    if matrix is None or matrix.dim() != 2 or not torch.equal(matrix, torch.eye(*matrix.shape)):
        return None
    found = read_settings(folder / MODULES, list), read_settings(settings)
    return len(matrix) if found == (_modules(folder), _dense(*matrix.shape)) else None


def _write(cut: CutEncoder, folder: Path, card: str) -> None:
    from safetensors.torch import save_file

    save_encoder(cut.encoder, folder / WHOLE)
    for path in (DENSE, NORMALIZE):
        (folder / path).mkdir()
    _json(folder / DENSE / "config.json", _dense(cut.dim, cut.encoder.dim))
    save_file({"linear.weight": torch.eye(cut.dim, cut.encoder.dim)}, folder / DENSE / "model.safetensors")
    _json(folder / NORMALIZE / "config.json", {})
    _json(folder / MODULES, _modules(folder))
    _json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})
    if card:
        (folder / "README.md").write_text(card, "utf-8")


def _modules(folder: Path) -> list[dict[str, Any]]:
    """The modules of the whole encoder, then the two that cut its vectors."""
    modules = read_settings(folder / WHOLE / MODULES, list)
    modules = [{**module, "path": f"{WHOLE}/{module.get('path', '')}".rstrip("/")} for module in modules]
    for name, path in (("Dense", DENSE), ("Normalize", NORMALIZE)):
        place = len(modules)
        modules.append({"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{name}"})
    return modules


def _dense(dim: int, whole: int) -> dict[str, Any]:
    """The settings of the module that keeps `dim` of `whole` dimensions."""
    return {
        "in_features": whole,
        "out_features": dim,
        "bias": False,
        "activation_function": "torch.nn.modules.linear.Identity",
    }


def _json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
