"""Pretrain a compact BERT: python scripts/pretrain.py --corpus FOLDER --model kit-bert-tiny

Three phases, each kept on disk and skipped when it is there: the vocabulary, the token
stream, the run (which resumes from its newest checkpoint). Runs on CPU and on one GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kit.errors import KitError  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of Parquet files with a 'text' column")
    parser.add_argument("--model", default="kit-bert-tiny", help="kit-bert-tiny or kit-bert-mini")
    parser.add_argument("--work", type=Path, default=Path(".pretrain"), help="vocabulary and token stream")
    parser.add_argument("--out", type=Path, help="the run's folder (default: runs/pretrain-<model>)")
    parser.add_argument("--export", type=Path, help="where the finished model goes (default: <out>/model)")
    parser.add_argument("--tokens", type=float, default=2e9, help="word pieces to train on")
    parser.add_argument("--batch-tokens", type=int, default=65_536)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--warmup", type=float, default=0.02)
    parser.add_argument("--random-start", action="store_true", help="no head start for the embeddings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device")
    parser.add_argument("--compile", action="store_true", help="torch.compile (worth it on a GPU)")
    parser.add_argument("--every", type=int, default=2000, help="steps between measurements and checkpoints")
    parser.add_argument("--only", choices=["vocabulary", "stream"], help="stop after this phase")
    return parser.parse_args()


def vocabulary_of(args, files):
    """The tokenizer in <work>/tokenizer, trained now if it is not there; and its fingerprint."""
    from transformers import BertTokenizerFast

    from kit.training.pretrain.corpus import train_vocabulary

    folder = args.work / "tokenizer"
    if not (folder / "tokenizer.json").exists():
        print(f"learning a vocabulary of {args.vocabulary:,} word pieces from {len(files)} files")
        train_vocabulary(files, args.vocabulary).save_pretrained(folder)
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    words = json.dumps(sorted(tokenizer.get_vocab().items()))
    return tokenizer, hashlib.sha256(words.encode()).hexdigest()[:16]


def main() -> None:
    args = arguments()
    from kit.training.device import pick_device
    from kit.training.pretrain.corpus import corpus_files, load_stream, save_stream, tokenize_stream
    from kit.training.pretrain.export import export_masked_lm
    from kit.training.pretrain.heldout import frame_of, heldout_rows
    from kit.training.pretrain.mlm import SIZES
    from kit.training.pretrain.run import Plan, pretrain, report, write_history

    if args.model not in SIZES:
        from kit.errors import unknown_name
        raise unknown_name("model", args.model, SIZES)
    files = corpus_files(args.corpus)
    tokenizer, fingerprint = vocabulary_of(args, files)
    if args.only == "vocabulary":
        return
    kept = args.work / "stream.safetensors"
    stream = load_stream(kept, fingerprint)
    if stream is None:
        stream = tokenize_stream(files, tokenizer)
        save_stream(stream, kept, fingerprint)
    print(f"{len(stream.tokens):,} word pieces in {len(stream.line_starts):,} paragraphs")
    if args.only == "stream":
        return

    out = args.out or Path("runs") / f"pretrain-{args.model}"
    device = pick_device(args.device)
    plan = Plan(SIZES[args.model], steps=max(1, int(args.tokens / args.batch_tokens)),
                batch_tokens=args.batch_tokens, lr=args.lr, weight_decay=args.weight_decay,
                warmup=args.warmup, seed=args.seed, compile=args.compile,
                counted_start=not args.random_start)
    heldout = heldout_rows(args.corpus / "heldout.parquet", tokenizer)
    model, history = pretrain(plan, stream, heldout, tokenizer, frame_of(tokenizer), out, device,
                              fingerprint, checkpoint_every=args.every, measure_every=args.every)
    speed = report(plan, history, len(tokenizer), device)
    write_history(out, history)
    export_masked_lm(model, tokenizer, args.export or out / "model")
    summary = {"model": args.model, "plan": vars(plan) | {"size": vars(plan.size)}, "speed": speed,
               "sources": stream.sources, "vocabulary": fingerprint, "history": history,
               "when": time.strftime("%Y-%m-%d")}
    (out / "summary.json").write_text(json.dumps(summary, indent=1))
    print(f"{speed['tokens']:,} tokens in {speed['seconds']:,} s: {speed['tokens_per_second']:,} tokens/s, "
          f"{100 * speed['share_of_matrix_throughput']:.1f} % of the measured matrix throughput; "
          f"held-out loss {history[-1]['heldout_loss']:.3f}")


if __name__ == "__main__":
    try:
        main()
    except KitError as error:
        sys.exit(f"pretrain: {error}")
