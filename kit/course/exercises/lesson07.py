"""Lesson 07, spans: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from kit.course.exercises.drawn_inputs import normal, uniform
from kit.course.exercises.exercise import Exercise, Mistake, variation


def span_length(beta, shortest, longest):
    """⌊β · (ℓmax − ℓmin) + ℓmin⌋ tokens."""
    return math.floor(beta * (longest - shortest) + shortest)


def length_cases():
    """Drawn; the shortest and the longest; a whole number as it is; a law of one length."""
    drawn = list(zip(uniform(7, 6).tolist(), (32, 32, 4, 4, 8, 2), (512, 512, 64, 64, 126, 40)))
    return [*drawn, (0.0, 32, 512), (1.0, 32, 512), (0.5, 4, 64), (0.7, 9, 9)]


LENGTH = Exercise(
    name="span-length",
    lesson="07",
    title="How long is this span?",
    difficulty=1,
    minutes=3,
    prompt="Write `span_length(beta, shortest, longest)`: how many tokens a span has, where `beta` is what the Beta "
    "distribution drew (from 0 to 1) and the other two are ℓmin and ℓmax.",
    stub="import math\n\ndef span_length(beta, shortest, longest):\n    ...",
    hints=(
        "A beta of 0 must give ℓmin, a beta of 1 must give ℓmax; between them it is a straight line.",
        "Tokens are whole: the paper rounds down, and `math.floor` does that.",
    ),
    solution=span_length,
    cases=length_cases,
    remember="The law stretches between ℓmin and ℓmax: change ℓmax, and all spans scale with it.",
    mistakes=(
        Mistake(
            variation(span_length, "math.floor", "round"),
            "You rounded to the nearest whole number: the formula rounds down.",
        ),
        Mistake(
            lambda beta, shortest, longest: math.floor(beta * longest),
            "Your spans start from 0 tokens, so some fall below ℓmin: stretch beta between ℓmin and ℓmax.",
        ),
        Mistake(
            lambda beta, shortest, longest: math.floor(beta * longest + shortest),
            "You stretched beta over all of ℓmax and then added ℓmin, so a span may be longer than ℓmax: "
            "stretch it over ℓmax − ℓmin.",
        ),
        Mistake(
            lambda beta, shortest, longest: beta * (longest - shortest) + shortest,
            "A span has whole tokens: round down.",
        ),
    ),
)


def share_inside(anchor, positive):
    """Of the ℓa + ℓp + 1 places from s − ℓp to e, those that put a positive inside its anchor."""
    return (anchor - positive + 1) / (anchor + positive + 1)


def share_cases():
    """Also of one length, and of one token."""
    return [(3, 2), (44, 24), (10, 10), (60, 4), (100, 1), (1, 1)]


INSIDE = Exercise(
    name="share-inside",
    lesson="07",
    title="How often does it lie inside?",
    difficulty=2,
    minutes=6,
    prompt="An anchor of `anchor` tokens reaches from token $a$ to token $b$; its positive has `positive` tokens, at "
    "most as many as the anchor. The positive starts at one of the whole places from $a - \\ell_p$ to $b$, both ends "
    "included and all equally likely, far from the edges of the document. Write `share_inside(anchor, positive)`: the "
    "probability that it lies inside the anchor.",
    stub="def share_inside(anchor, positive):\n    ...",
    hints=(
        "Count the places from a − ℓp to b first; remember that b − a is the anchor's length.",
        "It lies inside if it starts at a at the earliest and ends at b at the latest.",
        "Take an anchor of 3 and a positive of 2, write down all places, and count.",
    ),
    solution=share_inside,
    cases=share_cases,
    because="From $a - \\ell_p$ to $b$ there are $\\ell_a + \\ell_p + 1$ places; the starts from $a$ to "
    "$b - \\ell_p$ keep it inside, and those are $\\ell_a - \\ell_p + 1$.",
    remember="The shorter the positive, the more often it lies inside: below about a third of the anchor's length, "
    "more often than not.",
    mistakes=(
        Mistake(
            lambda anchor, positive: (anchor - positive) / (anchor + positive),
            "Both ends of a range count: from a to b there are b − a + 1 whole places.",
        ),
        Mistake(
            lambda anchor, positive: (anchor - positive + 1) / anchor,
            "You divided by the anchor's length: the positive may also start before the anchor, or at its end.",
        ),
        Mistake(
            lambda anchor, positive: positive / anchor,
            "That compares two lengths: count places where the positive may start.",
        ),
        Mistake(
            lambda anchor, positive: (anchor + positive - 1) / (anchor + positive + 1),
            "You also counted the places where it only overlaps: inside means that both its ends are.",
        ),
    ),
)


NEEDED = Exercise(
    name="tokens-needed",
    lesson="07",
    title="Long enough?",
    difficulty=1,
    minutes=2,
    prompt="A document has 1,000 tokens. What is the largest ℓmax for which it is long enough with A = 2? And for how "
    "many anchors is it long enough with ℓmax = 64? Give both, as whole numbers.",
    stub="most = ...  # (the largest ℓmax with A = 2, the largest A with ℓmax = 64)",
    hints=(
        "Each anchor needs 2·ℓmax tokens of the document.",
        "2·A·ℓmax is at most 1,000, whatever P is: put in what is given, and solve for the other.",
    ),
    solution=(250, 7),
    because="$2 \\cdot 2 \\cdot 250 = 1000$; $2 \\cdot 7 \\cdot 64 = 896$, and eight anchors would ask for $1024$. "
    "P is not in it: positives may overlap.",
    remember="2·A·ℓmax: halve ℓmax, and documents half as long will do.",
    mistakes=(
        Mistake((500, 15), "You counted ℓmax for each anchor: they are 2·ℓmax apart."),
        Mistake((500, 7), "That ℓmax would do for one anchor: here there are two."),
        Mistake((125, 3), "You counted the positives too: they may overlap with anything, so P is not in the formula."),
        Mistake(
            (333, 8),
            "That is what fits if starts are just 2·ℓmax apart, in (2A − 1)·ℓmax tokens: the rule above asks "
            "for 2·A·ℓmax.",
        ),
        Mistake((250, 7.8125), "There is no part of an anchor: round down."),
        Mistake((250, 8), "For eight anchors the rule asks for 2·8·64 = 1,024 tokens: round down."),
    ),
)


def sample_spans(tokens, shortest, longest, draws):
    """An anchor and a positive near it: (a, b, start, end), the ends exclusive."""
    anchor_beta, anchor_place, positive_beta, positive_place = draws
    length = math.floor(anchor_beta * (longest - shortest) + shortest)
    a = math.floor(anchor_place * (tokens - length + 1))
    b = a + length
    near = math.floor(positive_beta * (longest - shortest) + shortest)
    low, high = max(0, a - near), min(b, tokens - near)
    start = low + math.floor(positive_place * (high - low + 1))
    return a, b, start, start + near


def sampler_cases():
    draw = torch.Generator().manual_seed(72)
    cases = [
        (30, 2, 12, (0.9, 0.0, 0.8, 0.0)),
        (30, 2, 12, (0.9, 0.999, 0.8, 0.999)),
        (12, 2, 12, (0.5, 0.5, 1.0, 0.5)),
        (30, 2, 12, (0.5, 0.5, 0.2, 0.5)),  # a place that falls on a whole number
    ]
    for tokens, shortest, longest in ((256, 4, 64), (300, 4, 64), (40, 2, 20), (2048, 32, 512)):
        cases.append((tokens, shortest, longest, tuple(torch.rand(4, generator=draw, dtype=torch.float64).tolist())))
    return cases


SAMPLER = Exercise(
    name="span-sampler",
    lesson="07",
    title="Build the sampler",
    difficulty=3,
    minutes=12,
    prompt="Section 2 as a program, for one anchor and one positive. Write `sample_spans(tokens, shortest, longest, "
    "draws)` for a document of `tokens` tokens; `shortest` and `longest` are ℓmin and ℓmax. `draws` are four numbers: "
    "the anchor's Beta value and its place, then the positive's. A place $u$, from 0 to below 1, chooses among the "
    "whole numbers from low to high: $\\mathrm{low} + \\lfloor u \\cdot (\\mathrm{high} - \\mathrm{low} + 1) "
    "\\rfloor$. The anchor starts wherever it fits into the document; the positive starts from its own length before "
    "the anchor to the anchor's end, as far as it fits into the document. Return `(a, b, start, end)`: the anchor's "
    "first token and the one after its last, then the positive's.",
    stub="def sample_spans(tokens, shortest, longest, draws):\n    ...",
    hints=(
        "Four steps: the anchor's length, its start, the positive's length, its start. Lengths are those of the "
        "exercise “How long is this span?”.",
        "The last place where an anchor fits is `tokens - length`; its first is 0.",
        "The positive's lowest start is the larger of 0 and a − ℓp, its highest the smaller of b and `tokens` − ℓp.",
    ),
    solution=sample_spans,
    cases=sampler_cases,
    remember="Draw lengths, then places, and cut the range of places at the document's edges: no span is ever "
    "rejected.",
    mistakes=(
        Mistake(
            variation(sample_spans, "max(0, a - near), min(b, tokens - near)", "a - near, b"),
            "Near the document's edges your positive sticks out: cut the range of its places at 0 and at `tokens` − "
            "ℓp.",
        ),
        Mistake(
            variation(sample_spans, "(high - low + 1)", "(high - low)"),
            "Both ends of a range count: from low to high there are high − low + 1 places.",
        ),
        Mistake(
            variation(sample_spans, "max(0, a - near)", "a"),
            "Your positive never starts before its anchor: the first place is its own length before it.",
        ),
        Mistake(
            variation(sample_spans, "positive_beta * (longest - shortest)", "positive_beta * (length - shortest)"),
            "You stretched the positive's length to the anchor's: its law, too, runs from ℓmin to ℓmax.",
        ),
        Mistake(
            variation(sample_spans, "anchor_place * (tokens - length + 1)", "anchor_place * tokens"),
            "Your anchor may start where it no longer fits: the last place is `tokens` less its length.",
        ),
        Mistake(
            variation(sample_spans, "start, start + near", "start, near"),
            "The last number is an end, not a length: add the start to it.",
        ),
    ),
)


def score_of_positives(anchor, positives):
    """The cosine of an anchor [dim] and the mean of its raw positives [P, dim]."""
    return F.cosine_similarity(anchor, positives.mean(dim=0), dim=0)


def score_cases():
    """Drawn, raw vectors having unlike lengths; one positive; equal ones; opposite ones of unlike lengths."""
    drawn = [
        (normal(70 + count, dim), normal(75 + count, count, dim) * torch.arange(1, count + 1)[:, None])
        for count, dim in ((2, 4), (4, 6), (3, 5), (1, 3))
    ]
    along = normal(79, 1, 3)
    return [*drawn, (normal(78, 3), torch.cat([along, along])), (normal(78, 3), torch.cat([3 * along, -along]))]


MEAN = Exercise(
    name="positive-as-a-mean",
    lesson="07",
    title="Several positives, one score",
    difficulty=2,
    minutes=5,
    prompt="Write `score_of_positives(anchor, positives)`: the similarity that DeCLUTR computes for an anchor [dim] "
    "and its P positives [P, dim], all raw vectors as they leave the pooling.",
    stub="def score_of_positives(anchor, positives):\n    ...",
    hints=(
        "There is one score for an anchor, not one for each positive: what becomes of the P vectors first?",
        "The mean is taken of the raw vectors; lengths are divided out afterwards.",
        "`F.cosine_similarity(…, …, dim=0)` of two vectors, with `import torch.nn.functional as F`.",
    ),
    solution=score_of_positives,
    cases=score_cases,
    remember="Mean of raw vectors, then the cosine: a longer vector has more to say in the mean.",
    mistakes=(
        Mistake(
            lambda anchor, positives: F.cosine_similarity(anchor[None, :], positives, dim=1).mean(),
            "You took the mean of P cosines: the mean is of the vectors, and there is one cosine.",
        ),
        Mistake(
            variation(score_of_positives, "positives.mean", "F.normalize(positives, dim=1).mean"),
            "You brought the positives to length 1 before the mean: it is the mean of the raw vectors.",
        ),
        Mistake(
            lambda anchor, positives: anchor @ positives.mean(dim=0),
            "That is a dot product: the loss takes the cosine.",
        ),
        Mistake(
            lambda anchor, positives: F.cosine_similarity(anchor[None, :], positives, dim=1).max(),
            "You took the nearest positive: all P go into the mean.",
        ),
    ),
)


def negatives_met(anchors, documents):
    """(of its own document, of the others), for A anchors in each of N documents."""
    return 2 * (anchors - 1), 2 * anchors * (documents - 1)


def negatives_cases():
    """Also with one document, and with one anchor of it."""
    return [(2, 16), (1, 16), (1, 32), (3, 11), (4, 2), (2, 1), (1, 1)]


PUSHED = Exercise(
    name="negatives-of-an-anchor",
    lesson="07",
    title="Who pushes an anchor?",
    difficulty=2,
    minutes=5,
    prompt="A batch has `documents` documents with `anchors` anchors each (P does not matter: a mean is one vector). "
    "Write `negatives_met(anchors, documents)`: how many negatives an anchor meets from its own document, and "
    "how many from the others, as a pair.",
    stub="def negatives_met(anchors, documents):\n    ...",
    hints=(
        "How many vectors does one document send into the loss? How many does the whole batch?",
        "A row is never a negative of itself, and its partner is the positive.",
    ),
    solution=negatives_met,
    cases=negatives_cases,
    because="A document sends A anchors and A means. Of its own 2A an anchor leaves out itself and its partner; each "
    "of the other N − 1 documents sends 2A.",
    remember="With A = 1 no negative comes from the same document; A = 2 brings two, the hard ones.",
    mistakes=(
        Mistake(
            lambda anchors, documents: (2 * anchors * (documents - 1), 2 * (anchors - 1)),
            "You have the two the wrong way round: those of the same document come first.",
        ),
        Mistake(
            lambda anchors, documents: 2 * anchors * documents - 2,
            "That is how many there are in all: give those of the same document and those of the others, as a pair.",
        ),
        Mistake(
            lambda anchors, documents: (anchors - 1, anchors * (documents - 1)),
            "You counted one side only: in NT-Xent the other anchors push as well as their positives.",
        ),
        Mistake(
            variation(negatives_met, "(anchors - 1)", "anchors"),
            "You counted the anchor and its own positive: neither is a negative of it.",
        ),
        Mistake(
            lambda anchors, documents: (2 * anchors - 1, 2 * anchors * (documents - 1)),
            "The anchor's partner is its positive: it does not push.",
        ),
        Mistake(
            lambda anchors, documents: (0, 2 * anchors * (documents - 1)),
            "The other spans of its own document are negatives too: nothing takes them out.",
        ),
    ),
)


SEEN = Exercise(
    name="what-the-contrast-sees",
    lesson="07",
    title="Which text is compared?",
    difficulty=2,
    minutes=3,
    prompt="You train with `shared_pass=False`, and the words to guess stay. Which text do the two vectors of a "
    "contrastive pair come from now?\n\n"
    "- **a** Both from the clean text: words are hidden for the other loss only.\n"
    "- **b** Both with hidden words.\n"
    "- **c** The anchor's with hidden words, its positives' clean.\n"
    "- **d** The anchor's clean, its positives' with hidden words.",
    stub='compared = ...  # "a", "b", "c" or "d"',
    hints=(
        "Words to guess are hidden in one kind of span only. In which?",
        "Each loss has a pass of its own. For which of the two must words be hidden?",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="Only the guessing needs holes, and now it has a pass over the anchors to itself. The contrast gets the "
    "anchors in another pass, as they stand; positives are never masked. With a shared pass it is c.",
    remember="A shared pass means that the anchor's vector comes from a text with holes; two passes cost more.",
    mistakes=(
        Mistake(
            "c", "That is the released code's shared pass: here the contrast has a pass of its own, without holes."
        ),
        Mistake("b", "The positives are not part of the masked language model: nothing is hidden in them."),
        Mistake("d", "Nothing is ever hidden in positives: the masked language model reads the anchors."),
    ),
)


EXERCISES = (LENGTH, INSIDE, NEEDED, SAMPLER, MEAN, PUSHED, SEEN)
