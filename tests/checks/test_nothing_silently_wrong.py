"""What once gave a wrong result without a word gives the right one, or one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from kit.checks.sentences import is_blank
from kit.checks.swallowed_rows import with_rows_inside
from kit.checks.tensor_checks import integers
from kit.data import Table, group_by_premise, load, load_sts
from kit.data.table import Source
from kit.encoder import load_encoder
from kit.encoder.whitening import whitening
from kit.errors import KitError, KitWarning
from kit.evaluation import effective_rank, evaluate_sts, geometry
from kit.losses import masked_softmax, nt_xent, nt_xent_relations, supcon
from kit.paths import output
from kit.scaling.row_stream import load_stream, stream_of
from kit.training.recipes import recipe

HEAD = "premise,hypothesis,label\n"


def table(**columns: list) -> Table:
    return Table(columns, Source("mine", "train", "own", "memory", "none", len(columns["label"])))


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


def test_a_path_is_a_name_and_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "with [1] and *"
    folder.mkdir()
    (folder / "s*.csv").write_text(HEAD + "a,b,0\n")
    (folder / "sOTHER.csv").write_text(HEAD + "x,y,0\n")
    stream = load_stream("mine", path=folder / "s*.csv")
    assert [group.anchor for group in stream.epoch()] == ["a"]


def test_words_that_mean_nothing_to_pandas_are_words_in_a_csv(tmp_path: Path) -> None:
    words = ["NA", "null", "None", "nan"]
    (tmp_path / "words.csv").write_text(HEAD + "".join(f"a,{word},0\n" for word in words))
    [group] = load_stream("mine", path=tmp_path / "words.csv").epoch()
    assert list(group.positives) == words


@pytest.mark.parametrize("label", ["dog", ""])
def test_one_bad_label_in_a_csv_is_told_with_its_own_row(tmp_path: Path, label: str) -> None:
    """It makes text of the whole column, and the first row is not the one to blame."""
    (tmp_path / "labels.csv").write_text(HEAD + "a,b,0\n" * 5 + f"c,d,{label}\n" + "e,f,1\n")
    with pytest.raises(KitError, match=f"but line 7 of labels.csv has '{label}'"):
        load_stream("mine", path=tmp_path / "labels.csv")


def test_a_column_that_stands_twice_is_refused_in_every_format(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "twice.csv").write_text("premise,hypothesis,hypothesis,label\na,b,c,0\n")
    columns = [pa.array(values) for values in (["a"], ["b"], ["c"], [0])]
    pq.write_table(
        pa.Table.from_arrays(columns, ["premise", "hypothesis", "hypothesis", "label"]), tmp_path / "twice.parquet"
    )
    for read in (
        lambda: load_stream("mine", path=tmp_path / "twice.csv"),
        lambda: load("mine", path=tmp_path / "twice.parquet"),
        lambda: load_stream("mine", path=tmp_path / "twice.parquet"),
    ):
        with pytest.raises(KitError, match="'hypothesis' occurs again"):
            read()


def test_a_csv_given_to_load_is_told_apart_from_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(HEAD + "a,b,0\n")
    with pytest.raises(KitError, match="load_stream reads CSV"):
        load("mine", path=tmp_path / "x.csv")


def test_yes_and_no_are_no_labels_and_no_scores(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="row 0 has True"):
        group_by_premise(table(premise=["a"], hypothesis=["b"], label=[True]))
    with pytest.raises(KitError, match="labels as one integer per row"):
        integers("labels", [True, False])
    pd.DataFrame({"sentence1": ["a"], "sentence2": ["b"], "score": [True]}).to_parquet(tmp_path / "test.parquet")
    with pytest.raises(KitError, match="a score must be from 0 to 5, but row 0 has True"):
        load_sts("STS-B", path=tmp_path)


def test_what_shows_nothing_is_blank(encoder) -> None:
    for text in ("\u200b", "\ufeff", "\u00ad", "\x00\x01", " \t\u2060", "\u0301"):
        assert is_blank(text)
        with pytest.raises(KitError, match="number 1 is empty or blank"):
            encoder.encode(["a dog", text])
    assert not any(map(is_blank, ("a", "?", "🙂", "漢", "1", "$")))
    groups = group_by_premise(table(premise=["a", "\u200b"], hypothesis=["b", "c"], label=[0, 0]))
    assert len(groups) == 1 and groups.dropped["empty"] == 1
    assert stream_of(["a", "\u200b", "b"]).head(3) == ["a", "b"]


def test_sentences_without_a_known_word_are_told(encoder) -> None:
    with pytest.warns(KitWarning, match="2 of 3 .* no word that the vocabulary knows, such as '漢' ") as told:
        vectors = encoder.encode(["A boat sails.", "漢", "x" * 120])
    assert "number" not in str(told[0].message), "an index encodes its texts in another order than they were given in"
    assert torch.equal(vectors[1], vectors[2]), "one unknown word each"


def test_a_known_comma_makes_no_sentence_readable(encoder) -> None:
    with pytest.warns(KitWarning, match="2 of 3 .* no word that the vocabulary knows, such as '漢, 漢' "):
        encoder.encode(["漢, 漢", "A boat 漢?", "漢."])


def test_sentences_with_a_known_word_are_not(encoder, recwarn: pytest.WarningsRecorder) -> None:
    encoder.encode(["A boat 漢字.", "?"])
    assert [one for one in recwarn if issubclass(one.category, KitWarning)] == []


def test_spaces_in_the_middle_do_not_cut_a_sentence(encoder) -> None:
    ids = encoder.tokenize(["dog" + " " * 20_000 + "cat", "dog cat", "dog"])
    assert ids[0] == ids[1] != ids[2]


def test_half_a_character_a_frame_and_a_set_are_no_sentences(encoder) -> None:
    for given, says in [
        (["a \ud800 b"], "number 0 holds half of a character"),
        (pd.DataFrame({"sentence": ["a"]}), "got DataFrame"),
        ({"a", "b"}, "got set"),
    ]:
        with pytest.raises(KitError, match=says):
            encoder.encode(given)
    with pytest.raises(KitError, match="expected rows as a list or a function, got a DataFrame"):
        stream_of(pd.DataFrame({"sentence": ["a"]}))


def test_vectors_whose_length_overflows_are_refused_before_their_loss_is_wrong() -> None:
    z = torch.randn(8, 4, generator=torch.Generator().manual_seed(0))
    for call in (lambda z: nt_xent(z), lambda z: masked_softmax(z, nt_xent_relations(4), 0.05)):
        torch.testing.assert_close(call(z * 1e12), call(z), rtol=1e-5, atol=1e-6)
        for large in (z.abs() * 1e30, -z.abs() * 1e30):
            with pytest.raises(KitError, match="components of at most 1e[+]15"):
                call(large)
        torch.testing.assert_close(call(z.double() * 1e30), call(z.double()))
    with pytest.raises(KitError, match="temperature above 0"):
        nt_xent(z, temperature=1e-300)
    assert not torch.isfinite(supcon(torch.full((4, 2), float("nan")), [0, 0, 1, 1]))  # NaN shows


@pytest.mark.parametrize(("rows", "most"), [(20, 3), (100, 5)])
def test_cells_of_several_lines_in_a_single_column_are_told_where_they_are_few(rows: int, most: int) -> None:
    """Up to three, or one row in twenty; where more are so, it is how the texts of the file are written."""
    for few, told in ((most, [*range(most)]), (most + 1, [])):
        assert with_rows_inside([["one\ntwo\nthree"]] * few + [["one"]] * (rows - few), ",", 1) == told


def test_whitening_of_equal_or_broken_vectors_is_refused() -> None:
    for seed in range(6):
        row = torch.randn(1, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        with pytest.raises(KitError, match="got equal ones"):
            whitening(row.repeat(300, 1))
    for broken in (float("nan"), float("inf")):
        with pytest.raises(KitError, match="expected finite vectors"):
            whitening(torch.full((6, 3), broken))
    with pytest.raises(KitError, match="dim as a whole number from 1"):
        whitening(torch.randn(6, 3), dim="3")


def test_measures_refuse_what_they_cannot_mean(encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KitError, match="shares of a spectrum"):
        effective_rank([-1, 2])
    with pytest.raises(KitError, match="expected threshold as a cosine, got nan"):
        geometry(torch.randn(4, 3), threshold=float("nan"))
    with pytest.raises(KitError, match="they are complex"):
        geometry(torch.ones(4, 3, dtype=torch.complex64))
    monkeypatch.delenv("KIT_DATA", raising=False)
    with pytest.warns(KitWarning), pytest.raises(KitError, match="expected average_over as a list, got 'STS-B'"):
        evaluate_sts(encoder, load_sts("STS-B", rows=4), average_over="STS-B", progress=False)


def test_seeds_and_numbers_of_numpy() -> None:
    with pytest.raises(KitError, match="expected seed as a whole number from 0, got None"):
        load("stanfordnlp/snli", rows=4, seed=None)
    made = recipe("scl", batch_size=np.int64(8), temperature=np.float32(0.5), lam=np.int64(1))
    assert (made.batch_size, made.options.temperature, made.options.lam) == (8, 0.5, 1)
    assert type(made.batch_size) is int and type(made.options.temperature) is float


def test_where_this_folder_takes_no_files_a_temporary_one_is_said_once(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KIT_OUT", raising=False)
    monkeypatch.chdir(tmp_path)
    assert output("a.json") == Path(".kit/a.json")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.warns(
        KitWarning, match="takes no files: what is kept goes to .* KIT_OUT names a folder that stays"
    ) as told:
        first = output("a.json")
    assert output("b.json").parent == first.parent and first.parent.is_dir() and len(told) == 1
    monkeypatch.delenv("KIT_OUT")


def test_the_command_line_says_what_is_wrong_before_it_loads_anything(monkeypatch, tmp_path: Path, capsys) -> None:
    from kit.commands import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kit.commands.train_command.load_encoder", lambda *given, **more: pytest.fail("was loaded"))
    monkeypatch.setattr("kit.commands.train_command.load_data", lambda *given: pytest.fail("was loaded"))
    for name in ("my run", "scl.v2"):
        assert main(["train", "--recipe", "scl", "--out", name]) == 2
        assert "name has letters, digits, - and _ only" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "--recipe", "scl", "--seed", "9" * 30])
    assert "at most 18 digits" in capsys.readouterr().err
