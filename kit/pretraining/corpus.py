"""Running text to one flat stream of word pieces.

A folder of Parquet files (one row a document; columns `text` and `source`; each line of
`text` a paragraph) becomes: a WordPiece vocabulary, and a stream of token ids in which
every document is followed by [SEP]. The stream is two bytes a token and is kept as
safetensors, so that tokenising is done once.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from kit.errors import KitError
from kit.storage.atomic import write_whole

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BLOCK, BLOCKS = 1 << 16, 256  # what is hashed of a long stream: so many pieces at once, so often
# The captions whose licence is unconfirmed, and the text kept for measuring.
EXCLUDED = ("captions-flickr30k", "heldout")


@dataclass(frozen=True)
class Stream:
    """Token ids of many documents, end to end.

    tokens: [T] int32, each document followed by [SEP]; line_starts: [P] int64, where each
    paragraph begins; line_lengths: [P] int64, its word pieces; sources: word pieces per source.
    """

    tokens: torch.Tensor
    line_starts: torch.Tensor
    line_lengths: torch.Tensor
    sources: dict[str, int]

    def to(self, device: torch.device) -> Stream:
        return Stream(self.tokens.to(device), self.line_starts.to(device), self.line_lengths.to(device), self.sources)

    def fingerprint(self) -> str:
        """Sixteen characters that change with the lengths of the tensors and with the tokens.

        Of more than BLOCK × BLOCKS of either, evenly spaced blocks count, both ends among them.
        """
        digest = hashlib.sha256()
        for values in (self.tokens, self.line_starts, self.line_lengths):
            digest.update(f"{len(values)} ".encode())
            starts = range(0, len(values), BLOCK)
            if len(starts) > BLOCKS:
                starts = [(len(values) - BLOCK) * i // (BLOCKS - 1) for i in range(BLOCKS)]
            for start in starts:
                digest.update(values[start : start + BLOCK].cpu().to(torch.int64).numpy().tobytes())
        return digest.hexdigest()[:16]


def corpus_files(folder: Path | str, excluded: tuple[str, ...] = EXCLUDED) -> list[Path]:
    """The Parquet files of a corpus folder, sorted, without the `excluded` ones."""
    folder = Path(folder)
    if not folder.is_dir():
        raise KitError(
            f"expected a folder of Parquet files for the corpus, but {folder} does not "
            "exist: give the folder with --corpus."
        )
    files = [f for f in sorted(folder.glob("*.parquet")) if f.stem not in excluded]
    if not files:
        raise KitError(
            f"expected Parquet files with a 'text' column in {folder}, but it holds none "
            "to train on: put the corpus there or give another folder with --corpus."
        )
    return files


def read_documents(files: list[Path]):
    """Yield (text, source) for every document of `files`; an unnamed source is the file's name.

    Errors: `KitError` for a file that is absent, damaged, or has no 'text' column of strings.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for file in files:
        try:
            table = pq.read_table(file)
        except (OSError, pa.ArrowException) as error:
            reason = str(error).strip().splitlines()[0].rstrip(".")
            raise KitError(
                f"expected a whole Parquet file at {file}, but reading it failed ({reason}): "
                "fetch or write that file again."
            ) from error
        columns = {field.name: str(field.type) for field in table.schema}
        if columns.get("text") not in ("string", "large_string"):
            raise KitError(
                f"expected a 'text' column of strings in {file.name}, but it has "
                f"{', '.join(f'{n} ({t})' for n, t in columns.items())}: rename the column "
                "or drop the file."
            )
        texts = table["text"].to_pylist()
        sources = table["source"].to_pylist() if "source" in columns else [None] * len(texts)
        yield from ((text or "", source or file.stem) for text, source in zip(texts, sources))


