"""What benchmarks/growth.py measures: each curve is some work of the kit, against one size."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import growth_texts

ENCODER, TEMPERATURE, DROPOUT, CHUNK = "kit-bert-tiny", 0.05, 0.1, 64
DIM = 128  # of vectors that no encoder made
MADE_UP = 1200  # rows of the made-up world; more rows are these again, with a number before each text
SENTENCES = 16  # of one length, for the curves against length
Work = Callable[[], object]


@dataclass(frozen=True)
class Curve:
    """One line of a plot. subject: what its sizes are; power: the exponent that it may have; prepare:
    size → the work to measure, with its data made and everything set up that comes once.
    """

    subject: str
    title: str
    sizes: tuple[int, ...]
    prepare: Callable[[int], Work]
    power: int = 1
    objects: bool = False  # the memory is that of Python's and NumPy's objects


def doubling(first: int, count: int = 6) -> tuple[int, ...]:
    return tuple(first * 2**i for i in range(count))


@cache
def world() -> dict[str, list]:
    from kit.world import World

    return World(0).nli(MADE_UP)


def table(rows: int):
    """NLI rows, six to a premise."""
    from kit.data.table import Source, Table

    made = world()
    columns = {
        name: [f"{row // MADE_UP} {made[name][row % MADE_UP]}" for row in range(rows)]
        for name in ("premise", "hypothesis")
    }
    columns["label"] = [made["label"][row % MADE_UP] for row in range(rows)]
    return Table(columns, Source("made up", "train", "world", "kit.world", "seed 0", rows))


def groups(rows: int) -> list:
    from kit.data import group_by_premise

    return group_by_premise(table(rows))


def encoder(**settings):
    from kit.encoder import load_encoder

    return load_encoder(ENCODER, **settings)


def grouping(rows: int) -> Work:
    from kit.data import group_by_premise

    data = table(rows)
    return lambda: group_by_premise(data)


def choosing(rows: int, several: bool) -> Work:
    """Triplets, or five positives and five negatives for each anchor."""
    from kit.data import triplets
    from kit.data.multiples import multiples

    data, choose = groups(rows), multiples if several else triplets
    return lambda: choose(data)


def epoch(rows: int) -> Work:
    """Everything between a table and the tensors of an epoch's batches."""
    from kit.data import group_by_premise
    from kit.training import recipe
    from kit.training.batches import epoch_of_batches, make_batch, tokenize_groups

    tokenizing, settings, data = encoder(), recipe("scl"), table(rows)

    def work():
        items = tokenize_groups(tokenizing, group_by_premise(data), settings.data_format)
        for batch in epoch_of_batches(items, settings.batch_size, seed=0, epoch=0):
            make_batch(batch, settings)
        return items

    return work


def batching(rows: int) -> Work:
    from kit.training.batches import Example, epoch_of_batches

    rng = random.Random(0)
    items = [Example([1] * rng.randint(5, 40), [[1] * rng.randint(5, 20)], [0], 1) for _ in range(rows)]
    return lambda: epoch_of_batches(items, 64, seed=0, epoch=0)


def drawing_spans(documents: int) -> Work:
    from kit.data.spans import SpanSampler

    rng, sampler = random.Random(0), SpanSampler()
    lengths = [rng.randint(2048, 8000) for _ in range(documents)]
    return lambda: [sampler.sample(length, rng) for length in lengths]


def encoding(count: int) -> Work:
    model, texts = encoder(), table(count)["hypothesis"]
    return lambda: model.encode(texts)


def judging(pairs: int) -> Work:
    from kit.evaluation import pair_cosines, spearman

    first, second, gold = vectors(pairs, 0), vectors(pairs, 1), vectors(pairs, 2)[:, 0]
    return lambda: spearman(pair_cosines(first, second), gold)


def looking_at_the_space(pairs: int) -> Work:
    import numpy as np

    from kit.evaluation import geometry

    data, partners = vectors(2 * pairs, 0), np.arange(2 * pairs).reshape(pairs, 2)
    return lambda: geometry(data, partners)


def resampling(pairs: int) -> Work:
    from kit.evaluation import resample

    predicted, gold = vectors(pairs, 0)[:, 0], vectors(pairs, 1)[:, 0]
    return lambda: resample(predicted, gold, resamples=100)


def classifying(rows: int) -> Work:
    """A logistic regression with its strength chosen on held-out rows, as in a transfer task with splits."""
    import numpy as np

    from kit.evaluation.logistic import predict_held_out

    features, noise = vectors(rows, 0), np.random.default_rng(1).normal(0, 4, rows)
    labels = (features[:, :16].sum(axis=1) + noise > 0).astype(int)
    splits = np.array(["train", "train", "train", "validation", "test"])[np.arange(rows) % 5]
    return lambda: predict_held_out(features, labels, splits)


def vectors(count: int, seed: int):
    import numpy as np

    return np.random.default_rng(seed).standard_normal((count, DIM))


def step(batch: int, chunk: int | None = None, length: int | None = None) -> Work:
    """One update under MNRL with a batch of so many pairs, two rows each; `length`: all of so many tokens."""
    from kit.training import Trainer, recipe
    from kit.training.batches import Example, tokenize_groups

    model = encoder(max_length=512)
    items = tokenize_groups(model, groups(4 * batch), "pairs")[:batch]
    if length:
        ids = exact(model, 2 * batch, length)
        items = [Example(one, [other], [0], 1) for one, other in zip(ids[::2], ids[1::2])]
    settings = recipe("mnrl").changed(batch_size=batch, chunk=chunk, temperature=TEMPERATURE, dropout=DROPOUT)
    trainer = Trainer(model, settings, items, 1_000_000, seed=0, precision="fp32")
    trainer.step()  # the optimizer's state is there before
    return trainer.step


