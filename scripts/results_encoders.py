"""A bundled encoder measured: data/results/encoders.json; of another than the default, encoders-<name>.json

    KIT_DATA=<mirror folder> python scripts/results_encoders.py [--encoder kit-bert-mini] [--only simcse] [--workers 2]
    ... --encoder kit-bert-mini-v2 --only simcse scl --starts pretrained --describe --random-of kit-bert-mini

Held-out masked loss by source, raw geometry by layer, raw and whitened STS by pooling, and the test that matters: STS
after fine-tuning by SCL (on SNLI; on all NLI) and by supervised SimCSE (its triplets alone; with borrowed negatives all
entailed pairs, see `kit.data.triplets`), three seeds, against the same architecture from random weights and averaged
GloVe. Runs that were made are kept, so that it may be stopped. With --only (and --starts) the file keeps its other
rows; those published are some of all. Then render the model card with scripts/encoder_card.py.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from matrix import measure_runs, plan, weights_of
from measuring import ROOT, file_of, in_mirror, measure, provenance, run_script, sample_sentences, to_write

from kit.errors import KitError
from kit.storage.atomic import write_atomically

OUT = ROOT / "data" / "results" / "encoders.json"
SEEDS = (0, 1, 2)
SNLI = ("stanfordnlp/snli", "train")
# name in the tables → recipe, data of a plan, changes
FINETUNING = {
    "scl": ("scl", "snli", {}),
    "scl_all_nli": ("scl", "core", {}),
    "scl_longer": ("scl", "snli", {"epochs": 2.254}),  # 3,083 steps, as many as scl_all_nli
    "simcse": ("simcse", "core", {}),
    "simcse_borrowed": ("simcse", "core", {"borrow_negatives": True}),
    "simcse_longer": ("simcse", "core", {"epochs": 4.134}),  # 1,112 steps, as many as simcse_borrowed
    "simcse_captions": ("simcse", "captioned", {"borrow_negatives": True}),
    "simcse_few": ("simcse", "core", {}),  # of FEW pairs
    "simcse_definitions": ("simcse", "defined", {"borrow_negatives": True, "epochs": 0.8914}),  # 1,112 steps
    "simcse_minimal": ("simcse", "minimal", {"borrow_negatives": True, "epochs": 1.8752}),  # 1,112 steps
    "simcse_reworded": ("simcse", "reworded", {"borrow_negatives": True, "epochs": 1.8752}),  # 1,112 steps
    "scl_minimal": ("scl", "minimal", {"epochs": 0.9536}),  # 3,083 steps
    "scl_minimal_tau_10": ("scl", "minimal", {"epochs": 0.9536, "temperature": 10.0}),
    "scl_minimal_tau_10_longer": ("scl", "minimal", {"epochs": 1.9072, "temperature": 10.0}),  # 6,166 steps
    "scl_minimal_tau_10_faster": ("scl", "minimal", {"epochs": 0.9536, "temperature": 10.0, "lr": 1e-3}),
}
FEW = {"simcse_few": 15_000}  # premises of a plan, where not all
MERGED, HELDOUT = "nli/merged", "text/heldout.parquet"
PLACES = {  # data of a plan → what of it the Hub does not have
    "snli": [],
    "core": [MERGED],
    "captioned": [MERGED, "nli/captions_flickr30k", "nli/captions_coco"],
    "defined": [MERGED],
    "minimal": [MERGED, "nli/hardneg_sugarcrepe_pp"],
    "reworded": [MERGED, "nli/hardneg_sugarcrepe_pp"],
}
STARTS = ("pretrained", "random")
POOLINGS = ("cls", "mean", "first_last")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--encoder", default="kit-bert-tiny")
    options.add_argument("--workers", type=int, default=2, help="runs side by side, one thread each")
    options.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="of each training; others only with --out")
    options.add_argument("--starts", nargs="+", choices=STARTS, default=STARTS, help="the encoder; random weights")
    options.add_argument("--only", nargs="+", choices=FINETUNING, help="these anew; the rest of the file stays")
    options.add_argument("--describe", action="store_true", help="with --only: what needs no training anew as well")
    options.add_argument("--random-of", metavar="ENCODER", help="with --only: the runs from random weights of its file")
    options.add_argument("--out", type=Path, help="default: data/results/encoders.json, or encoders-<encoder>.json")
    args = options.parse_args()
    fewer = {"seeds": sorted(args.seeds) != sorted(SEEDS), "starts": not args.only and set(args.starts) != set(STARTS)}
    if (args.describe or args.random_of) and not args.only:
        raise KitError("expected --only beside --describe and --random-of: else every run is made, and described.")
    file = to_write(args.out, file_of(OUT, args.encoder), **fewer)
    if not os.environ.get("KIT_DATA"):
        raise KitError("expected KIT_DATA to name the mirror folder with NLI, STS and text: set it and run again.")
    places = [place for name in args.only or FINETUNING for place in PLACES[FINETUNING[name][1]]]
    in_mirror(*places, *([] if args.only else [HELDOUT]))
    plans = {
        plan(recipe, seed, data, FEW.get(name), start, **changes): (name, start.split(":")[0])
        for name, (recipe, data, changes) in FINETUNING.items()
        if name in (args.only or FINETUNING)
        for start in (args.encoder if known == "pretrained" else f"random:{args.encoder}" for known in args.starts)
        for seed in args.seeds
    }
    words = None if args.only else glove()  # before the runs: it may not be installed
    found = measure_runs(plans, ("sts",), args.workers)
    finetuned = [
        {key: value for key, value in found[one].items() if key != "losses"} | {"recipe": name, "start": start}
        for one, (name, start) in plans.items()
    ]
    if args.only:
        kept = json.loads(file.read_text("utf-8")) if file.exists() else {"models": {}, "finetuned": []} | provenance()
        result = merged(kept, finetuned)
        if args.random_of:
            own = [run for run in result["finetuned"] if run["start"] != "random"]
            result["finetuned"] = own + from_random(args.random_of, args.encoder, {run["recipe"] for run in own})
        result["models"] |= {args.encoder: describe(args.encoder)} if args.describe else {}
    else:
        finetuned.append({"start": "glove", "recipe": "none", "seed": None, **words})
        result = {"models": {args.encoder: describe(args.encoder)}, "finetuned": finetuned, **provenance()}
    write_atomically(file, json.dumps(result, indent=1) + "\n")
    print(f"wrote {file}: {len(plans)} fine-tuning runs")


def merged(kept: dict, runs: list[dict]) -> dict:
    """What the file holds, with `runs` in place of those of the same recipe and start; each says when it was made."""
    anew = {(run["recipe"], run["start"]) for run in runs}
    others = [run for run in kept["finetuned"] if (run["recipe"], run["start"]) not in anew]
    made = {key: provenance()[key] for key in ("commit", "date")}
    return kept | {"finetuned": [*(run | made for run in runs), *others]}


def from_random(other: str, name: str, recipes: set[str]) -> list[dict]:
    """The runs of `recipes` from random weights that the file of another encoder has.

    Errors: `KitError` unless `name` has its shape and vocabulary.
    """
    from kit.encoder import find_model

    for file in ("config.json", "tokenizer.json"):
        there, here = (Path(find_model(one).location, file).read_bytes() for one in (other, name))
        if there != here:
            raise KitError(f"expected {other} with the {file} of {name}, but they differ: make its own runs.")
    found = json.loads(file_of(OUT, other).read_text("utf-8"))
    made = {key: found[key] for key in ("commit", "date")}
    return [made | run for run in found["finetuned"] if run["start"] == "random" and run["recipe"] in recipes]


def describe(name: str) -> dict:
    """Everything that needs no training: held-out loss, geometry, raw and whitened STS."""
    from kit.data import group_by_premise, load, load_sts
    from kit.encoder import find_model, load_encoder
    from kit.encoder.whitening import whitening
    from kit.evaluation.encoding import Repaired

    encoder = load_encoder(name)
    weights = Path(find_model(name).location) / "model.safetensors"
    groups = group_by_premise(load(*SNLI, rows=20_000, seed=0))
    fitted_on = list(dict.fromkeys(t for g in groups for t in (g.anchor, *g.hypotheses)))[:10_000]
    repair = whitening(encoder.encode(fitted_on))
    raw = {}
    for pooling in POOLINGS:
        figures = measure(load_encoder(name, pooling=pooling))
        raw[pooling] = {**figures["sts"], "geometry": figures["geometry"]}
    whitened = measure(Repaired(encoder, repair))
    sentences = sample_sentences(load_sts())
    return {
        "weights": weights_of(name)[:12],
        "heldout": heldout(name),
        "parameters": sum(p.numel() for p in encoder.parameters()),
        "file_mb": weights.stat().st_size / 1e6,
        "geometry": space(encoder, sentences, fitted_on),
        "raw_sts": raw,
        "whitened_sts": {
            **whitened["sts"],
            "geometry": whitened["geometry"],
            "dim": repair.matrix.shape[1],
            "fitted_on": f"{len(fitted_on):,} sentences of SNLI train",
        },
    }


def heldout(name: str) -> dict:
    """Masked loss, pseudo-perplexity and accuracy on the held-out text, by source."""
    from transformers import AutoModelForMaskedLM

    from kit.encoder import find_model
    from kit.encoder.load import load_encoder
    from kit.pretraining.heldout import heldout_rows, measure_heldout
    from kit.training.masking import Pieces

    tokenizer = load_encoder(name).tokenizer
    model = AutoModelForMaskedLM.from_pretrained(
        find_model(name).location, attn_implementation="eager", trust_remote_code=False
    )
    rows = heldout_rows(Path(os.environ["KIT_DATA"]) / HELDOUT, tokenizer)
    return measure_heldout(model, rows, Pieces.of(tokenizer))


def space(encoder, sentences: list[str], fitted_on: list[str]) -> dict:
    """Geometry of mean-pooled vectors by layer, without the top directions, and against frequency."""
    from collections import Counter

    from kit.encoder.whitening import without_top_directions
    from kit.evaluation import frequency_correlation, geometry

    def figures(vectors) -> dict:
        kept = geometry(vectors).as_dict()
        return {k: kept[k] for k in ("mean_cosine", "share_above", "effective_rank", "uniformity", "top_share")}

    removed = 3
    counts = Counter(w for text in fitted_on for w in text.lower().split())
    vectors, fit_vectors = encoder.encode(sentences), encoder.encode(fitted_on)
    return {
        "sentences": len(sentences),
        "per_layer": [{"layer": i, **figures(layer)} for i, layer in enumerate(by_layer(encoder, sentences))],
        "without_top_directions": {
            **figures(without_top_directions(fit_vectors, removed)(vectors)),
            "removed": removed,
        },
        "frequency_correlation": frequency_correlation(vectors, sentences, counts),
        "frequencies_from": f"{len(fitted_on):,} sentences of SNLI train",
    }


def by_layer(encoder, sentences: list[str], batch_size: int = 64) -> list:
    """Mean-pooled vectors [n, dim] of every layer, the embedding layer first."""
    import torch

    from kit.encoder import pad, pool

    layers: list[list] = []
    with torch.inference_mode():
        ids = encoder.tokenize(sentences)
        for start in range(0, len(ids), batch_size):
            rows, mask = pad(ids[start : start + batch_size], encoder.tokenizer.pad_token_id)
            hidden = encoder.bert(input_ids=rows, attention_mask=mask, output_hidden_states=True).hidden_states
            layers.append([pool("mean", (h,), mask) for h in hidden])
    return [torch.cat([batch[i] for batch in layers]) for i in range(len(layers[0]))]


def glove() -> dict:
    from kit.comparators.glove import GloveEncoder

    return measure(GloveEncoder())


if __name__ == "__main__":
    run_script(main)
