"""The cosines of a few sentences in several spaces side by side; the reader can type others.

`heat_board` is the board. Python encodes what is typed; which space and sentence to look at is
computed in the browser (js/heat.js), and by `heat_values` for the tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent
from kit.boards.unknown_words import is_unknown, listed, unknown_words
from kit.errors import KitError, unknown_name

BAND = (0.6, 1.0)  # where raw BERT has nearly all of its cosines (Dehghan & Amasyali 2022, Figure 2)
FEWEST, MOST = 2, 12


def heat_state(spaces: Mapping, sentences: Sequence[str], labels: Sequence[str] | None = None) -> dict:
    """Compute the cosines of `sentences` in every space, JSON-ready.

    spaces: name → anything with `encode(sentences)`. labels [n]: "<topic> anchor", "<topic> +",
    "<topic> −" in threes as in `kit.data.twelve`, or None for sentences without roles.
    cosines {name: [n][n]}; threes: whether there are roles; unknown [n]: whether most words of a sentence are unknown
    to its `readers`, the encoders of which that can be said.
    Errors: `KitError` for no space, fewer than 2 or more than 12 sentences, and blanks among them.
    """
    from kit.evaluation import cosine_matrix

    texts = [text.strip() for text in sentences]
    if not spaces:
        raise KitError("expected at least one space to look at, got none: give an encoder by name.")
    if not FEWEST <= len(texts) <= MOST or not all(texts):
        raise KitError(
            f"expected {FEWEST} to {MOST} sentences, parted by |, got {sum(map(bool, texts))}: "
            "type another one, or leave the field blank for the twelve."
        )
    cosines = {name: cosine_matrix(space.encode(texts)).round(4).tolist() for name, space in spaces.items()}
    named = list(labels) if labels is not None else [text if len(text) < 18 else text[:16] + "…" for text in texts]
    return {
        "sentences": texts,
        "labels": named,
        "threes": labels is not None,
        "spaces": list(spaces),
        "cosines": cosines,
        **_unread(spaces, texts),
    }


def heat_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for controls {"space", "sentence"}; a sentence is counted from 1.

    sentence: the chosen one (the last where there are fewer); order: all others, the most
    similar first, and their cosines in that space; measured: for each space the lowest and highest
    cosine of two different sentences, the share of them in `BAND`, and in how many topics the
    positive is nearer to the anchor than the negative (−1 for sentences without roles).
    Errors: `KitError` for an unknown space.
    """
    if controls["space"] not in state["spaces"]:
        raise unknown_name("space", controls["space"], state["spaces"])
    n, matrix = len(state["sentences"]), state["cosines"][controls["space"]]
    i = min(int(controls["sentence"]), n) - 1
    order = sorted((j for j in range(n) if j != i), key=lambda j: -matrix[i][j])
    measured = {name: _measured(state["cosines"][name], state["threes"]) for name in state["spaces"]}
    return {"sentence": i + 1, "order": order, "cosines": [matrix[i][j] for j in order], "measured": measured}


def heat_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    said = []
    for name, of in values["measured"].items():
        topics = f", the positive nearer in {of['won']} of {len(state['sentences']) // 3} topics"
        said.append(
            f"{name}: cosines from {fixed(of['low'])} to {fixed(of['high'])}, {percent(of['band'])} of them from "
            f"{BAND[0]:g} to {BAND[1]:g}{topics if of['won'] >= 0 else ''}"
        )
    nearest = state["sentences"][values["order"][0]]
    return (
        f"{'; '.join(said)}. In the space “{controls['space']}” the nearest to sentence {values['sentence']} is "
        f"“{nearest}” ({fixed(values['cosines'][0])}).{unknown_words(state['unknown'], state['readers'])}"
    )


def heat_board(spaces: Mapping, sentences: Sequence[str], labels: Sequence[str]) -> Board:
    """Make the board; the reader's own sentences are typed into one field, parted by |. Errors: as `heat_state`.

    Lesson 02.
    """

    @lru_cache(maxsize=8)  # the other controls ask again for sentences that are known
    def read(typed: str) -> dict:
        own = [text for text in typed.split("|") if text.strip()]
        return heat_state(spaces, own) if own else heat_state(spaces, sentences, labels)

    state, controls = read(""), {"own": "", "space": next(iter(spaces)), "sentence": 1}
    return Board(
        "heat",
        state,
        heat_summary(heat_values(state, controls), controls, state),
        controls,
        lambda chosen: read(chosen["own"]),
    )


def _unread(spaces: Mapping, texts: Sequence[str]) -> dict:
    """Which texts are unknown, and in which spaces: where spaces differ, those that agree with the first such."""
    found = {}
    for name, space in spaces.items():
        tokenizer = getattr(getattr(space, "encoder", space), "tokenizer", None)  # a repair has its encoder
        if hasattr(tokenizer, "tokenize"):
            found[name] = [is_unknown(tokenizer.tokenize(text), tokenizer.unk_token) for text in texts]
    unknown = next((one for one in found.values() if any(one)), [False] * len(texts))
    names = [name for name, one in found.items() if one == unknown]
    everywhere = "these encoders" if len(spaces) > 1 else "this encoder"
    return {"unknown": unknown, "readers": everywhere if len(names) == len(spaces) else listed(names)}


def _measured(matrix: Sequence[Sequence[float]], threes: bool) -> dict:
    n = len(matrix)
    pairs = [matrix[i][j] for i in range(n) for j in range(i + 1, n)]
    won = sum(matrix[i][i + 1] > matrix[i][i + 2] for i in range(0, n - 2, 3)) if threes else -1
    return {
        "low": min(pairs),
        "high": max(pairs),
        "won": won,
        "band": sum(BAND[0] <= cosine <= BAND[1] for cosine in pairs) / len(pairs),
    }
