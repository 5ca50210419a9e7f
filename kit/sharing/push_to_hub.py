"""Push an exported folder to the Hub, with the user's own token and nobody else's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kit.checks.argument_checks import checked
from kit.data.hub import first_line
from kit.errors import KitError, shown

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
# As the client reads them: a * takes slashes as well, so those that begin with one hold at every depth.
NEVER = (
    *("*.pt", "*.pth", "*.bin", "*.pkl", "*.pickle", "*.dill", "*.joblib", "*.ckpt", "*.lock"),
    *("checkpoints/*", "*/checkpoints/*", "step-*", "*/step-*", ".*", "*/.*"),
)


@checked
def push(folder: Path | str, name: str, private: bool = True, token: str | None = None) -> str:
    """Upload an exported encoder to `name` ("you/model") on the Hub; returns its address there.

    token: your own; left out, the one that `hf auth login` or HF_TOKEN gives. A new repository is private unless said
    otherwise. Pickles, checkpoints and hidden files stay here. Errors: `KitError` for a folder without an encoder and a
    card or with a link in it, a name of another form, no token, and whatever the Hub refuses. Lesson 13.
    """
    folder = Path(folder).expanduser()
    if not any((folder / name).is_file() for name in ("config.json", "modules.json", "onnx.json")):
        raise KitError(f"expected a folder with an exported encoder, got {folder}: kit export writes one.")
    if not (folder / "README.md").is_file():
        raise KitError(
            f"expected a card (README.md) in {folder}, got none: kit export writes one; say what the model is."
        )
    if link := next((path for path in folder.rglob("*") if path.is_symlink()), None):
        raise KitError(
            f"expected {folder} without links, but {link.relative_to(folder)} leads to {link.readlink()}, which would "
            "be uploaded in its place, whatever it is: put a copy there, or delete the link."
        )
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise KitError(
            f"expected a name on the Hub such as 'you/model', got {shown(name)}: letters, digits, - . and _."
        )
    api = _api(token)
    try:
        address = api.create_repo(name, private=private, exist_ok=True, repo_type="model")
        api.upload_folder(
            repo_id=name, folder_path=str(folder), repo_type="model", ignore_patterns=list(NEVER),
            commit_message="Upload of an exported encoder",
        )  # fmt: skip
    except Exception as error:  # the client has a type for every status, and those of its transport
        raise KitError(
            f"expected the Hub to take {name}, but it said: {first_line(error)}. Check the name, the rights of the "
            "token and the network."
        ) from error
    return str(address)


def _api(token: str | None) -> Any:
    from huggingface_hub import HfApi, get_token

    own = token or get_token()
    if not own:
        raise KitError(
            "expected your own token for the Hub, got none: run `hf auth login`, or set HF_TOKEN; a token with the "
            "right to write comes from the settings of your account."
        )
    return HfApi(token=own)
