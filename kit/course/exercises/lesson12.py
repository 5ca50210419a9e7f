"""Lesson 12, speed and scale: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch

from kit.course.exercises.drawn_inputs import normal
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def padded_share(lengths):
    """Places of the padded batch that hold no word piece, as a share of all its places."""
    places = len(lengths) * lengths.max()
    return 1 - lengths.sum() / places


def lengths_cases():
    """Also of one length, of one sentence, and of one that is much longer than the others."""
    return [(torch.tensor(lengths),) for lengths in ([4, 9, 5, 12], [7, 7, 7], [3, 30, 6, 6, 8, 11], [5], [1, 1, 126])]


PADDED = Exercise(
    name="padded-share",
    lesson="12",
    title="How much of a batch is padding?",
    difficulty=1,
    minutes=4,
    prompt="Write `padded_share(lengths)`: `lengths` [rows], a tensor of whole numbers, says how many tokens each "
    "sentence of a batch has. The batch is padded to its longest sentence. Which share of its places is [PAD]?",
    stub="def padded_share(lengths):\n    ...",
    hints=(
        "How many places does a table with that many rows have, as wide as the longest?",
        "`len(lengths) * lengths.max()` places, `lengths.sum()` of them with a token.",
    ),
    solution=padded_share,
    cases=lengths_cases,
    remember="Padding is the difference between the longest sentence and the mean one, and it is multiplied like the "
    "rest.",
    mistakes=(
        Mistake(
            lambda lengths: lengths.sum() / (len(lengths) * lengths.max()),
            "That is the share of real tokens: padding is the rest, 1 minus that.",
        ),
        Mistake(
            lambda lengths: len(lengths) * lengths.max() / lengths.sum() - 1,
            "You divided by the real tokens: the share asked for is of all places, padded ones included.",
        ),
        Mistake(
            lambda lengths: len(lengths) * lengths.max() - lengths.sum(),
            "You counted the places: divide by all places of the batch.",
        ),
        Mistake(
            lambda lengths: 1 - lengths.sum() / (len(lengths) * 128),
            "You padded to 128, the most a sentence may have: a batch is padded to its own longest sentence.",
        ),
        Mistake(
            lambda lengths: (lengths < lengths.max()).double().mean(),
            "You counted rows that have padding: one missing token and twenty do not cost the same.",
        ),
    ),
)


def flops_of_a_step(layers, hidden, tokens, sentences):
    """12 h² weights a layer, a multiplication and an addition each; the way back costs twice the way there."""
    forward = 2 * 12 * layers * hidden**2
    return 3 * forward * tokens * sentences


def flops_cases():
    return [(8, 512, 16, 128), (12, 768, 32, 64), (2, 128, 9, 7)]


FLOPS = Exercise(
    name="flops-of-a-step",
    lesson="12",
    title="What a step multiplies",
    difficulty=2,
    minutes=6,
    prompt="Write `flops_of_a_step(layers, hidden, tokens, sentences)`: the FLOP (additions and multiplications, each "
    "counted) that an encoder needs to train on `sentences` sentences of `tokens` tokens each, in its matrices of "
    "weights. A layer has $12h^2$ weights; leave the rest out (embeddings, and what attention multiplies without a "
    "weight).",
    stub="def flops_of_a_step(layers, hidden, tokens, sentences):\n    ...",
    hints=(
        "One token meets every weight once: a multiplication and an addition.",
        "Forward that is 2 · 12 h² per layer and token. The way back needs two products where the way there had one: "
        "the gradient of the input, and that of the weights.",
        "Three times the forward pass: 72 h² per layer and token.",
    ),
    solution=flops_of_a_step,
    cases=flops_cases,
    because="2 for multiply and add, 3 for forward and twice as much back: six FLOP per weight and token.",
    remember="Training costs six FLOP per weight and token.",
    mistakes=(
        Mistake(
            variation(flops_of_a_step, "3 * forward", "forward"),
            "That is the forward pass alone: the way back costs twice as much again.",
        ),
        Mistake(
            variation(flops_of_a_step, "2 * 12", "12"),
            "You counted multiplications: every one of them comes with an addition.",
        ),
        Mistake(
            variation(flops_of_a_step, "3 * forward", "2 * forward"),
            "You took the way back to cost as much as the way there: it has two products for each one forward.",
        ),
        Mistake(
            variation(flops_of_a_step, "layers * hidden**2", "layers * (hidden**2 + tokens * hidden / 6)"),
            "You counted what attention multiplies without a weight, too: leave that out here (it is added below).",
            also=(
                variation(flops_of_a_step, "layers * hidden**2", "layers * (hidden**2 + tokens * hidden / 12)"),
                lambda layers, hidden, tokens, sentences: (
                    flops_of_a_step(layers, hidden, tokens, sentences) + 12 * layers * tokens**2 * hidden
                ),
            ),
        ),
        Mistake(
            variation(flops_of_a_step, " * tokens", ""), "That is for one token of each sentence: multiply by `tokens`."
        ),
        Mistake(
            variation(flops_of_a_step, " * sentences", ""), "That is one sentence: a step has `sentences` of them."
        ),
    ),
)


def gradient_of_a_gather(gradients, rank):
    """A rank's vectors stand in every rank's loss: add what all ranks found, and take its own rows."""
    rows = gradients.shape[1] // len(gradients)
    return gradients.sum(0)[rank * rows : (rank + 1) * rows]


def gather_cases():
    """The first rank, the last, one between; one row a rank; one rank alone."""
    shapes = ((2, 3, 0), (2, 3, 1), (4, 2, 2), (3, 1, 1), (1, 2, 0))
    return [(normal(12 + i, ranks, ranks * rows, 3), rank) for i, (ranks, rows, rank) in enumerate(shapes)]


GATHER = Exercise(
    name="gradient-of-a-gather",
    lesson="12",
    title="Whose gradient is it?",
    difficulty=3,
    minutes=8,
    prompt="Each of G ranks encodes B rows, receives the rows of all the others, and computes a loss of its own. The "
    "loss of the whole batch is the **sum** of the ranks' losses. `gradients` [G, G·B, dim]: `gradients[r]` is "
    "the gradient of rank r's loss with respect to all gathered rows, rank 0's rows first. Write "
    "`gradient_of_a_gather(gradients, rank)`: the gradient of the whole loss with respect to the rows that "
    "`rank` encoded, [B, dim].",
    stub="def gradient_of_a_gather(gradients, rank):\n    ...",
    hints=(
        "In how many of the G losses does a row of this rank stand?",
        "In all of them, once as the rank's own, elsewhere as a negative. Derivatives of a sum add up.",
        "Sum over the first axis; then the B rows that begin at rank · B.",
    ),
    solution=gradient_of_a_gather,
    cases=gather_cases,
    because="The backward pass of a gather is a sum over ranks followed by handing each its own part: a "
    "reduce-scatter. Leave it out and a row is never pushed as the negative of another rank's anchors.",
    remember="A gather forward is a reduce-scatter on the way back.",
    mistakes=(
        Mistake(
            variation(gradient_of_a_gather, "gradients.sum(0)[", "gradients[rank]["),
            "You took the rank's own loss alone: its rows are negatives in the other ranks' losses, too. This is "
            "what a gather without a gradient computes.",
        ),
        Mistake(
            variation(gradient_of_a_gather, ".sum(0)", ".mean(0)"),
            "The whole loss is the sum of the ranks' losses here: no mean.",
        ),
        Mistake(
            lambda gradients, rank: gradients.sum(0),
            "Those are the gradients of all rows: keep those this rank encoded.",
        ),
        Mistake(
            variation(gradient_of_a_gather, "gradients.sum(0)", "(gradients.sum(0) - gradients[rank])"),
            "You left the rank's own loss out: it counts as well.",
        ),
        Mistake(
            lambda gradients, rank: gradients[rank],
            "That is one loss and everybody's rows: it should be everybody's losses and this rank's rows.",
        ),
    ),
)


def ring_bytes(gpus, weights):
    """gpus − 1 times one part of `gpus` goes on to be summed, and as often to be known by all."""
    return 2 * (gpus - 1) * (weights / gpus) * 4


def ring_cases():
    """Parts that come out even; also one GPU, which sends nothing."""
    return [(2, 1000), (8, 4_386_176), (64, 41_373_696), (3, 999), (1, 500)]


RING = Exercise(
    name="ring-bytes",
    lesson="12",
    title="Once round the ring, twice",
    difficulty=2,
    minutes=6,
    prompt="Write `ring_bytes(gpus, weights)`: how many bytes *each* GPU sends until all of them have the sum of their "
    "float32 gradients, [weights] numbers each. The ring cuts a gradient into `gpus` equal parts. In a round "
    "every GPU sends one part to its neighbour. `gpus` − 1 rounds add the parts up; as many again hand the "
    "finished parts round.",
    stub="def ring_bytes(gpus, weights):\n    ...",
    hints=(
        "How many numbers does one part have, and how many rounds are there in all?",
        "A part has weights / gpus numbers of 4 bytes, and there are 2 · (gpus − 1) rounds.",
    ),
    solution=ring_bytes,
    cases=ring_cases,
    because="With ever more GPUs this nears 2 · 4 · weights and stays there: that is what the ring is for.",
    remember="The ring's bytes hardly depend on the number of GPUs; those of a gather grow with it.",
    mistakes=(
        Mistake(
            lambda gpus, weights: (gpus - 1) * weights * 4,
            "That is sending the whole gradient to everybody: the ring sends one part at a time, and only to its "
            "neighbour.",
        ),
        Mistake(variation(ring_bytes, " * 4", ""), "You counted numbers: a float32 has four bytes."),
        Mistake(
            variation(ring_bytes, "return 2 * ", "return "),
            "That is half: after `gpus` − 1 rounds each GPU has one finished part, and as many rounds again hand them "
            "to all; or you counted two bytes a number, where a float32 has four.",
        ),
        Mistake(
            variation(ring_bytes, "(weights / gpus)", "weights"),
            "A round sends one part, weights / gpus numbers, not all of them; or you added up what all GPUs send, "
            "where the bytes of each one are asked for.",
        ),
        Mistake(
            lambda gpus, weights: 2 * weights * 4,
            "That is `gpus` rounds each way: a part is complete after `gpus` − 1, since its own GPU began with it.",
        ),
    ),
)


def growth_exponent(sizes, seconds):
    """The slope of the line that fits the logarithms best (least squares)."""
    x, y = sizes.log(), seconds.log()
    x = x - x.mean()
    return (x * (y - y.mean())).sum() / (x * x).sum()


@mistake("Your line goes through the origin: subtract the means of both logarithms first.")
def slope_through_the_origin(sizes, seconds):
    x, y = sizes.log(), seconds.log()
    return (x * y).sum() / (x * x).sum()


def growth_cases():
    """Drawn about a line, with sizes that lie unevenly; without noise; two points; a cost that does not grow."""
    sizes = torch.tensor([64.0, 96.0, 256.0, 512.0, 2048.0], dtype=torch.float64)
    noisy = [
        (sizes * scale, 3e-4 * sizes**power * torch.exp(0.2 * normal(1212 + i, 5)))
        for i, (scale, power) in enumerate(((1.0, 1.0), (3.0, 2.0), (0.5, 1.5)))
    ]
    return [*noisy, (sizes, 2e-6 * sizes**2), (sizes[:2], sizes[:2] ** 1.5), (sizes, 0 * sizes + 0.3)]


EXPONENT = Exercise(
    name="growth-exponent",
    lesson="12",
    title="How does it grow?",
    difficulty=2,
    minutes=6,
    prompt="A cost that grows like size to the power p is a straight line where both axes are logarithmic, and p is "
    "its slope. Write `growth_exponent(sizes, seconds)`: for two tensors [n] the slope of the line that fits "
    "the logarithms best (least squares).",
    stub="def growth_exponent(sizes, seconds):\n    ...",
    hints=(
        "x = `sizes.log()`, y = `seconds.log()`; subtract their means.",
        "The slope is the sum of x · y divided by the sum of x · x, both without their means.",
    ),
    solution=growth_exponent,
    cases=growth_cases,
    remember="1 is linear, 2 is quadratic; and a few noisy points do not tell 1.0 from 1.1.",
    mistakes=(
        Mistake(
            variation(growth_exponent, ".log()", ""),
            "You fitted the seconds themselves: that is seconds a row, not an exponent. Take logarithms of both.",
        ),
        Mistake(
            variation(growth_exponent, "sizes.log()", "sizes"),
            "Only the seconds became logarithms: that fits an exponential. Take those of the sizes too.",
        ),
        Mistake(
            lambda sizes, seconds: growth_exponent(seconds, sizes), "You fitted the sizes by the seconds: swap the two."
        ),
        Mistake(
            lambda sizes, seconds: (seconds[-1] / seconds[0]).log() / (sizes[-1] / sizes[0]).log(),
            "You joined the first point with the last: the others should count as well.",
        ),
        slope_through_the_origin,
    ),
)


GROWS = Exercise(
    name="what-a-batch-makes-dearer",
    lesson="12",
    title="What does a larger batch make dearer?",
    difficulty=2,
    minutes=3,
    prompt="Each of 64 GPUs computes its own block of the matrix. You double the pairs of each GPU. Of which part "
    "does the time **per pair** double?\n\n- **a** the encoder\n- **b** the similarity matrix\n- **c** the "
    "all-gather\n- **d** the all-reduce of the gradients",
    stub='made_dearer = ...  # "a", "b", "c" or "d"',
    hints=(
        "Ask of each part: how much of it belongs to one pair, and does that depend on how many pairs there are?",
        "A pair is encoded once. Its vectors are sent to the same 63 others. With how many candidates is it compared?",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="A pair is compared with all candidates, and there are twice as many. It is encoded once and its vectors "
    "go to 63 GPUs, as before; the gradients of the weights are summed once a step, and a step now has twice "
    "the pairs: half as much for each.",
    remember="Per pair: encoder and gather stay, reduce and update shrink, the matrix grows.",
    mistakes=(
        Mistake("a", "A pair goes through the encoder once, whatever else is in the batch."),
        Mistake("c", "The vectors of a pair go to 63 others, as before: that depends on the GPUs, not on the batch."),
        Mistake("d", "The gradients have as many bytes as weights, once a step: more pairs a step make it cheaper."),
    ),
)


EXERCISES = (PADDED, GATHER, FLOPS, RING, EXPONENT, GROWS)
