"""What N GPUs would take for a billion pairs: formulas and makers' figures. An estimate; nobody measured it.

A step of contrastive training, its negatives gathered from all GPUs, has six parts. Of each, what is
counted (h hidden size, L layers, T tokens a sentence, B pairs a GPU, G GPUs, W weights):

    encoder     2 B sentences of 3 · L · T · (24 h² + 4 T h) FLOP           at share × the peak in bf16
    similarity  6 · anchors · G B · h FLOP                                  at share × the peak in fp32,
                and 4 bytes a similarity, each passed `TOUCHES` times       at the memory's bandwidth
    gather      2 · (G − 1) · 2 B · h · 4 bytes: vectors, then gradients    at the link's
    reduce      2 · (G − 1) / G · 4 W bytes: the gradients of all weights   at the link's
    update      7 · 4 W bytes: AdamW reads four numbers a weight, writes three   at the memory's
    data        2 B sentences to read and tokenise, on the CPU cores beside the GPU

Anchors are B where each GPU takes a block of the matrix (as kit/scaling/distributed.py does), and
G B where each computes the whole. The data are prepared while the GPU computes, so a step takes as
long as the slower of the two. Left out: the latency of messages, the launching of kernels, what could
be sent while computing, padding, and failures.
"""

from __future__ import annotations

from dataclasses import dataclass

from kit.errors import KitError, unknown_name

PAIRS = 1_000_000_000
FLOAT = 4  # bytes of a float32
TOUCHES = 21  # times that `kit.losses.chunked_softmax` writes or reads a similarity (counted in a test)
SHARE = 0.35  # of the peak: what this kit aims at on a GPU; an assumption
GPU_PARTS = ("encoder", "similarity", "gather", "reduce", "update")
PARTS = (*GPU_PARTS, "data")
MATRICES = ("a block a GPU", "whole on each GPU")


@dataclass(frozen=True)
class Shape:
    """A BERT without its pooler: layers, hidden size (the inner one is four times it), vocabulary."""

    layers: int
    hidden: int
    vocabulary: int
    positions: int = 512

    @property
    def weights(self) -> int:
        """All trained numbers: embeddings with their norm; per layer 12 h² + 13 h."""
        h = self.hidden
        return (self.vocabulary + self.positions + 2) * h + 2 * h + self.layers * (12 * h**2 + 13 * h)

    def flops(self, tokens: float) -> float:
        """FLOP to train on one sentence of `tokens`: forward, and twice that for the way back.

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
    """FLOP of the matrix of similarities: one product of matrices forward, two on the way back."""
    return 6 * anchors * candidates * dim


def matrix_bytes(anchors: float, candidates: float) -> float:
    """Bytes of one copy of the matrix of similarities in float32. In chunks it is never held as a whole."""
    return FLOAT * anchors * candidates


def all_gather_bytes(gpus: int, rows: float, dim: int) -> float:
    """Bytes that a GPU receives when each sends its `rows` [rows, dim], float32, to all the others."""
    return (gpus - 1) * rows * dim * FLOAT


def ring_all_reduce_bytes(gpus: int, weights: float) -> float:
    """Bytes that a GPU sends so that all have the sum of all float32 gradients, in a ring.

    The gradient is cut in `gpus` parts. gpus − 1 times each part goes one on, and its sum grows; gpus − 1
    times more the finished parts go round. Source: Patarasuk & Yuan 2009.
    """
    return 2 * (gpus - 1) / gpus * weights * FLOAT


@dataclass(frozen=True)
class Setup:
    """One training at scale.

    pairs: anchors (each with a positive) of one GPU and step; tokens: of a sentence, without padding;
    share: of the peak that the kernels reach; matrix: one of `MATRICES`; gpu: the figures of one GPU, as
    `kit.course.papers.machine`; between: bytes a second between machines of `node` GPUs; cores: beside a GPU;
    rate: sentences a second that one core reads and tokenises.
    Errors: `KitError` for numbers that make no sense. Lesson 12.
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
        if self.matrix not in MATRICES:
            raise unknown_name("way to compute the matrix", self.matrix, MATRICES)
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
        """Rows of the matrix that one GPU computes."""
        return self.pairs if self.matrix == MATRICES[0] else self.candidates

    @property
    def link(self) -> float:
        """Bytes a second: within one machine its own links, else the slower of the two."""
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
        """The data are prepared meanwhile: the slower of the two."""
        return max(self.gpu_seconds, self.parts["data"])

    @property
    def binding(self) -> str:
        """The part that decides: the data where the GPU waits for them, else the GPU's longest."""
        if self.parts["data"] > self.gpu_seconds:
            return "data"
        return max(GPU_PARTS, key=self.parts.__getitem__)

    @property
    def rate(self) -> float:
        """Pairs a second, all GPUs together."""
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
        "data": rows / (setup.rate * setup.cores),
    }
    return Step(parts, setup.candidates)
