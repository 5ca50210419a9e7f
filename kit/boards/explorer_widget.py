"""Two or three sentences under a pooling: their cosines, and which tokens make them.

`explorer_board` is the board. Python tokenises and encodes what is typed; pooling and layer are
applied in the browser (kit/boards/js/explorer.js), and by `explorer_values` for the tests.

Every pooling here gives each token a part of the sentence vector, u = Σ_t p_t, and so the
cosine is a sum over tokens, exactly: cos(u, v) = Σ_t ⟨p_t, v⟩ / (‖u‖ ‖v‖).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.boards.unknown_words import is_unknown, unknown_words
from kit.errors import KitError, check_name

POOLINGS = ("mean", "mean_without_cls", "cls", "max", "first_last")
LONGEST = 24  # word pieces shown of a sentence, [CLS] and [SEP] included
THOUSAND = 1000  # hidden states travel as whole thousandths: a third of the length
FIELDS = ("first", "second", "third")
OFFLINE = "Here nothing can be typed: new sentences need the notebook, with its kernel running."


def explorer_state(encoder, sentences: list[str]) -> dict:
    """Collect tokens and hidden states of two or three sentences, JSON-ready.

    tokens [n][tokens]; hidden [layers + 1][n][tokens][dim] in thousandths, the embedding layer
    first; cut [n]: whether a sentence was cut at `LONGEST` word pieces (and encoded so).
    Errors: `KitError` unless there are two or three sentences, none of them blank.
    """
    import torch

    from kit.encoder import pad

    if not 2 <= len(sentences) <= 3:
        raise KitError(f"expected two or three sentences to compare, got {len(sentences)}.")
    for place, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, str) or not sentence.strip():
            raise KitError(f"expected words in sentence {place}, got a blank: type some.")
    whole = encoder.tokenize(sentences)
    rows = [ids if len(ids) <= LONGEST else [*ids[: LONGEST - 1], ids[-1]] for ids in whole]
    ids, mask = pad(rows, encoder.tokenizer.pad_token_id)
    with torch.inference_mode():
        hidden = encoder.bert(
            input_ids=ids.to(encoder.device), attention_mask=mask.to(encoder.device), output_hidden_states=True
        ).hidden_states
    return {
        "sentences": [sentence.strip() for sentence in sentences],
        "tokens": [encoder.tokenizer.convert_ids_to_tokens(row) for row in rows],
        "cut": [len(ids) > LONGEST for ids in whole],
        "hidden": [
            [(layer[i, : len(row)] * THOUSAND).round().int().tolist() for i, row in enumerate(rows)] for layer in hidden
        ],
    }


def explorer_values(state: dict, controls: dict) -> dict:
    """The cosines of the sentences [n][n] under controls["pooling"] at controls["layer"], and for
    sentence controls["explained"] against controls["against"] ("1", "2" or "3"):

    contributions [tokens]  what each token adds to the cosine; they sum to it
    weights [tokens]        each token's weight in its sentence vector; for "max" the share of the
                            dimensions in which it is the largest (the first of ties)
    top                     the token with the largest contribution

    "first_last" averages layer 1 with the layer chosen.
    Errors: `KitError` for an unknown pooling, a layer or a sentence that is not there.
    """
    pooling, layer = controls["pooling"], controls["layer"]
    check_name("pooling", pooling, POOLINGS)
    if layer not in range(len(state["hidden"])):
        raise KitError(f"expected a layer from 0 to {len(state['hidden']) - 1}, got {layer!r}.")
    i, j = (_place(state, controls[name]) for name in ("explained", "against"))
    split = [_parts(pooling, _states(state, pooling, layer, k)) for k in range(len(state["tokens"]))]
    vectors = [parts.sum(0) for parts, _ in split]
    contributions = [_over(part @ vectors[j], vectors[i], vectors[j]) for part in split[i][0]]
    return {
        "cosines": [[_over(u @ v, u, v) for v in vectors] for u in vectors],
        "contributions": contributions,
        "weights": split[i][1].tolist(),
        "top": state["tokens"][i][int(np.argmax(contributions))],
    }


def explorer_summary(values: dict, controls: dict, state: dict) -> str:
    """Describe the values in words."""
    cosines, i, j = values["cosines"], int(controls["explained"]), int(controls["against"])
    pairs = [(a, b) for a in range(len(cosines)) for b in range(a + 1, len(cosines))]
    said = ", ".join(f"{fixed(cosines[a][b], 3)} for {a + 1} and {b + 1}" for a, b in pairs)
    cuts = "".join(
        f" Sentence {place} is cut after {len(tokens)} word pieces."
        for place, (cut, tokens) in enumerate(zip(state["cut"], state["tokens"]), start=1)
        if cut
    )
    unknown = unknown_words([is_unknown(tokens[1:-1]) for tokens in state["tokens"]], "this encoder")
    return (
        f"Pooling {controls['pooling']} of layer {controls['layer']}, cosines: {said}. The tokens of sentence {i} "
        f"add up to its cosine with sentence {j}, {fixed(sum(values['contributions']), 3)}; “{values['top']}” "
        f"gives the largest part, {fixed(max(values['contributions']), 3)}.{cuts}{unknown}"
    )


def explorer_board(encoder, sentences: list[str]) -> Board:
    """Make the board with text fields; the third sentence may be blank. Errors: as `explorer_state`. Lesson 01."""

    @lru_cache(maxsize=8)  # moving a slider asks again for sentences that are known
    def read(texts: tuple[str, ...]) -> dict:
        return explorer_state(encoder, list(texts))

    def respond(controls: dict) -> dict:
        texts = tuple(controls[name] for name in FIELDS)
        return read(texts if texts[2].strip() else texts[:2])

    texts = [*sentences, ""] if len(sentences) == 2 else sentences
    state = explorer_state(encoder, sentences)
    controls = {
        **dict(zip(FIELDS, texts)),
        "pooling": "mean",
        "layer": len(state["hidden"]) - 1,
        "explained": "1",
        "against": "2",
    }
    return Board(
        "explorer",
        state,
        explorer_summary(explorer_values(state, controls), controls, state),
        controls,
        respond,
        offline={**state, "note": OFFLINE},
    )


def _place(state: dict, number: str) -> int:
    """The index of sentence "1", "2" or "3"."""
    if number not in [str(k + 1) for k in range(len(state["tokens"]))]:
        raise KitError(f"there is no sentence {number} here: choose another, or type one.")
    return int(number) - 1


def _states(state: dict, pooling: str, layer: int, k: int) -> np.ndarray:
    """Hidden states [tokens, dim] of sentence k that the pooling works on."""
    layers = [1, layer] if pooling == "first_last" else [layer]
    return np.mean([state["hidden"][each][k] for each in layers], axis=0) / THOUSAND


def _parts(pooling: str, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each token's part of the sentence vector [tokens, dim], which is their sum; and its weight [tokens]."""
    n = len(states)
    if pooling == "max":
        wins = np.arange(n)[:, None] == states.argmax(0)  # [tokens, dim], one winner in each dimension
        return states * wins, wins.mean(1)
    weights = np.full(n, 1 / n)
    if pooling == "cls":
        weights = np.eye(n)[0]
    elif pooling == "mean_without_cls":
        weights = np.array([0.0, *[1 / (n - 1)] * (n - 1)])
    return states * weights[:, None], weights


def _over(product: float, u: np.ndarray, v: np.ndarray) -> float:
    """A scalar product as a part of the cosine of u and v; 0 where one of them is zero."""
    return float(product / ((np.linalg.norm(u) * np.linalg.norm(v)) or 1.0))
