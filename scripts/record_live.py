"""Record the runs that stand in where nothing can be trained live: data/results/live.json

    python scripts/record_live.py

Trains the bundled encoder on the kit's own made-up captions, once for each setting, and keeps
every eighth step as a frame: the numbers, and where the monitored sentences stand on the sphere
(kit/workshop/sphere_view.py). The same everywhere: no data but our own, one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings

from measuring import ROOT, provenance

STEPS, EVERY, NEIGHBOURS = 96, 8, 4  # the lessons ask for a hundred steps or so
TAUS = (0.01, 0.0316, 0.05, 0.1, 0.316, 1.0, 3.16, 10.0)
LAMBDAS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
# name → (recipe, settings of all runs, the settings of each)
RUNS = {
    "tau": ("simcse", {"batch_size": 32, "lr": 1e-3}, [{"temperature": tau} for tau in TAUS]),
    "lambda": (
        "scl",
        {"batch_size": 64, "similarity": "cosine"},
        [{"lam": lam, "temperature": tau} for tau in (0.1, 1.0) for lam in LAMBDAS],
    ),
}


def main() -> None:
    os.environ.pop("KIT_DATA", None)
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    import torch

    from kit.data import group_by_premise, load, load_sts
    from kit.storage.atomic import write_atomically

    torch.set_num_threads(1)
    groups, task = group_by_premise(load("stanfordnlp/snli", rows=6000, seed=0)), load_sts("STS-B")["STS-B"]
    head = provenance()
    result = {name: {**record(groups, task, *run), "note": note(head)} for name, run in RUNS.items()}
    target = ROOT / "data" / "results" / "live.json"
    write_atomically(target, json.dumps({**result, **head}, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"wrote data/results/live.json, {target.stat().st_size / 1e6:.2f} MB")


def note(head: dict) -> str:
    """The line under a recorded run, on every page."""
    return (
        f"One run a setting, seed 0, on the kit's made-up captions ({head['date']}): the mechanism, "
        "not a result on English."
    )


def record(groups, task, name: str, shared: dict, settings: list[dict]) -> dict:
    """All runs of one lesson, with the sentences of its sphere."""
    from tqdm import tqdm

    from kit.encoder import load_encoder
    from kit.training import recipe
    from kit.workshop import LiveTraining

    runs = []
    for changes in tqdm(settings, desc=f"record {name}", unit="run"):
        chosen = recipe(name, "laptop", **shared, **changes)
        live = LiveTraining(load_encoder(pooling=chosen.pooling), chosen, groups, task, seed=0)
        seen = [live.frame] + [live.advance(EVERY) for _ in range(STEPS // EVERY)]
        frames = [short(i, frame) for i, frame in enumerate(seen)]
        runs.append({"tau": chosen.options.temperature, "lam": chosen.options.lam, "frames": frames})
    monitored = live.monitored
    return {
        "recipe": name,
        "settings": shared,
        "pairs": len(monitored.scores),
        "sentences": monitored.sentences,
        "premise": monitored.premise,
        "roles": monitored.roles,
        "runs": runs,
    }


def short(i: int, frame: dict) -> dict:
    """A frame without its timing, four digits a number; some with the nearest neighbours."""
    numbers = {k: v for k, v in frame.items() if isinstance(v, float) and k not in ("seconds", "tau", "lam")}
    kept = ("step", "theta", "phi", "histogram", *(["neighbours"] if i % NEIGHBOURS == 0 else []))
    return {**{k: frame[k] for k in kept}, **{k: float(f"{v:.4g}") for k, v in numbers.items()}}


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
