"""Find a model: in a folder, the local mirror, the kit's bundle, or on the Hub."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from pathlib import Path

from kit.data.hub import hub_problem
from kit.data.sources import mirror_root
from kit.errors import KitError, KitWarning, shown, unknown_name
from kit.paths import bundle
from kit.storage.replace_folder import content_of

DEFAULT = "kit-bert-tiny"
# Compact BERTs by Google on the Hub (Turc et al. 2019), the family the papers use.
HUB_FAMILY = (
    "google/bert_uncased_L-2_H-128_A-2",
    "google/bert_uncased_L-4_H-256_A-4",
    "google/bert_uncased_L-8_H-512_A-8",
    "bert-base-uncased",
)


@dataclass(frozen=True)
class ModelSource:
    """Which model is in use and where it was found.

    tier: "path", "mirror", "bundle", "hub", or "cache", the Hub's on this machine; `asked` is the name that was asked
    for, which differs from `name` if the bundled encoder stands in for it.
    """

    name: str
    tier: str
    location: str
    asked: str

    @property
    def is_fallback(self) -> bool:
        return self.asked != self.name

    def summary(self) -> str:
        """Which encoder it is and where it was found, in one line."""
        where = {
            "path": f"from the folder {self.location}",
            "bundle": "bundled with the kit",
            "mirror": "from the local mirror (KIT_DATA)",
            "hub": "from the Hugging Face Hub",
            "cache": "from the Hub's cache on this machine",
        }
        stand_in = f", standing in for {self.asked}" if self.is_fallback else ""
        return f"Encoder: {self.name}, {where[self.tier]}{stand_in}."


def bundled_models() -> list[str]:
    """Names of the encoders that travel with the kit."""
    folder = bundle("models")
    return sorted(p.name for p in folder.iterdir() if (p / "config.json").exists()) if folder.is_dir() else []


def find_model(name: str | Path = DEFAULT) -> ModelSource:
    """Find `name` as a folder, then in KIT_DATA/models, then in the bundle, then on the Hub.

    Without a network a whole copy in the Hub's cache is taken, else the bundled encoder stands in, with a warning.
    Errors: `KitError` for an unknown name, with similar names, a missing folder, and a KIT_DATA that cannot be used.
    """
    if not isinstance(name, str | Path):
        raise KitError(f"expected name_or_path as text or a path, got {shown(name)}: give a name such as {DEFAULT}.")
    text = str(name)
    if (folder := content_of(path := Path(text).expanduser().absolute())).is_dir():
        name = (path.parent if path.name == "encoder" else path).name  # what a run saves is called like the run
        return ModelSource(name, "path", _checked(folder), name)
    if (root := mirror_root()) and (mirrored := root / "models" / text.replace("/", "__")).is_dir():
        return ModelSource(text, "mirror", _checked(mirrored), text)
    if text in bundled_models():
        return ModelSource(text, "bundle", str(bundle("models", text)), text)
    is_path = isinstance(name, Path) or text.startswith((".", "/", "~")) or text.count("/") > 1
    if is_path or Path(text).is_file() or ("/" in text and Path(text).parent.is_dir()):
        what = "this is a file" if Path(text).expanduser().exists() else "there is no such folder"
        raise KitError(
            f"expected a model folder at {text}, but {what}: check the path, or give a name "
            f"such as {DEFAULT} or {HUB_FAMILY[0]}."
        )
    if "/" not in text and text not in HUB_FAMILY:
        raise unknown_name("encoder (or folder)", text, [*bundled_models(), *HUB_FAMILY])
    if not (problem := hub_problem()):
        return ModelSource(text, "hub", text, text)
    from huggingface_hub import try_to_load_from_cache

    with contextlib.suppress(KitError, TypeError, ValueError):  # it is not whole; not there; no name on the Hub
        return ModelSource(text, "cache", _checked(Path(try_to_load_from_cache(text, "config.json")).parent), text)
    warnings.warn(
        KitWarning(
            f"{text} is not on this machine and the Hub could not be reached ({problem}): "
            f"the bundled {DEFAULT} stands in for it."
        ),
        stacklevel=4,
    )
    return ModelSource(DEFAULT, "bundle", str(bundle("models", DEFAULT)), text)


def _checked(folder: Path) -> str:
    """The folder as a string, if it looks like a model saved by transformers."""
    if not (folder / "config.json").exists():
        raise KitError(
            f"expected a model folder with config.json and model.safetensors, but {folder} "
            "has no config.json: give the folder that `save` wrote."
        )
    if not (folder / "model.safetensors").exists():
        raise KitError(
            f"expected safetensors weights, but {folder} has no model.safetensors: "
            "re-save the model with save_pretrained(folder) (pickled weights are not loaded)."
        )
    # Without a vocabulary transformers makes an empty one: every word would be [UNK].
    if not any(found for kind in ("tokenizer.json", "vocab.*", "*.model") for found in folder.glob(kind)):
        raise KitError(
            f"expected a vocabulary (tokenizer.json or vocab.txt), but {folder} has none: "
            "copy the tokenizer's files into it."
        )
    return str(folder)
