"""A plot and its summary in words, always together."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass

from kit.captions import caption

MIME_TYPE = "application/vnd.plotly.v1+json"
# For what draws no plotly: an exported page, GitHub, a console. As plain text, which is the last choice of all of them:
# HTML would come before the PNG that JupyterLab puts beside a figure it has drawn.
NOT_DRAWN = """\
(The figure itself appears in JupyterLab. In the classic notebook: from plotly.io import renderers, then run this again.
A page that has it:
PLOTLY_RENDERER=notebook jupyter nbconvert --to html --execute <the lesson>.ipynb)"""
# where plotly's own display comes to something else than its MIME type
ELSEWHERE = {
    "PLOTLY_RENDERER", "COLAB_NOTEBOOK_ID", "AZURE_NOTEBOOKS_HOST", "COCALC_PROJECT_ID", "DATABRICKS_RUNTIME_VERSION",
}  # fmt: skip
KAGGLE = "/kaggle/input"


@dataclass(frozen=True)
class CaptionedFigure:
    """A plotly figure and the summary that says what it shows, computed from its data.

    Shown as the last expression of a cell: the figure, then the summary under it. Where
    nothing draws plots (a terminal, a screen reader) the summary stands alone.
    """

    figure: object
    summary: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": caption(self.summary), "text/plain": self.summary}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        if _mime_type_will_do():
            drawn = json.loads(self.figure.to_json(validate=False, remove_uids=False))
            display({MIME_TYPE: drawn, "text/plain": NOT_DRAWN}, raw=True)
        else:
            display(self.figure)
        display(self._repr_mimebundle_(), raw=True)


def _mime_type_will_do() -> bool:
    """Whether the MIME type is enough: for JupyterLab and Binder, where nobody has asked plotly.io for its renderers.

    A kernel does not know its page. The classic notebook needs HTML as well: plotly's own display, which comes for who
    has asked, sends both, but takes two to four seconds at the first figure. It loads nbformat, for whose checks a
    grammar of web addresses is built.
    """
    from IPython import get_ipython

    asked = "plotly.io._renderers" in sys.modules or not ELSEWHERE.isdisjoint(os.environ) or os.path.exists(KAGGLE)
    return not asked and type(get_ipython()).__module__.startswith("ipykernel.")
