"""What every widget needs: errors that show."""

from __future__ import annotations

import functools
from collections.abc import Callable


def guarded(function: Callable, message) -> Callable:
    """`function`, with an error shown in `message` (an HTML widget) instead of lost.

    ipywidgets drops what a callback raises, or hides it in a log; a reader then drags a dead
    slider. The class `kit-error` is what the tests look for.
    """
    from kit.viz.picture import caption

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:  # shown, whatever it is
            message.value = caption(f"{type(error).__name__}: {error}", kind="error")

    return call
