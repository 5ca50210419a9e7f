"""Training on a stream: the batches of a list, bounded memory, and a resume that continues bit for bit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest
import torch

from kit.data import Group, KitWarning
from kit.data.multiples import multiples
from kit.errors import KitError
from kit.scaling import load_stream, stream_of
from kit.scaling import shuffle_buffer as stream_module
from kit.scaling.row_files import READ_ROWS
from kit.scaling.shuffle_buffer import ShuffleBuffer
from kit.training import Trainer, fit, recipe
from kit.training.batches import POOL, epoch_of_batches
from kit.training.example_sources import open_data, source_of
from kit.workshop.run_record import Run
from tests.tiny import WORDS, tiny_encoder, tiny_groups, write_tiny_bert
from tests.training.shared import Stopped, stop_at

RECIPES = {
    "groups": "scl",
    "triplets": "simcse",
    "pairs": "mnrl",
    "multi_positive": "supmpn",
    "self_pairs": "simcse_unsup",
    "sentences": "tsdae",
}
BATCH = 4
SMALL = {"batch_size": BATCH, "dropout": 0.3, "lr": 1e-3}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def endless_groups() -> Iterator[Group]:
    """Premises of the tiny vocabulary, no two alike, with an entailed, a neutral and a contradicted hypothesis."""
    for i in count():
        name = " ".join(WORDS[i // len(WORDS) ** k % len(WORDS)] for k in range(4))
        yield Group(
            i,
            f"a {name} runs" + " in the old garden" * (i % 3),
            (f"the {name} runs", f"a {name} is old", f"nobody {name}"),
            (0, 1, 2),
        )


def many(groups: int) -> Callable[[], Iterator[Group]]:
    return lambda: islice(endless_groups(), groups)


def buffers_of(tiny: Path, groups, name: str = "scl", buffer: int = 50, seed: int = 0, **settings) -> ShuffleBuffer:
    made = recipe(name, **SMALL)
    return ShuffleBuffer(
        tiny_encoder(tiny, pooling=made.pooling), stream_of(groups, buffer=buffer), made, seed, **settings
    )


def run(
    tiny: Path,
    data,
    folder: Path | None = None,
    *,
    name: str = "scl",
    seed: int = 0,
    steps: int | None = None,
    callback=None,
    **changes,
):
    made = recipe(name, **{**SMALL, **changes})
    encoder = tiny_encoder(tiny, pooling=made.pooling)
    result = fit(
        encoder,
        made,
        data,
        seed=seed,
        steps=steps,
        folder=folder,
        checkpoint_every=4,
        callback=callback,
        progress=False,
    )
    return result, encoder.state_dict()


@pytest.mark.parametrize("data_format", RECIPES)
def test_a_stream_of_one_buffer_gives_the_batches_of_the_list(tiny: Path, data_format: str) -> None:
    groups, made = tiny_groups(40), recipe(RECIPES[data_format], **SMALL)
    assert made.data_format == data_format
    data = [t for g in groups for t in (g.anchor, *g.hypotheses)] if data_format == "sentences" else groups
    encoder = tiny_encoder(tiny, pooling=made.pooling)
    examples = made.objective.examples(encoder, data, made, 3)
    buffers = ShuffleBuffer(encoder, stream_of(data), made, 3)
    for epoch in range(3):
        expected = epoch_of_batches(examples, BATCH, 3, epoch)
        assert buffers.batches(epoch) == expected and len(expected) > 3
    assert buffers.batches(1) == epoch_of_batches(examples, BATCH, 3, 1), "and back again"


def test_ready_multiples_stream_too(tiny: Path) -> None:
    made = recipe("supmpn", **SMALL)
    assert len(ShuffleBuffer(tiny_encoder(tiny), stream_of(multiples(tiny_groups(12))), made, 0).batches(0)) == 3


def test_the_batch_order_of_a_recipe_is_that_of_a_stream(tiny: Path) -> None:
    groups, made = list(many(40)()), recipe("scl", **SMALL, batch_order="by_length")
    encoder = tiny_encoder(tiny, pooling=made.pooling)
    examples = made.objective.examples(encoder, groups, made, 3)
    found = ShuffleBuffer(encoder, stream_of(groups), made, 3).batches(0)
    assert found == epoch_of_batches(examples, BATCH, 3, 0, "by_length") != epoch_of_batches(examples, BATCH, 3, 0)


def test_each_buffer_of_an_epoch_has_an_order_of_its_own(tiny: Path) -> None:
    buffers, orders = buffers_of(tiny, many(600), buffer=1), []
    for number in (0, 1):
        batches = buffers.batches(number)
        places = {tuple(example.anchor): place for place, example in enumerate(buffers.buffer.examples)}
        orders.append([places[tuple(example.anchor)] for batch in batches for example in batch])
    assert len(orders[0]) == len(orders[1]) and orders[0] != orders[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scl", "simcse"])
def test_a_training_is_that_on_the_list(tiny: Path, name: str) -> None:
    groups = tiny_groups(20)
    listed, streamed = (run(tiny, data, name=name, epochs=2) for data in (groups, stream_of(groups)))
    assert streamed[0].history == listed[0].history and len(listed[0].history) > 8
    assert all(torch.equal(value, listed[1][key]) for key, value in streamed[1].items())


def test_every_premise_comes_once_an_epoch_and_buffers_differ(tiny: Path) -> None:
    buffers, epochs = buffers_of(tiny, many(600), buffer=1), []
    for number in range(9):
        batches = buffers.batches(number)
        assert all(sum(example.size for example in batch) <= BATCH + 2 for batch in batches)
        epochs += [[]] if buffers.buffer.start.chunk == 0 else []
        epochs[-1] += [tuple(example.anchor) for batch in batches for example in batch]
        assert buffers.buffer.number == number and len(batches) > POOL
    assert [len(set(anchors)) for anchors in epochs[:2]] == [len(anchors) for anchors in epochs[:2]] == [600, 600]
    assert epochs[0] != epochs[1] and sorted(epochs[0]) == sorted(epochs[1])


@pytest.mark.slow
def test_pools_follow_the_seed_and_not_the_thread(tiny: Path) -> None:
    def two(seed: int, **settings) -> list:
        buffers = buffers_of(tiny, many(600), seed=seed, **settings)
        return [buffers.batches(number) for number in range(4)]

    assert two(0, ahead=True) == two(0, ahead=False) == two(0) != two(1)


@pytest.mark.slow
def test_training_on_a_million_rows_reads_no_more_than_it_needs(tiny: Path) -> None:
    pulled = [0]

    def make() -> Iterator[Group]:
        for number, group in enumerate(islice(endless_groups(), 1_000_000)):
            pulled[0] = max(pulled[0], number)
            yield group

    data = stream_of(make, buffer=10)
    assert pulled[0] <= 2 * READ_ROWS
    pulled[0], chunk = 0, POOL * BATCH  # 128 premises, three pairs each: 64 batches of two premises
    result, _ = run(tiny, data, steps=70)
    assert len(result.history) == result.steps == 70
    assert 2 * chunk <= pulled[0] <= (2 + 2) * chunk + READ_ROWS, "two buffers, and the rows of a chunk"


@pytest.mark.slow
def test_training_lowers_the_loss(tiny: Path) -> None:
    result, _ = run(
        tiny,
        stream_of(many(400), buffer=10),
        steps=120,
        dropout=0.0,
        similarity="cosine",
        temperature=0.1,
        batch_size=12,
    )
    losses = [told["loss"] for told in result.history]
    assert sum(losses[-20:]) < 0.9 * sum(losses[:20])


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the chunks that were tokenised, as they come."""
    sizes, plain = [], ShuffleBuffer._tokenize
    monkeypatch.setattr(ShuffleBuffer, "_tokenize", lambda self, data: sizes.append(len(data)) or plain(self, data))
    return sizes


