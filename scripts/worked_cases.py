"""Worked cases on data of one's own: questions to 40 answers, 50,000 texts without near copies, texts with a class.

    KIT_DATA=<mirror folder> python scripts/worked_cases.py     data/results/worked_cases.json and docs/worked_cases.md
    python scripts/worked_cases.py --write shop                 the files of the first case: faq, test, answers

The questions are ours (scripts/worked_faq.txt: an answer, then five questions). The texts are sentences of SNLI, or of
the made-up world where there is no mirror, with copies that we changed ourselves.
"""

# ruff: noqa: E501 (the page has one line for a paragraph)
from __future__ import annotations

import argparse
import copy
import csv
import itertools
import json
import random
import re
import sys
from pathlib import Path
from statistics import mean, stdev

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from worked_classes import classes_case, classes_section  # noqa: E402

FAQ, PAGE = ROOT / "scripts" / "worked_faq.txt", ROOT / "docs" / "worked_cases.md"
RESULTS = ROOT / "data" / "results" / "worked_cases.json"
FOR_TRAINING, SEEDS, STEPS = 3, (0, 1, 2), 200  # questions of each answer; of the training
SETTINGS = {"batch_size": 40, "lr": 1e-3}
LEVEL = 0.05  # of the tests, all together
AHEAD = ": trained is ahead on queries like these."
BY_ITSELF = ": by itself that would count; among several tests it does not (below), so this stays undecided."
TEXTS, COPIES, THRESHOLDS = 50_000, 5_000, (0.99, 0.98, 0.97, 0.95)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="small, and only printed: shows that it runs")
    options.add_argument("--only", choices=("faq", "duplicates", "classes"), help="this one anew; the others stay")
    options.add_argument("--write", type=Path, help="only write faq.csv, test.csv and answers.txt into this folder")
    args = options.parse_args()
    if args.write:
        return write_files(args.write)
    from measuring import provenance

    from kit.storage.atomic import write_atomically

    cases = {
        "faq": lambda: faq_case((0,), 5) if args.quick else faq_case(),
        "duplicates": lambda: duplicates_case(600, 60) if args.quick else duplicates_case(),
        "classes": lambda: classes_case((0,), 5) if args.quick else classes_case(),
    }
    found, made = json.loads(RESULTS.read_text("utf-8")) if args.only else {}, provenance()
    for name, case in cases.items():
        if args.only in (None, name):
            found[name] = case() | ({"measured": made} if args.only else {})
    print(page(found))
    if not args.quick:
        found |= {} if args.only else made
        write_atomically(RESULTS, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        write_atomically(PAGE, page(found))


def faq_rows() -> list[tuple[str, list[str]]]:
    """(answer, its five questions), 40 of them."""
    blocks = FAQ.read_text("utf-8").strip().split("\n\n")
    return [(answer, questions) for answer, *questions in (block.split("\n") for block in blocks)]


def faq_pairs() -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """(number of the answer, question): those that are known, and those that are asked."""
    rows = faq_rows()
    known = [(number, text) for number, (_, questions) in enumerate(rows) for text in questions[:FOR_TRAINING]]
    asked = [(number, text) for number, (_, questions) in enumerate(rows) for text in questions[FOR_TRAINING:]]
    return known, asked


def write_files(folder: Path) -> None:
    """The files that the commands on the page take."""
    answers = [answer for answer, _ in faq_rows()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answers.txt").write_text("\n".join(answers) + "\n", "utf-8")
    for name, pairs in zip(("faq.csv", "test.csv"), faq_pairs()):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("question", "answer"), *((text, answers[number]) for number, text in pairs)])
    print(f"wrote faq.csv, test.csv and answers.txt into {folder}")


