"""What notebooks need so that widgets show where they should, and nowhere else: Colab's leave, bars that go away."""

from __future__ import annotations

import sys


def prepare_widgets() -> None:
    """Let Colab show third-party widgets, which it does only on request, and let bars go away. Safe to call twice."""
    if "google.colab" in sys.modules:
        import google.colab.output

        google.colab.output.enable_custom_widget_manager()
    _let_bars_go_away()


def _let_bars_go_away() -> None:
    """From here on a bar of tqdm that closes without a trace takes its output with it.

    tqdm closes the widget only: the output that names it stays in the file, and whoever opens that again reads "Error
    displaying widget: model not found" over every result that took a while.
    """
    import tqdm.auto
    from tqdm.notebook import tqdm_notebook

    known = tqdm.auto.tqdm
    if not issubclass(known, tqdm_notebook) or hasattr(known, "output"):
        return

    class Bar(known):
        output = None

        def __init__(self, *given, display: bool = True, **settings) -> None:
            super().__init__(*given, display=False, **settings)
            if display and not self.disable and self.delay <= 0:
                from IPython.display import display as show

                self.output, self.displayed = show(self.container, display_id=True), True

        def close(self) -> None:
            super().close()
            if self.output and self.container.comm is None:  # one that stays, as after an error, keeps its widget
                self.output.update({}, raw=True)
                self.output = None

    tqdm.auto.tqdm = Bar