PAIRED = {"name": "simcse", "batch_size": 2}  # buffers of 64 premises, 32 batches; the last of an epoch takes the rest


@pytest.fixture(scope="module")
def undisturbed(tiny: Path) -> tuple:
    return run(tiny, stream_of(many(140), buffer=10), steps=80, **PAIRED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deaths", "ahead"), [([2], False), ([6], True), ([32, 34], False), ([50], False), ([72, 79], True)]
)
def test_a_stopped_run_continues_bit_for_bit(
    tiny: Path, undisturbed: tuple, tmp_path: Path, deaths: list[int], ahead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShuffleBuffer.__init__, "__defaults__", (ahead,))
    for step in deaths:
        with pytest.raises(Stopped):
            run(tiny, stream_of(many(140), buffer=10), tmp_path, steps=80, callback=stop_at(step), **PAIRED)
    seen: list[dict] = []
    resumed = run(tiny, stream_of(many(140), buffer=10), tmp_path, steps=80, callback=seen.append, **PAIRED)
    assert seen[0]["step"] == (deaths[-1] - 1) // 4 * 4 + 1, "it went on from the newest checkpoint"
    assert resumed[0].history == undisturbed[0].history
    assert all(torch.equal(value, undisturbed[1][key]) for key, value in resumed[1].items())