def train_vocabulary(files: list[Path], size: int = 8192):
    """An uncased, accent-stripping WordPiece tokenizer learned on `files`.

    Returns a `transformers.BertTokenizerFast`. The same files give the same vocabulary. The
    trainer by itself would not: it numbers '##a', '##b' ... in the order of a hash map, and the
    numbers decide ties between merges. So they are found in a first pass and handed over sorted.
    """
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    def learn(vocabulary: int, first: list[str]) -> dict[str, int]:
        trainer = BertWordPieceTokenizer(lowercase=True, strip_accents=True)
        trainer.train_from_iterator(
            (text for text, _ in read_documents(files)),
            vocab_size=vocabulary,
            min_frequency=2,
            special_tokens=first,
            show_progress=True,
        )
        return trainer.get_vocab()

    continuations = sorted(piece for piece in learn(1, SPECIALS) if piece.startswith("##"))
    vocabulary = learn(size, SPECIALS + continuations)
    return BertTokenizerFast(
        tokenizer_object=BertWordPieceTokenizer(vocabulary, lowercase=True, strip_accents=True)._tokenizer,
        do_lower_case=True,
        strip_accents=True,
        model_max_length=512,
    )


def tokenize_stream(files: list[Path], tokenizer, progress: bool = True) -> Stream:
    """Tokenise every document of `files` into one `Stream`."""
    from tqdm.auto import tqdm

    if len(tokenizer) > 2**16:
        raise KitError(
            f"expected a vocabulary of at most 65,536 word pieces, but it has {len(tokenizer):,}: "
            "a kept token is two bytes, so train a smaller vocabulary."
        )
    at, starts, lengths, sources = 0, [], [], {}
    parts: list[np.ndarray] = []
    for texts, names in _batched(tqdm(read_documents(files), desc="tokenise", unit=" documents", disable=not progress)):
        documents = [[p for p in text.split("\n") if p.strip()] for text in texts]
        encoded = iter(
            tokenizer.backend_tokenizer.encode_batch(
                [p for document in documents for p in document], add_special_tokens=False
            )
        )
        for document, name in zip(documents, names):
            paragraphs = [ids for ids in (next(encoded).ids for _ in document) if ids]
            if not paragraphs:  # nothing but characters that the tokenizer drops
                continue
            for ids in paragraphs:
                starts.append(at)
                lengths.append(len(ids))
                at += len(ids)
            at += 1  # the [SEP] that ends the document
            parts.append(np.array([t for ids in paragraphs for t in ids] + [tokenizer.sep_token_id], np.uint16))
            sources[name] = sources.get(name, 0) + len(parts[-1])
    if not parts:
        raise KitError(
            f"expected documents with text in {', '.join(f.name for f in files)}, but every one "
            "is empty: give another folder with --corpus."
        )
    return Stream(
        torch.from_numpy(np.concatenate(parts).astype(np.int32)), torch.tensor(starts), torch.tensor(lengths), sources
    )


def fingerprint_of_files(files: list[Path]) -> str:
    """Sixteen characters that change when a file of the corpus comes, goes, or changes its size."""
    seen = [(file.name, file.stat().st_size) for file in files]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16]


def save_stream(stream: Stream, path: Path, vocabulary: str, corpus: str) -> None:
    """Keep a stream for the next run, with the fingerprints of its vocabulary and its corpus."""
    from safetensors.torch import save

    blob = save(
        {
            "tokens": stream.tokens.to(torch.uint16),
            "line_starts": stream.line_starts,
            "line_lengths": stream.line_lengths.to(torch.int32),
        },
        metadata={"vocabulary": vocabulary, "corpus": corpus, "sources": json.dumps(stream.sources)},
    )
    try:
        write_whole(path, blob)
    except OSError as error:
        raise KitError(
            f"expected to keep the token stream at {path}, but the system said '{error.strerror}': "
            "free space or choose another folder with --work."
        ) from error


def load_stream(path: Path, vocabulary: str, corpus: str) -> Stream | None:
    """The kept stream, or None if it is absent, damaged, or of another vocabulary or corpus."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            meta = file.metadata() or {}
            if (meta.get("vocabulary"), meta.get("corpus")) != (vocabulary, corpus):
                return None
            return Stream(
                file.get_tensor("tokens").to(torch.int32),
                file.get_tensor("line_starts"),
                file.get_tensor("line_lengths").to(torch.int64),
                json.loads(meta["sources"]),
            )
    except SafetensorError:
        return None


def _batched(documents, size: int = 512):
    """Lists of `size` texts and sources: the tokenizer runs in parallel over a batch."""
    texts, sources = [], []
    for text, source in documents:
        if not text.strip():
            continue
        texts.append(text)
        sources.append(source)
        if len(texts) == size:
            yield texts, sources
            texts, sources = [], []
    if texts:
        yield texts, sources
