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
from kit.owndata.minhash import LEAST, NearTexts, near_texts
from kit.owndata.near_by_meaning import near_by_meaning
from kit.owndata.oddities import odd_texts, scripts
from kit.owndata.own_data import KINDS, OwnData, text_roles
from kit.owndata.raw_rows import these
from kit.owndata.split_own import by_command, in_python
from kit.owndata.together import chance_together
from kit.owndata.training_data import is_nli

if TYPE_CHECKING:
    from kit.encoder import Encoder

BATCH = 128  # of which the false negatives are counted
APART = 0.25  # scores of one pair that differ by more contradict each other
SHOWN = 3  # examples
MOST_CLASSES = 8  # of texts, whose shares are told one by one


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
        seen.together[0],
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
    def near(self) -> NearTexts:
        return near_texts(self.texts, self.least, progress=self.progress)

    def twins(self) -> tuple[float, ...]:
        """The similarity of the nearest listed near-duplicate of each text that has one, the largest first."""
        nearest = (np.bincount(self.near.sets.same)[self.near.sets.same] > 1).astype(float)
        for side in (self.near.first, self.near.second):
            np.maximum.at(nearest, side, self.near.similarity)
        return tuple(np.sort(nearest[nearest > 0])[::-1].tolist())

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
        inside = np.bincount(self.near.clusters)
        in_clusters, first = int(inside[inside > 1].sum()), self.near.pairs(SHOWN)
        close = [f"{self.texts[i][:60]!r} ≈ {self.texts[j][:60]!r} ({s:.2f})" for i, j, s in first]
        return [
            Finding("rows that are copies", len(again), len(self.data), self.rows(again), "drop them"),
            Finding(
                "texts with a near-duplicate", in_clusters, len(self.texts), tuple(close),
                f"split by clusters, so that none is in training and test: {by_command(self.data)}; in Python: "
                f"{in_python(self.data)}",
            ),
        ]  # fmt: skip

    def by_meaning(self, threshold: float | None) -> list[Finding]:
        if threshold is None:
            return []
        found, of = near_by_meaning(self.encoder, self.texts, threshold, self.least, self.near.sets), len(self.texts)
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
        elif self.data.kind == "classes":
            of_text: dict[str, set[int]] = defaultdict(set)
            for text, label in self.data.rows:
                of_text[text].add(label)
            found = [i for i, text in enumerate(self.data["text"]) if len(of_text[text]) > 1]
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
    def together(self) -> tuple[float | None, int]:
        """(the chance that two random rows share an anchor or a positive, pairs that were drawn for it)."""
        if self.data.kind not in ("pairs", "triplets") or len(self.data) < 2:
            return None, 0
        sides = np.array([[self.number[text] for text in self.data[role]] for role in self.roles[:2]])
        return chance_together(sides, self.near, self.least)

    def false_negatives(self, batch_size: int) -> list[Finding]:
        """Expected false negatives of an anchor in a random batch: (B − 1) · P(two rows belong together)."""
        together, drawn = self.together
        if together is None:
            return []
        size = min(batch_size, len(self.data))
        how = f"estimated from {drawn:,} pairs of rows, as too many texts are nearly the same to list all pairs"
        remedy = "mask_duplicates=True ignores those with an equal positive; the others cost more in larger batches"
        what, expected = f"false negatives of an anchor in a batch of {size}", (size - 1) * together
        return [Finding(what, expected, size - 1, (how,) if drawn else (), remedy)]


def _texts(cell: str | Sequence[str]) -> Sequence[str]:
    """Those of a cell of one text, or of several."""
    return (cell,) if isinstance(cell, str) else cell


def _balance(data: OwnData) -> dict[str, float]:
    """Shares of the classes, or quantiles of the scores."""
    if data.kind == "labelled":
        counts = Counter(data["label"])
        names = dict(enumerate(data.label_names)) | {-1: "without a label"}
        return {names.get(label, str(label)): count / len(data) for label, count in sorted(counts.items())}
    if data.kind == "classes":
        counts = Counter(data["label"]).most_common()
        shares = {data.label_names[label]: count / len(data) for label, count in counts[:MOST_CLASSES]}
        rest = counts[MOST_CLASSES:]
        return shares | ({f"{len(rest)} more": sum(count for _, count in rest) / len(data)} if rest else {})
    if data.kind == "scored":
        quartiles = (("quarter", 0.25), ("median", 0.5), ("three quarters", 0.75))
        return {name: float(np.quantile(data["score"], share)) for name, share in quartiles}
    return {}
