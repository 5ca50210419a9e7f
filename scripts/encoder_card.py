"""Render the bundled encoders' cards from what was measured: data/models/**/README.md

    python scripts/encoder_card.py

Reads data/models/<name>/training.json (the run's summary.json), data/models/sources.json,
data/results/encoders.json (of another than the default encoder: encoders-<name>.json),
data/results/sizes.json, means.json and overlap.json. No figure is typed by hand; one that is not in those files is
"not measured". The plot beside a card is drawn from the run's history.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from card_measured import averaged, evaluation_text, finetuned, geometry, heldout, raw_sts, shapes
from card_stages import in_turn, name_of, stages, whole
from card_tables import of, share, sources_of, table
from measuring import ROOT, file_of

from kit.pretraining.plot import describe, write_plot
from kit.storage.atomic import write_atomically

MODELS, RESULTS = ROOT / "data" / "models", ROOT / "data" / "results"
LICENCE = "CC BY-SA 4.0"


def main() -> None:
    for path, text in render(MODELS, RESULTS).items():
        write_atomically(path, text)
        history = whole(read(path.parent / "training.json")).get("history")
        if history:
            write_plot(history, path.parent / "heldout.svg")
        print(f"wrote {path.relative_to(ROOT)}")


def render(models: Path, results: Path) -> dict[Path, str]:
    """Every card as path -> text: one for each folder with a config, and one for all of them."""
    known = read(models / "sources.json")
    names = sorted(config.parent.name for config in models.glob("*/config.json"))
    runs = {name: read(models / name / "training.json") for name in names}
    seen_by = {name: tokens for name, run in runs.items() if (tokens := whole(run).get("speed", {}).get("tokens"))}
    cards = {
        models / name / "README.md": card(
            name,
            read(models / name / "config.json"),
            runs[name],
            known,
            read(file_of(results / "encoders.json", name)),
            read(results / "overlap.json"),
            read(results / "sizes.json"),
            read(results / "means.json"),
            seen_by,
        )
        for name in names
    }
    return cards | {models / "README.md": provenance(runs, known)}


def read(path: Path) -> dict | list:
    """The JSON file at `path`, or {} where there is none yet."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def card(
    name: str,
    config: dict,
    run: dict,
    known: list[dict],
    encoders: dict,
    overlap: dict,
    sizes: dict,
    means: dict,
    seen_by: dict[str, int],
) -> str:
    """The model card of one encoder, as Markdown; `seen_by`: how many tokens each bundled encoder has seen."""
    measured = encoders.get("models", {}).get(name, {})
    return (
        "\n\n".join(
            [
                "---\nlanguage: en\nlicense: cc-by-sa-4.0\nlibrary_name: transformers\npipeline_tag: fill-mask\n---",
                f"# {name}",
                f"A compact BERT for the lessons of this course, {origin(name, run)} on openly licensed English, "
                f"uncased and without accents. Licence of the weights: {LICENCE}, because part of the text is "
                "share-alike.",
                table(
                    ["size", "value"],
                    [
                        (label, of(config, key, form=",d"))
                        for label, key in (
                            ("layers", "num_hidden_layers"),
                            ("width", "hidden_size"),
                            ("attention heads", "num_attention_heads"),
                            ("word pieces in the vocabulary", "vocab_size"),
                            ("positions", "max_position_embeddings"),
                        )
                    ]
                    + [
                        ("parameters of the encoder", of(measured, "parameters", form=",d")),
                        ("file in MB (half precision; computes in single)", of(measured, "file_mb", form=".1f")),
                    ],
                ),
                loading(name),
                training(name, run, known, seen_by),
                *([shapes(sizes)] if sizes.get("of") == name else []),
                heldout(measured.get("heldout"), known),
                geometry(measured.get("geometry")),
                raw_sts(measured),
                finetuned(name, encoders) + averaged(name, means),
                evaluation_text(overlap),
                limits(),
                measured_on(encoders),
            ]
        )
        + "\n"
    )


def measured_on(encoders: dict) -> str:
    """The machines and commits of the rows, oldest first: in the file a row made anew stands before the others."""
    rows = [encoders, *encoders.get("finetuned", [])]
    machines = sorted({row["hardware"] for row in rows if "hardware" in row})
    dated = sorted((row for row in reversed(rows) if "commit" in row), key=lambda row: row.get("date", ""))
    commits = list(dict.fromkeys(row["commit"] for row in dated))
    versions = ", ".join(f"{name} {number}" for name, number in encoders.get("versions", {}).items())
    return (
        f"Measured on: {' and '.join(machines) or 'not recorded'}; {'commits' if commits[1:] else 'commit'} "
        f"{', '.join(commits) or 'not recorded'}; versions{' (at the first)' if commits[1:] else ''} "
        f"{versions or 'not recorded'}."
    )


