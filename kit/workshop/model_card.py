"""The model card beside an exported encoder: what it was trained on, how, and what was measured."""

from __future__ import annotations

CARD = """\
---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
---

# {name}

{title}. {state} {steps:,} steps on {sentences:,} sentences in {seconds:,.0f} s on {hardware}, seed {seed}.

| what | value |
| --- | --- |
{rows}

## Measured

{measured}

## Load it

    from kit.encoder import load_encoder
    encoder = load_encoder("folder of this file")        # or: SentenceTransformer("folder of this file")
    vectors = encoder.encode(["A sentence.", "Another one."])
"""


def model_card(record: dict) -> str:
    """Markdown for README.md from the record of a `Run`."""
    settings = {"recipe": record["recipe"]["name"], **record["about"], **record["recipe"]}
    rows = "\n".join(
        f"| {name} | {_cell(value)} |"
        for name, value in settings.items()
        if value not in ("", None) and name not in ("name", "title")
    )
    if "validation" in record:
        before, after = record["untrained"], record["history"][-1]
        measured = (
            f"On {record['validated_on']} Spearman × 100 went from {before['validation']:.2f} (untrained) to "
            f"{record['validation']:.2f}, the mean cosine of its sentences from {before['mean_cosine']:.3f} to "
            f"{after['mean_cosine']:.3f}. Nothing else was measured; validation is what a run is chosen by, "
            "not what it is reported with."
        )
    else:
        measured = "Nothing was measured."
    return CARD.format(
        **record,
        rows=rows,
        measured=measured,
        state="Trained to the end:" if record["finished"] else "Stopped before the end, after",
    )


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
