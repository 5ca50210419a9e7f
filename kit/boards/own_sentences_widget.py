"""Two sentences of one's own in two encoders, raw and healed, which run in the page itself (js/bert.js).

The page has the vectors of some thousand sentences beside the weights: they say what a cosine is worth in that space,
and which of them is nearest. Until the weights have come it shows one example, computed here.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.boards.unknown_words import is_unknown, unknown_words
from kit.errors import KitError
from kit.paths import bundle

EXAMPLE = ("The children are playing outside.", "The children are sleeping inside.")
TRY = (EXAMPLE[1], "Kids have fun in the garden.", "A woman is reading the paper.")
APART = (1, 7, 31)  # a sentence is paired with those so many places on: what random pairs are
BINS, LOWEST = 60, -0.5  # of the histogram of their cosines, up to 1
NEAREST, SHOWN = 5, 14  # neighbours, and word pieces of a sentence in the picture


def own_sentences_board(raw=None, healed=None, sentences: Sequence[str] | None = None, where: str = "") -> Board:
    """Make the board: type two sentences, see their cosine in both spaces, the words that agree, the neighbours.

    raw, healed: encoders with the pooling "mean_without_cls"; left out, the bundled one, untrained and after the
    tour's training. sentences [n ≥ 32]: among which to look for neighbours, by default those of STS-B (made-up ones
    without data). where: where they come from, in a sentence. A page without a kernel has the bundled encoders.
    Errors: `KitError` for encoders that cannot run in the page, and for too few sentences. Lesson 00.
    """
    if sentences is None:
        sentences, where = _sts_sentences()
    if raw is None or healed is None:
        pair, note = recorded_pair(), recorded_note()
    else:
        note = "Healed: the encoder that was trained in this notebook, however its space turned out."
        pair = {"raw": raw, "healed": healed}
    state = own_sentences_state(sentences, f"{note} {where}".strip(), pair)
    offline = state if pair is recorded_pair() else own_sentences_state(sentences, f"{recorded_note()} {where}".strip())
    controls = {"first": EXAMPLE[0], "second": EXAMPLE[1]}
    return Board(
        "own_sentences",
        state,
        own_sentences_summary(state["example"], controls, state),
        controls,
        offline=offline,
        deliver=lambda: _buffers(pair, state),
    )


def recorded_note() -> str:
    """How the healed encoder of the pages was trained, from its record."""
    record = json.loads(bundle("trained", "kit-bert-tiny-scl", "measured.json").read_text("utf-8"))
    return f"Healed: {record['steps']} steps on SNLI, τ {record['tau']:g}, λ {record['lam']:g}."


@functools.cache
def recorded_pair() -> Mapping:
    """The bundled encoder, raw, and after the tour's training on SNLI (scripts/heal_encoder.py)."""
    from kit.encoder import load_encoder

    return {
        "raw": load_encoder("kit-bert-tiny", pooling="mean_without_cls"),
        "healed": load_encoder(bundle("trained", "kit-bert-tiny-scl")),
    }


def own_sentences_state(sentences: Sequence[str], note: str = "", encoders: Mapping | None = None) -> dict:
    """Prepare what the board shows before any weights have come, JSON-ready.

    sentences: those given without doubles, in an order by chance, the same for the same ones.
    Errors: `KitError` for fewer sentences than can be paired at random.
    """
    kept = sorted({text.strip() for text in sentences if text.strip()}, key=_shuffled)  # by chance: data comes by topic
    if len(kept) <= max(APART):
        raise KitError(f"expected {max(APART) + 1} different sentences or more, got {len(kept)}: give more of them.")
    state = {"sentences": kept, "note": note, "first": EXAMPLE[0], "second": EXAMPLE[1], "try": list(TRY)}
    encoders = encoders or recorded_pair()
    state["names"] = list(encoders)  # in order: a notebook sorts the keys of what it keeps
    state["longest"] = next(iter(encoders.values())).max_length
    return state | {"example": own_sentences_values(state, {}, encoders)}


def own_sentences_buffers(state: Mapping) -> list[bytes]:
    """What a page without a kernel loads when somebody types: shape, weights and vectors of the recorded pair."""
    return _buffers(recorded_pair(), state)


