"""`kit train --data my.csv` and its options: read, trained, judged on a file of one's own; bad input."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from kit.commands import main, own_arguments
from kit.commands.own_arguments import add_own_arguments
from kit.commands.own_judgement import corpus_texts
from kit.commands.own_training import chosen_recipe, own_data, own_validation, shared_in_words
from kit.encoder import load_encoder
from kit.errors import KitWarning
from kit.owndata import KINDS, read
from kit.owndata.split_own import BY_COMMAND, IN_PYTHON
from tests.tiny import write_tiny_bert

NOUNS, PLACES = ("dog", "cat", "child", "bird", "man", "woman"), ("house", "river", "garden", "park", "street")
PAIRS = [(f"a {noun} near the {place}", f"the small {noun} in a {place}") for noun in NOUNS for place in PLACES]


@pytest.fixture
def command(tmp_path: Path, tmp_path_factory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tiny = write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")
    for name, rows in (("my.csv", PAIRS[:20]), ("dev.csv", PAIRS[20:])):
        Path(name).write_text("question,answer\n" + "".join(f"{a},{b}\n" for a, b in rows))
    scored = "".join(f"{a}\t{b}\t{5 * (i % 2)}\n" for i, (a, b) in enumerate(PAIRS))
    Path("scored.tsv").write_text("sentence1\tsentence2\tscore\n" + scored)
    triplets = [{"anchor": a, "positive": b, "negative": PAIRS[i - 3][1]} for i, (a, b) in enumerate(PAIRS)]
    Path("triplets.jsonl").write_text("\n".join(map(json.dumps, triplets)))
    return ["train", "--encoder", str(tiny), "--steps", "3", "--device", "cpu", "--precision", "fp32", "--quiet"]


def options_of(*said: str) -> argparse.Namespace:
    """What `kit train` makes of these options, of those that say what is read."""
    parser = argparse.ArgumentParser()
    add_own_arguments(parser)
    for name in ("data", "validation", "recipe", "preset"):
        parser.add_argument(f"--{name}")
    return parser.parse_args(said)


@pytest.mark.slow
def test_a_file_of_pairs_is_read_trained_and_judged_beside_bm25(command, capsys) -> None:
    own = "--data my.csv --anchor question --positive answer --validation dev.csv --out mine --validate-every 2".split()
    assert main([*command, *own]) == 0
    said = capsys.readouterr().out
    for words in ("20 pairs: anchor = question, positive = answer", "Recipe: mnrl, preset laptop, for", "BM25",
                  "mask_duplicates=True", "untrained  ", "Kept: ", "These rows chose", "Saved",
                  "ndcg@10: trained"):  # fmt: skip
        assert words in said
    record = json.loads(Path("mine/run.json").read_text())
    figures = [record["untrained"], *(step for step in record["history"] if "validation" in step)]
    assert record["validation"] == max(one["validation"] for one in figures), "the best of them is kept"
    assert (
        record["measure"] == "nDCG@10 × 100"
        and record["validated_on"] == "dev.csv: 10 pairs: anchor = question, positive = answer."
    )
    assert [("validation" in step) for step in record["history"]] == [False, True, True]
    assert (
        record["untrained"]["validation"] > 0
        and "nDCG@10 × 100 went from" in Path("mine/encoder/README.md").read_text()
    )
    assert load_encoder("mine/encoder").encode(["a dog"]).shape[1]


def test_a_file_of_ones_own_has_the_preset_laptop_whether_or_not_a_recipe_is_named(command) -> None:
    """The paper's own numbers of mnrl (rate 2e-5, an epoch) would be one step on 20 pairs."""
    for said, chosen in (
        ([], ("mnrl", "laptop")),
        (["--recipe", "supmpn"], ("supmpn", "laptop")),
        (["--recipe", "mnrl", "--preset", "gpu"], ("mnrl", "gpu")),
    ):
        options, lines = options_of("--data", "my.csv", *said), []
        assert chosen_recipe(options, own_data(options), lines.append) == chosen
        assert len(lines) == 1 and lines[0].startswith("Recipe: {}, preset {}".format(*chosen))


@pytest.mark.slow
def test_texts_that_the_encoder_cannot_read_are_told(command, capsys) -> None:
    Path("chinese.csv").write_text("question,answer\n你好吗,狗在哪里\n猫,房子\na dog,the dog\n", "utf-8")
    assert main([*command, "--data", "chinese.csv", "--out", "mine", "--steps", "1"]) == 0
    assert "4 of 6 sentences have no word that the vocabulary knows" in capsys.readouterr().err


