"""The small faults that scripts/exercise_mutants.py plants in a reference solution.

Those of mutant_places.py, and more that learners make: constants − 1, halved, doubled and with the other sign;
operands dropped and exchanged; `log2` for `log`, `tanh` for `sigmoid`; a hinge, a normalisation, a mask, an index or
an argument left out; one argument for another; k ± 1; only the first of several True; input changed in place; a part
of the gradient cut off.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mutant_places import Finder, Place

OTHER_NAMES = {
    "mean": "sum median",
    "sum": "mean amax",
    "max": "min mean",
    "min": "max mean",
    "any": "all",
    "all": "any",
    "floor": "ceil trunc",
    "ceil": "floor",
    "log": "log2 log10 log1p",
    "exp": "exp2 expm1",
    "sqrt": "abs square",
    "abs": "square relu",
    "square": "abs",
    "relu": "abs square",
    "sigmoid": "tanh relu",
    "softmax": "log_softmax sigmoid",
    "log_softmax": "softmax",
    "logsumexp": "sum",
    "std": "var",
    "var": "std",
    "tanh": "arctan",
    "zeros_like": "ones_like",
    "ones_like": "zeros_like",
    "where": "minimum",
    "topk": "sort",
    "float": "int",
    "values": "indices",
    "indices": "values",
}
MODULES = {"torch", "F", "np", "math", "random", "statistics"}
REVERSED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "!="}
EXCHANGED = (ast.Sub, ast.Div, ast.Pow, ast.MatMult, ast.FloorDiv, ast.Mod)
IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
IN_PLACE_METHODS = {"abs", "exp", "log", "square", "masked_fill", "relu", "sqrt", "cos", "sin"}


@dataclass(frozen=True)
class Kinds:
    """Of which kind the arguments of a function are, by name: "number", "floats", "truths", "whole", "list"."""

    of: dict[str, str]
    is_loss: bool

    def like(self, name: str) -> list[str]:
        """The other arguments of the same kind."""
        return [other for other, kind in self.of.items() if kind == self.of.get(name) and other != name]


class ExerciseFinder(Finder):
    """The places of a solution, given as source, whose arguments are of known kinds."""

    def __init__(self, source: str, kinds: Kinds) -> None:
        self.kinds, self.bound = kinds, dict.fromkeys(kinds.of)
        super().__init__("solution", source.encode())

    def text(self, node: ast.AST) -> str:
        return self.source[self.begin(node) : self.end(node)].decode()

    def locals_but(self, name: str) -> list[str]:
        """The other variables, if `name` is a variable that was set above."""
        return [other for other in self.bound if name in self.bound and other not in (name, *self.kinds.of)]

    def put(self, operator: str, node: ast.AST, *instead: str) -> None:
        """One place for each text that may stand instead of a node."""
        for after in instead:
            self.add(operator, self.begin(node), self.end(node), f"({after})")

    def take_statement(self, node: ast.stmt) -> None:
        super().take_statement(node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in self.bound:
                self.add("dropped statement", self.begin(node), self.end(node), "pass")
            self.bound[node.targets[0].id] = None
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            self.bound |= dict.fromkeys(part.id for part in node.targets[0].elts if isinstance(part, ast.Name))
        elif isinstance(node, ast.If):
            self.put("condition", node.test, f"not ({self.text(node.test)})", "True", "False")
        elif isinstance(node, ast.Return) and node.value:
            whole = self.text(node.value)
            self.put("sign", node.value, f"-({whole})")
            tensors = [name for name, kind in self.kinds.of.items() if kind in ("floats", "truths", "whole")]
            self.put("in place", node.value, *(f"(({whole}), {name}.zero_())[0]" for name in tensors))
            if self.kinds.is_loss:
                self.put("detached", node.value, f"({whole}).detach()")

    def take_expression(self, node: ast.expr | ast.keyword) -> None:
        super().take_expression(node)
        take = getattr(self, f"take_{type(node).__name__.lower()}", None)
        if take:
            take(node)

    def take_constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            others = dict.fromkeys([value - 1, -value, 2 * value, value / 2, value * 10])
            self.put("constant", node, *(repr(other) for other in others if other not in (value, value + 1)))

    def take_binop(self, node: ast.BinOp) -> None:
        left, right = self.text(node.left), self.text(node.right)
        self.put("dropped operand", node, left, right)
        if isinstance(node.op, EXCHANGED):
            sign = self.source[self.end(node.left) : self.begin(node.right)].decode().strip(" ()")
            self.put("exchanged operands", node, f"({right}) {sign} ({left})")
        if isinstance(node.op, ast.Pow):
            self.put("arithmetic", node, f"({left}) * ({right})")
        if isinstance(node.left, ast.Name) and node.left.id in self.kinds.of and type(node.op) in IN_PLACE:
            self.put("in place", node, f"{left}.{IN_PLACE[type(node.op)]}({right})")

    def take_unaryop(self, node: ast.UnaryOp) -> None:
        self.put("sign", node, self.text(node.operand))

    def take_compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and type(node.ops[0]) in REVERSED:
            left, right = self.text(node.left), self.text(node.comparators[0])
            self.put("comparison", node, f"({left}) {REVERSED[type(node.ops[0])]} ({right})")

    def take_boolop(self, node: ast.BoolOp) -> None:
        self.put("dropped operand", node, *map(self.text, node.values))

    def take_ifexp(self, node: ast.IfExp) -> None:
        body, test, other = map(self.text, (node.body, node.test, node.orelse))
        self.put("condition", node, body, other, f"({other}) if {test} else ({body})")

    def take_tuple(self, node: ast.Tuple) -> None:
        if isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
            self.put("exchanged results", node, ", ".join(map(self.text, reversed(node.elts))))

    def take_attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self.put("dropped call", node, self.text(node.value))
        elif node.attr in ("values", "indices"):
            self.put("other name", node, f"{self.text(node.value)}.{OTHER_NAMES[node.attr]}")

    def take_subscript(self, node: ast.Subscript) -> None:
        whole = self.text(node.value)
        self.put("dropped index", node, whole)
        for part in [node.slice, *getattr(node.slice, "elts", [])]:
            if isinstance(part, ast.Slice) and (part.lower or part.upper):
                self.put_slice(part)

    def put_slice(self, part: ast.Slice) -> None:
        bounds = [self.text(bound) if bound else "" for bound in (part.lower, part.upper)]
        start = self.begin(part) if part.lower else self.begin(part.upper) - 1
        end = self.end(part)
        for lower, upper in dict.fromkeys([("", bounds[1]), (bounds[0], ""), (bounds[1], bounds[0])]):
            if [lower, upper] != bounds:
                self.add("index", start, end, f"{lower}:{upper}")

    def take_name(self, node: ast.Name) -> None:
        kind, name = self.kinds.of.get(node.id), node.id
        if not isinstance(node.ctx, ast.Load):
            return
        if not kind:
            self.put("another variable", node, *self.locals_but(name))
            return
        self.put("another argument", node, *self.kinds.like(name))
        if kind == "number":
            self.put("k ± 1", node, f"{name} + 1", f"{name} - 1")
        elif kind == "truths":
            self.put("only the first", node, f"{name} & ({name}.cumsum(-1) == 1)", f"~{name}")
        elif kind in ("floats", "list"):
            self.put("rows left out", node, f"{name}[:-1]", f"{name}[:1]")
        if kind == "floats" and self.kinds.is_loss:
            self.put("detached", node, f"{name}.detach()")

    def take_call(self, node: ast.Call) -> None:
        given = [*map(self.text, node.args), *map(self.text, node.keywords)]
        method = isinstance(node.func, ast.Attribute) and self.text(node.func.value) not in MODULES
        name = node.func.attr if isinstance(node.func, ast.Attribute) else self.text(node.func)
        called = self.text(node.func)
        if method:
            self.put("dropped call", node, self.text(node.func.value))
            if name in IN_PLACE_METHODS and isinstance(node.func.value, ast.Name):
                self.put("in place", node, f"{called}_({', '.join(given)})")
        elif node.args:
            self.put("dropped call", node, self.text(node.args[0]))
        for other in OTHER_NAMES.get(name, "").split():
            self.put("other name", node, f"{called.removesuffix(name)}{other}({', '.join(given)})")
        if len(node.args) >= 2:
            self.put("exchanged arguments", node, f"{called}({', '.join([given[1], given[0], *given[2:]])})")
        for left_out in range(0 if method else 1, len(given)):
            rest = [part for place, part in enumerate(given) if place != left_out]
            self.put("dropped argument", node, f"{called}({', '.join(rest)})")
        if self.kinds.is_loss and not called.startswith(("torch.eye", "torch.arange", "len")):
            self.put("detached", node, f"{self.text(node)}.detach()")


def places_in(source: str, kinds: Kinds) -> list[Place]:
    """All places in the source of a solution, of those with the same outcome the first."""
    return ExerciseFinder(source, kinds).places


def planted(source: str, place: Place) -> str:
    """The source with one fault."""
    text = source.encode()
    return (text[: place.start] + place.after.encode() + text[place.end :]).decode()
