"""`kit search PATH CORPUS`: search a file of texts with an encoder, once or line by line."""

from __future__ import annotations

import argparse
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator

from kit.checks.sentences import is_blank
from kit.commands.own_arguments import is_said, reading
from kit.commands.own_judgement import corpus_texts
from kit.commands.sentence_transformers_folder import load_saved
from kit.errors import KitError, printable
from kit.owndata.raw_rows import these
from kit.retrieval import Hit, Index
from kit.retrieval.index_files import check_index_folder


def search(options: argparse.Namespace) -> None:
    """Build or load the index, then answer --query, or each line that comes in."""
    if not options.query and sys.stdin is None:
        raise KitError("expected queries on the input, but it is closed: give them with --query.")
    if options.query and (blank := [query for query in options.query if is_blank(query)]):
        raise KitError(f"expected words in every --query, got {blank[0]!r}: leave it out.")
    encoder, line = load_saved(options.path, options.device)
    index = _index(options, encoder, line)
    for query in options.query or _typed():
        hits = index.search(query, options.k)
        if options.json:
            print(json.dumps({"query": query, "hits": [_plain(hit) for hit in hits]}), flush=True)
        else:
            print("\n".join([printable(" ".join(query.split())), *(f"  {hit}" for hit in hits)]), flush=True)


def _index(options: argparse.Namespace, encoder, line: str) -> Index:
    """The index of --index, or one of CORPUS, which --index then keeps."""
    folder = options.index
    if options.corpus is None and is_said(options):
        raise KitError("expected a file of texts beside options that say how it is read, got none: name it.")
    if folder is not None and (folder / "index.json").is_file():
        index = Index.load(folder, encoder)
        if options.corpus is not None:
            texts = corpus_texts(options.corpus, **reading(options))
            if texts.keys() != set(index.texts):
                new, gone = len(texts.keys() - set(index.texts)), len(set(index.texts) - texts.keys())
                raise KitError(
                    f"expected the texts of {options.corpus} in the index {folder}, but {new:,} of its {len(texts):,} "
                    f"are not there, and {gone:,} of the index are not in the file: leave the file out to search the "
                    "index as it is, or delete the folder (or name another) to build one anew."
                )
            index.attributes["row"] = [texts[text] for text in index.texts]  # they may stand in other rows by now
        said = f"Loaded {index} from {folder}."
    elif options.corpus is None:
        raise KitError("expected a file of texts or --index with an index that is there, got neither: give one.")
    else:
        if folder is not None:
            check_index_folder(folder)
        texts = corpus_texts(options.corpus, None if options.quiet else _tell, **reading(options))
        index = Index.build(encoder, list(texts), {"row": list(texts.values())}, progress=not options.quiet)
        said = f"Indexed {len(index):,} texts of {options.corpus}."
        if folder is not None:
            said += f" Saved to {index.save(folder)}."
    if not options.quiet:
        _tell(f"{line}\n{said}")
    return index


def _tell(said: str) -> None:
    print(printable(said), file=sys.stderr)


def _typed() -> Iterator[str]:
    """Every line of the input that is not blank. Errors: `KitError`, at the end, for lines that are no text."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # a byte that is no text spoils its own line alone
    asked, spoilt = sys.stdin.isatty(), []
    for number in itertools.count(1):
        if asked:
            print("search: ", end="", file=sys.stderr, flush=True)
        if not (line := sys.stdin.readline()):
            break
        if re.search(r"[\ud800-\udfff]", line):
            spoilt.append(number)
            print(f"kit: line {number} of the input is not text in {sys.stdin.encoding}.", file=sys.stderr)
        elif not is_blank(line):
            yield line.strip()
    if spoilt:
        raise KitError(
            f"expected queries as text in {sys.stdin.encoding}, but {these('line', spoilt)} of the input cannot be "
            "read so: convert the input."
        )


def _plain(hit: Hit) -> dict:
    """A hit as JSON, with what the index knows about it: of a file, the row in which the text stands first."""
    own = {"id": hit.id, "text": hit.text, "score": round(hit.score, 6)}
    return {**own, "about": hit.about} if hit.about.keys() & own.keys() else {**hit.about, **own}
