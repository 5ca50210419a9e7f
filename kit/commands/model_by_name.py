"""Where the files of a model lie that is named, not a folder: in the mirror, or in the cache of the Hub."""

from __future__ import annotations

import warnings
from pathlib import Path

from kit.checks.encoder_parts import MODULES
from kit.data.hub import first_line
from kit.data.sources import mirror_root
from kit.encoder.find import find_model
from kit.errors import KitError, KitWarning

# What a model of sentence-transformers is read from: neither pickles nor the copies for other libraries.
READ, NOT_READ = ["*.json", "*.txt", "*.model", "*.safetensors"], ["onnx/*", "openvino/*"]


def find_by_name(name: str) -> Path | None:
    """The folder of a named model; None for one of the Hub without modules, which `load_encoder` fetches.

    A model of the Hub that has modules is fetched whole. Errors: `KitError` as `find_model` raises it, and for a name
    that another encoder would stand in for. A warning where the Hub's cache does not tell whether there are modules.
    """
    root = mirror_root()
    if root and (mirrored := root / "models" / name.replace("/", "__")).is_dir():
        return mirrored  # `find_model` would ask for config.json, which may lie in the folder of a module
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* stands in for it", KitWarning)  # none does, see below
        source = find_model(name)
    if source.tier == "hub":
        return _fetched(name)
    if source.tier == "cache" or source.is_fallback:
        from huggingface_hub import try_to_load_from_cache

        known = try_to_load_from_cache(name, MODULES)  # a path; None where it was never asked for
        if isinstance(known, str):
            return Path(known).parent
        if source.is_fallback:
            raise KitError(
                f"expected the encoder {name}, but it is not on this machine and the Hub could not be reached: "
                "give a folder, or try again with a network."
            )
        if known is None and not Path(source.location, "kit.json").exists():
            warnings.warn(
                f"the Hub's cache on this machine does not tell whether {name} is a model of sentence-transformers, "
                "whose pooling and length may be others than the usual ones taken here: load it once with a network.",
                KitWarning,
                stacklevel=4,
            )
    return Path(source.location)


def _fetched(name: str) -> Path | None:
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        hf_hub_download(name, MODULES)
        return Path(snapshot_download(name, allow_patterns=READ, ignore_patterns=NOT_READ))
    except Exception as error:  # the client has a type for every status, and those of its transport
        if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
            return None  # no modules, which the cache now knows
        raise KitError(f"expected {name} on the Hub, but: {first_line(error)}. Check the name.") from error
