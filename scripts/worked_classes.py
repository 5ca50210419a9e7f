"""The third worked case: questions and what they ask for, learnt by class and by pairs that are made of classes."""

# ruff: noqa: E501 (the section has one line for a paragraph)
from __future__ import annotations

import copy
import random
from statistics import mean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kit.retrieval import RetrievalTask

MEASURES = ("accuracy@1", "precision@10", "ndcg@10")
SEEDS, STEPS, TEXTS, RATE = (0, 1, 2), 170, 64, 1e-3  # of the training; texts of a step, whichever recipe
FINE, COARSE = "fine_label_text", "label_text"
WAYS = ("supcon", "cosent")
SAID = {"supcon": "`supcon`, on texts with their class", "cosent": "`cosent`, on pairs made of the classes"}


def classes_case(seeds: tuple[int, ...] = SEEDS, steps: int = STEPS) -> dict:
    """TREC's questions, 6 classes or 50, or the made-up world's: the nearest of the same class, free and trained."""
    from kit.encoder import load_encoder
    from kit.owndata import leaks, own_task
    from kit.retrieval import BM25, compare_retrieval, evaluate_retrieval
    from kit.training import fit, recipe

    raw, found = load_encoder("kit-bert-tiny"), {"steps": steps, "texts": TEXTS, "seeds": list(seeds), "parts": []}
    for train, test, source in rows_of():
        known = set(leaks(train, test))
        test = test.take(place for place in range(len(test)) if place not in known)
        task, reports = own_task(test), {}
        for name, system in (("BM25", BM25()), ("raw", raw)):
            reports[name] = [evaluate_retrieval(system, task, MEASURES, name)]
        for way in WAYS:
            size = TEXTS if way == "supcon" else TEXTS // 2
            settings = recipe(way, "laptop", batch_size=size, lr=RATE)
            for seed in seeds:
                trained = copy.deepcopy(raw)
                data = list(train.rows) if way == "supcon" else as_pairs(list(train.rows), seed)
                fit(trained, settings, data, seed=seed, steps=steps, progress=False)
                reports.setdefault(way, []).append(evaluate_retrieval(trained, task, MEASURES, way))
        compared = [compare_retrieval(reports["supcon"][0], reports[other][0]) for other in ("BM25", "cosent")]
        part = {"source": source, "train": len(train), "test": len(test), "classes": len(train.label_names)}
        part |= {"leaked": len(known)} | searched(task)
        part["figures"] = {
            name: {one: [report[one] for report in several] for one in MEASURES} for name, several in reports.items()
        }
        part["compared"] = [one.summary("precision@10") for one in compared]
        found["parts"].append(part)
    return found


def searched(task: RetrievalTask) -> dict:
    """How many texts look for their class, and how high precision@10 can be: of a small class nobody finds ten."""
    best, few = task.best_precision(10)
    return {"queries": len(task.queries), "best_precision": best, "fewer_than_ten": few}


def rows_of() -> list[tuple]:
    """(training rows, test rows, where they come from): TREC by its coarse and its fine classes, else made-up ones."""
    from kit.data import load_transfer
    from kit.data.sources import mirror_root
    from kit.owndata import read

    folder = mirror_root()
    folder = folder and folder / "senteval-transfer" / "trec"
    if folder and folder.is_dir():
        return [
            (*(read(folder / f"{part}.parquet", "classes", text="text", label=column, leave_out=True)
               for part in ("train", "test")), "TREC")
            for column in (COARSE, FINE)
        ]  # fmt: skip
    made_up = load_transfer("questions")["questions"]
    rows = [(text, made_up.classes[label]) for text, label in zip(made_up.texts, made_up.labels)]
    half = len(rows) // 2
    return [(read(rows[:half], "classes"), read(rows[half:], "classes"), "the made-up world")]


def as_pairs(rows: list[tuple[str, int]], seed: int) -> list[tuple[str, str, float]]:
    """Each text beside one of its class (score 1) and, as often, beside one of another (score 0)."""
    rng, of_class = random.Random(seed), {}
    for text, label in rows:
        of_class.setdefault(label, []).append(text)
    pairs = []
    for number, (text, label) in enumerate(rows):
        other = label if number % 2 and len(of_class[label]) > 1 else rng.choice([c for c in of_class if c != label])
        pairs.append((text, rng.choice([one for one in of_class[other] if one != text]), float(other == label)))
    return pairs


def classes_section(found: dict) -> str:
    """The case as a section of docs/worked_cases.md."""
    lines, told = [], []
    for part in found["parts"]:
        for name, figures in part["figures"].items():
            cells = (
                f"{mean(values):.1f}{f' ± {stdev(values):.1f}' if len(values) > 1 else ''}"
                for values in (figures[one] for one in MEASURES)
            )
            lines.append(f"| {part['classes']} | {SAID.get(name, name)} | {' | '.join(cells)} |")
        told += [f"- {part['classes']} classes, {line}" for line in part["compared"]]
    bounds = [bound_in_words(part) for part in found["parts"]]
    first, *_ = found["parts"]
    return TEXT.format(
        rows="\n".join(lines), compared="\n".join(told), bounds=" ".join(bounds), source=first["source"], train=first["train"],
        test=first["test"], leaked=first["leaked"], steps=found["steps"], texts=found["texts"], pairs=found["texts"] // 2,
        seeds=len(found["seeds"]), tests=len(told),
    )  # fmt: skip


def bound_in_words(part: dict) -> str:
    """How many texts of the test are searched with, and the best that precision@10 can be for them."""
    whole = part["queries"] == part["test"]
    asked = f"all {part['test']:,}" if whole else f"{part['queries']:,} of the {part['test']:,}"
    said = f"With {part['classes']} classes {asked} have another of their class"
    few, best = part["fewer_than_ten"], f"{part['best_precision']:.1f}"
    if not few:
        return f"{said}, and all of these ten or more, so that precision@10 can be 100."
    return f"{said}, {few:,} of these fewer than ten: the best possible precision@10 is {best}."


TEXT = """\
## Questions by what they ask for: texts with a class

{train:,} questions of {source} say what they ask for: a person, a place, a number. {test:,} others are the test ({leaked:,} more have a near-duplicate among the first and were left out): is the nearest of them (accuracy@1) of the same class, and how many of the ten nearest are (precision@10)? No question finds itself, and one that is alone in its class is not asked. {bounds} kit-bert-tiny was trained in two ways with {steps} steps of {texts} texts each: by `supcon`, which takes the class as it stands, and by `cosent` on {pairs} pairs a step that were made of the same classes, two texts of one with the score 1, two of different ones with 0.

| classes | system | accuracy@1 | precision@10 | nDCG@10 |
|---:|---|---:|---:|---:|
{rows}

± is the deviation over {seeds} seeds. With the first seed:

{compared}

These are {tests} tests, and neither way had its rate chosen here. The questions that were trained on ask for the same things in other words; a class that training has never seen was not tried. From the command line, with a file that has a text and its class in every row:

```sh
kit look tickets.csv --kind classes --text ticket --label topic
kit split tickets.csv --kind classes --text ticket --label topic --out parts
kit train --data parts/train.jsonl --kind classes --validation parts/validation.jsonl --out runs/topics
kit evaluate runs/topics --pairs parts/test.jsonl --kind classes
```
"""
