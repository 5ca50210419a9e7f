"""Two processes with half of the rows each train what one process with all rows trains."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import fields, make_dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file
from torch.multiprocessing import start_processes

from kit.commands import main
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.scaling import distributed, ranks
from kit.scaling.distributed import TrainingRanks, partition
from kit.scaling.ranks import Ranks, connect
from kit.scaling.traffic import traffic
from kit.training import RECIPES, Trainer, recipe
from kit.training.objectives.contrast import Contrast
from tests.forks import FORKS
from tests.scaling.ranks_shared import (
    CASES,
    REFUSED,
    RUNS,
    SENTENCES,
    SETTINGS,
    SOME,
    file_of,
    launched,
    outcome,
    parts_of,
    streamed,
    work,
)
from tests.tiny import tiny_encoder, write_tiny_bert
from tests.training.shared import reached_by

ROOT = Path(__file__).resolve().parents[2]
SIZE = 2
pytestmark = pytest.mark.slow  # two processes, twice; nightly two launchers
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def out(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two gloo processes have written, see `ranks_shared.work`."""
    folder = tmp_path_factory.mktemp("ranks")
    start_processes(work, (SIZE, tiny, folder), nprocs=SIZE, start_method=FORKS.get_start_method())
    return folder


@pytest.fixture(scope="module")
def told(out: Path) -> list[dict]:
    return [json.loads((out / f"told-{rank}.json").read_text()) for rank in range(SIZE)]


@pytest.fixture(scope="module")
def alone(tiny: Path):
    """What one process finds: a function of (case, precise)."""
    known: dict[tuple, dict] = {}

    def find(case: str, precise: bool) -> dict[str, torch.Tensor]:
        if (case, precise) not in known:
            known[case, precise] = outcome(Trainer(*parts_of(tiny, case)), precise)
        return known[case, precise]

    return find


