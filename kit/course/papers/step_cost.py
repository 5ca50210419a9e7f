"""How long N GPUs would train on a billion pairs: an estimate from formulas and vendors' specifications.

A step of contrastive training with negatives gathered from all GPUs has six parts (h hidden size, L layers,
T tokens per sentence, B pairs per GPU, G GPUs, W weights):

    encoder     2 B sentences of 3 · L · T · (24 h² + 4 T h) FLOP           at share × the peak in bf16
    similarity  6 · anchors · G B · h FLOP                                  at share × the peak in fp32,
                and 4 bytes a similarity, each passed `TOUCHES` times       at the memory's bandwidth
    gather      2 · (G − 1) · 2 B · h · 4 bytes: vectors, then gradients    at the link's
    reduce      2 · (G − 1) / G · 4 W bytes: the gradients of all weights   at the link's
    update      7 · 4 W bytes: AdamW reads four numbers a weight, writes three   at the memory's
    data        2 B · T / 16 sentences of 16 tokens to read and tokenise     on the CPU cores beside the GPU

Anchors are B if each GPU computes a block of the matrix (as kit/scaling/distributed.py does), and G B if
each computes all of it. Data loading overlaps with computing, so a step takes as long as the slower of the
two. Ignored: message latency, kernel launches, overlap of communication and computing, padding, failures.
"""

from __future__ import annotations

from dataclasses import dataclass

from kit.errors import KitError, check_name

PAIRS = 1_000_000_000
FLOAT = 4  # bytes of a float32
RATE_TOKENS = 16  # of the sentences that a core's rate counts; reading and tokenising take longer for longer ones
TOUCHES = 21  # times that `kit.fast.chunked.chunked_softmax` writes or reads a similarity (counted in a test)
SHARE = 0.35  # fraction of the peak that training reaches; an assumption
GPU_PARTS = ("encoder", "similarity", "gather", "reduce", "update")
PARTS = (*GPU_PARTS, "data")
MATRICES = ("a block a GPU", "whole on each GPU")


@dataclass(frozen=True)
class Shape:
    """The sizes of a BERT without pooler; the feed-forward layers are four times as wide as `hidden`."""

    layers: int
    hidden: int
    vocabulary: int
    positions: int = 512

    @property
    def weights(self) -> int:
        """The number of weights: embeddings with their norm, and 12 h² + 13 h per layer."""
        h = self.hidden
        return (self.vocabulary + self.positions + 2) * h + 2 * h + self.layers * (12 * h**2 + 13 * h)

    def flops(self, tokens: float) -> float:
        """FLOP to train on one sentence of `tokens`: a forward pass, and twice that for the backward pass.

        Per layer and token 24 h² for its six matrices (a multiplication and an addition for each of
        12 h² weights) and 4 T h for attention; embeddings are looked up, not multiplied.
        """
        return 3 * self.layers * tokens * (24 * self.hidden**2 + 4 * tokens * self.hidden)


SHAPES = {
    "kit-bert-tiny": Shape(2, 128, 8192),
    "BERT 4 × 256": Shape(4, 256, 30522),
    "BERT 8 × 512": Shape(8, 512, 30522),
    "BERT-base": Shape(12, 768, 30522),
    "BERT-large": Shape(24, 1024, 30522),
}


def similarity_flops(anchors: float, candidates: float, dim: int) -> float:
    """FLOP of the similarity matrix: one matrix product forward, two backward."""
    return 6 * anchors * candidates * dim


def matrix_bytes(anchors: float, candidates: float) -> float:
    """Bytes of the similarity matrix in float32 (which the chunked loss never holds as a whole)."""
    return FLOAT * anchors * candidates


def all_gather_bytes(gpus: int, rows: float, dim: int) -> float:
    """Bytes that a GPU receives in an all-gather of [rows, dim] float32 from each GPU."""
    return (gpus - 1) * rows * dim * FLOAT


