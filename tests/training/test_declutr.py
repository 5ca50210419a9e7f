"""DeCLUTR: the whole loss against plain loops, its gradient, its options, and what it says of bad input."""

from __future__ import annotations

import logging
import math
import os
import random
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import torch

from kit.data.spans import SpanSampler
from kit.encoder import load_encoder
from kit.errors import KitError, KitWarning
from kit.training import Trainer, fit, recipe
from kit.training.masking import mask_whole_words
from kit.training.objectives import StepContext
from kit.training.objectives.declutr import Declutr, Document, tokenize_documents
from kit.world import World
from tests.tiny import WORDS, tiny_encoder, write_tiny_bert

SMALL = {"max_span": 14, "min_span": 3, "batch_size": 3, "dropout": 0.0, "lr": 1e-3, "epochs": 2}
SMALL["word_head"] = "fresh"  # the tiny BERT's file holds none


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def texts(n: int = 7, words: int = 90) -> list[str]:
    """Documents of the tiny vocabulary, each of other words."""
    rng = random.Random(0)
    return [" ".join(rng.choices(rng.sample(WORDS, 8), k=words)) for _ in range(n)]


@contextmanager
def monitored(name: str, handler: logging.Handler) -> Iterator[None]:
    """A library that keeps its log to itself tells `handler` too."""
    logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger(name).removeHandler(handler)


def moment_of(encoder, settings, seed: int = 3) -> StepContext:
    """A step outside any training, in whatever precision the encoder has."""
    return StepContext(encoder, encoder.embed, nullcontext, settings, 0, 10, 0, torch.Generator().manual_seed(seed))


def parts_of(tiny: Path, seed: int = 1, **changes):
    """Encoder and system in float64, a batch of three documents, and the context."""
    settings = recipe("declutr", **{**SMALL, **changes})
    encoder = tiny_encoder(tiny).double().eval()
    torch.manual_seed(seed)
    system = Declutr(encoder, settings).double()
    examples = Declutr.examples(encoder, texts(), settings, 0)
    batch = system.batch(examples[:3], settings, torch.Generator().manual_seed(seed))
    return encoder, system, batch, moment_of(encoder, settings)


def vector(encoder, ids: list[int]) -> torch.Tensor:
    """Mean of the last hidden states of one row by itself: nothing is padded."""
    return encoder.bert(input_ids=torch.tensor([ids])).last_hidden_state[0].mean(dim=0)


def plain_contrast(
    anchors: list[torch.Tensor], positives: list[torch.Tensor], tau: float, similarity: str = "cosine"
) -> torch.Tensor:
    """NT-Xent as section 3.1 writes it, term by term, but the mean of its 2AN terms."""
    alike = torch.dot if similarity == "dot" else lambda a, b: torch.cosine_similarity(a, b, dim=0)
    count, each = len(anchors), len(positives) // len(anchors)
    rows = anchors + [sum(positives[i * each : (i + 1) * each]) / each for i in range(count)]
    terms = []
    for i in range(2 * count):
        partner = (i + count) % (2 * count)
        scores = [alike(rows[i], row) / tau for row in rows]
        others = torch.stack([scores[k] for k in range(2 * count) if k != i])
        terms.append(torch.logsumexp(others, dim=0) - scores[partner])
    return sum(terms) / len(terms)


def plain_words(encoder, guesser, row: list[int], hidden: list[int], targets: dict[int, int]) -> list[torch.Tensor]:
    """−log p of each hidden piece of one row."""
    states = encoder.bert(input_ids=torch.tensor([hidden])).last_hidden_state[0]
    logits = guesser(states[list(targets)], encoder.bert.get_input_embeddings().weight)
    return [torch.logsumexp(scores, dim=0) - scores[truth] for scores, truth in zip(logits, targets.values())]


