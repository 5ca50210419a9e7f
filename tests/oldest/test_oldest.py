"""The kit in the older world (Colab): every module imports, every figure is drawn; lessons: test_lessons_oldest.py.

Runs in an environment of its own, made from constraints/oldest.txt: `make test` does that.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import kit
import kit.boards
import kit.figures

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(module.name for module in pkgutil.walk_packages(kit.__path__, "kit."))
LABELS = [f"{topic} {role}" for topic in ("weather", "sport", "phone", "food") for role in ("anchor", "+", "−")]
HISTORY = [{"step": step, "loss": 2 / step, "cross_entropy": 1 / step} for step in range(1, 40)]


def floors() -> dict[str, str]:
    """The lower bounds in pyproject.toml, by package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return dict(re.match(r"([\w-]+)>=([\d.]+)", line).groups() for line in project["dependencies"])


def failures(attempts: dict[str, Callable[[], object]]) -> dict[str, str]:
    """What went wrong, by name: all of it rather than the first."""
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
        except Exception as problem:
            found[name] = f"{type(problem).__name__}: {problem}"
    return found


def test_this_is_the_older_world() -> None:
    """What is tested here are the lower bounds themselves (torch: see constraints/oldest.txt)."""
    wanted = {package: floor for package, floor in floors().items() if package != "torch"}
    assert {package: version(package) for package in wanted} == wanted


def test_every_module_imports() -> None:
    assert failures({name: partial(importlib.import_module, name) for name in MODULES}) == {}


def test_public_names_exist() -> None:
    public = {name: importlib.import_module(name) for name in MODULES}
    missing = [
        f"{name}.{one}"
        for name, module in public.items()
        for one in getattr(module, "__all__", [])
        if not hasattr(module, one)
    ]
    assert missing == []


def test_the_bundled_encoder_encodes() -> None:
    from kit.encoder import load_encoder

    vectors = load_encoder().encode(["A girl is reading.", "Two men play chess in the park.", "It rains."])
    assert vectors.shape[0] == 3 and bool(vectors.isfinite().all())
    assert bool((vectors.std(dim=0) > 0).any()), "three sentences, one vector"


def twelve_vectors():
    import torch

    return torch.nn.functional.normalize(torch.randn(12, 16, generator=torch.manual_seed(0)), dim=1)


def draw_heat_maps() -> str:
    picture = kit.figures.heat_maps({"before": (twelve_vectors() @ twelve_vectors().T).tolist()}, LABELS)
    return picture.figure.to_json() + picture.summary


def draw_cosine_histogram() -> str:
    picture = kit.figures.cosine_histogram({"before": [0.7, 0.8, 0.9], "after": [0.1, 0.2, -0.3]})
    return picture.figure.to_json() + picture.summary


def draw_loss_curve() -> str:
    picture = kit.figures.loss_curve(HISTORY, parts=("loss", "cross_entropy"))
    return picture.figure.to_json() + picture.summary


def draw_before_after() -> str:
    return kit.figures.before_after({"STS-B": 40.0}, {"STS-B": 60.0})._repr_html_()


def draw_neighbours() -> str:
    from kit.encoder import load_encoder

    return kit.figures.neighbours_table(
        {"raw": load_encoder()}, ["A boat sails.", "It rains.", "Fog."], [0]
    )._repr_html_()


# What needs no data: schematics in SVG.
SCHEMATICS = (
    "batch_matrix",
    "cone_drawing",
    "intervals_drawing",
    "margin_plane",
    "mixture_drawing",
    "pooling_drawing",
    "pull_push_drawing",
    "ranks_drawing",
    "score_drawing",
    "siblings_matrix",
    "span_rows_drawing",
    "spans_drawing",
    "split_drawing",
    "training_loop_drawing",
    "two_losses_drawing",
)


def draw_sphere() -> str:
    return shown(kit.boards.sphere_board(sentences=["A boat sails."])) + shown(kit.boards.sphere_board(sentences=[]))


def draw_own_sentences() -> str:
    return shown(kit.boards.own_sentences_board(sentences=[f"A boat sails {n} miles." for n in range(40)]))


