"""The table of docs/results.md on the mean of several runs' weights, from data/results/means.json."""

from __future__ import annotations

import re
import statistics

from results_means import ARMS, SEEDS


def means(found: dict) -> str:
    """Single runs, the mean of their weights and the runs side by side; and the mean of the first two."""
    lines = [
        "| runs | recipe | single | mean of their weights | side by side | halfway between the first two, beside the "
        "worse one | cosine of their ways |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, arm in found["arms"].items():
        single = f"{statistics.fmean(arm['single']):.2f} ± {statistics.stdev(arm['single']):.2f}"
        single += f" ({of_which(arm)})" if of_which(arm) else ""
        lines.append(
            f"| {name} | {named(name)} | {single} | {arm['mean']['all']:.2f} | {arm['side_by_side']['all']:.2f} | "
            f"{of_the_first_two(arm)} |"
        )
    arms = list(found["arms"].values())
    machines = ", ".join(sorted({arm["hardware"] for arm in arms}))
    texts = "; ".join(dict.fromkeys(map(trained_on, arms)))
    missing = "; ".join(name for name in ARMS if name not in found["arms"])
    return "\n".join(
        [
            *lines,
            "",
            f"STS average (all), Spearman × 100; seeds {listed(SEEDS)} where none are named: mean ± standard "
            "deviation. Side by side: the runs' vectors of a sentence, each of length 1, joined end to end, so that "
            "the cosine is the mean of theirs. "
            "That costs a pass for each run; the mean of weights costs one. The way of a run is the difference between "
            f"its weights at the end and at the start. Trained on {texts}. Machine: {machines}."
            + (f" Planned and not measured: {missing}." if missing else ""),
        ]
    )


def named(arm: str) -> str:
    """The names that the runs of an arm have in the tables of the encoders."""
    return ", ".join(ARMS[arm].kinds)


def of_which(arm: dict) -> str:
    """Which runs stand in a row, where they are not those of one recipe and all seeds."""
    if of_several_kinds(arm):
        return f"{len(arm['single'])} runs of two recipes"
    return "" if list(arm["seeds"]) == list(SEEDS) else f"seeds {listed(arm['seeds'])}"


def listed(seeds) -> str:
    return ", ".join(map(str, seeds))


def of_several_kinds(arm: dict) -> bool:
    return len(arm["single"]) > len(arm["seeds"])


def of_the_first_two(arm: dict) -> str:
    """The last two cells; empty where the first two runs are those of another row."""
    return "– | –" if of_several_kinds(arm) else f"{halfway(arm):+.2f} | {arm['cosine_of_ways']:.2f}"


def halfway(arm: dict) -> float:
    """What the encoder halfway scores above (below: negative) the worse of the two runs."""
    return arm["halfway"] - min(arm["single"][:2])


def trained_on(arm: dict) -> str:
    return " and ".join(in_short(text) for text in arm["data"] if " rows from " in text or text.startswith("WordNet"))


def in_short(source: str) -> str:
    """What a source of a run has, in a few words: the merged NLI's rows are premises, those of other data pairs."""
    kept = re.split(" from |, each ", source)[0]
    return kept.replace(" rows", " premises with their hypotheses") if kept.startswith("nli/merged") else kept