def apart(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference, of the largest number."""
    return ((found - wanted).abs().max() / wanted.abs().max()).item()


@pytest.mark.parametrize(("case", "way"), [run for run in RUNS if not run[1].startswith("naive")])
def test_two_ranks_find_what_one_process_finds(out: Path, alone, case: str, way: str) -> None:
    one = alone(case, way == "float64")
    exact = 1e-12 if way == "float64" else 1e-6
    for rank in range(SIZE):
        found = load_file(file_of(out, case, way, rank))
        assert one["rows"] == found["rows"] > 5 and one["gradient"].norm() > SETTINGS["clip"], "clipping has work"
        for name in ("loss", "parts", "gradient"):
            assert (found[name] - one[name]).abs().max() < exact, name
        assert torch.equal(found["missing"], one["missing"]), "who has a gradient"
        assert apart(found["steps"], one["steps"]) < 1e-4
        if way == "float64":  # in float32 AdamW makes much of a gradient that is nothing but rounding
            assert apart(found["steps"], one["steps"]) < 1e-9 and apart(found["weights"], one["weights"]) < 1e-9


def test_the_ranks_stay_equal_to_the_last_bit(out: Path) -> None:
    for case, way in RUNS:
        if not way.startswith("naive"):
            first, second = (load_file(file_of(out, case, way, rank)) for rank in range(SIZE))
            assert first.keys() == second.keys(), (case, way)
            assert all(torch.equal(first[name], second[name]) for name in first), (case, way)


def test_some_shares_are_uneven(out: Path) -> None:
    rows = {case: int(load_file(file_of(out, case, "float64", 0))["rows"]) for case in CASES}
    assert any(count % SIZE for count in rows.values()), rows


@pytest.mark.parametrize("way", ["naive", "naive, replicated"])
def test_a_naive_gather_has_the_right_loss_and_a_wrong_gradient(out: Path, alone, way: str) -> None:
    for case in SOME:
        one, found = alone(case, False), load_file(file_of(out, case, way, 0))
        assert apart(found["loss"], one["loss"]) < 1e-5, "the loss does not tell"
        assert apart(found["gradient"], one["gradient"]) > 0.1
        if way == "naive, replicated":  # one's own rows put back: the encoder's direction is saved, not its length
            encoder = slice(0, int(one["encoder"]))
            assert apart(SIZE * found["gradient"][encoder], one["gradient"][encoder]) < 1e-5


def test_every_recipe_is_tried_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "connect", lambda device: Ranks(0, 2))
    refused = set()
    for name in RECIPES:
        try:
            distributed.ranks_for(recipe(name), torch.device("cpu"))
        except KitError as error:
            assert str(error).startswith(f"recipe {name!r} on 2 ranks: expected ") and "one process" in str(error)
            refused.add(name)
    assert refused == REFUSED and refused | {name for name, _ in CASES.values()} == RECIPES.keys()


def test_an_encoder_whose_pooling_sees_the_padding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pooling the recipe is meant for: the encoder's is used."""
    monkeypatch.setattr(distributed, "connect", lambda device: Ranks(0, 2))
    ranks = distributed.ranks_for(recipe("scl", pooling="mean"), torch.device("cpu"))
    encoder = load_encoder("kit-bert-tiny", pooling="mean_over_padded")
    with pytest.raises(KitError, match="pooling does not depend on the padding, got 'mean_over_padded'"):
        ranks.trainer(encoder, recipe("scl", pooling="mean"), [])


def test_twins_on_two_ranks_have_masks_of_their_own(told: list[dict]) -> None:
    first, second = (rank["masks"] for rank in told)
    assert first["rows"] == second["rows"], "each rank has one of each pair of twins, in the same place"
    vectors = [torch.tensor(rank["vectors"]) for rank in (first, second)]
    assert ((vectors[0] - vectors[1]).norm(dim=1) > 0.01).all(), "and they are not the same vector"
    assert first["losses"] == second["losses"] and first["weights"] == second["weights"]


def test_a_run_that_died_goes_on_bit_for_bit_on_all_ranks(told: list[dict]) -> None:
    for rank in told:
        assert rank["whole"]["began"] == 1 and rank["resumed"]["began"] == 5
        assert rank["resumed"]["history"] == rank["whole"]["history"] == told[0]["whole"]["history"]
        assert rank["resumed"]["weights"] == rank["whole"]["weights"] == told[0]["whole"]["weights"]
        assert rank["whole"]["hardware"].startswith("2 processes, each ")
    assert told[0]["writes"] >= 4 and told[1]["writes"] == 0, "rank 0 alone writes"


def test_a_stream_is_shared_like_a_list(told: list[dict], tiny: Path) -> None:
    assert told[0]["stream"] == told[1]["stream"]
    assert told[0]["stream"] == pytest.approx(streamed(tiny), rel=1e-3)


def test_each_rank_tokenises_its_share_and_has_all(told: list[dict], tiny: Path) -> None:
    encoder = tiny_encoder(tiny)
    for rank in told:
        assert rank["tokens"] == [encoder.tokenize(SENTENCES), encoder.tokenize(SENTENCES[:1])]
        assert "the same sentences to tokenise on all 2 ranks, but rank 1" in rank["other sentences"]
    assert [rank["cut"] for rank in told] == [[3, 1], [2]]


def test_all_stop_where_one_asks_for_it(told: list[dict]) -> None:
    assert [rank["stopped"] for rank in told] == [2, 2]


def test_ranks_that_were_given_different_things_say_so(told: list[dict]) -> None:
    for said in (rank["refused"] for rank in told):
        assert "expected the same recipe and encoder on all 2 ranks, but rank 1 has another" in said["recipe"]
        assert "the same sentences to tokenise on all 2 ranks" in said["sentences"]
        assert all("data, seed and checkpoint on all 2 ranks" in said[what] for what in ("labels", "seed"))
        assert "needs nothing but the vectors of the rows, got 'tension'" in said["system"]


def test_traffic_is_what_is_given_to_the_collectives(told: list[dict]) -> None:
    rows, dim, parameters, sent = (told[0][name] for name in ("rows", "dim", "parameters", "sent"))
    assert rows % SIZE == 0
    found = traffic(rows, dim, parameters, SIZE)
    assert found.vectors == 4 * (SIZE - 1) * sent["all_gather"]  # my rows go to each of the others
    assert found.vector_gradients == 4 * (SIZE - 1) * sent["reduce_scatter"]  # and what I found of theirs
    assert (
        found.weight_gradients == 2 * 4 * sent["all_reduce"] * (SIZE - 1) // SIZE and sent["all_reduce"] == parameters
    )
    assert found.total == found.vectors + found.vector_gradients + found.weight_gradients
    assert traffic(rows, dim, parameters, 1).total == 0
    assert traffic(1000, 10, 0, 4).vectors == 1000 * 10 * 4 * 3 // 4


def test_the_partition_is_fair() -> None:
    for size in (1, 2, 3, 8):
        lengths = [int(n) for n in torch.randint(3, 60, (41,), generator=torch.Generator().manual_seed(size))]
        shards = partition(lengths, size)
        assert sorted(row for rows in shards for row in rows) == list(range(41))
        assert max(map(len, shards)) - min(map(len, shards)) <= 1
        tokens = [sum(lengths[row] for row in rows) for rows in shards]
        assert max(tokens) - min(tokens) <= max(lengths)
    assert partition([5, 4], 4) == [[0], [1], [], []]


def test_a_seed_may_be_as_long_as_for_one_process(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "gather", lambda mine, shards: mine)
    trainer = distributed.RankTrainer(Ranks(), *parts_of(tiny, "scl"))
    trainer.seed = 20240101123456
    assert trainer.backward(trainer.next_batch())[0].isfinite()


def test_a_loss_that_embeds_other_rows_than_the_batch_is_refused(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors are gathered before the loss: another call would get those of other rows."""
    monkeypatch.setattr(distributed, "gather", lambda mine, shards: mine)
    trainer = distributed.RankTrainer(Ranks(), *parts_of(tiny, "scl"))
    trainer.objective.division = "replicated"
    trainer.objective.loss = lambda batch, context: (context.embed(batch.token_ids[:2]).sum(), {})
    with pytest.raises(KitError, match="expected one context.embed.* on several processes"):
        trainer.step()


class Louder(Contrast):
    """A loss of its own behind a division that it has inherited."""

    def loss(self, batch, context):
        loss, parts = super().loss(batch, context)
        return 3 * loss, parts


class LouderTwice(Louder):
    """Its loss is inherited, but not from the kit."""


class LouderByAnchors(Louder):
    division = "by_anchors"


class ByRows(Louder):
    division = "by_rows"


def of_one(mine: torch.Tensor, shards: list[list[int]]) -> torch.Tensor:
    """`gather` of a single rank."""
    return mine[torch.tensor(shards[0]).argsort()]


class OtherRows(Contrast):
    """All but the loss is its own."""

    def batch(self, examples, recipe, generator=None):
        return super().batch(examples[::-1], recipe, generator)


def test_a_loss_of_ones_own_is_never_replaced_by_the_kits(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`by_anchors` computes the kit's own formula: a class that derives from the kit's may have another loss."""
    monkeypatch.setattr(distributed, "gather", of_one)
    encoder, made, *rest = parts_of(tiny, "mnrl")
    for kind, division in ((Louder, "replicated"), (LouderTwice, "replicated"), (OtherRows, "by_anchors")):
        options = type("OwnOptions", (type(made.options),), {"objective": property(lambda self, kind=kind: kind)})
        own = replace(made, options=options(**{f.name: getattr(made.options, f.name) for f in fields(made.options)}))
        one, ranked = Trainer(encoder, own, *rest), distributed.RankTrainer(Ranks(), encoder, own, *rest)
        batch = one.next_batch()
        assert torch.allclose(ranked.backward(batch)[0], one.backward(batch)[0], rtol=1e-5), kind
        assert distributed.division_of(kind) == distributed.division_of(ranked.objective) == division
    ranked.objective.loss = lambda batch, context: (context.embed(batch.token_ids).sum(), {})
    assert distributed.division_of(ranked.objective) == "replicated", "changed on the object itself"


def test_a_division_that_does_not_fit_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "connect", lambda device: Ranks(0, 2))
    for kind, said in (
        (ByRows, "expected the division of ByRows as 'replicated', 'by_anchors' or None, got 'by_rows': take"),
        (
            type("InAList", (Contrast,), {"division": ["replicated"]}),
            "expected the division of InAList as 'replicated', 'by_anchors' or None, got a list",
        ),
        (LouderByAnchors, "expected no division 'by_anchors' of LouderByAnchors, whose loss is its own"),
    ):
        with pytest.raises(KitError, match=said):
            distributed.ranks_for(SimpleNamespace(objective=kind), torch.device("cpu"))


def test_classes_have_the_contrast_alone_whatever_their_options_are_called(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """λ and other_positives are `Contrast`'s: a setting of that name in options of one's own may mean another thing."""
    monkeypatch.setattr(distributed, "gather", of_one)
    encoder, made, *rest = parts_of(tiny, "supcon")
    added = [("lam", float, 0.5), ("other_positives", str, "excluded")]
    options = make_dataclass("OwnOptions", added, bases=(type(made.options),), frozen=True)
    own = replace(made, options=options(**{f.name: getattr(made.options, f.name) for f in fields(made.options)}))
    one, ranked = Trainer(encoder, own, *rest), distributed.RankTrainer(Ranks(), encoder, own, *rest)
    batch = one.next_batch()
    assert torch.allclose(ranked.backward(batch)[0], one.backward(batch)[0], rtol=1e-5)


def test_one_process_is_a_plain_trainer(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert connect() == Ranks() and Ranks().is_single and Ranks().is_main
    assert type(TrainingRanks().trainer(*parts_of(tiny, "scl"))) is Trainer
    monkeypatch.setattr(ranks.dist, "is_initialized", lambda: False)
    for name in ("all_reduce", "all_gather", "broadcast", "barrier"):
        monkeypatch.setattr(ranks.dist, name, lambda *_, **__: pytest.fail("talked to nobody"))
    one, numbers = Ranks(), torch.ones(2)
    one.check_equal("anything", "at all")
    one.broadcast(torch.nn.Linear(1, 1))
    one.barrier()
    assert one.sum(numbers) is numbers and one.any(True) and not one.any(False)
    monkeypatch.setenv("WORLD_SIZE", "1")
    monkeypatch.setenv("RANK", "0")
    assert connect().is_single, "torchrun --nproc-per-node 1"


@pytest.mark.parametrize("case", CASES)
def test_vectors_are_taken_in_a_way_that_repeats_on_two_threads(tiny: Path, case: str) -> None:
    trainer = Trainer(*parts_of(tiny, case))
    divided = distributed.RANK_LOSSES[trainer.objective.division]
    for loss_of in (None, lambda batch, context: divided(trainer.objective, batch, context, Ranks())):
        assert "IndexBackward0" not in reached_by(trainer, loss_of)


def test_wrong_variables_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for changes, sentence in [
        ({"WORLD_SIZE": "many"}, "expected WORLD_SIZE as a whole number from 1, got 'many'"),
        ({"RANK": "2"}, "expected RANK as a whole number from 0 to 1, got '2'"),
        ({"RANK": "-1"}, "expected RANK as a whole number from 0 to 1, got '-1'"),
        ({"RANK": None}, "expected RANK as a whole number from 0 to 1, got None"),
        ({"LOCAL_RANK": "x"}, "expected LOCAL_RANK as a whole number from 0 to 1, got 'x'"),
        ({"MASTER_ADDR": None}, "expected MASTER_ADDR beside WORLD_SIZE=2"),
        ({"MASTER_PORT": "70000"}, "expected MASTER_PORT as a whole number from 1 to 65535, got '70000'"),
    ]:
        right = {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
        for name, value in {**right, **changes}.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
        monkeypatch.setattr(ranks.dist, "init_process_group", lambda *_, **__: pytest.fail("tried to connect"))
        with pytest.raises(KitError) as said:
            connect()
        assert sentence in str(said.value) and str(said.value).endswith("unset WORLD_SIZE to train with one process.")


def test_ranks_that_cannot_meet_and_gpus_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(VARIABLES, ("1", "2", "1", "127.0.0.1", "29500")):
        monkeypatch.setenv(name, value)

    def nobody(*_, **__):
        raise RuntimeError("The client socket has timed out.\nmore")

    monkeypatch.setattr(ranks.dist, "init_process_group", nobody)
    with pytest.raises(
        KitError,
        match="expected to meet 2 ranks at 127.0.0.1:29500, but torch said 'The client socket "
        "has timed out': see that all were started",
    ):
        connect()
    with pytest.raises(KitError, match="expected the CPU or CUDA GPUs for 2 ranks, got device 'meta'"):
        connect(torch.device("meta"))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(KitError, match=r"got process 1 \(from 0\) and 1 of them"):
        connect("cuda")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def by_one_process(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """(the arguments of a training, the folder that one process made of them)."""
    folder = tmp_path_factory.mktemp("command")
    arguments = [
        "train",
        "--recipe",
        "scl",
        "--preset",
        "smoke",
        "--rows",
        "300",
        "--steps",
        "4",
        "--encoder",
        str(tiny),
        "--precision",
        "fp32",
        "--device",
        "cpu",
        "--max-length",
        "32",
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("KIT_DATA", raising=False)
        patch.setenv("HF_HUB_OFFLINE", "1")
        assert main([*arguments, "--out", str(folder / "one"), "--quiet"]) == 0
    return arguments, folder / "one"


def assert_same_training(one: Path, other: Path) -> None:
    histories = [json.loads((folder / "run.json").read_text())["history"] for folder in (one, other)]
    for wanted, found in zip(*histories, strict=True):
        assert found["loss"] == pytest.approx(wanted["loss"], rel=1e-5) and found["rows"] == wanted["rows"]
    sentences = ["a boat rests", "two men are in the house near the river"]
    wanted, found = (load_encoder(folder / "encoder").encode(sentences) for folder in (one, other))
    assert torch.allclose(found, wanted, atol=1e-3) and not torch.allclose(found[0], found[1], atol=0.1)


def test_two_ranks_of_the_command_train_the_same_encoder_and_one_speaks(by_one_process, tmp_path: Path) -> None:
    """With the variables that torchrun sets; what torchrun itself does is a nightly test."""
    arguments, one = by_one_process
    meeting = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "HF_HUB_OFFLINE": "1"}
    variables = {**meeting, "HF_HOME": str(tmp_path / "home"), "KIT_DATA": ""}
    given = (variables, [*arguments, "--out", str(tmp_path / "two")], tmp_path)
    start_processes(launched, given, nprocs=SIZE, start_method=FORKS.get_start_method())
    said, other = ((tmp_path / f"said-{rank}").read_text() for rank in range(SIZE))
    assert said.count("Saved ") == 1 and "On 2 processes, each " in said and said.count("0/4 [00:00<?") == 1
    assert other == "", "rank 0 alone speaks"
    assert_same_training(one, tmp_path / "two")


@pytest.mark.nightly
@pytest.mark.parametrize("launcher", ["torchrun", "accelerate"])
def test_a_real_launcher_trains_the_same_encoder(by_one_process, no_network, tmp_path: Path, launcher: str) -> None:
    port = free_port()
    if launcher == "torchrun":
        start = [
            "torch.distributed.run",
            "--nproc-per-node",
            "2",
            "--master-addr",
            "127.0.0.1",
            "--master-port",
            str(port),
            "-m",
            "kit",
        ]
    else:
        pytest.importorskip("accelerate", reason="NO ACCELERATE: accelerate is not installed")
        start = [
            "accelerate.commands.launch",
            "--multi_gpu",
            "--num_processes",
            "2",
            "--num_machines",
            "1",
            "--mixed_precision",
            "no",
            "--dynamo_backend",
            "no",
            "--main_process_port",
            str(port),
            "-m",
            "kit",
        ]
    arguments, one = by_one_process
    quiet = {
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "HF_HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]),
    }
    done = subprocess.run(
        [sys.executable, "-m", *start, *arguments, "--out", str(tmp_path / "two")],
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, **quiet},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("Saved ") == 1 and "On 2 processes, each " in done.stdout
    assert done.stderr.count("0/4 [00:00<?") == 1 and "rank 1" not in done.stderr, "rank 0 alone speaks"
    assert_same_training(one, tmp_path / "two")