def draw_tau_lambda() -> str:
    return shown(kit.boards.tau_lambda_board(twelve_vectors(), LABELS))


class Training:
    """Stands in for a live training: one frame, and nothing happens."""

    class recipe:
        class options:
            temperature, lam = 0.05, 0.3

    class monitored:
        sentences, premise, roles, scores = ["A man reads.", "Someone reads."], [0, 0], ["premise", "entailed"], [1, 2]

    def __init__(self):
        self.settings, self.running = {"tau": 0.05, "lam": 0.3}, False
        self.history = [
            {
                "step": 0,
                "seconds": 0.1,
                "theta": [300, 410],
                "phi": [10, 350],
                "neighbours": [[1], [0]],
                "histogram": [10, 990],
                "mean_cosine": 0.7,
                "effective_rank": 20.0,
                "uniformity": -1.0,
                "alignment": 0.1,
                "sts": 50.0,
            }
        ]

    def add_callback(self, function) -> None: ...
    def change(self, **numbers: float) -> None: ...


def draw_live() -> str:
    return shown(kit.boards.live_board(Training(), ["tau", "lam"]))


def shown(board) -> str:
    """A board as it is displayed; a reader's change of a control is answered without an error."""
    board.widget.controls = dict(board.controls)
    assert board.widget.error == ""
    board._ipython_display_()
    return board.widget._esm + board.summary


def draw_explorer() -> str:
    from kit.encoder import load_encoder

    board = kit.boards.explorer_board(load_encoder(), ["A boat sails.", "A ship is at sea."])
    board.widget.controls = {**board.controls, "third": "Bread is fresh."}
    assert len(board.state["tokens"]) == 3, board.widget.error
    return shown(board)


def draw_padding() -> str:
    from kit.encoder import load_encoder

    return shown(kit.boards.padding_board(load_encoder(), {"one": ["It rains.", "It pours.", "She sings."]}))


def draw_temperature() -> str:
    return shown(kit.boards.temperature_board(twelve_vectors(), LABELS, LABELS))


def a_sweep() -> dict:
    def point(mean: float) -> dict:
        return {"average": {"all": {"mean": mean, "low": mean - 2, "high": mean + 2, "n": 3}}, "geometry": {}}

    return {"varies": "τ", "points": {"0.05": point(60.0), "1": point(50.0)}}


def draw_sweep_curve() -> str:
    picture = kit.figures.sweep_curve(a_sweep(), "all")
    return picture.figure.to_json() + picture.summary


def draw_weight_planes() -> str:
    height = 3**0.5 / 2
    grid = {"task": "STS-B", "x": [0, 0.5, 1], "y": [0, height / 3, height], "all": [[60.0, 61.0, 60.5]] * 3}
    picture = kit.figures.weight_planes({"three runs": grid})
    return picture.figure.to_json() + picture.summary


def draw_sweep_table() -> str:
    return kit.figures.sweep_table(a_sweep(), ["all"], {"published": {"1": 70.0}})._repr_html_()


def draw_pulls() -> str:
    from kit.losses import PairClassifier

    z = twelve_vectors()
    return shown(
        kit.boards.pulls_board(z[:4], z[4:], [0, 1, 2, 3] * 2, [0] * 4 + [2] * 4, PairClassifier(16), LABELS[4:])
    )


def draw_masks() -> str:
    return shown(kit.boards.masks_board(twelve_vectors(), LABELS, anchors=4, positives=1, negatives=1))


def draw_relations() -> str:
    from kit.losses import mnrl_relations

    picture = kit.figures.relations_figure(mnrl_relations(3), LABELS[:3], LABELS[3:6])
    return picture.figure.to_json() + picture.summary


def draw_heat() -> str:
    from kit.encoder import load_encoder

    board = kit.boards.heat_board({"raw": load_encoder()}, ["A boat sails."] * 12, LABELS)
    board.widget.controls = {**board.controls, "own": "It rains. | It pours."}
    assert board.state["sentences"] == ["It rains.", "It pours."], board.widget.error
    return shown(board)


def draw_maps() -> str:
    from kit.lesson import measured

    return shown(kit.boards.maps_board(measured("umap")))


