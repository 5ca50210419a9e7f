"""Folders that sentence-transformers wrote: the usual ones are read here, the others by that library."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from kit.checks.argument_checks import check_kind, is_list
from kit.checks.encoder_parts import MODULES, SETTINGS, UnlikeBert, check_finite, is_of_modules, longest_input
from kit.checks.foreign_code import read_settings, refuse_foreign_code
from kit.commands.model_by_name import find_by_name
from kit.commands.prompts import NO_PROMPTS, Prompted, prompts_in, prompts_of, sentence, with_prompts
from kit.data.hub import first_line
from kit.encoder import POOLINGS, Encoder, load_encoder
from kit.errors import KitError, KitWarning, shown
from kit.number_checks import whole_number
from kit.sharing.cut_vectors import CutEncoder, cut_of
from kit.storage.replace_folder import content_of
from kit.training.device import pick_device

WEIGHTS = "model.safetensors"
VECTORS = "SentenceTransformer"  # the model_type of those that give a vector for a sentence
USUAL = (("Transformer", "Pooling"), ("Transformer", "Pooling", "Normalize"))


class Normalized:
    """An encoder whose vectors have length 1, as the module Normalize makes them."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.source, self.dim = encoder, encoder.source, encoder.dim

    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> Any:
        """float32 [n, dim], each of length 1."""
        import torch

        return torch.nn.functional.normalize(self.encoder.encode(sentences, batch_size, progress), dim=1)


def load_saved(path: str, device: str | None = None) -> tuple[Any, str]:
    """(encoder, one line on it) of a name, a model folder, or the folder of a run that holds one.

    device: None for CUDA where there is a GPU, else the CPU. Errors: as `load_any`.
    """
    return load_any(encoder_of_run(path), str(pick_device(device)))


def encoder_of_run(path: str) -> str:
    """The folder of the encoder inside the folder of a run; any other name or folder as it is."""
    inside = Path(path).expanduser() / "encoder"
    return str(inside) if (inside / "config.json").is_file() else path


def load_any(name: str, device: str = "cpu") -> tuple[Any, str]:
    """(an encoder, one sentence on what it is) for a name or a folder of any of the three kinds.

    A folder of the kit has kit.json; one of sentence-transformers has modules.json; a plain
    transformers folder gets mean pooling. Raises KitError as `load_encoder` does, for a name
    that another encoder would stand in for, and for modules that neither the kit nor an
    installed sentence-transformers can run.
    """
    own = content_of(Path(name).expanduser().absolute())
    folder = own if own.is_dir() else find_by_name(name)
    if folder is not None and is_of_modules(folder):
        return _from_modules(folder, device, folder.resolve().name if folder == own else name)
    prompts = NO_PROMPTS if folder is None or not (folder / MODULES).is_file() else prompts_in(folder)
    # With the pooling named, load_encoder does not warn that it leaves the prompts out.
    pooling = read_settings(folder / "kit.json").get("pooling") if any(prompts) else None
    encoder = load_encoder(name, pooling=pooling, device=device)
    line = f"{encoder.source.summary()} Pooling {encoder.pooling}, at most {encoder.max_length} word pieces."
    return with_prompts(encoder, prompts), f"{line} {sentence(prompts)}".strip()


def prompts_to_train_with(name: str) -> tuple[tuple[str, str], str]:
    """(the prompts of a name or a folder, "" or why a training cannot use them). Errors: `KitError` for damaged files.

    Two ways with prompts are sentence-transformers' alone: one before every text, and a pooling that leaves them out.
    """
    own = content_of(Path(name).expanduser().absolute())
    try:
        folder = own if own.is_dir() else find_by_name(name)
    except KitError:  # `load_encoder` says so, or what stands in for it, which has none
        return NO_PROMPTS, ""
    if folder is None or not (folder / MODULES).is_file() or not (folder / SETTINGS).is_file():
        return NO_PROMPTS, ""
    prompts = prompts_in(folder)
    if read_settings(folder / SETTINGS).get("default_prompt_name"):
        return prompts, "it has one that stands before every text"
    configs = [folder / str(part.get("path", "")) / "config.json" for part in read_settings(folder / MODULES, list)]
    if any(prompts) and not all(read_settings(one).get("include_prompt", True) for one in configs if one.is_file()):
        return prompts, "its pooling leaves their word pieces out"
    return prompts, ""


