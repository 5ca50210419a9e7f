"""Where scripts/mutants.py can plant a small fault, and which of these places it draws.

A fault is a change to the text of one file: + for -, * for /, < for <=, > for >=, == for !=,
`and` for `or` (& for |) or the reverse of these, a dropped `not` (~), n + 1 for n, True for False,
`mean` for `sum`, `max` for `min`, or `pass` for a statement that only acts. None is in text,
annotations, `__all__`, the arguments of an error or what only a type checker reads.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

SWAPS = {"Add": "+ -", "Sub": "- +", "Mult": "* /", "Div": "/ *", "BitAnd": "& |", "BitOr": "| &", "And": "and or"}
SWAPS |= {"Or": "or and", "Lt": "< <=", "LtE": "<= <", "Gt": "> >=", "GtE": ">= >", "Eq": "== !=", "NotEq": "!= =="}
NAMES = {"mean": "sum", "max": "min", "amax": "amin", "maximum": "minimum", "argmax": "argmin"}
NAMES |= {after: before for before, after in NAMES.items()}


@dataclass(frozen=True)
class Place:
    """One possible fault: the bytes `start` to `end` of `file` become `after`.

    What runs it is looked for in `spans`, first and last line, one after the other: its line,
    else its statement. What runs on import, reached by no single test, has the body of its
    function there, or in `names` what it defines."""

    file: str
    line: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    names: tuple[str, ...]

    @property
    def on_import(self) -> bool:
        """Whether it is run by importing its module: outside of functions, or in a signature."""
        return not self.spans or self.spans[0][0] > self.line


class Planted(SourceFileLoader):
    """On sys.meta_path: one module comes with its fault, all else is imported as ever."""

    def __init__(self, root: Path, place: Place) -> None:
        name = place.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        super().__init__(name, str(root / place.file))
        source = (root / place.file).read_bytes()
        self.source = source[: place.start] + place.after.encode() + source[place.end :]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str) -> object:
        return compile(self.source, self.path, "exec", dont_inherit=True)


def places_below(root: Path, room: str) -> list[Place]:
    """All places in the Python files of a folder, in the order of their names and lines."""
    files = sorted((root / room).rglob("*.py"))
    return [place for file in files for place in Finder(file.relative_to(root).as_posix(), file.read_bytes()).places]


def draw(possible: dict[str, list[Place]], count: int, seed: int) -> dict[str, list[Place]]:
    """`count` places, from each room in proportion to what is possible there (largest remainders)."""
    total = sum(map(len, possible.values()))
    count = min(count, total)
    quota = {room: count * len(places) // total for room, places in possible.items()}
    by_remainder = sorted(possible, key=lambda room: -(count * len(possible[room]) % total))
    for room in by_remainder[: count - sum(quota.values())]:
        quota[room] += 1
    return {room: random.Random(f"{seed} {room}").sample(places, quota[room]) for room, places in possible.items()}


class Finder(ast.NodeVisitor):
    """Walks through one file and gathers its places."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.offsets = [0, 0]  # where each line begins; lines count from 1, columns count bytes
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.places: list[Place] = []
        self.inside = False  # a function
        self.span: tuple[int, int] | None = None
        self.names: tuple[str, ...] = ()
        self.visit(ast.parse(source))

    def begin(self, node: ast.AST) -> int:
        return self.offsets[node.lineno] + node.col_offset

    def end(self, node: ast.AST) -> int:
        return self.offsets[node.end_lineno] + node.end_col_offset

    def add(self, operator: str, start: int, end: int, after: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        spans = ((line, line),) if self.inside else ()
        spans += (self.span,) if self.span else ()
        before = self.source[start:end].decode()
        self.places.append(Place(self.file, line, operator, before, after, start, end, spans, self.names))

    def swap(self, operator: str, kind: ast.AST, left: ast.AST, right: ast.AST) -> None:
        """The sign between two operands for its opposite; comments between them hold no signs."""
        before, after = SWAPS.get(type(kind).__name__, " ").split(" ")
        gap = re.sub(rb"#[^\n]*", lambda m: b" " * len(m[0]), self.source[self.end(left) : self.begin(right)])
        if before and (at := gap.find(before.encode())) >= 0:
            start = self.end(left) + at
            self.add(operator, start, start + len(before), after)

    def visit(self, node: ast.AST) -> None:
        """Take the places of a node, then those below it, unless nothing there is worth a test."""
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
            return
        if isinstance(node, ast.If) and re.search(r"TYPE_CHECKING|__name__", ast.unparse(node.test)):
            return
        if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets):
            return
        outer = self.inside, self.span, self.names
        if isinstance(node, ast.stmt):
            self.look_around(node)
            self.take_statement(node)
        elif isinstance(node, ast.expr | ast.keyword):
            self.take_expression(node)
        for field, child in children(node):
            signature = self.inside, self.names
            if field == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.inside, self.names = True, ()
            self.visit(child)
            self.inside, self.names = signature
        self.inside, self.span, self.names = outer

    def look_around(self, node: ast.stmt) -> None:
        """Where to look for what runs the expressions that stand directly in a statement."""
        first, last = node.lineno, node.end_lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):  # defaults and decorators
            self.span, self.names = (node.body[0].lineno, last), ()
        elif self.inside:
            body = getattr(node, "body", None)
            self.span = first, max(first, body[0].lineno - 1) if body else last
        else:
            targets = [*getattr(node, "targets", []), *filter(None, [getattr(node, "target", None)])]
            own = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            self.span, self.names = None, (*self.names, *own, *([node.name] if isinstance(node, ast.ClassDef) else []))

    def take_statement(self, node: ast.stmt) -> None:
        """A statement that only acts may be dropped; += and its like also have a sign."""
        acts = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        sets = isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(targets[0], ast.Attribute) and node.value
        if acts or sets or isinstance(node, ast.AugAssign):
            self.add("dropped statement", self.begin(node), self.end(node), "pass")
        if isinstance(node, ast.AugAssign):
            self.swap("arithmetic", node.op, node.target, node.value)

    def take_expression(self, node: ast.expr | ast.keyword) -> None:
        """Signs, comparisons, and/or/not, constants, and the names of what gathers values."""
        start, end = self.begin(node), self.end(node)
        if isinstance(node, ast.BinOp) and not (joins(node.left) or joins(node.right)):
            boolean = isinstance(node.op, ast.BitAnd | ast.BitOr)
            if self.inside or not boolean:  # outside of functions | joins types
                self.swap("boolean" if boolean else "arithmetic", node.op, node.left, node.right)
        elif isinstance(node, ast.Compare):
            for left, kind, right in zip([node.left, *node.comparators], node.ops, node.comparators):
                self.swap("comparison", kind, left, right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:]):
                self.swap("boolean", node.op, left, right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
            self.add("boolean", start, start + len(re.match(rb"not\s*|~", self.source[start:end])[0]), "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            after = not node.value if isinstance(node.value, bool) else node.value + 1
            self.add("constant", start, end, repr(after))
        elif isinstance(node, ast.keyword) and node.arg in ("max", "min"):
            self.add("mean/sum, max/min", start, start + len(node.arg), NAMES[node.arg])
        elif isinstance(node, ast.Call):
            method = isinstance(node.func, ast.Attribute)
            name = node.func.attr if method else ast.unparse(node.func)
            if name in NAMES and (method or name in ("max", "min")):
                self.add("mean/sum, max/min", self.end(node.func) - len(name), self.end(node.func), NAMES[name])


def joins(node: ast.expr) -> bool:
    """Whether an operand is written as text or as a list: + joins there, and - would only raise."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return text or isinstance(node, ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple)


def children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The nodes right below one, each with its field; annotations left out, and types in isinstance."""
    types = isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass")
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        below = value if isinstance(value, list) else [value]
        for child in below[:1] if types and field == "args" else below:
            if isinstance(child, ast.AST):
                yield field, child
