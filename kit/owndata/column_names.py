"""What the name of a column says: its role, that it is about the row, or that it says how alike two texts are."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from kit.data.table import letters

# The names by which data sets call them, letters and digits alone; pairs of names belong together.
SIDES = [  # → sentence1, sentence2
    ("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"), ("text1", "text2"),
    ("sentencea", "sentenceb"), ("texta", "textb"), ("sent1", "sent2"), ("s1", "s2"), ("first", "second"),
    ("source", "target"), ("title1", "title2"), ("left", "right"), ("word1", "word2"), ("context", "hypothesis"),
]  # fmt: skip
ASKED_AND_FOUND = [  # → anchor, positive, where their names alone do not tell both
    ("q", "a"), ("query", "text"), ("query", "title"), ("question", "sentence"), ("question", "text"),
    ("sentence", "paraphrase"), ("sent0", "sent1"), ("a", "b"),
]  # fmt: skip
NAMES = {
    "anchor": (
        "anchor", "query", "question", "q", "prompt", "instruction", "term", "word", "title", "headline", "subject",
        "input",
    ),
    "positive": (
        "positive", "pos", "positives", "answer", "passage", "response", "definition", "gloss", "document", "context",
        "relevant", "body", "content", "duplicate", "paraphrase", "reply", "abstract", "output", "answers",
        "chosen", "completion",
    ),
    "negative": (
        "negative", "neg", "negatives", "hardnegative", "hardnegatives", "hardneg", "wrong", "irrelevant", "distractor",
        "rejected", "incorrect", "incorrectanswer", "wronganswer",
    ),
    "label": ("label", "class", "goldlabel", "isduplicate", "labels", "relation", "entailmentlabel", "labelid"),
    "score": ("score", "similarity", "similarityscore", "rating", "relatedness", "relatednessscore", "sim", "gold"),
    "text": ("text", "sentence", "sentences", "document", "documents", "content", "body", "title", "question"),
    "group": ("group", "groupid", "cluster", "clusterid"),
}  # fmt: skip
CLASS_NAMES = (*NAMES["label"], "category", "topic", "intent", "tag", "target")  # of a text alone
# Title and text of one thing: a label or a rating beside them says something of it, not how alike the two are.
ONE_THING = (
    {"title", "headline", "subject", "summary"},
    {"body", "content", "abstract", "document", "output", "text", "description", "article", "review", "message"},
)
COMPUTED = {"cosine", "similarity", "sim"}  # likeness that no person judged, perhaps: other columns go first
# Words in the name of a column that says, beside two texts, how alike they are: "duplicate" may also be a text.
HOW_ALIKE = COMPUTED | {
    "duplicate", "dup", "isduplicate", "paraphrase", "isparaphrase", "same", "match", "relevant", "relevance",
    "judgment", "judgement", "equivalent", "relatedness", "simlex999", "humanmean", "goldscore", "humanscore",
    "averagescore", "meanscore",
}  # fmt: skip
WITH_IT = {  # words that stand beside those
    "is", "are", "has", "was", "pair", "text", "sentence", "sentences", "semantic", "textual", "meaning", "label",
    "score", "status", "type", "level", "index", "rank", "category", "value", "grade", "rating", "flag", "class",
    "percent", "mean", "median", "avg", "average", "human", "gold", "final", "entailment",
}  # fmt: skip
UNLIKE = {"distance", "difference", "dissimilarity", "different", "irrelevant", "unrelated", "unlike"}
DENIED = {"not", "non", "no"}  # before a word of how alike
# Last words of the names of columns about a row, which are no text to train on unless somebody says so.
NEVER_TEXT = {
    "id", "ids", "uid", "key", "index", "idx", "no", "nr", "num", "rowid", "unnamed0", "indexlevel0", "category",
    "topic", "tag", "tags", "language", "lang", "origin", "date", "year", "url", "author", "price", "amount",
    "quantity", "count", "views", "votes", "clicks", "age", "page", "length", "level", "priority", "status", "split",
    "verified", "stars", "timestamp",
}  # fmt: skip
ABOUT = NEVER_TEXT | {  # and of those that seldom are
    "counts", "position", "rank", "type", "genre", "domain", "channel", "team", "queue", "locale", "country", "region",
    "time", "month", "week", "day", "hours", "open", "duration", "link", "path", "filename", "user", "translator",
    "annotator", "labeler", "by", "at", "of", "upvotes", "downvotes", "likes", "impressions", "comments", "replies",
    "gender", "len", "chapter", "lesson", "section", "paragraph", "start", "end", "version", "temperature",
    "difficulty", "severity", "purchase",
}  # fmt: skip
COUNTS = {"num", "number", "n", "has"}  # first words of such names
MOST_TOLD_APART = 20_000  # columns, more than a sheet of Excel has: to look at a million takes minutes
MOST_SHOWN = 20  # names of columns in an error
COLUMN_NAMES = {  # all names by which a column is known
    *(one for names in (*SIDES, *ASKED_AND_FOUND, *NAMES.values(), HOW_ALIKE, ABOUT) for one in names)
}


def few(columns: Collection[str]) -> str:
    """Their names in an error, or the first and how many more there are."""
    more = len(columns) - MOST_SHOWN
    return ", ".join([*islice(columns, MOST_SHOWN), *([f"{more:,} more"] if more > 0 else [])])


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case: of "isDuplicate", "is_duplicate" or "Is duplicate?" is and duplicate."""
    apart = re.sub(r"(?<=[a-zß-ÿ0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", apart).lower().split()


def is_about_a_row(name: str) -> bool:
    """Whether a column of this name tells of a row what is no text, and not how alike two texts are."""
    words, known = words_of(name), letters(name)
    if not words or says_how_alike(name) or any(known in names for names in NAMES.values()):
        return False
    return known in ABOUT or words[-1] in ABOUT or (len(words) > 1 and words[0] in COUNTS)


def is_never_text(name: str) -> bool:
    """Whether a column of this name is about a row, and no text, whatever stands in it."""
    return is_about_a_row(name) and not {letters(name), words_of(name)[-1]}.isdisjoint(NEVER_TEXT)


def says_how_alike(name: str) -> bool:
    """Whether a name says that the column holds how alike two texts are, in one word and those that go with it."""
    if letters(name) in (*HOW_ALIKE, *NAMES["label"], *NAMES["score"]):
        return True
    words = set(words_of(name))
    return not words.isdisjoint(HOW_ALIKE) and words <= HOW_ALIKE | WITH_IT


def says_how_unlike(name: str) -> bool:
    """Whether a name says the contrary, as "cosine_distance", "not_duplicate" and "irrelevant" do."""
    words = set(words_of(name))
    unlike = words & UNLIKE or (words & DENIED and words & HOW_ALIKE)
    return bool(unlike) and words <= UNLIKE | DENIED | HOW_ALIKE | WITH_IT


def is_nameless(name: str) -> bool:
    """Whether a column has the number that the kit gave it in place of a name."""
    return re.fullmatch(r"column \d+|Unnamed: \d+", name) is not None


def ends_with(name: str, role: str) -> bool:
    """Whether the last word of a name is that of a role, as in "esci_label"; of "underscore" or "labeler" it is not."""
    return (words_of(name) or [""])[-1] in (role, f"{role}s")