def _from_modules(folder: Path, device: str, name: str) -> tuple[Any, str]:
    parts = read_settings(folder / MODULES, list)
    for part in parts:
        check_kind(f"the type of a module in {folder / MODULES}", part.get("type"), "str")
        check_kind(f"the path of a module in {folder / MODULES}", part.get("path"), "Path")
    modules = [(part["type"].rpartition(".")[2], folder / part["path"]) for part in parts]
    if not modules:
        raise KitError(f"expected modules in {folder / MODULES}, got none: copy the model again.")
    _refuse_foreign_modules(folder, [path for _, path in modules])
    kinds = tuple(kind for kind, _ in modules)
    if (dim := cut_of(folder)) is not None:
        cut = CutEncoder(load_encoder(modules[0][1], device=device), dim)
        cut.source = replace(cut.source, name=name, asked=name)  # not that of the folder inside
        line = f"Encoder: the folder {folder}, pooling {cut.pooling}, cut to {dim} dimensions, at length 1."
        prompts = prompts_in(folder)
        return with_prompts(cut, prompts), f"{line} {sentence(prompts)}".strip()
    pooling = _pooling(modules[1][1]) if kinds in USUAL else None
    about = folder / SETTINGS
    settings = read_settings(about) if about.exists() else {}
    if (kind := settings.get("model_type") or VECTORS) != VECTORS:  # it would convert others, not run them
        raise KitError(
            f"expected a model with one dense vector for a sentence in {folder}, but {about.name} calls it "
            f"{shown(kind)}: take a {VECTORS}."
        )
    _warn_of_similarity(folder, settings.get("similarity_fn_name"), normalized="Normalize" in kinds)
    prompts = prompts_of(settings)
    left_out = any(prompts) and not read_settings(modules[1][1] / "config.json").get("include_prompt", True)
    if pooling is None or left_out or not _plain(modules[0][1], settings):
        return _by_the_library(folder, kinds, device)
    positions = read_settings(modules[0][1] / "config.json").get("max_position_embeddings", 512)
    whole_number(f"max_position_embeddings of {modules[0][1]}", positions, 1, "copy the model again")
    try:
        encoder = load_encoder(modules[0][1], pooling=pooling, device=device)
    except UnlikeBert:
        return _by_the_library(folder, kinds, device)
    encoder.max_length = _max_length(modules[0][1], longest_input(encoder.bert))
    encoder.source = replace(encoder.source, name=name, asked=name)
    normalized = "Normalize" in kinds
    line = (
        f"Encoder: the sentence-transformers folder {folder}, pooling {pooling}, at most {encoder.max_length} "
        f"word pieces{', normalised' if normalized else ''}"
    )
    encoder = Normalized(encoder) if normalized else encoder
    if not any(prompts):
        return encoder, f"{line}."
    return Prompted(encoder, *prompts), f"{line}, queries after {prompts[0]!r} and documents after {prompts[1]!r}."


def _warn_of_similarity(folder: Path, similarity: Any, normalized: bool) -> None:
    """Warn where a model is made for another similarity than the cosine, unless its vectors have length 1."""
    if similarity not in (None, "cosine") and not normalized:  # at length 1 all of that library's rank alike
        warnings.warn(
            f"{folder} is a model for {shown(similarity)} as the similarity, but wherever the kit ranks or searches, "
            "it compares by cosine: the order, and so the figures, may differ from those of sentence-transformers.",
            KitWarning,
            stacklevel=4,
        )


# Settings whose value sentence-transformers imports and calls, and where each may come from.
IMPORTED = {"type": "sentence_transformers.", "types": "sentence_transformers.", "activation_function": "torch.nn."}
IMPORTED["tokenizer_class"] = "sentence_transformers."