@pytest.mark.slow
def test_each_kind_is_judged_in_its_own_way_and_told_as_json(command, capsys) -> None:
    for name, recipe, figure in (("scored.tsv", "cosent", "spearman"), ("triplets.jsonl", "simcse", "accuracy")):
        own = [
            "--data",
            name,
            "--validation",
            name,
            "--out",
            f"of-{recipe}",
            "--set",
            "lr=1e-12",
        ]  # and so none is better
        assert main([*command, *own, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["recipe"], found["steps"], found["kept_step"]) == (recipe, 3, 0)
        for one in ("untrained", "trained"):
            low, high = found["validation"][one]["interval"]
            assert low <= found["validation"][one][figure] <= high
        assert main([*command, *own]) == 0  # from the last checkpoint: nothing is left to train
        assert "untrained" in capsys.readouterr().out


def test_look_says_what_is_in_a_file(command, capsys) -> None:
    encoder = command[1:3]
    assert main(["look", "my.csv", *encoder, "--out", "lengths.html"]) == 0
    said = capsys.readouterr().out
    assert "20 pairs: anchor = question" in said and "Recipes that fit:" in said and "mnrl" in said
    assert "plotly" in Path("lengths.html").read_text()
    assert main(["look", "scored.tsv", *encoder, "--json", "--meaning", "0.99"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (
        found["rows"] == 30
        and found["balance"]["median"] == 0.5
        and "cosine of 0.99" in str(found)
        and found["suggestions"][0]["recipe"] == "cosent"
    )
    assert main(["look", "my.csv", *encoder, "--out", "lengths.png"]) == 2
    assert "expected --out as a file .html" in capsys.readouterr().err


@pytest.mark.slow
def test_validation_is_read_by_the_same_columns_and_shared_texts_are_told(command, capsys) -> None:
    """By itself the second file would be read the other way round."""
    files = {"odd.csv": PAIRS[:20], "odd-dev.csv": [*PAIRS[20:24], PAIRS[3], ("a new question", PAIRS[5][1])]}
    for name, rows in files.items():
        text = "".join(f"{b},{a},{i % 2}{i}\n" for i, (a, b) in enumerate(rows))
        Path(name).write_text("solution,problem,number\n" + text)
    own = "--data odd.csv --anchor problem --positive solution --validation odd-dev.csv --out odd".split()
    assert main([*command, *own]) == 0
    said = capsys.readouterr().out
    assert "Careful: 2 of 6 rows of odd-dev.csv share a text" in said and "(1 of them their anchor)" in said
    assert main([*command, "--data", "my.csv", "--validation", "dev.csv", "--out", "fair"]) == 0
    assert "Careful" not in capsys.readouterr().out


def test_a_validation_file_with_scores_is_read_with_them(command) -> None:
    Path("va.csv").write_text("question,answer,score\n" + "".join(f"{a},{b},{i}\n" for i, (a, b) in enumerate(PAIRS)))
    options = options_of("--data", "my.csv", "--validation", "va.csv")
    assert own_validation(options, own_data(options)).measure == "Spearman × 100"


def test_parquet_of_texts_is_a_file_of_ones_own_unless_the_recipe_takes_documents(command) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": ["a dog", "a cat"]}), "t.parquet")
    for recipe in ([], ["--recipe", "simcse_unsup"]):
        assert own_data(options_of("--data", "t.parquet", *recipe)).kind == "sentences", recipe
    assert own_data(options_of("--data", "t.parquet", "--recipe", "declutr")) is None


def test_bad_input_is_one_sentence(command, capsys) -> None:
    Path("texts.csv").write_text("text\na dog\na cat\n")
    Path("broken.csv").write_text("question,answer\na dog,\na cat,a hat\n")
    for own, sentence in (
        ("--data none.csv", "expected a file at none.csv"),
        ("--data my.csv --anchor qestion", "unknown column of my.csv 'qestion': did you mean 'question'?"),
        ("--data broken.csv", "1 of 2 cannot be used (line 2 has nothing as positive)"),
        ("--data broken.csv --leave-out", "expected two rows or more to train on in broken.csv, got 1"),
        ("--data my.csv --recipe cosent", "cannot fill: choose one of "),
        ("--data my.csv --validation texts.csv --out a", "to validate on, got sentences in texts.csv"),
        ("--data my.csv --validation none.csv --out a", "expected a file at none.csv"),
        ("--data scored.tsv --score-range 0 3 --sentence1 sentence1", "lie outside (all scores: 0 to 5)"),
        ("", "expected a recipe, got none"),
    ):
        assert main([*command, *own.split()]) == 2
        said = capsys.readouterr()
        assert sentence in said.err and said.err.count("\n") == 1, own


def test_what_splits_is_named_as_a_command_and_as_python_that_run(command, capsys) -> None:
    """The option that only a split reads says so."""
    rows = [(f"where{i} is{i}", f"here{i}") for i in range(20)] + [("WHERE3 IS3", "there")]
    Path("my.csv").write_text("question,answer\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert main(["look", "my.csv"]) == 0
    assert f"{BY_COMMAND}; in Python: {IN_PYTHON}" in capsys.readouterr().out
    assert main(BY_COMMAND.split()[1:]) == 0
    assert sum(len(read(path)) for path in Path("parts").iterdir()) == len(rows)
    here = {}
    exec(IN_PYTHON, here)
    assert {row for part in here["parts"].parts.values() for row in part.rows} == set(rows)
    assert shared_in_words(["a dog"], read([("a dog", "b"), ("c", "d")])).endswith(BY_COMMAND)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    assert "for kit split, without effect on other commands" in " ".join(capsys.readouterr().out.split())


def test_the_help_names_every_kind() -> None:
    assert tuple(KINDS) == own_arguments.KINDS


def test_a_nearly_shared_text_is_shared() -> None:
    first = "how do I bake a loaf of dark bread in a small oven at home"
    own = read([{"anchor": first, "positive": "with yeast"}, {"anchor": "who sings", "positive": "nobody"}])
    near = read([{"anchor": first + ", please", "positive": "slowly"}, {"anchor": "what rains", "positive": "water"}])
    said = shared_in_words(own.texts(), near)
    assert "Careful: 1 of 2 rows" in said and "(1 of them their anchor)" in said
    apart = read([{"anchor": "what rains", "positive": word} for word in ("water", "clouds")])
    assert not shared_in_words(own.texts(), apart)


def test_rows_that_are_not_trained_on_are_not_said_to_be(command, capsys) -> None:
    assert main([*command, *"--data my.csv --validation my.csv --rows 5 --steps 1".split()]) == 0
    shared = re.search(r"Careful: (\d+) of 20 rows of my.csv share a text", capsys.readouterr().out)
    assert shared is not None and 5 <= int(shared[1]) < 20


def test_a_parquet_file_in_the_form_of_the_course_needs_a_recipe_and_is_called_so(command, capsys) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(
        pa.table({"premise": ["a dog"] * 3, "hypothesis": ["a", "b", "c"], "label": [0, 1, 2]}), "nli.parquet"
    )
    assert main([*command, "--data", "nli.parquet"]) == 2
    assert "expected a recipe for nli.parquet, a file in the form of the course" in capsys.readouterr().err


def test_lines_with_tabs_are_said_to_be_one_text_each(command) -> None:
    Path("corpus.txt").write_text("d1\tIt rains.\nd2\tIt pours.\n")
    with pytest.warns(KitWarning, match="holds a tab and is read as one text"):
        assert list(corpus_texts("corpus.txt")) == ["d1\tIt rains.", "d2\tIt pours."]
    assert "It pours." in corpus_texts("corpus.txt", separator="\t", header=False)


def test_words_as_labels_in_any_type_of_text_are_a_file_of_ones_own(command) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    labels = ["entailment", "neutral", "contradiction"]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        columns = {"premise": ["a dog"] * 3, "hypothesis": ["a pet", "it runs", "a hat"]}
        pq.write_table(pa.table(columns | {"label": pa.array(labels).cast(kind)}), "words.parquet")
        assert own_data(options_of("--data", "words.parquet")).columns["label"] == [0, 1, 2], kind


@pytest.mark.slow
def test_all_columns_are_looked_at_for_words_that_cannot_be_read(command, capsys) -> None:
    Path("mixed.csv").write_text("question,answer\n" + "".join(f"a dog {i},狗在 {i}\n" for i in range(1200)), "utf-8")
    assert main([*command, "--data", "mixed.csv", "--out", "mine", "--steps", "1"]) == 0
    assert re.search(r"[\d,]+ of [\d,]+ sentences have no word that the vocabulary knows", capsys.readouterr().err)
