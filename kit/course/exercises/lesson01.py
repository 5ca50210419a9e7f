"""Lesson 01, from sentence to vector: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from kit.course.exercises.conditions import LOOP
from kit.course.exercises.drawn_inputs import normal, rows
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def mean_pooling(tokens, mask):
    """The sum over the real tokens, divided by their number."""
    weights = mask[..., None]  # [rows, length, 1]
    return (tokens * weights).sum(1) / weights.sum(1)


def batches():
    """Token vectors [rows, length, dim] with something in the padding, and masks: some padding, much, none; one row
    of one token; padding on the left; vectors of zeros."""
    lengths = ([5, 2, 3], [1, 4], [3, 3], [1], [4, 2])
    tokens = [normal(i, len(of), max(of) + more, 4) for i, (of, more) in enumerate(zip(lengths, (0, 3, 0, 2, 1)))]
    masks = [(torch.arange(t.shape[1]) < torch.tensor(of)[:, None]).long() for t, of in zip(tokens, lengths)]
    return [*zip(tokens, masks), (tokens[0], masks[0].flip(1)), (0 * tokens[1], masks[1])]


MEAN = Exercise(
    name="mean-pooling",
    lesson="01",
    title="Mean pooling under a mask",
    difficulty=1,
    minutes=5,
    prompt="Write `mean_pooling(tokens, mask)`: one vector per sentence, [rows, dim]. `tokens` is [rows, length, "
    "dim], `mask` is [rows, length] with 1 for a token and 0 for padding. It must not matter how far the batch is "
    "padded, nor on which side.",
    stub="def mean_pooling(tokens, mask):\n    ...",
    hints=(
        "A mask of shape [rows, length, 1], `mask[..., None]`, multiplies the vectors of the padding by 0.",
        "Divide the sum over places, `.sum(1)`, by the number of tokens of *each* sentence: "
        "the same sum over the mask.",
    ),
    solution=mean_pooling,
    cases=batches,
    because="$u = \\sum_t m_t h_t / \\sum_t m_t$: padding adds nothing to either sum.",
    remember="The mask stands in the numerator and in the denominator.",
    mistakes=(
        Mistake(
            lambda tokens, mask: tokens.mean(1),
            "Your mean also counts the vectors of the padding: the mask is not used.",
        ),
        Mistake(
            variation(mean_pooling, "weights.sum(1)", "tokens.shape[1]"),
            "You divide by the padded length: divide by the number of tokens of each sentence, `mask.sum(1)`.",
        ),
        Mistake(
            variation(mean_pooling, "weights.sum(1)", "weights.sum()"),
            "You divide by the tokens of the whole batch: `mask.sum()` has no axis; take `.sum(1)`, one number per "
            "sentence.",
        ),
        Mistake(
            variation(mean_pooling, " / weights.sum(1)", ""),
            "This is the sum over the tokens: a mean also divides by their number.",
        ),
        Mistake(
            lambda tokens, mask: tokens.mean(2),
            "You averaged over the dimensions (the last axis): average over the places in the sentence, axis 1.",
        ),
    ),
)


def first_last_pooling(hidden, mask):
    """The masked mean of (first block + last block) / 2."""
    weights = mask[..., None]
    return ((hidden[1] + hidden[-1]) / 2 * weights).sum(1) / weights.sum(1)


@mistake("You put the two vectors side by side: average them, so that the vector stays [rows, dim].")
def first_beside_last(hidden, mask):
    return torch.cat([mean_pooling(hidden[1], mask), mean_pooling(hidden[-1], mask)], dim=1)


def layered_batches():
    """Hidden states of the embeddings and of three blocks, of one, of two, …, and masks."""
    layers = [((h, h.cos(), 2 * h.sin(), h.flip(2) - 1, h.exp()), mask) for h, mask in batches()]
    return [(hidden[: 2 + (i + 2) % 4], mask) for i, (hidden, mask) in enumerate(layers)]


FIRST_LAST = Exercise(
    name="first-last",
    lesson="01",
    title="First and last",
    difficulty=2,
    minutes=5,
    prompt="Write `first_last_pooling(hidden, mask)`: average the *first block's* output and the last one's, then "
    "take the mean over the tokens, [rows, dim]. `hidden` is what a BERT returns: [rows, length, dim] for the "
    "embedding layer, then the same for each block.",
    stub="def first_last_pooling(hidden, mask):\n    ...",
    hints=(
        "`hidden[0]` is the embedding layer's output: where is that of the first block?",
        "Average the two layers first, place by place; the rest is mean pooling under a mask.",
    ),
    solution=first_last_pooling,
    cases=layered_batches,
    remember="hidden[0] is before the first block, hidden[1] after it: say which you mean by first.",
    mistakes=(
        Mistake(
            variation(first_last_pooling, "hidden[1]", "hidden[0]"),
            "You took `hidden[0]`, the embedding layer's output: the first block's is `hidden[1]`.",
        ),
        Mistake(variation(first_last_pooling, " / 2", ""), "You added the two layers: their average is half of that."),
        first_beside_last,
        Mistake(
            lambda hidden, mask: ((hidden[1] + hidden[-1]) / 2).mean(1),
            "Your mean also counts the vectors of the padding: use the mask.",
        ),
        Mistake(
            lambda hidden, mask: mean_pooling(torch.stack(hidden).mean(0), mask),
            "You averaged all layers: only the first block's output and the last one's are asked for.",
        ),
    ),
)


def all_cosines(vectors):
    """Every vector at length 1, then all dot products in one matrix product."""
    unit = F.normalize(vectors, dim=1)
    return unit @ unit.T


def vectors_to_compare():
    """Of many lengths; all cosines negative; all positive; equal rows and a row of zeros; one row."""
    apart = rows([2.0, 0.0], [-0.6, 0.8], [-1.0, -3.0])  # three directions more than a right angle apart
    scales = rows([1.0, 4.0, 0.5, 2.0, 6.0]).T
    equal = rows([3.0, 4.0], [3.0, 4.0], [0.0, 0.0], [-6.0, -8.0])
    return [(scales * normal(2, 5, 3),), (apart,), (normal(3, 6, 8) + 2,), (equal,), (normal(4, 1, 3),)]


COSINES = Exercise(
    name="all-cosines",
    lesson="01",
    title="All cosines at once",
    difficulty=1,
    minutes=4,
    prompt="Write `all_cosines(vectors)`: the cosine of every row with every row, [n, n], for `vectors` [n, dim], "
    "without a loop. A row of zeros has the cosine 0 with every row.",
    stub="def all_cosines(vectors):\n    ...",
    hints=(
        "The dot product of two vectors of length 1 is their cosine: how do you make every row length 1?",
        "`torch.nn.functional.normalize(vectors, dim=1)` does it; then one matrix product `unit @ unit.T`.",
    ),
    solution=all_cosines,
    cases=vectors_to_compare,
    without=(LOOP,),
    remember="Normalise the rows once, then a matrix product gives all cosines.",
    mistakes=(
        Mistake(
            lambda vectors: vectors @ vectors.T,
            "These are dot products: divide by the lengths of both vectors, or make every row length 1 first.",
        ),
        Mistake(
            variation(all_cosines, "dim=1", "dim=0"),
            "You normalised the columns: a sentence is a row, so normalise along `dim=1`.",
        ),
        Mistake(
            lambda vectors: vectors @ vectors.T / vectors.norm(dim=1, keepdim=True),
            "You divided by the length of one of the two vectors only: the matrix must be symmetric.",
        ),
        Mistake(
            lambda vectors: vectors @ vectors.T / vectors.square().sum(1).outer(vectors.square().sum(1)),
            "You divided by squared lengths: a length is the root of the sum of the squares.",
        ),
        Mistake(lambda vectors: all_cosines(vectors.T), "You compared the columns, [dim, dim]: a sentence is a row."),
    ),
)


def nearest(vectors, k):
    """The indices [n, k] of the most similar other rows, by cosine, the most similar first."""
    unit = F.normalize(vectors, dim=1)
    cosines = (unit @ unit.T).fill_diagonal_(-float("inf"))
    return cosines.topk(k, dim=1).indices


@mistake(
    "You dropped the best hit of each row, taking it for the row itself: where two rows are equal, it can be the "
    "other one. Take the diagonal out before you sort.",
    also=(lambda vectors, k: all_cosines(vectors).argsort(1, descending=True)[:, 1 : k + 1],),
)
def nearest_but_the_first(vectors, k):
    return all_cosines(vectors).argsort(stable=True, dim=1, descending=True)[:, 1 : k + 1]


@mistake(
    "You took k + 1 and dropped the first, taking it for the row itself: where two rows are equal, it can be the "
    "other one. Take the diagonal out before you take the k largest."
)
def nearest_of_one_more(vectors, k):
    return all_cosines(vectors).topk(k + 1, dim=1).indices[:, 1:]


def searches():
    """With k from 0 to all others, with two equal rows, and with one opposite to another."""
    twins = rows([1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8])
    opposite = rows([3.0, 4.0], [-6.0, -8.0], [4.0, -2.0])
    several, apart, near = [vectors for (vectors,) in vectors_to_compare()[:3]]
    return [(several, 2), (apart, 1), (near, 3), (several, 0), (apart, 2), (near, 5), (twins, 1), (opposite, 2)]


NEAREST = Exercise(
    name="nearest-neighbours",
    lesson="01",
    title="Who is next to whom?",
    difficulty=2,
    minutes=6,
    prompt="Write `nearest(vectors, k)`: for every row of `vectors` [n, dim] the indices of the `k` *other* rows (`k` "
    "from 0 to n − 1) with the highest cosines, the highest first, as a tensor [n, k].",
    stub="def nearest(vectors, k):\n    ...",
    hints=(
        "Every row is most similar to itself: take the diagonal out before you look for the largest, as `neighbours` "
        "does in section 6.",
        "`cosines.topk(k, dim=1)` gives the `k` largest of each row in order; its `.indices` say where they are.",
    ),
    solution=nearest,
    cases=searches,
    remember="The diagonal goes to minus infinity, not to 0: cosines can be negative.",
    mistakes=(
        nearest_but_the_first,
        nearest_of_one_more,
        Mistake(
            variation(nearest, '.fill_diagonal_(-float("inf"))', ""),
            "Every row found itself: its cosine with itself is 1, so take the diagonal out first.",
        ),
        Mistake(
            lambda vectors, k: (vectors @ vectors.T).fill_diagonal_(-float("inf")).topk(k, dim=1).indices,
            "You ranked by the dot product, which favours long vectors: normalise the rows first.",
        ),
        Mistake(
            lambda vectors, k: all_cosines(vectors).topk(k, dim=1, largest=False).indices,
            "You took the smallest cosines: the nearest have the largest.",
        ),
        Mistake(
            lambda vectors, k: all_cosines(vectors).fill_diagonal_(-float("inf")).argsort(1)[:, -k:],
            "These are the right rows in the wrong order: sorting goes upwards, and the nearest comes first.",
        ),
        Mistake(
            variation(nearest, '-float("inf")', "0"),
            "A 0 on the diagonal is not low enough: where all other cosines are negative, a row finds itself. "
            "Take minus infinity.",
        ),
        Mistake(
            variation(nearest, '-float("inf")', "-1"),
            "A −1 on the diagonal is not low enough: a row that points the opposite way has that cosine too, and is "
            "still another row. Take minus infinity.",
            also=(lambda vectors, k: (all_cosines(vectors) - 2 * torch.eye(len(vectors))).topk(k, dim=1).indices,),
        ),
        Mistake(
            variation(nearest, ".indices", ".values"),
            "These are the cosines of the neighbours: the question is which rows they are (`.indices`).",
        ),
    ),
)


SHRUNK = Exercise(
    name="padded-dot-product",
    lesson="01",
    title="What the padding makes of it",
    difficulty=2,
    minutes=4,
    prompt="Two sentences have 8 and 12 tokens; the dot product of their mean vectors is 18. Now both are padded to "
    "24 places, and the sums of their token vectors are divided by 24. What dot product comes out?",
    stub="padded_dot_product = ...",
    hints=(
        "By which factor does each of the two vectors shrink?",
        "The first keeps 8/24 of its length, the second 12/24, and the dot product has both factors.",
    ),
    solution=3,
    because="$18 \\cdot \\frac{8}{24} \\cdot \\frac{12}{24} = 3$: a sixth, as if τ were six times as large. "
    "In a batch of width 12 the same two sentences would give 12.",
    remember="Both vectors shrink, so the dot product shrinks twice.",
    mistakes=(
        Mistake(18, "That holds for the cosine, which does not see lengths: the dot product does."),
        Mistake(6, "You shrank the first vector only: the second has 12 tokens of 24."),
        Mistake(9, "You shrank the second vector only: the first has 8 tokens of 24."),
        Mistake(108, "You divided by the factors: dividing a sum by a larger number makes the vectors shorter."),
        Mistake(0.75, "You divided the dot product by 24: each vector shrinks to its own share, 8/24 and 12/24."),
    ),
)


SPARED = Exercise(
    name="spared-pooling",
    lesson="01",
    title="Who is spared?",
    difficulty=1,
    minutes=2,
    prompt="The encoder gets its attention mask, but the pooling forgets it. Which pooling still gives the right "
    "vector, however far the batch is padded at its end?\n\n- **a** mean over all tokens\n- **b** first-last\n"
    "- **c** max\n- **d** [CLS]",
    stub='spared = ...  # "a", "b", "c" or "d"',
    hints=(
        "Which places of the sentence does each pooling look at?",
        "One of the four looks at a single place, and at the end of a batch that place is never padding.",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="[CLS] stands in the first place of every sentence, and with the mask in the attention its vector does not "
    "depend on the padding. A mean counts the [PAD] vectors; a maximum lets them win dimensions.",
    remember="[CLS] is spared by a mask forgotten in the pooling, but not by one forgotten in the attention.",
    mistakes=(
        Mistake("a", "The mean over all places counts the vectors at [PAD]: they are not zero."),
        Mistake("b", "First-last is a mean of two layers, and both have vectors at [PAD]."),
        Mistake("c", "A [PAD] vector wins every dimension in which it is larger than all tokens."),
    ),
)


RANKS = Exercise(
    name="two-rankings",
    lesson="01",
    title="First by cosine, first by dot product",
    difficulty=1,
    minutes=3,
    prompt="A query is compared with two sentences: **a** has a cosine of 0.9 with it and a vector of length 4, **b** "
    "has a cosine of 0.8 and a vector of length 5. Which is first by cosine, and which by dot product?",
    stub='first = (..., ...)  # by cosine, by dot product: "a" or "b" each',
    hints=("The dot product is ‖q‖ · length · cosine, and ‖q‖ is the same for both.", "Compare 4 · 0.9 with 5 · 0.8."),
    solution=("a", "b"),
    choices=("a", "b"),
    because="By cosine 0.9 beats 0.8; by dot product $4 \\cdot 0.9 = 3.6$ loses to $5 \\cdot 0.8 = 4$.",
    remember="For one query, dot products rank by length times cosine.",
    mistakes=(
        Mistake(("a", "a"), "By dot product the length counts too: 4 · 0.9 against 5 · 0.8."),
        Mistake(("b", "a"), "You have the two the wrong way round: the cosine alone puts 0.9 first."),
        Mistake(("b", "b"), "By cosine the length does not count: 0.9 is more than 0.8."),
    ),
)


EXERCISES = (MEAN, SPARED, SHRUNK, FIRST_LAST, COSINES, RANKS, NEAREST)
