"""The data sets that the kit knows by name, and their overlaps."""

from __future__ import annotations

from dataclasses import dataclass, field

NLI_COLUMNS = ("premise", "hypothesis", "label")
STS_COLUMNS = ("sentence1", "sentence2", "score")


@dataclass(frozen=True)
class Entry:
    """A data set of the course.

    `kind` is "nli", "sts" or "transfer"; the world can stand in for each. `on_hub` is False for names that
    only a mirror folder has. `full_rows` gives the labelled rows of a whole split, so that a part of it can be called
    one.
    """

    kind: str
    splits: tuple[str, ...]
    on_hub: bool = True
    full_rows: dict[str, int] = field(default_factory=dict)


THREE = ("train", "validation", "test")

# STS task -> Hub id
STS_IDS = {f"STS{year}": f"mteb/sts{year}-sts" for year in range(12, 17)}
STS_IDS |= {"STS-B": "mteb/stsbenchmark-sts", "SICK-R": "mteb/sickr-sts"}

# Full sizes: Bowman et al. 2015 (550,152 pairs, 785 without a gold label), Williams et al. 2018.
CATALOGUE = {
    "stanfordnlp/snli": Entry("nli", THREE, full_rows={"train": 549_367}),
    "nyu-mll/multi_nli": Entry(
        "nli", ("train", "validation_matched", "validation_mismatched"), full_rows={"train": 392_702}
    ),
    "nli/ling_in_loop": Entry("nli", ("train", "val"), on_hub=False),
    "nli/merged": Entry("nli", ("train_core_groups", "train_all_groups"), on_hub=False),
    "nli/snli": Entry("nli", ("train_part", "dev", "test"), on_hub=False),
    "nli/mnli": Entry("nli", ("train_part", "dev", "dev_one_annotator"), on_hub=False),
    "nli/sick_nli": Entry("nli", ("train", "dev", "test"), on_hub=False),
}
CATALOGUE |= {
    hub_id: Entry("sts", THREE if task in ("STS-B", "SICK-R") else ("test",)) for task, hub_id in STS_IDS.items()
}
CATALOGUE |= {
    f"senteval-transfer/{task}": Entry("transfer", splits, on_hub=False)
    for task, splits in {
        **dict.fromkeys(("mr", "cr", "subj", "mpqa"), ("all",)),
        **dict.fromkeys(("sst2", "sst5", "mrpc"), THREE),
        "trec": ("train", "test"),
    }.items()
}

# These look like owners on the Hub but are folders of a mirror: the Hub is not asked for them.
MIRROR_OWNERS = ("nli", "senteval-transfer", "text")

_FLICKR = "in 280 pairs each of STS15 and STS-B, and 18 of SICK-R (all splits), both sentences caption the same image"

# What not to score a model on that was trained on these; (name, split or "*") -> remark.
OVERLAPS = {
    ("nli/captions_flickr30k", "*"): _FLICKR,
    ("nli/captions_flickr8k", "*"): _FLICKR,
    ("nli/merged", "train_snli_by_image"): _FLICKR,
    ("nli/paraphrase_mrpc", "*"): "shares its pairs with MSRpar of STS12 and with MRPC",
    ("nli/sick_nli", "*"): "its pairs are those of SICK-R",
    ("mteb/stsbenchmark-sts", "train"): "many of its pairs are also in STS12-16",
    ("mteb/stsbenchmark-sts", "validation"): "1,131 of its 1,500 pairs are also in STS12-16",
    ("mteb/sickr-sts", "all"): "holds the train split too: report on one only",
}

# Two sets of figures for SICK-R are in circulation, told apart by the number of pairs.
SICK_R_SIZES = {
    4927: "the original SICK test split of 4,927 pairs, as in SentEval and SimCSE",
    9927: "all 9,927 SICK pairs, which the Hub and MTEB call test",
}


def remarks(name: str, split: str, rows: int) -> tuple[str, ...]:
    """What to note about a whole split: a part of a larger one, an overlap, which SICK-R."""
    notes = []
    full = CATALOGUE[name].full_rows.get(split, 0) if name in CATALOGUE else 0
    if rows < full:
        notes.append(f"the {rows:,} rows there are {rows / full:.0%} of the {full:,} labelled rows of the whole split")
    overlap = OVERLAPS.get((name, split)) or OVERLAPS.get((name, "*"))
    if overlap:
        notes.append(overlap)
    if name == STS_IDS["SICK-R"] and rows in SICK_R_SIZES:
        notes.append(SICK_R_SIZES[rows])
    return tuple(notes)