def masked(system: Declutr, batch, seed: int = 3):
    """What is hidden in the anchors under the seed of the context: rows of ids, and {place: truth} for each."""
    longest = max(map(len, batch.anchors))
    padded = torch.tensor([row + [0] * (longest - len(row)) for row in batch.anchors])
    inputs, positions, targets = mask_whole_words(padded, system.pieces, generator=torch.Generator().manual_seed(seed))
    rows = [inputs[i, : len(row)].tolist() for i, row in enumerate(batch.anchors)]
    truths = [{p: t for p, t in zip(positions[i].tolist(), targets[i].tolist()) if t >= 0} for i in range(len(rows))]
    return rows, truths


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"positives_per_anchor": 1, "anchors_per_document": 1},
        {"positives_per_anchor": 4, "temperature": 0.5},
        {"similarity": "dot", "temperature": 2.0},
        {"shared_pass": False},
        {"contrast_weight": 0.3, "mlm_weight": 2.0},
    ],
)
def test_the_whole_loss_is_that_of_plain_loops(tiny: Path, changes: dict) -> None:
    encoder, system, batch, context = parts_of(tiny, **changes)
    settings = context.recipe
    loss, parts = system.loss(batch, context)
    rows, truths = masked(system, batch)
    assert any(row != clean for row, clean in zip(rows, batch.anchors)), "nothing is hidden: the test shows nothing"
    shown = rows if settings.options.shared_pass else batch.anchors
    contrast = plain_contrast(
        [vector(encoder, row) for row in shown],
        [vector(encoder, row) for row in batch.positives],
        settings.options.temperature,
        settings.options.similarity,
    )
    terms = [
        term
        for clean, row, truth in zip(batch.anchors, rows, truths)
        for term in plain_words(encoder, system.guesser, clean, row, truth)
    ]
    words = sum(terms) / len(terms)
    assert parts["contrastive"].item() == pytest.approx(contrast.item(), rel=1e-9)
    assert parts["mlm"].item() == pytest.approx(words.item(), rel=1e-9)
    whole = settings.options.contrast_weight * contrast + settings.options.mlm_weight * words
    assert loss.item() == pytest.approx(whole.item(), rel=1e-9)


@pytest.mark.parametrize("changes", [{}, {"shared_pass": False}, {"mlm_weight": 0.0}, {"contrast_weight": 0.0}])
def test_the_gradient_is_the_slope_of_the_loss(tiny: Path, changes: dict) -> None:
    """Finite differences in float64 along the gradient, and along a random direction."""
    encoder, system, batch, context = parts_of(tiny, **changes)
    weights = [*encoder.parameters(), *system.parameters()]

    def loss() -> torch.Tensor:
        context.generator.manual_seed(3)  # the same words are hidden
        return system.loss(batch, context)[0]

    gradients = torch.autograd.grad(loss(), weights, allow_unused=True)
    gradients = [torch.zeros_like(w) if g is None else g for g, w in zip(gradients, weights)]
    draw, step = torch.Generator().manual_seed(0), 1e-6
    for directions in (gradients, [torch.randn(w.shape, generator=draw, dtype=w.dtype) for w in weights]):
        size = math.sqrt(sum((d**2).sum().item() for d in directions))
        expected = sum((g * d).sum().item() for g, d in zip(gradients, directions)) / size
        values = []
        for sign in (1, -2, 1):  # up, down past where it was, back
            with torch.no_grad():
                for w, d in zip(weights, directions):
                    w += sign * step * d / size
            values.append(loss().item())
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_positives_are_averaged_before_they_are_normalised(tiny: Path) -> None:
    """A long raw vector weighs more in the mean: averaging directions would give another loss."""
    encoder, system, batch, context = parts_of(tiny, mlm_weight=0.0, temperature=0.5)
    anchors = [vector(encoder, row) for row in batch.anchors]
    positives = [vector(encoder, row) for row in batch.positives]
    directions = plain_contrast(anchors, [p / p.norm() for p in positives], 0.5).item()
    found = system.loss(batch, context)[0].item()
    assert found == pytest.approx(plain_contrast(anchors, positives, 0.5).item(), rel=1e-9)
    assert abs(found - directions) > 1e-6


