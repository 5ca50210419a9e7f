"""The mean of several runs' weights, and the plane through three: data/results/means.json

    KIT_DATA=<mirror folder> python scripts/results_means.py [--only "tiny, pretrained"] [--workers 2]

Supervised SimCSE with all entailed pairs, three seeds: from the pretrained encoder, from random weights of each seed,
and from one set of random weights; runs as long as three of these; and SCL on all NLI. Of each: STS of the single runs,
of the mean of their weights, of the first two alone, and of the three side by side (the mean of their cosines, which
costs three passes); and, of some, on STS-B all over the plane through the three. Two arms begin at the mean of another
arm's runs: trained, averaged, trained again, averaged again. Runs are those of runs/matrix; the file is kept after each
arm, and an arm that it has is left out.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from matrix import MATRIX, Plan, fresh_encoder, measure_runs, plan, trained
from measuring import ROOT, measure, provenance, run_script
from results_encoders import FINETUNING

from kit.figures.weight_plane_figure import HEIGHT
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "means.json"
SEEDS = (0, 1, 2)
# The places of the plane, as `kit.figures.weight_planes` takes them: the runs and their mean are among them.
ACROSS = tuple(place / 10 for place in range(-4, 15))
UP = tuple(HEIGHT * place / 9 for place in range(-4, 14))
ONE_START = "one start:"  # random weights that all runs of an arm begin from
MEAN_OF = "mean of:"  # the weights that the runs of another arm have as their mean


@dataclass(frozen=True)
class Arm:
    """Runs that are measured together. kinds: which of results_encoders.FINETUNING; each has a run of every seed."""

    start: str
    kinds: tuple[str, ...] = ("simcse_borrowed",)
    epochs: float | None = None  # where not those of the kind
    seeds: tuple[int, ...] = SEEDS

    def plans(self, start: str) -> list[Plan]:
        """The runs from `start`, the seeds of a kind after one another."""
        changed = {} if self.epochs is None else {"epochs": self.epochs}
        kinds = [FINETUNING[kind] for kind in self.kinds]
        return [
            plan(recipe, seed, data, None, start, **changes | changed)
            for recipe, data, changes in kinds
            for seed in self.seeds
        ]


# name in the file → its runs
ARMS = {
    "tiny, pretrained": Arm("kit-bert-tiny"),
    "tiny, random weights of each seed": Arm("random:kit-bert-tiny"),
    "tiny, one set of random weights": Arm(ONE_START + "kit-bert-tiny"),
    "tiny, pretrained, three times as long": Arm("kit-bert-tiny", epochs=6),  # what three runs of two epochs cost
    "mini, pretrained": Arm("kit-bert-mini"),
    "mini, pretrained, with captions": Arm("kit-bert-mini", ("simcse_captions",)),
    "mini, pretrained, without and with captions": Arm("kit-bert-mini", ("simcse_borrowed", "simcse_captions")),
    "mini, pretrained, with captions, three times as long": Arm("kit-bert-mini", ("simcse_captions",), 6),
    "mini, pretrained, with minimal pairs": Arm("kit-bert-mini", ("simcse_minimal",)),
    "mini, pretrained, with definitions and with minimal pairs": Arm(
        "kit-bert-mini", ("simcse_definitions", "simcse_minimal")
    ),
    "tiny, pretrained, SCL": Arm("kit-bert-tiny", ("scl_all_nli",)),
    "tiny, pretrained, SCL, three times as long": Arm("kit-bert-tiny", ("scl_all_nli",), 3),
    "mini, pretrained, SCL": Arm("kit-bert-mini", ("scl_all_nli",)),
    "mini, pretrained, SCL, with minimal pairs": Arm("kit-bert-mini", ("scl_minimal",)),
    "mini, pretrained, SCL, with minimal pairs, three times as long": Arm(
        "kit-bert-mini", ("scl_minimal",), 2.8608, (0, 1)
    ),
    "mini, pretrained, SCL, without and with minimal pairs": Arm("kit-bert-mini", ("scl_all_nli", "scl_minimal")),
    "v2, pretrained, with minimal pairs": Arm("kit-bert-mini-v2", ("simcse_minimal",)),
    "v2, pretrained, SCL, with minimal pairs": Arm("kit-bert-mini-v2", ("scl_minimal",)),
    "v2, pretrained, SCL at τ 10, with minimal pairs": Arm("kit-bert-mini-v2", ("scl_minimal_tau_10",)),
    "v2, pretrained, SCL at τ 10, with minimal pairs, twice as long": Arm(
        "kit-bert-mini-v2", ("scl_minimal_tau_10_longer",)
    ),
    "v2, pretrained, SCL at τ 10, faster, with minimal pairs": Arm("kit-bert-mini-v2", ("scl_minimal_tau_10_faster",)),
    "mini, from the mean with minimal pairs, with captions": Arm(
        MEAN_OF + "mini, pretrained, with minimal pairs", ("simcse_captions",), 1
    ),
    "mini, from the mean of SCL with minimal pairs, half as long": Arm(
        MEAN_OF + "mini, pretrained, SCL, with minimal pairs", ("scl_minimal",), 0.4768
    ),
}
MAPPED = ("tiny, pretrained", "tiny, random weights of each seed", "tiny, one set of random weights")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="+", choices=ARMS, help="these anew; the rest of the file stays")
    options.add_argument("--workers", type=int, default=1, help="processes of one thread each")
    args = options.parse_args()
    kept = json.loads(OUT.read_text("utf-8"))["arms"] if OUT.exists() else {}
    for name in args.only or [name for name in ARMS if name not in kept]:
        kept[name] = measured(ARMS[name], name in MAPPED, args.workers)
        in_order = {name: kept[name] for name in ARMS if name in kept}
        write_atomically(OUT, json.dumps({"arms": in_order}, indent=1) + "\n")
        print(f"{name}: single {kept[name]['single']}, mean {kept[name]['mean']['all']:.2f}", flush=True)


def measured(arm: Arm, mapped: bool, workers: int) -> dict:
    """What was measured of the runs of an arm; mapped: with the plane through them."""
    plans = plans_of(arm)
    records = list(measure_runs(plans, ("sts",), workers).values())
    jobs = [(mean_of, plans), (mean_of, plans[:2]), (SideBySide, plans)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        mean, of_two, beside = pool.map(scored, *zip(*jobs))
        rows = list(pool.map(across, UP, [plans] * len(UP))) if mapped else []
    single = [record["sts"]["average"]["all"] for record in records]
    return {
        "recipe": plans[0].recipe,
        "start": records[0]["start"].removeprefix(str(ROOT) + "/"),
        "seeds": arm.seeds,
        "data": list(dict.fromkeys(text for record in records for text in record["data"])),
        "steps": records[0]["steps"],
        "single": [round(score, 4) for score in single],  # the tables round their mean
        "mean": mean,
        "side_by_side": beside,
        "halfway": round(of_two["all"], 2),
        "cosine_of_ways": cosine_of_ways(plans),
        **({"plane": {"task": "STS-B", "x": ACROSS, "y": UP, "all": rows}} if mapped else {}),
        **provenance(),
    }


def plans_of(arm: Arm) -> list[Plan]:
    """The runs of an arm, from weights that are made here where they are those of no encoder."""
    kind, _, name = arm.start.rpartition(":")
    made = {ONE_START: one_start, MEAN_OF: mean_start}.get(f"{kind}:")
    return arm.plans(made(name) if made else arm.start)


def one_start(name: str) -> str:
    """A folder with random weights of the shape of `name`, from which several runs may begin."""
    folder = MATRIX.parent / "one_start" / name
    if not folder.exists():
        fresh_encoder(plan("simcse", SEEDS[0], "core", None, f"random:{name}")).save(folder)
    return str(folder)


def mean_start(arm: str) -> str:
    """A folder with the mean of the trained runs of `arm`; the last part of its path is the encoder that they were."""
    folder = MATRIX.parent / "mean_of" / arm.replace(", ", "-").replace(" ", "-") / ARMS[arm].start
    if not folder.exists():
        mean_of([trained(p) for p in plans_of(ARMS[arm])]).save(folder)
    return str(folder)


def scored(made_of, plans: list) -> dict:
    """STS of one encoder made of those of several runs, by `mean_of` or `SideBySide`."""
    sts = measure(made_of([trained(p) for p in plans]))["sts"]
    return {**sts["average"], "tasks": {name: round(task["all"], 2) for name, task in sts["tasks"].items()}}


def mean_of(encoders: list):
    from kit.workshop.weight_means import mean_of_weights

    return mean_of_weights(encoders)


def across(y: float, plans: list) -> list[float]:
    """STS-B of a row of the plane through three runs."""
    from kit.data import load_sts
    from kit.evaluation import evaluate_sts
    from kit.workshop.weight_means import mean_of_weights

    encoders, task = [trained(p) for p in plans], load_sts("STS-B")
    means = (mean_of_weights(encoders, shares_at(x, y)) for x in ACROSS)
    return [round(evaluate_sts(one, task, progress=False)["STS-B"].scores.all, 2) for one in means]


def shares_at(x: float, y: float) -> tuple[float, float, float]:
    """The shares of the three runs at a place of the plane, 1 in all; negative beyond a side of the triangle.

    >>> [round(share, 9) for share in shares_at(0.5, HEIGHT / 3)]
    [0.333333333, 0.333333333, 0.333333333]
    """
    third = y / HEIGHT
    second = x - third / 2
    return 1 - second - third, second, third


class SideBySide:
    """Encoders whose vectors, each of length 1, stand one after another: its cosine is the mean of theirs."""

    def __init__(self, encoders: list):
        self._encoders = encoders

    def encode(self, sentences: list[str], **options):
        import torch
        from torch.nn.functional import normalize

        return torch.cat([normalize(one.encode(sentences, **options), dim=1) for one in self._encoders], dim=1)


def cosine_of_ways(plans: list) -> float:
    """The cosine of what the first two runs changed of the weights that they began with."""
    import torch

    ways = [weights(trained(p)) - weights(fresh_encoder(p)) for p in plans[:2]]
    return float(torch.nn.functional.cosine_similarity(*ways, dim=0))


def weights(encoder):
    """All weights of an encoder in one row."""
    import torch

    return torch.cat([weight.detach().flatten() for weight in encoder.parameters()])


if __name__ == "__main__":
    run_script(main)
