"""Lesson 13, your own data: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from kit.course.exercises.drawn_inputs import normal, rows, uniform
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def leaked(train, test, least):
    """The share of test texts that have a near-duplicate in training."""
    shared = test @ train.T
    union = test.sum(dim=1, keepdim=True) + train.sum(dim=1) - shared
    return (shared / union >= least).any(dim=1).double().mean()


def leaked_cases():
    """Drawn; a twin; at the limit; one word beside five; a long and a short text in training; two twins of one text;
    nothing leaks; all do; alike, but below the limit, three times: with one word of four changed, a short text in
    training inside a long one, a longer text in the test; just below the limit; a text that the test has twice."""
    drawn = [((uniform(130 + s, 6, 7) < 0.5) | (torch.arange(7) == 0)).double() for s in (0, 1)]
    one = rows([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1])
    half = rows([1, 1, 1, 1, 0, 0])
    return [
        (drawn[0], drawn[1][:4], 0.6),
        (drawn[0], drawn[1], 0.4),
        (one, rows([1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 0]), 0.7),
        (half, rows([1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]), 0.5),
        (rows([1, 1, 1, 1, 1, 0]), rows([1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0]), 0.7),
        (rows([1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0]), rows([1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]), 0.9),
        (torch.cat([one, one]), one[:1], 0.9),
        (one, rows([1, 0, 0, 1, 0, 1]), 0.9),
        (one, one, 1.0),
        (rows([1, 1, 1, 1, 0]), rows([1, 1, 0, 1, 1]), 0.7),
        (rows([0, 0, 1, 1, 0, 0, 0, 0]), rows([1, 1, 1, 1, 0, 0, 0, 0]), 0.7),
        (rows([1, 1, 1, 1, 0, 0]), rows([1, 1, 1, 0, 1, 1]), 0.7),
        (rows([1, 1, 0]), rows([1, 1, 1]), 0.7),
        (rows([1, 1, 0, 0]), rows([1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]), 0.7),
    ]


@mistake("You divide by the words of the test text alone: a short text inside a long one then counts as its twin.")
def leaked_by_containment(train, test, least):
    return ((test @ train.T) / test.sum(dim=1, keepdim=True) >= least).any(dim=1).double().mean()


@mistake("You counted pairs of texts: a test text with three twins in training is one leaked row, not three.")
def leaked_pairs(train, test, least):
    shared = test @ train.T
    union = test.sum(dim=1, keepdim=True) + train.sum(dim=1) - shared
    return (shared / union >= least).double().sum() / len(test)


@mistake("You looked from the training's side: what counts is how many *test* texts have a twin.")
def leaked_of_train(train, test, least):
    return leaked(test, train, least)


LEAKED = Exercise(
    name="leaked-rows",
    lesson="13",
    title="How much of the test was in the training?",
    difficulty=2,
    minutes=8,
    prompt="Write `leaked(train, test, least)`: `train` [N, words] and `test` [M, words] have a row for each text, "
    "with 1.0 where the text has the word, else 0.0. Return the share of the test texts whose Jaccard similarity with "
    "some training text is `least` or more. (A text that stands in the test twice counts twice.)",
    stub="def leaked(train, test, least):\n    ...",
    hints=(
        "The words two texts share are a product of their rows: `test @ train.T` has all of them at once, [M, N].",
        "|A ∪ B| = |A| + |B| − |A ∩ B|. Sums over rows, with `keepdim=True` on one of the two sides.",
        "`(shared / union >= least).any(dim=1)` says which test texts leaked; its mean is the share.",
    ),
    solution=leaked,
    cases=leaked_cases,
    remember="Count test rows with a twin in training before you believe a test score.",
    mistakes=(
        leaked_by_containment,
        leaked_pairs,
        leaked_of_train,
        Mistake(
            variation(
                leaked, "union = test.sum(dim=1, keepdim=True) + train.sum(dim=1) - shared", "union = train.sum(dim=1)"
            ),
            "You divide by the words of the training text alone: a short one inside a long test text then counts as "
            "its twin.",
        ),
        Mistake(
            lambda train, test, least: (
                (F.cosine_similarity(test[:, None], train[None], dim=-1) >= least).any(dim=1).double().mean()
            ),
            "That is the cosine of the two rows, which is the larger of the two: Jaccard divides by the union.",
        ),
        Mistake(variation(leaked, " - shared", ""), "Your union counts the shared words twice: subtract |A ∩ B| once."),
        Mistake(variation(leaked, ">= least", "> least"), "A text exactly at the limit counts, too: `least` or more."),
        Mistake(variation(leaked, ".any(dim=1)", ".all(dim=1)"), "One twin is enough: `any`, not `all`."),
    ),
)


def recall_and_ndcg(hits, total, k):
    """Recall@k and nDCG@k, each the mean over the queries."""
    top = hits[:, :k]
    discount = 1 / torch.log2(torch.arange(2, hits.shape[1] + 2, dtype=hits.dtype))
    gained = (top * discount[:k]).sum(dim=1)
    best = torch.stack([discount[: min(k, n)].sum() for n in total])
    return torch.stack([(top.sum(dim=1) / total).mean(), (gained / best).mean()])


def ranking_cases():
    """Drawn; one relevant document at ranks 1, 2 and beyond k; more relevant ones than k; none found; k of 1; one of
    two found, at the top."""
    drawn = (uniform(140, 5, 8) < 0.4).double()
    drawn[:, 7] = 1.0
    several = rows([1, 1, 1, 1, 0, 0], [0, 1, 0, 1, 0, 1])
    return [
        (drawn, drawn.sum(dim=1).long(), 4),
        (drawn, drawn.sum(dim=1).long() + 1, 3),
        (torch.eye(6, dtype=torch.float64)[[0, 1, 4]], torch.ones(3).long(), 3),
        (several, several.sum(dim=1).long(), 2),
        (rows([0, 0, 0, 1]), torch.tensor([2]), 3),
        (several, several.sum(dim=1).long(), 1),
        (several, several.sum(dim=1).long(), 6),
        (rows([1, 0, 0, 0]), torch.tensor([2]), 3),
    ]


RANKING = Exercise(
    name="recall-and-ndcg",
    lesson="13",
    title="Recall and nDCG by hand",
    difficulty=2,
    minutes=10,
    prompt="Write `recall_and_ndcg(hits, total, k)`: `hits` [queries, ranks] is 1.0 where the document at that rank is "
    "relevant, else 0.0; `total` [queries] says how many relevant documents a query has, a whole number of 1 or "
    "more. Return a tensor of two numbers, recall@k and nDCG@k, each the mean over the queries. (`ranks` is at least "
    "`k` and at least every `total`.)",
    stub="import torch\n\ndef recall_and_ndcg(hits, total, k):\n    ...",
    hints=(
        "Recall@k: how many of the relevant documents stand among the first k, divided by `total`.",
        "DCG@k adds 1/log₂(rank + 1) for each relevant document among the first k, ranks from 1. nDCG divides it by "
        "the "
        "DCG of the best order there is.",
        "In the best order the relevant ones come first: min(k, total) of them fit into the first k.",
    ),
    solution=recall_and_ndcg,
    cases=ranking_cases,
    remember="Recall asks whether it was found, nDCG also how far up.",
    mistakes=(
        Mistake(
            variation(recall_and_ndcg, "/ total)", "/ k)"),
            "That is precision@k: recall divides by the number of relevant documents.",
        ),
        Mistake(
            variation(recall_and_ndcg, "(top.sum(dim=1) / total)", "top.amax(dim=1)"),
            "The first of your two is the hit rate, for which one document is enough: recall is the share of `total` "
            "that was found.",
        ),
        Mistake(
            variation(recall_and_ndcg, "torch.arange(2, hits.shape[1] + 2", "torch.arange(1, hits.shape[1] + 1"),
            "Rank 1 has the weight 1/log₂(2) = 1: it is the logarithm of rank + 1.",
        ),
        Mistake(
            variation(recall_and_ndcg, "min(k, n)", "k"),
            "The best order of a query with fewer relevant documents than k fills fewer ranks: min(k, total).",
        ),
        Mistake(
            variation(recall_and_ndcg, "min(k, n)", "n"),
            "Only k ranks are looked at: where there are more relevant documents, the best order fills k of them.",
        ),
        Mistake(
            variation(recall_and_ndcg, "for n in total", "for n in hits.sum(dim=1).long()"),
            "Your best order has the relevant documents of the list only: the best there is has all of them, `total`.",
            also=(
                variation(recall_and_ndcg, "for n in total", "for n in top.sum(dim=1).long()"),
                variation(recall_and_ndcg, "for n in total", "for n in top.sum(dim=1).long().clamp(min=1)"),
            ),
        ),
        Mistake(
            variation(recall_and_ndcg, "(gained / best)", "gained"),
            "That is DCG: divide by the DCG of the best order, so that 1 means perfect.",
        ),
        Mistake(
            variation(recall_and_ndcg, "(gained / best).mean()", "gained.sum() / best.sum()"),
            "Divide query by query, then take the mean: every query counts the same.",
        ),
        Mistake(
            variation(recall_and_ndcg, "(top.sum(dim=1) / total).mean()", "top.sum() / total.sum()"),
            "Divide query by query, then take the mean: yours lets queries with many relevant documents count more.",
        ),
    ),
)


def cosent_by_hand(cosines, scores, temperature):
    """log(1 + Σ e^{(c_j − c_i)/τ}) over the pairs (i, j) with s_i > s_j."""
    higher = scores[:, None] > scores[None, :]
    apart = (cosines[None, :] - cosines[:, None]) / temperature
    return torch.log(1 + apart.exp()[higher].sum())


def cosent_cases():
    """Drawn; two in the wrong order, and in the right one; ties; all scores equal; a single pair."""
    drawn = torch.tensor([3.0, 1.0, 4.0, 2.0, 5.0], dtype=torch.float64)
    tied = torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0], dtype=torch.float64)
    two = rows([0.2, 0.8])[0]
    return [
        (torch.tanh(normal(150, 5)), drawn, 0.5),
        (torch.tanh(normal(151, 5)), tied / 5, 0.2),
        (two, torch.tensor([1.0, 0.0], dtype=torch.float64), 0.1),
        (two, torch.tensor([0.0, 1.0], dtype=torch.float64), 0.1),
        (torch.tanh(normal(152, 5)), torch.ones(5, dtype=torch.float64), 0.5),
        (rows([0.3])[0], torch.ones(1, dtype=torch.float64), 0.5),
    ]


COSENT = Exercise(
    name="cosent-by-hand",
    lesson="13",
    title="CoSENT by hand",
    difficulty=2,
    minutes=10,
    prompt="Write `cosent_by_hand(cosines, scores, temperature)`: `cosines` [N] are the cosines of N pairs, `scores` "
    "[N] what people gave them. Return $\\log\\big(1 + \\sum_{(i, j):\\ s_i > s_j} e^{(c_j - c_i)/\\tau}\\big)$, a "
    "loss to train on.",
    stub="import torch\n\ndef cosent_by_hand(cosines, scores, temperature):\n    ...",
    hints=(
        "Two matrices [N, N] say it all: who was scored higher than whom, and by how much the cosines are the wrong "
        "way "
        "round. `scores[:, None] > scores[None, :]` is the first.",
        "`cosines[None, :] - cosines[:, None]` has c_j − c_i in row i, column j. Divide by τ, take `exp`, choose, sum.",
        "The 1 stands inside the logarithm: with nothing to compare the loss is log 1 = 0.",
    ),
    solution=cosent_by_hand,
    cases=cosent_cases,
    is_loss=True,
    remember="Only the order of the scores counts; a pair in the wrong order costs about (c_j − c_i)/τ.",
    mistakes=(
        Mistake(
            variation(cosent_by_hand, "scores[:, None] > scores[None, :]", "scores[:, None] < scores[None, :]"),
            "Your order is reversed: where s_i > s_j the exponent is (c_j − c_i)/τ, large if the *lower*-scored pair "
            "has the higher cosine.",
        ),
        Mistake(
            variation(cosent_by_hand, "scores[:, None] > scores[None, :]", "scores[:, None] >= scores[None, :]"),
            "Pairs with equal scores are not compared: `>`, not `>=` (with `>=` each pair is compared with itself).",
        ),
        Mistake(
            variation(cosent_by_hand, "1 + apart", "apart"),
            "The 1 is missing: without it the loss of a batch in the right order goes to −∞, and equal scores give −∞.",
        ),
        Mistake(
            variation(cosent_by_hand, " / temperature", " * temperature"),
            "Divide by τ: a small τ makes every wrong order costly.",
        ),
        Mistake(
            variation(cosent_by_hand, " / temperature", ""), "You did not divide by τ: yours is the loss at τ = 1."
        ),
        Mistake(variation(cosent_by_hand, ".sum()", ".mean()"), "The terms are summed, not averaged."),
        Mistake(
            lambda cosines, scores, temperature: ((cosines - scores) ** 2).mean(),
            "That is cosine regression: it wants the number itself. CoSENT compares the order of two pairs.",
        ),
        Mistake(
            lambda cosines, scores, temperature: torch.log1p(
                ((cosines[None, :] - cosines[:, None]) / temperature).exp()
            )[scores[:, None] > scores[None, :]].sum(),
            "Your logarithm stands inside the sum: CoSENT takes one logarithm, of the sum of all terms.",
        ),
    ),
)


def suspects(positive, mined, margin):
    """True where a mined negative is so near that it may be a positive that nobody wrote down."""
    return mined > (1 - margin) * positive[:, None]


def suspect_cases():
    """Drawn; on both sides of the limit, and on it; no margin; a large one; negatives with a cosine below 0."""
    near = rows([0.5, 0.49, 0.7], [0.39, 0.41, 0.4])
    return [
        (uniform(160, 4) * 0.5 + 0.5, uniform(161, 4, 3), 0.2),
        (uniform(162, 3), uniform(163, 3, 5), 0.05),
        (rows([1.0, 0.8])[0], near, 0.5),
        (rows([0.6, 0.4])[0], near, 0.0),
        (rows([0.6])[0], rows([0.1, 0.07, 0.04]), 0.9),
        (rows([0.1, 0.4])[0], rows([0.5, 0.097, -0.3], [0.3, 0.39, -0.4]), 0.05),
    ]


SUSPECTS = Exercise(
    name="false-among-the-hard",
    lesson="13",
    title="False ones among the hard",
    difficulty=1,
    minutes=5,
    prompt="Write `suspects(positive, mined, margin)`: `positive` [N] is the cosine of each anchor with its positive, "
    "`mined` [N, K] those with its K mined negatives. Return True, [N, K], for each mined negative whose cosine lies "
    "above "
    "`1 − margin` times that of the positive (all of these are above 0): so near that it may be a positive nobody "
    "wrote down.",
    stub="def suspects(positive, mined, margin):\n    ...",
    hints=(
        "Each anchor has a limit of its own: `(1 - margin) * positive`.",
        "The limits are [N], the negatives [N, K]: `[:, None]` gives each row its own.",
    ),
    solution=suspects,
    cases=suspect_cases,
    remember="The nearest text that nobody marked is often right: leave out what is as near as the positive.",
    mistakes=(
        Mistake(
            lambda positive, mined, margin: mined > positive[:, None] - margin,
            "You subtracted the margin: here it is a share of the positive's cosine, (1 − margin) · cosine.",
        ),
        Mistake(
            lambda positive, mined, margin: mined > (1 - margin) * positive.mean(),
            "Every anchor has its own limit: one for all keeps false negatives where the positive is far.",
        ),
        Mistake(
            lambda positive, mined, margin: mined <= (1 - margin) * positive[:, None],
            "Those are the ones to keep: the suspects lie above the limit.",
        ),
        Mistake(
            lambda positive, mined, margin: mined > positive[:, None],
            "Your limit is the positive itself: with the margin, what comes near it is suspect already.",
        ),
        Mistake(
            lambda positive, mined, margin: mined > margin * positive[:, None],
            "The limit is (1 − margin) times the positive's cosine.",
        ),
    ),
)


CHOICE = Exercise(
    name="which-recipe",
    lesson="13",
    title="Which recipe?",
    difficulty=1,
    minutes=3,
    prompt="A shop has 40,000 questions of customers, each with the help page that answered it and one that the "
    "customer opened first and left again. It also has 200 pairs of questions with a grade from 0 to 5. It wants to "
    "find help pages. What trains the encoder, and what judges it?\n\n"
    "- **a** CoSENT, for pairs with scores, on the 200 grades; retrieval on held-out questions\n"
    "- **b** unsupervised SimCSE on all texts; the correlation with the 200 grades\n"
    "- **c** supervised SimCSE on the 40,000 rows, the page that was left as a hard negative; the correlation with the "
    "200 grades\n"
    "- **d** the same training as in c; retrieval on held-out questions",
    stub='trained_and_judged = ...  # "a", "b", "c" or "d"',
    hints=(
        "Which of the two sets says what belongs to what, and how many rows has it?",
        "What is the encoder for? Judge that, on questions it has not seen.",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="The rows say what the shop wants to find, and there are many; each brings a negative of its own (one that "
    "answers as well is a false one: look at some first). Grades of question pairs are another task: an encoder can be "
    "good at them and bad at finding pages.",
    remember="Train on what you have many of and that is like the task; judge by the task itself.",
    mistakes=(
        Mistake("a", "200 pairs are few, and they grade questions with questions: the 40,000 say which page answers."),
        Mistake("b", "The rows know which page answers a question: leaving them out gives that away."),
        Mistake("c", "Trained right, judged by another task: nobody searches for graded pairs of questions."),
    ),
)


EXERCISES = (LEAKED, RANKING, COSENT, SUSPECTS, CHOICE)
