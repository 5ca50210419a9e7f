"""`kit evaluate --pairs`, `kit compare`, `kit search`: on files of one's own, and what is said of bad ones."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, main
from kit.commands.own_judgement import corpus_texts
from kit.encoder import load_encoder
from kit.errors import KitWarning
from kit.evaluation import pair_cosines
from kit.owndata import read
from kit.retrieval import best_threshold, evaluate_retrieval, same_or_not
from kit.retrieval.retrieval_task import task_from_pairs
from tests.tiny import tiny_encoder

ROOT = Path(__file__).resolve().parents[2]
TOPICS = ("dog", "cat", "bird", "kite", "river", "garden", "house", "hat")
PAIRS = [(f"where is the {one}", f"the {one} is near the old house") for one in TOPICS]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a tiny encoder, pairs, more texts, scored pairs and triplets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_DATA", raising=False)
    tiny_encoder(tmp_path / "source").save(tmp_path / "run" / "encoder", "---\na: b\n---\n# Tiny\nTrained on nothing.")
    tiny_encoder(tmp_path / "source", pooling="cls").save(tmp_path / "other")
    rows = "".join(f"{a},{p}\n" for a, p in PAIRS)
    Path("dev.csv").write_text(f"question,answer\n{rows}")
    Path("corpus.jsonl").write_text("".join(json.dumps({"text": f"a {one} sleeps"}) + "\n" for one in TOPICS))
    Path("corpus.txt").write_text("the dog runs\n\na red kite\nthe dog runs\nnobody sings\n")
    scored = "".join(f"{a},{p},{i % 5}\n" for i, (a, p) in enumerate(PAIRS))
    Path("scored.csv").write_text(f"sentence1,sentence2,score\n{scored}")
    triplets = "".join(f"{a},{p},nobody sings\n" for a, p in PAIRS)
    Path("triplets.csv").write_text(f"anchor,positive,negative\n{triplets}")
    return tmp_path


def said(capsys: pytest.CaptureFixture, *arguments: str) -> str:
    code = main([*arguments])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


COLUMNS = ("--anchor", "question", "--positive", "answer")


@pytest.mark.slow
def test_a_terminal_gets_no_command_of_a_files_name(here: Path, capsys: pytest.CaptureFixture) -> None:
    for name in ("corpus.txt", "dev.csv", "scored.csv", "run"):
        Path(name).rename(f"\x1b[31m{name}")
    run, pairs = "\x1b[31mrun", ("--pairs", "\x1b[31mdev.csv", *COLUMNS)
    for given in (
        ("search", run, "\x1b[31mcorpus.txt", "--query", "a", "--index", "\x1b[31mkept"),
        ("compare", run, "other", *pairs, "--resamples", "20"),
        ("compare", run, "other", "--pairs", "\x1b[31mscored.csv", "--resamples", "20"),
        ("export", run, "--out", "shared", *pairs, "--resamples", "20"),
    ):
        assert main([*given]) == 0
        shown = capsys.readouterr()
        assert "\x1b" not in shown.out + shown.err, given
    card = Path("shared/README.md").read_text("utf-8")
    assert "dev.csv: 8 queries" in card and "\x1b" not in card


@pytest.mark.slow
def test_an_encoder_is_judged_beside_bm25_and_the_raw_one(here: Path, capsys: pytest.CaptureFixture) -> None:
    given = (
        "evaluate",
        "run",
        "--pairs",
        "dev.csv",
        "--retrieval",
        "corpus.jsonl",
        "--raw",
        "other",
        *COLUMNS,
        "--quiet",
    )
    shown = said(capsys, *given)
    assert "8 queries, 16 documents" in shown and "question" in shown.splitlines()[1]
    assert [line.split()[0] for line in shown.splitlines() if "[" in line][:3] == ["BM25", "raw", "run"]
    assert shown.count("interval") >= 2
    found = json.loads(said(capsys, *given, "--json"))
    task = task_from_pairs(*zip(*PAIRS), others=[f"a {one} sleeps" for one in TOPICS])
    report = evaluate_retrieval(load_encoder(here / "run" / "encoder"), task)
    assert found["systems"]["run"]["figures"] == pytest.approx(report.figures())
    assert found["systems"]["run"]["intervals"]["mrr@10"][0] == pytest.approx(report.intervals()["mrr@10"].low)
    assert "triplet accuracy" in said(capsys, "evaluate", "run", "--pairs", "triplets.csv", "--raw", "none", "--quiet")
    scored = said(capsys, "evaluate", "run", "--pairs", "scored.csv", "--raw", "other", "--quiet")
    assert "run: Spearman" in scored and "raw (other): Spearman" in scored


def test_the_best_possible_precision_stands_beside_what_was_measured(here: Path, capsys: pytest.CaptureFixture) -> None:
    """Four texts a class have three others each, of ten that are looked at."""
    rows = "".join(f"the {one} is near,{'animal' if one in TOPICS[:4] else 'thing'}\n" for one in TOPICS)
    Path("topics.csv").write_text(f"text,label\n{rows}")
    given = ("--pairs", "topics.csv", "--kind", "classes", "--resamples", "0", "--quiet")
    told = "the best possible precision@10 is 30.00, as 8 of 8 queries have fewer than 10 relevant documents"
    for command in (("evaluate", "run", "--raw", "none"), ("compare", "run", "other")):
        assert told in said(capsys, *command, *given)
        assert json.loads(said(capsys, *command, *given, "--json"))["task"].endswith(told)
    said(capsys, "export", "run", "--out", "shared", *given[:-1])
    assert told in Path("shared/README.md").read_text("utf-8")


@pytest.mark.slow
def test_two_encoders_are_compared_on_the_same_pairs(here: Path, capsys: pytest.CaptureFixture) -> None:
    shown = said(capsys, "compare", "run", "other", "--pairs", "dev.csv", *COLUMNS, "--quiet")
    assert "difference" in shown and "ndcg@10: run" in shown
    found = json.loads(said(capsys, "compare", "run", "other", "--pairs", "dev.csv", *COLUMNS, "--quiet", "--json"))
    compared = found["comparisons"][0]
    assert compared["names"] == ["run", "other"] and compared["rows"]["mrr@10"]["p"] <= 1 and "BM25" in found["systems"]
    assert "Spearman" in said(capsys, "compare", "run", "other", "--pairs", "scored.csv", "--quiet")
    scored = json.loads(said(capsys, "compare", "run", "other", "--pairs", "scored.csv", "--quiet", "--json"))
    assert scored["comparisons"][0]["names"] == ["run", "other"] and {"run", "other"} <= scored["systems"].keys()
    for more in ((), ("--resamples", "0")):
        told = said(capsys, "compare", "run", "other", "--pairs", "triplets.csv", "--quiet", "--json", *more)
        alone = said(capsys, "evaluate", "run", "--pairs", "triplets.csv", "--raw", "none", "--quiet", "--json")
        accuracies = json.loads(told)["triplet accuracy"]
        assert accuracies["run"] == json.loads(alone)["triplet accuracy"] and set(accuracies) == {"run", "other"}
    assert said(capsys, "compare", "run", "other", "--pairs", "triplets.csv", "--quiet").count("triplet accuracy") == 2


@pytest.mark.slow
def test_a_search_prints_the_nearest_and_keeps_its_index(
    here: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = said(
        capsys, "search", "run", "corpus.txt", "--query", "the dog runs", "--k", "2", "--index", "kept", "--quiet"
    )
    assert shown.splitlines()[:2] == ["the dog runs", "  1.000  the dog runs"] and len(shown.splitlines()) == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("a red kite\n \nnobody sings\n"))
    lines = said(capsys, "search", "run", "--index", "kept", "--quiet", "--json").splitlines()
    assert [json.loads(line)["hits"][0]["text"] for line in lines] == ["a red kite", "nobody sings"]
    assert json.loads(lines[0])["hits"][0]["score"] == pytest.approx(1, abs=1e-5)
    for arguments, words in (
        (("search", "other", "--index", "kept", "--query", "a"), "expected the encoder that made the index"),
        (
            ("search", "run", "corpus.jsonl", "--index", "kept", "--query", "a"),
            "are not in the file: leave the file out",
        ),
        (("search", "run", "--query", "a"), "expected a file of texts or --index"),
    ):
        assert main([*arguments]) == BAD_INPUT and words in capsys.readouterr().err


def test_a_typed_line_that_is_no_text_is_named_and_the_others_are_answered(
    here: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"a red kite\ncaf\xe9\nnobody sings\n"), "utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    assert main(["search", "run", "corpus.txt", "--quiet", "--json"]) == BAD_INPUT
    shown = capsys.readouterr()
    assert [json.loads(line)["query"] for line in shown.out.splitlines()] == ["a red kite", "nobody sings"]
    first, last = shown.err.splitlines()
    assert first == "kit: line 2 of the input is not text in utf-8."
    assert "queries as text in utf-8, but line 2 of the input cannot be read so: convert the input" in last


def test_without_an_input_a_search_is_refused_before_the_work(
    here: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["search", "nowhere", "corpus.txt"]) == BAD_INPUT
    assert "expected queries on the input, but it is closed: give them with --query" in capsys.readouterr().err


def test_a_file_is_searched_as_its_options_say(here: Path, capsys: pytest.CaptureFixture) -> None:
    (here / "latin.csv").write_bytes("\n".join(f"{i};Straße {i};weg" for i in range(6)).encode("latin-1"))
    how = ("--encoding", "latin-1", "--separator", ";", "--no-header", "--text", "column 2")
    assert main(["search", "run", "latin.csv", *how, "--query", "Straße 3"]) == 0
    assert "text = column 2" in capsys.readouterr().err, "how a table was read is told"
    shown = said(capsys, "search", "run", "latin.csv", *how, "--query", "Straße 3", "--k", "9", "--quiet")
    assert sorted(line[9:] for line in shown.splitlines()[1:]) == [f"Straße {i}" for i in range(6)]
    (here / "latin.txt").write_bytes("Straße\n\nweg; und fort\n".encode("latin-1"))
    (here / "blank.txt").write_text("a dog\n\u200b\na cat\n", "utf-8")
    assert corpus_texts("blank.txt") == {"a dog": 1, "a cat": 3}, "what shows nothing is no text"
    shown = said(capsys, "search", "run", "latin.txt", "--encoding", "latin-1", "--query", "weg", "--quiet")
    assert sorted(line[9:] for line in shown.splitlines()[1:]) == ["Straße", "weg; und fort"]
    for arguments, words in (
        (
            ("search", "run", "latin.txt", "--encoding", "latin-x", "--query", "a"),
            "expected the name of an encoding, got 'latin-x'",
        ),
        (("search", "run", "--index", "kept", "--text", "a", "--query", "a"), "expected a file of texts beside"),
    ):
        assert main([*arguments]) == BAD_INPUT and words in capsys.readouterr().err


@pytest.mark.slow
def test_the_questions_of_a_file_of_pairs_are_no_documents(
    here: Path, capsys: pytest.CaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    rows = [{"anchor": "where is it", "positive": "the dog runs", "negative": "nobody sings"}]
    (here / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for file, more in (("dev.csv", 0), ("more.jsonl", 2), ("corpus.jsonl", 8), ("corpus.txt", 3)):
        given = ("--pairs", "dev.csv", *COLUMNS, "--retrieval", file, "--raw", "none", "--resamples", "0", "--quiet")
        assert f"8 queries, {8 + more} documents" in said(capsys, "evaluate", "run", *given), file
    assert not [one for one in recwarn if "documents too" in str(one.message)]


def test_options_of_reading_hold_for_further_documents_too(here: Path, capsys: pytest.CaptureFixture) -> None:
    (here / "more.csv").write_bytes('text\nStraße\n""\nein Weg\n'.encode("latin-1"))
    given = ("--pairs", "dev.csv", *COLUMNS, "--retrieval", "more.csv", "--raw", "none", "--resamples", "0", "--quiet")
    assert main(["evaluate", "run", *given, "--encoding", "latin-1"]) == 2
    assert "--leave-out" in capsys.readouterr().err
    assert "8 queries, 10 documents" in said(capsys, "evaluate", "run", *given, "--encoding", "latin-1", "--leave-out")


def test_scores_that_run_the_other_way_are_told(here: Path, capsys: pytest.CaptureFixture) -> None:
    same = [(f"the {one} is near the {two}",) * 2 + (0,) for one in TOPICS for two in TOPICS]
    other = [(f"the {one} sleeps", f"nobody sings near a red {two}", 5) for one in TOPICS for two in TOPICS]
    (here / "far.csv").write_text("sentence1,sentence2,score\n" + "".join(f"{a},{b},{s}\n" for a, b, s in same + other))
    printed = said(capsys, "evaluate", "run", "--pairs", "far.csv", "--raw", "none", "--resamples", "50", "--quiet")
    assert "a high score must mean alike" in printed and "a perfect order has Spearman × 100 = 86.6" in printed
    assert "repeat" not in printed
    (here / "far.csv").write_text((here / "far.csv").read_text() + f"{same[0][0]},{same[0][1]},0\n" * 2)
    printed = said(capsys, "evaluate", "run", "--pairs", "far.csv", "--raw", "none", "--resamples", "50", "--quiet")
    count = len(same) + len(other) + 2
    assert f"2 of {count} pairs repeat another: an interval takes each for evidence of its own" in printed


def test_lines_are_read_in_the_encoding_that_their_bytes_tell(here: Path) -> None:
    (here / "SIXTEEN.TXT").write_text("Straße, lang\nWeg, kurz\n", "utf-16")
    assert corpus_texts("SIXTEEN.TXT") == {"Straße, lang": 1, "Weg, kurz": 2}
    (here / "latin.txt").write_bytes("Straße\n".encode("latin-1"))
    with pytest.warns(KitWarning, match="latin.txt is not UTF-8 .line 1., so it was read as Windows-1252"):
        assert corpus_texts("latin.txt") == {"Straße": 1}
    (here / "one.txt").write_text("Weg\u2028kurz\x85eben\n", "utf-8")
    assert list(corpus_texts("one.txt")) == ["Weg\u2028kurz\x85eben"], "as kit.owndata.read reads it"


def test_a_hit_names_the_row_of_its_file_and_titles_beside_texts_are_told(
    here: Path, capsys: pytest.CaptureFixture
) -> None:
    """Copies stand in the index once, so a text's number there is no place in the file; the row is."""
    (here / "lines.txt").write_text("a red kite\n\na red kite\nnobody sings\n", "utf-8")
    rows = [("the dog", "the dog runs"), ("the dog", "nobody sings"), ("a kite", "a red kite flies")] * 2
    (here / "titles.csv").write_text("title,body\n" + "".join(f"{title},{body}\n" for title, body in rows), "utf-8")
    for file, query, id, row in (
        ("lines.txt", "nobody sings", 1, 4),
        ("titles.csv", "a kite", 1, 4),
        ("titles.csv", "nobody sings", 3, 3),
    ):
        [line] = said(capsys, "search", "run", file, "--query", query, "--k", "1", "--json", "--quiet").splitlines()
        [hit] = json.loads(line)["hits"]
        assert (hit["id"], hit["row"], hit["text"]) == (id, row, query)
    kept = ("search", "run", "lines.txt", "--index", "kept", "--query", "nobody sings", "--k", "1", "--json", "--quiet")
    for before in ("", "\n\n"):  # as it was built, and where the same texts stand further down
        (here / "lines.txt").write_text(before + "a red kite\n\na red kite\nnobody sings\n", "utf-8")
        assert json.loads(said(capsys, *kept))["hits"][0]["row"] == 4 + len(before)
    assert main(["search", "run", "titles.csv", "--query", "a kite"]) == 0
    assert "The texts of title and body are found one by one; to find those of one column, name it: --text body." in (
        capsys.readouterr().err
    )
    shown = said(capsys, "search", "run", "titles.csv", "--query", "a kite", "--text", "body", "--k", "9", "--quiet")
    assert sorted(line[9:] for line in shown.splitlines()[1:]) == ["a red kite flies", "nobody sings", "the dog runs"]