def loading(name: str) -> str:
    return f"""## Load it

```python
from kit.encoder import load_encoder

vectors = load_encoder("{name}").encode(["A boat leaves the harbour."])
```

or from this folder with nothing but `transformers`:

```python
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

folder = "data/models/{name}"
tokenizer, encoder = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
masked_lm = AutoModelForMaskedLM.from_pretrained(folder)
```"""


def parent(name: str, run: dict) -> str | None:
    """The other model whose weights the last stage of `name` started from; None for weights grown or made anew."""
    came = run.get("before", {}).get("model", name)
    return None if came == name else came


def origin(name: str, run: dict) -> str:
    """Whose weights these were before, in the words of the card's first sentence."""
    start, before = stages(run)[0].get("plan", {}).get("start"), parent(name, run)
    if not start:
        return f"continued from {before} and pretrained" if before else "pretrained from nothing"
    grown = f"grown from {name_of(start)}"
    return f"continued from {before}, which was {grown}; pretrained" if before else f"{grown} and pretrained"


def training(name: str, run: dict, known: list[dict], seen_by: dict[str, int]) -> str:
    """How the model was trained: text, settings, cost; `seen_by`: name of a bundled encoder → tokens it has seen."""
    before, run = parent(name, run), whole(run)
    stage_before = f"{before} (what stands before the last “then” is its training, counted above), " if before else ""
    text, plan, speed = sum(run.get("sources", {}).values()), run.get("plan", {}), run.get("speed", {})
    tokens, seconds = speed.get("tokens"), speed.get("seconds")
    rows = [
        ("Text", f"{text:,} word pieces, [SEP] included" if text else "not measured"),
        ("Tokens seen", f"{of(speed, 'tokens', form=',d')} (rows × length, so with the padding of short batches)"),
        ("Passes over the text", f"about {tokens / text:.1f}" if tokens and text else "not measured"),
        ("Steps", in_turn(run, steps)),
        ("Lengths", "of ten batches eight have 128 tokens a row, one 512, one 32"),
        (
            "Objective",
            f"masked language modelling, {plan.get('masked', 0.15):.0%} of the pieces, whole words, 80/10/10".replace(
                "%", " %"
            ),
        ),
        (
            "Optimiser",
            f"AdamW, peak learning rate {in_turn(run, rate)}; weight decay "
            f"{of(plan, 'weight_decay', form='g')} on matrices; dropout 0",
        ),
        ("Start", stage_before + start(stages(run)[0].get("plan", {}), seen_by)),
        ("Seed", of(plan, "seed", form="d")),
        ("Hardware", of(speed, "hardware")),
        ("Hours", f"{seconds / 3600:.2f}" if seconds else "not measured"),
        ("Speed", f"{in_turn(run, rate_of_tokens)} of the measured matrix throughput"),
        ("Conditions", in_turn(run, lambda stage: stage.get("note", "nothing recorded"), "; then ")),
        ("Vocabulary", run.get("vocabulary", "not recorded")),
        ("Commit", in_turn(run, lambda stage: stage.get("commit", "not recorded"))),
        ("Date", in_turn(run, lambda stage: stage.get("date") or stage.get("when", "not recorded"))),
    ]
    licences: dict[str, int] = {}
    for entry in sources_of(run.get("sources", {}), known):
        licence = entry["licence"].split(" (revision of")[0]  # textbooks name the revision that bears it
        licences[licence] = licences.get(licence, 0) + entry["pieces"]
    by_size = sorted(licences.items(), key=lambda item: -item[1])
    tried = "".join(trials(stage) for stage in stages(run))
    picture = f"\n\n![{describe(run['history'])}](heldout.svg)" if run.get("history") else ""
    return (
        "## Training\n\n" + table(["what", "value"], rows) + picture + tried + "\n\nBy licence (each source with its "
        "attribution is in [the folder's README](../README.md)):\n\n"
        + table(["licence", "share of the text"], [(name, share(n, text)) for name, n in by_size])
    )


def rate_of_tokens(stage: dict) -> str:
    """Tokens a second, and their share of the machine's products."""
    speed = stage.get("speed", {})
    share_of_products = of(speed, "share_of_matrix_throughput", form=".1%")
    return f"{of(speed, 'tokens_per_second', form=',d')} tokens/s, {share_of_products}"


