"""Long documents, one text each: for objectives that cut spans out of running text.

The tiers are those of `kit.data.sources`: a `path`, the folder text/ of the mirror KIT_DATA, the
Hub, and the stories of the made-up world, which say of themselves that they stand in.
"""

from __future__ import annotations

import hashlib
import random
import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from kit import extensions
from kit.checks.argument_checks import checked
from kit.data.hub import UnavailableError, first_line, hub_problem, load_splits
from kit.data.sources import NOT_IN_MIRROR, mirror_root
from kit.data.table import Source, check_rows
from kit.errors import KitError, KitWarning
from kit.number_checks import whole_number

LEAST_WORDS = 800  # by default: enough for three anchors of up to 126 word pieces
HUB_DOCUMENTS = 2_000  # where no number is asked for
# DeCLUTR's own OpenWebText is offered on the Hub as a program only, which `datasets` no longer runs.
HUB_ID, HUB_PART = "wikimedia/wikipedia", "20231101.en"
HUB_LOOKED_AT = 50  # articles of the stream to look at, at most, for each one wanted
# Left out of the mirror: held back for measuring, of unconfirmed licence, or lists of sentences
# that have nothing to do with each other, so that near in the text is not near in meaning.
SKIPPED_FILES = ("heldout", "captions-flickr30k", "captions", "sentences")
LISTS = ("WikiSplit", "WordNet", "SQuAD", "image descriptions")
_WORD = re.compile(r"\S+")


class Documents(list):
    """A list of texts that knows its `source`."""

    def __init__(self, texts: Iterable[str], source: Source) -> None:
        super().__init__(texts)
        self.source = source


def load_documents(
    rows: int | None = None, *, least_words: int = LEAST_WORDS, seed: int = 0, path: str | Path | None = None
) -> Documents:
    """Documents of at least `least_words` words (parted by white space) from the first tier that has some.

    rows: so many, drawn by `seed` (None: all; 2,000 of the Hub, 300 of the world). path: a Parquet file or a folder
    of them, with a column `text` and one document a row. A word is one word piece at least, so a document of n words
    has n tokens or more. Where only the world is left, a KitWarning says so.
    Errors: `KitError` for `rows` or `least_words` below 1, a path or mirror folder that is missing, empty or
    unreadable, a file without the column, and no document that is long enough.
    """
    documents = find_documents(rows, least_words=least_words, seed=seed, path=path)
    if documents.source.is_fallback:
        warnings.warn(documents.source.summary(), KitWarning, stacklevel=2)
    return documents


@checked
def find_documents(
    rows: int | None = None, *, least_words: int = LEAST_WORDS, seed: int = 0, path: str | Path | None = None
) -> Documents:
    """`load_documents` without the warning."""
    rows = check_rows(rows)
    whole_number("least_words", least_words, 1)
    if path is not None:
        return _from_files(_files(Path(path).expanduser()), "path", str(path), rows, least_words, seed)
    root = mirror_root()
    if root is not None and (root / "text").is_dir():
        files = [file for file in _files(root / "text") if file.stem not in SKIPPED_FILES]
        return _from_files(files, "mirror", "text", rows, least_words, seed)
    no_mirror = NOT_IN_MIRROR if root else "KIT_DATA is not set"
    try:
        return _from_hub(rows or HUB_DOCUMENTS, least_words, (no_mirror,) if root else ())
    except UnavailableError as no_hub:
        return extensions.made_up_data().documents(rows, least_words, seed, (no_mirror, str(no_hub)))


def _files(path: Path) -> list[Path]:
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise KitError(
            f"expected a Parquet file of documents, or a folder of them, at {path}, but there is none: "
            "correct the path."
        )
    return files


