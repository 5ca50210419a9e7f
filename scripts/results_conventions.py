"""One encoder, many numbers: what the conventions of STS are worth. data/results/conventions.json

    KIT_DATA=<mirror folder> python scripts/results_conventions.py [--workers 1] [--count]

For the bundled encoder as it is, whitened, and trained by three recipes with three seeds: Spearman
and Pearson of every subset of every task and of each task as a whole, from which the three
aggregations follow. Beside them, what they hide: SICK-R on its two sizes, how many pairs of
STS12-16 are in STS-B (and of its validation pairs, by which settings are chosen, how many are test pairs), and
what it is worth to have been trained on half of those. --count counts these again and measures nothing.
Trained encoders are those of runs/matrix. Lesson 10 reads the file. About eight minutes on one thread once
the encoders are there.
"""

from __future__ import annotations

import argparse
import json
import random

from matrix import UNTRAINED, measure_runs, plan, trained
from measuring import ROOT, mean_interval, provenance, run_script
from results_systems import planned

from kit.data.sts_tasks import STS_YEARS
from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "conventions.json"
SEEDS, RECIPES = (0, 1, 2), ("sbert", "scl", "simcse")
WHITENED_ON = ("stanfordnlp/snli", "train"), 10_000  # sentences
# The regression of SBERT (Reimers & Gurevych 2019, section 3): cosine towards score / 5
LEAK = {"lr": 5e-4, "epochs": 4, "batch_size": 32}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=1, help="training runs side by side, one thread each")
    options.add_argument("--count", action="store_true", help="count shared pairs only, into the file as it is")
    args = options.parse_args()
    from kit.data import load, load_sts

    tasks, sick = load_sts(), load_sts("SICK-R", split="all")["SICK-R"]
    if any(task.source.is_fallback for task in (*tasks.values(), sick)):
        raise KitError("expected the real STS tasks, but the made-up world stands in: set KIT_DATA to a mirror folder.")
    counts = {
        "overlap": {
            split: overlap(tasks, load("mteb/stsbenchmark-sts", split)) for split in ("train", "validation", "test")
        },
        "chosen_on": in_tests(tasks, load("mteb/stsbenchmark-sts", "validation")),
    }
    if args.count:
        write(json.loads(OUT.read_text("utf-8")) | counts)
        return
    plans = {name: [planned(name, seed) for seed in SEEDS] for name in RECIPES}
    records = measure_runs([plan(UNTRAINED), *(p for group in plans.values() for p in group)], workers=args.workers)
    encode = {"raw": [trained(plan(UNTRAINED)).encode]}
    encode["whitened"] = [whitened(encode["raw"][0])]
    encode |= {name: [trained(p).encode for p in group] for name, group in plans.items()}
    systems, sizes = {}, {}
    for name, runs in encode.items():
        found = [measure(run, {**tasks, "SICK-R, all": sick}) for run in runs]
        sizes[name] = {
            str(len(task)): mean_interval([one[key]["all"]["spearman"] for one in found])
            for key, task in (("SICK-R", tasks["SICK-R"]), ("SICK-R, all", sick))
        }
        systems[name] = [{key: one[key] for key in tasks} for one in found]
    train = load("mteb/stsbenchmark-sts", "train")
    result = {
        "encoder": "kit-bert-tiny",
        "seeds": SEEDS,
        "data": records[plans["sbert"][0]]["data"],
        "whitened_on": f"{WHITENED_ON[1]:,} sentences of {WHITENED_ON[0][0]}",
        "systems": systems,
        "sick_sizes": sizes,
        **counts,
        "leak": {"settings": LEAK, **leak(tasks, train)},
        **provenance(),
    }
    write(result)


def write(result: dict) -> None:
    write_atomically(OUT, json.dumps(result, indent=1) + "\n")
    print(f"wrote data/results/{OUT.name}")


def whitened(encode):
    """Raw vectors, whitened as fitted on sentences of NLI (no sentence of a test)."""
    from kit.data import load
    from kit.encoder.whitening import whitening

    (name, split), count = WHITENED_ON
    table = load(name, split, rows=count, seed=0)
    repair = whitening(encode(list(dict.fromkeys([*table["premise"], *table["hypothesis"]]))[:count]))
    return lambda sentences: repair(encode(sentences))