def own_sentences_values(state: Mapping, controls: Mapping, encoders: Mapping | None = None) -> dict:
    """Compute what is shown for controls {"first", "second"}, in each of the encoders (by default the recorded pair).

    pieces: the word pieces of both, without [CLS] and [SEP]; cut: whether either has more than the encoder reads;
    unknown: whether most words of either are unknown to it. In `spaces`, for each encoder: cosine; offered, those of
    the first with each sentence of `try`; below, the share of random pairs with a smaller one, in %; histogram [BINS]
    of those, in %; agree [pieces of the first][of the second], their cosines; nearest, of the first among the
    sentences: {index, cosine}, the highest first.
    """
    import numpy as np
    import torch

    encoders = encoders or recorded_pair()
    texts = [controls.get(name, state[name]) for name in ("first", "second")]
    pieces, unknown, cut, spaces = [], [], [], {}
    for name, encoder in encoders.items():
        known = encoder.encode(state["sentences"]).half().numpy().astype(np.float64)
        known /= np.linalg.norm(known, axis=1, keepdims=True)
        random = np.concatenate([(known * np.roll(known, -k, axis=0)).sum(1) for k in APART])
        read = [_read(encoder, text) for text in texts]
        pieces, unknown, cut = ([one[k] for one in read] for k in (0, 3, 4))
        (_, tokens, first, *_), (_, others, second, *_) = read
        cosine = float(first @ second)
        near = known @ first
        order = np.argsort(-near, kind="stable")[:NEAREST]
        counts, _ = np.histogram(random, BINS, (LOWEST, 1))
        spaces[name] = {
            "cosine": cosine,
            "offered": [float(first @ _read(encoder, text)[2]) for text in state["try"]],
            "below": 100 * float((random < cosine).mean()),
            "histogram": (100 * counts / len(random)).tolist(),
            "agree": torch.as_tensor(tokens @ others.T).tolist(),
            "nearest": [{"index": int(i), "cosine": float(near[i])} for i in order],
        }
    blank = not all(map(str.strip, texts))
    found = {"pieces": pieces, "unknown": unknown, "cut": cut, "spaces": spaces}
    return found | {"texts": texts, "waiting": "", "blank": blank}


def _read(encoder, text: str):
    """Pieces, their vectors [pieces, dim], the sentence's [dim], all of length 1; is the text unknown, was it cut?

    A blank text is [SEP] alone.
    """
    import numpy as np
    import torch

    backend = encoder.tokenizer.backend_tokenizer
    backend.no_truncation()
    ids = backend.encode(text).ids
    if cut := len(ids) > encoder.max_length:
        ids = [*ids[: encoder.max_length - 1], encoder.tokenizer.sep_token_id]
    with torch.inference_mode():
        hidden = encoder.bert(torch.tensor([ids], device=encoder.device)).last_hidden_state[0].double().cpu().numpy()
    vector, inner = hidden[1:].mean(axis=0), hidden[1:-1][:SHOWN]
    unit = inner / np.linalg.norm(inner, axis=1, keepdims=True)
    found = encoder.tokenizer.convert_ids_to_tokens(ids[1:-1])
    return found[:SHOWN], unit, vector / np.linalg.norm(vector), is_unknown(found), cut


def _share(percent: float, state: Mapping) -> str:
    """That share of the pairs drawn at random; cut after one decimal, not rounded: 99.97 % are not all."""
    drawn = f"{len(APART) * len(state['sentences']):,} random pairs drawn"
    return f"all {drawn}" if percent == 100 else f"{math.floor(10 * percent) / 10:.1f} % of the {drawn}"


def own_sentences_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    said = [
        f"{name}: cosine {fixed(values['spaces'][name]['cosine'])}, "
        f"higher than {_share(values['spaces'][name]['below'], state)} have"
        for name in state["names"]
    ]
    return f"{'; '.join(said)}.{_unread(values, state)} {state['note']}"


def _unread(values: Mapping, state: Mapping) -> str:
    """That the words of a text are unknown, and that its end is not read, where it is so."""
    said = unknown_words(values["unknown"], "these encoders")
    return said + f" Only the first {state['longest']} word pieces of a sentence are read." * any(values["cut"])


def _shuffled(text: str) -> str:
    """A key that puts sentences into an order by chance, the same everywhere."""
    return hashlib.sha256(text.encode()).hexdigest()


def _buffers(pair: Mapping, state: Mapping) -> list[bytes]:
    from kit.boards.page_encoder import page_buffers

    return page_buffers(pair, state["sentences"])


def _sts_sentences() -> tuple[list[str], str]:
    """Up to a thousand sentences of STS-B, and where they come from."""
    import warnings

    from kit.data import load_sts

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the lesson has said which data is in use
        task = next(iter(load_sts(["STS-B"]).values()))
    sentences = list(dict.fromkeys(task.sentences1))[:1000]
    made_up = task.source.is_fallback
    return sentences, f"Neighbours: {len(sentences):,} {'made-up captions' if made_up else 'sentences of STS-B'}."
