"""Record the trainings that the sphere of the tour plays: data/results/sphere.json and sphere_made_up.json

    KIT_DATA=<mirror folder> python scripts/record_sphere.py     SNLI and STS-B, one run a setting
    python scripts/record_sphere.py --made-up                    the kit's own captions, no other data

Every run starts from the bundled encoder and trains by the tour's recipe. At each recorded step
are kept: of the points (premises of the test split with an entailed and a contradicted hypothesis)
the angle to the mean direction of the raw space, exact in all dimensions, and the direction round it
in one fixed plane; of a thousand STS-B sentences the histogram of cosines, their mean and the effective
rank; Spearman on STS-B. Sentences of others are not kept, only a short hash of each, by which a page
that has the data finds them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import warnings

import numpy as np
from measuring import ROOT, provenance

from kit.boards.globe_views import NUMBERS

TRIPLES, STEPS, FRAMES, ROWS = 66, 400, 40, 30_000
BINS = np.linspace(-0.5, 1.0, 61)
# The board begins with the first, where the tour's sliders begin: all three numbers heal there, on SNLI and on made-up
# captions. These tell of few things: at τ 0.05 and λ 0.3 their effective rank rises at first and ends below its start.
SETTINGS = [(tau, 0.5) for tau in (0.1, 0.01, 0.05, 0.3, 1.0)] + [(0.1, 0.0), (0.1, 1.0)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--made-up", action="store_true", help="on the kit's own captions")
    options.add_argument("--only", type=int, help="so many settings, the first ones")
    options.add_argument("--out", help="another file")
    args = options.parse_args()
    if args.made_up:
        os.environ.pop("KIT_DATA", None)
        os.environ["HF_HUB_OFFLINE"] = "1"
        warnings.simplefilter("ignore")
    from kit.data import group_by_premise, load, load_sts
    from kit.storage.atomic import write_atomically

    table = load("stanfordnlp/snli", rows=ROWS, seed=0)
    if table.source.is_fallback != args.made_up:
        raise SystemExit("KIT_DATA names no mirror with SNLI: set it, or ask for --made-up.")
    test = group_by_premise(load("stanfordnlp/snli", split="test"))
    triples = [(g.anchor, g.positives[0], g.negatives[0]) for g in test if g.positives and g.negatives][:TRIPLES]
    task = load_sts(["STS-B"])["STS-B"]
    head = provenance()
    result = {
        "what": "trainings recorded for the sphere: angles to the mean direction of the raw space",
        "data": f"{table.source.summary()} {task.source.summary()}",
        "made_up": args.made_up,
        **points_of(triples, args.made_up),
        "steps": recorded_steps(),
        "bins": [round(float(edge), 3) for edge in BINS],
        "runs": record(group_by_premise(table), triples, task, SETTINGS[: args.only]),
        **head,
    }
    name = args.out or f"data/results/sphere{'_made_up' if args.made_up else ''}.json"
    write_atomically(ROOT / name, json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"wrote {name}, {(ROOT / name).stat().st_size / 1e6:.2f} MB")


def recorded_steps() -> list[int]:
    """The steps that are kept, closer together at the beginning, where most happens."""
    return sorted({round(STEPS * (i / FRAMES) ** 2) for i in range(FRAMES + 1)})


def points_of(triples: list[tuple[str, str, str]], made_up: bool) -> dict:
    """Role and triple of each point, with its sentence where it is the kit's own, else its hash."""
    sentences = [sentence for triple in triples for sentence in triple]
    named = {"sentences": sentences} if made_up else {"hashes": [short_hash(sentence) for sentence in sentences]}
    return {"roles": ["premise", "entailed", "contradicted"] * len(triples), **named}


def short_hash(sentence: str) -> str:
    return hashlib.sha256(sentence.encode()).hexdigest()[:10]


def record(groups, triples, task, settings) -> list[dict]:
    from kit.encoder import load_encoder
    from kit.workshop.sphere_view import SphereView, mean_direction, plane_round

    sentences = [sentence for triple in triples for sentence in triple]
    thousand = list(dict.fromkeys(task.sentences1))[:1000]
    raw = load_encoder(pooling="mean_without_cls")
    pole, view, runs = mean_direction(raw.encode(thousand)), None, []
    for tau, lam in settings:
        seen = train(groups, sentences, thousand, task, tau, lam)
        if view is None:  # of the first run: from raw to trained
            view = SphereView(pole, plane_round(pole, seen[0]["points"], seen[-1]["points"]))
        runs.append(compact(seen, view) | {"tau": tau, "lam": lam})
        first, last = seen[0], seen[-1]
        print(f"tau {tau} lambda {lam}: " + ", ".join(f"{k} {first[k]:.3f} -> {last[k]:.3f}" for k in NUMBERS))
    return runs


def train(groups, sentences, thousand, task, tau: float, lam: float) -> list[dict]:
    """One run; what is seen at each recorded step."""
    from kit.encoder import load_encoder
    from kit.training import fit, recipe

    encoder = load_encoder(pooling="mean_without_cls")
    wanted, seen = set(recorded_steps()), [look(encoder, sentences, thousand, task)]

    def on_step(metrics: dict) -> None:
        if metrics["step"] in wanted:
            seen.append(look(encoder, sentences, thousand, task))

    settings = recipe("scl", "laptop", similarity="cosine", temperature=tau, lam=lam)
    fit(encoder, settings, groups, seed=0, steps=STEPS, precision="fp32", callback=on_step, progress=False)
    if len(seen) != len(wanted):
        raise SystemExit(f"expected {len(wanted)} recorded steps, got {len(seen)}")
    return seen


def look(encoder, sentences, thousand, task) -> dict:
    from kit.evaluation import evaluate_sts, geometry
    from kit.workshop.sphere_view import cosine_shares, unit

    vectors = encoder.encode(thousand, progress=False)
    space = geometry(vectors)
    report = evaluate_sts(encoder, {task.name: task}, average_over=[task.name], progress=False)
    return {
        "points": unit(encoder.encode(sentences, progress=False)),
        "histogram": cosine_shares(vectors, BINS),
        "mean_cosine": space.mean_cosine,
        "effective_rank": space.effective_rank,
        "sts": report[task.name].scores.all,
    }


def compact(seen: list[dict], view) -> dict:
    """A run in whole numbers, seen from a `SphereView`: tenths of a degree, degrees, thousandths."""
    from kit.workshop.sphere_view import nearest

    places = [view.places(frame["points"]) for frame in seen]
    return {
        **{key: [one[key] for one in places] for key in ("theta", "phi")},
        "histogram": [frame["histogram"] for frame in seen],
        "neighbours": [nearest(frame["points"]) for frame in seen],
        **{key: [float(f"{frame[key]:.4g}") for frame in seen] for key in NUMBERS},
    }


if __name__ == "__main__":
    main()