def draw_whitening() -> str:
    import torch

    x = torch.randn(60, 5, generator=torch.manual_seed(1))
    fits = {"other sentences": x[40:], "the measured sentences": x[:40]}
    return shown(kit.boards.whitening_board(x[:20], x[20:40], list(range(20)), fits, "pairs"))


def draw_spectra() -> str:
    picture = kit.figures.spectra({"raw": [0.9, 0.1, 0.0], "even": [0.3, 0.3, 0.4]})
    return picture.figure.to_json() + picture.summary


def draw_frequency_map() -> str:
    picture = kit.figures.frequency_map({"PCA": [[0.0, 1.0], [1.0, 0.0]]}, [1.0, 2.0], ["It rains.", "It pours."])
    return picture.figure.to_json() + picture.summary


def draw_repairs_table() -> str:
    from kit.lesson import measured

    return kit.figures.repairs_table(measured("repairs"))._repr_html_()


def draw_margin() -> str:
    return shown(kit.boards.margin_board())


def draw_collapse_curve() -> str:
    history = [{"step": step, "loss": 1 + 1 / step, "distance": 3 / step} for step in range(1, 9)]
    picture = kit.figures.collapse_curve({"a run": history}, margin=1.0)
    return picture.figure.to_json() + picture.summary


def draw_count_curve() -> str:
    picture = kit.figures.count_curve({"two classes": {10: 200, 20: 1800}})
    return picture.figure.to_json() + picture.summary


def draw_reduction_curve() -> str:
    picture = kit.figures.reduction_curve({"mean": {1.0: 0.3, 0.1: 0.05}})
    return picture.figure.to_json() + picture.summary


def draw_region_curve() -> str:
    picture = kit.figures.region_curve({margin: {"easy": 0.5, "semi-hard": 0.3, "hard": 0.2} for margin in (0.1, 1.0)})
    return picture.figure.to_json() + picture.summary


def draw_nnpu() -> str:
    return shown(kit.boards.nnpu_board()) + shown(kit.boards.annealing_board())


def draw_labels_curve() -> str:
    picture = kit.figures.labels_curve({"measured": {"100": {"mean": 60.0, "low": 59.0, "high": 61.0}, "10": 58.0}})
    return picture.figure.to_json() + picture.summary


def draw_risk_curve() -> str:
    picture = kit.figures.risk_curve({"naive": [{"step": 1, "estimate": 0.1, "true": 0.2}]})
    return picture.figure.to_json() + picture.summary


def a_board() -> dict:
    from kit.course.papers import CLAIMS, Entry, effect_of, verdict
    from kit.course.papers.scoreboard import Measured

    claim, effect = CLAIMS["L1"], effect_of([1.0, 2.0, 3.0])
    found = verdict("above", effect)
    return {"L1": Entry(claim, (Measured(claim.parts[0], effect, 2.83, found),), found, "make claims ONLY=L1", "size")}


def draw_scoreboard() -> str:
    picture = kit.figures.scoreboard_figure(a_board())
    return picture.figure.to_json() + picture.summary


def draw_scoreboard_table() -> str:
    return kit.figures.scoreboard_table(a_board())._repr_html_()


def draw_sizes_table() -> str:
    return kit.figures.sizes_table({"small": a_board(), "larger": a_board()})._repr_html_()


def draw_verdict() -> str:
    return shown(kit.boards.verdict_board())


def draw_spans() -> str:
    return shown(kit.boards.spans_board([600, 900, 1200]))


def a_record() -> dict:
    history = [{"step": step, "loss": 1 / step, "lr": 0.1, "rows": 9} for step in range(1, 9)]
    return {
        "name": "a-run",
        "recipe": {"name": "scl", "lam": 0.3},
        "about": {"data": "some"},
        "seed": 0,
        "steps": 8,
        "sentences": 72,
        "seconds": 1.5,
        "hardware": "a machine",
        "untrained": {},
        "history": history,
    }


def draw_runs_figure() -> str:
    picture = kit.figures.runs_figure({"a run": a_record()}, ["loss"])
    return picture.figure.to_json() + picture.summary


