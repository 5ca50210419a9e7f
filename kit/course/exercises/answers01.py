"""Lesson 01, from sentence to vector: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch
import torch.nn.functional as F

# mean pooling under a mask


def mean_pooling(tokens, mask):
    """The sum over the real tokens, divided by their number."""
    weights = mask[..., None].to(tokens.dtype)  # [rows, length, 1]
    return (tokens * weights).sum(1) / weights.sum(1)


def mean_of_all_places(tokens, mask):
    return tokens.mean(1)


def mean_over_padded_length(tokens, mask):
    return (tokens * mask[..., None]).sum(1) / tokens.shape[1]


def mean_over_tokens_of_the_batch(tokens, mask):
    return (tokens * mask[..., None]).sum(1) / mask.sum()


def sum_of_tokens(tokens, mask):
    return (tokens * mask[..., None]).sum(1)


def mean_over_dimensions(tokens, mask):
    return tokens.mean(2)


def batches():
    """Token vectors [rows, length, dim] with something in the padding, and masks [rows, length]."""
    draw = torch.Generator().manual_seed(1)
    lengths = ([5, 2, 3], [1, 4], [6])
    tokens = [
        torch.randn(len(of), max(of) + more, 4, generator=draw, dtype=torch.float64)
        for of, more in zip(lengths, (0, 3, 2))
    ]
    masks = [(torch.arange(t.shape[1]) < torch.tensor(of)[:, None]).long() for t, of in zip(tokens, lengths)]
    return list(zip(tokens, masks))


# the average of the first and the last block


def first_last_pooling(hidden, mask):
    """The masked mean of (first block + last block) / 2."""
    weights = mask[..., None].to(hidden[-1].dtype)
    return ((hidden[1] + hidden[-1]) / 2 * weights).sum(1) / weights.sum(1)


def embeddings_and_last(hidden, mask):
    return mean_pooling((hidden[0] + hidden[-1]) / 2, mask)


def first_plus_last(hidden, mask):
    return mean_pooling(hidden[1] + hidden[-1], mask)


def first_beside_last(hidden, mask):
    return torch.cat([mean_pooling(hidden[1], mask), mean_pooling(hidden[-1], mask)], dim=1)


def first_last_without_mask(hidden, mask):
    return ((hidden[1] + hidden[-1]) / 2).mean(1)


def mean_of_all_layers(hidden, mask):
    return mean_pooling(torch.stack(hidden).mean(0), mask)


def layered_batches():
    """Hidden states of the embeddings and three blocks, and masks."""
    return [((tokens, tokens.cos(), 2 * tokens.sin(), tokens.flip(2) - 1), mask) for tokens, mask in batches()]


# cosines of all pairs


def all_cosines(vectors):
    """Every vector at length 1, then all dot products in one matrix product."""
    unit = F.normalize(vectors, dim=1)
    return unit @ unit.T


def all_dot_products(vectors):
    return vectors @ vectors.T


def cosines_of_normalised_columns(vectors):
    columns = F.normalize(vectors, dim=0)
    return columns @ columns.T


def divided_by_one_length(vectors):
    return vectors @ vectors.T / vectors.norm(dim=1, keepdim=True)


def divided_by_squared_lengths(vectors):
    squares = vectors.square().sum(1)
    return vectors @ vectors.T / (squares[:, None] * squares)


def between_dimensions(vectors):
    unit = F.normalize(vectors, dim=0)
    return unit.T @ unit


def vectors_to_compare():
    draw = torch.Generator().manual_seed(2)
    # three directions more than a right angle apart: all cosines are negative
    apart = torch.tensor([[2.0, 0.0], [-0.6, 0.8], [-1.0, -3.0]], dtype=torch.float64)
    scales = torch.tensor([1.0, 4.0, 0.5, 2.0, 6.0], dtype=torch.float64)[:, None]
    return [
        (scales * torch.randn(5, 3, generator=draw, dtype=torch.float64),),
        (apart,),
        (torch.randn(6, 8, generator=draw, dtype=torch.float64) + 2,),
    ]


# the nearest neighbours


def nearest(vectors, k):
    """The indices [n, k] of the most similar other rows, by cosine, the most similar first."""
    unit = F.normalize(vectors, dim=1)
    cosines = (unit @ unit.T).fill_diagonal_(-float("inf"))
    return cosines.topk(k, dim=1).indices


def nearest_is_itself(vectors, k):
    return all_cosines(vectors).topk(k, dim=1).indices


def nearest_by_dot_product(vectors, k):
    return (vectors @ vectors.T).fill_diagonal_(-float("inf")).topk(k, dim=1).indices


def farthest(vectors, k):
    return all_cosines(vectors).topk(k, dim=1, largest=False).indices


def nearest_last(vectors, k):
    return all_cosines(vectors).fill_diagonal_(-float("inf")).argsort(1)[:, -k:]


def nearest_with_zero_on_the_diagonal(vectors, k):
    return all_cosines(vectors).fill_diagonal_(0).topk(k, dim=1).indices


def cosines_of_the_nearest(vectors, k):
    return all_cosines(vectors).fill_diagonal_(-float("inf")).topk(k, dim=1).values


def searches():
    return [(vectors, k) for (vectors,), k in zip(vectors_to_compare(), (2, 1, 3))]
