"""Whitening, dimension by dimension: how many directions to keep, and what to fit on.

`whitening_board` is the board. Python measures every kept dimension once, in `whitening_state`;
the slider then only looks them up, in js/whitening.js and here in `whitening_values`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.errors import KitError, check_name, unknown_name

REPAIRS = ("whitened", "centred and turned")
MOST = 128  # kept dimensions that are measured; of more, evenly many


def whitening_state(first, second, scores: Sequence[float], fits: Mapping, label: str) -> dict:
    """Measure STS and geometry for every kept dimension, JSON-ready.

    first, second [pairs, dim]: the vectors of scored pairs; scores [pairs]. fits: name → vectors
    [n, dim] that the repair is fitted on. label: what the pairs are, for the screen.

    dims [m]         the kept dimensions that were measured, up to the smallest rank of the fits
    curves           name → repair → {"sts" [m] (Spearman × 100), "mean_cosine" [m],
                     "effective_rank" [m], "variances" [rank]: share of the pairs' sentences}
    raw              the same four for the vectors as they are, each a number but the last

    "whitened" divides each kept direction by its standard deviation among the fitted vectors, "centred and turned"
    does not (PCA; with all directions kept it is centring alone). Errors: `KitError` for different lengths, or
    nothing to fit on.
    """
    import torch

    from kit.encoder.whitening import whitening

    if not fits or not len(first) == len(second) == len(scores):
        raise KitError(
            f"expected vectors to fit on and as many first as second vectors as scores, got {len(fits)} "
            f"fits, {len(first)} and {len(second)} vectors and {len(scores)} scores."
        )
    first, second = torch.as_tensor(first), torch.as_tensor(second)
    found = {name: whitening(vectors) for name, vectors in fits.items()}
    rank = min(repair.matrix.shape[1] for repair in found.values())
    step = -(-rank // MOST)
    dims = list(range(step, rank + 1, step))
    curves = {}
    for name, repair in found.items():
        turned = repair.matrix / repair.matrix.norm(dim=0)
        pairs = {
            kind: [((side.double() - repair.mean) @ matrix).numpy() for side in (first, second)]
            for kind, matrix in zip(REPAIRS, (repair.matrix, turned))
        }
        curves[name] = {kind: _measured(*both, scores, dims, rank) for kind, both in pairs.items()}
    sides = [side.double().numpy() for side in (first, second)]
    raw = _measured(*sides, scores, [sides[0].shape[1]], rank)
    spectrum = np.linalg.eigvalsh(np.cov(_distinct(*sides).T))[::-1].clip(min=0)
    raw |= {"variances": _rounded(spectrum[:rank] / spectrum.sum())}
    return {
        "label": label,
        "pairs": len(scores),
        "dims": dims,
        "curves": curves,
        "raw": {key: value if key == "variances" else value[0] for key, value in raw.items()},
    }


def whitening_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for controls {"dim", "repair", "fitted"}.

    dim [1]: the measured dimension nearest to the slider's (the smaller of two). sts, mean_cosine,
    effective_rank: there. best: [dim, STS] of the highest point of the curve. kept: share of the
    variance in the kept directions, raw: in as many of the raw vectors' strongest; cumulative [k + 1]: as kept, for
    0, 1, 2 … directions. gain: STS
    above raw. Errors: `KitError` for an unknown repair or fit.
    """
    if controls["fitted"] not in state["curves"]:
        raise unknown_name("fit", controls["fitted"], state["curves"])
    check_name("repair", controls["repair"], REPAIRS)
    curve, dims = state["curves"][controls["fitted"]][controls["repair"]], state["dims"]
    at = min(range(len(dims)), key=lambda i: abs(dims[i] - controls["dim"]))
    best = max(range(len(dims)), key=lambda i: curve["sts"][i])
    cumulative = [0.0, *np.cumsum(curve["variances"]).tolist()]
    return {
        "dim": dims[at],
        "sts": curve["sts"][at],
        "mean_cosine": curve["mean_cosine"][at],
        "effective_rank": curve["effective_rank"][at],
        "best": [dims[best], curve["sts"][best]],
        "kept": cumulative[dims[at]],
        "raw": sum(state["raw"]["variances"][: dims[at]]),
        "cumulative": cumulative,
        "gain": curve["sts"][at] - state["raw"]["sts"],
    }


def whitening_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    mean, raw = (fixed(of["mean_cosine"], 3) for of in (values, state["raw"]))
    directions = "1 direction" if values["dim"] == 1 else f"{values['dim']} directions"
    return (
        f"{controls['repair'].capitalize()} to {directions}, fitted on {controls['fitted']}: STS "
        f"{fixed(values['sts'], 1)} (raw {fixed(state['raw']['sts'], 1)}), mean cosine {mean} (raw {raw}), effective "
        f"rank {fixed(values['effective_rank'], 1)}. This curve is highest at {values['best'][0]} directions, with "
        f"{fixed(values['best'][1], 1)}. Measured on {state['pairs']} pairs of {state['label']}."
    )


def whitening_board(first, second, scores: Sequence[float], fits: Mapping, label: str) -> Board:
    """Make the board with a slider for the kept dimension; arguments and errors as `whitening_state`. Lesson 02."""
    state = whitening_state(first, second, scores, fits, label)
    controls = {"repair": REPAIRS[0], "fitted": next(iter(state["curves"]))}
    sts = state["curves"][controls["fitted"]][controls["repair"]]["sts"]
    controls = {"dim": state["dims"][sts.index(max(sts))], **controls}  # begins where STS is highest
    summary = whitening_summary(whitening_values(state, controls), controls, state)
    return Board("whitening", state, summary, controls)


def _measured(x: np.ndarray, y: np.ndarray, scores: Sequence[float], dims: Sequence[int], rank: int) -> dict:
    """The four lists for repaired pairs x, y [pairs, kept], for the first `dim` coordinates of each of `dims`.

    Where all cosines are the same there is no order to compare: that counts as an STS of 0.
    """
    from kit.evaluation import effective_rank, nearness, spearman

    dots, lengths = np.cumsum(x * y, axis=1), np.cumsum(x * x, axis=1) * np.cumsum(y * y, axis=1)
    cosines = (dots / np.sqrt(np.where(lengths > 0, lengths, 1))).round(12)
    distinct = _distinct(x, y)
    covariance = np.cov(distinct.T).reshape(distinct.shape[1], -1)
    spectra = [np.linalg.eigvalsh(covariance[:k, :k]).clip(min=0) for k in dims]
    variances = np.diag(covariance)[:rank] / np.trace(covariance)
    return {
        "sts": [round(100 * (spearman(cosines[:, k - 1], scores) or 0.0), 3) for k in dims],
        "mean_cosine": [round(float(nearness(distinct[:, :k]).mean()), 3) + 0.0 for k in dims],
        "effective_rank": [round(effective_rank(s / (s.sum() or 1)), 3) for s in spectra],
        "variances": _rounded(variances),
    }


def _distinct(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Every vector of the pairs once."""
    return np.unique(np.concatenate([x, y]), axis=0)


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), 5) for value in values]
