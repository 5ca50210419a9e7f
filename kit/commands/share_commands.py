"""`kit export` and `kit push`: an encoder as a folder for others, with its card, and to the Hub."""

from __future__ import annotations

import argparse
import json
import re
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kit.commands.own_arguments import need_pairs, reading
from kit.commands.own_judgement import RETRIEVAL, baselines, met_in_training, more_documents, refuse_search, reports_on
from kit.commands.prompts import NO_PROMPTS, Prompted, note_prompts, sentence, with_prompts
from kit.commands.sentence_transformers_folder import load_saved
from kit.encoder import Encoder
from kit.encoder.save import check_model_folder
from kit.errors import KitError, KitWarning
from kit.owndata import OwnData, OwnValidation, own_task, read
from kit.retrieval import same_or_not
from kit.retrieval.same_or_not import ORDER, has_two_classes
from kit.sharing import CutEncoder, encoder_card, export_onnx, push
from kit.sharing.cut_vectors import check_cut_folder
from kit.sharing.encoder_card import OF_GRAPH, graph_card
from kit.sharing.onnx_export import NOTE, check_graph_folder

OF_PROMPTS = (
    "sentence-transformers puts them there (encode_query, encode_document), and so do kit evaluate and kit search; "
    "whoever calls anything else, an ONNX graph too, writes them before the texts."
)


def export(options: argparse.Namespace) -> None:
    """Write the encoder in sentence-transformers' layout with a card, and with --onnx or --int8 a graph beside it."""
    need_pairs(options)
    encoder, _ = load_saved(options.path, "cpu")
    prompts = NO_PROMPTS
    if isinstance(encoder, Prompted):
        encoder, prompts = encoder.encoder, (encoder.query, encoder.document)
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
    _check_folders(options)
    if any(prompts):
        limits = [*limits, f"{sentence(prompts)} {OF_PROMPTS}"]
    said = {"folder": str(options.out), "dim": encoder.dim}
    reports = []
    if options.pairs:
        pairs = read(options.pairs, **reading(options))
        limits = [*limits, *filter(None, [met_in_training(options.path, pairs, options.out.name)])]
        reports, said["figures"], remarks = _measured(options, pairs, with_prompts(encoder, prompts))
        limits += remarks
    said_of = (encoder, options.out.name, options.what or "", options.data or "", reports, training)
    saved = encoder.save(options.out, encoder_card(*said_of, limits))
    note_prompts(saved, prompts)
    ours = "" if options.dim or any(prompts) else f" or load_encoder({str(saved)!r})"
    lines = [f"Saved {saved}: load it with SentenceTransformer({str(saved)!r}){ours}."]
    if options.onnx or options.int8:
        card = graph_card(encoder_card(*said_of, [OF_GRAPH, *limits]), encoder.dim)
        report = export_onnx(encoder, _graph_beside(saved), int8=options.int8, card=card)
        said["onnx"] = asdict(report)
        lines.append(f"Saved {report}.")
    print(json.dumps(said) if options.json else "\n".join(lines))


def _measured(options: argparse.Namespace, pairs: OwnData, encoder: Any) -> tuple[list, dict, list]:
    """(the reports on --pairs for the card, the figures of the encoder by their names, remarks on them)."""
    reports, figures = [], {}
    if pairs.kind in RETRIEVAL:
        systems = [*baselines(), (options.out.name, encoder)]
        reports = reports_on(options, own_task(pairs, more_documents(options)), systems)
        figures = reports[-1].figures()
        if pairs.kind != "triplets":
            return reports, figures, []
    else:
        refuse_search(options, pairs)
    validation = OwnValidation(pairs)
    reports.append(validation.report(encoder, options.out.name, options.resamples, options.seed))
    if pairs.kind == "triplets":
        return reports, {**figures, "triplet accuracy": reports[-1].accuracy}, []
    remarks = [validation.by_chance, validation.highest, validation.copies if options.resamples else ""]
    (task,), apart = reports[-1].tasks, {}
    if has_two_classes(task.scored.gold):
        apart = {ORDER: same_or_not(task.scored.similarities["cosine"], task.scored.gold, 0.0, resamples=0)[ORDER]}
    return reports, {**apart, "spearman": task.scores.all}, [*filter(None, remarks)]


def push_folder(options: argparse.Namespace) -> None:
    """Upload an exported folder with the user's own token."""
    address = push(options.folder, options.name, private=not options.public)
    print(json.dumps({"address": address}) if options.json else f"Pushed {options.folder} to {address}.")


def _check_folders(options: argparse.Namespace) -> None:
    """Before the work, not after it. Errors: `KitError` for a folder that cannot be replaced, and for the one that is
    exported, whose card would be lost."""
    out, graph = options.out.resolve(), _graph_beside(options.out.resolve())
    asked = Path(options.path).expanduser()
    if asked.is_dir() and out in (asked.resolve(), (asked / "encoder").resolve()):
        raise KitError(f"expected --out as another folder than {options.path}, which is exported, got {options.out}.")
    (check_cut_folder if options.dim else check_model_folder)(out)
    if options.onnx or options.int8:
        check_graph_folder(graph, with_card=True)
    elif (graph / NOTE).is_file():
        told = f"{graph} holds the ONNX graph of an earlier export to {options.out}, and stays as it is"
        warnings.warn(f"{told}: give --onnx, too, or delete it.", KitWarning, stacklevel=1)


def _graph_beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-onnx")


def _of_cutting(whole: int, dim: int, training: str) -> list[str]:
    """What the card says, and a warning, of vectors cut to dimensions that the card of their training does not name."""
    row = re.search(r"^\| matryoshka.dims \| (.*) \|$", training.replace("\\", ""), re.MULTILINE)
    trained = [int(number) for number in re.findall(r"\b\d{1,6}\b", row[1])] if row else []
    if dim >= whole or dim in trained:
        return []
    limit = f"The vectors are the first {dim} of {whole} dimensions, and " + (
        f"they were trained to be cut to {' or '.join(map(str, trained))} (Matryoshka), not to {dim}."
        if trained
        else "nothing says that they were trained to be cut (Matryoshka): what the other dimensions held is lost."
    )
    warnings.warn(f"{limit} Measure them (--pairs), or train with --matryoshka.", KitWarning, stacklevel=1)
    return [limit]


def _training(path: str) -> str:
    """The card that the training wrote beside the encoder, where there is one."""
    for place in (Path(path).expanduser() / "encoder", Path(path).expanduser()):
        if (place / "README.md").is_file() and (place / "kit.json").is_file():
            return (place / "README.md").read_text("utf-8", errors="replace")
    return ""
