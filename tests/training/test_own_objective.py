"""What others write for `fit`: a recipe of their own, options, an objective, and what is said where one is wrong."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import nn

from kit.errors import KitError
from kit.retrieval import matryoshka
from kit.storage.run_identity import settings_of
from kit.training import RECIPES, fit, recipe
from kit.training.objectives import Objective
from kit.training.objectives.contrast import Contrast, ContrastOptions
from kit.training.settings import Options, Recipe
from tests.tiny import tiny_encoder, write_tiny_bert

PAIRS = [("a dog runs", "the dog is old"), ("a cat sleeps", "nobody sings"), ("a bird", "a red hat"), ("two", "a kite")]


@dataclass(frozen=True)
class Pair:
    first: list[int]
    second: list[int]
    size: int = 1


@dataclass(frozen=True)
class Rows:
    token_ids: list[list[int]]

    def to(self, device: torch.device) -> Rows:
        return self


@dataclass(frozen=True)
class MyOptions(Options):
    data_format = "pairs"
    makes: Any = field(default=None, repr=False)  # the objective, where a test has another one
    margin: float = 0.5
    chunk: int | None = None

    @property
    def objective(self) -> type:
        return MADE.get(self.makes, Mine)

    def rules(self, recipe: Recipe) -> list:
        return [(self.margin > 0, "a margin above 0", self.margin), *super().rules(recipe)]


class Mine(Objective):
    name = "mine"
    factor = 1.0

    @staticmethod
    def examples(encoder, data, recipe, seed):
        return [Pair(*encoder.tokenize(list(pair))) for pair in data]

    def batch(self, examples, recipe, generator=None):
        return Rows([e.first for e in examples] + [e.second for e in examples])

    def loss(self, batch, context):
        u, v = context.embed(batch.token_ids).chunk(2)
        loss = self.factor * nn.functional.cross_entropy(u @ v.T, torch.arange(len(u)))
        return loss, {"pull": loss.detach()}


def changed(name: str, **members) -> type:
    return type(name, (Mine,), members)


def loss_is(make) -> type:
    def loss(self, batch, context):
        return make(*Mine.loss(self, batch, context))

    return changed("Wrong", loss=loss)


class TwoPasses(Mine):
    def loss(self, batch, context):
        half = len(batch.token_ids) // 2
        u, v = context.embed(batch.token_ids[:half]), context.embed(batch.token_ids[half:])
        return nn.functional.cross_entropy(u @ v.T, torch.arange(half)), {}


class Twice(Mine):
    def loss(self, batch, context):
        u, v = context.embed(batch.token_ids), context.embed(batch.token_ids)
        return nn.functional.cross_entropy(u @ v.T, torch.arange(len(u))), {}


class Late(Mine):
    """Its parts have the name of a step's own number, but not in the first batch, which is looked at."""

    def loss(self, batch, context):
        loss, parts = super().loss(batch, context)
        return loss, {"lr": -loss.detach()} if context.step else parts


class Louder(Mine):
    factor = 3.0


class LouderContrast(Contrast):
    def loss(self, batch, context):
        loss, parts = super().loss(batch, context)
        return 3 * loss, parts


@dataclass(frozen=True)
class LouderOptions(ContrastOptions):
    @property
    def objective(self) -> type:
        return LouderContrast


def keep_encoder(self, encoder, recipe):
    Objective.__init__(self, encoder, recipe)
    self.encoder = encoder


@dataclass(frozen=True)
class Holding:
    row: torch.Tensor
    size: int = 1


