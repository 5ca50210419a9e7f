"""encode beside the runtimes that a CPU user can install: onnxruntime and OpenVINO, on the same weights and text.

    KIT_DATA=<mirror folder> python benchmarks/encode_backends.py [--quick] [--sentences 10000] [--out FILE]

Each runs the kit's ONNX of the encoder (kit.sharing), rows sorted by length as sentence-transformers sorts them, in the
best of three batch sizes, tried out before; all tokenise within the time. fp32, and what is lower: ours in bf16_all,
ONNX with weights in bytes, OpenVINO as it is by itself (bf16 where the processor has it). A runtime that is not
installed is left out and said to be. They are given the kit's tokenizer and nothing round it, so there is no target:
that is beside sentence-transformers' own backends, which wrap the same two, in encode_peers.py.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from rows import BENCH, Row, compared, interleaved, save
from training_speed import Case, new_encoder, quiet

SENTENCES = 10_000
BATCHES = (32, 64, 256)
Run = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (ids, mask) [rows, length] → vectors


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a hundred sentences and one shape, to see that it runs")
    options.add_argument("--sentences", type=int, default=SENTENCES)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--out", type=Path, default=BENCH / "encode_backends.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    from encode_speed import sentences

    texts = sentences(100 if args.quick else args.sentences)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in ("tiny",) if args.quick else ("tiny", "mini"):
            found += rows(shape, texts, Path(folder), 1 if args.quick else args.repetitions, args.threads)
    save(args.out, found)


def rows(shape: str, texts: list[str], folder: Path, repetitions: int, threads: int) -> list[Row]:
    """Ours against the best other one, in fp32 and in low precision; how far each is from torch stands in the note."""
    import torch

    from kit.encoder import load_encoder
    from kit.sharing.onnx_export import export_onnx

    torch.set_num_threads(threads)
    name = "kit-bert-tiny" if shape == "tiny" else str(new_encoder(Case(shape, "simcse", 64), folder / shape))
    encoder = load_encoder(name)
    exports = {kind: folder / f"{shape}-{kind}" for kind in ("fp32", "int8")}
    for kind, place in exports.items():
        export_onnx(encoder, place, int8=kind == "int8")
    runtimes = found_runtimes({kind: place / "model.onnx" for kind, place in exports.items()}, threads)
    few = random.Random(0).sample(texts, min(len(texts), 500))
    ways = {
        "ours, fp32": partial(encoder.encode, texts),
        "ours, bf16_all": partial(encoder.encode, texts, precision="bf16_all"),
    }
    sizes = {}
    for label, (_, run) in runtimes.items():
        sizes[label] = min(BATCHES, key=lambda size, run=run: timed(encode_by, encoder, run, few, size))
        ways[label] = partial(encode_by, encoder, run, texts, sizes[label])
    taken = interleaved(ways, repetitions)
    exact = torch.nn.functional.normalize(encoder.encode(few, fast=False))
    table = []
    for precision, ours in (("fp32", "ours, fp32"), ("low", "ours, bf16_all")):
        others = [label for label, (kind, _) in runtimes.items() if kind == precision]
        if not others:
            continue
        own = least_cosine(encoder.encode(few, precision=ours.removeprefix("ours, ")), exact)
        best = min(others, key=lambda label: sorted(taken[label])[len(taken[label]) // 2])
        for label in others:
            theirs = least_cosine(torch.from_numpy(encode_by(encoder, runtimes[label][1], few, 64)), exact)
            note = f"least cosine with torch's fp32: ours {own:.5f}, theirs {theirs:.5f}"
            setting = f"{shape}, {ours.removeprefix('ours, ')}, {len(texts):,} sentences"
            peer = f"{label}, batch {sizes[label]}" + (" (the best)" if label == best else "")
            table.append(
                compared(
                    "encode beside runtimes",
                    setting,
                    taken[ours],
                    taken[label],
                    peer,
                    unit="sentences/s",
                    amount=len(texts),
                    note=note,
                )
            )
    return table


def found_runtimes(files: dict[str, Path], threads: int) -> dict[str, tuple[str, Run]]:
    """Name → ("fp32" or "low", how it computes) for every runtime that is installed."""
    found: dict[str, tuple[str, Run]] = {}
    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is not installed: left out")
    else:
        for kind, file in files.items():
            settings = onnxruntime.SessionOptions()
            settings.intra_op_num_threads = threads
            session = onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
            found[f"onnxruntime {onnxruntime.__version__}, {kind}"] = (
                "fp32" if kind == "fp32" else "low",
                lambda ids, mask, s=session: s.run(None, {"input_ids": ids, "attention_mask": mask})[0],
            )
    try:
        import openvino
    except ImportError:
        print("openvino is not installed: left out")
        return found
    core, number = openvino.Core(), openvino.__version__.split("-")[0]
    usual = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    for label, kind, more in (("fp32", "fp32", {"INFERENCE_PRECISION_HINT": "f32"}), ("by itself", "low", {})):
        model = core.compile_model(core.read_model(files["fp32"]), "CPU", usual | more)
        found[f"OpenVINO {number}, {label}"] = (
            kind,
            lambda ids, mask, m=model: m({"input_ids": ids, "attention_mask": mask})[0],
        )
    return found


def encode_by(encoder, run: Run, texts: list[str], size: int) -> np.ndarray:
    """Vectors in the order given: tokenised, sorted by length, padded and computed a batch at a time."""
    ids = encoder.tokenize(texts)
    order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
    vectors = np.empty((len(ids), encoder.dim), np.float32)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        longest = len(ids[chosen[0]])
        padded, mask = np.zeros((2, len(chosen), longest), np.int64)
        for row, i in enumerate(chosen):
            padded[row, : len(ids[i])], mask[row, : len(ids[i])] = ids[i], 1
        vectors[chosen] = run(padded, mask)
    return vectors


def least_cosine(vectors, exact) -> float:
    """The lowest cosine of a row of `vectors` [n, dim] with its row of `exact` [n, dim], of length 1."""
    return (vectors / vectors.norm(dim=1, keepdim=True) * exact).sum(1).min().item()


def timed(work: Callable, *arguments) -> float:
    work(*arguments)
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
