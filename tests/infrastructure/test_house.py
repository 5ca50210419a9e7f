"""The rules of the house, read from the source: who imports whom, what loads late, what is never used.

Each rule is one test that collects every offender and lists them all.
"""

from __future__ import annotations

import ast
import io
import itertools
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "kit"
SOURCES = sorted(KIT.rglob("*.py"))
COMPOSITION_ROOT = KIT / "__init__.py"  # the one file that knows the core and what stands beside it

# A package imports itself and those above it in its list, and what stands beside the core imports all of the core.
CORE = (
    {"errors"},
    {"paths", "number_checks", "threads", "captions", "extensions"},
    {"data", "losses"},
    {"encoder"},
    {"evaluation"},
    {"training"},
    {"lesson", "plain"},
)
BESIDE = (
    {"english", "course", "retrieval"},
    {"world", "sharing"},
    {"comparators", "scaling", "pretraining", "figures"},
    {"owndata"},
    {"workshop"},
    {"boards"},
    {"commands"},
    {"__main__"},
)
RANKS = {name: rank for rank, names in enumerate((*CORE, *BESIDE)) for name in names}
IN_CORE = set().union(*CORE)
# What only makes things fast imports what it accelerates, and is entered from there.
FAST_IMPORTS, FAST_IS_ENTERED_FROM = (
    {"errors", "number_checks", "checks", "losses", "encoder"},
    {"losses", "encoder", "training"},
)
# Files that survive a kill stand below the core: everything may import them but what they import.
STORAGE_IMPORTS = {"errors", "paths", "number_checks", "captions", "extensions"}
# So do the checks of what a reader gives.
CHECKS_IMPORTS = {"errors", "number_checks"}
CORE_LINES = 9_500
MAX_LINES = 300  # of one file: it can be read in a sitting
MAX_LINES_IN = {"course/exercises": 450}  # a lesson's questions, solutions and wrong answers are read side by side

# Seconds each, and not every reader needs every one: imported inside the function that uses it.
LATE = {
    "anywidget",
    "datasets",
    "ipywidgets",
    "numba",
    "pandas",
    "plotly",
    "pyarrow",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "transformers",
    "umap",
}
READ_ALONE = {"plain"}  # a page that shows all it uses at its head, and that no other file imports
NO_TORCH = {"data", "errors", "paths", "number_checks", "captions", "extensions"}  # text only
NEVER = {"cloudpickle", "dill", "joblib", "pickle"}  # they run foreign code
# Functions of transformers, datasets and sentence-transformers that load something, each told to run no foreign code.
LOADERS = {"from_pretrained", "from_config", "load_dataset", "SentenceTransformer", "CrossEncoder", "pipeline"}


def package_of(path: Path) -> str:
    """`data` for kit/data/nli.py, `errors` for kit/errors.py."""
    return path.relative_to(KIT).parts[0].removesuffix(".py")


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def offenders(found: dict[Path, object]) -> str:
    """One line for each file with something found in it."""
    return "".join(f"\n{shown(path)}: {what}" for path, what in found.items() if what)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in the tree, with the names taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides its direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports_on_load(tree: ast.Module) -> set[str]:
    """What is imported when the module is, i.e. outside of functions."""
    tree = ast.parse(ast.unparse(tree))  # a copy: the functions are emptied below
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [ast.Pass()]
    return set(imports(tree))


def forbidden(package: str, tree: ast.AST) -> list[str]:
    """The kit packages that a file in `package` imports and must not."""
    wrong = []
    for other in {name.split(".")[1] for name in imports(tree) if name.startswith("kit.")} - {package, "__version__"}:
        if package == "fast":
            allowed = other in FAST_IMPORTS
        elif package == "storage":
            allowed = other in STORAGE_IMPORTS
        elif package == "checks":
            allowed = other in CHECKS_IMPORTS
        elif other in ("storage", "checks"):
            allowed = package not in STORAGE_IMPORTS
        elif other == "fast":
            allowed = package in FAST_IS_ENTERED_FROM or package not in IN_CORE
        else:
            allowed = RANKS.get(other, 99) < RANKS[package]
        if not allowed:
            wrong.append(other)
    return sorted(wrong)


def test_the_table_of_the_tree_has_all_of_the_kit_in_the_order_of_its_ranks() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## The tree")[1].split("\n## ")[0]
    missing = [name for name in RANKS if name != "__main__" and not re.search(rf"`(kit/)?{name}(\.py)?`", table)]
    assert missing == []
    beside = table.split("**beside the core**")[1]
    places = [beside.index(f"`kit/{name}`") for name in ("figures", "owndata", "workshop", "boards", "commands")]
    assert places == sorted(places)


def test_imports_go_down_and_the_core_imports_nothing_beside_it() -> None:
    assert {package_of(path) for path in SOURCES} - {"__init__", "checks", "fast", "storage"} <= RANKS.keys()
    wrong = {path: forbidden(package_of(path), tree_of(path)) for path in SOURCES if path != COMPOSITION_ROOT}
    assert not offenders(wrong), offenders(wrong)


