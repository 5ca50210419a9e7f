"""Every public function is in the table of hostile calls, or in a list that says why it is not."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import hostile_calls
import hostile_names
import pytest

import kit

pytestmark = pytest.mark.slow  # the table makes an encoder, a search index and an ONNX file


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No mirror and no Hub, and a folder of its own."""
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def public_functions() -> dict[str, str]:
    """Name → package, of all functions in a package's `__all__`."""
    found = {}
    for module in pkgutil.iter_modules(kit.__path__, "kit."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            names = getattr(package, "__all__", [])
            found |= {name: module.name for name in names if inspect.isroutine(getattr(package, name))}
    return found


def test_every_public_function_is_tried_or_excepted() -> None:
    tried = {name for call in hostile_calls.calls() for name in call.split(".")}
    public = public_functions()
    without = {name for name, package in public.items() if package not in hostile_names.PACKAGES} - tried
    assert without == set(hostile_names.FUNCTIONS), "add a call to a table, or a reason to scripts/hostile_names.py"
    assert len(tried & public.keys()) >= 100 and all(
        (*hostile_names.FUNCTIONS.values(), *hostile_names.PACKAGES.values())
    )