def measure(encode, tasks: dict) -> dict:
    """task → "all" and "subsets": pairs, Spearman and Pearson × 100."""
    from kit.evaluation import pair_cosines

    texts = sorted({text for task in tasks.values() for text in (*task.sentences1, *task.sentences2)}, key=len)
    vectors, row = encode(texts), {text: place for place, text in enumerate(texts)}
    found = {}
    for name, task in tasks.items():
        first, second = ([row[text] for text in side] for side in (task.sentences1, task.sentences2))
        cosines = pair_cosines(vectors[first], vectors[second])
        subsets = {
            part: [i for i, subset in enumerate(task.subsets) if subset == part] for part in dict.fromkeys(task.subsets)
        }
        found[name] = {
            "all": figures(cosines, task.scores, range(len(task))),
            "subsets": {part: figures(cosines, task.scores, places) for part, places in subsets.items()},
        }
    return found


def figures(cosines, scores, places) -> dict:
    from scipy.stats import pearsonr

    from kit.evaluation import spearman

    chosen, gold = [float(cosines[i]) for i in places], [scores[i] for i in places]
    return {"pairs": len(gold), "spearman": 100 * spearman(chosen, gold), "pearson": 100 * pearsonr(chosen, gold)[0]}


def pair(first: str, second: str) -> tuple[str, str]:
    """The two sentences in any order, without regard to case."""
    return tuple(sorted((first.lower(), second.lower())))


def overlap(tasks: dict, table) -> dict:
    """Pairs of each year of STS that are word for word in a split of STS-B."""
    known = set(map(pair, table["sentence1"], table["sentence2"]))
    return {
        name: {
            "pairs": len(tasks[name]),
            "shared": sum(pair(*both) in known for both in zip(tasks[name].sentences1, tasks[name].sentences2)),
        }
        for name in STS_YEARS
    }


def in_tests(tasks: dict, table) -> dict:
    """How many pairs of a split stand word for word in the years of STS, and in any of the seven test sets."""
    found = {name: set(map(pair, task.sentences1, task.sentences2)) for name, task in tasks.items()}
    years = set().union(*(found[name] for name in STS_YEARS))
    rows = list(map(pair, table["sentence1"], table["sentence2"]))
    anywhere = set().union(*found.values())
    return {
        "pairs": len(rows),
        "in_sts12_16": sum(row in years for row in rows),
        "in_any_test": sum(row in anywhere for row in rows),
    }


def leak(tasks: dict, table) -> dict:
    """Train on half of the pairs that STS-B train shares with STS12-16, and compare with the other half.

    Both halves are drawn at random from the same pairs; one difference is left, having been seen.
    """
    scores = {pair(*row[:2]): row[2] for row in zip(table["sentence1"], table["sentence2"], table["score"])}
    tested = {pair(*both) for name in STS_YEARS for both in zip(tasks[name].sentences1, tasks[name].sentences2)}
    shared = sorted(scores.keys() & tested)
    runs = []
    for seed in SEEDS:
        mixed = random.Random(seed).sample(shared, len(shared))
        halves = {"seen": mixed[: len(mixed) // 2], "unseen": mixed[len(mixed) // 2 :]}
        encoder = trained(plan(UNTRAINED))
        before = {f"{name}_before": score(encoder, half, scores) for name, half in halves.items()}
        regress(encoder, halves["seen"], scores, seed)
        after = {f"{name}_after": score(encoder, half, scores) for name, half in halves.items()}
        worth = after["seen_after"] - after["unseen_after"] - (before["seen_before"] - before["unseen_before"])
        runs.append({**before, **after, "worth": worth})
    return {
        "pairs": len(shared),
        "trained_on": len(shared) // 2,
        **{name: mean_interval([run[name] for run in runs]) for name in runs[0]},
    }


def score(encoder, pairs: list, scores: dict) -> float:
    from kit.evaluation import pair_cosines, spearman

    first, second = (encoder.encode([both[side] for both in pairs]) for side in (0, 1))
    return 100 * spearman(pair_cosines(first, second), [scores[both] for both in pairs])


def regress(encoder, pairs: list, scores: dict, seed: int) -> None:
    """Move the cosine of each pair towards a fifth of its score."""
    import torch

    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=LEAK["lr"])
    ids = [encoder.tokenize([both[side] for both in pairs]) for side in (0, 1)]
    gold = torch.tensor([scores[both] / 5 for both in pairs])
    encoder.train()
    for _ in range(LEAK["epochs"]):
        for rows in torch.randperm(len(pairs)).split(LEAK["batch_size"]):
            first, second = (encoder.embed([side[i] for i in rows.tolist()]) for side in ids)
            loss = (torch.cosine_similarity(first, second) - gold[rows].to(first.device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    encoder.eval()


if __name__ == "__main__":
    run_script(main)
