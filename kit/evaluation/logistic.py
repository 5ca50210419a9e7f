"""A linear classifier on frozen embeddings, whose every choice is made on training rows alone.

Logistic regression with an L2 penalty, as in SentEval (Conneau & Kiela 2018, section 3). Features are scaled to mean
0 and variance 1, without which the solver crawls; the scale is that of the training rows. The strength C (inverse
regularisation) is chosen on the given validation split, or by cross-validation inside the training rows. A row that
is predicted has taken no part in either.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.errors import KitError
from kit.evaluation.vectors import as_matrix, same_shape

STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)


@dataclass(frozen=True)
class Protocol:
    """How a classifier is chosen and tested; part of the key under which a result is kept.

    folds        of the outer cross-validation, where there is no split
    inner_folds  of the cross-validation inside the training rows that chooses C, where there
                 is no validation split
    strengths    the values of C to choose from; of equally good ones the smallest
    iterations   of the solver at most (lbfgs)
    seed         draws the folds (stratified: every fold has the classes' shares)

    Lesson 10.
    """

    folds: int = 10
    inner_folds: int = 5
    strengths: tuple[float, ...] = STRENGTHS
    iterations: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.folds, self.inner_folds) < 2:
            raise KitError(f"expected at least 2 folds, got {self.folds} and {self.inner_folds} inner ones.")
        if not self.strengths or min(self.strengths) <= 0:
            raise KitError(f"expected strengths C above 0 to choose from, got {self.strengths!r}.")


@dataclass(frozen=True)
class Predicted:
    """Predictions for the test rows, by models that never saw them.

    rows           places of the test rows [m]: all rows under cross-validation
    labels         the predicted labels [m]
    strengths      C of each model that was fitted
    not_converged  how many of those models stopped at the most iterations
    """

    rows: np.ndarray
    labels: np.ndarray
    strengths: tuple[float, ...]
    not_converged: int


def comparison_features(first: Any, second: Any) -> np.ndarray:
    """|u − v| and u ∗ v side by side [n, 2·dim]: the order of the two sentences does not matter."""
    first, second = same_shape(as_matrix(first), as_matrix(second))
    return np.hstack([np.abs(first - second), first * second])


def predict_held_out(
    features: Any,
    labels: Sequence[int],
    splits: Sequence[str] | None = None,
    protocol: Protocol | None = None,
    step: Callable[[], object] | None = None,
) -> Predicted:
    """Predict every test row of [n, features] by a classifier fitted to other rows.

    splits    "train", "validation" (may be missing) or "test" for each row: fitted to all of
              train, C chosen on validation. None, or "all" throughout: cross-validation
    step      called after each model, for a progress bar
    Raises KitError for other lengths, other names of splits, a training part with one class only
    and too few rows for the folds.
    """
    from threadpoolctl import threadpool_limits

    features, labels, protocol = as_matrix(features), np.asarray(labels), protocol or Protocol()
    splits = np.array(["all"] * len(labels) if splits is None else list(splits))
    if not len(features) == len(labels) == len(splits):
        raise KitError(
            f"expected one label and one split for each of {len(features)} rows of features, "
            f"got {len(labels)} and {len(splits)}."
        )
    if set(splits) == {"all"}:
        jobs = [(train, None, test) for train, test in _folds(labels, protocol.folds, protocol.seed)]
    elif {"train", "test"} <= set(splits) <= {"train", "validation", "test"}:
        train, validation, test = (np.flatnonzero(splits == name) for name in ("train", "validation", "test"))
        jobs = [(train, validation if len(validation) else None, test)]
    else:
        raise KitError(
            f"expected the splits train, test and perhaps validation, or all throughout, "
            f"got {', '.join(sorted(set(splits)))}."
        )
    rows, guesses, strengths, stopped = [], [], [], 0
    with threadpool_limits(limits=1):  # two threads on matrices this small take several times as long
        for train, validation, test in jobs:
            strength = choose_strength(features, labels, train, validation, protocol)
            ((_, predict, converged),) = fit_classifiers(features[train], labels[train], [strength], protocol)
            rows.append(test)
            guesses.append(predict(features[test]))
            strengths.append(strength)
            stopped += not converged
            if step:
                step()
    rows, guesses = np.concatenate(rows), np.concatenate(guesses)
    order = np.argsort(rows)
    return Predicted(rows[order], guesses[order], tuple(strengths), stopped)


def choose_strength(
    features: np.ndarray, labels: np.ndarray, train: np.ndarray, validation: np.ndarray | None, protocol: Protocol
) -> float:
    """The C with the most validation rows right; `train` and `validation` are places of rows.

    Without validation rows the training rows are folded, and each fold in turn validates.
    """
    if validation is not None:
        parts = [(train, validation)]
    else:
        inner = _folds(labels[train], protocol.inner_folds, protocol.seed)
        parts = [(train[fit], train[held]) for fit, held in inner]
    strengths = sorted(protocol.strengths)
    right = dict.fromkeys(strengths, 0)
    for fit, held in parts:
        for strength, predict, _ in fit_classifiers(features[fit], labels[fit], strengths, protocol):
            right[strength] += int((predict(features[held]) == labels[held]).sum())
    return max(right, key=right.__getitem__)  # the first, hence smallest, of equally good ones


def fit_classifiers(
    features: np.ndarray, labels: np.ndarray, strengths: Sequence[float], protocol: Protocol
) -> Iterator[tuple[float, Callable[[np.ndarray], np.ndarray], bool]]:
    """For each C in turn: (C, a function from features [m, dim] to labels [m], whether the solver converged).

    Each starts from the one before, which takes half the iterations; a function is good until the next is asked for.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    if len(np.unique(labels)) < 2:
        raise KitError(f"expected training rows of at least two classes, got {len(labels)} of one: take more rows.")
    scaler = StandardScaler().fit(features)
    scaled = scaler.transform(features)
    model = LogisticRegression(max_iter=protocol.iterations, warm_start=True)
    for strength in strengths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # counted and reported by the caller
            model.set_params(C=strength).fit(scaled, labels)
        converged = bool(model.n_iter_.max() < protocol.iterations)
        yield strength, lambda rows: model.predict(scaler.transform(rows)), converged


def _folds(labels: np.ndarray, folds: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(rows to fit, rows held out) of each fold, the classes alike in all."""
    from sklearn.model_selection import StratifiedKFold

    largest = int(np.unique(labels, return_counts=True)[1].max(initial=0))
    if largest < folds:
        raise KitError(
            f"expected a class with at least {folds} rows for {folds} folds, but the largest of "
            f"{len(labels)} rows has {largest}: take more rows."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a rare class (TREC's ABBR) may miss a fold
        return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels))