def draw_runs_table() -> str:
    return kit.figures.runs_table({"a run": a_record()})._repr_html_()


class Bench:
    """Stands in for a workshop on which nothing was trained yet."""

    judge = "people on STS-B"

    class choice:
        recipe, data, encoder, preset, epochs_scale, lr_scale, name = (
            "scl",
            "SNLI",
            "kit-bert-tiny",
            "smoke",
            1.0,
            1.0,
            "one",
        )

    class cost:
        steps = 8

        @staticmethod
        def summary() -> str:
            return "About 3 s."

    def __init__(self):
        self.choices = {"recipe": ["scl"], "data": ["SNLI"], "encoder": ["kit-bert-tiny"], "preset": ["smoke"]}
        self.started, self.untrained = False, {"validation": 50.0, "mean_cosine": 0.7}

    def choose(self, **changes) -> None: ...
    def add_callback(self, function) -> None: ...


def draw_workshop() -> str:
    return shown(kit.boards.workshop_board(Bench(), a_record()))


# One entry for each public name of kit.boards that draws; the others are parts or results of these.
def draw_agreement() -> str:
    return shown(kit.boards.agreement_board([k / 30 for k in range(30)], [k % 6 for k in range(30)], "made-up pairs"))


def measured_systems() -> dict:
    def figures(k: int) -> dict:
        return {"pairs": 100, "spearman": 50.0 + k, "pearson": 60.0 - k}

    return {
        name: [{"STS12": {"all": figures(k), "subsets": {"a": figures(-k), "b": figures(2 * k)}}}]
        for k, name in enumerate(("raw", "trained"))
    }


def draw_conventions() -> str:
    return shown(kit.boards.conventions_board(measured_systems(), "raw", "trained"))


def draw_conventions_table() -> str:
    return kit.boards.conventions_table(measured_systems())._repr_html_()


def draw_probing_table() -> str:
    figures = {name: {"mean": 70.0, "low": 69.0, "high": 71.0} for name in ("Tense", "mean")}
    found = {
        "tasks": {"Tense": {"chance": 50.0}},
        "chance": 50.0,
        "words": {"accuracy": figures},
        "random": {"accuracy": figures},
        "untrained": {"mean": {"accuracy": figures}},
        "trained": {"scl": {"pooling": "mean", "change": figures}},
    }
    return kit.figures.probing_table(found)._repr_html_()


def draw_lengths() -> str:
    picture = kit.figures.lengths_figure({"anchor": [4, 6, 9], "positive": [12, 30, 70]}, 64)
    return picture.figure.to_json() + picture.summary


def draw_look() -> str:
    from kit.owndata import look, read

    return shown(kit.boards.look_board(look(read([("a dog runs", "an animal"), ("a red boat", "a ship")]))))


def draw_search() -> str:
    from kit.encoder import load_encoder
    from kit.retrieval import Index

    texts = ["A boat sails.", "A ship is at sea.", "Bread is fresh."]
    board = kit.boards.search_board(
        Index.build(load_encoder(), texts), Index.build(load_encoder(pooling="cls"), texts), "boats"
    )
    board.widget.controls = {**board.controls, "vote": f"up {board.state['columns'][0]['hits'][0]['id']} 0"}
    assert board.pairs() and not board.widget.error, board.widget.error
    return shown(board)


def draw_scale() -> str:
    return shown(kit.boards.scale_board(20_000.0))


def draw_speed_table() -> str:
    row = {
        "what": "loss",
        "setting": "batch 64",
        "unit": "ms",
        "ours": 2.0,
        "peer": "a loop",
        "theirs": 300.0,
        "ratio": 150.0,
        "lowest": 140.0,
        "highest": 160.0,
        "target": "≥ 100",
        "met": True,
    }
    found = {"programs": {"losses": {"rows": [row], "hardware": "a machine", "date": "a day"}}}
    return kit.figures.speed_table(found)._repr_html_()


