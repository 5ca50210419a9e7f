"""Does the pretraining text hold evaluation sentences? data/results/overlap.json

    KIT_DATA=<mirror folder> python scripts/check_overlap.py

Two counts for each STS task, both on words as `words_of` makes them: which distinct sentences
of eight or more words stand whole in a document of the corpus, and which distinct word
8-grams of the task occur in it at all. One pass over the corpus, a document at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

from measuring import ROOT, provenance, run_script

from kit.errors import KitError

N = 8
NORMALISED = "lower case; runs of letters and digits are words, all else separates; line breaks ignored"


def words_of(text: str) -> list[str]:
    """The words of a text: lower case, letters and digits only."""
    return re.findall(r"[^\W_]+", text.lower())


def grams_of(words: list[str], n: int = N) -> list[str]:
    """All runs of `n` words, each as one string."""
    return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]


def occurrences(
    sentences: set[tuple[str, ...]], documents: Iterable[str], n: int = N
) -> tuple[set[tuple[str, ...]], set[str], dict[str, int]]:
    """(sentences that stand whole in a document, n-grams that occur, counts of what was read).

    sentences: word tuples of at least `n` words. A sentence is looked for only where its first
    n-gram is, so that memory holds the evaluation sentences and one document.
    """
    wanted = {gram for sentence in sentences for gram in grams_of(list(sentence), n)}
    begins: dict[str, list[tuple[str, ...]]] = {}
    for sentence in sentences:
        begins.setdefault(" ".join(sentence[:n]), []).append(sentence)
    whole, grams, read = set(), set(), {"documents": 0, "words": 0}
    for text in documents:
        words = words_of(text)
        read["documents"] += 1
        read["words"] += len(words)
        for i in range(len(words) - n + 1):
            gram = " ".join(words[i : i + n])
            if gram in wanted:
                grams.add(gram)
                whole.update(s for s in begins.get(gram, ()) if tuple(words[i : i + len(s)]) == s)
    return whole, grams, read


def shares(sentences: set[tuple[str, ...]], whole: set, grams: set[str], n: int = N) -> dict:
    """Counts and shares (%) for the sentences of one task; 0 of 0 is a share of 0."""
    mine = {gram for sentence in sentences for gram in grams_of(list(sentence), n)}
    found, touched = sentences & whole, mine & grams
    return {
        "sentences": len(sentences),
        "whole": len(found),
        "whole_share": 100 * len(found) / max(1, len(sentences)),
        "grams": len(mine),
        "grams_found": len(touched),
        "grams_share": 100 * len(touched) / max(1, len(mine)),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=ROOT / "data" / "results" / "overlap.json")
    args = options.parse_args()
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with STS and text: set it and run again.")
    from tqdm.auto import tqdm

    from kit.data import load_sts
    from kit.pretraining.corpus import corpus_files, read_documents
    from kit.storage.atomic import write_atomically

    tasks = load_sts()
    made_up = [name for name, task in tasks.items() if task.source.is_fallback]
    if made_up:
        raise KitError(
            f"expected the real sentences of {', '.join(made_up)}, but KIT_DATA does not hold them: "
            "point KIT_DATA at a mirror folder that does."
        )
    of_task = {
        name: {w for w in (tuple(words_of(s)) for s in [*task.sentences1, *task.sentences2]) if len(w) >= N}
        for name, task in tasks.items()
    }
    every = set().union(*of_task.values())
    files = corpus_files(Path(os.environ["KIT_DATA"]) / "text")
    documents = (text for file in files for text, _ in read_documents([file]))
    whole, grams, read = occurrences(every, tqdm(documents, desc="corpus", unit=" documents"))
    result = {
        "n": N,
        "at_least_words": N,
        "normalised": NORMALISED,
        "counted": "distinct sentences and distinct n-grams, both sides of every test pair",
        "corpus": {"files": [file.name for file in files], **read},
        "all": shares(every, whole, grams),
        "tasks": {
            name: {"source": tasks[name].source.name, **shares(sentences, whole, grams)}
            for name, sentences in of_task.items()
        },
        **provenance(),
    }
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")
    print(
        f"{result['all']['whole']} of {result['all']['sentences']:,} sentences stand whole in the corpus "
        f"({result['all']['whole_share']:.2f} %); {result['all']['grams_share']:.2f} % of their {N}-grams occur"
    )


if __name__ == "__main__":
    run_script(main)