def ring_all_reduce_bytes(gpus: int, weights: float) -> float:
    """Bytes that a GPU sends in a ring all-reduce of float32 gradients.

    The gradient is split into `gpus` parts. They are passed on gpus − 1 times while the sums grow, and
    gpus − 1 times more until every GPU has all sums. Source: Patarasuk & Yuan 2009.
    """
    return 2 * (gpus - 1) / gpus * weights * FLOAT


@dataclass(frozen=True)
class Setup:
    """A training run at scale.

    pairs: anchors, each with a positive, per GPU and step; tokens: per sentence, without padding;
    share: fraction of the peak that kernels reach; matrix: one of `MATRICES`; gpu: from
    `kit.course.papers.machines.machine`; between: bytes per second between machines of `node` GPUs; cores: per
    GPU; rate: sentences of `RATE_TOKENS` per second that one core reads and
    tokenises.
    Raises `KitError` for numbers that make no sense. Lesson 12.
    """

    shape: Shape
    pairs: int
    tokens: float
    gpus: int
    gpu: dict[str, float]
    between: float
    rate: float
    cores: float = 14
    share: float = SHARE
    matrix: str = MATRICES[0]
    node: int = 8

    def __post_init__(self) -> None:
        check_name("way to compute the matrix", self.matrix, MATRICES)
        if not 0 < self.share <= 1:
            raise KitError(f"expected a share of the peak above 0 and up to 1, got {self.share!r}.")
        for name in ("pairs", "tokens", "gpus", "between", "rate", "cores"):
            if not getattr(self, name) > 0:
                raise KitError(f"expected {name} above 0, got {getattr(self, name)!r}.")

    @property
    def candidates(self) -> int:
        """The positives of all GPUs."""
        return self.gpus * self.pairs

    @property
    def anchors(self) -> int:
        """Rows of the similarity matrix that one GPU computes."""
        return self.pairs if self.matrix == MATRICES[0] else self.candidates

    @property
    def link(self) -> float:
        """Bytes per second: the machine's own links within one machine, else the slower of the two."""
        inside = self.gpu["link"]
        return inside if self.gpus <= self.node else min(inside, self.between)


@dataclass(frozen=True)
class Step:
    """Seconds of each part of a step, by the names in `PARTS`, and the pairs of all GPUs in it."""

    parts: dict[str, float]
    pairs: int

    @property
    def gpu_seconds(self) -> float:
        return sum(self.parts[name] for name in GPU_PARTS)

    @property
    def seconds(self) -> float:
        """Data loading overlaps with computing: the slower of the two."""
        return max(self.gpu_seconds, self.parts["data"])

    @property
    def binding(self) -> str:
        """The bottleneck: the data if the GPU waits for them, else the GPU's longest part."""
        if self.parts["data"] > self.gpu_seconds:
            return "data"
        return max(GPU_PARTS, key=self.parts.__getitem__)

    @property
    def rate(self) -> float:
        """Pairs per second over all GPUs."""
        return self.pairs / self.seconds

    def seconds_for(self, pairs: float = PAIRS) -> float:
        return pairs / self.rate


def step_of(setup: Setup) -> Step:
    """The seconds of each part of one step, by the formulas at the top of this file. Lesson 12."""
    shape, gpu, rows = setup.shape, setup.gpu, 2 * setup.pairs
    matrix = matrix_bytes(setup.anchors, setup.candidates)
    multiply = similarity_flops(setup.anchors, setup.candidates, shape.hidden)
    bandwidth = gpu["memory_bandwidth"]
    parts = {
        "encoder": rows * shape.flops(setup.tokens) / (setup.share * gpu["matrix_bf16"]),
        "similarity": multiply / (setup.share * gpu["matrix_fp32"]) + TOUCHES * matrix / bandwidth,
        "gather": 2 * all_gather_bytes(setup.gpus, rows, shape.hidden) / setup.link,
        "reduce": ring_all_reduce_bytes(setup.gpus, shape.weights) / setup.link,
        "update": 7 * FLOAT * shape.weights / bandwidth,
        "data": rows * setup.tokens / RATE_TOKENS / (setup.rate * setup.cores),
    }
    return Step(parts, setup.candidates)
