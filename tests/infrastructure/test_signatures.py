"""What a reader may rely on in any signature of the core: objects that stay as made, and one default for one word."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

CORE = ("data", "losses", "encoder", "evaluation", "training", "fast")

# place and parameter → a default unlike that of the others, and why
OTHERS: dict[str, object] = {
    **{f"SpanSampler.__init__ {count}": 2 for count in ("anchors", "positives")},  # DeCLUTR's, beside SupMPN's five
    "multi_label_cross_entropy negatives": False,  # whether, not how many
    "evaluate_sts resamples": 0,  # intervals cost time, so they are asked for
    # silent within a larger task, which has the bar
    **{f"{place} progress": False for place in ("Encoder.encode", "Repaired.encode", "encode_distinct")},
    # each as published
    **{"copy share": 0.0, "delete_words share": 0.1, "replace_synonyms share": 0.2, "mask_whole_words share": 0.15},
    **{"supcon temperature": 0.1, "scl temperature": 1.0},
    **{f"{kind}Options.__init__ temperature": 1.0 for kind in ("Softmax", "Word", "Contrast", "Declutr")},
    "PauseOptions.__init__ hidden": 128,
    "Table.head n": 5,
}


@cache
def defined_in_the_core() -> dict[str, object]:
    """Every class and function of the core, under its module and name."""
    packages = [import_module(f"kit.{name}") for name in CORE]
    names = [name for package in packages for _, name, _ in walk_packages(package.__path__, f"{package.__name__}.")]
    modules = [*packages, *(import_module(name) for name in names if not name.endswith("__main__"))]
    return {
        f"{module.__name__}.{name}": one
        for module in modules
        for name, one in vars(module).items()
        if getattr(one, "__module__", None) == module.__name__ and (inspect.isclass(one) or inspect.isfunction(one))
    }


def functions() -> Iterator[tuple[str, Callable]]:
    """Functions and methods, a dataclass's own constructor among them, as `function` or `Class.method`."""
    for one in defined_in_the_core().values():
        if inspect.isfunction(one):
            yield one.__qualname__, one
        else:
            yield from ((f"{one.__qualname__}.{name}", f) for name, f in vars(one).items() if inspect.isfunction(f))


def test_what_is_made_once_stays_as_it_was_made() -> None:
    """A result, a recipe or a batch that another cell could change would no longer be what it says it is."""
    classes = [one for one in defined_in_the_core().values() if inspect.isclass(one) and is_dataclass(one)]
    changeable = [one.__qualname__ for one in classes if not one.__dataclass_params__.frozen]
    assert not changeable and len(classes) > 40


def test_a_parameter_has_the_same_default_wherever_it_stands() -> None:
    """Else a reader who knows `seed` or `batch_size` from one call is wrong about the next. None is no number."""
    defaults: dict[str, dict[str, object]] = defaultdict(dict)
    for name, function in functions():
        for parameter in inspect.signature(function).parameters.values():
            if isinstance(parameter.default, bool | int | float):
                defaults[parameter.name][f"{name} {parameter.name}"] = parameter.default
    found = {place: value for places in defaults.values() for place, value in places.items()}
    assert {place: found.get(place) for place in OTHERS} == OTHERS
    usual = {name: {p: v for p, v in places.items() if p not in OTHERS} for name, places in defaults.items()}
    unlike = {name: places for name, places in usual.items() if len(set(map(repr, places.values()))) > 1}
    assert not unlike, f"take the usual default, or add the place to OTHERS with the reason: {unlike}"
    assert {"seed", "batch_size", "margin", "progress"} <= defaults.keys()