MADE = {
    "louder": Louder,
    "two passes": TwoPasses,
    "twice": Twice,
    "late": Late,
    "floats": loss_is(lambda loss, parts: (loss, {"pull": 0.5})),
    "several": loss_is(lambda loss, parts: (loss, {"pull": torch.ones(3)})),
    "alone": loss_is(lambda loss, parts: loss),
    "rows": loss_is(lambda loss, parts: (loss.expand(3), parts)),
    "none": loss_is(lambda loss, parts: (loss, None)),
    "taken": loss_is(lambda loss, parts: (loss, {"lr": loss.detach()})),
    "no to": changed("Wrong", batch=lambda self, *given: SimpleNamespace(token_ids=[])),
    "to none": changed("Wrong", batch=lambda self, *given: SimpleNamespace(token_ids=[], to=lambda device: None)),
    "encoder": changed("Wrong", __init__=keep_encoder),
    "no list": changed("Wrong", examples=staticmethod(lambda *given: None)),
    "no examples": changed("Wrong", examples=staticmethod(lambda *given: [])),
    "no size": changed("Wrong", examples=staticmethod(lambda *given: [SimpleNamespace(ids=[1])])),
    "no dataclass": changed("Wrong", examples=staticmethod(lambda *given: [SimpleNamespace(size=1)])),
    "tensor": changed("Wrong", examples=staticmethod(lambda *given: [Holding(torch.ones(2))])),
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def mine(makes: str | None = None, options: Options | None = None, **settings) -> Recipe:
    settings = {"batch_size": 4, "lr": 1e-3, "dropout": 0.0, **settings}
    return Recipe("mine", "Mine", "me", options or MyOptions(makes=makes), **settings)


def run(tiny: Path, made: Recipe, folder: Path | None = None, **settings):
    return fit(tiny_encoder(tiny), made, PAIRS, steps=3, folder=folder, progress=False, **settings)


def test_an_objective_of_ones_own_trains_and_is_resumed(tiny: Path, tmp_path: Path) -> None:
    first = run(tiny, mine(), tmp_path)
    assert list(first.history[0]) == ["step", "loss", "lr", "rows", "pull"] and first.history[0]["rows"] == 8
    assert run(tiny, mine(), tmp_path).history == first.history == run(tiny, mine()).history
    chunked = run(tiny, mine(options=MyOptions(chunk=3)))
    assert [h["loss"] for h in chunked.history] == pytest.approx([h["loss"] for h in first.history], rel=1e-3)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"clip": -1.0}, r"a gradient norm \(clip\) above 0, or None, got -1.0"),
        ({"epochs": 0}, "epochs above 0"),
        ({"batch_size": 0}, "a batch_size of 1 or more"),
        ({"warmup": 5}, "warmup as a fraction"),
        ({"dropout": 2.0}, "dropout from 0 to below 1"),
        ({"lr": -1}, r"a learning rate \(lr\) above 0"),
        ({"schedule": "cosine"}, "schedule 'linear', 'constant' or 'slanted', got 'cosine'"),
        ({"pooling": "avg"}, "unknown pooling 'avg'"),
        ({"options": MyOptions(margin=-1.0)}, "a margin above 0, got -1.0"),
    ],
)
def test_a_recipe_obeys_its_rules_however_it_is_made(settings: dict, told: str) -> None:
    with pytest.raises(KitError, match=told):
        mine(**settings)
    with pytest.raises(KitError, match=told):
        replace(mine(), **settings)


def options_of(name: str, decorated: bool = False, base: type = MyOptions, **members) -> Options:
    made = type(name, (base,), {"__module__": __name__, **members})
    return (dataclass(frozen=True)(made) if decorated else made)()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (lambda: options_of("Mine", margin=5.0), "every setting of Mine as a field, .* but margin is none"),
        (lambda: options_of("Mine", decorated=True, margin=5.0), ".*but margin is none: write @dataclass"),
        (lambda: options_of("Mine", decorated=True, base=Options, objective=Mine, k=5), ".* but k is none"),
        (lambda: options_of("Pairs", base=ContrastOptions, data_format="pairs"), ".* but data_format is none"),
        (lambda: None, "options of a class derived from kit.training.settings.Options, got None"),
        (lambda: options_of("Bare", base=Options, objective=Mine), "data_format named in Bare, a text, got None"),
        (lambda: options_of("Odd", objective=lambda self: Mine), "objective a class that Odd returns by a @property"),
        (lambda: options_of("Odd", objective=nn.Linear), "objective with name, as Objective has it, got 'Linear'"),
        (lambda: MyOptions(margin=torch.tensor(0.5)), "margin made of numbers, texts and lists, .* got a Tensor"),
        (lambda: replace(MyOptions(), margin=np.float32(1)), "margin made of numbers"),
        (lambda: MyOptions(margin=float("inf")), "margin made of numbers, .* got inf"),
    ],
)
def test_options_that_a_run_would_not_know_are_refused(options, told: str) -> None:
    with pytest.raises(KitError, match=f"recipe 'mine': expected {told}") as error:
        Recipe("mine", "Mine", "me", options())
    assert "\n" not in str(error.value)


def test_what_is_no_setting_may_stand_in_options() -> None:
    fixed = {"data_format": "mine", "LEAST": 3, "__annotations__": {"LEAST": ClassVar[int]}, "objective": Mine}
    assert mine(options=options_of("Fixed", decorated=True, base=Options, **fixed)).data_format == "mine"


