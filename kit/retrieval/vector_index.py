"""A search index: texts, their vectors, and the k nearest to a question, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked, is_list
from kit.checks.sentences import check_sentences
from kit.errors import KitError, check_name, printable, shown
from kit.evaluation.encoding import encode_distinct
from kit.evaluation.vectors import as_matrix
from kit.fast import without_collection
from kit.number_checks import is_finite, is_whole, whole_number
from kit.retrieval.exact_search import as_unit, top_k
from kit.retrieval.faiss_graph import FaissGraph
from kit.retrieval.index_parts import check_scores
from kit.retrieval.retrieval_evaluation import name_of
from kit.retrieval.two_sides import sides_of

CHUNK = 16_384  # texts encoded at a time: limits the memory
# An index is known to be of an encoder by the vectors of these.
PROBES = ("A dog runs in the park.", "Where can I change my password?", "interest rates", "two old birds wait")
ENGINES = ("exact", "faiss")


@dataclass(frozen=True)
class Hit:
    """A text that was found. id: its number in the index; score: the cosine; about: its attributes."""

    id: int
    text: str
    score: float
    about: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.score:.3f}  {printable(' '.join(self.text.split()))}"


class Index:
    """Texts with vectors of length 1, searched by cosine. `Index.build` makes one, `Index.load` reads one. Lesson 13.

    texts [n]; ids int64 [n], which stay as they are when others are removed, and of which none is given twice: the next
    text gets next_id; vectors float32 [n, dim], memory-mapped where the index was loaded; attributes: name → [n]
    values, JSON-ready, to filter by. engine: "exact", or "faiss" for an approximate graph (see `FaissGraph`), whose
    candidates are scored exactly. An encoder with `encode_query` and `encode_document` encodes questions by the one and
    texts by the other. Errors: `KitError` for another engine.
    """

    def __init__(
        self,
        encoder: Any,
        texts: list[str],
        ids: np.ndarray,
        vectors: np.ndarray,
        attributes: Mapping[str, list] | None = None,
        engine: str = "exact",
    ) -> None:
        check_name("engine", engine, ENGINES)
        self.encoder, self.texts, self.ids, self.vectors = encoder, texts, ids, vectors
        self.attributes = dict(attributes or {})
        self.engine, self._graph = engine, None
        self.next_id = int(ids.max(initial=-1)) + 1
        self.probe = as_unit(encode_distinct(sides_of(encoder)[1], PROBES)[0])  # with a prompt as the texts have it
        self.folder: Path | None = None  # where it was loaded from or saved to, and the seal of what stood there
        self.seal = ""

    @classmethod
    @checked
    def build(
        cls,
        encoder: Any,
        texts: Sequence[str],
        attributes: Mapping | None = None,
        engine: str = "exact",
        batch_size: int = 64,
        progress: bool = False,
    ) -> Index:
        """An index of `texts` by `encoder` (anything with `encode`); each distinct text is encoded once.

        attributes: name → one value for each text (text, numbers, None), to filter by. Errors: `KitError` for texts
        that cannot be encoded, columns of another length, and what is no encoder. Lesson 13.
        """
        documents = sides_of(encoder)[1]
        texts = check_sentences(texts, cut=False)
        columns = _columns(attributes, len(texts))
        vectors = encode_in_chunks(documents, texts, batch_size, progress)
        return cls(encoder, texts, np.arange(len(texts)), vectors, columns, engine)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Index({len(self):,} texts × {self.vectors.shape[1]}, {name_of(self.encoder)}, {self.engine})"

    @property
    def dim(self) -> int:
        return self.vectors.shape[1]

    @checked
    def search(
        self, query: str | Sequence[str], k: int = 10, where: Mapping | Callable | None = None
    ) -> list[Hit] | list[list[Hit]]:
        """The `k` nearest texts, best first: hits of one query, or a list of hits for each of several.

        where: only texts whose attributes are so, {"language": "en"} or {"year": [2024, 2025]}, or a function of the
        attributes of a text. Equal scores come in the order of the index. Errors: `KitError` for a blank query, k below
        1, an attribute that the index has not, and vectors of it that give no cosines. Lesson 13.
        """
        whole_number("k", k, 1, "10 is usual")
        single = isinstance(query, str)
        queries = check_sentences([query] if single else query, cut=False)
        vectors, row = encode_distinct(sides_of(self.encoder)[0], queries)
        scores, places = self.nearest(as_unit(vectors)[[row[text] for text in queries]], k, where)
        check_scores(scores[places >= 0])
        found = [[self.hit(p, s) for s, p in zip(*both, strict=True) if p >= 0] for both in zip(scores, places)]
        return found[0] if single else found

    @checked
    def nearest(self, vectors: Any, k: int, where: Mapping | Callable | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(scores, places) [n, ≤ k] of the nearest texts to unit vectors [n, dim]; place −1 where there are fewer.

        Errors: `KitError` for what is no matrix of finite numbers, another dim than the index has, and k below 1.
        """
        whole_number("k", k, 1, "10 is usual")
        vectors = as_matrix(vectors).astype(np.float32)
        if vectors.shape[1] != self.dim:
            raise KitError(
                f"expected vectors of {self.dim} dimensions, as this index has, got {vectors.shape[1]}: encode with "
                "its encoder."
            )
        if where is not None:
            chosen = np.flatnonzero(self.chosen(where))
            scores, places = top_k(vectors, self.vectors[chosen], k)
            return scores, chosen[places]
        if self.engine == "faiss" and len(self):
            if self._graph is None:
                self._graph = FaissGraph(self.vectors)
            return self._graph.search(vectors, k)
        return top_k(vectors, self.vectors, k)

    def hit(self, place: int, score: float) -> Hit:
        """The text at a place, as a search returns it."""
        about = {name: values[place] for name, values in self.attributes.items()}
        return Hit(int(self.ids[place]), self.texts[place], float(score), about)

    def chosen(self, where: Mapping | Callable) -> np.ndarray:
        """Which texts a filter lets through: bool [n]. Errors: `KitError` for an attribute that the index has not."""
        if not isinstance(where, Mapping):
            rows = ({name: values[i] for name, values in self.attributes.items()} for i in range(len(self)))
            return np.array([bool(where(row)) for row in rows], dtype=bool)
        found = np.ones(len(self), dtype=bool)
        for name, wanted in where.items():
            check_name("attribute of this index", name, self.attributes)
            wanted = list(wanted) if is_list(wanted) or isinstance(wanted, (set, frozenset)) else [wanted]
            found &= np.array([value in wanted for value in self.attributes[name]], dtype=bool)
        return found

    @checked
    def add(self, texts: Sequence[str], attributes: Mapping | None = None, progress: bool = False) -> list[int]:
        """Add texts; returns their new ids. Errors: `KitError` for other attributes than the index has. Lesson 13."""
        texts = check_sentences(texts, cut=False)
        columns = _columns(attributes, len(texts))
        if columns.keys() != self.attributes.keys():
            raise KitError(
                f"expected the attributes {', '.join(self.attributes) or 'none'} for new texts, got "
                f"{', '.join(columns) or 'none'}: give those of the index."
            )
        vectors = encode_in_chunks(sides_of(self.encoder)[1], texts, progress=progress)
        fresh = np.arange(self.next_id, self.next_id + len(texts))
        self.next_id += len(texts)
        self.texts, self.ids = [*self.texts, *texts], np.concatenate([self.ids, fresh])
        self.vectors, self._graph = np.concatenate([self.vectors, vectors]), None
        self.attributes = {name: [*values, *columns[name]] for name, values in self.attributes.items()}
        return fresh.tolist()

    @checked
    def remove(self, ids: Iterable[int]) -> None:
        """Take the texts with these ids out; the ids of the others stay. Errors: `KitError` for an id it lacks."""
        ids, known = list(ids), set(self.ids.tolist())
        if strange := [one for one in ids if not is_whole(one, 0) or one not in known]:
            raise KitError(f"expected ids of this index, got {shown(strange[0])}: a search gives those of its hits.")
        stays = ~np.isin(self.ids, ids)
        kept = np.flatnonzero(stays)
        self.texts, self.ids = [self.texts[i] for i in kept], self.ids[stays]
        self.vectors, self._graph = self.vectors[stays], None
        self.attributes = {name: [values[i] for i in kept] for name, values in self.attributes.items()}

    @checked
    def save(self, folder: Path | str) -> Path:
        """Write the index to `folder`; one that is there is replaced in one step (see `kit.retrieval.index_files`).

        Errors: `KitError` if the folder holds something else, another process writes it or has changed it since it
        was loaded, or the disk is full: what was there stays. Lesson 13.
        """
        from kit.retrieval.index_files import save_index

        return save_index(self, folder)

    @classmethod
    @checked
    def load(cls, folder: Path | str, encoder: Any, engine: str = "exact") -> Index:
        """The index in `folder`, whose vectors stay on the disk until they are searched.

        Errors: `KitError` for a folder without an index, damaged files, and an index of another encoder. Lesson 13.
        """
        from kit.retrieval.index_files import load_index

        return load_index(cls, folder, encoder, engine)


