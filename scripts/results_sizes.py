"""Which shape for the bytes of kit-bert-mini, at equal compute: data/results/sizes.json

    KIT_DATA=<mirror folder> python scripts/results_sizes.py [--tokens 12288000] [--workers 2]

Each shape is grown from kit-bert-tiny and pretrained on the same text with as many floating-point operations as the
first has for --tokens; then 300 steps of SimCSE. Held-out loss and the average of the seven STS tasks, beside the
bytes. One thread a worker. Runs are kept under runs/sizes: an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from measuring import ROOT, mean_interval, measure, provenance

from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT, RUNS = ROOT / "data" / "results" / "sizes.json", ROOT / "runs" / "sizes"
SHAPES = ((4, 256), (3, 256), (6, 192))  # layers, width: the first is kit-bert-mini
FROM = ROOT / "data" / "models" / "kit-bert-tiny"
BATCH_TOKENS, RATE = 8192, 1.5e-3  # those of kit-bert-mini
STEPS, SEEDS = 300, (0, 1, 2)  # of SimCSE
VOCABULARY, LENGTH = 8192, 128


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tokens", type=float, default=12_288_000, help="of the first shape")
    options.add_argument("--workers", type=int, default=1, help="shapes side by side, one thread each")
    args = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when a worker imports it
    pretrained(SHAPES[0], 1, "--only", "stream")
    found = {}
    with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
        waiting = {shape: pool.submit(measured, shape, steps_of(shape, args.tokens)) for shape in SHAPES}
        for shape, future in waiting.items():
            found[name_of(shape)] = future.result()
    about = {"of": "kit-bert-mini", "from": FROM.name, "batch_tokens": BATCH_TOKENS, "lr": RATE}
    about |= {"simcse_steps": STEPS, "seeds": SEEDS}
    write_atomically(OUT, json.dumps({"shapes": found} | about | provenance(), indent=1) + "\n")
    print(f"wrote {OUT.name}; the card of kit-bert-mini shows it: python scripts/encoder_card.py")


def name_of(shape: tuple[int, int]) -> str:
    return f"{shape[0]} × {shape[1]}"


def steps_of(shape: tuple[int, int], tokens: float) -> int:
    """Steps of pretraining that take as many operations as `tokens` do with the first shape."""
    first, own = map(operations, (SHAPES[0], shape))
    return round(tokens / BATCH_TOKENS * first / own)


def operations(shape: tuple[int, int]) -> float:
    """Floating-point operations a token of pretraining, as `kit.fast` computes it."""
    from kit.pretraining.compact_bert import Size, flops_per_token

    return flops_per_token(Size(*shape), VOCABULARY, LENGTH, last_layer_whole=False)


def pretrained(shape: tuple[int, int], steps: int, *more: str) -> Path:
    """The folder of the finished pretraining run of a shape. Errors: `KitError` where the command fails."""
    out = RUNS / "x".join(map(str, shape))
    command = [sys.executable, str(ROOT / "scripts" / "pretrain.py"), "--model", "kit-bert-mini"]
    command += ["--size", *map(str, shape), "--tokenizer", str(FROM), "--from", str(FROM), "--work", str(RUNS)]
    command += ["--out", str(out), "--tokens", str(steps * BATCH_TOKENS), "--batch-tokens", str(BATCH_TOKENS)]
    command += ["--lr", str(RATE), "--schedule", "stable", "--every", "250", *more]
    if subprocess.run(command, cwd=ROOT).returncode:
        raise KitError(f"expected the pretraining of {name_of(shape)} to end well, but it did not: see above.")
    return out


def measured(shape: tuple[int, int], steps: int) -> dict:
    """Pretrain a shape, fine-tune it with each seed, and measure both."""
    folder = pretrained(shape, steps)
    run = json.loads((folder / "summary.json").read_text("utf-8"))
    sts = [tuned(folder, seed) for seed in SEEDS]
    return {
        "bytes": (folder / "model" / "model.safetensors").stat().st_size,
        "tokens": run["speed"]["tokens"],
        "seconds": run["speed"]["seconds"],
        "heldout": [{name: entry[name] for name in ("tokens", "heldout_loss")} for entry in run["history"]],
        "by_seed": sts,
        "sts": mean_interval(sts),
    }


def tuned(folder: Path, seed: int) -> float:
    """The average of the seven STS tasks (all) after SimCSE from the weights in `folder`; kept beside them."""
    from matrix import DATA

    from kit.encoder import load_encoder
    from kit.training import fit, recipe

    kept = folder / f"sts_{seed}.json"
    if not kept.exists():
        encoder = load_encoder(str(folder / "model"))
        settings = recipe("simcse", "laptop", "kit-bert-mini")
        fit(encoder, settings, DATA["core"](None)["items"], seed=seed, steps=STEPS, progress=False)
        write_atomically(kept, json.dumps(measure(encoder)["sts"]["average"]["all"]))
    return json.loads(kept.read_text("utf-8"))


if __name__ == "__main__":
    try:
        main()
    except KitError as error:
        sys.exit(f"results_sizes: {error}")