@pytest.mark.parametrize(
    ("makes", "told"),
    [
        ("floats", "Wrong.loss to return pull as a tensor of one number, detached, got 0.5"),
        ("several", "Wrong.loss to return pull as a tensor of one number, detached, got a Tensor"),
        ("alone", "Wrong.loss to return a pair: the loss, and a dict of its parts .*, got a Tensor"),
        ("rows", "Wrong.loss to return first the loss, a tensor of one number"),
        ("none", "Wrong.loss to return second a dict of the loss's parts .*, got None"),
        ("taken", "Wrong.loss to return parts with names other than step, loss, lr, rows, .*, got 'lr'"),
        ("no to", r"Wrong.batch to return an object with token_ids and to\(device\)"),
        ("to none", r"Wrong.batch to return an object whose to\(device\) returns such a batch, got None"),
        ("encoder", "weights of its own in Wrong, but encoder.bert.* is the encoder's"),
        ("no list", "Wrong.examples to return a list with an example or more, got None"),
        ("no examples", "Wrong.examples to return a list with an example or more, got a list"),
        ("no size", "Wrong.examples to return dataclasses with size, a whole number"),
        ("no dataclass", "Wrong.examples to return dataclasses of numbers and lists"),
        ("tensor", "Wrong.examples to return dataclasses of numbers and lists"),
    ],
)
def test_what_an_objective_returns_is_said_before_anything_has_changed(tiny: Path, makes: str, told: str) -> None:
    encoder = tiny_encoder(tiny)
    with pytest.raises(KitError, match=f"expected {told}") as error:
        fit(encoder, mine(makes), PAIRS, steps=3, progress=False)
    assert "\n" not in str(error.value)
    assert all(torch.equal(a, b) for a, b in zip(encoder.parameters(), tiny_encoder(tiny).parameters()))


def test_a_part_never_takes_the_place_of_a_steps_own_number(tiny: Path) -> None:
    rates = [[step["lr"] for step in run(tiny, mine(makes)).history] for makes in ("late", None)]
    assert rates[0] == rates[1]


def test_sorted_batches_need_lengths(tiny: Path) -> None:
    with pytest.raises(KitError, match="Mine.examples to return dataclasses with longest, a whole number"):
        run(tiny, mine(batch_order="by_length"))


@pytest.mark.parametrize("makes", ["two passes", "twice"])
def test_a_chunk_takes_the_whole_batch_once(tiny: Path, makes: str) -> None:
    """Where the vectors are there already, another call would get those of other rows, or the same dropout."""
    assert run(tiny, mine(makes)).steps == 3
    with pytest.raises(KitError, match=r"expected one context.embed\(batch.token_ids\) in the loss of Tw"):
        run(tiny, mine(options=MyOptions(makes=makes, chunk=3)))


def test_another_objective_of_the_same_name_is_another_run(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    run(tiny, mine(), tmp_path)
    monkeypatch.setitem(MADE, None, Louder)
    with pytest.raises(KitError, match=r"belongs to another .*objective: 'mine \(Mine, code .*' there, 'mine \(Louder"):
        run(tiny, mine(), tmp_path)


def test_another_loss_of_the_same_class_is_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(code: str, file: str) -> str:
        """What a run says of the class with this loss; file: where its source is kept, as a notebook keeps a cell's."""
        source, space = f"def loss(self, x):\n    {code}\n", {}
        linecache.cache[f"<kept {code}>"] = (len(source), None, source.splitlines(True), f"<kept {code}>")
        exec(compile(source, file, "exec"), space)
        monkeypatch.setitem(MADE, "edited", changed("Mine", loss=space["loss"]))
        return settings_of(mine("edited"))["objective"]

    for kept in ("<kept {}>", "<nowhere>"):
        one, same, other = (
            told(code, kept.format(code)) for code in ("return 1 * x", "return 1 * x  # a remark", "return 2 * x")
        )
        assert one == same != other


def test_a_class_of_the_kits_own_name_is_not_the_kits() -> None:
    theirs, louder = settings_of(recipe("mnrl")), settings_of(Recipe("mnrl", "", "", LouderOptions("pairs")))
    assert theirs["objective"] == "contrast" and louder["objective"].startswith("contrast (LouderContrast, code ")


def test_runs_of_the_kits_recipes_are_known_by_the_names_that_they_had() -> None:
    for one in RECIPES.values():
        known = {k: v for k, v in one.as_dict().items() if k not in ("title", "source", "deviations")}
        assert settings_of(one) == known and " " not in known["objective"]
    assert settings_of(matryoshka(recipe("mnrl"), (16, 32)))["objective"] == "matryoshka contrast"
    assert settings_of(matryoshka(mine(), (16, 32)))["objective"].startswith("matryoshka mine (MatryoshkaMine, code ")
