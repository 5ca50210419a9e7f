"""What is in the data before anything is trained: lengths, copies, contradictions, oddities, false negatives."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.fast import enabled, without_collection
from kit.fast.word_pieces import pieces_by_tokenizer, pieces_of
from kit.number_checks import whole_number
from kit.owndata.look_report import Finding, Look
from kit.owndata.minhash import LEAST, clusters, near_duplicates
from kit.owndata.near_by_meaning import near_by_meaning
from kit.owndata.oddities import odd_texts, scripts
from kit.owndata.own_data import KINDS, OwnData, text_roles
from kit.owndata.raw_rows import these
from kit.owndata.training_data import is_nli

if TYPE_CHECKING:
    from kit.encoder import Encoder

BATCH = 128  # of which the false negatives are counted
APART = 0.25  # scores of one pair that differ by more contradict each other
SHOWN = 3  # examples


@checked
@without_collection()
def look(
    data: OwnData,
    encoder: Encoder | None = None,
    least: float = LEAST,
    batch_size: int = BATCH,
    meaning: float | None = None,
    progress: bool = False,
) -> Look:
    """What to know of data before training: an encoder of None is the bundled one, whose word pieces are counted.

    Near-duplicates share `least` of their words or more. False negatives: how many of an anchor's negatives in a batch
    of `batch_size` random rows belong to it, as their rows share an anchor or a positive with its own, nearly or
    wholly; those that nobody marked are more. meaning: a cosine such as 0.95, from which on the encoder too is asked
    which texts are nearly the same, see `near_by_meaning`; None does not ask it. progress: with bars. Errors:
    `KitError` as `near_duplicates` and `near_by_meaning`. Lesson 13.
    """
    whole_number("batch_size", batch_size, 2, "128 is usual")
    if encoder is None:
        from kit.encoder import load_encoder

        encoder = load_encoder()
    seen = _Seen(data, encoder, least, progress)
    findings = [
        *seen.copies(),
        *seen.by_meaning(meaning),
        *seen.sides(),
        *seen.contradictions(),
        *seen.too_long(),
        *seen.oddities(),
        *seen.false_negatives(batch_size),
    ]
    return Look(
        data, findings, seen.lengths, encoder.max_length, scripts(seen.texts), _balance(data), least, seen.twins(),
        seen.together,
    )  # fmt: skip


class _Seen:
    """The texts of the data, numbered once, and what is asked of them."""

    def __init__(self, data: OwnData, encoder: Any, least: float, progress: bool) -> None:
        self.data, self.encoder, self.least, self.progress = data, encoder, least, progress
        self.texts = data.texts()
        self.number = {text: i for i, text in enumerate(self.texts)}
        self.roles = text_roles(data.kind)

    def rows(self, indices: Sequence[int]) -> tuple[str, ...]:
        return (these("row", [self.data.numbers[i] for i in indices]),) if len(indices) else ()

    @cached_property
    def near(self) -> list[tuple[int, int, float]]:
        return near_duplicates(self.texts, self.least, progress=self.progress)

    @cached_property
    def cluster_of_text(self) -> np.ndarray:
        return clusters(len(self.texts), self.near)

    def twins(self) -> tuple[float, ...]:
        """The similarity of the nearest near-duplicate of each text that has one, the largest first."""
        nearest: dict[int, float] = {}
        for i, j, similarity in self.near:
            nearest[i], nearest[j] = max(nearest.get(i, 0), similarity), max(nearest.get(j, 0), similarity)
        return tuple(sorted(nearest.values(), reverse=True))

    @cached_property
    def pieces(self) -> list[list[int]]:
        """Token ids of every distinct text, uncut."""
        backend = self.encoder.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        return (pieces_of if enabled() else pieces_by_tokenizer)(backend, self.texts)

    @cached_property
    def lengths(self) -> dict[str, list[int]]:
        return {role: [len(self.pieces[self.number[text]]) for text in self.of(role)] for role in self.roles
                if self.of(role)}  # fmt: skip

    def of(self, role: str) -> list[str]:
        """The texts of a role, those of a list one after the other."""
        values = self.data.columns[role]
        return values if role not in ("positives", "negatives") else [text for several in values for text in several]

    def copies(self) -> list[Finding]:
        seen, again = set(), []
        for i, row in enumerate(zip(*(self.data.columns[role] for role in KINDS[self.data.kind]))):
            if row in seen:
                again.append(i)
            seen.add(row)
        inside = Counter(self.cluster_of_text.tolist())
        in_clusters = sum(count for count in inside.values() if count > 1)
        close = [f"{self.texts[i][:60]!r} ≈ {self.texts[j][:60]!r} ({s:.2f})" for i, j, s in self.near[:SHOWN] if s < 1]
        return [
            Finding("rows that are copies", len(again), len(self.data), self.rows(again), "drop them"),
            Finding(
                "texts with a near-duplicate", in_clusters, len(self.texts), tuple(close),
                "split by clusters (kit.owndata.split), so that none is in training and test",
            ),
        ]  # fmt: skip

    def by_meaning(self, threshold: float | None) -> list[Finding]:
        if threshold is None:
            return []
        found, of = near_by_meaning(self.encoder, self.texts, threshold, self.near), len(self.texts)
        close = [f"{self.texts[i][:60]!r} ≈ {self.texts[j][:60]!r} ({s:.3f})" for i, j, s in found.in_other_words]
        remedy = (
            "look at them: an encoder that is not trained on such texts takes many for the same that are not; "
            "kit.retrieval.deduplicate leaves out those that are"
        )
        return [
            Finding(f"texts with another at a cosine of {float(threshold):g}", found.texts, of),
            Finding("of these in other words", found.texts_in_other_words, of, tuple(close[:SHOWN]), remedy),
        ]

    def sides(self) -> list[Finding]:
        if len(self.roles) < 2 or self.data.kind == "multiples":
            return []
        first, second = (self.data.columns[role] for role in self.roles[:2])
        same = [i for i, (a, b) in enumerate(zip(first, second)) if a == b]
        counts = Counter(first)
        shared = [i for i, text in enumerate(first) if counts[text] > 1]
        return [
            Finding("rows whose two texts are the same", len(same), len(self.data), self.rows(same), "leave them out"),
            Finding(f"rows that share their {self.roles[0]}", len(shared), len(self.data)),
        ]

    def contradictions(self) -> list[Finding]:
        found: list[int] = []
        if self.data.kind in ("labelled", "scored"):
            values: dict[tuple, list] = defaultdict(list)
            for i, (a, b, value) in enumerate(self.data.rows):
                one_way = is_nli(self.data)  # a man entails a person, and not the other way round
                values[(a, b) if one_way else (min(a, b), max(a, b))].append((value, i))
            limit = APART if self.data.kind == "scored" else 0
            for one in values.values():
                known = [(value, i) for value, i in one if value >= 0]  # −1: no label
                if known and max(known)[0] - min(known)[0] > limit:
                    found += [i for _, i in known]
        elif self.data.kind in ("triplets", "multiples"):
            right: dict[str, set[str]] = defaultdict(set)
            for anchor, positive, _ in self.data.rows:
                right[anchor].update((anchor, *_texts(positive)))
            found = [i for i, (a, _, n) in enumerate(self.data.rows) if not right[a].isdisjoint(_texts(n))]
        else:
            return []
        remedy = "look at them: one of the two is wrong"
        return [Finding("rows that contradict another", len(found), len(self.data), self.rows(sorted(found)), remedy)]

    def too_long(self) -> list[Finding]:
        limit, unknown = self.encoder.max_length, self.encoder.tokenizer.unk_token_id
        long = [i for i, ids in enumerate(self.pieces) if len(ids) > limit]
        lost = [i for i, ids in enumerate(self.pieces) if unknown in ids]
        what, remedy = "texts that will be cut", "split them, or load it with a larger max_length"
        if self.data.kind == "documents":  # of which training draws spans, from all of each
            what, remedy = "documents longer than a pass", "training draws spans of all of one; whole, it is cut there"
        other_encoder = "what is unknown is not read: if it is more than emoji, take an encoder that has these letters"
        return [
            Finding(what, len(long), len(self.texts), self.shown(long), f"the encoder reads {limit} pieces: {remedy}"),
            Finding("texts with unknown word pieces", len(lost), len(self.texts), self.shown(lost), other_encoder),
        ]

    def oddities(self) -> list[Finding]:
        remedy = "look at how the file was made"
        return [
            Finding(f"texts: {what}", len(places), len(self.texts), self.shown(places), remedy)
            for what, places in odd_texts(self.texts).items()
        ]

    def shown(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(repr(self.texts[i][:60]) for i in places[:SHOWN])

    @cached_property
    def alike(self) -> tuple[Any, np.ndarray]:
        """(1 where two sets of words are nearly or wholly the same, sparse int64 [sets, sets]; the set of each text).

        A cluster would not do: of a chain of near-duplicates the ends have little in common. Texts of the same words
        are one set here, as of many `near_duplicates` lists too few pairs to count.
        """
        from scipy.sparse import coo_array, eye_array

        word_set = clusters(len(self.texts), [pair for pair in self.near if pair[2] == 1])
        near = {(int(word_set[i]), int(word_set[j])) for i, j, similarity in self.near if similarity < 1}
        near |= {(j, i) for i, j in near}
        places, sets = np.array(sorted(near), dtype=np.int64).reshape(-1, 2).T, int(word_set.max()) + 1
        ones = np.ones(len(near), dtype=np.int64)
        return coo_array((ones, tuple(places)), shape=(sets, sets)).tocsr() + eye_array(sets, dtype=np.int64), word_set

    @cached_property
    def together(self) -> float | None:
        """The chance that two random rows share an anchor or a positive, nearly or wholly."""
        from scipy.sparse import coo_array

        n = len(self.data)
        if self.data.kind not in ("pairs", "triplets") or n < 2:
            return None
        one_another, word_set = self.alike
        places = (word_set[[self.number[text] for text in self.data[role]]] for role in self.roles[:2])
        rows = coo_array((np.ones(n, dtype=np.int64), tuple(places)), shape=one_another.shape).tocsr()
        # [sets of words, sets of words]: how many rows have this anchor and this positive. Sums over ordered pairs of
        # rows, each row with itself among them, by their anchors, by their positives, and less those that are in both.
        pairs = sum(side @ one_another @ side for side in (rows.sum(axis=1), rows.sum(axis=0)))
        pairs -= (one_another @ rows).multiply(rows @ one_another).sum() + n
        return int(pairs) / (n * (n - 1))

    def false_negatives(self, batch_size: int) -> list[Finding]:
        """Expected false negatives of an anchor in a random batch: (B − 1) · P(two rows belong together)."""
        if self.together is None:
            return []
        size = min(batch_size, len(self.data))
        expected = (size - 1) * self.together
        remedy = "mask_duplicates=True ignores those with an equal positive; the others cost more in larger batches"
        return [Finding(f"false negatives of an anchor in a batch of {size}", expected, size - 1, (), remedy)]


def _texts(cell: str | Sequence[str]) -> Sequence[str]:
    """Those of a cell of one text, or of several."""
    return (cell,) if isinstance(cell, str) else cell


def _balance(data: OwnData) -> dict[str, float]:
    """Shares of the classes, or quantiles of the scores."""
    if data.kind == "labelled":
        counts = Counter(data["label"])
        names = dict(enumerate(data.label_names)) | {-1: "without a label"}
        return {names.get(label, str(label)): count / len(data) for label, count in sorted(counts.items())}
    if data.kind == "scored":
        quartiles = (("quarter", 0.25), ("median", 0.5), ("three quarters", 0.75))
        return {name: float(np.quantile(data["score"], share)) for name, share in quartiles}
    return {}