def exact(model, count: int, length: int) -> list[list[int]]:
    """Rows of exactly so many token ids, [CLS] and [SEP] among them."""
    ids = [piece for row in model.tokenize(table(count * length // 4)["hypothesis"]) for piece in row[1:-1]]
    first, last = model.tokenizer.cls_token_id, model.tokenizer.sep_token_id
    inside = length - 2
    return [[first, *ids[i * inside : (i + 1) * inside], last] for i in range(count)]


def encoding_long(length: int) -> Work:
    """A few sentences of so many tokens."""
    model = encoder(max_length=length)
    words = " ".join(table(SENTENCES * length)["hypothesis"]).split()
    texts = [" ".join(words[i * length : (i + 1) * length]) for i in range(SENTENCES)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the texts are cut to the length on purpose, and that is said once
        model.tokenize(texts)
    return lambda: model.encode(texts)


def attention(length: int) -> Work:
    """The attention of the tiny encoder's two layers alone: where the square comes from."""
    import torch

    torch.manual_seed(0)
    qkv = torch.randn(3, SENTENCES, 2, length, DIM // 2)  # two heads
    return lambda: [torch.nn.functional.scaled_dot_product_attention(*qkv) for _ in range(2)]


def loss(anchors: int, chunked: bool = False) -> Work:
    """MNRL forward and backward, vectors and relations given: as many candidates as anchors. A whole matrix above
    32 MB (2,897 anchors) glibc takes afresh from the system each time, which doubles the time from there."""
    import torch

    from kit.fast.chunked import chunked_softmax
    from kit.losses import masked_softmax, supmpn_relations

    z = torch.randn(2 * anchors, DIM, generator=torch.Generator().manual_seed(0)).requires_grad_()
    groups = supmpn_relations(anchors, 1, 0)
    softmax, relations = (chunked_softmax, groups) if chunked else (masked_softmax, groups.to_dense())
    return lambda: torch.autograd.grad(softmax(z, relations, TEMPERATURE), z)


def relating(anchors: int) -> Work:
    """Who is what to whom in a batch of pairs, false negatives taken out: a quarter of the texts occur twice."""
    from kit.losses import mask_duplicates, supmpn_relations

    keys = [row % (8 * anchors // 5) for row in range(2 * anchors)]
    return lambda: mask_duplicates(supmpn_relations(anchors, 1, 0), keys)


SUBJECTS = {
    "rows": "rows of data",
    "pairs": "pairs to evaluate",
    "batch": "batch size (pairs)",
    "length": "sequence length (tokens)",
    "anchors": "anchors in the batch",
    "texts": "texts of one's own",
}
CURVES = {
    "epoch": Curve("rows", "an epoch's batches, from a table", doubling(500), epoch, objects=True),
    "encode": Curve("rows", "encode", doubling(60), encoding),
    "group": Curve("rows", "group by premise", doubling(1000), grouping, objects=True),
    "triplets": Curve("rows", "choose triplets", doubling(2000), lambda rows: choosing(rows, False), objects=True),
    "multiples": Curve(
        "rows", "choose 5 positives, 5 negatives", doubling(1000), lambda rows: choosing(rows, True), objects=True
    ),
    "batches": Curve("rows", "form batches of token ids", doubling(2000), batching, objects=True),
    "spans": Curve("rows", "draw spans of documents", doubling(250), drawing_spans, objects=True),
    "spearman": Curve("pairs", "cosines and Spearman's correlation", doubling(1000), judging, objects=True),
    "geometry": Curve("pairs", "uniformity, alignment, spectrum", doubling(250, 7), looking_at_the_space, objects=True),
    "intervals": Curve("pairs", "100 bootstrap resamples", doubling(500), resampling, objects=True),
    "classifier": Curve("pairs", "a transfer classifier", doubling(500), classifying, objects=True),
    "step": Curve("batch", "a step, whole batch at once", doubling(16), step),
    "cached": Curve("batch", f"a step, {CHUNK} rows at a time", doubling(16), lambda batch: step(batch, CHUNK)),
    "encode_length": Curve("length", f"encode {SENTENCES} sentences", doubling(16), encoding_long),
    "step_length": Curve(
        "length",
        f"a training step of {SENTENCES // 2} pairs",
        doubling(16),
        lambda length: step(SENTENCES // 2, None, length),
    ),
    "attention": Curve("length", f"attention alone, {SENTENCES} sentences", doubling(16), attention, power=2),
    "loss": Curve("anchors", "the loss, whole matrix", doubling(128), loss, power=2),
    "chunked": Curve("anchors", "the loss, in chunks", doubling(128, 7), lambda anchors: loss(anchors, True), power=2),
    "relations": Curve("anchors", "relations, duplicates masked", doubling(128, 7), relating),
    "read": Curve("texts", "read a file of pairs", doubling(1000), growth_texts.reading, objects=True),
    "split": Curve("texts", "split, near-copies together", doubling(1000), growth_texts.parting, objects=True),
    "copies": Curve("texts", "find near-copies", doubling(1000), growth_texts.finding_copies, objects=True),
    "search": Curve("texts", "search by 100 queries", doubling(8000), growth_texts.searching, objects=True),
    "mine": Curve("texts", "mine hard negatives", doubling(1000), growth_texts.mining, power=2, objects=True),
}
