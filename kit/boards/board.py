"""Boards: widgets whose pictures are drawn in the browser, in a few milliseconds.

A board is a module of JavaScript, `kit/boards/js/<module>.js`, with four functions:

    controls(state)                     what the reader can turn
    compute(state, chosen) → values     the mathematics: numbers in, numbers out
    draw(values, chosen, state)         panels of SVG
    summary(values, chosen, state)      the text equivalent, computed from the same numbers

Optional are `title` (the board's name), `lead` (what it shows now, in one sentence above all), `brief` (the caption
under the picture), `motion` (numbers that glide), `allowed` (what a slider can be, where other controls decide that),
`settle` (what else a moved control changes), `shares` and `folded` (where panels stand), `advance`, called by a clock
(by every repaint with `tempo` "frame"), `drag`, called when a point is dragged, `turn`, called for a key that is
pressed on a picture, `ink` and `nearby`, for points on a canvas (js/board.js), `begin` and `receive`, for bytes beside
the state (js/own_sentences.js).

Its `<module>_widget.py` prepares the state, has the same `compute` in Python (`<module>_values`, with which the
tests compare the JavaScript, and from which the first summary comes) and makes the `Board`. Where
torch is the point, Python answers instead: `respond` is called with the controls and returns
a new state. Without a kernel (the static site) the board keeps the state it has.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from pathlib import Path

from kit.boards.replaced_boards import close_replaced
from kit.captions import caption
from kit.checks.argument_checks import in_words
from kit.course.predictions import hearing
from kit.errors import KitError, check_name, unknown_name

SOURCES = Path(__file__).parent / "js"
SHARED = ("colours", "charts", "inputs", "travel", "motion", "board")  # no boards themselves, in order
MORE = {  # what some need beside them
    "own_sentences": ("bert", "unknown_words"),
    "explorer": ("unknown_words",),
    "heat": ("unknown_words",),
    "sphere": ("globe",),
    "live": ("globe",),
    "masks": ("masks_matrix", "masks_ladder", "masks_terms"),
}
FUNCTIONS = "controls, compute, draw, summary"
DRAWN = ("title", "lead", "brief", "motion", "shares", "folded", "ink")
NOT_ALIVE = caption("(The board itself appears when this cell runs in a live kernel.)")  # beside a caption alone
OPTIONAL = (*DRAWN, "allowed", "settle", "nearby", "advance", "drag", "turn", "tempo", "begin", "receive")


def modules() -> list[str]:
    """The names of all boards."""
    others = {*SHARED, *(name for names in MORE.values() for name in names)}
    return sorted(path.stem for path in SOURCES.glob("*.js") if path.stem not in others)


@functools.cache
def script(module: str) -> str:
    """The JavaScript module of a board, with what all boards share; needs nothing else."""
    if module not in modules():
        raise unknown_name("board", module, modules())
    parts = [(SOURCES / f"{name}.js").read_text("utf-8") for name in (*SHARED, *MORE.get(module, ()), module)]
    more = ", ".join(f'{name}: typeof {name} === "undefined" ? null : {name}' for name in OPTIONAL)
    return "\n".join(
        [
            hearing(),
            *parts,
            f"export const board = {{{FUNCTIONS}, {more}}};",
            "export default {initialize: hearing, render: ({model, el}) => show(board, model, el)};",
        ]
    )


@functools.cache
def style() -> str:
    """The style sheet of all boards."""
    return (SOURCES / "board.css").read_text("utf-8")


class Controls(MutableMapping):
    """What the reader has chosen, by the names of the controls; assigning to one moves it on the page too.

    The page takes a slider no farther than its ends, and refuses what a menu does not list.
    Errors: `KitError` for a control that the board does not have, or words where it has a number.
    """

    def __init__(self, widget) -> None:
        self._widget = widget

    def __getitem__(self, name: str):
        return self._widget.controls[name]

    def __setitem__(self, name: str, value) -> None:
        chosen = dict(self._widget.controls)
        check_name("control", name, chosen)
        if isinstance(value, str) != isinstance(chosen[name], str):
            raise KitError(f"expected {name} to be like {chosen[name]!r}, got {value!r}: give a value of its kind.")
        self._widget.controls = chosen | {name: value}

    def __delitem__(self, name: str) -> None:
        raise KitError(f"expected a value for {name!r}: a control cannot be taken off its board.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._widget.controls)

    def __len__(self) -> int:
        return len(self._widget.controls)

    def __repr__(self) -> str:
        return repr(self._widget.controls)


class Board:
    """A board on the page; the last expression of a cell shows it.

    module: its name. state: what Python computed, JSON-ready. summary: the text equivalent at
    the start, where nothing is drawn. controls: values the reader starts from, where not
    the board's own. respond: controls → state, called in the kernel when a control changes
    that needs it. offline: the state for a page without a kernel, where it is another. on_close: called once when the
    board is closed, or replaced because its cell runs again. deliver: makes the bytes that the page asks for once, too
    many for the state; a page without a kernel has those of `<module>_buffers(state)`.
    Errors: `KitError` for a board that does not exist.
    """

    def __init__(
        self,
        module: str,
        state: dict,
        summary: str,
        controls: dict | None = None,
        respond: Callable[[dict], dict] | None = None,
        offline: dict | None = None,
        on_close: Callable[[], None] | None = None,
        deliver: Callable[[], list[bytes]] | None = None,
    ):
        self.module, self.summary, self._respond, self._offline = module, summary, respond, offline
        self._on_close, self._cell = on_close, contextvars.copy_context()
        self.problem = ""  # of what the board drives: shown until that goes on
        self.widget = _widget_class(module)(state=state, controls=controls or {})
        self.widget.closed = self._end
        close_replaced(self)
        self._deliver = deliver
        if deliver is not None:
            self.widget.on_msg(self._on_message)
        if respond is not None:
            self.widget.observe(lambda _: self.answer(), names="controls")

    @property
    def controls(self) -> Controls:
        """What the reader has chosen, by the names of the controls; `board.controls["lam"] = 0.0` moves one."""
        return Controls(self.widget)

    @controls.setter
    def controls(self, chosen: Mapping) -> None:
        self.controls.update(chosen)

    @property
    def state(self) -> dict:
        return self.widget.state

    def show(self, state: dict) -> None:
        """Draw another state and clear any error but the problem of what the board drives."""
        self.widget.error = self.problem
        self.widget.state = state

    def from_thread(self, call: Callable, *arguments) -> None:
        """Call what changes the board from another thread than the kernel's, in the name of the board's cell.

        A thread speaks otherwise in the name of the message that the kernel heard last, and ipykernel 7 sends what the
        reader then does to the subshell of that message, which is gone as soon as the page is loaded again.
        """
        self._cell.copy().run(call, *arguments)

    def answer(self) -> None:
        """Compute the state for the controls as they are; errors are shown on the board."""
        if self._respond is None:  # it has been closed
            return
        try:
            self.show(self._respond(dict(self.controls)))
        except Exception as problem:  # ipywidgets would lose it, and the reader drag a dead slider
            self.widget.error = in_words(problem)

    def _on_message(self, widget, content: dict, buffers: object) -> None:
        """The page asks for its bytes, or for nothing that is known here."""
        if content.get("kit") != "buffers":
            return
        try:
            widget.send({"kit": "buffers"}, self._deliver())
        except Exception as problem:  # shown on the board, as those of `answer`
            widget.send({"kit": "buffers", "error": f"{type(problem).__name__}: {problem}"})

    def close(self) -> None:
        """Take the board off the page, and end what it drives."""
        self.widget.close()

    def _end(self) -> None:
        """Let go of what the board drives: a notebook keeps every board that it has shown."""
        end, self._on_close, self._respond, self._deliver = self._on_close, None, None, None
        self.widget.unobserve_all()
        self.widget.on_msg(self._on_message, remove=True)
        if end is not None:
            end()
        self.widget.state, self._offline = {}, None  # which may be megabytes
        self.widget.layout.close()

    def standalone(self) -> dict:
        """What a page without a kernel needs to draw the board by itself, JSON-ready."""
        return {
            "id": self.module,
            "esm": script(self.module),
            "css": style(),
            "theme": self.widget.theme,
            "state": self._offline or self.state,
            "controls": dict(self.controls),
        }

    def _ipython_display_(self) -> None:
        """Display the widget, with what a page without a kernel needs to draw the board by itself."""
        from IPython.display import display

        bundle = self.widget._repr_mimebundle_() if hasattr(self.widget, "_repr_mimebundle_") else None
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if not data:  # ipywidgets 7 with an anywidget that leaves the display to it
            display(self.widget)
            return
        display(
            {**data, "text/html": caption(self.summary) + NOT_ALIVE, "text/plain": self.summary},
            raw=True,
            metadata={"kit_board": self.standalone()},
        )


@functools.cache
def _widget_class(module: str):
    """The anywidget class of one board, made on first use because anywidget loads slowly."""
    import anywidget
    import traitlets

    class BoardWidget(anywidget.AnyWidget):
        _esm = script(module)
        _css = style()
        state = traitlets.Dict().tag(sync=True)
        controls = traitlets.Dict().tag(sync=True)
        theme = traitlets.Unicode("auto").tag(sync=True)
        error = traitlets.Unicode("").tag(sync=True)
        kernel = traitlets.Bool(True).tag(sync=True)
        closed: Callable[[], None] | None = None  # called once, by whichever way it is closed

        def close(self) -> None:
            super().close()
            ended, self.closed = self.closed, None
            if ended is not None:
                ended()

    return BoardWidget