@pytest.mark.slow
def test_what_a_resumed_run_has_seen_is_not_tokenised_again(tiny: Path, tmp_path: Path, tokenised: list[int]) -> None:
    data = stream_of(many(2000), buffer=10)
    with pytest.raises(Stopped):
        run(tiny, data, tmp_path, steps=200, callback=stop_at(195), **PAIRED)
    assert len(tokenised) == 7
    tokenised.clear()
    run(tiny, data, tmp_path, steps=200, **PAIRED)
    assert len(tokenised) == 3, "the first, which tells whether the data are the same, the current and the next"


def test_a_trainer_can_be_put_back(tiny: Path) -> None:
    made = recipe("scl", **SMALL)
    encoder = tiny_encoder(tiny, pooling=made.pooling)
    trainer = Trainer(encoder, made, open_data(encoder, stream_of(many(300), buffer=10), made, 0), steps=200)
    kept, batches = trainer.state(), []
    for _ in range(100):
        batches.append(trainer.next_batch().token_ids)
        trainer.step_number += 1
    later = trainer.state()
    trainer.load_state(kept, 3)
    assert trainer.next_batch().token_ids == batches[3]
    trainer.load_state(later, 99)
    assert trainer.next_batch().token_ids == batches[99]
    trainer.load_state(kept, 70)
    assert trainer.next_batch().token_ids == batches[70], "from an older position the buffers between are read"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"buffer": 200}, "data: "),
        ({"seed": 1}, "data: "),
        ({"name": "other"}, "data: "),
        ({"rows": lambda: islice(endless_groups(), 1, 301)}, "data: "),
    ],
)
def test_a_checkpoint_of_another_stream(tiny: Path, tmp_path: Path, changes: dict, sentence: str) -> None:
    settings = {"rows": many(300), "name": "own rows", "buffer": 10, "seed": 0}
    run(tiny, stream_of(**settings), tmp_path, steps=4)
    with pytest.raises(KitError, match=f"belongs to another .{sentence}"):
        run(tiny, stream_of(**{**settings, **changes}), tmp_path, steps=4)


def test_a_stream_of_unknown_length_needs_steps(tiny: Path) -> None:
    with pytest.raises(KitError, match=r"a number of steps, as a stream .* before it is read: give steps=…\.") as told:
        run(tiny, stream_of(many(300), buffer=10))
    assert "\n" not in str(told.value)
    with pytest.raises(KitError, match="its epoch has 300 rows, a batch 4"):
        run(tiny, stream_of(list(many(300)()), buffer=10))


@pytest.mark.parametrize("name", ["declutr", "pause"])
def test_formats_that_need_all_data_at_once_say_so(tiny: Path, name: str) -> None:
    made = recipe(name)
    with pytest.raises(KitError, match=f"recipe '{name}' needs all its data at once"):
        ShuffleBuffer(tiny_encoder(tiny), stream_of(tiny_groups()), made, 0)


def test_data_of_the_wrong_kind_are_told_at_once(tiny: Path) -> None:
    with pytest.raises(KitError, match="expected NLI groups for the format 'groups', but number 0 is the string"):
        run(tiny, stream_of(["a dog runs"] * 10), steps=3)
    with pytest.raises(KitError, match="at least one entailed hypothesis"):
        run(tiny, stream_of([replace(g, labels=(1,) * len(g.labels)) for g in tiny_groups()]), steps=3)


