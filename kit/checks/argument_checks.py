"""What a public function is given must be of the kind that its signature says: one check for all of them.

    @checked
    def mnrl(anchors: Tensor, temperature: float = 0.05): ...

    mnrl([1, 2])    expected anchors as a tensor, got a list: make it one with torch.as_tensor.

The annotations are read as they are written (as text), so that nothing is imported for a check.
"""

from __future__ import annotations

import errno
import functools
import inspect
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kit.errors import KitError, shown
from kit.number_checks import is_finite, is_whole

AnyFunction = TypeVar("AnyFunction", bound=Callable)


def is_list(value: object) -> bool:
    """Whether `value` is iterable in an order of its own: no text, dict, set or data frame (it gives columns)."""
    alone = isinstance(value, str | bytes | Mapping | AbstractSet) or hasattr(value, "columns")
    return not alone and isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def is_flag(value: object) -> bool:
    """Whether `value` is True or False, NumPy's too."""
    return type(value).__name__ in ("bool", "bool_")


def is_key(value: object) -> bool:
    """Whether `value` can be told from others, as a text or a number can."""
    try:
        hash(value)
    except TypeError:
        return False
    return not getattr(value, "shape", ())  # rows of a tensor are never equal


# In no name of a file. \udc80 to \udcff stand for bytes of a name that are no UTF-8.
UNNAMABLE = re.compile(r"\0|[\ud800-\udc7f\udd00-\udfff]")
TOO_LONG = re.compile(r"[^/]{256}|.{4096}")  # for most file systems


def _is_path(value: object) -> bool:
    """Text that can name a file: without NUL or half of a character, and no part longer than file systems take."""
    return isinstance(value, str | os.PathLike) and not (UNNAMABLE.search(str(value)) or TOO_LONG.search(str(value)))


class Kind(NamedTuple):
    """A kind of values: whether one is of it, what it is called, and what to do where another came."""

    holds: Callable[[Any], bool]
    called: str
    remedy: str


def _named(name: str, called: str, remedy: str) -> Kind:
    """A class by its name, so that no check imports it."""
    return Kind(lambda value: name in [cls.__name__ for cls in type(value).__mro__], called, remedy)


def _is_sequence(value: object) -> bool:
    return is_list(value) and hasattr(value, "__len__")


def _is_tensor(value: object) -> bool:
    return "Tensor" in [cls.__name__ for cls in type(value).__mro__] and value.ndim > 0


_LIST = Kind(is_list, "a list", "put it in a list, or give a list of such values")
_DICT = Kind(lambda value: isinstance(value, Mapping), "a dict", "give {name: value}")
KINDS = {  # annotation → its kind
    "None": Kind(lambda value: value is None, "None", ""),
    "int": Kind(lambda value: is_whole(value), "a whole number", "give one of at most 18 digits"),
    "float": Kind(lambda value: is_finite(value), "a number", "give a finite one"),
    "bool": Kind(is_flag, "True or False", "give one of them"),
    "str": Kind(lambda value: isinstance(value, str), "text", "give a string"),
    "Path": Kind(_is_path, "a path", "give text or a pathlib.Path"),
    "Callable": Kind(callable, "a function", "give something that can be called"),
    **{"Mapping": _DICT, "dict": _DICT},
    "Collection": Kind(
        lambda value: is_list(value) or isinstance(value, AbstractSet | Mapping),
        "a list, set or dict",
        "put it in a list",
    ),
    **{"Iterable": _LIST, **dict.fromkeys(("list", "Sequence", "tuple"), _LIST._replace(holds=_is_sequence))},
    "Tensor": Kind(_is_tensor, "a tensor with rows", "make it one with torch.as_tensor"),
    "Relations": _named("Relations", "Relations", "functions such as mnrl_relations make them"),
    "AnyRelations": Kind(
        lambda value: hasattr(value, "ignore_duplicates"), "Relations", "functions such as mnrl_relations make them"
    ),
    "Recipe": _named("Recipe", "a Recipe", "recipe(name) makes one"),
    "Encoder": _named("Encoder", "an Encoder", "load_encoder(name) makes one"),
    "CutEncoder": _named("CutEncoder", "a CutEncoder", "CutEncoder(encoder, dim) makes one"),
    "Table": _named("Table", "a Table", "load(name) makes one"),
    "StsReport": _named("StsReport", "an StsReport", "evaluate_sts makes one"),
    "OwnData": _named("OwnData", "OwnData", "kit.owndata.read makes them"),
    "Index": _named("Index", "an Index", "Index.build makes one"),
    "RetrievalTask": _named("RetrievalTask", "a RetrievalTask", "retrieval_task and task_from_pairs make one"),
    "RetrievalReport": _named("RetrievalReport", "a RetrievalReport", "evaluate_retrieval makes one"),
}
LATER = {"int", "float", "str", "Path"}
OF_KEYS = "[Hashable]"
OF_TEXT = re.compile(r"(?:Sequence|Iterable|list|tuple)\[str(?:, \.\.\.)?\]")
MADE = {"int": operator.index, "bool": bool}  # NumPy's numbers and flags become Python's


