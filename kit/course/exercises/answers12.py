"""Lesson 12, speed and scale: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch

# what padding costs


def padded_share(lengths):
    """Places of the padded batch that hold no word piece, as a share of all its places."""
    places = len(lengths) * lengths.max()
    return 1 - lengths.sum() / places


def share_that_is_real(lengths):
    return lengths.sum() / (len(lengths) * lengths.max())


def padding_per_real_token(lengths):
    return len(lengths) * lengths.max() / lengths.sum() - 1


def padding_counted(lengths):
    return len(lengths) * lengths.max() - lengths.sum()


def share_against_the_limit(lengths):
    return 1 - lengths.sum() / (len(lengths) * 128)


def rows_that_are_padded(lengths):
    return (lengths < lengths.max()).double().mean()


def lengths_cases():
    return [(torch.tensor(lengths),) for lengths in ([4, 9, 5, 12], [7, 7, 7], [3, 30, 6, 6, 8, 11], [5])]


# FLOP of a step


def flops_of_a_step(layers, hidden, tokens, sentences):
    """12 h² weights a layer, a multiplication and an addition each; the way back costs twice the way there."""
    forward = 2 * 12 * layers * hidden**2
    return 3 * forward * tokens * sentences


def flops_of_the_forward_pass(layers, hidden, tokens, sentences):
    return 24 * layers * hidden**2 * tokens * sentences


def flops_without_additions(layers, hidden, tokens, sentences):
    return 36 * layers * hidden**2 * tokens * sentences


def flops_with_a_cheap_way_back(layers, hidden, tokens, sentences):
    return 48 * layers * hidden**2 * tokens * sentences


def flops_of_a_token(layers, hidden, tokens, sentences):
    return 72 * layers * hidden**2 * sentences


def flops_of_a_sentence(layers, hidden, tokens, sentences):
    return 72 * layers * hidden**2 * tokens


def flops_cases():
    return [(8, 512, 16, 128), (12, 768, 32, 64), (2, 128, 9, 7)]


# the gradient of a gather


def gradient_of_a_gather(gradients, rank):
    """A rank's vectors stand in every rank's loss: add what all ranks found, and take its own rows."""
    rows = gradients.shape[1] // len(gradients)
    return gradients.sum(0)[rank * rows : (rank + 1) * rows]


def gradient_of_ones_own_loss(gradients, rank):
    rows = gradients.shape[1] // len(gradients)
    return gradients[rank, rank * rows : (rank + 1) * rows]


def gradient_averaged(gradients, rank):
    return gradient_of_a_gather(gradients, rank) / len(gradients)


def gradient_of_all_rows(gradients, rank):
    return gradients.sum(0)


def gradient_of_the_others(gradients, rank):
    return gradient_of_a_gather(gradients, rank) - gradient_of_ones_own_loss(gradients, rank)


def gradient_of_ones_whole_loss(gradients, rank):
    return gradients[rank]


def gather_cases():
    draw = torch.Generator().manual_seed(12)
    return [
        (torch.randn(ranks, ranks * rows, 3, generator=draw, dtype=torch.float64), rank)
        for ranks, rows, rank in ((2, 3, 0), (2, 3, 1), (4, 2, 2), (3, 1, 1))
    ]


# the bytes of a ring


def ring_bytes(gpus, weights):
    """gpus − 1 times one part of `gpus` goes on to be summed, and as often to be known by all."""
    return 2 * (gpus - 1) * (weights / gpus) * 4


def bytes_of_sending_everything(gpus, weights):
    return (gpus - 1) * weights * 4


def ring_in_numbers(gpus, weights):
    return 2 * (gpus - 1) * (weights / gpus)


def ring_once_round(gpus, weights):
    return (gpus - 1) * (weights / gpus) * 4


def ring_of_whole_gradients(gpus, weights):
    return 2 * (gpus - 1) * weights * 4


def ring_with_a_step_too_many(gpus, weights):
    return 2 * weights * 4


def ring_cases():
    return [(2, 1000), (8, 4_386_178), (64, 41_373_696), (3, 999)]


# how a cost grows


def growth_exponent(sizes, seconds):
    """The slope of the line that fits the logarithms best (least squares)."""
    x, y = sizes.log(), seconds.log()
    x = x - x.mean()
    return (x * (y - y.mean())).sum() / (x * x).sum()


def slope_without_logarithms(sizes, seconds):
    x = sizes - sizes.mean()
    return (x * (seconds - seconds.mean())).sum() / (x * x).sum()


def slope_with_one_logarithm(sizes, seconds):
    x, y = sizes - sizes.mean(), seconds.log()
    return (x * (y - y.mean())).sum() / (x * x).sum()


def slope_the_other_way_round(sizes, seconds):
    return growth_exponent(seconds, sizes)


def slope_of_the_ends(sizes, seconds):
    return (seconds[-1] / seconds[0]).log() / (sizes[-1] / sizes[0]).log()


def slope_through_the_origin(sizes, seconds):
    x, y = sizes.log(), seconds.log()
    return (x * y).sum() / (x * x).sum()


def growth_cases():
    draw = torch.Generator().manual_seed(1212)
    sizes = torch.tensor([64.0, 128.0, 256.0, 512.0, 1024.0], dtype=torch.float64)
    noise = [torch.exp(0.2 * torch.randn(5, generator=draw, dtype=torch.float64)) for _ in range(3)]
    return [
        (sizes * scale, 3e-4 * sizes**power * wobble)
        for scale, power, wobble in zip((1.0, 3.0, 0.5), (1.0, 2.0, 1.5), noise)
    ]
