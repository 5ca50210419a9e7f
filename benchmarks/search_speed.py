"""Search on one's own data: building an index, exact search, mining and retrieval evaluation, beside the peers.

    KIT_DATA=<mirror folder> python benchmarks/search_speed.py [--threads 2] [--quick] [--out FILE]

Texts are sentences of SNLI, or of the made-up world where there is no mirror. Search is over drawn vectors of length 1,
as many as the row says, and both sides return the same places. Mining and evaluation take the time from texts to
result, encoding included, each with its own library's encoder on the same weights.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import tempfile
import warnings
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, compared, interleaved, save

PEER = "sentence-transformers"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--quick", action="store_true", help="small and once: shows that it runs")
    options.add_argument("--out", type=Path, default=BENCH / "search_speed.json")
    args = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)  # read when torch, NumPy and faiss are imported
    os.environ["HF_HUB_OFFLINE"] = "1"
    repetitions = 1 if args.quick else args.repetitions
    scale = 50 if args.quick else 1
    found = [*search_rows(100_000 // scale, 1000 // scale, args.threads, repetitions)]
    texts = sentences(100_000 // scale)
    with tempfile.TemporaryDirectory() as folder:
        found += text_rows(texts, Path(folder), args.threads, repetitions, args.quick)
    save(args.out, found)


def sentences(count: int) -> list[str]:
    """So many different short sentences."""
    from kit.data import load

    rows = load("stanfordnlp/snli", rows=2 * count)
    return list(dict.fromkeys([*rows["premise"], *rows["hypothesis"]]))[:count]


def search_rows(rows: int, queries: int, threads: int, repetitions: int) -> list[Row]:
    """Exact top 10 of drawn vectors: ours, faiss and semantic_search; then one query at a time."""
    import faiss
    import numpy as np
    from sentence_transformers.util import dot_score, semantic_search

    from kit.retrieval.exact_search import as_unit, top_k

    faiss.omp_set_num_threads(threads)
    generator = np.random.default_rng(0)
    corpus, asked = (as_unit(generator.normal(size=(n, 128))) for n in (rows, queries))
    flat = faiss.IndexFlatIP(128)
    flat.add(corpus)
    places = top_k(asked, corpus, 10)[1]
    assert (places == flat.search(asked, 10)[1]).mean() > 0.999
    seconds = interleaved(
        {
            "ours": lambda: top_k(asked, corpus, 10),
            "faiss": lambda: flat.search(asked, 10),
            PEER: lambda: semantic_search(asked, corpus, top_k=10, score_function=dot_score),
            "one": lambda: top_k(asked[:1], corpus, 10),
            "one faiss": lambda: flat.search(asked[:1], 10),
        },
        repetitions,
    )
    setting = f"{queries:,} queries × {rows:,} vectors of 128, {threads} threads"
    one = f"one query, {rows:,} vectors of 128, {threads} threads"
    what = "exact search, the 10 nearest"
    return [
        compared(what, setting, seconds["ours"], seconds["faiss"], "faiss IndexFlatIP", target="≥ 1"),
        compared(what, setting, seconds["ours"], seconds[PEER], f"{PEER} semantic_search", target="≥ 1"),
        Row(what, one, "ms", 1000 * statistics.median(seconds["one"]), target="≤ 50", repetitions=repetitions),
        compared(what, one, seconds["one"], seconds["one faiss"], "faiss IndexFlatIP"),
    ]


def text_rows(texts: list[str], folder: Path, threads: int, repetitions: int, quick: bool) -> list[Row]:
    """From texts to an index, to mined negatives and to a report."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.evaluation import InformationRetrievalEvaluator
    from sentence_transformers.util import mine_hard_negatives as their_mining

    from kit.encoder import load_encoder
    from kit.retrieval import Index, evaluate_retrieval, mine_hard_negatives, retrieval_task

    encoder = load_encoder("kit-bert-tiny")
    peer = SentenceTransformer(str(encoder.save(folder / "encoder")), device="cpu", trust_remote_code=False)
    half = 100 if quick else 5000
    anchors, positives = texts[:half], texts[half : 2 * half]
    task = retrieval_task(anchors[: half // 5], positives, [[i] for i in range(half // 5)])
    asked, corpus = ({str(i): text for i, text in enumerate(some)} for some in (task.queries, task.corpus))
    judge = InformationRetrievalEvaluator(asked, corpus, {i: {i} for i in asked}, write_csv=False)
    pairs = Dataset.from_dict({"anchor": anchors, "positive": positives})
    settings = {"num_negatives": 3, "range_max": 20, "relative_margin": 0.05}

    def mine_theirs() -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            their_mining(pairs, peer, verbose=False, **settings)

    built = interleaved({"index": lambda: Index.build(encoder, texts)}, min(repetitions, 2), warmup=0)["index"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = interleaved(
            {
                "mining": lambda: mine_hard_negatives(encoder, anchors, positives, **settings),
                "their mining": mine_theirs,
                "evaluation": lambda: evaluate_retrieval(encoder, task, resamples=0),
                "their evaluation": lambda: judge(peer),
            },
            min(repetitions, 3),
        )
    tiny = f"kit-bert-tiny, {threads} threads"
    return [
        Row(
            "index of short texts", f"{len(texts):,} texts, {tiny}", "s", statistics.median(built),
            target="" if quick else "≤ 20", repetitions=len(built),
        ),
        compared(
            "hard negatives mined", f"{half:,} pairs, {tiny}", seconds["mining"], seconds["their mining"],
            f"{PEER} mine_hard_negatives", target="≥ 1",
        ),
        compared(
            "retrieval evaluation", f"{len(asked):,} queries × {len(corpus):,} documents, {tiny}",
            seconds["evaluation"], seconds["their evaluation"], f"{PEER} InformationRetrievalEvaluator", target="≥ 1",
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