def faq_case(seeds: tuple[int, ...] = SEEDS, steps: int = STEPS) -> dict:
    """Two of five questions are asked; three are known, as rows to train on or as texts to search among."""
    from kit.encoder import load_encoder
    from kit.owndata import fitted, read, training_data
    from kit.retrieval import BM25, compare_retrieval, evaluate_retrieval, retrieval_task
    from kit.training import fit, recipe

    known, asked = faq_pairs()
    queries, answers = [text for _, text in asked], [answer for answer, _ in faq_rows()]
    to_answers = retrieval_task(queries, answers, [[number] for number, _ in asked], "new questions to 40 answers")
    places = [[at for at, (other, _) in enumerate(known) if other == number] for number, _ in asked]
    to_known = retrieval_task(queries, [text for _, text in known], places, "new questions to 120 known questions")
    data = read([(text, answers[number]) for number, text in known])
    settings, _ = fitted(recipe("mnrl", "laptop", **SETTINGS), data)
    raw, reports = load_encoder("kit-bert-tiny"), {}
    systems = {"BM25": [BM25()], "raw": [raw], "trained": []}
    for seed in seeds:
        trained = copy.deepcopy(raw)
        fit(trained, settings, training_data(data, settings), seed=seed, steps=steps, progress=False)
        systems["trained"].append(trained)
    found = {"pairs": len(known), "asked": len(asked), "steps": steps, "seeds": list(seeds), "rows": []}
    for task in (to_answers, to_known):
        for name, several in systems.items():
            each = [evaluate_retrieval(system, task, ["accuracy@1", "mrr@10"], name) for system in several]
            reports[task.name, name] = each
            between = each[0].intervals()["accuracy@1"]
            found["rows"].append(
                {
                    "task": task.name,
                    "system": name,
                    "accuracy": [report["accuracy@1"] for report in each],
                    "mrr": [report["mrr@10"] for report in each],
                    "interval": [between.low, between.high],
                }
            )
    found["compared"] = [
        compare_retrieval(reports[task.name, "trained"][0], reports[task.name, name][0]).summary("accuracy@1")
        for task in (to_answers, to_known)
        for name in ("BM25", "raw")
    ]
    return found


def changed(text: str, kind: str, draw: random.Random) -> str:
    """A near copy of a text."""
    words = text.rstrip(".").split()
    if kind == "case and full stop":
        return text.rstrip(".").upper() if draw.random() < 0.3 else text.rstrip(".").lower() + " !"
    if kind == "one word left out":
        del words[draw.randrange(1, len(words) - 1)]
    elif kind == "two letters swapped":
        at = max(range(len(words)), key=lambda i: len(words[i]))
        place = draw.randrange(1, len(words[at]) - 1)
        words[at] = words[at][: place - 1] + words[at][place] + words[at][place - 1] + words[at][place + 1 :]
    else:
        words = ["Apparently", words[0].lower(), *words[1:]]
    return " ".join(words) + "."


KINDS = ("case and full stop", "one word left out", "two letters swapped", "a word before it")


def duplicates_case(texts: int = TEXTS, copies: int = COPIES) -> dict:
    """Texts with changed copies among them: which copies are found at which threshold, and what else goes."""
    from kit.data import load
    from kit.encoder import load_encoder
    from kit.retrieval.near_duplicates import near_pairs
    from kit.retrieval.vector_index import encode_in_chunks

    table, draw = load("stanfordnlp/snli", rows=3 * texts), random.Random(0)
    whole = list(dict.fromkeys([*table["premise"], *table["hypothesis"]]))
    whole = [text for text in whole if len(text.split()) >= 5 and len(max(text.split(), key=len)) >= 5][
        : texts - copies
    ]
    chosen = draw.sample(range(len(whole)), copies)
    planted = [
        (origin, changed(whole[origin], KINDS[number % len(KINDS)], draw)) for number, origin in enumerate(chosen)
    ]
    everything = [*whole, *(text for _, text in planted)]
    vectors = encode_in_chunks(load_encoder("kit-bert-tiny"), everything)
    pairs, cosines = near_pairs(vectors, min(THRESHOLDS))
    rows = []
    for threshold in THRESHOLDS:
        near = {tuple(pair) for pair in pairs[cosines >= threshold].tolist()}
        by_kind = dict.fromkeys(KINDS, 0)
        for number, (origin, _) in enumerate(planted):
            by_kind[KINDS[number % len(KINDS)]] += (origin, len(whole) + number) in near
        others = sum(later < len(whole) for _, later in near)
        rows.append({"threshold": threshold, "found": by_kind, "other_pairs": others})
    each = {kind: sum(number % len(KINDS) == at for number in range(copies)) for at, kind in enumerate(KINDS)}
    source = table.source.summary() if hasattr(table.source, "summary") else str(table.source)
    return {"texts": len(everything), "copies": each, "rows": rows, "source": source}