def test_a_shared_pass_shows_the_contrast_the_corrupted_anchors(tiny: Path) -> None:
    found = {}
    for shared in (True, False):
        encoder, system, batch, context = parts_of(tiny, shared_pass=shared)
        calls: list = []
        encoder.bert.register_forward_pre_hook(
            lambda m, a, k, calls=calls: calls.append(k["input_ids"].shape), with_kwargs=True
        )
        found[shared] = system.loss(batch, context)[1]["contrastive"].item(), len(calls)
    assert found[True][1] == 2, "anchors with hidden words, positives"
    assert found[False][1] == 2, "anchors and positives together, anchors with hidden words"
    assert found[True][0] != found[False][0]


def test_the_anchors_of_a_shared_pass_are_pooled_as_the_encoder_pools(tiny: Path) -> None:
    encoder, system, batch, context = parts_of(tiny)
    encoder.pooling = "mean_without_cls"
    batch.anchors[0].insert(3, encoder.tokenizer.cls_token_id)  # the text of a document may hold it
    rows, _ = masked(system, batch)
    found, _ = system.anchors_and_words(batch.anchors, context)
    torch.testing.assert_close(found, encoder.embed_padded(rows))


def test_a_batch_has_the_spans_of_the_sampler(tiny: Path) -> None:
    encoder = tiny_encoder(tiny)
    settings = recipe("declutr", **SMALL, strategy="adjacent", positives_per_anchor=3)
    examples = Declutr.examples(encoder, texts(), settings, 0)
    system, generator = Declutr(encoder, settings), torch.Generator().manual_seed(5)
    batch = system.batch(examples[:2], settings, generator)
    rng = random.Random(torch.randint(2**62, (), generator=torch.Generator().manual_seed(5)).item())
    sampler = SpanSampler(3, 14, 2, 3, "adjacent")
    expected = [(example, spans) for example in examples[:2] for spans in sampler.sample(len(example.tokens), rng)]
    cls, sep = encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id
    assert batch.anchors == [[cls, *example.tokens[slice(*spans.anchor)], sep] for example, spans in expected]
    assert batch.positives == [
        [cls, *example.tokens[slice(*p)], sep] for example, spans in expected for p in spans.positives
    ]
    assert len(batch.token_ids) == 4 + 12 and batch.to(encoder.device) is batch


def test_another_step_draws_other_spans(tiny: Path) -> None:
    trainer = Trainer(
        tiny_encoder(tiny),
        recipe("declutr", **SMALL),
        Declutr.examples(tiny_encoder(tiny), texts(3), recipe("declutr", **SMALL), 0),
        4,
        precision="fp32",
    )
    one = trainer.next_batch()
    assert trainer.next_batch() == one, "the same step gives the same spans"
    trainer.step()
    assert sorted(trainer.next_batch().anchors) != sorted(one.anchors)


@pytest.mark.parametrize(
    ("changes", "parts"),
    [({}, {"mlm", "contrastive"}), ({"mlm_weight": 0.0}, {"contrastive"}), ({"contrast_weight": 0.0}, {"mlm"})],
)
def test_each_part_alone_and_both(tiny: Path, changes: dict, parts: set[str]) -> None:
    result = fit(tiny_encoder(tiny), recipe("declutr", **SMALL, **changes), texts(), progress=False, precision="fp32")
    for step in result.history:
        assert set(step) == {"step", "loss", "lr", "rows", *parts}
        assert step["loss"] == pytest.approx(sum(step[part] for part in parts), rel=1e-5)


@pytest.mark.slow
def test_training_brings_spans_of_a_document_together() -> None:
    """The bundled encoder on made-up stories: the contrastive loss falls well below where it was."""
    settings = recipe("declutr", "smoke", max_span=30, min_span=4, batch_size=8, mlm_weight=0.0)
    encoder = load_encoder(pooling=settings.pooling)
    result = fit(encoder, settings, World(1).documents(24, 200), steps=40, progress=False, precision="fp32")
    losses = [step["contrastive"] for step in result.history]
    assert sum(losses[-8:]) < 0.6 * sum(losses[:8])