@without_collection()
def encode_in_chunks(encoder: Any, texts: list[str], batch_size: int = 64, progress: bool = False) -> np.ndarray:
    """Unit vectors float32 [n, dim] of texts, each distinct one encoded once, `CHUNK` at a time."""
    from tqdm.auto import tqdm

    distinct = sorted(set(texts), key=len)
    place, parts = {}, []
    with tqdm(total=len(distinct), desc="index", unit=" texts", leave=False, disable=not progress) as bar:
        for start in range(0, len(distinct), CHUNK):
            chunk = distinct[start : start + CHUNK]
            vectors, row = encode_distinct(encoder, chunk, batch_size)
            parts.append(as_unit(vectors))
            place.update((text, start + at) for text, at in row.items())
            bar.update(len(chunk))
    return np.concatenate(parts)[[place[text] for text in texts]]


def _columns(attributes: Mapping | None, rows: int) -> dict[str, list]:
    """Attributes as lists. Errors: `KitError` for a name that is no text, another length, or values JSON has not."""
    columns = {}
    for name, values in (attributes or {}).items():
        if not isinstance(name, str) or not is_list(values):
            raise KitError(f"expected attributes as {{name: list of values}}, got {shown(name)}: {shown(values)}.")
        columns[name] = [value.item() if hasattr(value, "item") else value for value in values]
        if len(columns[name]) != rows:
            raise KitError(f"expected {rows:,} values of {name}, one for each text, got {len(columns[name]):,}.")
        if wrong := [value for value in columns[name] if not _is_plain(value)]:
            raise KitError(
                f"expected text, numbers or None in {name}, got {shown(wrong[0])}: convert it, what is missing to None."
            )
    return columns


def _is_plain(value: object) -> bool:
    """Whether JSON has such a value; it has neither NaN nor infinity."""
    return value is None or isinstance(value, str | bool) or is_finite(value)
