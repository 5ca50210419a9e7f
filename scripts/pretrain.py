"""Pretrain a compact BERT: python scripts/pretrain.py --corpus FOLDER --model kit-bert-tiny

Three phases, each kept on disk and skipped when it is there: the vocabulary, the token
stream, the run (which resumes from its newest checkpoint). Runs on CPU and on one GPU.
Without --corpus the text of the mirror is taken, $KIT_DATA/text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path

from measuring import provenance, run_script

from kit.errors import KitError

LATER = ("trials", "before")  # what may be added to the summary of a finished run


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, help="folder of Parquet files with a 'text' column\n(default: $KIT_DATA/text)"
    )
    parser.add_argument("--model", default="kit-bert-tiny", help="kit-bert-tiny or kit-bert-mini")
    parser.add_argument("--work", type=Path, default=Path(".pretrain"), help="vocabulary and token stream")
    parser.add_argument("--out", type=Path, help="the run's folder (default: runs/pretrain-<model>)")
    parser.add_argument("--export", type=Path, help="where the finished model goes (default: <out>/model)")
    parser.add_argument("--tokens", type=positive, default=2e9, help="word pieces to train on")
    parser.add_argument("--batch-tokens", type=positive, default=65_536)
    parser.add_argument("--vocabulary", type=positive, default=8192)
    parser.add_argument(
        "--tokenizer",
        type=Path,
        help="folder of a tokenizer to use instead of learning one,\nsuch as data/models/kit-bert-tiny",
    )
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--warmup", type=float, default=0.02)
    parser.add_argument(
        "--schedule",
        choices=["linear", "stable"],
        default="linear",
        help="stable: constant, falls over the last fifth; such a run can be given more --tokens later",
    )
    parser.add_argument("--masked", type=float, default=0.15, help="share of the word pieces that is masked")
    parser.add_argument(
        "--from",
        dest="start",
        type=Path,
        help="folder of a model whose weights to start from (same size, or grown from a smaller one)",
    )
    parser.add_argument("--size", type=int, nargs=2, metavar=("LAYERS", "WIDTH"), help="another size than --model's")
    parser.add_argument("--random-start", action="store_true", help="no head start for the embeddings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device")
    parser.add_argument(
        "--precision", choices=["auto", "fp32", "bf16"], default="auto", help="auto: bf16 where that is faster"
    )
    parser.add_argument("--compile", action="store_true", help="torch.compile (worth it on a GPU)")
    parser.add_argument("--every", type=positive, default=2000, help="steps between measurements and checkpoints")
    parser.add_argument(
        "--trials",
        type=Path,
        nargs="+",
        default=[],
        help="folders of runs that were tried beside this one: their settings and losses go into its summary",
    )
    parser.add_argument("--only", choices=["vocabulary", "stream"], help="stop after this phase")
    return parser.parse_args()


def positive(text: str) -> int:
    """A whole number of at least 1; '2e9' is one too."""
    number = int(float(text))
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, but it is {text}")
    return number


def corpus_of(args: argparse.Namespace) -> Path:
    """The folder of --corpus, else the text of the mirror."""
    if args.corpus:
        return args.corpus
    if not os.environ.get("KIT_DATA"):
        raise KitError(
            "expected a folder of text to train on, but there is neither --corpus nor KIT_DATA: give "
            "--corpus FOLDER, or set KIT_DATA to a mirror folder that holds 'text'."
        )
    return Path(os.environ["KIT_DATA"]) / "text"


def vocabulary_of(args, files):
    """The tokenizer of --tokenizer or in <work>/tokenizer, learned if it is not there; and its fingerprint."""
    from transformers import BertTokenizerFast

    folder = args.tokenizer or args.work / "tokenizer"
    if not args.tokenizer:
        learn_vocabulary(folder, args.vocabulary, files)
    elif not (folder / "tokenizer.json").exists():
        raise KitError(f"expected a tokenizer.json in {folder}, but there is none: give the folder of a model.")
    tokenizer = BertTokenizerFast.from_pretrained(folder, trust_remote_code=False)
    words = json.dumps(sorted(tokenizer.get_vocab().items()))
    return tokenizer, hashlib.sha256(words.encode()).hexdigest()[:16]


def learn_vocabulary(folder: Path, size: int, files: list[Path]) -> None:
    """Learn a vocabulary into `folder`, or make sure that the one there was asked to have this size."""
    from kit.pretraining.corpus import train_vocabulary

    asked = folder / "asked.json"  # a small corpus yields fewer pieces than were asked for
    if not (folder / "tokenizer.json").exists():
        print(f"learning a vocabulary of {size:,} word pieces from {len(files)} files")
        train_vocabulary(files, size).save_pretrained(folder)
        asked.write_text(json.dumps({"vocabulary": size}), "utf-8")
    kept = json.loads(asked.read_text("utf-8"))["vocabulary"] if asked.exists() else size
    if kept != size:
        raise KitError(
            f"expected a vocabulary of {size:,} word pieces in {folder}, but the one there was asked to "
            f"have {kept:,}: choose another --work folder or --vocabulary {kept}."
        )


def start_of(folder: Path | None) -> str | None:
    """The folder of a model to start from, with the fingerprint of its weights."""
    if folder is None:
        return None
    file = folder / "model.safetensors"
    if not file.exists():
        raise KitError(f"expected a model.safetensors in {folder}, but there is none: give the folder of a model.")
    return f"{folder}@{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"


def earlier_run(folder: Path | None, size) -> dict | None:
    """What made the weights that this run went on from: training.json beside weights of the same size, if any."""
    file = folder / "training.json" if folder else None
    if file is None or not file.exists():
        return None
    earlier = json.loads(file.read_text("utf-8"))
    return earlier if earlier["plan"]["size"] == vars(size) else None


def main() -> None:
    args = arguments()
    from kit.pretraining.compact_bert import SIZES, Size
    from kit.pretraining.corpus import corpus_files, fingerprint_of_files, load_stream, save_stream, tokenize_stream
    from kit.pretraining.heldout import frame_of, heldout_rows
    from kit.pretraining.pretrain import Plan, pretrain
    from kit.storage.checkpoint import prepare
    from kit.storage.run_lock import owner_of
    from kit.training.device import pick_device

    if args.model not in SIZES:
        from kit.errors import unknown_name

        raise unknown_name("model", args.model, SIZES)
    corpus = corpus_of(args)
    files = corpus_files(corpus)
    tokenizer, fingerprint = vocabulary_of(args, files)
    if args.only == "vocabulary":
        return
    kept, corpus_print = args.work / "stream.safetensors", fingerprint_of_files(files)
    stream = load_stream(kept, fingerprint, corpus_print)
    if stream is None:
        stream = tokenize_stream(files, tokenizer)
        save_stream(stream, kept, fingerprint, corpus_print)
    print(f"{len(stream.tokens):,} word pieces in {len(stream.line_starts):,} paragraphs")
    if args.only == "stream":
        return

    out = args.out or Path("runs") / f"pretrain-{args.model}"
    device = pick_device(args.device)
    size = Size(*args.size) if args.size else SIZES[args.model]
    plan = Plan(
        size,
        steps=max(1, args.tokens // args.batch_tokens),
        batch_tokens=args.batch_tokens,
        lr=args.lr,
        weight_decay=args.weight_decay,
        warmup=args.warmup,
        seed=args.seed,
        precision=args.precision,
        compile=args.compile,
        counted_start=not args.random_start,
        schedule=args.schedule,
        masked=args.masked,
        start=start_of(args.start),
    )
    heldout = heldout_rows(corpus / "heldout.parquet", tokenizer)
    begun = provenance()  # before the run: hours later the checkout may be another
    prepare(out)
    with owner_of(out):
        model, history = pretrain(
            plan,
            stream,
            heldout,
            tokenizer,
            frame_of(tokenizer),
            out,
            device,
            fingerprint,
            checkpoint_every=args.every,
            measure_every=args.every,
        )
        facts = {
            "model": args.model,
            "plan": vars(plan) | {"size": vars(plan.size)},
            "sources": stream.sources,
            "vocabulary": fingerprint,
            "history": history,
            **begun,
        }
        finish(args, out, plan, model, tokenizer, facts, device)


def trial_of(folder: Path) -> dict:
    """The settings and losses of another run, finished or not. Errors: `KitError` where there is none."""
    from kit.storage.checkpoint import load_checkpoint

    found = load_checkpoint(folder)
    if found is None:
        raise KitError(f"expected the folder of a pretraining run after --trials, but {folder} has no checkpoint.")
    return {"plan": found[1]["identity"]["plan"], "history": found[1]["history"]}


def finish(args, out: Path, plan, model, tokenizer, facts: dict, device) -> None:
    """Export the model, and write summary, history and plot; a run that was finished keeps its summary."""
    from kit.pretraining.export import export_masked_lm
    from kit.pretraining.plot import write_plot
    from kit.pretraining.pretrain import report, write_history
    from kit.storage.atomic import write_atomically

    history, summary = facts["history"], out / "summary.json"
    folder = export_masked_lm(model, tokenizer, args.export or out / "model")
    write_history(out, history)
    write_plot(history, out / "heldout.svg")
    facts |= {"trials": {trial.name: trial_of(trial) for trial in args.trials}} if args.trials else {}
    facts |= {"before": before} if (before := earlier_run(args.start, plan.size)) else {}
    # The speed of a finished run is not measured again: this may be another machine.
    if summary.exists() and (kept := json.loads(summary.read_text("utf-8")))["history"] == history:
        write_atomically(summary, json.dumps(kept | {k: facts[k] for k in LATER if k in facts}, indent=1) + "\n")
        print(f"this run was finished already: nothing was trained, its model is in {folder}")
        return
    speed = report(plan, history, len(tokenizer), device)
    write_atomically(summary, json.dumps(facts | {"speed": speed}, indent=1) + "\n")
    print(
        f"{speed['tokens']:,} tokens in {speed['seconds']:,} s: {speed['tokens_per_second']:,} tokens/s, "
        f"{100 * speed['share_of_matrix_throughput']:.1f} % of the measured matrix throughput; "
        f"held-out loss {history[-1]['heldout_loss']:.3f}"
    )


if __name__ == "__main__":
    try:
        run_script(main)
    except KeyboardInterrupt:
        print(
            "\npretrain: interrupted, and nothing that was kept is lost: the same command goes on from the newest "
            "checkpoint.",
            file=sys.stderr,
        )
        sys.exit(130)
