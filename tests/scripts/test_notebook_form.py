"""The form of the committed notebooks: nothing that running adds, badges and the Colab cell on top."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path

import notebook_head
import pytest
import strip_notebooks

ROOT = Path(__file__).resolve().parents[2]


def cell(kind: str = "code", source: str = "1", **more: object) -> dict:
    outputs = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **outputs, **more}


def test_strip_takes_everything_that_running_adds() -> None:
    ran = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"kernelspec": {"name": "my-env"}, "widgets": {"state": "large"}, "papermill": {}},
        "cells": [
            cell("markdown", "# Title\n", id="title"),
            cell(
                source=["a = 1\n", "b = 2\n\n"],
                id="title",
                outputs=[{"output_type": "stream"}],
                execution_count=3,
                metadata={"tags": ["parameters"], "papermill": {}, "jupyter": {"source_hidden": True}},
            ),
            cell(metadata={"tags": ["injected-parameters"]}),
            cell(source="1"),
            cell(source="1"),
        ],
    }
    clean = strip_notebooks.stripped(ran)
    assert clean["metadata"] == strip_notebooks.NOTEBOOK_METADATA and clean["nbformat_minor"] == 5
    title, code, *rest = clean["cells"]
    assert (title["id"], title["source"]) == ("title", ["# Title"])
    assert code["outputs"] == [] and code["execution_count"] is None
    assert code["metadata"] == {"tags": ["parameters"], "jupyter": {"source_hidden": True}}
    assert code["source"] == ["a = 1\n", "b = 2"]
    assert len(rest) == 2 and len({one["id"] for one in clean["cells"]}) == 4
    assert strip_notebooks.stripped(clean) == clean, "a second time changes nothing"
    assert strip_notebooks.stripped(ran) == clean, "ids do not depend on the moment"


def test_strip_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell()], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    before = path.read_text()
    program = [sys.executable, str(ROOT / "scripts" / "strip_notebooks.py")]
    assert subprocess.run([*program, "--check", str(path)], capture_output=True).returncode == 1
    assert path.read_text() == before
    assert subprocess.run([*program, str(path)], capture_output=True).returncode == 0
    assert subprocess.run([*program, "--check", str(path)], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"cells": [1]}', "[" * 200_000, '{"nbformat": 3, "worksheets": []}']
)
def test_what_is_no_notebook_is_left_as_it_is(tmp_path: Path, content: str, monkeypatch) -> None:
    path = tmp_path / "hers.ipynb"
    path.write_text(content)
    monkeypatch.setattr(sys, "argv", ["strip_notebooks.py", str(path)])
    with pytest.raises(SystemExit, match="expected a notebook of nbformat 4 at .*hers.ipynb"):
        strip_notebooks.main()
    assert path.read_text() == content


def test_head_is_put_after_the_title_and_replaced_by_id() -> None:
    bare = {"cells": [cell("markdown", "# Title", id="t"), cell(source="x = 1", id="x")]}
    path = "notebooks/00_tour.ipynb"
    headed = notebook_head.with_head(bare, path)
    assert [one["id"] for one in headed["cells"]] == ["t", "badges", "install", "x"]
    headed["cells"][1]["source"] = ["stale"]
    assert notebook_head.with_head(headed, path) == notebook_head.with_head(bare, path)


def test_badges_follow_pyproject() -> None:
    there = notebook_head.Address("https://github.com/somebody/something", "v1")
    assert there.colab("notebooks/a.ipynb").endswith("/github/somebody/something/blob/v1/notebooks/a.ipynb")
    assert there.pages == "https://somebody.github.io/something/"
    assert there.binder("notebooks/a.ipynb").endswith("/gh/somebody/something/v1?urlpath=lab/tree/notebooks/a.ipynb")


def installs(on_colab: bool, found: object) -> list[tuple[str, str]]:
    """What the install cell asks of IPython, on Colab or not, where this is found of the kit."""
    import importlib.util

    from IPython.core.inputtransformer2 import TransformerManager

    done = []
    shell = types.SimpleNamespace(run_line_magic=lambda name, line: done.append((name, line)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.util, "find_spec", lambda name: found)
        if on_colab:
            patch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
        code = TransformerManager().transform_cell(notebook_head.install_cell())
        exec(compile(code, "install", "exec"), {"get_ipython": lambda: shell})
    return done


def test_install_cell_acts_once_and_only_on_colab() -> None:
    there = notebook_head.address()
    installed = ModuleSpec("kit", None, origin="/kit/__init__.py")
    for missing in (None, ModuleSpec("kit", None, is_package=True)):  # the latter is any folder of that name
        assert installs(True, missing) == [("pip", f'install -q "git+{there.url}@{there.ref}"')]
        assert installs(False, missing) == []
    assert installs(True, installed) == installs(False, installed) == []
