"""An encoder as ONNX, for programs without torch: token ids and mask in, sentence vectors out. An optional extra.

model.onnx        inputs input_ids and attention_mask [rows, length] int64, output sentence_embedding [rows, dim]
tokenizer.json    for the package `tokenizers`
onnx.json         pooling, max_length, precision, and how far the vectors are from those of torch
README.md         its card, where one is given
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from kit.checks.argument_checks import check_kind, checked
from kit.checks.foreign_code import read_settings
from kit.checks.sentences import check_sentences, warn_of_unread_ends
from kit.data.hub import first_line
from kit.encoder import Encoder
from kit.encoder.pooling import PADDED_POOLINGS
from kit.errors import KitError, shown
from kit.number_checks import is_whole, whole_number
from kit.storage.replace_folder import check_replaceable, replace_folder

MODEL, TOKENIZER, NOTE, CARD = "model.onnx", "tokenizer.json", "onnx.json", "README.md"
WRITTEN = re.compile("|".join(map(re.escape, (MODEL, TOKENIZER, NOTE))))
WITH_CARD = re.compile(f"{WRITTEN.pattern}|{re.escape(CARD)}")
CLOSE = 1e-4  # largest difference of a component, of vectors of length 1, that an export in float32 may have
SAMPLE = (
    "A dog runs.", "Where can I change my password?", "yes", "Interest rates rose by 0.25 percent on Tuesday.",
    "Two old birds wait in the park near the river, and nobody sings. " * 12,
)  # fmt: skip


@dataclass(frozen=True)
class OnnxReport:
    """What `export_onnx` wrote. Lesson 13.

    largest_difference: of a component, between its vectors of length 1 and torch's; lowest_cosine: of such a pair;
    both over a few sentences, from one word to longer than the limit. bytes: of model.onnx.
    """

    folder: str
    precision: str
    pooling: str
    max_length: int
    dim: int
    largest_difference: float
    lowest_cosine: float
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.folder}: {self.bytes / 1e6:.1f} MB, {self.precision}, vectors of {self.dim}; largest difference to "
            f"torch {self.largest_difference:.1e}, lowest cosine {self.lowest_cosine:.6f}"
        )


@checked
def export_onnx(encoder: Encoder, folder: Path | str, int8: bool = False, card: str = "") -> OnnxReport:
    """Write `encoder` as ONNX, run it once by onnxruntime, and compare its vectors with torch's.

    int8: weights of the matrix products in bytes (dynamic quantisation): about a quarter of the size, vectors that
    differ; the report says by how much. card: its README.md, without which `push` takes no folder. Errors: `KitError`
    for a missing package, a pooling that depends on padding, a folder that holds something else, and float32 vectors
    that differ by more than 1e-4: nothing is then written. Lesson 13.
    """
    _packages()
    check_kind("card", card, "str")
    if encoder.pooling in PADDED_POOLINGS:
        raise KitError(
            f"expected a pooling that masks padding, got {encoder.pooling!r}: 'mean_without_cls' is nearest."
        )
    folder = Path(folder).expanduser().resolve()
    check_graph_folder(folder, with_card=bool(card))
    reports: list[OnnxReport] = []

    def fill(partial: Path) -> None:
        _write_graph(encoder, partial / MODEL, int8)
        _save_tokenizer(encoder, partial / TOKENIZER)
        reports.append(_compared(encoder, partial, folder, int8))
        note = json.dumps(asdict(reports[-1]) | {"folder": folder.name}, indent=1)
        (partial / NOTE).write_text(note + "\n", "utf-8")
        if card:
            (partial / CARD).write_text(card, "utf-8")

    try:
        replace_folder(folder, fill)
    except OSError as error:
        raise KitError(
            f"expected to write the ONNX export to {folder}, but the system said '{error.strerror or error}': free "
            "space or choose another folder; what was there stays."
        ) from error
    return reports[-1]


def check_graph_folder(folder: Path, with_card: bool) -> None:
    """Errors: `KitError` for a folder that holds something other than an ONNX export, or a card that gets no heir."""
    check_replaceable(folder, "an ONNX export", NOTE, WITH_CARD if with_card else WRITTEN)


def _save_tokenizer(encoder: Encoder, file: Path) -> None:
    """Write the tokenizer, which cuts and pads by itself wherever it is loaded; the encoder's own does neither."""
    tokenizer = encoder.tokenizer.backend_tokenizer
    try:
        tokenizer.enable_truncation(encoder.max_length)
        tokenizer.enable_padding(pad_id=encoder.tokenizer.pad_token_id, pad_token=encoder.tokenizer.pad_token)
        file.write_text(tokenizer.to_str(pretty=True), "utf-8")  # its own `save` raises a bare Exception on a full disk
    finally:
        tokenizer.no_truncation()
        tokenizer.no_padding()