def page(found: dict) -> str:
    """docs/worked_cases.md from what was found."""
    faq, twice = found["faq"], found["duplicates"]
    lines = []
    for row in faq["rows"]:
        values, ranks = row["accuracy"], row["mrr"]
        spread = f" ± {stdev(values):.1f}" if len(values) > 1 else ""
        low, high = row["interval"]
        lines.append(
            f"| {row['task']} | {row['system']} | {mean(values):.1f}{spread} | {values[0]:.1f}, {low:.1f} to {high:.1f} "
            f"| {mean(ranks):.1f} |"
        )
    head = " | ".join(KINDS)
    table = []
    for row in twice["rows"]:
        shares = (f"{100 * row['found'][kind] / max(1, twice['copies'][kind]):.0f} %" for kind in KINDS)
        table.append(f"| {row['threshold']:g} | {' | '.join(shares)} | {row['other_pairs']:,} |")
    tasks = list(dict.fromkeys(row["task"] for row in faq["rows"]))
    best = max(faq["rows"], key=lambda row: mean(row["accuracy"]))
    share = mean(best["accuracy"])
    named = {"trained": "the trained encoder", "raw": "the encoder as it is"}.get(best["system"], best["system"])
    verdict = f"The highest share of right answers is that of {named}, {best['task']}: right {share:.0f} times in 100."
    if share < 80:
        verdict += " That is too seldom to answer by itself. MRR@10 says how far up the first right one stands."
    kept = holm(p_values(faq))
    compared = [line if at in kept else line.replace(AHEAD, BY_ITSELF) for at, line in enumerate(faq["compared"])]
    compared = zip([task for task in tasks for _ in ("BM25", "raw")], compared, strict=True)
    return TEXT.format(
        pairs=faq["pairs"], asked=faq["asked"], steps=faq["steps"], rows="\n".join(lines),
        compared="\n".join(f"- {task[0].upper()}{task[1:]}, {typeset(line)}" for task, line in compared), texts=twice["texts"],
        copies=sum(twice["copies"].values()), head=head, dashes="---:|" * len(KINDS), table="\n".join(table),
        verdict=verdict, tests=tests_told(faq), batch=SETTINGS["batch_size"], rate=SETTINGS["lr"],
        classes=typeset(classes_section(found["classes"])),
    )  # fmt: skip


def typeset(line: str) -> str:
    """A summary as on the other pages: a blank before a percent sign, and a minus that is one."""
    return re.sub(r"(?<![\d.])-(?=\d)", "−", line).replace("95%", "95 %")