def trials(run: dict) -> str:
    """What else was tried: the held-out loss of each trial, and of this run at the same number of tokens."""
    rows = []
    for name, trial in run.get("trials", {}).items():
        last, plan = trial["history"][-1], trial["plan"]
        here = next((h["heldout_loss"] for h in run["history"] if h["tokens"] == last["tokens"]), None)
        differ = [
            f"{key}: {plan.get(key)} for {run['plan'].get(key)}"
            for key in sorted(plan)
            if key not in ("steps", "start") and plan.get(key) != run["plan"].get(key)
        ]
        if plan.get("start") != run["plan"].get("start"):
            differ.append(f"start: {start(plan, {})}")
        rows.append(
            (
                name,
                "; ".join(differ) or "nothing",
                f"{last['tokens'] / 1e6:.1f}",
                f"{last['heldout_loss']:.3f}",
                f"{here:.3f}" if here else "not measured",
            )
        )
    head = ["trial", "what differs from this run", "million tokens", "held-out loss", "this run's there"]
    return "\n\nTried beside it, stopped early:\n\n" + table(head, rows) if rows else ""


def steps(stage: dict) -> str:
    """How many steps, of how many tokens."""
    plan = stage.get("plan", {})
    return f"{of(plan, 'steps', form=',d')} of {of(plan, 'batch_tokens', form=',d')} tokens"


def rate(stage: dict) -> str:
    """The learning rate of a stage and its course; a later stage has a new optimiser."""
    plan = stage.get("plan", {})
    anew = " with a new optimiser" if stage.get("before") else ""
    return f"{of(plan, 'lr', form='g')}{anew}, {schedule(plan)}"


def schedule(plan: dict) -> str:
    """The learning rate over the steps."""
    if plan.get("schedule") == "stable":
        return "warm-up over 500 steps, constant, and a linear fall over the last fifth"
    return f"warm-up {of(plan, 'warmup', form='.0%')} of the steps, then linear decay"


def start(plan: dict, seen_by: dict[str, int]) -> str:
    """The weights before the first step."""
    if plan.get("start"):
        name = name_of(plan["start"])
        seen = f" ({seen_by[name]:,} tokens, not counted above)" if name in seen_by else ""
        return f"grown from {name}{seen}: every unit twice, the layers repeated (bert2BERT, Chen et al. 2022)"
    return {True: "embeddings from counts (factorised pointwise mutual information)", False: "random weights"}.get(
        plan.get("counted_start"), "not measured"
    )


def limits() -> str:
    return """## Limits

- It is made to be looked at, trained and compared in minutes on a laptop, not to be put to use: for that,
  take a larger encoder trained on more text.
- It knows little of the world, and English alone; case and accents are lost.
- The text is old fiction, textbooks, government pages, captions and encyclopaedia leads. The fiction carries
  the prejudices of its time, and the model with it.
- Held-out text comes from the same sources as the training text, and chapters of one book can fall on both
  sides: expect a higher loss on other text.
- A held-out kind of text marked as not trained on was kept out of training for its licence."""


def provenance(runs: dict[str, dict], known: list[dict]) -> str:
    """The folder's README: what text made which weights."""
    parts = [
        "# Bundled encoders: provenance",
        f"The weights are licensed under {LICENCE}, because part of the text is share-alike. The text itself is "
        "not in this repository. `scripts/pretrain.py` trains such weights on a folder of it; with `--tokenizer "
        "data/models/<name>` it takes the same vocabulary. This page is written by `scripts/encoder_card.py`.",
    ]
    for name, run in runs.items():
        parts += [f"## {name}", *text_of(name, run, sources_of(run.get("sources", {}), known))]
    return "\n\n".join(parts) + "\n"


def text_of(name: str, run: dict, entries: list[dict]) -> list[str]:
    """The run in a line, its sources as a table, and the notices that go with them."""
    run = whole(run)
    pieces, seconds = run.get("sources", {}), run.get("speed", {}).get("seconds")
    line = (
        f"[Model card]({name}/README.md). Tokens seen: {of(run, 'speed', 'tokens', form=',d')}; hardware: "
        f"{of(run, 'speed', 'hardware')}; hours: {f'{seconds / 3600:.2f}' if seconds else 'not measured'}; seed: "
        f"{of(run, 'plan', 'seed', form='d')}; commit: {run.get('commit', 'not recorded')}."
    )
    if not entries:
        return [line, "Sources: not recorded."]
    rows = [
        (
            e["source"],
            e["attribution"],
            e["licence"],
            of(e, "documents", form=",d"),
            f"{e['pieces']:,}",
            share(e["pieces"], sum(pieces.values())),
        )
        for e in entries
    ]
    books = sorted(part.split(": ", 1)[1] for part in pieces if part.startswith("Standard Ebooks: "))
    return [
        line,
        table(["source", "attribution", "licence", "documents", "word pieces", "share"], rows),
        *(f"{e['source']}: {e['notice']}" for e in entries if e.get("notice")),
        *([f"Books from Standard Ebooks: {'; '.join(books)}."] if books else []),
    ]


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
