"""`kit look FILE`: what is in a file of one's own before anything is trained, and which recipes fit it."""

from __future__ import annotations

import argparse
import json
import sys

from kit.commands.own_arguments import reading
from kit.commands.sentence_transformers_folder import encoder_of_run
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.owndata import look, read, suggest
from kit.storage.atomic import write_atomically


def look_at(options: argparse.Namespace) -> None:
    """Print what `look` and `suggest` say, or with --json both as JSON; --out keeps the picture of the lengths."""
    if options.out is not None and options.out.suffix != ".html":
        raise KitError(f"expected --out as a file .html, got {options.out.name!r}: a browser shows it.")
    data = read(options.data, **reading(options))
    encoder = load_encoder(encoder_of_run(options.encoder), max_length=options.max_length)
    if not options.json:
        print(f"Looking at {len(data):,} rows …", file=sys.stderr)
    found = look(data, encoder, meaning=options.meaning, progress=not options.json)
    if options.out is not None:
        write_atomically(options.out, found.figure().figure.to_html(include_plotlyjs=True))
    if options.json:
        print(json.dumps({**found.as_dict(), **suggest(data).as_dict()}))
        return
    print(found, "", "Recipes that fit:", suggest(data), sep="\n")
