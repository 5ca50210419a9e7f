"""Lesson 09, training: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import math

import torch

# how many steps


def number_of_steps(pairs, batch_size, epochs):
    """Whole batches and a smaller last one, in every epoch anew."""
    return epochs * math.ceil(pairs / batch_size)


def steps_without_the_last_batch(pairs, batch_size, epochs):
    return epochs * (pairs // batch_size)


def steps_of_one_epoch(pairs, batch_size, epochs):
    return math.ceil(pairs / batch_size)


def steps_across_epochs(pairs, batch_size, epochs):
    return math.ceil(epochs * pairs / batch_size)


def steps_not_whole(pairs, batch_size, epochs):
    return epochs * pairs / batch_size


def steps_cases():
    return [(100, 64, 3), (128, 64, 2), (549_367, 64, 1), (7, 16, 5), (1000, 32, 4)]


# the learning rate of a step


def rate_of_a_step(step, steps, warmup_steps, lr):
    """Up to lr over the warm-up, then down towards 0 over what is left."""
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * (steps - step) / (steps - warmup_steps)


def rate_that_starts_at_zero(step, steps, warmup_steps, lr):
    if step < warmup_steps:
        return lr * step / warmup_steps
    return rate_of_a_step(step, steps, warmup_steps, lr)


def rate_that_stays(step, steps, warmup_steps, lr):
    return lr * min(1.0, (step + 1) / warmup_steps)


def rate_that_falls_over_all_steps(step, steps, warmup_steps, lr):
    if step < warmup_steps:
        return rate_of_a_step(step, steps, warmup_steps, lr)
    return lr * (steps - step) / steps


def rate_as_a_factor(step, steps, warmup_steps, lr):
    return rate_of_a_step(step, steps, warmup_steps, 1.0)


def rate_cases():
    return [(step, 100, 10, 2e-5) for step in (0, 4, 9, 10, 55, 99)] + [(3, 8597, 859, 1e-3), (5000, 8597, 859, 1e-3)]


# memory of a matrix of similarities


def matrix_mib(anchors, candidates):
    """float32: four bytes a similarity; a MiB has 2²⁰ bytes."""
    return anchors * candidates * 4 / 2**20


def matrix_in_numbers(anchors, candidates):
    return anchors * candidates / 2**20


def matrix_of_all_rows(anchors, candidates):
    return (anchors + candidates) ** 2 * 4 / 2**20


def matrix_in_double(anchors, candidates):
    return anchors * candidates * 8 / 2**20


def matrix_in_bits(anchors, candidates):
    return anchors * candidates * 32 / 2**20


def matrix_of_the_vectors(anchors, candidates):
    return (anchors + candidates) * 128 * 4 / 2**20


def matrix_cases():
    return [(512, 1024), (64, 64), (1, 300), (256, 2560)]


# seconds of a whole run


def seconds_of_a_run(times, steps):
    """The first two warm up; the others stand for all."""
    return float(times[2:].mean() * steps)


def seconds_with_the_warm_up(times, steps):
    return float(times.mean() * steps)


def seconds_of_the_fastest(times, steps):
    return float(times.min() * steps)


def seconds_of_the_rest_only(times, steps):
    return float(times[2:].mean() * (steps - len(times)))


def seconds_of_the_last(times, steps):
    return float(times[-1] * steps)


def seconds_cases():
    draw = torch.Generator().manual_seed(9)
    cases = []
    for count, steps in ((5, 100), (12, 40), (3, 8597)):
        times = 0.1 + 0.05 * torch.rand(count, generator=draw, dtype=torch.float64)
        times[:2] *= 6  # cold caches, memory not yet asked for
        cases.append((times, steps))
    return cases
