"""Lesson 02, the collapse: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from kit.course.exercises.conditions import ALL_PAIRS
from kit.course.exercises.drawn_inputs import normal, rows
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def mean_cosine(vectors):
    """‖Σu‖² holds every pair twice and every u·u = 1 once."""
    unit, n = F.normalize(vectors, dim=1), len(vectors)
    return (unit.sum(0).square().sum() - n) / (n * (n - 1))


@mistake("These are dot products: make every row length 1 first.")
def mean_dot_product(vectors):
    n = len(vectors)
    return (vectors.sum(0).square().sum() - vectors.square().sum()) / (n * (n - 1))


def clouds():
    """Clouds of points [n, dim] away from the origin, longer in some directions than in others; one evenly round."""
    sizes = ((5, 3, 1.0), (9, 4, -2.0), (30, 6, 0.5))
    drawn = [normal(i, n, dim) @ normal(i + 10, dim, dim) + shift for i, (n, dim, shift) in enumerate(sizes)]
    round_the_origin = torch.cat([torch.eye(3, dtype=torch.float64), -torch.eye(3, dtype=torch.float64)])
    return [(points,) for points in (*drawn, round_the_origin)]


def chunks_with_themselves(size):
    """A wrong mean cosine, by chunks of so many rows of which none meets another."""

    def mean_cosine_of_chunks(vectors):
        unit, n = F.normalize(vectors, dim=1), len(vectors)
        return (sum(chunk.sum(0).square().sum() for chunk in unit.split(size)) - n) / (n * (n - 1))

    return mean_cosine_of_chunks


def mean_of_means(vectors):
    chunks = F.normalize(vectors, dim=1).split(100)
    return torch.stack([mean_cosine(chunk) for chunk in chunks]).mean()


def rows_to_compare():
    """Clouds; two rows, opposite ones, and equal ones of different lengths; more rows than a chunk has."""
    few = [normal(5, 2, 3), rows([1.0, 2.0], [-2.0, -4.0]), rows([3.0, 4.0], [0.3, 0.4], [5, 0.0])]
    return [*clouds(), *((vectors,) for vectors in (*few, normal(6, 230, 3) + 0.5))]


MEAN = Exercise(
    name="mean-cosine",
    lesson="02",
    title="All pairs, without the pairs",
    difficulty=2,
    minutes=6,
    prompt="A million sentences have half a trillion pairs. Write `mean_cosine(vectors)`: the mean cosine of all pairs "
    "of two *different* rows of `vectors` [n, dim]. The [n, n] matrix must never be there as a whole: the shortcut "
    "above needs none of it; chunks of, say, 100 rows are allowed as well.",
    stub="def mean_cosine(vectors):\n    ...",
    hints=(
        "Make the rows length 1 and add them up. What is the squared length of the sum, multiplied out?",
        "‖Σu‖² has every pair twice, and every row once with itself, which gives 1 each time.",
    ),
    solution=mean_cosine,
    cases=rows_to_compare,
    without=(ALL_PAIRS,),
    because="$\\|\\sum_i u_i\\|^2 = \\sum_i \\|u_i\\|^2 + 2\\sum_{i<j} u_i \\cdot u_j$. Subtract the n ones, and n(n "
    "− 1) cosines are left.",
    remember="Apart from the diagonal, the mean cosine is the squared length of the mean direction: one pass over the "
    "rows is enough.",
    mistakes=(
        Mistake(
            lambda vectors: F.normalize(vectors, dim=1).mean(0).square().sum(),
            "The diagonal is still in: every row has cosine 1 with itself; subtract these n ones.",
        ),
        mean_dot_product,
        Mistake(
            chunks_with_themselves(100),
            "You compared each chunk with itself only: every chunk meets all rows, `chunk @ unit.T`.",
            also=(*map(chunks_with_themselves, (50, 64, 128)), mean_of_means),
        ),
        Mistake(
            variation(mean_cosine, "(n * (n - 1))", "(n * (n - 1) / 2)"),
            "That is twice too large: ‖Σu‖² has every pair twice, so divide by n(n − 1).",
        ),
        Mistake(
            variation(mean_cosine, "(n * (n - 1))", "n**2"),
            "You divided by n²: without the diagonal n(n − 1) places are left.",
        ),
        Mistake(
            lambda vectors: F.cosine_similarity(vectors, vectors.mean(0, keepdim=True)).mean(),
            "That is the mean cosine with the mean vector: compare the rows with each other.",
        ),
    ),
)


def rank_in_use(vectors):
    """e to the entropy of the shares that the directions have of the variance."""
    centred = vectors - vectors.mean(0)
    values = torch.linalg.eigvalsh(centred.T @ centred)
    shares = values / values.sum()
    return torch.exp(-(shares * shares.log()).sum())


RANK = Exercise(
    name="effective-rank",
    lesson="02",
    title="How many directions are in use?",
    difficulty=2,
    minutes=8,
    prompt="Write `rank_in_use(vectors)`: the effective rank of `vectors` [n, dim], a number from 1 to dim. There is "
    "variance in every direction here, so no share is zero.",
    stub="def rank_in_use(vectors):\n    ...",
    hints=(
        "Centre, take the eigenvalues of the covariance (`torch.linalg.eigvalsh`), and divide them by their sum.",
        "Shares that sum to 1 have an entropy, −Σ p·log p with the natural logarithm; e to the entropy is the number "
        "of equally strong directions that would have the same entropy.",
    ),
    solution=rank_in_use,
    cases=clouds,
    remember="Centre, eigenvalues, shares, entropy, e to the entropy.",
    mistakes=(
        Mistake(
            variation(rank_in_use, " - vectors.mean(0)", ""),
            "You did not centre: the mean then counts as one strong direction, however the vectors vary.",
        ),
        Mistake(
            variation(rank_in_use, "values / values.sum()", "values.sqrt() / values.sqrt().sum()"),
            "Your shares are of standard deviations: the singular values of the vectors must be squared to become "
            "variances.",
        ),
        Mistake(
            variation(rank_in_use, "torch.exp(-(shares * shares.log()).sum())", "-(shares * shares.log()).sum()"),
            "That is the entropy: e to the entropy is the number of directions.",
        ),
        Mistake(
            variation(rank_in_use, "torch.exp(-(shares * shares.log()).sum())", "1 / shares.square().sum()"),
            "That is the participation ratio, (Σσ²)²/Σσ⁴, which IsoScore is made of: here take the entropy.",
        ),
        Mistake(
            variation(rank_in_use, "shares = values / values.sum()", "shares = vectors.var(0) / vectors.var(0).sum()"),
            "You took the variances of the columns: they change when the space is turned. Take eigenvalues.",
        ),
    ),
)


TWO_OF_FOUR = Exercise(
    name="two-of-four",
    lesson="02",
    title="Two directions of four",
    difficulty=1,
    minutes=4,
    prompt="In a space of four dimensions two directions have half of the variance each and two have none. What are "
    "its effective rank and its IsoScore?",
    stub="two_of_four = (..., ...)  # effective rank, IsoScore",
    hints=(
        "Where the shares are equal, the effective rank simply counts them.",
        "IsoScore is (participation ratio − 1)/(d − 1), the participation ratio 1/Σp².",
    ),
    solution=(2, 1 / 3),
    tolerance=5e-3,
    because="The entropy of two halves is log 2, and e to that is 2. The participation ratio is $1/(0.25 + 0.25) = 2$ "
    "too, so IsoScore is $(2 - 1)/(4 - 1)$, a third.",
    remember="One direction of d gives IsoScore 0, all of them 1, and half of them (d/2 − 1)/(d − 1): a third for d = "
    "4, nearly a half for a large d.",
    mistakes=(
        Mistake(
            (2, 0.5),
            "The effective rank is right. IsoScore is 0 for one direction, so 1 is subtracted in numerator and "
            "denominator: (2 − 1)/(4 − 1).",
        ),
        Mistake((2, 2), "The effective rank is right. 2 is the participation ratio: IsoScore rescales it to 0 … 1."),
        Mistake((0.6931, 1 / 3), "IsoScore is right. log 2 is the entropy: the effective rank is e to that."),
        Mistake((4, 1), "That would be so if all four directions had a quarter each: here two have none."),
        Mistake((1, 0), "That would be so if one direction had everything: here two share it."),
    ),
)


UNCHANGED = Exercise(
    name="what-changes",
    lesson="02",
    title="What changes what?",
    difficulty=2,
    minutes=4,
    prompt="Answer four times with `True` or `False`. *All vectors are turned by the same rotation:* does the mean "
    "cosine change? Does the effective rank? *Every vector is divided by its own length:* does the mean cosine "
    "change? Does the effective rank, as a rule?",
    stub="changes = (..., ..., ..., ...)  # rotation: cosine, rank; equal lengths: cosine, rank",
    hints=(
        "A rotation keeps lengths and angles between vectors. Which of the two does a cosine look at?",
        "The spectrum is that of the centred vectors as they are, not of their directions alone.",
    ),
    solution=(False, False, False, True),
    because="A rotation keeps every dot product, and turns the directions of the spectrum without changing their "
    "shares. A cosine divides by the lengths anyway. In the variance, long vectors weigh more than short ones; once "
    "all are equally long, the cloud has another shape.",
    remember="Cosines do not see lengths, but the spectrum does: say which vectors yours comes from.",
    mistakes=(
        Mistake((True, True, False, True), "A rotation changes neither: it keeps every angle, and the cloud's shape."),
        Mistake(
            (False, True, False, True),
            "The rotation turns the directions of the spectrum, but each keeps its share of the variance: the "
            "effective rank does not change.",
        ),
        Mistake(
            (False, False, True, True),
            "A cosine divides by the lengths itself: whether that was done before makes no difference.",
        ),
        Mistake(
            (False, False, False, False),
            "Long vectors weigh more in the variance than short ones: once all are equally long, the shares change.",
        ),
        Mistake(
            (False, False, True, False),
            "You have the two the wrong way round for the lengths: a cosine does not see them, the variance does.",
        ),
    ),
)


def without_top(vectors, k):
    """Centred, minus what lies along the k strongest directions."""
    centred = vectors - vectors.mean(0)
    values, directions = torch.linalg.eigh(centred.T @ centred)  # the smallest first
    top = directions[:, len(values) - k :]
    return centred - centred @ top @ top.T


@mistake("With k = 0 you take away everything: `[:, -0:]` is `[:, 0:]`. Count from the front, `[:, dim - k:]`.")
def without_top_from_the_back(vectors, k):
    centred = vectors - vectors.mean(0)
    top = torch.linalg.eigh(centred.T @ centred)[1][:, -k:]
    return centred - centred @ top @ top.T


@mistake("The mean is still in the result, or back in it: subtract from the centred vectors, and leave it out.")
def without_top_around_the_mean(vectors, k):
    return without_top(vectors, k) + vectors.mean(0)


def clouds_and_counts():
    """With k from 0 (centred only) to all (nothing is left)."""
    first, second, third, _ = [vectors for (vectors,) in clouds()]
    return [(first, 1), (second, 2), (third, 3), (second, 0), (first, 3), (third, 6)]


TOP = Exercise(
    name="remove-top",
    lesson="02",
    title="All but the top",
    difficulty=2,
    minutes=8,
    prompt="Write `without_top(vectors, k)`: centre `vectors` [n, dim] and take away what lies along the `k` "
    "directions of largest variance. The result is [n, dim] again.",
    stub="def without_top(vectors, k):\n    ...",
    hints=(
        "`torch.linalg.eigh` of the covariance gives the directions as *columns*, those of the smallest variance "
        "first: which columns are the strongest?",
        "With the strongest as columns of `top` [dim, k], `x @ top @ top.T` is what lies along them; subtract it from "
        "the centred vectors.",
    ),
    solution=without_top,
    cases=clouds_and_counts,
    remember="Centre, find the strongest, subtract the projection.",
    mistakes=(
        without_top_from_the_back,
        without_top_around_the_mean,
        Mistake(
            variation(without_top, "centred - centred @", "vectors - vectors @"),
            "The directions are right, but the mean is still in the result: subtract it from the vectors too.",
        ),
        Mistake(
            variation(without_top, "len(values) - k :", ":k"),
            "You took away the weakest directions: `eigh` gives the smallest eigenvalues first.",
        ),
        Mistake(
            variation(without_top, "centred - centred @", "centred @"),
            "You kept the strongest directions and lost the rest: it should be the other way round.",
        ),
        Mistake(
            variation(without_top, "centred.T @ centred", "vectors.T @ vectors"),
            "Your directions are those of vectors that were not centred: the first is then nearly the mean.",
        ),
        Mistake(
            lambda vectors, k: vectors - vectors.mean(0),
            "That is only centred: nothing was taken away along the strongest directions.",
        ),
    ),
)


def whiten(train, test):
    """(test − mean)·U·Λ^(−1/2)·Uᵀ, all of it learned from `train`."""
    mean, (values, directions) = train.mean(0), torch.linalg.eigh(torch.cov(train.T, correction=0))
    return (test - mean) @ directions @ torch.diag(values**-0.5) @ directions.T


def trains_and_tests():
    """Two draws of one cloud each, the second a little elsewhere; and one row alone."""
    cases = []
    for seed, (train, dim, test) in enumerate(((40, 3, 7), (80, 5, 7), (12, 2, 1)), start=22):
        mix = normal(seed, dim, dim) + 2 * torch.eye(dim, dtype=torch.float64)
        cases.append((normal(seed + 10, train, dim) @ mix + 1, normal(seed + 20, test, dim) @ mix + 2))
    return cases


WHITEN = Exercise(
    name="whiten",
    lesson="02",
    title="Whitening, and turned back",
    difficulty=3,
    minutes=10,
    prompt="Write `whiten(train, test)`: the vectors of `test` [m, dim], whitened by what `train` [n, dim] tells. "
    "Turn the result back at the end, so that it does not depend on the signs of the directions: the map is $U "
    "\\Lambda^{-1/2} U^T$. The covariance divides by n, and there is variance in every direction.",
    stub="def whiten(train, test):\n    ...",
    hints=(
        "Everything that is estimated, the mean and the covariance, comes from `train`; `test` is only mapped.",
        "`torch.cov(train.T, correction=0)` is the covariance, `torch.linalg.eigh` gives Λ and U; a matrix "
        "with a vector on its diagonal is `torch.diag(vector)`.",
    ),
    solution=whiten,
    cases=trains_and_tests,
    remember="Mean and covariance from the training vectors, one over the root of the variance, centre first.",
    mistakes=(
        Mistake(
            variation(whiten, "(test - mean)", "test"), "You forgot to centre: subtract the mean of `train` first."
        ),
        Mistake(
            variation(whiten, " @ directions.T", ""),
            "It is white, but not turned back: end with `@ U.T`, so that the signs of the directions drop out.",
        ),
        Mistake(
            variation(whiten, "**-0.5", "**0.5"),
            "You multiplied by the root of the variance: divide by it, so that all directions become equally strong.",
        ),
        Mistake(
            variation(whiten, "**-0.5", "**-1"),
            "You divided by the variance: its root is the standard deviation, which becomes 1.",
        ),
        Mistake(
            lambda train, test: whiten(test, test),
            "Mean and covariance are those of `test`: that is the leak. Take both from `train`.",
        ),
        Mistake(
            variation(whiten, "train.mean(0)", "test.mean(0)"),
            "The covariance is that of `train`, but the mean is that of `test`: take both from `train`.",
        ),
        Mistake(
            lambda train, test: (test - train.mean(0)) / train.std(0, correction=0),
            "You divided each column by its deviation: that leaves the columns correlated. Use the directions.",
        ),
        Mistake(
            variation(whiten, "torch.cov(train.T, correction=0)", "train.T @ train / len(train)"),
            "Your covariance is that of vectors that were not centred: subtract the mean before you multiply.",
        ),
    ),
)


MAP = Exercise(
    name="umap-distance",
    lesson="02",
    title="What does the map say?",
    difficulty=1,
    minutes=2,
    prompt="On a UMAP map group A is twice as far from group B as from group C. What follows for the vectors?\n\n- "
    "**a** Nothing yet: measure it in the space itself.\n- **b** A is about twice as far from B as from C.\n- **c** A "
    "is farther from B than from C, though nobody can say by how much.\n- **d** With a larger n_neighbors the map "
    "would be right.",
    stub='follows = ...  # "a", "b", "c" or "d"',
    hints=(
        "Choose another pair of actions on the board and move the sliders: do distances at least keep their order?",
        "What does UMAP try to keep, distances or neighbours?",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="UMAP tries to keep who is next to whom. How far apart groups lie depends on its start and its "
    "settings as well as on the vectors, as the board shows.",
    remember="A map is for finding questions; the answer is measured in the space.",
    mistakes=(
        Mistake("b", "The same vectors gave very different distances on the maps above: the map has no ruler."),
        Mistake(
            "c",
            "Not even the order is safe: choose two pairs of actions on the board and compare them on several maps.",
        ),
        Mistake(
            "d", "A larger n_neighbors looks farther around each point, but that is another picture, not the right one."
        ),
    ),
)


EXERCISES = (MEAN, TWO_OF_FOUR, RANK, UNCHANGED, TOP, MAP, WHITEN)
