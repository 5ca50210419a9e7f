"""Which shape for the bytes of kit-bert-mini, and which way to pretrain it, at equal compute: data/results/sizes.json

    KIT_DATA=<mirror folder> python scripts/results_sizes.py [--tokens 12288000] [--only "4 × 256, 30 % masked"]

Each trial is grown from kit-bert-tiny and pretrained on the same text with as many floating-point operations as the
first has for --tokens; then 300 steps of SimCSE. Held-out loss (15 % masked for all) and the average of the seven STS
tasks, beside the bytes. One thread a worker. Runs are kept under runs/sizes: an interrupted call goes on where it
stopped; with --only the others stay in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from measuring import ROOT, kept_of, mean_interval, measure, provenance, run_script, to_write
from training_code import measuring_code, training_code

from kit.errors import KitError
from kit.storage.atomic import write_atomically
from kit.storage.result_cache import content_hash

OUT, RUNS = ROOT / "data" / "results" / "sizes.json", ROOT / "runs" / "sizes"
FROM = ROOT / "data" / "models" / "kit-bert-tiny"
TOKENS = 12_288_000  # of the first trial
BATCH_TOKENS, RATE = 8192, 1.5e-3  # those of kit-bert-mini
STEPS, SEEDS = 300, (0, 1, 2)  # of SimCSE
VOCABULARY, LENGTH = 8192, 128


@dataclass(frozen=True)
class Trial:
    """A shape, and how it is pretrained."""

    layers: int
    width: int
    masked: float = 0.15  # share of the word pieces
    schedule: str = "stable"


TRIALS = {  # the first is kit-bert-mini as it was made
    "4 × 256": Trial(4, 256),
    "3 × 256": Trial(3, 256),
    "6 × 192": Trial(6, 192),
    "4 × 256, 30 % masked": Trial(4, 256, masked=0.3),
    "4 × 256, linear schedule": Trial(4, 256, schedule="linear"),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tokens", type=float, default=TOKENS, help="of the first trial; others only with --out")
    options.add_argument("--only", nargs="+", choices=TRIALS, help="these; the others stay in the file")
    options.add_argument("--workers", type=int, default=1, help="trials side by side, one thread each")
    options.add_argument("--out", type=Path, help="default: data/results/sizes.json")
    args = options.parse_args()
    out = to_write(args.out, OUT, tokens=args.tokens != TOKENS)
    os.environ["OMP_NUM_THREADS"] = "1"  # read by torch when a worker imports it
    about = {"of": "kit-bert-mini", "from": FROM.name, "batch_tokens": BATCH_TOKENS, "lr": RATE}
    about |= {"simcse_steps": STEPS, "seeds": SEEDS}
    chosen, found = args.only or list(TRIALS), kept_of(out, about).get("shapes", {}) if args.only else {}
    pretrained(chosen[0], 1, "--only", "stream")
    with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as pool:
        waiting = {name: pool.submit(measured, name, steps_of(TRIALS[name], args.tokens)) for name in chosen}
        for name, future in waiting.items():
            found[name] = future.result() | provenance()
            in_order = {name: found[name] for name in TRIALS if name in found}
            write_atomically(out, json.dumps({**about, "shapes": in_order}, indent=1) + "\n")
    print(f"wrote {out.name}; the card of kit-bert-mini shows it: python scripts/encoder_card.py")


def steps_of(trial: Trial, tokens: float) -> int:
    """Steps of pretraining that take as many operations as `tokens` do with the first trial."""
    first, own = map(operations, (next(iter(TRIALS.values())), trial))
    return round(tokens / BATCH_TOKENS * first / own)


def operations(trial: Trial) -> float:
    """Floating-point operations a token of pretraining, as `kit.fast` computes it."""
    from kit.pretraining.compact_bert import Size, flops_per_token

    size = Size(trial.layers, trial.width)
    return flops_per_token(size, VOCABULARY, LENGTH, trial.masked, last_layer_whole=False)


def pretrained(name: str, steps: int, *more: str) -> Path:
    """The folder of the finished pretraining run of a trial. Errors: `KitError` where the command fails."""
    trial, out = TRIALS[name], RUNS / name.replace(" ", "").replace("×", "x").replace("%", "").replace(",", "-")
    command = [sys.executable, str(ROOT / "scripts" / "pretrain.py"), "--model", "kit-bert-mini"]
    command += ["--size", str(trial.layers), str(trial.width), "--tokenizer", str(FROM), "--from", str(FROM)]
    command += ["--work", str(RUNS), "--out", str(out), "--tokens", str(steps * BATCH_TOKENS)]
    command += ["--batch-tokens", str(BATCH_TOKENS), "--lr", str(RATE), "--schedule", trial.schedule]
    command += ["--masked", str(trial.masked), "--every", "250", *more]
    if subprocess.run(command, cwd=ROOT).returncode:
        raise KitError(f"expected the pretraining of {name} to end well, but it did not: see above.")
    return out


def measured(name: str, steps: int) -> dict:
    """Pretrain a trial, fine-tune it with each seed, and measure both."""
    folder = pretrained(name, steps)
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
    """The average of the seven STS tasks (all) after SimCSE from the weights in `folder`.

    Kept beside them by all that determines it, the code that trains and measures among it.
    """
    from matrix import DATA, deciding, weights_of

    from kit.encoder import load_encoder
    from kit.training import fit, recipe

    settings, found = recipe("simcse", "laptop", "kit-bert-mini"), DATA["core"](None)
    codes = [training_code(settings.objective.__module__), measuring_code(measure)]
    mark = content_hash(deciding(settings.as_dict()), STEPS, found["data"], weights_of(str(folder / "model")), codes)
    kept = folder / f"sts_{seed}-{mark}.json"
    if not kept.exists():
        encoder = load_encoder(str(folder / "model"))
        fit(encoder, settings, found["items"], seed=seed, steps=STEPS, progress=False)
        write_atomically(kept, json.dumps(measure(encoder)["sts"]["average"]["all"]))
    return json.loads(kept.read_text("utf-8"))


if __name__ == "__main__":
    run_script(main)
