"""What padding does to a mean, when the mask is forgotten: the board and its numbers.

Four ways to average a sentence that its batch has padded:

    masked mean                 the sum over its tokens, divided by their number: right
    divided by padded length    the same sum, divided by the width of the batch (the code of Liao 2021)
    [PAD] averaged in           the mean over all positions; the encoder still had its mask
    no mask at all              the mean over all positions, and the tokens attended to [PAD] as well
"""

from __future__ import annotations

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.errors import KitError, unknown_name

WAYS = ("masked mean", "divided by padded length", "[PAD] averaged in", "no mask at all")
MOST = 40  # [PAD] tokens
START = 10


def padding_state(encoder, sets: dict[str, list[str]]) -> dict:
    """Average three sentences in each of `WAYS` under 0 to `MOST` [PAD]; the state has their scalar products.

    sets: name → a sentence u, another v that it should find, and an unrelated one w. Per set:
    lengths [3] in tokens; alone, ⟨s, s⟩ of u's mean without padding; products: way → [padding][6],
    ⟨u, u⟩ ⟨u, s⟩ ⟨u, v⟩ ⟨u, w⟩ ⟨v, v⟩ ⟨w, w⟩. Errors: `KitError` for another number of sentences.
    """
    import torch

    for name, sentences in sets.items():
        if len(sentences) != 3:
            raise KitError(f"expected three sentences in the set {name!r}, got {len(sentences)}.")
    with torch.inference_mode():
        return {"sets": {name: _measured(encoder, list(sentences)) for name, sentences in sets.items()}}


def padding_values(state: dict, controls: dict) -> dict:
    """Compute, for each of `WAYS` in this order, what becomes of the first sentence of the set
    controls["sentences"] when controls["padding"] [PAD] tokens are added to the set's longest.

    itself         cosine with its own vector without padding
    length         of its vector, as a share of that without padding
    second, third  cosine with the second and with the third sentence, padded alike
    dot            dot product with the second
    width, tokens  of the batch, and of the first sentence
    tau            width² / (tokens of the first · of the second): the temperature at which right
                   dot products would be as small as those divided by the padded length
    curves         itself and length of each way at every padding from 0 to `MOST`

    Errors: `KitError` for an unknown set, or a padding that is not a whole number from 0 to `MOST`.
    """
    if controls["sentences"] not in state["sets"]:
        raise unknown_name("set of sentences", controls["sentences"], state["sets"])
    padding, chosen = controls["padding"], state["sets"][controls["sentences"]]
    if padding not in range(MOST + 1):
        raise KitError(f"expected a padding from 0 to {MOST} tokens, got {padding!r}.")
    curves = [[_measures(row, chosen["alone"]) for row in chosen["products"][way]] for way in WAYS]
    now = [curve[padding] for curve in curves]
    first, second, _ = chosen["lengths"]
    width = max(chosen["lengths"]) + padding
    return {
        **{name: [row[name] for row in now] for name in now[0]},
        "width": width,
        "tokens": first,
        "tau": width**2 / (first * second),
        "curves": {name: [[row[name] for row in curve] for curve in curves] for name in ("itself", "length")},
    }


def padding_summary(values: dict) -> str:
    """Describe the values in words."""
    _, _, averaged_in, unmasked = (fixed(cosine, 3) for cosine in values["itself"])
    right, *_, unrelated = (fixed(cosine, 3) for cosine in values["third"])
    return (
        f"With {values['width'] - values['tokens']} [PAD] the batch is {values['width']} wide; the first sentence has "
        f"{values['tokens']} tokens. Divided by the padded length, its vector keeps its direction and "
        f"{fixed(values['length'][1], 3)} of its length, and the dot product with the second shrinks as if τ were "
        f"{fixed(values['tau'])} times as large. With [PAD] averaged in, its cosine with what it was unpadded is "
        f"{averaged_in}; with no mask at all it is {unmasked}, and the cosine with the unrelated sentence is "
        f"{unrelated} instead of {right}."
    )


def padding_board(encoder, sets: dict[str, list[str]]) -> Board:
    """Make the board with a slider for the padding and a choice of the set. Errors: as `padding_state`. Lesson 01."""
    state, controls = padding_state(encoder, sets), {"padding": START, "sentences": next(iter(sets))}
    return Board("padding", state, padding_summary(padding_values(state, controls)), controls)


def _measured(encoder, sentences: list[str]) -> dict:
    """One set's part of the state."""
    ids = encoder.tokenize(sentences)
    longest = max(map(len, ids))
    alone = _vectors(encoder, ids[:1], len(ids[0]))["masked mean"][0]
    padded = [_vectors(encoder, ids, longest + more) for more in range(MOST + 1)]
    return {
        "sentences": sentences,
        "lengths": [len(row) for row in ids],
        "alone": round(float(alone @ alone), 5),
        "products": {way: [_products(*vectors[way], alone) for vectors in padded] for way in WAYS},
    }


def _vectors(encoder, ids: list[list[int]], width: int) -> dict:
    """way → the vectors [dim], float64, of tokenised sentences padded to `width`."""
    import torch

    pad_id, lengths = encoder.tokenizer.pad_token_id, [len(row) for row in ids]
    rows = torch.tensor([row + [pad_id] * (width - len(row)) for row in ids], device=encoder.device)
    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long().to(encoder.device)
    states = encoder.bert(input_ids=rows, attention_mask=mask).last_hidden_state.double()
    # what a BERT assumes when it is given no mask
    unmasked = encoder.bert(input_ids=rows, attention_mask=torch.ones_like(mask)).last_hidden_state.double()
    sums = [state[:n].sum(0) for state, n in zip(states, lengths)]
    return {
        "masked mean": [total / n for total, n in zip(sums, lengths)],
        "divided by padded length": [total / width for total in sums],
        "[PAD] averaged in": list(states.mean(1)),
        "no mask at all": list(unmasked.mean(1)),
    }


def _products(u, v, w, s) -> list[float]:
    return [round(float(a @ b), 5) for a, b in ((u, u), (u, s), (u, v), (u, w), (v, v), (w, w))]


def _measures(products: list[float], alone: float) -> dict:
    """Cosines, length and dot product from the six scalar products."""
    uu, us, uv, uw, vv, ww = products
    return {
        "itself": us / (uu * alone) ** 0.5,
        "length": (uu / alone) ** 0.5,
        "second": uv / (uu * vv) ** 0.5,
        "third": uw / (uu * ww) ** 0.5,
        "dot": uv,
    }
