"""Record UMAP maps of the kit's own captions under many settings: data/results/umap.json

    python scripts/record_umap.py

UMAP takes some twenty seconds the first time in a process, too long for a slider. So lesson 02
plays what is recorded here: the vectors of 300 made-up captions by the bundled encoder as it
is, on a map for each number of neighbours and each seed, and on one PCA map. No data but our
own, one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections import Counter

import numpy as np
from measuring import ROOT, provenance

NEIGHBOURS, SEEDS = (5, 10, 20, 40, 80, 160), (0, 1, 2, 3)
ACTIONS, EACH, DRAWN = 6, 50, 6000
NEAREST = 10  # neighbours whose fate is told


def main() -> None:
    os.environ.pop("KIT_DATA", None)
    os.environ["HF_HUB_OFFLINE"] = "1"
    warnings.simplefilter("ignore")
    import torch

    from kit.encoder import load_encoder
    from kit.evaluation import mean_log_frequency, word_counts
    from kit.storage.atomic import write_atomically
    from kit.world import World

    torch.set_num_threads(1)
    sentences, action, actions = captions()
    unit = torch.nn.functional.normalize(load_encoder(pooling="mean").encode(sentences).double(), dim=1).numpy()
    frequency = mean_log_frequency(sentences, word_counts(World(1).sentences(DRAWN)))
    pca = principal(unit)
    maps, kept, gathered = record(unit, pca, np.asarray(action))
    head = provenance()
    state = {
        "sentences": sentences,
        "action": action,
        "actions": actions,
        "frequency": frequency.round(3).tolist(),
        "pca": written(pca),
        "neighbours": NEIGHBOURS,
        "maps": maps,
        "kept": kept,
        "gathered": gathered,
        "pca_gathered": same_action(neighbours_of(pca), np.asarray(action)),
        "space": centres_apart(unit, action),
        "note": note(head),
    }
    target = ROOT / "data" / "results" / "umap.json"
    write_atomically(
        target,
        json.dumps({"encoder": "kit-bert-tiny", "seeds": SEEDS, "state": state, **head}, ensure_ascii=False) + "\n",
    )
    print(f"wrote data/results/umap.json, {target.stat().st_size / 1e3:.0f} kB")


def note(head: dict) -> str:
    """The last words under the maps, on every page."""
    return (
        f"Recorded maps ({head['date']}, kit-bert-tiny, {ACTIONS * EACH} of the kit's made-up captions); each is "
        "turned and scaled to lie like the PCA map."
    )


def captions() -> tuple[list[str], list[int], list[str]]:
    """Captions of the most frequent actions, as many of each; the action of each; the actions' names."""
    from kit.world import World
    from kit.world.lexicon import VERBS
    from kit.world.predicates import ING

    scenes = [(text, scene.verb) for text, scene in World(0).scenes(DRAWN) if scene.verb and not scene.negated]
    verbs = [verb for verb, _ in Counter(verb for _, verb in scenes).most_common(ACTIONS)]
    chosen = [
        (text, number)
        for number, verb in enumerate(verbs)
        for text in [text for text, other in scenes if other == verb][:EACH]
    ]
    return [text for text, _ in chosen], [number for _, number in chosen], [VERBS[verb].forms[0][ING] for verb in verbs]


def principal(unit: np.ndarray) -> np.ndarray:
    """The two strongest directions [n, 2], at size 1."""
    centred = unit - unit.mean(0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    return sized(left[:, :2] * values[:2])


def record(unit: np.ndarray, pca: np.ndarray, action: np.ndarray) -> tuple[list, list, list]:
    """Every map [seeds][neighbours][n][2]; of the nearest neighbours on it, the share that are so in
    the space too, and the share that tell of the same action.
    """
    import umap
    from tqdm import tqdm

    before = neighbours_of(unit)
    maps: list[list] = [[] for _ in SEEDS]
    kept: list[list] = [[] for _ in SEEDS]
    gathered: list[list] = [[] for _ in SEEDS]
    for seed in tqdm(SEEDS, desc="maps", unit="seed"):
        for count in NEIGHBOURS:
            model = umap.UMAP(n_neighbors=count, metric="cosine", random_state=seed, n_jobs=1)
            points = turned(sized(model.fit_transform(unit)), pca)
            after = neighbours_of(points)
            kept[seed].append(round(float(np.mean([len(set(a) & set(b)) for a, b in zip(before, after)])) / NEAREST, 4))
            gathered[seed].append(same_action(after, action))
            maps[seed].append(written(points))
    return maps, kept, gathered


def same_action(neighbours: np.ndarray, action: np.ndarray) -> float:
    """The share of all neighbours [n, NEAREST] that tell of the same action as the sentence."""
    return round(float((action[neighbours] == action[:, None]).mean()), 4)


def sized(points: np.ndarray) -> np.ndarray:
    """Centred, at a mean squared distance of 1 from the middle."""
    centred = points - points.mean(0)
    return centred / np.sqrt((centred**2).sum(1).mean())


def turned(points: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """Rotated or mirrored to lie as near as can be to another map (Procrustes): no distance changes."""
    left, _, right = np.linalg.svd(points.T @ towards)
    return points @ left @ right


def neighbours_of(points: np.ndarray) -> np.ndarray:
    """The nearest others of each point, [n, NEAREST]."""
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(away, np.inf)
    return away.argsort(axis=1)[:, :NEAREST]


def centres_apart(unit: np.ndarray, action: list[int]) -> list[list[float]]:
    """Distances of the actions' centres in the space itself, in units of its size."""
    whole, of = sized(unit), np.asarray(action)
    centres = np.stack([whole[of == number].mean(0) for number in range(ACTIONS)])
    return np.linalg.norm(centres[:, None] - centres[None], axis=2).round(4).tolist()


def written(points: np.ndarray) -> list:
    """Hundredths of the map's size, as whole numbers: a third of the length."""
    return (points * 100).round().astype(int).tolist()


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