def test_bad_input_is_one_sentence_and_exit_code_2(here: Path, capsys: pytest.CaptureFixture) -> None:
    (here / "empty.txt").write_text("\n \n")
    (here / "latin.txt").write_bytes("Straße\n".encode("latin-1"))
    (here / "folder.csv").mkdir()
    (here / "sentences.csv").write_text("text\na dog\na cat\n")
    (here / "one.csv").write_text("anchor,positive\na dog,the dog\n")
    (here / "same.csv").write_text("sentence1,sentence2,score\na,b,1\nc,d,1\n")
    (here / "blank.csv").write_text("anchor,positive\na dog,\nb,c\n")
    for arguments, words in (
        (("evaluate", "run", "--retrieval", "corpus.jsonl"), "expected --pairs beside --retrieval"),
        (("evaluate", "run", "--pairs", "no.csv"), "no.csv"),
        (("evaluate", "run", "--pairs", "folder.csv"), "folder.csv"),
        (("evaluate", "run", "--pairs", "sentences.csv"), "sentences"),
        (("evaluate", "run", "--pairs", "same.csv"), "score"),
        (("evaluate", "run", "--pairs", "blank.csv"), "1 of 2 cannot be used"),
        (("evaluate", "run", "--pairs", "dev.csv", "--anchor", "qestion"), "qestion"),
        (("evaluate", "run", "--pairs", "dev.csv", *COLUMNS, "--retrieval", "empty.txt"), "empty.txt, but it is empty"),
        (("evaluate", "nowhere/model", "--pairs", "dev.csv"), "nowhere/model"),
        (("evaluate", "run", "--pairs", "dev.csv", *COLUMNS, "--raw", "nowhere/model"), "nowhere/model"),
        (("compare", "run", "run", "--pairs", "dev.csv"), "got run twice"),
        (("compare", "run", "other", "--retrieval", "corpus.txt"), "expected --pairs beside"),
        (("search", "run", "empty.txt", "--query", "a"), "empty.txt, but it is empty"),
        (("search", "run", "latin.txt", "--query", "a", "--encoding", "utf-8"), "latin.txt as text in utf-8"),
        (("search", "run", "no.txt", "--query", "a"), "a text file at no.txt"),
        (("search", "run", "folder.csv", "--query", "a"), "folder.csv"),
        (("search", "run", "corpus.txt", "--query", " "), "expected words in every --query, got"),
        (("search", "run", "corpus.txt", "--query", "a", "--index", "dev.csv"), "dev.csv is a file"),
        (("export", "run", "--out", "dev.csv"), "dev.csv is a file, which would be lost"),
        (("export", "run", "--out", "x", "--pairs", "corpus.txt"), "expected pairs, triplets or scored"),
        (("export", "run", "--out", "x", "--dim", "4", "--onnx"), "expected --dim or --onnx, got both"),
        (("export", "run", "--out", "x", "--dim", "999"), "expected dimensions from 1 to the encoder's"),
        (("push", "run", "you/model"), "expected a folder with an exported encoder"),
        (("push", "other", "you/model"), "expected a card"),
    ):
        assert main([*arguments]) == BAD_INPUT, arguments
        error = capsys.readouterr().err.strip().splitlines()[-1]
        assert error.startswith("kit: ") and words in error and "Traceback" not in error, (arguments, error)
    assert main(["evaluate", "run", "--pairs", "one.csv", "--raw", "none", "--quiet"]) == 0  # one row: no interval
    assert "too few queries" in capsys.readouterr().out