def checked(function: AnyFunction) -> AnyFunction:
    """`function`, which raises KitError where an argument is not of the kind of its annotation.

    Known are `KINDS`, also in a union; another annotation, or none, lets everything pass. What `function` checks
    itself, it says itself: of numbers, text and paths only a `seed` (which counts from 0) is looked at before the
    call, the others where Python raises an error, and so are the texts in a list of them. Whole numbers and flags of
    NumPy become Python's. A file or folder that the system does not open is a KitError too.
    """
    plain = inspect.unwrap(function)
    kinds = {name: _parts(text) for name, text in plain.__annotations__.items() if name != "return"}
    kinds = {name: parts for name, parts in kinds.items() if KINDS.keys() >= set(parts)}
    names = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    later = {name for name, parts in kinds.items() if LATER & set(parts) and name != "seed"}
    keys = {name for name in kinds if OF_KEYS in plain.__annotations__[name]}
    paths = {name for name, parts in kinds.items() if "Path" in parts}
    texts = {name for name in kinds if OF_TEXT.search(plain.__annotations__[name])}

    @functools.wraps(function)
    def refusing(*given, **named):
        given = [*map(of_kind, names, given), *given[len(names) :]]
        named = {name: of_kind(name, value) for name, value in named.items()}
        try:
            return function(*given, **named)
        except (TypeError, AttributeError, ValueError, LookupError, OverflowError, OSError, RuntimeError) as error:
            arguments = {**dict(zip(names, given)), **named}
            if not isinstance(error, KitError):
                for name, value in arguments.items():
                    of_kind(name, value, at_last=True)
            if isinstance(error, UnicodeEncodeError):
                _refuse_half_characters(arguments)
            if told := closed_to_us(error) or closed_place(arguments[name] for name in paths & arguments.keys()):
                raise told from error
            raise

    def of_kind(name: str, value: Any, at_last: bool = False) -> Any:
        for kind in kinds.get(name, ()):
            if KINDS[kind].holds(value) and (name != "seed" or _is_seed(value)):
                if at_last and name in texts and is_list(value):
                    check_texts(name, value)
                if at_last and name in keys and not all(map(is_key, value)):
                    raise KitError(f"expected {name} as a list of texts or numbers, got lists in {shown(value)}.")
                return MADE[kind](value) if kind in MADE else value
        if name not in kinds or (name in later and not at_last):
            return value
        raise _refusal(name, kinds[name], value)

    return refusing


