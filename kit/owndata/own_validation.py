"""Judged on data of one's own while training: scores, triplets or retrieval, whichever the rows allow."""

from __future__ import annotations

from typing import Any

from kit.checks.argument_checks import checked
from kit.comparators.scored_pairs import OF_A_LABEL
from kit.data import HIDDEN
from kit.errors import KitError
from kit.evaluation import geometry, spearman
from kit.evaluation.encoding import encode_distinct
from kit.owndata.own_data import OwnData
from kit.owndata.training_data import is_nli
from kit.retrieval import (
    BM25,
    RetrievalTask,
    evaluate_pairs,
    evaluate_retrieval,
    evaluate_triplets,
    same_or_not,
    task_from_classes,
    task_from_pairs,
)
from kit.retrieval.same_or_not import ORDER, ORDER_100, has_two_classes

MEASURE = "ndcg@10"
SPEARMAN = "Spearman × 100"
MATTERS = 0.95  # a highest Spearman below it is told
MOST_GEOMETRY = 2_000  # sentences of which the mean cosine is taken


class OwnValidation:
    """A validation set of one's own; a `Run` asks it after every few steps. Lesson 13.

    scored pairs         Spearman × 100 of cosines and scores
    pairs of two classes average precision × 100: how far up in the order of cosines those stand that are the same
    NLI                  Spearman × 100 of cosines and 1 for entailment, ½ for neutral, 0 for contradiction
    triplets             accuracy, %: how often the positive is nearer
    pairs, multiples     nDCG@10 × 100: the anchors are the queries, all positives and negatives the corpus
    classes              nDCG@10 × 100: every text is a query, which should find the others of its class

    Of two classes are labelled pairs, but those of NLI's three, and scored pairs whose scores are 0 and 1 alone.

    measure: its name; average precision may be set back to `SPEARMAN`. Errors: `KitError` for sentences and documents,
    in which nobody says what is near what.
    """

    @checked
    def __init__(self, data: OwnData) -> None:
        self.data, self.task = data, None
        if not len(data):
            raise KitError(f"expected rows to validate on in {data.name}, got none.")
        if data.kind in ("sentences", "documents"):
            told = (
                f"expected pairs, triplets or scored pairs to validate on, got {data.kind} in {data.name}: nothing in "
                "them says what should be near what; give a file with pairs, a hundred do, or with a class of each "
                "text (--kind classes)."
            )
            raise KitError(" ".join((told, *data.notes)))  # a column that is not used may say it
        if data.kind in ("scored", "labelled"):
            self.pairs = _scored(data)
            self.measure = ORDER_100 if has_two_classes(self.pairs[2]) else SPEARMAN
        elif data.kind == "triplets":
            self.measure = "triplet accuracy, %"
        else:
            self.measure, self.task = "nDCG@10 × 100", own_task(data)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def described(self) -> str:
        """What was validated on, for a record."""
        return f"{self.data.summary()} {self.by_chance if self.measure == ORDER_100 else self.highest}".strip()

    @property
    def by_chance(self) -> str:
        """What average precision an order by chance has on pairs of two classes; "" for other rows."""
        if self.data.kind not in ("scored", "labelled") or not has_two_classes(self.pairs[2]):
            return ""
        share = 100 * sum(self.pairs[2]) / len(self.pairs[2])
        return f"{share:.1f} % of the pairs are the same: about so high is the average precision of an order by chance."

    @property
    def highest(self) -> str:
        """How high Spearman comes where scores have few values, as of two classes, and precision@10 of texts with a
        class where classes are small; "" where that is no matter.

        A perfect order of cosines that all differ still has ranks where the scores have ties: with a share p in one of
        two classes it reaches √(3 p (1 − p)). Only cosines with ties of their own can come higher.
        """
        if self.data.kind == "classes":
            bound = self.task.best_in_words(10)
            return bound and f"{bound[0].upper()}{bound[1:]}."
        if self.data.kind not in ("scored", "labelled"):
            return ""
        *_, scores = self.pairs
        top = spearman(range(len(scores)), sorted(scores))
        if top is None or top > MATTERS:
            return ""
        return (
            f"With so few different scores a perfect order has Spearman × 100 = {100 * top:.1f}, and none has more in "
            "which all cosines differ."
        )

    @property
    def copies(self) -> str:
        """How many pairs with a score or label repeat another, which no interval knows; "" where none does."""
        if self.data.kind not in ("scored", "labelled"):
            return ""
        pairs = list(zip(*self.pairs))
        if not (repeated := len(pairs) - len(set(pairs))):
            return ""
        rows = f"{repeated:,} of {len(pairs):,} pairs repeat{'s' * (repeated == 1)} another"
        return f"{rows}: an interval takes each for evidence of its own, so it is too narrow."

    def validate(self, encoder: Any) -> dict[str, float]:
        """ "validation": the figure of `measure`; "mean_cosine": of the first sentences."""
        texts = self.data.texts()[:MOST_GEOMETRY]
        cosine = geometry(encode_distinct(encoder, texts, 128)[0]).mean_cosine if len(texts) > 1 else 0.0
        return {"validation": self._figure(self.report(encoder, resamples=0)), "mean_cosine": cosine}

    def report(self, encoder: Any, name: str = "", resamples: int = 1000, seed: int = 0) -> Any:
        """The whole report with its intervals: of retrieval, of triplets, or of scored pairs, by Spearman."""
        if self.task is not None:
            return evaluate_retrieval(encoder, self.task, name=name, batch_size=128, resamples=resamples, seed=seed)
        if self.data.kind == "triplets":
            return evaluate_triplets(encoder, list(self.data.rows), with_interval=resamples != 0, batch_size=128)
        return evaluate_pairs(encoder, *self.pairs, self.data.name, resamples=resamples, seed=seed, batch_size=128)

    def baseline(self, resamples: int = 1000, seed: int = 0) -> Any | None:
        """The report of BM25 where this is retrieval and `bm25s` is installed, else None."""
        if self.task is None:
            return None
        try:
            words = BM25()
        except KitError:
            return None  # bm25s is an extra
        return evaluate_retrieval(words, self.task, resamples=resamples, seed=seed)

    def _figure(self, report: Any) -> float:
        if self.task is not None:
            return report[MEASURE]
        if self.data.kind == "triplets":
            return report.accuracy
        if self.measure == ORDER_100:
            scored = report.tasks[0].scored
            return same_or_not(scored.similarities["cosine"], scored.gold, 0.0, resamples=0)[ORDER]
        return report.tasks[0].scores.all or 0.0


