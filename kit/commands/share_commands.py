"""`kit export` and `kit push`: an encoder as a folder for others, with its card, and to the Hub."""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import asdict
from pathlib import Path

from kit.commands.own_arguments import reading
from kit.commands.own_judgement import RETRIEVAL, baselines, more_documents, reports_on
from kit.commands.sentence_transformers_folder import load_saved
from kit.encoder import Encoder
from kit.errors import KitError, KitWarning
from kit.owndata import own_task, read
from kit.sharing import CutEncoder, encoder_card, export_onnx, push


def export(options: argparse.Namespace) -> None:
    """Write the encoder in sentence-transformers' layout with a card, and with --onnx or --int8 a graph beside it."""
    encoder, _ = load_saved(options.path, "cpu")
    if not isinstance(encoder, Encoder):
        raise KitError(
            f"expected an encoder as the kit trains it in {options.path}, got one whose vectors are cut, normalised or "
            "made by sentence-transformers: export the one that it was made from."
        )
    training, limits = _training(options.path), []
    if options.dim is not None:
        if options.onnx or options.int8:
            raise KitError("expected --dim or --onnx, got both: the graph is of the whole vector; cut its result.")
        limits = _of_cutting(encoder.dim, options.dim, training)
        encoder = CutEncoder(encoder, options.dim)
    said = {"folder": str(options.out), "dim": encoder.dim}
    reports = []
    if options.pairs:
        pairs = read(options.pairs, **reading(options))
        if pairs.kind not in RETRIEVAL:
            raise KitError(f"expected pairs or triplets to measure for the card, got {pairs.kind} in {options.pairs}.")
        systems = [*baselines(), (options.out.name, encoder)]
        reports = reports_on(options, own_task(pairs, more_documents(options)), systems)
        said["figures"] = reports[-1].figures()
    card = encoder_card(encoder, options.out.name, options.what or "", options.data or "", reports, training, limits)
    saved = encoder.save(options.out, card)
    ours = "" if options.dim else f" or load_encoder({str(saved)!r})"
    lines = [f"Saved {saved}: load it with SentenceTransformer({str(saved)!r}){ours}."]
    if options.onnx or options.int8:
        report = export_onnx(encoder, saved.with_name(f"{saved.name}-onnx"), int8=options.int8)
        said["onnx"] = asdict(report)
        lines.append(f"Saved {report}.")
    print(json.dumps(said, ensure_ascii=False) if options.json else "\n".join(lines))


def push_folder(options: argparse.Namespace) -> None:
    """Upload an exported folder with the user's own token."""
    address = push(options.folder, options.name, private=not options.public)
    print(json.dumps({"address": address}) if options.json else f"Pushed {options.folder} to {address}.")


def _of_cutting(whole: int, dim: int, training: str) -> list[str]:
    """What the card says, and a warning, of vectors cut where the card of their training has no Matryoshka."""
    if dim >= whole or "matryoshka" in training.lower():
        return []
    limit = (
        f"The vectors are the first {dim} of {whole} dimensions, and nothing says that they were trained to be cut "
        "(Matryoshka): what the other dimensions held is lost."
    )
    warnings.warn(f"{limit} Measure them (--pairs), or train with --matryoshka.", KitWarning, stacklevel=1)
    return [limit]


def _training(path: str) -> str:
    """The card that the training wrote beside the encoder, where there is one."""
    for place in (Path(path).expanduser() / "encoder", Path(path).expanduser()):
        if (place / "README.md").is_file() and (place / "kit.json").is_file():
            return (place / "README.md").read_text("utf-8")
    return ""
