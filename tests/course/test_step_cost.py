"""The estimate for a billion pairs: every count in it against something that counts, and its parts put together."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.flop_counter import FlopCounterMode

from kit.course.papers import machines
from kit.course.papers.machines import links, machine, read_machines
from kit.course.papers.step_cost import (
    GPU_PARTS,
    MATRICES,
    PARTS,
    SHAPES,
    TOUCHES,
    Setup,
    Shape,
    all_gather_bytes,
    matrix_bytes,
    ring_all_reduce_bytes,
    similarity_flops,
    step_of,
)
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.fast.chunked import chunked_softmax
from kit.losses import masked_softmax, mnrl_relations
from kit.scaling.traffic import traffic
from kit.workshop.share_of_peak import random_bert

SMALL = Shape(layers=3, hidden=32, vocabulary=50, positions=64)


def setup(name: str = "BERT 8 × 512", **changes) -> Setup:
    given = {
        "pairs": 512,
        "tokens": 16,
        "gpus": 64,
        "gpu": machine("H200"),
        "between": links()["InfiniBand NDR"],
        "rate": 20_000.0,
        **changes,
    }
    return Setup(SHAPES[name], **given)


@pytest.mark.parametrize("shape", [SMALL, SHAPES["kit-bert-tiny"], SHAPES["BERT 4 × 256"]], ids=str)
def test_weights_are_those_of_a_real_bert(shape: Shape) -> None:
    assert sum(p.numel() for p in random_bert(shape).parameters()) == shape.weights


def test_the_bundled_encoder_has_the_shape_it_is_listed_with() -> None:
    encoder = load_encoder("kit-bert-tiny")
    assert sum(p.numel() for p in encoder.parameters()) == SHAPES["kit-bert-tiny"].weights


@pytest.mark.slow
@pytest.mark.parametrize("shape", [SMALL, SHAPES["kit-bert-tiny"]], ids=str)
def test_flops_are_those_that_torch_counts(shape: Shape) -> None:
    """Forward and backward, attention included, to the last one."""
    for tokens in [4, 16, 40]:
        bert = random_bert(shape)
        bert.set_attn_implementation("eager")  # the counter does not look into the fused kernel
        with FlopCounterMode(display=False) as counter:
            bert(input_ids=torch.randint(5, shape.vocabulary, (3, tokens))).last_hidden_state.sum().backward()
        assert counter.get_total_flops() == 3 * shape.flops(tokens)


def test_flops_of_the_matrix_are_those_that_torch_counts() -> None:
    """Of the plain loss; the counter does not know `addmm_`, the third product of the one in chunks."""
    z = torch.randn(2 * 40, 24, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        masked_softmax(z, mnrl_relations(40), 0.05).backward()
    assert counter.get_total_flops() == similarity_flops(40, 40, 24)
    assert matrix_bytes(40, 40) == torch.zeros(40, 40).nbytes


class Passed(TorchDispatchMode):
    """Counts the bytes of tensors of a given size that go into and out of operations; views move nothing."""

    def __init__(self, numbers: int):
        super().__init__()
        self.numbers, self.bytes = numbers, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if not any(name in str(function) for name in ("view", "slice", "permute", "aten.t.", "detach", "expand")):
            self.bytes += sum(
                x.nbytes
                for x in tree_flatten((args, kwargs, out))[0]
                if isinstance(x, torch.Tensor) and x.numel() == self.numbers
            )
        return out


def test_how_often_a_similarity_passes_through_memory() -> None:
    z = torch.randn(2 * 96, 8, requires_grad=True)
    with Passed(96 * 96) as passed:
        chunked_softmax(z, mnrl_relations(96), 0.05, chunk=96).backward()
    assert passed.bytes / matrix_bytes(96, 96) == pytest.approx(TOUCHES, rel=0.2)


def test_bytes_agree_with_what_the_kits_ranks_send() -> None:
    for gpus in [2, 3, 8, 64]:
        sent = traffic(rows=24 * gpus, dim=32, parameters=960 * gpus, size=gpus)
        assert all_gather_bytes(gpus, 24, 32) == sent.vectors == sent.vector_gradients
        assert ring_all_reduce_bytes(gpus, 960 * gpus) == pytest.approx(sent.weight_gradients, rel=1e-9)


def test_a_ring_played_through_sends_so_many_bytes() -> None:
    """Every rank ends with the sum, and has sent what the formula says."""
    for gpus in [2, 3, 5]:
        own = torch.randn(gpus, gpus, 6)  # [rank, part, numbers]
        held, sent = own.clone(), torch.zeros(gpus)
        for rounds in (0, 1):  # first the parts are added up, then the finished ones go round
            for step in range(gpus - 1):
                moving = [(rank, (rank - step + rounds) % gpus) for rank in range(gpus)]
                parts = [held[rank, part].clone() for rank, part in moving]
                for (rank, part), numbers in zip(moving, parts):
                    to = (rank + 1) % gpus
                    held[to, part] = numbers if rounds else held[to, part] + numbers
                    sent[rank] += numbers.nbytes
        assert torch.allclose(held, own.sum(0).expand_as(held), atol=1e-5)
        assert torch.equal(sent, torch.full_like(sent, ring_all_reduce_bytes(gpus, gpus * 6)))


def test_a_step_by_hand() -> None:
    """BERT 8 × 512, 2 GPUs of one machine, 100 pairs each: every part written out."""
    step = step_of(setup(gpus=2, pairs=100, share=0.5))
    h, weights = 512, SHAPES["BERT 8 × 512"].weights
    by_hand = {
        "encoder": 200 * 3 * 8 * 16 * (24 * h**2 + 4 * 16 * h) / (0.5 * 989e12),
        "similarity": 6 * 100 * 200 * h / (0.5 * 67e12) + TOUCHES * 4 * 100 * 200 / 4.8e12,
        "gather": 2 * 200 * h * 4 / 450e9,
        "reduce": weights * 4 / 450e9,
        "update": 28 * weights / 4.8e12,
        "data": 200 / (20_000 * 14),
    }
    assert step.parts.keys() == by_hand.keys() == set(PARTS)
    assert all(step.parts[name] == pytest.approx(by_hand[name], rel=1e-9) for name in PARTS)
    assert step.seconds == max(sum(by_hand[name] for name in GPU_PARTS), by_hand["data"])
    assert step.seconds_for(1e9) == pytest.approx(1e9 / 200 * step.seconds)


def test_each_part_binds_somewhere() -> None:
    for part, changes in [
        ("encoder", {"gpus": 1}),
        ("similarity", {"pairs": 8192}),
        ("gather", {"gpus": 512, "pairs": 256, "name": "BERT 4 × 256"}),
        ("reduce", {"pairs": 32}),
        ("update", {"gpus": 1, "pairs": 4}),
        ("data", {"cores": 1, "name": "kit-bert-tiny"}),
    ]:
        assert step_of(setup(**changes)).binding == part


def test_what_each_setting_does() -> None:
    base = step_of(setup())
    assert step_of(setup(share=0.175)).parts["encoder"] == pytest.approx(2 * base.parts["encoder"])
    assert step_of(setup(matrix=MATRICES[1])).parts["similarity"] == pytest.approx(64 * base.parts["similarity"])
    assert step_of(setup(between=1e9)).parts["reduce"] > base.parts["reduce"]
    inside = step_of(setup(gpus=8))
    assert step_of(setup(gpus=8, between=1e9)).parts == inside.parts, "one machine needs no link to another"
    assert step_of(setup(gpus=1)).parts["gather"] == step_of(setup(gpus=1)).parts["reduce"] == 0
    longer = step_of(setup(tokens=64))
    assert longer.parts["data"] == pytest.approx(4 * base.parts["data"]), "longer sentences take longer to tokenise"
    double = step_of(setup(pairs=1024))
    a_pair = {name: double.parts[name] / base.parts[name] / 2 for name in PARTS}
    assert a_pair == pytest.approx(
        {"encoder": 1, "similarity": 2, "gather": 1, "reduce": 0.5, "update": 0.5, "data": 1}
    )


def test_what_makes_no_sense_is_told() -> None:
    for changes, said in [
        ({"share": 0.0}, "share of the peak above 0 and up to 1, got 0.0"),
        ({"share": 1.2}, "got 1.2"),
        ({"pairs": 0}, "expected pairs above 0"),
        ({"rate": -1.0}, "expected rate above 0"),
        ({"matrix": "half"}, "unknown way to compute the matrix 'half'"),
    ]:
        with pytest.raises(KitError, match=said):
            setup(**changes)


def test_machines_have_sources_and_units() -> None:
    found = read_machines()
    assert len({(one.machine, one.quantity) for one in found}) == len(found)
    assert all(one.source and one.value > 0 for one in found)
    assert machine("H200")["memory_bandwidth"] == 4.8e12
    assert machine("DGX H200")["cores"] / machine("DGX H200")["gpus"] == setup().cores
    assert machine("DGX H200")["gpus"] == setup().node
    assert set(links()) >= {"InfiniBand NDR"} and "H200" not in links()
    with pytest.raises(KitError, match="unknown machine 'H2000': did you mean 'H200'"):
        machine("H2000")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("H200,memory,141,GiB,a datasheet", "unknown unit of H200, memory 'GiB'"),
        ("H200,colour,1,,a datasheet", "unknown quantity of H200 'colour'"),
    ],
)
def test_a_wrong_line_of_the_machines_is_told(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "machines.csv"
    file.write_text(f"machine,quantity,value,unit,source\n{line}\n", "utf-8")
    monkeypatch.setattr(machines, "bundle", lambda *parts: file)
    with pytest.raises(KitError, match=said):
        read_machines()