def closed_to_us(error: Exception) -> KitError | None:
    """In one sentence, why the system does not follow a path; None where `error` is about something else.

    It lets nobody in, knows no home of its ~, a link in it leads back to itself, or a name is too long.
    """
    if isinstance(error, PermissionError) and error.filename is not None:
        return KitError(
            f"expected {error.filename} to be open to you, but the system said '{error.strerror}': choose another "
            "place, or change who may use it."
        )
    if isinstance(error, RuntimeError) and "home directory" in str(error):
        return KitError("expected ~ in a path to be somebody's home folder, but there is none: write the path out.")
    number, place = getattr(error, "errno", None), getattr(error, "filename", None)
    from_python = re.match(r"Symlink loop from '?(.*?)'?$", str(error)) if isinstance(error, RuntimeError) else None
    if from_python or (number == errno.ELOOP and place is not None):  # `Path.resolve` has its own until Python 3.12
        link = from_python[1] if from_python else os.fsdecode(place)
        return KitError(f"expected {link} to lead to a place, but its link leads back to itself: mend or delete it.")
    if number == errno.ENAMETOOLONG:
        name = max(Path(os.fsdecode(place or "")).parts, key=len, default="")
        return KitError(
            f"expected the name of a file, folder or encoder, but {shown(name)} is too long: give a shorter one."
        )
    return None


def _refuse_half_characters(arguments: Mapping[str, Any]) -> None:
    """Raises KitError for the first text that no file can hold."""
    for name, value in arguments.items():
        if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
            raise KitError(
                f"expected {name} as text, but it holds half of a character ({shown(value)}): read it with the "
                "encoding that it was written in."
            )


def in_words(problem: Exception) -> str:
    """A `KitError` in its own words, any other with its kind before them."""
    return str(problem) if isinstance(problem, KitError) else f"{type(problem).__name__}: {problem}"


def closed_place(paths: Iterable) -> KitError | None:
    """`closed_to_us` of the first path that is: `Path.is_file` says of most of them that nothing is there."""
    for path in paths:
        try:
            os.stat(os.path.expanduser(path))
        except OSError as error:
            if told := closed_to_us(error):
                return told
        except (TypeError, ValueError):
            continue
    return None


def check_kind(name: str, value: Any, *kinds: str) -> None:
    """Raises KitError unless `value` is of one of these `KINDS`: what `checked` says, and always at once."""
    if not any(KINDS[kind].holds(value) for kind in kinds):
        raise _refusal(name, kinds, value)


def _refusal(name: str, kinds: Iterable[str], value: Any) -> KitError:
    first, *others = (KINDS[kind] for kind in kinds if kind != "None")
    wanted = " or ".join(dict.fromkeys(kind.called for kind in (first, *others)))
    if name == "seed":
        wanted = wanted.replace("number", "number from 0")
    remedy = first.remedy
    if "Path" in kinds and isinstance(value, str | os.PathLike):
        named = UNNAMABLE.search(str(value))
        remedy = "it holds what no file name can, take that out" if named else "it is too long, give a shorter name"
    return KitError(f"expected {name} as {wanted}, got {shown(value)}: {remedy}.")


def check_texts(name: str, values: Iterable) -> list[str]:
    """`values` as a list, of text alone; else KitError, naming `name` and the first that is none."""
    for place, value in enumerate(values := list(values)):
        if not isinstance(value, str):
            raise KitError(
                f"expected {name} as a list of text, but number {place} is {shown(value)}: convert it or leave it out."
            )
    return values


def _is_seed(value: Any) -> bool:
    """Whether it is a whole number from 0, or several."""
    return (
        value is None
        or is_whole(value, 0)
        or (isinstance(value, list | tuple) and all(is_whole(part, 0) for part in value))
    )


def _parts(annotation: str) -> list[str]:
    """The parts of a union without what they contain: "Sequence[str] | torch.Tensor" is Sequence and Tensor."""
    text, inner = annotation, ""
    while text != inner:
        text, inner = re.sub(r"\[[^\[\]]*\]", "", text), text
    parts = [part.strip().rpartition(".")[2] for part in text.split("|")]
    return [part for part in parts if part != "str" or "Path" not in parts]  # a path is text of a kind