@pytest.mark.slow
def test_what_was_exported_is_searched_in_a_shell(here: Path, capsys: pytest.CaptureFixture) -> None:
    said(capsys, "export", "run", "--out", "exported", "--what", "Tiny.", "--pairs", "dev.csv", *COLUMNS, "--quiet")
    script = 'set -e; echo "a red kite" | "$PYTHON" -m kit search exported corpus.txt --k 1 --quiet > found.txt'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(["bash", "-c", script], cwd=here, text=True, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    card = (here / "exported" / "README.md").read_text()
    assert "Tiny." in card and "| exported |" in card and "## Limits" in card and "Trained on nothing." in card
    assert (here / "found.txt").read_text() == "a red kite\n  1.000  a red kite\n"


@pytest.mark.slow
def test_vectors_cut_on_export_are_searched(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "run", "--out", "short", "--dim", "8", "--quiet"]) == 0
    card = (here / "short" / "README.md").read_text()
    assert "vectors of 8" in card and "- The vectors are the first 8 of 32 dimensions, and nothing says" in card
    assert "(Matryoshka): what the other dimensions held is lost. Measure them" in capsys.readouterr().err
    assert main(["search", "short", "corpus.txt", "--query", "a red kite", "-k", "1", "--quiet"]) == 0
    assert capsys.readouterr().out == "a red kite\n  1.000  a red kite\n"