def test_a_later_chunk_without_positives_is_left_out_with_a_word(tiny: Path) -> None:
    def make() -> Iterator[Group]:
        for number, group in enumerate(islice(endless_groups(), 600)):
            yield replace(group, labels=(1, 1, 2)) if 100 < number < 400 else group

    buffers = buffers_of(tiny, make, buffer=10)
    with pytest.warns(KitWarning, match=r"chunk \d of epoch 0 is skipped: expected at least one entailed"):
        buffers.batches(1)
    assert buffers.buffer.start.chunk > 1 and buffers.buffer.number == 1


def test_a_later_chunk_with_a_sentence_that_is_no_text_stops_the_training(tiny: Path) -> None:
    """Left out with a word, one such sentence would cost a whole chunk in every epoch."""

    def make() -> Iterator[Group]:
        for number, group in enumerate(islice(endless_groups(), 600)):
            yield replace(group, anchor="\ud83d") if number == 150 else group

    buffers = buffers_of(tiny, make, buffer=10)
    with pytest.raises(KitError, match=r"number \d+ holds half of a character"):
        for number in range(6):
            buffers.batches(number)


def test_an_error_in_the_middle_of_the_rows_is_raised_by_the_training(tiny: Path) -> None:
    def make() -> Iterator[dict]:
        for i in range(900):
            yield {"premise": f"a dog {i}", "hypothesis": "the dog runs", "label": 0 if i < 800 else 8}

    with pytest.raises(KitError, match="a label must be .* has 8"):
        run(tiny, stream_of(make, buffer=10), steps=400)


def test_waiting_is_counted(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(step=5)  # every look at it is five seconds later
    monkeypatch.setattr(stream_module.time, "perf_counter", lambda: next(clock))
    buffers = buffers_of(tiny, many(600), buffer=10)
    for number in range(3):
        buffers.batches(number)
    assert buffers.waited == 3 * 5


def test_a_named_run_takes_a_stream(tiny: Path, tmp_path: Path) -> None:
    made = recipe("scl", **SMALL)
    data = stream_of(many(300), buffer=10)
    kept = Run("streamed", tiny_encoder(tiny, pooling=made.pooling), made, data, steps=5, folder=tmp_path)
    result = kept.train(progress=False)
    assert result.steps == 5 and json.loads((tmp_path / "streamed" / "run.json").read_text())["finished"]


def test_a_list_has_the_batches_it_had(tiny: Path) -> None:
    made = recipe("scl", **SMALL)
    examples = open_data(tiny_encoder(tiny, pooling=made.pooling), tiny_groups(40), made, 5)
    assert source_of(examples, made, 5).batches(2) == epoch_of_batches(examples, BATCH, 5, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ('"positive": null}', r"line 51 of rows-\d.jsonl has None"),
        ('"positive": nu', r"rows-\d.jsonl .line 51 is not JSON"),
    ],
)
def test_a_run_that_met_a_bad_row_goes_on_with_the_repaired_file(
    tiny: Path, tmp_path: Path, bad: str, said: str
) -> None:
    """The row is of a later file, so that there is a checkpoint although nothing of that file was read."""
    pairs = ({"anchor": group.anchor, "positive": group.hypotheses[0]} for group in islice(endless_groups(), 2400))
    rows, files = list(map(json.dumps, pairs)), [tmp_path / f"rows-{i}.jsonl" for i in range(2)]
    for file in files:
        file.write_text(rows[0])
    first, later = (files[i] for i in load_stream("own", path=files)._order(0))
    first.write_text("\n".join(rows[:2200]))

    def train(rows: list[str], out: Path, **opened) -> tuple:
        later.write_text("\n".join(rows[2200:]))
        data, seen = load_stream("own", path=files, buffer=10, **opened), []
        made = run(tiny, data, out, steps=74, callback=seen.append, name="mnrl", batch_size=32)
        return made, seen

    with pytest.raises(KitError, match=rf"{said}.*put right, load_stream\(…, repairs='sha256:") as stopped:
        train([*rows[:2250], rows[2250].split('"positive"')[0] + bad, *rows[2251:]], tmp_path / "run")
    with pytest.raises(KitError, match="belongs to another"):
        train(rows, tmp_path / "run")
    [revision] = re.findall(r"repairs='([^']+)'", str(stopped.value))
    (again, seen), (whole, _) = train(rows, tmp_path / "run", repairs=revision), train(rows, tmp_path / "whole")
    assert seen[0]["step"] > 4, "it went on from a checkpoint"
    assert again[0].history == whole[0].history
