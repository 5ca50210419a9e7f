"""Queries, a corpus, and which documents are relevant to which query: what a retrieval evaluation needs."""

from __future__ import annotations

import hashlib
import operator
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kit.checks.argument_checks import check_kind, check_texts, checked, is_list
from kit.checks.sentences import check_sentences
from kit.errors import KitError, KitWarning, printable, shown
from kit.number_checks import is_whole


@dataclass(frozen=True, eq=False)
class RetrievalTask:
    """Queries, documents, and for each query the grades of its relevant documents. `retrieval_task` makes one.

    queries [n], corpus [rows]: texts; relevant [n]: {place in the corpus: grade from 1}; missing [n]: how many
    relevant documents the corpus does not have, which no system can find. itself [n]: the place of each query in the
    corpus, which is left out of its ranking, −1 where it has none; () where queries are no documents. Lesson 13.
    """

    queries: tuple[str, ...]
    corpus: tuple[str, ...]
    relevant: tuple[dict[int, int], ...]
    missing: tuple[tuple[int, ...], ...]
    name: str = "retrieval"
    itself: tuple[int, ...] = ()

    def __str__(self) -> str:
        pairs = sum(map(len, self.relevant)) - sum(place >= 0 for place in self.itself)
        return (
            f"{printable(self.name)}: {len(self.queries):,} queries, {len(self.corpus):,} documents, "
            f"{pairs / max(1, len(self.queries)):.2f} relevant ones a query"
        )

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits: two systems with the same one were judged on the same task."""
        grades = [sorted(grades.items()) for grades in self.relevant] if not self.itself else self._shared_grades()
        content = repr((self.queries, self.corpus, grades, self.missing, *filter(None, [self.itself])))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def _shared_grades(self) -> tuple[list, list[int]]:
        """The different grades, and which of them each query has: all texts of one class have the same."""
        different = self._different
        number = {one: at for at, one in enumerate(different)}
        return [sorted(grades.items()) for grades in different.values()], [number[id(one)] for one in self.relevant]

    @property
    def _different(self) -> dict[int, dict[int, int]]:
        """`relevant`, each dict once, however many queries share it."""
        return {id(grades): grades for grades in self.relevant}

    def best_precision(self, k: int) -> tuple[float, int]:
        """(the precision@k × 100 of a perfect ranking, how many queries have fewer than k relevant documents in the
        corpus); a query is none of its own."""
        own = self.itself or (-1,) * len(self.queries)
        there = [min(k, len(grades) - (place in grades)) for grades, place in zip(self.relevant, own, strict=True)]
        return 100 * sum(there) / (k * max(1, len(there))), sum(count < k for count in there)

    def best_in_words(self, k: int) -> str:
        """That `best_precision` is below 100, as part of a sentence; "" where it is not."""
        best, few = self.best_precision(k)
        if f"{best:.2f}" == "100.00":
            return ""
        return (
            f"the best possible precision@{k} is {best:.2f}, as {few:,} of {len(self.queries):,} queries have fewer "
            f"than {k:,} relevant documents"
        )

    def grades(self, query: int) -> np.ndarray:
        """The grades of all relevant documents of a query, largest first, the missing ones among them."""
        if not self.itself:
            return _sorted([*self.relevant[query].values(), *self.missing[query]])
        found, own = self._sorted_once[query], self.relevant[query].get(self.itself[query])
        if own is not None:  # a view of the others where its own grade is the least, as all of a class are 1
            found = found[:-1] if own == found[-1] else np.delete(found, np.flatnonzero(found == own)[0])
        return _sorted([*found, *self.missing[query]]) if self.missing[query] else found

    @cached_property
    def _sorted_once(self) -> list[np.ndarray]:
        """For each query its grades with its own among them: queries that share a dict share them. Sorted for each
        query anew, all texts of a few classes would take the square of their number."""
        found = {one: _sorted(list(grades.values())) for one, grades in self._different.items()}
        return [found[id(grades)] for grades in self.relevant]


@checked
def retrieval_task(
    queries: Mapping | Sequence, corpus: Mapping | Sequence, relevant: Mapping | Sequence, name: str = "retrieval"
) -> RetrievalTask:
    """A `RetrievalTask` from lists, or from dicts by id as sentence-transformers, BEIR and mteb have them.

    queries, corpus  lists of texts, or {id: text}; a corpus of a dict is sorted by its ids, for documents with equal
                     scores come in the order of the corpus. A document may be {"title": …, "text": …}, which are joined
    relevant         for each query (a list, or by its id) the relevant documents: their ids (in a list: their places),
                     or {id: grade} with whole grades, of which those from 1 are relevant
    A relevant document that the corpus lacks counts as never found, as with the peers, and is told in a warning.
    Errors: `KitError` for no text, a query without a relevant document, and ids that no query has. Lesson 13.
    """
    check_kind("name", name, "str")
    asked, texts = _by_id(queries), {i: _with_title(text) for i, text in _by_id(corpus, in_order=True).items()}
    _check_texts(asked.values(), "query"), _check_texts(texts.values(), "document")
    place = {identity: row for row, identity in enumerate(texts)}
    grades = _grades(relevant, asked)
    empty = [identity for identity in asked if not grades.get(identity)]
    if empty:
        raise KitError(
            f"expected a relevant document for every query, but {len(empty):,} of {len(asked):,} have none (the first: "
            f"{asked[empty[0]][:60]!r}): leave them out, for nothing could be found."
        )
    found, missing = [], []
    for identity in asked:
        its = grades[identity]
        found.append({place[document]: grade for document, grade in its.items() if document in place})
        missing.append(tuple(grade for document, grade in its.items() if document not in place))
    if lost := sum(map(len, missing)):
        warnings.warn(
            f"{lost:,} relevant documents are not in the corpus: they count as not found. Add them, or leave them out.",
            KitWarning,
            stacklevel=3,
        )
    return RetrievalTask(tuple(asked.values()), tuple(texts.values()), tuple(found), tuple(missing), name)


@checked
def task_from_pairs(
    anchors: Sequence[str], positives: Sequence[str], others: Iterable[str] = (), name: str = "retrieval"
) -> RetrievalTask:
    """A task from pairs: the distinct anchors are the queries, the distinct positives and `others` the corpus.

    Every positive of an anchor is relevant to it. A query that is in the corpus as the positive of another, or among
    `others`, is found first itself, which a warning tells. Errors: `KitError` as `retrieval_task`, and for lists of
    different lengths. Lesson 13.
    """
    if len(anchors) != len(positives) or not len(anchors):
        raise KitError(
            f"expected one positive for each anchor, got {len(anchors):,} anchors and {len(positives):,} positives: "
            "give both for every pair."
        )
    _check_texts(anchors, "anchor"), _check_texts(positives, "positive")
    # In an order that tells nothing: documents with equal scores come in that of the corpus, and in the order of the
    # queries a ranker that knows nothing would find their positives.
    corpus = sorted(dict.fromkeys((*positives, *check_texts("others", others))), key=_place_by_hash)
    place = {text: row for row, text in enumerate(corpus)}
    relevant: dict[str, list[int]] = {}
    for anchor, positive in zip(anchors, positives, strict=True):
        relevant.setdefault(anchor, []).append(place[positive])
    own = {query for query, its in relevant.items() if place.get(query, its[0]) not in its}
    first = "such a query finds itself first, so its reciprocal rank is ½ at best."
    for found, what, remedy in (
        (own & set(positives), "relevant to others", "Compare systems by these figures, or leave such pairs out."),
        (own - set(positives), "relevant to none", "Leave them out of the texts that are searched."),
    ):
        if found:
            said = f"{len(found):,} of {len(relevant):,} queries are documents too, {what}: {first} {remedy}"
            warnings.warn(said, KitWarning, stacklevel=3)
    return retrieval_task(list(relevant), corpus, list(relevant.values()), name=name)


@checked
def task_from_classes(texts: Sequence[str], classes: Sequence[int | str], name: str = "retrieval") -> RetrievalTask:
    """A task from texts with a class each: every text should find the others of its class, and never itself.

    Each distinct text is a document, and a query where another text has its class; one that stands in several classes
    is relevant to all of them. Errors: `KitError` as `retrieval_task`, for lists of different lengths, a class that is
    neither a whole number nor a name, and where no two texts have one class. Lesson 13.
    """
    check_kind("name", name, "str")
    if len(texts) != len(classes):
        raise KitError(f"expected one class for each text, got {len(texts):,} texts and {len(classes):,} classes.")
    _check_texts(texts, "text")
    classes = [_class(one, place) for place, one in enumerate(classes)]
    corpus = sorted(dict.fromkeys(texts), key=_place_by_hash)  # as in `task_from_pairs`
    place = {text: row for row, text in enumerate(corpus)}
    of_class: dict[int | str, dict[int, int]] = {}
    of_text: dict[str, dict[int | str, None]] = {}
    for text, one in zip(texts, classes, strict=True):
        of_class.setdefault(one, {})[place[text]] = 1
        of_text.setdefault(text, {})[one] = None
    relevant = {}
    for text, its in of_text.items():  # all texts of one class share one dict, however many they are
        first, *others = (of_class[one] for one in its)
        grades = dict.fromkeys((*first, *(row for other in others for row in other)), 1) if others else first
        if len(grades) > 1:
            relevant[text] = grades
    if not relevant:
        raise KitError(f"expected two texts of one class, got {len(corpus):,} texts of which each is alone in its own.")
    itself = tuple(place[text] for text in relevant)
    return RetrievalTask(tuple(relevant), tuple(corpus), tuple(relevant.values()), ((),) * len(relevant), name, itself)


def _class(one: Any, place: int) -> int | str:
    """A class as what equals itself: of a tensor its number."""
    if isinstance(one, str):
        return one
    if not is_whole(one):
        raise KitError(
            f"expected classes as whole numbers or names, got {shown(one)} for text {place:,}: leave out texts without "
            "a class, and give one class for each of the others."
        )
    return operator.index(one)


def _sorted(grades: list) -> np.ndarray:
    """Grades, largest first; nobody writes into them, as queries share them."""
    found = np.sort(np.array(grades, dtype=float))[::-1]
    found.flags.writeable = False
    return found


def _place_by_hash(text: str) -> bytes:
    """What a text is sorted by, so that its place is as good as drawn."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _by_id(texts: Mapping | Sequence, in_order: bool = False) -> dict[Any, Any]:
    if not isinstance(texts, Mapping):
        return dict(enumerate(texts))
    if not in_order:
        return dict(texts)
    try:
        return {identity: texts[identity] for identity in sorted(texts)}
    except TypeError as error:
        raise KitError(
            "expected ids of one kind in the corpus, got words and numbers: make all of them text."
        ) from error