@pytest.mark.parametrize(
    ("pooling", "first_layer"), [("mean", 1), ("cls", 1), ("first_last", 0), ("first_last", 1), ("mean_without_cls", 1)]
)
def test_the_shared_pass_pools_as_the_encoder_does(tiny: Path, pooling: str, first_layer: int) -> None:
    """With nothing hidden it would give the vectors of `embed`; here with the hidden rows given to both."""
    encoder = tiny_encoder(tiny, pooling=pooling, first_layer=first_layer).double().eval()
    system = Declutr(encoder, recipe("declutr", **SMALL)).double()
    rows = encoder.tokenize(["a dog runs in the park", "the old man reads", "a kite"])
    found, _ = system.anchors_and_words(rows, moment_of(encoder, recipe("declutr", **SMALL)))
    hidden, _ = masked(system, replace_anchors(rows))
    assert torch.allclose(found, encoder.embed(hidden), atol=1e-12)


def replace_anchors(rows: list[list[int]]):
    from kit.training.objectives.declutr import SpanBatch

    return SpanBatch(rows, [])


@pytest.mark.slow
def test_a_killed_run_goes_on_bit_for_bit(tiny: Path, tmp_path: Path) -> None:
    """SIGKILL between two checkpoints, in a process of its own; then the same call to the end."""
    settings = recipe("declutr", **{**SMALL, "dropout": 0.3, "epochs": 3})

    def train(folder: Path | None, die_at: int = 0):
        encoder = tiny_encoder(tiny)
        found = fit(
            encoder,
            settings,
            texts(),
            folder=folder,
            checkpoint_every=3,
            progress=False,
            precision="fp32",
            callback=lambda told: os.kill(os.getpid(), signal.SIGKILL) if told["step"] == die_at else None,
        )
        return found.history, {k: v.tolist() for k, v in encoder.state_dict().items()}

    child = os.fork()
    if not child:
        try:
            train(tmp_path / "run", die_at=5)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert train(tmp_path / "run") == train(None)


# bad input


def test_documents_too_short_say_how_many_tokens_they_need(tiny: Path) -> None:
    encoder = tiny_encoder(tiny)
    with pytest.raises(
        KitError,
        match=r"recipe 'declutr': expected documents of at least 2·A·ℓmax = 56 tokens, but "
        r"the longest of 2 has 12: give longer ones",
    ):
        fit(encoder, recipe("declutr", **SMALL), ["a dog runs . " * 2, "a dog runs . " * 3], progress=False)


def test_a_document_may_be_longer_than_the_encoder_reads(tiny: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its spans are what is read, so transformers' warning of long texts would be wrong, and nothing is cut."""
    caplog.set_level(logging.WARNING)
    with monitored("transformers", caplog.handler):
        assert len(tokenize_documents(tiny_encoder(tiny), ["dog " * 500])[0]) == 500
    assert caplog.records == []


def test_some_documents_too_short_are_counted(tiny: Path) -> None:
    encoder, settings = tiny_encoder(tiny), recipe("declutr", **SMALL)
    with pytest.warns(KitWarning, match="2 of 6 documents have fewer than the 56 tokens that the spans need"):
        assert len(Declutr.examples(encoder, [*texts(3), "a dog", "dog " * 55, "cat " * 56], settings, 0)) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Declutr.examples(encoder, texts(3), settings, 0)) == 3


def test_an_encoder_too_short_for_the_spans(tiny: Path) -> None:
    encoder = tiny_encoder(tiny, max_length=15)
    with pytest.raises(
        KitError,
        match="recipe 'declutr': expected an encoder with a max_length of 16 or more, as a "
        "span of up to 14 tokens gets .CLS. and .SEP., got one of 15: load it with "
        "max_length=16, or choose max_span=13 or less",
    ):
        Declutr.examples(encoder, texts(), recipe("declutr", **SMALL), 0)
    assert Declutr.examples(tiny_encoder(tiny, max_length=16), texts(), recipe("declutr", **SMALL), 0)


