"""The model card beside an exported encoder: what it was trained on, how, and what was measured."""

from __future__ import annotations

from kit.checks.plain_text import for_markdown
from kit.encoder.find import ModelSource
from kit.sharing.licence import base_of, in_head, in_text

CARD = """\
---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
{licence}---

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
{attribution}"""


def model_card(record: dict, source: ModelSource | None = None) -> str:
    """Markdown for README.md from the record of a `Run`; source: of the encoder that it began from."""
    base = base_of(source)
    settings = {"recipe": record["recipe"]["name"], **record["about"], **record["recipe"]}
    rows = "\n".join(
        f"| {for_markdown(name)} | {for_markdown(value)} |"
        for name, value in settings.items()
        if value not in ("", None) and name not in ("name", "title")
    )
    if "validation" in record:
        before, after, on = record["untrained"], record["history"][-1], for_markdown(record["validated_on"])
        kept = ""
        if "best" in record:
            step, last = record["best"]["step"], record["best"]["of"]
            after = next((one for one in record["history"] if one["step"] == step), before)
            kept = f"The encoder is that of step {step:,} of {last:,}, the best by this figure. "
        measured = (
            f"Validated on {on.rstrip('.')}. {record.get('measure', 'Spearman × 100')} went from "
            f"{before['validation']:.2f} (untrained) to {record['validation']:.2f}, the mean cosine of its sentences "
            f"from {before['mean_cosine']:.3f} to {after['mean_cosine']:.3f}. {kept}Nothing else was measured; "
            "validation is what a run is chosen by, not what it is reported with."
        )
    else:
        measured = "Nothing was measured."
    return CARD.format(
        **{**record, "name": for_markdown(record["name"]), "title": for_markdown(record["title"])},
        rows=rows,
        measured=measured,
        licence=in_head(base),
        attribution=f"\n{in_text(base)}" if base else "",
        state="Trained as planned:" if record["finished"] else "Stopped before the end, after",
    )
