"""The processes that train together: which one this is, how many there are, and their communication.

`torchrun` and `accelerate launch` start one program several times and number the copies: RANK of
WORLD_SIZE, LOCAL_RANK on each machine, and MASTER_ADDR and MASTER_PORT where they meet. `connect` reads
these and makes the connection: gloo between CPUs, NCCL between GPUs, one GPU for each process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch import Tensor, nn

from kit.data.hub import first_line
from kit.errors import KitError

LAUNCH = "start the program with torchrun or accelerate launch, or unset WORLD_SIZE to train with one process"


@dataclass(frozen=True)
class Ranks:
    """Rank `rank` (from 0) of `size`; `Ranks()` is a single process. group: of processes; None: the default one.

    The collective methods (`sum`, `any`, `check_equal`, `broadcast`, `barrier`) must be called by all ranks in the
    same order; for a single process they do nothing.
    """

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    group: dist.ProcessGroup | None = None

    @property
    def is_single(self) -> bool:
        return self.size == 1

    @property
    def is_main(self) -> bool:
        """The one that writes files and shows a bar."""
        return self.rank == 0

    def sum(self, numbers: Tensor) -> Tensor:
        """Replace `numbers`, of one shape on all ranks, by their sum over the ranks."""
        if not self.is_single:
            dist.all_reduce(numbers, group=self.group)
        return numbers

    def any(self, answer: bool) -> bool:
        """Whether one of the ranks says yes."""
        return bool(answer) if self.is_single else bool(self.sum(torch.tensor(int(answer), device=self.device)))

    def check_equal(self, what: str, value: str) -> None:
        """Raise `KitError`, on all ranks, where one has another `value` than rank 0.

        Ranks that train on other data, or go on from another step, would wait for each other for ever, or learn
        nonsense.
        """
        if self.is_single:
            return
        mine = int.from_bytes(hashlib.sha256(value.encode()).digest()[:7], "big")
        everybody = torch.empty(self.size, dtype=torch.int64, device=self.device)
        dist.all_gather(list(everybody.split(1)), torch.tensor([mine], device=self.device), group=self.group)
        main, *others = everybody.tolist()
        for rank, other in enumerate(others, start=1):
            if other != main:
                raise KitError(
                    f"expected the same {what} on all {self.size} ranks, but rank {rank} has another than "
                    "rank 0: give every process the same arguments, files and folder."
                )

    def broadcast(self, module: nn.Module) -> None:
        """Give all ranks the weights of rank 0, in one message for each dtype."""
        if self.is_single:
            return
        weights = list(module.state_dict().values())
        for dtype in sorted({tensor.dtype for tensor in weights}, key=str):
            mine = [tensor for tensor in weights if tensor.dtype == dtype]
            sent = torch.cat([tensor.flatten() for tensor in mine])
            dist.broadcast(sent, src=0, group=self.group)
            for tensor, of_first in zip(mine, sent.split([tensor.numel() for tensor in mine])):
                tensor.copy_(of_first.view_as(tensor))

    def barrier(self) -> None:
        """Wait until all ranks have come here."""
        if not self.is_single:
            dist.barrier(group=self.group)

    def new_group(self) -> Ranks:
        """The same ranks with a gloo group of their own, which a thread can use beside the training."""
        return Ranks(self.rank, self.size, group=None if self.is_single else dist.new_group(backend="gloo"))


def connect(device: torch.device | str = "cpu") -> Ranks:
    """The ranks that this process was started among; a single one where no launcher started it.

    device: what to train on; of several GPUs each process takes the one of its LOCAL_RANK. A process group
    that the program has made itself is used as it is.
    Errors: `KitError` for variables that do not fit together, more processes than GPUs, and where the
    others cannot be reached.
    """
    device = torch.device(device)
    if not dist.is_available():
        return Ranks(device=device)
    if not dist.is_initialized() and not _start(device):
        return Ranks(device=device)
    rank, size, local = dist.get_rank(), dist.get_world_size(), os.environ.get("LOCAL_RANK", "")
    if device.type == "cuda" and local.isdecimal():
        device = torch.device("cuda", int(local))
    if size > 1 and dist.get_backend() == "nccl" and device.type != "cuda":
        raise KitError(
            f"expected an encoder on a GPU, as the ranks are connected by NCCL, got one on {device}: "
            "load it with device='cuda'."
        )
    return Ranks(rank, size, device)


def _start(device: torch.device) -> bool:
    """Connect to the other ranks as the environment says; False where it speaks of one process at most."""
    size = _variable("WORLD_SIZE", 1, 1, None)
    if size == 1:
        return False
    if device.type not in ("cpu", "cuda"):
        raise KitError(
            f"expected the CPU or CUDA GPUs for {size} ranks, got device {str(device)!r}: choose one of "
            "them, or train with one process."
        )
    rank = _variable("RANK", None, 0, size - 1)
    local = _variable("LOCAL_RANK", rank, 0, size - 1)
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if not os.environ.get(name):
            raise KitError(
                f"expected {name} beside WORLD_SIZE={size}, the place where the ranks meet, got none: {LAUNCH}."
            )
    _variable("MASTER_PORT", None, 1, 65535)
    own = None
    if device.type == "cuda":
        if local >= torch.cuda.device_count():
            raise KitError(
                f"expected a GPU for each process of a machine, got process {local} (from 0) and "
                f"{torch.cuda.device_count()} of them: start as many processes as it has GPUs."
            )
        own = torch.device("cuda", local)
        torch.cuda.set_device(own)
    try:
        dist.init_process_group("gloo" if own is None else "nccl", rank=rank, world_size=size, device_id=own)
    except (RuntimeError, ValueError) as problem:
        raise KitError(
            f"expected to meet {size} ranks at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}, but "
            f"torch said '{first_line(problem)}': see that all were started and the port is free."
        ) from problem
    atexit.register(_leave)
    return True


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def _variable(name: str, missing: int | None, least: int, most: int | None) -> int:
    """The environment variable `name` as a whole number; `missing` where it is not set."""
    text = os.environ.get(name)
    if text is None and missing is not None:
        return missing
    if text is None or not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
        bounds = f"from {least}" if most is None else f"from {least} to {most}"
        raise KitError(f"expected {name} as a whole number {bounds}, got {text!r}: {LAUNCH}.")
    return int(text)