def test_the_wrong_kind_of_data(tiny: Path) -> None:
    for data, got in [
        ("one text", "one string"),
        ([], "none"),
        (["a dog", "  "], "a blank one"),
        ([("a", "b")], "a tuple"),
        ([World(0).groups(1)[0]], "a Group"),
        ({"text": "a dog"}, "a dict"),
    ]:
        with pytest.raises(
            KitError, match=f"recipe 'declutr': expected documents, a list of texts, got {got}: load some"
        ):
            Declutr.examples(tiny_encoder(tiny), data, recipe("declutr", **SMALL), 0)


def test_a_number_that_makes_no_sense() -> None:
    for changes, sentence in [
        ({"min_span": 0}, "a min_span .ℓmin. of 1 token or more, got 0"),
        ({"max_span": 2.5}, "a max_span .ℓmax. of 1 token or more, got 2.5"),
        ({"min_span": 512}, r"a min_span .ℓmin. below max_span .ℓmax., got \(512, 512\)"),
        ({"anchors_per_document": 0}, "1 anchor .A. or more in a document, got 0"),
        ({"positives_per_anchor": -1}, "1 positive .P. or more for an anchor, got -1"),
        ({"strategy": "overlapping"}, "strategy 'any' or 'adjacent' or 'subsuming', got 'overlapping'"),
        ({"anchor_starts": None}, "anchor_starts 'paper' or 'code', got None"),
        ({"shared_pass": 1}, "shared_pass True or False, got 1"),
        ({"contrast_weight": -0.5}, "a contrast_weight of 0 or more, got -0.5"),
        ({"contrast_weight": math.nan}, "a contrast_weight of 0 or more, got nan"),
    ]:
        with pytest.raises(KitError, match=f"recipe 'declutr': expected {sentence}"):
            recipe("declutr", **changes)


def test_without_either_part_there_is_nothing_to_learn(tiny: Path) -> None:
    with pytest.raises(KitError, match="expected contrast_weight or mlm_weight above 0, got 0 for both"):
        fit(tiny_encoder(tiny), recipe("declutr", **SMALL, mlm_weight=0.0, contrast_weight=0), texts(), progress=False)


# the recipe


def test_the_recipe_has_the_papers_numbers() -> None:
    """Giorgi et al. 2021, sections 3.2 and 4.1; what differs is said in words."""
    paper = recipe("declutr").as_dict()
    wanted = {
        "min_span": 32,
        "max_span": 512,
        "anchors_per_document": 2,
        "positives_per_anchor": 2,
        "batch_size": 16,
        "temperature": 0.05,
        "similarity": "cosine",
        "lr": 5e-5,
        "weight_decay": 0.1,
        "schedule": "slanted",
        "warmup": 0.1,
        "clip": 1.0,
        "mlm_weight": 1.0,
        "contrast_weight": 1.0,
        "pooling": "mean",
        "strategy": "any",
        "anchor_starts": "paper",
        "shared_pass": True,
        "word_head": "pretrained",
        "data_format": "documents",
    }
    assert {name: paper[name] for name in wanted} == wanted
    said = recipe("declutr").deviations
    assert all(word in said for word in ("mean", "word pieces", "whole words"))
    assert recipe("declutr").objective is Declutr


def test_the_spans_of_a_preset_fit_the_bundled_encoder() -> None:
    for preset in ["smoke", "laptop"]:
        settings, encoder = recipe("declutr", preset), load_encoder()
        assert settings.options.max_span + 2 <= encoder.max_length
        assert settings.options.max_span / settings.options.min_span == pytest.approx(512 / 32, rel=0.05)


def test_tokenised_documents_are_whole(tiny: Path) -> None:
    encoder = tiny_encoder(tiny)
    long = texts(1, words=500)[0]
    (ids,) = tokenize_documents(encoder, [long])
    assert len(ids) >= 500 and encoder.tokenizer.cls_token_id not in ids
    assert encoder.tokenizer.decode(ids) == long
    many = tokenize_documents(encoder, texts(70))
    assert many == [tokenize_documents(encoder, [text])[0] for text in texts(70)]
    assert Document(ids).size == 1
