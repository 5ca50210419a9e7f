"""Running text to one flat stream of word pieces.

A folder of Parquet files (one row a document; columns `text` and `source`; each line of
`text` a paragraph) becomes: a WordPiece vocabulary, and a stream of token ids in which
every document is followed by [SEP]. The stream is two bytes a token and is kept as
safetensors, so that tokenising is done once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from kit.errors import KitError

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
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
        return Stream(self.tokens.to(device), self.line_starts.to(device),
                      self.line_lengths.to(device), self.sources)


def corpus_files(folder: Path | str, excluded: tuple[str, ...] = EXCLUDED) -> list[Path]:
    """The Parquet files of a corpus folder, sorted, without the `excluded` ones."""
    folder = Path(folder)
    if not folder.is_dir():
        raise KitError(f"expected a folder of Parquet files for the corpus, but {folder} does not "
                       "exist: give the folder with --corpus.")
    files = [f for f in sorted(folder.glob("*.parquet")) if f.stem not in excluded]
    if not files:
        raise KitError(f"expected Parquet files with a 'text' column in {folder}, but it holds none "
                       "to train on: put the corpus there or give another folder with --corpus.")
    return files


def read_documents(files: list[Path]):
    """Yield (text, source) for every document of `files`."""
    import pyarrow.parquet as pq

    for file in files:
        table = pq.read_table(file)
        if "text" not in table.column_names:
            raise KitError(f"expected a 'text' column in {file.name}, but it has "
                           f"{', '.join(table.column_names)}: rename the column or drop the file.")
        texts = table["text"].to_pylist()
        has_source = "source" in table.column_names
        sources = table["source"].to_pylist() if has_source else [file.stem] * len(texts)
        yield from zip(texts, sources)


def train_vocabulary(files: list[Path], size: int = 8192):
    """An uncased, accent-stripping WordPiece tokenizer learned on `files`.

    Returns a `transformers.BertTokenizerFast`. Deterministic: the trainer counts words.
    """
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    trainer = BertWordPieceTokenizer(lowercase=True, strip_accents=True)
    trainer.train_from_iterator((text for text, _ in read_documents(files)), vocab_size=size,
                                min_frequency=2, special_tokens=SPECIALS, show_progress=True)
    return BertTokenizerFast(tokenizer_object=trainer._tokenizer, do_lower_case=True,
                             strip_accents=True, model_max_length=512)


def tokenize_stream(files: list[Path], tokenizer, progress: bool = True) -> Stream:
    """Tokenise every document of `files` into one `Stream`."""
    from tqdm.auto import tqdm

    sep, lines, sources = tokenizer.sep_token_id, [], {}
    pieces: list[np.ndarray] = []
    for texts, source in _batched(tqdm(read_documents(files), desc="tokenise", unit=" documents",
                                       disable=not progress)):
        paragraphs = [[p for p in text.split("\n") if p.strip()] for text in texts]
        flat = tokenizer.backend_tokenizer.encode_batch(
            [p for document in paragraphs for p in document], add_special_tokens=False)
        encoded = iter(flat)
        for document, name in zip(paragraphs, source):
            ids = [next(encoded).ids for _ in document]
            lines.extend(len(i) for i in ids[:-1])
            lines.append(-len(ids[-1]))  # negative: the paragraph that ends a document
            pieces.append(np.array([t for i in ids for t in i] + [sep], dtype=np.uint16))
            sources[name] = sources.get(name, 0) + len(pieces[-1])
    lengths = np.array(lines, dtype=np.int64)
    steps = np.abs(lengths) + (lengths < 0)  # a document's last paragraph is followed by [SEP]
    starts = np.concatenate([[0], np.cumsum(steps)[:-1]])
    return Stream(torch.from_numpy(np.concatenate(pieces).astype(np.int32)),
                  torch.from_numpy(starts), torch.from_numpy(np.abs(lengths)), sources)


def save_stream(stream: Stream, path: Path, vocabulary: str) -> None:
    """Keep a stream for the next run, with the fingerprint of the vocabulary that made it."""
    import json

    from safetensors.torch import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({"tokens": stream.tokens.to(torch.uint16), "line_starts": stream.line_starts,
               "line_lengths": stream.line_lengths.to(torch.int32)}, path,
              metadata={"vocabulary": vocabulary, "sources": json.dumps(stream.sources)})


def load_stream(path: Path, vocabulary: str) -> Stream | None:
    """The kept stream, or None if there is none or it was made with another vocabulary."""
    import json

    from safetensors import safe_open

    if not path.exists():
        return None
    with safe_open(path, "pt") as file:
        meta = file.metadata()
        if meta["vocabulary"] != vocabulary:
            return None
        return Stream(file.get_tensor("tokens").to(torch.int32), file.get_tensor("line_starts"),
                      file.get_tensor("line_lengths").to(torch.int64), json.loads(meta["sources"]))


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