def test_what_cannot_be_exported_is_told_for_what_it_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "export", "run", "--out", "short", "--dim", "8")
    assert main(["export", "short", "--out", "again"]) == BAD_INPUT
    assert "whose vectors are cut, normalised or made by sentence-transformers" in capsys.readouterr().err


@pytest.fixture
def labelled(here: Path) -> None:
    """Two files of pairs that are the same or not, and one with three classes."""
    for name, rows in (("first.csv", TOPICS[:5]), ("second.csv", TOPICS[5:])):
        pairs = [(f"the {a} is near", f"a {b} sleeps", "same" if a == b else "other") for a in rows for b in rows]
        Path(name).write_text("sentence1,sentence2,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c in pairs))
    Path("three.csv").write_text("sentence1,sentence2,label\na,b,entailment\nb,c,neutral\nc,d,contradiction\n")


def test_pairs_of_two_classes_are_told_apart_at_a_threshold(labelled, capsys: pytest.CaptureFixture) -> None:
    given = ("--pairs", "first.csv", "--quiet", "--resamples", "50")
    shown = said(capsys, "evaluate", "run", "--raw", "none", *given)
    assert "run: average precision" in shown and "chosen on these very pairs" in shown and "--threshold-from" in shown
    found = json.loads(said(capsys, "evaluate", "run", "--raw", "none", *given, "--json"))["systems"]["run"]
    figures = found["same or not"]["figures"]
    cosines, same = cosines_of("run/encoder", "first.csv")
    assert figures == pytest.approx(same_or_not(cosines, same, resamples=0).figures)
    both = ("compare", "run", "other", *given, "--threshold-from", "second.csv")
    shown = said(capsys, *both)
    assert "chosen on second.csv, by F1" in shown and "optimistic" not in shown
    assert "average precision: run" in shown and "95% interval" in shown.splitlines()[-1]
    systems = json.loads(said(capsys, *both, "--json"))["systems"]
    for name, folder in (("run", "run/encoder"), ("other", "other")):
        threshold = best_threshold(*cosines_of(folder, "second.csv"))
        one = systems[name]["same or not"]
        assert one["threshold"] == pytest.approx(threshold) and one["chosen_on"] == "second.csv, by F1"
        judged = same_or_not(*cosines_of(folder, "first.csv"), threshold, resamples=0)
        assert one["figures"] == pytest.approx(judged.figures)
    shown = said(capsys, *both[:-1], "first.csv")
    assert "Careful: 25 of 25 pairs of first.csv stand in first.csv too" in shown


def cosines_of(folder: str, file: str) -> tuple:
    data, encoder = read(file), load_encoder(folder)
    cosines = pair_cosines(encoder.encode(data["sentence1"]), encoder.encode(data["sentence2"]))
    return cosines, [label == data.positive_label for label in data["label"]]


def test_where_there_are_no_two_classes_a_threshold_is_refused(labelled, capsys: pytest.CaptureFixture) -> None:
    for pairs, others in (("three.csv", "first.csv"), ("first.csv", "three.csv"), ("first.csv", "dev.csv"),
                          ("scored.csv", "first.csv"), ("triplets.csv", "first.csv")):  # fmt: skip
        asked = ["--pairs", pairs, "--threshold-from", others, "--resamples", "0", "--quiet"]
        assert main(["evaluate", "run", "--raw", "none", *asked]) == BAD_INPUT, (pairs, others)
        assert "beside pairs of two classes" in capsys.readouterr().err
    assert main(["evaluate", "run", "--threshold-from", "first.csv"]) == BAD_INPUT
    assert "expected --pairs beside --threshold-from" in capsys.readouterr().err
    assert "threshold" not in said(capsys, "evaluate", "run", "--pairs", "three.csv", "--raw", "none", "--quiet")
