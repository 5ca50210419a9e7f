"""Nothing in a model's folder is run: what asks for Python of its own is refused before anything is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.errors import KitError


def refuse_foreign_code(folder: Path) -> None:
    """Raises KitError where the model or its tokenizer asks for Python of its own, or for an unknown class."""
    import transformers

    for file in (folder / "config.json", folder / "tokenizer_config.json"):
        settings = read_settings(file) if file.exists() else {}
        tokenizer = str(settings.get("tokenizer_class") or "BertTokenizer")
        if own := settings.keys() & {"auto_map", "custom_pipelines"}:
            asks = f"asks for Python code of the model's own ({min(own)})"
        elif not any(hasattr(transformers, tokenizer + fast) for fast in ("", "Fast")):
            asks = f"asks for the tokenizer class {tokenizer!r}, which transformers does not have"
        else:
            continue
        raise KitError(
            f"expected a model that transformers runs by itself, but {file} {asks}: "
            "no code from a model's folder is run here, so take a model without it."
        )


def read_settings(file: Path, kind: type = dict) -> Any:
    """The content of a JSON file that must hold a dict (or list) of settings. Errors: `KitError` where it does not."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise KitError(
            f"expected JSON in {file}, but it is damaged or cannot be read ({error}): copy the model again."
        ) from error
    if not isinstance(content, kind) or not all(isinstance(part, dict) for part in (content if kind is list else ())):
        raise KitError(
            f"expected a {kind.__name__} of settings in {file}, but it holds something else: copy the model again."
        )
    return content
