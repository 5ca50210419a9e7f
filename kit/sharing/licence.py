"""The licence of the bundled weights goes with whatever begins from them: what a card says of it."""

from __future__ import annotations

import re
from pathlib import Path

from kit.encoder.find import ModelSource, bundled_models

LICENCE = "cc-by-sa-4.0"  # of data/models and data/trained, as LICENSE says
ATTRIBUTION = (
    "It begins from {base}, an encoder by the Pull·Push authors under "
    "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/): whoever passes it on, changed or not, names "
    "them and keeps this licence."
)
# How cards of a run have always noted its encoder, see `ModelSource.summary`.
NOTED = re.compile(
    r"^\| encoder \| Encoder: ([\w.-]+?)(?: with random weights .*)?, bundled with the kit", re.MULTILINE
)


def base_of(source: ModelSource | None, training: str = "") -> str:
    """The bundled encoder from which one begins, by where it was loaded or by the card of its training; "" for none.

    Of an encoder from a folder the card there knows it. With random weights it still has the bundled vocabulary.
    """
    if source is not None and source.tier == "bundle":
        name = re.sub(r" with random weights .*", "", source.name)
        return name if name in bundled_models() else ""
    is_folder = source is not None and source.tier != "hub"
    return base_in(training) or (base_in(_card_in(Path(source.location))) if is_folder else "")


def base_in(card: str) -> str:
    """The bundled encoder that a card names with its licence, as what it is of or what that begins from."""
    head = card.split("\n---\n")[0] if card.startswith("---\n") else ""
    if f"\nlicense: {LICENCE}" in head:
        title = re.search(r"^# (.+)$", card, re.MULTILINE)
        noted = re.search(r"^base_model: (.+)$", head, re.MULTILINE)
    else:
        title, noted = None, NOTED.search(card)
    known = bundled_models()
    return next((found[1] for found in (noted, title) if found and found[1] in known), "")


def in_head(base: str) -> str:
    """Lines for the YAML of a card; nothing where the encoder begins from somebody else's, whose licence is unknown."""
    return f"license: {LICENCE}\nbase_model: {base}\n" if base else ""


def in_text(base: str) -> str:
    """A section of a card, or nothing."""
    return f"## Licence\n\n{ATTRIBUTION.format(base=base)}\n" if base else ""


def _card_in(folder: Path) -> str:
    """README.md of a model; of one with cut vectors it lies above the whole one (`kit.sharing.cut_vectors`)."""
    places = (folder, folder.parent) if folder.name == "0_Transformer" else (folder,)
    file = next((file for place in places if (file := place / "README.md").is_file()), None)
    return file.read_text("utf-8", errors="replace") if file else ""
