"""Recorded maps of sentences: PCA beside UMAP, and what UMAP's settings do to the same vectors.

`maps_board` plays data/results/umap.json, which scripts/record_umap.py wrote: UMAP itself takes
some twenty seconds the first time, too slow for a slider.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent
from kit.errors import check_name, unknown_name

COLOURINGS = ("word frequency", "action")


def maps_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for controls {"neighbours", "seed", "colouring", "from", "to"}.

    neighbours: the recorded number nearest to the slider's (on a logarithmic scale).
    distance: between the centres of the two actions on that map, in units of the map's own size
    (the root of the mean squared distance from its middle); pca and space: the same on the PCA map
    and in the space of the unit vectors. curves [seed][i]: the distance on every recorded map;
    least, most: of these. kept: share of each sentence's ten nearest neighbours in the space that
    are among the ten nearest on the map. gathered: share of the ten nearest on the map that tell of
    the same action, on the UMAP map and on the PCA map. explained: share of the variance of the mean word
    frequency that the two coordinates explain linearly (R²), on the UMAP map and on the PCA map.
    Errors: `KitError` for an action that is not on the maps or an unknown colouring.
    """
    ends = [controls["from"], controls["to"]]
    for action in ends:
        if action not in state["actions"]:
            raise unknown_name("action", action, state["actions"])
    check_name("colouring", controls["colouring"], COLOURINGS)
    away = [abs(np.log(count / controls["neighbours"])) for count in state["neighbours"]]
    at, seed = away.index(min(away)), int(controls["seed"])
    curves = [[_apart(state, points, ends) for points in row] for row in state["maps"]]
    every = [value for row in curves for value in row]
    i, j = (state["actions"].index(action) for action in ends)
    return {
        "neighbours": state["neighbours"][at],
        "distance": curves[seed][at],
        "curves": curves,
        "least": min(every),
        "most": max(every),
        "pca": _apart(state, state["pca"], ends),
        "space": state["space"][i][j],
        "kept": state["kept"][seed][at],
        "gathered": [state["gathered"][seed][at], state["pca_gathered"]],
        "explained": [
            _explained(state["maps"][seed][at], state["frequency"]),
            _explained(state["pca"], state["frequency"]),
        ],
    }


def maps_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    umap, pca, explained, explained_by_pca = (
        percent(share) for key in ("gathered", "explained") for share in values[key]
    )
    ends = f"“{controls['from']}” (A) and “{controls['to']}” (B)"
    apart, least, most, space = (fixed(values[key]) for key in ("distance", "least", "most", "space"))
    return (
        f"UMAP with {values['neighbours']} neighbours, seed {controls['seed']}: the centres of {ends} are "
        f"{apart} map sizes apart; over all {_count(state)} maps it is {least} to {most}, in the space itself {space}. "
        f"This map keeps {percent(values['kept'])} of the nearest neighbours; {umap} of the neighbours on the map tell "
        f"of the same action (PCA {pca}), and its axes explain {explained} of the word frequency "
        f"(PCA {explained_by_pca}). "
        f"{state['note']}"
    )


def maps_board(recorded: Mapping) -> Board:
    """Make the board of recorded maps; `recorded` is what `kit.lesson.measured("umap")` gives. Lesson 02."""
    state = dict(recorded["state"])
    controls = {
        "neighbours": state["neighbours"][0],
        "seed": 0,
        "colouring": COLOURINGS[1],
        "from": state["actions"][0],
        "to": state["actions"][3],
    }
    return Board("maps", state, maps_summary(maps_values(state, controls), controls, state), controls)


def _count(state: Mapping) -> int:
    return len(state["maps"]) * len(state["neighbours"])


def _apart(state: Mapping, points: list, ends: list[str]) -> float:
    """The distance of the centres of two actions, in units of the map's size."""
    points = np.asarray(points, dtype=float)
    action = np.asarray(state["action"])
    centres = [points[action == state["actions"].index(name)].mean(0) for name in ends]
    size = np.sqrt(((points - points.mean(0)) ** 2).sum(1).mean())
    return float(np.linalg.norm(centres[0] - centres[1]) / size)


def _explained(points: list, frequency: list) -> float:
    """R² of the frequency on the two coordinates."""
    points, wanted = np.asarray(points, dtype=float), np.asarray(frequency, dtype=float)
    points, wanted = points - points.mean(0), wanted - wanted.mean()
    coefficients = np.linalg.lstsq(points, wanted, rcond=None)[0]
    return float(1 - ((wanted - points @ coefficients) ** 2).sum() / (wanted**2).sum())
