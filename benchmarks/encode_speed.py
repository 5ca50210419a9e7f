"""encode, sentences a second: the kit beside sentence-transformers, on the same weights and text.

    KIT_DATA=<mirror folder> python benchmarks/encode_speed.py [--quick] [--device cuda] [--out FILE]

10,000 sentences of mixed lengths: of STS-B and of SNLI, and one in twenty a longer one out of a document.
"tiny" is kit-bert-tiny, "mini" has random weights. The peer at its defaults, and with the faster of two larger
batches, in the same precision. Both tokenise within the time. How far any number of any vector is from the
peer's fp32 has rows of its own.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from functools import partial
from pathlib import Path

from rows import BENCH, Row, compared, interleaved, save
from training_speed import SHAPES, Case, new_encoder, quiet, training_data, wait

SENTENCES = 10_000
TARGETS = {"fp32": ("≥ 1.2", 1e-5), "bf16": ("≥ 1.7", 1e-3)}  # and how far a number may be off
TARGET_GPU = "≥ 1.5"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a hundred sentences and one shape, to see that it runs")
    options.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--out", type=Path, default=BENCH / "encode_speed.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    texts = sentences(100 if args.quick else SENTENCES)
    shapes = SHAPES if args.device == "cuda" else ("tiny",) if args.quick else ("tiny", "mini")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes:
            found += rows(shape, texts, Path(folder), 1 if args.quick else args.repetitions, args.device)
    save(args.out, found)


def sentences(count: int) -> list[str]:
    """Nineteen of twenty short, one a piece of a document, in any order."""
    from kit.data import load_documents, load_sts

    task = load_sts()["STS-B"]
    short = [text for group in training_data(count) for text in (group.anchor, *group.hypotheses)]
    short = list(dict.fromkeys(text.strip() for text in (*task.sentences1, *task.sentences2, *short) if text.strip()))
    long = [part for document in load_documents(rows=100) for part in document.split(". ") if len(part.split()) > 20]
    chosen = random.Random(0).sample(short, count * 19 // 20)
    chosen += random.Random(0).sample(long, min(count // 20, len(long)))
    random.Random(0).shuffle(chosen)
    return chosen


def rows(shape: str, texts: list[str], folder: Path, repetitions: int, device: str) -> list[Row]:
    """fp32 and bf16 against the peer's fp32, its default, and against its own bf16."""
    import torch
    from sentence_transformers import SentenceTransformer
    from torch.nn.functional import normalize

    from kit.encoder import load_encoder

    if shape == "tiny":
        model = load_encoder("kit-bert-tiny").save(folder / shape)
    else:
        model = new_encoder(Case(shape, "simcse", 64), folder / shape)
    ours, peer = (
        load_encoder(str(model)).to(device),
        SentenceTransformer(str(model), device=device, trust_remote_code=False),
    )
    low = SentenceTransformer(
        str(model), device=device, model_kwargs={"dtype": torch.bfloat16}, trust_remote_code=False
    )

    def theirs(network, batch: int) -> float:
        began = time.perf_counter()
        network.encode(texts, batch_size=batch, show_progress_bar=False)
        wait(device)
        return time.perf_counter() - began

    def best(network) -> int:
        return min((64, 256), key=lambda batch: theirs(network, batch))

    def mine(precision: str) -> float:
        began = time.perf_counter()
        ours.encode(texts, precision=precision)
        return time.perf_counter() - began

    sizes = {"fp32": best(peer), "bf16": best(low)}
    ways = {
        "fp32": partial(mine, "fp32"),
        "bf16": partial(mine, "bf16"),
        "defaults": partial(theirs, peer, 32),
        "fp32 best": partial(theirs, peer, sizes["fp32"]),
        "bf16 best": partial(theirs, low, sizes["bf16"]),
    }
    taken = interleaved(ways, repetitions)
    wanted = torch.from_numpy(peer.encode(texts, show_progress_bar=False))
    found, rate = [], {"unit": "sentences/s", "amount": len(texts)}
    for precision, (target, bound) in TARGETS.items():
        got = ours.encode(texts, precision=precision)
        apart, unit = ((a - b).abs().max().item() for a, b in ((got, wanted), (normalize(got), normalize(wanted))))
        setting = f"{shape}, {precision}, {len(texts):,} sentences{', on a GPU' * (device == 'cuda')}"
        found.append(
            compared(
                "encode",
                setting,
                taken[precision],
                taken["defaults"],
                "sentence-transformers, its defaults (fp32)",
                **rate,
                target=TARGET_GPU if device == "cuda" else target,
            )
        )
        found.append(
            compared(
                "encode",
                setting,
                taken[precision],
                taken[f"{precision} best"],
                f"sentence-transformers, {precision}, batch {sizes[precision]}",
                **rate,
            )
        )
        found.append(
            Row(
                "encode, numbers of vectors of length 1",
                setting,
                "from the peer's fp32 at most",
                unit,
                target=f"≤ {bound:f}".rstrip("0"),
                repetitions=1,
                note=f"{apart:.1e} of vectors as they are",
            )
        )
    return found


if __name__ == "__main__":
    main()