def tests_told(faq: dict) -> str:
    """What the tests do and do not show: how many there were, of which seed, on questions that come in pairs."""
    trained = [row["accuracy"] for row in faq["rows"] if row["system"] == "trained"]
    compared, seeds = faq["compared"], len(trained[0])
    first = all(values[0] == max(values) for values in trained)
    seed = f"the first of {seeds} seeds" + (", which has the highest figure" if first else "")
    left = holm(p_values(faq))
    pairs = [compared[at].split(", difference")[0].removeprefix("accuracy@1: ") for at in left]
    held = " and ".join(pair.replace(", ", " beside ") for pair in pairs) or "none"
    answers = len(faq_rows())
    return (
        f"These are {len(compared)} tests, made with {seed if seeds > 1 else 'one seed'}. With Holm's correction for "
        f"{len(compared)} tests these differences remain at 5 %: {held}. The tests take the {faq['asked']} questions as "
        f"independent. They are not ({faq['asked'] // answers} for each of {answers} answers), so these intervals are "
        "rather too short. They say nothing about other answers or another seed."
    )


def p_values(faq: dict) -> list[float]:
    return [float(re.search(r"p = ([\d.]+)", line)[1]) for line in faq["compared"]]


def holm(values: list[float], level: float = LEVEL) -> list[int]:
    """Which of several p-values remain below a level by Holm's step-down correction (Holm 1979), in their order."""
    order = sorted(range(len(values)), key=values.__getitem__)
    kept = itertools.takewhile(lambda step: values[step[1]] <= level / (len(values) - step[0]), enumerate(order))
    return sorted(at for _, at in kept)


TEXT = """\
# Three worked cases

Written by `scripts/worked_cases.py` from `data/results/worked_cases.json`. [Lesson 13](../notebooks/13_own_data.ipynb) shows step by step how to do the same with a file of your own.

## Matching questions to answers, with 200 rows

A shop has 40 answers and five ways to ask for each: 200 rows in `scripts/worked_faq.txt`. Three questions for each answer are known, which makes {pairs} pairs; the other {asked} questions are new. A new question is compared either with the answers or with the known questions, in which case the answer to the nearest one is given. kit-bert-tiny was trained on the {pairs} pairs by MNRL, {steps} steps of {batch} at learning rate {rate:g}. A question counts as right if the right answer comes first; the share of these is also called accuracy@1. MRR@10 is the mean of 1 / rank of the first right one, × 100, where it is among the first ten.

| compared with | system | right, % | of the first seed, 95 % interval | MRR@10 |
|---|---|---:|---:|---:|
{rows}

{verdict}

{compared}

{tests}

The first half (new questions to the 40 answers, one seed) can be done from the command line, with files that `python scripts/worked_cases.py --write shop` makes. `faq.csv` has the {pairs} pairs and `test.csv` the {asked} others (columns question and answer); `answers.txt` has the 40 answers, one a line. With the {pairs} known questions in place of `answers.txt`, `kit search` finds as in the second half. Answers to which BM25 gives one score stand in the order of their file, which is another in `test.csv`: its MRR@10 differs a little there. No questions are left to choose a step by, so the last step is kept:

```sh
cd shop
kit look faq.csv --anchor question --positive answer
kit train --data faq.csv --anchor question --positive answer --recipe mnrl --preset laptop \\
    --steps {steps} --keep last --set batch_size={batch} lr={rate:g} --out runs/faq
kit evaluate runs/faq --pairs test.csv --anchor question --positive answer
kit search runs/faq answers.txt --query "my parcel is late"
```

## {texts:,} short texts without near copies

The texts are sentences of SNLI and {copies:,} changed copies of some of them. A copy counts as found if its cosine with its original, by kit-bert-tiny as pretrained, reaches the threshold. Other pairs are pairs of two sentences of which neither is such a copy.

| cosine from | {head} | other pairs |
|---:|{dashes}---:|
{table}

Other pairs are not necessarily mistakes, as many captions of SNLI say nearly the same. So choose a threshold by looking; the doubtful pairs come first in the table:

```python
from kit.encoder import load_encoder
from kit.retrieval import deduplicate

found = deduplicate(load_encoder("kit-bert-tiny"), texts, threshold=0.98)
print(found.summary(), found.table(), sep="\\n")
texts = found.kept_texts()
```

{classes}"""


if __name__ == "__main__":
    main()
