"""README and results files say the same; pages of notebooks stand alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


def test_readme_and_results_agree() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/render_readme.py", "--check"], cwd=ROOT, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_readme_links_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    local = [t for t in re.findall(r"\]\(([^)\s#]+)\)", text) if not re.match(r"[a-z]+:", t)]
    assert local and [t for t in local if not (ROOT / t).exists()] == []


def test_a_changed_figure_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import render_readme

    proof = json.loads((ROOT / "data/results/evaluation_proof.json").read_text())
    proof["tasks"]["STS12"]["all"] += 1.0
    (tmp_path / "evaluation_proof.json").write_text(json.dumps(proof))
    monkeypatch.setattr(render_readme, "RESULTS", tmp_path)
    text = (ROOT / "README.md").read_text("utf-8")
    assert render_readme.rendered(text) != text


def test_interval_over_seeds() -> None:
    from measuring import mean_interval

    figure = mean_interval([1.0, 2.0, 3.0])
    assert figure["mean"] == 2.0 and figure["sd"] == 1.0
    assert figure["high"] - 2.0 == pytest.approx(4.302653 / 3**0.5, rel=1e-6)  # t(0.975, 2) = 4.302653
    assert mean_interval([5.0]) == {"mean": 5.0, "n": 1}


def test_page_needs_neither_kernel_nor_network() -> None:
    import nbformat
    from notebook_page import PLOTLY, WIDGET, standing_alone

    figure = {"data": [{"type": "bar", "y": [1, 2]}], "layout": {}}
    outputs = [
        nbformat.v4.new_output("display_data", {PLOTLY: figure}),
        nbformat.v4.new_output(
            "display_data", {WIDGET: {}, "text/html": "<p>said</p>"}, metadata={"kit_picture": figure}
        ),
        nbformat.v4.new_output("display_data", {WIDGET: {}, "text/plain": "0%|"}),
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(r"so $\tau$ and $$x^2$$"), nbformat.v4.new_code_cell("1", outputs=outputs)]
    )
    text, code = standing_alone(notebook).cells
    assert text.source.count("<math") == 2 and "$" not in text.source
    first, second = (output["data"]["text/html"] for output in code.outputs)
    assert len(first) > 1_000_000 > len(second), "plotly.js travels once"
    assert "<p>said</p>" in second and not any(WIDGET in o["data"] for o in code.outputs)