def _from_files(files: list[Path], tier: str, location: str, rows: int | None, least: int, seed: int) -> Documents:
    """The long documents of some Parquet files, or a sample of them in the order of the files.

    The files are read twice, first to find the long ones: never more than a few are in memory.
    """
    # a place: number of the batch, and the row in it
    places = [(number, row) for number, batch in enumerate(_batches(files)) for row in _long_rows(batch, least, tier)]
    digest = hashlib.sha256()
    for file in files:
        with open(file, "rb") as opened:
            hashlib.file_digest(opened, lambda: digest)
    if not places:
        raise KitError(
            f"expected documents of at least {least:,} words in {location}, but found none: "
            "lower least_words or give other files."
        )
    notes, count = [f"documents of at least {least:,} words"], len(places)
    if rows is not None and rows < count:
        places = sorted(random.Random(seed).sample(places, rows))
        notes.append(f"a sample of {rows:,} of {count:,}, seed {seed}")
    if tier == "mirror":
        notes.append("without lists of unrelated sentences")
    where = f"{location} ({len(files)} files)" if len(files) > 1 else location
    source = Source("documents", "train", tier, where, f"sha256:{digest.hexdigest()[:12]}", len(places), tuple(notes))
    return Documents(_texts_at(files, places), source)


def _batches(files: list[Path]) -> Iterator[Any]:
    """Rows of Parquet files, a few hundred at a time, with the columns text and source."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for file in files:
        try:
            parquet = pq.ParquetFile(file)
            kinds = {field.name: str(field.type) for field in parquet.schema_arrow}
            if kinds.get("text") not in ("string", "large_string"):
                raise KitError(
                    f"expected a column 'text' of strings in {file.name}, but it has "
                    f"{', '.join(f'{name} ({kind})' for name, kind in kinds.items())}: rename the column."
                )
            yield from parquet.iter_batches(256, columns=[name for name in ("text", "source") if name in kinds])
            pa.default_memory_pool().release_unused()  # Arrow would keep more than 100 MB of what it has read
        except (pa.ArrowException, OSError) as error:
            raise KitError(
                f"{file} should be a Parquet file of texts, but cannot be read ({first_line(error)}): "
                "copy it again or remove it."
            ) from error


def _long_rows(batch: Any, least: int, tier: str) -> list[int]:
    """Where the long texts stand in a batch; of the mirror without lists of unrelated sentences."""
    import pyarrow.compute as pc

    keep = pc.greater_equal(pc.count_substring_regex(batch["text"], pattern=_WORD.pattern), least)
    if tier == "mirror" and "source" in batch.schema.names:
        listed = pc.match_substring_regex(batch["source"], pattern="|".join(LISTS))
        keep = pc.and_(keep, pc.invert(pc.fill_null(listed, False)))
    return [row for row, long in enumerate(keep.to_pylist()) if long]


def _texts_at(files: list[Path], places: list[tuple[int, int]]) -> Iterator[str]:
    """The texts at `places`, which are in the order of the files."""
    rows_of: dict[int, list[int]] = {}
    for number, row in places:
        rows_of.setdefault(number, []).append(row)
    for number, batch in enumerate(_batches(files)):
        for row in rows_of.get(number, ()):
            yield batch["text"][row].as_py()


def _from_hub(rows: int, least: int, notes: tuple[str, ...]) -> Documents:
    """The first long articles of English Wikipedia, streamed: no more is fetched than is used."""
    if problem := hub_problem():
        raise UnavailableError(f"the Hub could not be reached ({problem})")
    try:
        from huggingface_hub import HfApi

        revision = HfApi().dataset_info(HUB_ID, timeout=5).sha
        stream = load_splits(HUB_ID, "", name=HUB_PART, streaming=True, revision=revision)["train"]
        seen = (article["text"] for article in islice(stream, rows * HUB_LOOKED_AT))
        texts = list(islice((text for text in seen if len(_WORD.findall(text)) >= least), rows))
    except (KitError, UnavailableError):
        raise
    except Exception as error:  # lost connections come as a dozen types, some of third libraries
        raise UnavailableError(f"loading from the Hub failed ({type(error).__name__}: {first_line(error)})") from error
    if not texts:
        raise KitError(
            f"expected articles of at least {least:,} words, but the first {rows * HUB_LOOKED_AT:,} of "
            f"{HUB_ID} have none: lower least_words."
        )
    notes = (f"the first articles of at least {least:,} words", *notes)
    return Documents(texts, Source(HUB_ID, HUB_PART, "hub", f"datasets/{HUB_ID}", revision, len(texts), notes))