@pytest.mark.parametrize(
    ("package", "code", "found"),
    [
        ("data", "from kit.training import fit", ["training"]),
        ("data", "def late():\n    import kit.encoder.load", ["encoder"]),
        ("data", "def late():\n    from kit.world import World", ["world"]),
        ("training", "from kit.scaling.distributed import ranks_for", ["scaling"]),
        ("losses", "from kit import data", ["data"]),
        ("evaluation", "import kit.fast", ["fast"]),
        ("fast", "from kit.training.fit import fit", ["training"]),
        ("encoder", "import kit.fast", []),
        ("storage", "from kit.training.fit import fit\nfrom kit.data import hub", ["data", "training"]),
        ("storage", "import kit.fast\nfrom kit.errors import KitError", ["fast"]),
        ("errors", "from kit.storage.atomic import write_atomically", ["storage"]),
        ("data", "from kit.storage.atomic import write_whole", []),
        ("checks", "from kit.data import hub\nfrom kit.errors import KitError", ["data"]),
        ("errors", "from kit.checks.argument_checks import checked", ["checks"]),
        ("boards", "from kit.losses import blend\nfrom kit.errors import KitError\nimport kit.figures.palette", []),
    ],
)
def test_the_rule_itself(package: str, code: str, found: list[str]) -> None:
    assert forbidden(package, ast.parse(code)) == found


def modules() -> dict[str, Path]:
    """`kit.data.nli` → its file; a package is its `__init__`."""
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}


def loaded_by(name: str, imported: set[str], files: set[str]) -> set[str]:
    """The files that Python runs for the imports of `name`: the modules and the packages they are in."""
    loaded = {other if other in files else other.rpartition(".")[0] for other in imported} & files
    packages = {parent for other in loaded for parent in ancestors(other)}
    return loaded | (packages - ancestors(name) - {name})