def a_growth() -> dict:
    law = {"exponent": 1.0, "error": 0.01, "factor": 1e-3, "from": 20}
    points = [
        {"size": size, "seconds": size / 1000, "low": size / 1100, "high": size / 900, "megabytes": 0.1}
        for size in (10, 20, 40, 80)
    ]
    curve = {
        "name": "encode",
        "subject": "rows",
        "title": "encode",
        "power": 1,
        "points": points,
        "time": law,
        "memory": None,
    }
    return {"threads": 1, "subjects": {"rows": "rows of data"}, "curves": [curve]}


def draw_growth() -> str:
    picture = kit.figures.growth_figure(a_growth(), "rows")
    return picture.figure.to_json() + picture.summary


def draw_growth_table() -> str:
    return kit.figures.growth_table(a_growth())._repr_html_()


DRAWN = {
    "scale_board": draw_scale,
    "search_board": draw_search,
    "look_board": draw_look,
    "lengths_figure": draw_lengths,
    "speed_table": draw_speed_table,
    "growth_figure": draw_growth,
    "growth_table": draw_growth_table,
    "agreement_board": draw_agreement,
    "conventions_board": draw_conventions,
    "conventions_table": draw_conventions_table,
    "probing_table": draw_probing_table,
    "runs_figure": draw_runs_figure,
    "runs_table": draw_runs_table,
    "workshop_board": draw_workshop,
    "spans_board": draw_spans,
    "scoreboard_figure": draw_scoreboard,
    "scoreboard_table": draw_scoreboard_table,
    "sizes_table": draw_sizes_table,
    "verdict_board": draw_verdict,
    "nnpu_board": draw_nnpu,
    "annealing_board": draw_nnpu,
    "labels_curve": draw_labels_curve,
    "risk_curve": draw_risk_curve,
    "masks_board": draw_masks,
    "margin_board": draw_margin,
    "collapse_curve": draw_collapse_curve,
    "count_curve": draw_count_curve,
    "reduction_curve": draw_reduction_curve,
    "region_curve": draw_region_curve,
    "live_board": draw_live,
    "pulls_board": draw_pulls,
    "relations_figure": draw_relations,
    "heat_maps": draw_heat_maps,
    "cosine_histogram": draw_cosine_histogram,
    "loss_curve": draw_loss_curve,
    "before_after": draw_before_after,
    "sphere_board": draw_sphere,
    "own_sentences_board": draw_own_sentences,
    "tau_lambda_board": draw_tau_lambda,
    "explorer_board": draw_explorer,
    "padding_board": draw_padding,
    "heat_board": draw_heat,
    "maps_board": draw_maps,
    "whitening_board": draw_whitening,
    "spectra": draw_spectra,
    "frequency_map": draw_frequency_map,
    "repairs_table": draw_repairs_table,
    "temperature_board": draw_temperature,
    "sweep_curve": draw_sweep_curve,
    "weight_planes": draw_weight_planes,
    "sweep_table": draw_sweep_table,
    "neighbours_table": draw_neighbours,
    **{name: lambda name=name: getattr(kit.figures, name)().svg for name in SCHEMATICS},
}
PARTS = {
    "Board",
    "Canvas",
    "Drawing",
    "turned_rankings",
    "margin_values",
    "masks_values",
    "PageTable",
    "CaptionedFigure",
    "spans_values",
    "sweep_points",
    "temperature_values",
}


def test_no_figure_is_forgotten() -> None:
    assert {*kit.boards.__all__, *kit.figures.__all__} == DRAWN.keys() | PARTS


def test_every_figure_is_drawn() -> None:
    lengths = {}
    assert failures({name: lambda name=name: lengths.update({name: len(DRAWN[name]())}) for name in DRAWN}) == {}
    assert [name for name, length in lengths.items() if length <= 100] == []


def test_anywidget_and_plotly_widgets_work_in_colabs_ipython() -> None:
    """A whole interpreter, as a notebook's kernel has it: IPython's display of a figure widget."""
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "done = shell.run_cell('import plotly.graph_objects as go, ipywidgets\\n'\n"
        "                      'bars = go.FigureWidget([go.Bar(y=[1, 2])])\\n'\n"
        "                      'ipywidgets.VBox([bars, ipywidgets.FloatSlider()])')\n"
        "assert done.success and type(done.result).__name__ == 'VBox'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], text=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