def _with_title(document: Any) -> Any:
    """A document of BEIR as one text, its title first, as its evaluation and mteb's read it."""
    if not isinstance(document, Mapping) or not isinstance(text := document.get("text"), str):
        return document
    return f"{document.get('title') or ''} {text}".strip()


def _check_texts(texts: Iterable, what: str) -> None:
    try:
        check_sentences(list(texts))
    except KitError as error:
        raise KitError(f"{str(error).replace('sentence', what)}") from None


def _grades(relevant: Mapping | Sequence, queries: dict[Any, str]) -> dict[Any, dict[Any, int]]:
    """query id → {document id: grade}, those below 1 left out."""
    given = relevant if isinstance(relevant, Mapping) else dict(enumerate(relevant))
    if strange := [identity for identity in given if identity not in queries]:
        raise KitError(
            f"expected relevant documents of the {len(queries):,} queries, got some of {shown(strange[0])}, which is "
            "none of them: give them by the ids (or in the order) of the queries."
        )
    grades = {}
    for identity, documents in given.items():
        if isinstance(documents, Mapping):
            if wrong := [grade for grade in documents.values() if not is_whole(grade)]:
                raise KitError(f"expected whole grades of relevance, got {shown(wrong[0])}: 1 means relevant, 0 not.")
            grades[identity] = {document: int(grade) for document, grade in documents.items() if grade > 0}
        elif is_list(documents) or isinstance(documents, (set, frozenset)):
            grades[identity] = dict.fromkeys(documents, 1)
        else:
            raise KitError(
                f"expected the relevant documents of a query in a list, set or dict, got {shown(documents)}: put them "
                "in a list."
            )
    return grades