class OnnxEncoder:
    """An exported encoder, run by onnxruntime; takes the place of an `Encoder` where only `encode` is needed.

    Lesson 13. Errors: `KitError` for a folder that `export_onnx` did not write, and where onnxruntime is missing.
    """

    @checked
    def __init__(self, folder: Path | str) -> None:
        runtime, tokenizers = _packages()
        folder = Path(folder).expanduser()
        if not all((folder / name).is_file() for name in (MODEL, TOKENIZER, NOTE)):
            raise KitError(
                f"expected a folder with {MODEL}, {TOKENIZER} and {NOTE}, got {folder}: export_onnx writes one."
            )
        settings = read_settings(folder / NOTE)
        if not all(is_whole(settings.get(name), 1) for name in ("max_length", "dim")) or "precision" not in settings:
            raise KitError(
                f"expected max_length, dim and precision in {folder / NOTE}, but one is missing or no number: export "
                "it anew."
            )
        self._start(runtime, tokenizers, folder, int(settings["max_length"]), int(settings["dim"]))
        self.name = f"{folder.name} (ONNX, {settings['precision']})"

    def _start(self, runtime: Any, tokenizers: Any, folder: Path, max_length: int, dim: int) -> None:
        self.max_length, self.dim, self.name = max_length, dim, "ONNX"
        try:
            options = runtime.SessionOptions()
            options.log_severity_level = 3
            self.session = runtime.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
            self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
            self.tokenizer.no_truncation()  # so that what is cut can be told
            self.tokenizer.no_padding()
        except Exception as error:  # both packages have types of their own for a damaged file
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise KitError(
                f"expected a whole ONNX export in {folder}, but it does not load ({reason}): export it anew."
            ) from error

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> torch.Tensor:
        """Sentence vectors [n, dim], float32, in the order given, cut at the encoder's max_length.

        Errors: `KitError` for a batch size below 1.
        """
        from tqdm.auto import tqdm

        whole_number("batch_size", batch_size, 1, "64 is usual")
        texts = check_sentences(sentences, pieces=self.max_length)
        rows = [row.ids for row in self.tokenizer.encode_batch(texts)]
        warn_of_unread_ends(texts, rows, self.max_length)
        rows = [row if len(row) <= self.max_length else [*row[: self.max_length - 1], row[-1]] for row in rows]
        order, vectors = (
            sorted(range(len(rows)), key=lambda i: len(rows[i])),
            np.empty((len(rows), self.dim), np.float32),
        )
        for start in tqdm(range(0, len(rows), batch_size), desc="encode", leave=False, disable=not progress):
            places = order[start : start + batch_size]
            longest = max(len(rows[i]) for i in places)
            ids = np.array([rows[i] + [0] * (longest - len(rows[i])) for i in places], dtype=np.int64)
            mask = np.array([[1] * len(rows[i]) + [0] * (longest - len(rows[i])) for i in places], dtype=np.int64)
            vectors[places] = self.session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return torch.from_numpy(vectors)


def _write_graph(encoder: Encoder, path: Path, int8: bool) -> None:
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    # two rows of unlike lengths: a size of 1 would be taken for a constant
    ids, mask = torch.ones(2, 7, dtype=torch.int64), torch.ones(2, 7, dtype=torch.int64)
    mask[1, 5:] = 0
    was_training, level = encoder.training, logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                encoder.eval(), (ids.to(encoder.device), mask.to(encoder.device)), dynamo=True, verbose=False,
                input_names=["input_ids", "attention_mask"], output_names=["sentence_embedding"],
                dynamic_shapes=(free, free),
            )  # fmt: skip
            _forget_where(program.model)
            whole = path.with_name("whole.onnx") if int8 else path
            program.save(str(whole))
            if int8:
                from onnxruntime.quantization import QuantType, quantize_dynamic

                quantize_dynamic(str(whole), str(path), weight_type=QuantType.QInt8)
                whole.unlink()
    except OSError:
        raise
    except Exception as error:  # torch.onnx has a type for every stage of an export
        raise KitError(f"expected torch to export the encoder to ONNX, but it said: {first_line(error)}.") from error
    finally:
        logging.disable(level)
        encoder.train(was_training)


def _forget_where(model: Any) -> None:
    """Take out torch's notes on where each node comes from: stack traces with file paths of this machine."""
    nodes = list(model.graph.all_nodes())
    values = [*model.graph.inputs, *model.graph.initializers.values(), *(v for node in nodes for v in node.outputs)]
    for noted in (model, model.graph, *nodes, *values):
        noted.metadata_props.clear()


def _compared(encoder: Encoder, written: Path, folder: Path, int8: bool) -> OnnxReport:
    runtime, tokenizers = _packages()
    exported = OnnxEncoder.__new__(OnnxEncoder)
    exported._start(runtime, tokenizers, written, encoder.max_length, encoder.dim)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one sentence is longer than the limit on purpose
        both = (system.encode(list(SAMPLE)).double() for system in (exported, encoder))
        ours, theirs = (torch.nn.functional.normalize(vectors, dim=1) for vectors in both)
    difference, cosine = (ours - theirs).abs().max().item(), (ours * theirs).sum(dim=1).min().item()
    if not int8 and not difference <= CLOSE:
        raise KitError(
            f"expected vectors within {CLOSE:g} of torch's from the ONNX export, got a difference of "
            f"{shown(difference)}: nothing was written; report it with the name of the encoder."
        )
    size = (written / MODEL).stat().st_size
    precision = "int8" if int8 else "float32"
    return OnnxReport(
        str(folder), precision, encoder.pooling, encoder.max_length, encoder.dim, difference, cosine, size
    )


def _packages() -> tuple[Any, Any]:
    """(onnxruntime, tokenizers), where all four packages are there."""
    try:
        import onnx  # noqa: F401 (torch.onnx uses it)
        import onnxruntime
        import onnxscript  # noqa: F401 (torch.onnx uses it)
        import tokenizers
    except ImportError as error:
        raise KitError(
            f"expected the packages for ONNX, but {error.name} is missing: pip install onnx onnxruntime onnxscript."
        ) from error
    return onnxruntime, tokenizers