def _refuse_foreign_modules(folder: Path, modules: list[Path]) -> None:
    """Raises KitError for a module, class or activation from elsewhere, a pickle, and a module outside of `folder`."""
    for module in modules:
        if not module.resolve().is_relative_to(folder.resolve()):
            raise KitError(
                f"expected every module inside {folder}, but {MODULES} leads to {module}: copy the model anew."
            )
        refuse_foreign_code(module)
        pickled = [*module.glob("*.bin"), *module.glob("*.pt"), *module.glob("*.pkl")]
        if pickled and not (module / WEIGHTS).is_file():  # that file alone is read before a pickle
            raise KitError(
                f"expected safetensors weights in {module}, but it has {pickled[0].name}: save the model again with "
                "safe_serialization=True (pickled weights are not loaded)."
            )
    for file in (folder / MODULES, *(file for module in modules for file in module.rglob("*config*.json"))):
        settings = read_settings(file, object)
        of_transformers = (isinstance(settings, dict) and "model_type" in settings) or file.name.startswith(
            "tokenizer_"
        )
        foreign = [] if of_transformers else _foreign(settings)
        if foreign:
            raise KitError(
                f"expected modules and activations of sentence-transformers and torch in {folder}, but {file.name} "
                f"names {foreign[0]!r}: no code from elsewhere is run, so take a model without it."
            )


def _foreign(settings: Any, key: str = "") -> list[str]:
    """The values below settings named in IMPORTED that do not come from where they may."""
    if isinstance(settings, dict):
        return [f for name, value in settings.items() for f in _foreign(value, key if key == "types" else name)]
    if isinstance(settings, list):
        return [f for value in settings for f in _foreign(value, key)]
    return [settings] if isinstance(settings, str) and not settings.startswith(IMPORTED.get(key, "")) else []


def _plain(transformer: Path, settings: dict) -> bool:
    """Whether sentences go in as they are and vectors come out so: no prompt before each, no second lower-casing, no
    dimensions cut off.
    """
    noted = read_settings(transformer / "sentence_bert_config.json")
    task = noted.get("transformer_task", "feature-extraction")
    changed = settings.get("default_prompt_name") or noted.get("do_lower_case") or settings.get("truncate_dim")
    return not changed and task == "feature-extraction"


def _max_length(transformer: Path, longest: int) -> int:
    """Word pieces of a sentence: as older versions note it, else as the tokenizer does; at most the longest input."""
    noted = read_settings(transformer / "sentence_bert_config.json").get("max_seq_length")
    tokenizer = transformer / "tokenizer_config.json"
    if noted is None and tokenizer.exists():
        noted = read_settings(tokenizer).get("model_max_length")
    if noted is None:
        return longest
    return min(whole_number(f"max_seq_length of {transformer}", noted, 3, "copy the model again"), longest)


def _pooling(folder: Path) -> str | None:
    """The one pooling that the kit has too; None for others and for several side by side."""
    config = read_settings(folder / "config.json")
    modes = config.get("pooling_mode")  # newer versions; the older ones have a switch for each
    if modes is None:
        modes = [
            key.removeprefix("pooling_mode_").removesuffix("_token").removesuffix("_tokens")
            for key, on in config.items()
            if key.startswith("pooling_mode_") and on
        ]
    modes = [modes] if isinstance(modes, str) else modes
    if not is_list(modes) or not modes:
        raise KitError(f"expected a pooling in {folder / 'config.json'}, got {shown(modes)}: copy the model again.")
    return modes[0] if len(modes) == 1 and modes[0] in POOLINGS else None


def _by_the_library(folder: Path, kinds: tuple[str, ...], device: str) -> tuple[Any, str]:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise KitError(
            f"expected modules that the kit can run in {folder}, but it has {', '.join(kinds)}: install "
            "sentence-transformers to evaluate it."
        ) from error
    try:
        model = SentenceTransformer(
            str(folder), device=device, model_kwargs={"use_safetensors": True}, trust_remote_code=False
        )
    except Exception as error:  # every module of that library has errors of its own
        raise KitError(
            f"expected {folder} to load with sentence-transformers, but it said: {first_line(error)}. Check that the "
            "copy is complete."
        ) from error
    check_finite(model, folder)
    return model, f"Encoder: the folder {folder}, run by sentence-transformers ({', '.join(kinds)})."
