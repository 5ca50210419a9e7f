"""Train the encoder that pages show beside the raw one: data/trained/kit-bert-tiny-scl/

    KIT_DATA=<mirror folder> python scripts/heal_encoder.py

It is the run that the tour's sphere plays: SNLI, cosines, τ 0.1, λ 0.5, 400 steps, seed 0. The weights are kept in
half precision, with a model card that says what they measure on STS-B; the card's figures stand in measured.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from measuring import ROOT, provenance
from record_sphere import ROWS, SETTINGS, STEPS

FOLDER = ROOT / "data" / "trained" / "kit-bert-tiny-scl"


def main() -> None:
    from kit.data import group_by_premise, load, load_sts
    from kit.encoder import load_encoder
    from kit.storage.atomic import write_atomically
    from kit.training import fit, recipe

    table = load("stanfordnlp/snli", rows=ROWS, seed=0)
    if table.source.is_fallback:
        raise SystemExit("KIT_DATA names no mirror with SNLI: set it.")
    tau, lam = SETTINGS[0]
    settings = recipe("scl", "laptop", similarity="cosine", temperature=tau, lam=lam)
    raw, encoder = (load_encoder("kit-bert-tiny", pooling="mean_without_cls") for _ in range(2))
    result = fit(encoder, settings, group_by_premise(table), seed=0, steps=STEPS, precision="fp32", progress=False)
    halve(encoder)
    task = load_sts(["STS-B"])["STS-B"]
    measured = {"raw": measure(raw, task), "trained": measure(encoder, task)}
    record = {"data": f"{table.source.summary()} {task.source.summary()}", "tau": tau, "lam": lam, "steps": STEPS}
    record["batches"] = settings.batch_order
    record |= {"training": result.summary(), "measured": measured, **provenance()}
    (FOLDER / "measured.json").unlink(missing_ok=True)  # it is of the model that is replaced
    encoder.save(FOLDER, card(record))
    halve_file(FOLDER / "model.safetensors")
    write_atomically(FOLDER / "measured.json", json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    print(f"wrote {FOLDER.relative_to(ROOT)}: {measured}")


def halve(encoder) -> None:
    """Round every weight to half precision, so that what is measured is what is kept."""
    for weights in encoder.bert.parameters():
        weights.data = weights.data.half().float()


def halve_file(path: Path) -> None:
    from safetensors.torch import load_file, save_file

    save_file({name: weights.half() for name, weights in load_file(path).items()}, path, metadata={"format": "pt"})
    path.chmod(0o644)


def measure(encoder, task) -> dict:
    """Mean cosine and effective rank of a thousand sentences, and Spearman × 100 on the task."""
    from kit.evaluation import evaluate_sts, geometry

    space = geometry(encoder.encode(list(dict.fromkeys(task.sentences1))[:1000]))
    report = evaluate_sts(encoder, {task.name: task}, average_over=[task.name], progress=False)
    found = {"mean_cosine": space.mean_cosine, "effective_rank": space.effective_rank}
    return {key: round(value, 4) for key, value in {**found, "sts": report[task.name].scores.all}.items()}


def card(record: dict) -> str:
    """The model card, Markdown."""
    rows = [
        f"| {label} | {record['measured']['raw'][key]:.2f} | {record['measured']['trained'][key]:.2f} |"
        for label, key in (
            ("mean cosine of random pairs", "mean_cosine"),
            ("effective rank of 128 directions", "effective_rank"),
            ("STS-B test, Spearman × 100", "sts"),
        )
    ]
    return "\n".join(
        [
            "---\nlanguage: en\nlicense: cc-by-sa-4.0\nlibrary_name: sentence-transformers\n"
            "pipeline_tag: sentence-similarity\nbase_model: kit-bert-tiny\ndatasets: stanfordnlp/snli\n---",
            "\n# kit-bert-tiny-scl\n",
            "The encoder [kit-bert-tiny](../../models/kit-bert-tiny/README.md) after the tour's training: "
            f"{record['steps']} steps on SNLI, cosines, τ {record['tau']:g}, λ {record['lam']:g}, seed 0. It is what "
            'pages show as "healed", and what answers there when you type a sentence. It is made to be looked at: for '
            "use, take a larger encoder.\n",
            "| | raw | trained |\n|---|---:|---:|",
            *rows,
            "\nVectors are the mean of all tokens but [CLS]; weights in half precision, measured as they are kept. "
            "Licence of the weights: CC BY-SA 4.0, because SNLI and part of the text of pretraining are share-alike.\n",
            f"{record['training']} {record['data']} Commit {record['commit']}; {record['hardware']}; "
            f"{record['date']}. Written by `make healed`.\n",
        ]
    )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
