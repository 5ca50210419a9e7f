"""The widget of a search: type a question, see what two encoders find for it, and say which hits fit.

`search_board` is the board (kit/boards/js/search.js draws it); Python searches. What the reader says about hits becomes
training pairs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.checks.sentences import MAX_CHARACTERS, is_blank
from kit.errors import KitError, printable
from kit.storage.atomic import write_atomically

MOST = 10  # hits of a list
START = 5
LONGEST = 400  # characters of a hit that are shown
QUOTED = 60  # characters of a question or a hit in the text equivalent


class SearchBoard(Board):
    """The board, and what was said on it: `judged` is {(query, text): True or False}. Lesson 13."""

    def __init__(self, index: Any, raw: Any | None, query: str, names: tuple[str, str], task: Any | None) -> None:
        self.index, self.judged, self._counted, self._presses = index, {}, "", 0
        self._answers = {} if task is None else _answers(task)
        self._columns = {names[0]: index} if raw is None else {names[1]: raw, names[0]: index}
        self._texts = {}
        controls = {"query": query, "k": START, "vote": ""}
        state = self._state(query)
        summary = search_summary(search_values(state, controls), controls, state)
        super().__init__("search", state, summary, controls, self._answer)

    def _answer(self, controls: dict) -> dict:
        if (vote := controls["vote"]) != self._counted:
            self._counted, self._presses = vote, self._presses + 1
            kind, number, _ = vote.split()
            key, fits = (self.state["query"], self._texts[int(number)]), kind == "up"
            if self.judged.get(key) == fits:
                del self.judged[key]  # pressed again: taken back
            else:
                self.judged[key] = fits
        return self._state(controls["query"][:MAX_CHARACTERS])

    def _state(self, query: str) -> dict:
        columns, answers = [], self._answers.get(query, frozenset())
        for name, index in self._columns.items():
            hits = [] if is_blank(query) else index.search(query, MOST)
            right = _first_right(index, query, hits, answers)
            self._texts.update((hit.id, hit.text) for hit in (*hits, *([right[1]] if right else ())))
            found = {"rank": right[0], **_shown(right[1])} if right else None
            columns.append({"name": name, "hits": [_shown(hit) for hit in hits], "right": found})
        numbers = {hit["id"] for column in columns for hit in (*column["hits"], column["right"]) if hit}
        votes = {
            str(n): self.judged[query, self._texts[n]]
            for n in sorted(numbers)
            if (query, self._texts[n]) in self.judged
        }
        fitting = sum(self.judged.values())
        return {
            "query": query,
            "most": MOST,
            "texts": len(self.index),
            "columns": columns,
            "answers": len(answers),
            "right": sorted(n for n in numbers if self._texts[n] in answers),
            "votes": votes,
            "fit": fitting,
            "unfit": len(self.judged) - fitting,
            "serial": self._presses,
        }

    def pairs(self) -> list[tuple[str, str]]:
        """(query, text) of every hit that was said to fit."""
        return [pair for pair, fits in self.judged.items() if fits]

    def triplets(self) -> list[tuple[str, str, str]]:
        """(query, a text that fits, one that does not) for every two that were judged under one query."""
        unfit = [pair for pair, fits in self.judged.items() if not fits]
        return [(query, good, bad) for query, good in self.pairs() for other, bad in unfit if other == query]

    def save_pairs(self, path: Path | str) -> Path:
        """Write what was judged as JSON lines: sentence1, sentence2, label 1 (fits) or 0.

        What the file has already stays; of a query and text judged twice the last judgement counts. Errors: `KitError`
        where nothing was judged, and for a file of something else.
        """
        if not self.judged:
            raise KitError("expected judged hits to save, got none: press 'fits' or 'does not fit' beside some.")
        lines = (
            json.dumps({"sentence1": query, "sentence2": text, "label": int(fits)}, ensure_ascii=False)
            for (query, text), fits in (_judged_before(Path(path)) | self.judged).items()
        )
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        return Path(path)


def _judged_before(file: Path) -> dict[tuple[str, str], bool]:
    """{(query, text): fits} of a file that `save_pairs` wrote; nothing where there is none."""
    try:
        lines = file.read_text("utf-8").split("\n") if file.exists() else []  # a text may hold U+2028
        rows = [json.loads(line) for line in lines if line]
        return {(row["sentence1"], row["sentence2"]): bool(row["label"]) for row in rows}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise KitError(f"expected judged hits in {file}, got something else: save to another file.") from error


def _answers(task: Any) -> dict[str, frozenset[str]]:
    """Of each query of the task the texts that are right."""
    return {
        query: frozenset(task.corpus[place] for place in grades)
        for query, grades in zip(task.queries, task.relevant, strict=True)
    }


def _first_right(index: Any, query: str, hits: list, answers: frozenset[str]) -> tuple[int, Any] | None:
    """(rank from 1, hit) of the first hit that is right, however far down; None where no right text is known."""
    if not answers:
        return None
    if not any(hit.text in answers for hit in hits):
        hits = index.search(query, len(index))
    return next(((rank, hit) for rank, hit in enumerate(hits, 1) if hit.text in answers), None)


def _shown(hit: Any) -> dict:
    rest = "…" if len(hit.text) > LONGEST else ""
    return {"id": hit.id, "text": printable(hit.text[:LONGEST]) + rest, "score": round(hit.score, 4)}


def search_board(
    index: Any,
    raw: Any | None = None,
    query: str = "",
    names: tuple[str, str] = ("trained", "raw"),
    task: Any | None = None,
) -> SearchBoard:
    """Make the board of an `Index`: a search box, hits with their cosines, and two buttons beside each.

    raw: an index of the same texts by another encoder, whose hits stand beside; names: what the two are called;
    task: queries whose right texts are known, which are marked when one of them is asked.
    `pairs()`, `triplets()` and `save_pairs(path)` give what was judged. Errors: `KitError` for an empty index, and two
    indexes of different texts. Lesson 13.
    """
    if not len(index):
        raise KitError("expected an index with texts, got an empty one: build it with Index.build.")
    if raw is not None and (list(raw.texts) != list(index.texts) or list(raw.ids) != list(index.ids)):
        raise KitError(
            "expected two indexes of the same texts in the same order, got others: build both from one list."
        )
    return SearchBoard(index, raw, query, tuple(names), task)


def search_values(state: dict, controls: dict) -> dict:
    """What is drawn: the first k hits of each list, with their rank in the other list (0: not among its hits).

    shared: how many of the first k are in both lists; right of a column: its first right hit with its rank, or None.
    """
    k, columns = controls["k"], state["columns"]
    ranks = [{hit["id"]: rank for rank, hit in enumerate(column["hits"], 1)} for column in columns]
    found = []
    for number, column in enumerate(columns):
        other = ranks[1 - number] if len(columns) > 1 else {}
        rows = [{**hit, "other": other.get(hit["id"], 0)} for hit in column["hits"][:k]]
        found.append({"name": column["name"], "rows": rows, "right": column["right"]})
    both = [{row["id"] for row in column["rows"]} for column in found]
    return {"columns": found, "shared": len(both[0] & both[-1]) if len(both) > 1 else 0}


def search_summary(values: dict, controls: dict, state: dict) -> str:
    """Describe the values in words."""
    kept = f"Judged so far: {state['fit']} fit, {state['unfit']} not."
    if not values["columns"][0]["rows"]:
        return f"Type a question: the nearest of {state['texts']} texts will appear here. {kept}"
    first = ", ".join(
        f"{column['name']} finds {_quote(column['rows'][0]['text'])} ({fixed(column['rows'][0]['score'])})"
        for column in values["columns"]
    )
    k = len(values["columns"][0]["rows"])
    number, verb = values["shared"] or "None", "are" if values["shared"] > 1 else "is"
    shared = f" {number} of the first {k} {verb} in both lists."
    if k == 1:
        shared = f" The first hit is {'' if values['shared'] else 'not '}the same in both lists."
    shared = shared if len(values["columns"]) > 1 else ""
    ranks = ", ".join(
        f"{column['right']['rank']} for {column['name']}" for column in values["columns"] if column["right"]
    )
    right = f" The {'first ' if state['answers'] > 1 else ''}right text is number {ranks}." if ranks else ""
    return f"For {_quote(state['query'])} {first} first.{shared}{right} {kept}"


def _quote(text: str) -> str:
    """A text as it is quoted in a sentence, its beginning if it is long (kit.quote in js/charts.js)."""
    text = text.strip()
    return f"“{text[:QUOTED].rstrip()}…”" if len(text) > QUOTED else f"“{text}”"