@checked
def own_task(data: OwnData, others: tuple[str, ...] = ()) -> RetrievalTask:
    """Pairs, triplets or several positives as retrieval: anchors are queries, all other texts the corpus. Lesson 13.

    Of texts with a class each is a query, and the others of its class are what it should find. others: further texts of
    the corpus. Errors: `KitError` for data of another kind, and for others beside classes.
    """
    if data.kind == "classes":
        if others:
            raise KitError(
                f"expected no other texts beside those with a class in {data.name}, got {len(others):,}: nobody says "
                "of which class they are, so leave them out (--retrieval)."
            )
        return task_from_classes(data["text"], data["label"], name=data.name)
    if data.kind == "multiples":
        pairs = [(anchor, positive) for anchor, several, _ in data.rows for positive in several]
        more = [text for several in data["negatives"] for text in several]
    elif data.kind in ("pairs", "triplets"):
        pairs, more = list(zip(data["anchor"], data["positive"])), data.columns.get("negative", [])
    else:
        raise KitError(f"expected pairs, triplets or multiples for retrieval, got {data.kind} in {data.name}.")
    return task_from_pairs([a for a, _ in pairs], [p for _, p in pairs], others=(*more, *others), name=data.name)


def _scored(data: OwnData) -> tuple[list[str], list[str], list[float]]:
    """(first, second, score) of scored or labelled pairs."""
    if data.kind == "scored":
        return data["sentence1"], data["sentence2"], data["score"]
    if data.positive_label is None and not is_nli(data):
        raise KitError(
            f"expected a class that means the same to validate on, got {', '.join(data.label_names)} in {data.name}: "
            "call it 'same'; if they are topics, read the rows as kind='pairs' (--kind pairs), if degrees, write them "
            "as numbers and name the column by score (--score)."
        )
    kept = [row for row in data.rows if row[2] != HIDDEN]
    scores = [OF_A_LABEL[label] if is_nli(data) else float(label == data.positive_label) for *_, label in kept]
    return [row[0] for row in kept], [row[1] for row in kept], scores
