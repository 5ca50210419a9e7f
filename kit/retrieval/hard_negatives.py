"""Hard negatives mined with an encoder: texts that are near to an anchor and are not its positives.

The rules are those of sentence-transformers' `mine_hard_negatives` (rank window, margins against the positive, limits,
anchors encoded as queries and the others as documents), and give the same triplets, but that no anchor is a negative of
its own. What a margin is for: the nearest of all other texts is often a positive that nobody has written down, a false
negative; ANCE (Xiong et al. 2021) and NV-Retriever (Moreira et al. 2024) measure that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.checks.sentences import check_sentences
from kit.errors import KitError, check_name, shown
from kit.evaluation.tables import table
from kit.number_checks import is_finite, whole_number
from kit.retrieval.exact_search import as_unit, exact_products, top_k
from kit.retrieval.two_sides import encode_sides

SAMPLING = ("top", "random")
ITSELF = "itself"  # the rule by which no anchor is a negative of its own


@dataclass(frozen=True)
class MinedTriplet:
    """An anchor with a positive and a mined negative; cosines with the anchor, and the negative's rank (from 1).

    suspected: whether the second opinion finds the negative as near as the positive: look at it before training.
    """

    anchor: str
    positive: str
    negative: str
    positive_score: float
    negative_score: float
    rank: int
    suspected: bool = False


@dataclass(frozen=True, repr=False)
class MinedNegatives(Sequence):
    """What `mine_hard_negatives` found: a sequence of `MinedTriplet`, and why candidates were passed over. Lesson 13.

    passed_over: rule → candidates that it took out. without: anchors for which nothing was left.
    """

    rows: tuple[MinedTriplet, ...]
    anchors: int
    passed_over: dict[str, int]
    without: tuple[str, ...]

    def __getitem__(self, place):
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"MinedNegatives({self.summary()})"

    @property
    def suspected(self) -> list[MinedTriplet]:
        """Those that a second opinion takes for positives that nobody has written down."""
        return [row for row in self.rows if row.suspected]

    def triplets(self, with_suspected: bool = False) -> list[tuple[str, str, str]]:
        """(anchor, positive, negative) of each row to train on, without the suspected ones unless asked for."""
        return [(row.anchor, row.positive, row.negative) for row in self.rows if with_suspected or not row.suspected]

    def table(self, rows: int = 10, style: str = "text") -> str:
        """The first rows, to look at."""
        lines = [("anchor", "positive", "score", "negative", "score", "rank")]
        for row in self.rows[:rows]:
            both = (f"{row.positive_score:.3f}", f"{row.negative_score:.3f}")
            negative = _short(row.negative) + (" (suspected)" if row.suspected else "")
            lines.append((_short(row.anchor), _short(row.positive), both[0], negative, both[1], str(row.rank)))
        return table(lines, style)

    def summary(self) -> str:
        """One sentence: how many, how near, and what was passed over."""
        said = f"{len(self.rows):,} negatives for {self.anchors - len(self.without):,} of {self.anchors:,} anchors"
        if self.rows:
            gaps = np.array([row.positive_score - row.negative_score for row in self.rows])
            said += f"; {(gaps < 0).mean():.0%} are nearer than the positive, the median gap is {np.median(gaps):.3f}"
        by = {rule: "as the anchor itself" if rule == ITSELF else f"by {rule}" for rule in self.passed_over}
        if passed := ", ".join(f"{count:,} {by[rule]}" for rule, count in self.passed_over.items() if count):
            said += f"; candidates passed over: {passed}"
        return f"{said}; {len(self.suspected):,} suspected." if self.suspected else f"{said}."


@checked
def mine_hard_negatives(
    encoder: Any,
    anchors: Sequence[str],
    positives: Sequence[str],
    corpus: Iterable[str] = (),
    num_negatives: int = 3,
    range_min: int = 0,
    range_max: int | None = None,
    absolute_margin: float | None = None,
    relative_margin: float | None = None,
    max_score: float | None = None,
    min_score: float | None = None,
    sampling: str = "top",
    seed: int = 0,
    check: Any = None,
    batch_size: int = 64,
    progress: bool = False,
) -> MinedNegatives:
    """Up to `num_negatives` hard negatives for each pair, from the positives of other anchors and `corpus`.

    range_min, range_max  ranks of the candidates (the anchor, its positives and those passed over not counted) to
                          skip, and to look at; without range_max as sentence-transformers chooses it
    absolute_margin       a negative's cosine is at least so far below that of the anchor's least near positive
    relative_margin       the same as a share of that positive's cosine: 0.05 keeps those below 95 % of it
    max_score, min_score  bounds on the negative's cosine
    sampling              "top": the nearest; "random": drawn from the window by `seed`
    check                 a second opinion on false negatives: an encoder, or a function of two lists of texts (such as
                          a CrossEncoder's) that gives scores. What it puts as near as the positive is marked suspected

    Errors: `KitError` for lists of different lengths, a window too narrow, margins that are no numbers, and margins and
    bounds that no cosine could keep to. Lesson 13.
    """
    anchors, positives = (check_sentences(texts, cut=False) for texts in (anchors, positives))
    if len(anchors) != len(positives):
        raise KitError(
            f"expected one positive for each anchor, got {len(anchors):,} and {len(positives):,}: give both."
        )
    check_name("sampling", sampling, SAMPLING)
    limits = {"absolute margin": absolute_margin, "relative margin": relative_margin}
    limits |= {"max_score": max_score, "min_score": min_score}
    most = max(Counter(anchors).values())
    first, last = _window(range_min, range_max, num_negatives, most, limits)
    others = check_sentences(corpus, cut=False) if (corpus := list(corpus)) else []
    texts = list(dict.fromkeys([*others, *positives]))
    place = {text: row for row, text in enumerate(texts)}
    own: dict[str, list[int]] = {}  # anchor → places of its positives
    for anchor, positive in dict.fromkeys(zip(anchors, positives, strict=True)):
        own.setdefault(anchor, []).append(place[positive])
    asked, among = map(as_unit, encode_sides(encoder, list(own), texts, batch_size, progress))
    itself = np.array([place.get(anchor, -1) for anchor in own])
    scores, places = top_k(asked, among, last + most + int(itself.max() >= 0))
    passed, near = _pass_over(scores, places, list(own.values()), itself, asked, among, limits)
    chosen = _chosen(scores, slice(first, last), num_negatives, sampling, seed)
    rows = []
    for query, (anchor, its) in enumerate(own.items()):
        never = np.isin(places[query], [*its, itself[query]])  # these have no rank
        for positive in its:
            for at in chosen[query]:
                both = near[query][positive], float(scores[query, at])
                rank = int(at) + 1 - int(never[:at].sum())
                rows.append(MinedTriplet(anchor, texts[positive], texts[places[query, at]], *both, rank))
    if check is not None and rows:
        rows = _checked_again(rows, check, batch_size)
    without = tuple(anchor for anchor, places_of in zip(own, chosen, strict=True) if not len(places_of))
    return MinedNegatives(tuple(rows), len(own), passed, without)


def _chosen(scores: np.ndarray, window: slice, wanted: int, sampling: str, seed: int) -> list[np.ndarray]:
    """For each anchor the columns of `scores` to take: up to `wanted` of those in the window that no rule passed over.

    scores [anchors, candidates]: falling, −inf where passed over.
    """
    generator = np.random.default_rng(seed)
    chosen = []
    for row in scores:
        left = np.flatnonzero(np.isfinite(row))[: window.stop][window.start :]
        if sampling == "random" and len(left) > wanted:
            left = np.sort(generator.choice(left, wanted, replace=False))
        chosen.append(left[:wanted])
    return chosen


def _window(range_min: int, range_max: int | None, wanted: int, most: int, limits: dict) -> tuple[int, int]:
    """The ranks from … to: checked, and where they are not given chosen as sentence-transformers does."""
    for name, value in limits.items():
        if value is not None and not is_finite(value):
            raise KitError(f"expected {name} as a number or None, got {shown(value)}: 0.05 is a usual relative margin.")
    for name, largest in {"absolute margin": 2, "relative margin": 1}.items():
        if limits[name] is not None and limits[name] > largest:
            raise KitError(f"expected {name} up to {largest}, got {shown(limits[name])}: no negative is so far away.")
    low, high = (end if limits[name] is None else limits[name] for name, end in (("min_score", -1), ("max_score", 1)))
    if low > high:
        raise KitError(
            f"expected min_score up to max_score, both between -1 and 1 as cosines are, got {low:g} and {high:g}: no "
            "negative lies between them."
        )
    whole_number("num_negatives", wanted, 1, "3 are usual")
    whole_number("range_min", range_min, 0, "0 skips nothing")
    if range_max is None:
        strict = any(limits[name] is not None for name in ("absolute margin", "relative margin", "max_score"))
        range_max = range_min + most + (10 * wanted if strict else wanted)
    whole_number("range_max", range_max, 1, "leave it out for a usual one")
    if range_max - range_min < wanted:
        raise KitError(
            f"expected a window of at least {wanted} ranks, got those from {range_min} to {range_max}: raise "
            "range_max, or lower range_min or num_negatives."
        )
    return range_min, range_max


def _pass_over(
    scores: np.ndarray,
    places: np.ndarray,
    own: list[list[int]],
    itself: np.ndarray,
    asked: np.ndarray,
    among: np.ndarray,
    limits: dict,
) -> tuple[dict[str, int], list[dict[int, float]]]:
    """Set scores to −inf where a rule passes a candidate over; (how many by which rule, cosines of the positives).

    own [anchors]: places of the positives; itself [anchors]: the place of the anchor's own text, −1 where it has none.
    """
    near = []
    for query, its in enumerate(own):
        cosines = exact_products(asked[query : query + 1], among, np.array([its]))[0]
        near.append(dict(zip(its, cosines.tolist(), strict=True)))
        scores[query, np.isin(places[query], its)] = -np.inf
    least = np.array([min(cosines.values()) for cosines in near])[:, None]
    too_near = {
        "absolute margin": lambda margin: scores + margin > least,
        "relative margin": lambda margin: scores > least - np.abs(least) * margin,
        "max_score": lambda bound: scores > bound,
        "min_score": lambda bound: scores < bound,
    }
    same = (places == itself[:, None]) & np.isfinite(scores)
    passed, scores[same] = {ITSELF: int(same.sum())} if same.any() else {}, -np.inf
    for name, rule in too_near.items():
        if limits[name] is not None:
            out = rule(limits[name]) & np.isfinite(scores)
            passed[name], scores[out] = int(out.sum()), -np.inf
    return passed, near


def _checked_again(rows: list[MinedTriplet], check: Any, batch_size: int) -> list[MinedTriplet]:
    """The rows with `suspected` where the second opinion scores the negative no lower than the positive."""
    score = check if isinstance(check, Callable) and not hasattr(check, "encode") else _by_encoder(check, batch_size)
    anchors = [row.anchor for row in rows]
    found = [np.asarray(score(anchors, [getattr(row, side) for row in rows])) for side in ("positive", "negative")]
    for values in found:
        if values.shape != (len(rows),):
            raise KitError(f"expected a score for each of {len(rows):,} pairs from `check`, got shape {values.shape}.")
    return [replace(row, suspected=bool(bad)) for row, bad in zip(rows, found[1] >= found[0], strict=True)]


def _by_encoder(encoder: Any, batch_size: int) -> Callable[[list[str], list[str]], np.ndarray]:
    def score(first: list[str], second: list[str]) -> np.ndarray:
        one, other = (as_unit(vectors).astype(float) for vectors in encode_sides(encoder, first, second, batch_size))
        return (one * other).sum(axis=1)

    return score


def _short(text: str, width: int = 36) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