def ancestors(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that load each other, from one back to itself; empty where there are none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_files_import_each_other_in_a_circle() -> None:
    files = modules()
    on_load = {name: loaded_by(name, imports_on_load(tree_of(path)), {*files}) for name, path in files.items()}
    assert not circle(on_load), " → ".join(circle(on_load))
    of_a_package = {}  # imports inside functions too, where both files are of one package
    for name, path in files.items():
        near = {other for other in imports(tree_of(path)) if other.split(".")[:2] == name.split(".")[:2]}
        of_a_package[name] = loaded_by(name, near, {*files})
    assert not circle(of_a_package), " → ".join(circle(of_a_package))


def test_the_rule_on_circles_itself() -> None:
    files = {"kit", "kit.a", "kit.a.one", "kit.a.two", "kit.b", "kit.b.three"}
    assert loaded_by("kit.a.one", {"kit.b.three.name", "kit.a.two", "torch.nn"}, files) == {
        "kit.a.two", "kit.b", "kit.b.three",
    }  # fmt: skip
    assert circle({"kit.a": {"kit.b"}, "kit.b": {"kit.a"}}) and not circle({"kit.a": {"kit.b"}, "kit.b": set()})


def test_the_front_door_imports_nothing_but_the_extension_slots_and_what_torch_reads_when_it_is_loaded() -> None:
    assert imports_on_load(tree_of(COMPOSITION_ROOT)) <= {"__future__.annotations", "kit.extensions", "kit.fast", "os"}


def test_the_core_is_short_enough_to_read() -> None:
    lines = Counter()
    for path in SOURCES:
        if package_of(path) in IN_CORE:
            lines[package_of(path)] += len(path.read_text("utf-8").splitlines())
    assert lines.total() <= CORE_LINES, lines


def test_every_file_can_be_read_in_a_sitting() -> None:
    long = {}
    for path in SOURCES:
        lines = len(path.read_text("utf-8").splitlines())
        if lines > MAX_LINES_IN.get(path.parent.relative_to(KIT).as_posix(), MAX_LINES):
            long[path] = lines
    assert not long, f"more than {MAX_LINES} lines, so split them by what they are about:\n{offenders(long)}"


def test_a_file_name_occurs_once() -> None:
    files = [*SOURCES, *KIT.rglob("*.js")]
    names = Counter((path.suffix, path.stem) for path in files if path.stem not in ("__init__", "__main__"))
    assert [name for name, count in names.items() if count > 1] == []


def in_the_machines_encoding(tree: ast.Module) -> list[str]:
    """Texts written or read, or files opened as text, in an encoding that differs from machine to machine."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if "encoding" in named:
            continue
        given = {"write_text": 2, "read_text": 1}.get(call.func.attr, 0) if isinstance(call.func, ast.Attribute) else 0
        if len(call.args) < given:
            found.append(f"line {call.lineno}: {call.func.attr}")
        if isinstance(call.func, ast.Name) and call.func.id == "open":
            mode = [*call.args[1:2], named.get("mode")][0]
            if not (isinstance(mode, ast.Constant) and "b" in mode.value):
                found.append(f"line {call.lineno}: open")
    return found


def test_texts_are_written_and_read_in_an_encoding_that_is_named() -> None:
    wrong = {path: in_the_machines_encoding(tree_of(path)) for path in (*SOURCES, *(ROOT / "scripts").glob("*.py"))}
    assert not offenders(wrong), offenders(wrong)
    seen = 'file.write_text(text)\nfile.read_text()\nopen(name)\nopen(name, "w")\nopen(name, mode="a")'
    fine = 'file.write_text(text, "utf-8")\nopen(name, "rb")\nfile.write_text(text, encoding="utf-8")'
    assert len(in_the_machines_encoding(ast.parse(seen))) == 5 and not in_the_machines_encoding(ast.parse(fine))


@pytest.mark.slow
def test_slow_packages_load_late_and_text_needs_no_torch() -> None:
    wrong = {path: {name.split(".")[0] for name in imports_on_load(tree_of(path))} & LATE for path in SOURCES}
    for path in SOURCES:
        if package_of(path) in READ_ALONE:
            wrong[path] = set()
        if {f"kit.{name}" for name in READ_ALONE} & {name.rpartition(".")[0] for name in imports(tree_of(path))}:
            wrong[path] |= READ_ALONE
        if package_of(path) in NO_TORCH:
            wrong[path] |= {name.split(".")[0] for name in imports(tree_of(path))} & {"torch"}
    assert not offenders(wrong), offenders(wrong)


@pytest.mark.parametrize("module", ["kit", "kit.data", "kit.boards"])
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, cwd=ROOT, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded & (LATE | {"torch"}) == set()


def names(code: str) -> list[str]:
    """The names in a piece of code, without its comments and strings."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type == tokenize.NAME]


def test_nothing_runs_code_from_a_file() -> None:
    """No pickle in any disguise (weights are safetensors), no code from a model's repository."""
    wrong = {}
    for path in [*SOURCES, *sorted((ROOT / "scripts").glob("*.py"))]:
        used = names(path.read_text("utf-8"))
        wrong[path] = NEVER & set(used) | ({"torch.load"} & set(map(".".join, itertools.pairwise(used))))
    assert not offenders(wrong), offenders(wrong)


def loads_without_refusing(tree: ast.AST) -> list[str]:
    """The calls of a loader that do not say trust_remote_code=False, and everything that says something else."""
    wrong = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        said = [keyword.value for keyword in call.keywords if keyword.arg == "trust_remote_code"]
        refuses = [isinstance(value, ast.Constant) and value.value is False for value in said]
        if not all(refuses) or (name in LOADERS and not said):
            wrong.append(f"line {call.lineno}: {name}")
    return wrong


def test_every_loader_is_told_to_run_no_foreign_code() -> None:
    files = [*SOURCES, *(ROOT / "scripts").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    wrong = {path: loads_without_refusing(tree_of(path)) for path in files}
    assert not offenders(wrong), offenders(wrong)
    for code, count in {"a.from_pretrained(x)": 1, "f(trust_remote_code=True)": 1, "load_dataset(x, **y)": 1}.items():
        assert len(loads_without_refusing(ast.parse(code))) == count
    assert not loads_without_refusing(ast.parse("A.from_pretrained(x, trust_remote_code=False)"))


def texts() -> Iterator[Path]:
    """The text files of the repository: what is not built, installed, or a model."""
    skipped = {".git", ".kit", "build", "runs", "dist", "data", "node_modules", "__pycache__"}
    for folder, inside, files in os.walk(ROOT):
        inside[:] = sorted(
            name
            for name in inside
            if name not in skipped and not name.startswith((".venv", ".pytest", ".ruff")) and name[-9:] != ".egg-info"
        )
        yield from (Path(folder, name) for name in sorted(files))


@pytest.mark.slow
def test_no_place_of_this_machine_and_no_registry() -> None:
    """Neither a home folder nor an index: those belong to the machine, not to the project."""
    hosts = "|".join(("pypi", "pythonhosted", r"download\.pytorch", r"conda\.anaconda"))
    never = re.compile(rf"(?:{hosts})\.org" + r"|(?<![\w.)}\]*-])/(?:root|work|home|Users)/[\w.]")
    found = []
    for path in texts():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in never.finditer(text)]
    assert found == []


# What stands at the top of the repository; a program that writes into the folder it is started in adds to it.
AT_THE_TOP = set(
    ".ci .github .gitignore .prettierrc.json CONTRIBUTING.md LICENSE Makefile README.md benchmarks binder constraints "
    "data docs environment.yml jupyter kit notebooks pyproject.toml scripts tests".split()
)


def test_nothing_was_left_behind_at_the_top() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("NO GIT: this is no checkout, so nobody knows which files belong to it")
    assert {name.split("/")[0] for name in listed.stdout.split("\0") if name} == AT_THE_TOP
