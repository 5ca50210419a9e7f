"""encode beside sentence-transformers with its backends "onnx" and "openvino", on the same weights and text.

    KIT_DATA=<mirror folder> python benchmarks/encode_peers.py [--quick] [--peers PYTHON] [--out FILE]

optimum, which those backends need, does not work with the transformers that the kit is tested with. So they have an
environment of their own, .venv-peers unless another is named:

    python -m venv .venv-peers && .venv-peers/bin/pip install torch==2.13.0
    .venv-peers/bin/pip install sentence-transformers==5.7.0 transformers==4.57.6 \\
        "optimum-onnx[onnxruntime]==0.1.0" "optimum-intel[openvino]==1.27.0"

Each is a process (encode_peer.py) that waits while another works, and has the large pages that kit.fast asks for. All
take texts and give vectors, each in the best of three batch sizes, tried out before; one that is far behind there is
left out, and it is said. fp32, and what is lower: ours in bf16_all; theirs in bf16 (torch), with weights in bytes
(ONNX), and as OpenVINO is by itself (bf16 where the processor has it). Without the environment there is no row, and it
is said.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
from functools import partial
from pathlib import Path

from encode_backends import BATCHES, SENTENCES, least_cosine
from rows import BENCH, ROOT, Peer, Row, compared, interleaved, save
from training_speed import Case, new_encoder, quiet

PEERS = {"fp32": ("onnx-fp32", "openvino-fp32"), "bf16_all": ("torch-bf16", "onnx-int8", "openvino-itself")}
FAR = 4  # times the best peer's time in the trial: too far to be the best in the end
TARGETS = {"fp32": "≥ 1.3", "bf16_all": "≥ 1.0"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a hundred sentences and one shape, to see that it runs")
    options.add_argument("--sentences", type=int, default=SENTENCES)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--peers", type=Path, default=ROOT / ".venv-peers" / "bin" / "python", help="their Python")
    options.add_argument("--out", type=Path, default=BENCH / "encode_peers.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    from encode_speed import sentences

    found = []
    if args.peers.exists():
        texts = sentences(100 if args.quick else args.sentences)
        with tempfile.TemporaryDirectory() as folder:
            for shape in ("tiny",) if args.quick else ("tiny", "mini"):
                found += rows(shape, texts, Path(folder) / shape, args)
    else:
        print(f"{args.peers} is not there, so the backends are left out: see the head of this file")
    save(args.out, found)


def started(backend: str, model: Path, python: Path, threads: int) -> Peer:
    """A process of encode_peer.py with a copy of the model, for what it exports."""
    own = model.parent / f"{model.name}-{backend}"
    shutil.copytree(model, own)
    command = [str(python), str(Path(__file__).with_name("encode_peer.py")), str(own), backend, str(threads)]
    return Peer(command)


def rows(shape: str, texts: list[str], model: Path, args: argparse.Namespace) -> list[Row]:
    """Ours against each peer, in fp32 and in low precision; how far each is from torch stands in the note."""
    import torch

    from kit.encoder import load_encoder

    torch.set_num_threads(args.threads)
    if shape == "tiny":
        load_encoder("kit-bert-tiny").save(model)
    else:
        new_encoder(Case(shape, "simcse", 64), model)
    encoder = load_encoder(str(model))
    few = random.Random(0).sample(texts, min(len(texts), 500))
    files = {name: model.parent / f"{shape}-{name}.json" for name in ("texts", "few")}
    files["texts"].write_text(json.dumps(texts), "utf-8")
    files["few"].write_text(json.dumps(few), "utf-8")
    peers = {backend: started(backend, model, args.peers, args.threads) for kind in PEERS.values() for backend in kind}
    try:
        told = {name: peer.answer()["versions"] for name, peer in peers.items()}
        trials = {name: {batch: tried(peer, files["few"], batch) for batch in BATCHES} for name, peer in peers.items()}
        sizes = {name: min(taken, key=taken.get) for name, taken in trials.items()}
        hopeless = without_a_chance({name: min(taken.values()) for name, taken in trials.items()})
        for name in hopeless:
            peers.pop(name).end()
        ways = {precision: partial(encoder.encode, texts, precision=precision) for precision in PEERS}
        ways |= {name: partial(ask, peer, files["texts"], sizes[name]) for name, peer in peers.items()}
        taken = interleaved(ways, 1 if args.quick else args.repetitions)
        kept = {name: model.parent / f"{shape}-{name}.npy" for name in peers}
        for name, peer in peers.items():
            ask(peer, files["few"], 64, kept[name])
    finally:
        for peer in peers.values():
            peer.end()
    exact = torch.nn.functional.normalize(encoder.encode(few, fast=False))
    made = {name: from_file(file) for name, file in kept.items()}
    made |= {precision: encoder.encode(few, precision=precision) for precision in PEERS}
    table = []
    for precision, planned in PEERS.items():
        backends = [name for name in planned if name not in hopeless]
        left_out = "".join(f"; {name} left out, {hopeless[name]}" for name in planned if name in hopeless)
        best = min(backends, key=lambda name: sorted(taken[name])[len(taken[name]) // 2])
        for name in backends:
            own, theirs = (least_cosine(made[which], exact) for which in (precision, name))
            versions = told[name]
            said = f"sentence-transformers {versions['sentence-transformers']}, {name.replace('-', ', ')}"
            table.append(
                compared(
                    "encode beside backends",
                    f"{shape}, {precision}, {len(texts):,} sentences",
                    taken[precision],
                    taken[name],
                    f"{said}, batch {sizes[name]}" + (" (the best)" if name == best else ""),
                    unit="sentences/s",
                    amount=len(texts),
                    target=TARGETS[precision] if name == best else "",
                    note=f"least cosine with torch's fp32: ours {own:.5f}, theirs {theirs:.5f}"
                    + (left_out if name == best else ""),
                )
            )
    return table


def without_a_chance(trials: dict[str, float]) -> dict[str, str]:
    """The peers that took far longer than the best of their precision in the trial, and how much longer, in words.

    Where a processor has no bfloat16, torch takes minutes for what it does in seconds in float32.
    """
    found = {}
    for backends in PEERS.values():
        best = min(trials[name] for name in backends)
        slow = {name: trials[name] / best for name in backends if trials[name] > FAR * best}
        found |= {name: f"{times:.0f} times as slow as the best in the trial" for name, times in slow.items()}
    return found


def tried(peer: Peer, few: Path, batch: int) -> float:
    """The second time, since shapes that come for the first time are compiled."""
    return [ask(peer, few, batch) for _ in range(2)][1]


def ask(peer: Peer, texts: Path, batch: int, keep: Path | None = None) -> float:
    """How long it takes to encode the texts of a file; `keep`: where its vectors go."""
    return peer.seconds(texts=str(texts), batch=batch, keep=keep and str(keep))


def from_file(file: Path):
    import numpy
    import torch

    return torch.from_numpy(numpy.load(file)).float()


if __name__ == "__main__":
    main()
