"""What comes after training: an interrupted, resumed or finished run, what is measured, exported and searched next."""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, INTERRUPTED, main, train_command
from kit.commands.interrupts import stopping_with_a_checkpoint
from kit.commands.own_arguments import ROLES
from kit.commands.train_command import course_texts, measuring
from kit.data.nli import Group
from kit.encoder import load_encoder
from kit.encoder.find import DEFAULT
from kit.errors import KitError, KitWarning
from kit.owndata import own_validation
from kit.sharing import OnnxEncoder, encoder_card, onnx_export
from kit.workshop.run_record import Run
from kit.workshop.validation import measure_of
from tests.tiny import tiny_encoder, write_tiny_bert

NOUNS, PLACES = ("dog", "cat", "child", "bird"), ("house", "river", "garden", "park", "street")
PAIRS = [(f"a {noun} near the {place}", f"the small {noun} in a {place}") for noun in NOUNS for place in PLACES]
QUICK = ("--set", "batch_size=4", "--steps", "4", "--device", "cpu", "--precision", "fp32", "--quiet")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with pairs to train on and to judge by, scored and labelled ones, and a small encoder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name, rows in (("my.csv", PAIRS[:15]), ("dev.csv", PAIRS[15:])):
        Path(name).write_text("question,answer\n" + "".join(f"{a},{b}\n" for a, b in rows))
    scored = "".join(f"{a},{b},{i % 5}\n" for i, (a, b) in enumerate(PAIRS))
    Path("scored.csv").write_text(f"sentence1,sentence2,score\n{scored}")
    Path("corpus.txt").write_text("the dog runs\na red kite\nnobody sings\n")
    return write_tiny_bert(tmp_path / "tiny")


def train(tiny: Path, *more: str) -> int:
    return main(["train", "--data", "my.csv", "--encoder", str(tiny), "--out", "mine", *QUICK, *more])


class Told:
    """A run that counts how often it was told to stop."""

    times, running = 0, True

    def stop_soon(self) -> None:
        self.times += 1


class Interrupted(Run):
    """A run whose user presses Ctrl-C after the second step."""

    def _after_step(self, step: dict) -> None:
        super()._after_step(step)
        if step["step"] == 2:
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_leaves_a_checkpoint_from_which_the_same_command_goes_on(
    tiny: Path, heard: None, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(train_command, "Run", Interrupted)
    assert train(tiny, "--validation", "dev.csv") == INTERRUPTED
    assert "the same command goes on from the newest checkpoint" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before and not Path("mine/encoder").exists()
    monkeypatch.undo()
    monkeypatch.chdir(tiny.parent)
    assert train(tiny, "--validation", "dev.csv") == 0
    told = capsys.readouterr().out
    assert "Goes on from the checkpoint of step 2 in " in told and "Trained 4 steps" in told
    assert train(tiny, "--validation", "dev.csv") == 0
    assert "holds a run with all its 4 steps: if it is this one, nothing is trained anew." in capsys.readouterr().out
    assert train(tiny) == BAD_INPUT, "else the last step would take the place of the best one"
    assert "to go on with the validation that it began with, got another" in capsys.readouterr().err


def test_a_second_interrupt_stops_at_once_and_another_thread_has_no_say(heard: None) -> None:
    run = Told()
    with stopping_with_a_checkpoint(run):
        for _ in range(2):  # the terminal's, and the same one passed on by a launcher
            os.kill(os.getpid(), signal.SIGINT)
        assert run.times == 1
    with pytest.raises(KeyboardInterrupt), stopping_with_a_checkpoint(run, patience=0.0) as stopped:
        assert not stopped
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped and run.times == 2
        os.kill(os.getpid(), signal.SIGINT)
    assert run.times == 2
    run.running = False
    with pytest.raises(KeyboardInterrupt), stopping_with_a_checkpoint(run):
        os.kill(os.getpid(), signal.SIGINT)

    def elsewhere() -> None:
        with stopping_with_a_checkpoint(run):
            run.times = 5

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert run.times == 5


def test_a_broken_pipe_stops_no_checkpoint_and_what_is_ignored_stays_so(
    heard: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(file: int, text: bytes) -> None:
        raise BrokenPipeError

    run, before = Told(), signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("kit.commands.interrupts.os.write", broken)
    with stopping_with_a_checkpoint(run):
        signal.raise_signal(signal.SIGINT)
    assert run.times == 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with stopping_with_a_checkpoint(run):
            signal.raise_signal(signal.SIGINT)
        assert run.times == 1 and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_columns_that_are_named_next_are_those_of_pairs() -> None:
    options = argparse.Namespace(validation="dev.csv", encoder=DEFAULT, no_header=False, kind=None)
    vars(options).update(dict.fromkeys(ROLES), anchor="-q", positive=["a b", "c"])
    pairs = argparse.Namespace(kind="multiples")
    assert measuring(Path("e"), options, pairs) == "kit evaluate e --pairs test.csv --anchor=-q --positive 'a b' c"
    assert measuring(Path("e"), options, argparse.Namespace(kind="sentences")) == "kit evaluate e --pairs test.csv"
    options.validation = None
    assert measuring(Path("e"), options, pairs) == "kit evaluate e --pairs test.csv --anchor=-q --positive 'a b' c"
    assert measuring(Path("e"), options, argparse.Namespace(kind="sentences")) == "kit evaluate e", "on STS"
    assert measuring(Path("e"), options, None) == "kit evaluate e"


def test_the_command_that_is_named_next_measures_what_was_trained(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    columns = ("--anchor", "answer", "--positive", "question")
    assert train(tiny, *columns, "--validation", "dev.csv") == 0
    hint = f"kit evaluate {Path('mine/encoder').resolve()} --pairs test.csv --anchor answer --positive question --raw"
    assert f"{hint} {tiny}" in capsys.readouterr().out
    assert main(["train", "--data", "my.csv", "--encoder", "mine", "--out", "more", *QUICK]) == 0
    assert "Encoder: mine, from the folder" in capsys.readouterr().out, "a run is taken for its encoder"
    assert main(["look", "my.csv", "--encoder", "mine"]) == 0


def test_comparisons_are_in_the_json(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    def found(*arguments: str) -> dict:
        assert main([*arguments, "--json", "--quiet", "--resamples", "50"]) == 0
        return json.loads(capsys.readouterr().out)

    tiny_encoder(tiny.parent / "source", pooling="cls").save(tiny.parent / "other")
    for command in (("compare", str(tiny), "other"), ("evaluate", str(tiny), "--raw", "other")):
        scored = found(*command, "--pairs", "scored.csv")
        assert len(scored["systems"]) == 2
        (compared,) = scored["comparisons"]
        assert set(compared["names"]) == set(scored["systems"])
    pairs = found("evaluate", str(tiny), "--raw", "other", "--pairs", "dev.csv")
    assert [one["rows"]["mrr@10"]["p"] <= 1 for one in pairs["comparisons"]] == [True] * (len(pairs["systems"]) - 1)
    assert train(tiny, "--validation", "scored.csv", "--json") == 0
    (compared,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert compared["names"] == ["trained", "untrained"]


REFUSED = {
    "nothing to search": (("compare", "A", DEFAULT, "--pairs", "scored.csv", "--retrieval", "no.txt"), "scored rows"),
    "columns alone": (("compare", "A", DEFAULT, "--anchor", "question"), "expected --pairs beside --anchor"),
    "a raw one alone": (("evaluate", "A", "--raw", "none"), "expected --pairs beside --raw"),
    "no header alone": (("evaluate", "A", "--no-header"), "expected --pairs beside --no-header"),
    "more texts alone": (("export", "A", "--out", "e", "--retrieval", "no.txt"), "expected --pairs beside --retrieval"),
    "too few to decide": (("compare", "A", DEFAULT, "--pairs", "dev.csv", "--resamples", "15"), "no test excludes"),
    "nothing to keep by": (("train", "--data", "my.csv", "--keep", "last"), "expected --validation beside --keep"),
    "nothing to see": (("train", "--data", "my.csv", "--validate-every", "2"), "--validation beside --validate-every"),
    "no table to sign": (("progress", "--name", "Ada"), "expected --export beside --name"),
    "over itself": (("export", "A", "--out", "A"), "expected --out as another folder than"),
    "no such lesson": (("handout", "99", "--out", "h"), "by their numbers, 00 to 13, got '99': write two digits"),
    "a blank query": (("search", "A", "corpus.txt", "--query", "dog", " "), "expected words in every --query"),
    "a foreign index": (("search", "A", "corpus.txt", "--query", "dog", "--index", "foreign"), "holds notes.md"),
    "a foreign export": (("export", "A", "--out", "foreign", "--pairs", "dev.csv"), "notes.md"),
    "where one stands": (("export", "A", "--out", "."), "expected another folder than the one you work in"),
    "an index where one stands": (("search", "A", "corpus.txt", "--query", "a", "--index", "."), "the one you work in"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_ignored_or_lost_is_refused_before_the_work(
    case: str, tiny: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, sentence = REFUSED[case]
    Path("foreign").mkdir()
    Path("foreign/notes.md").write_text("mine")
    monkeypatch.setattr("kit.encoder.Encoder.encode", None)  # whoever begins to work stops with a TypeError
    assert main([str(tiny) if one == "A" else one for one in arguments]) == BAD_INPUT
    assert sentence in capsys.readouterr().err


def test_an_index_may_have_its_texts_in_another_order_and_says_what_differs(
    tiny: Path, capsys: pytest.CaptureFixture
) -> None:
    search = (
        "search",
        str(tiny),
        "corpus.txt",
        "--index",
        "kept",
        "--query",
        "a red kite",
        "--quiet",
        "--json",
        "-k",
        "1",
    )
    assert main([*search]) == 0
    Path("corpus.txt").write_text("nobody sings\n\nthe dog runs\na red kite\n")
    capsys.readouterr()
    assert main([*search]) == 0
    (hit,) = json.loads(capsys.readouterr().out)["hits"]
    assert (hit["text"], hit["row"]) == ("a red kite", 4)
    Path("corpus.txt").write_text("nobody sings\nthe dog walks\n")
    assert main([*search]) == BAD_INPUT
    assert "but 1 of its 2 are not there, and 2 of the index are not in the file" in capsys.readouterr().err


def test_only_a_training_that_names_the_dimension_was_for_it(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    dim = load_encoder(tiny).dim
    assert main(["train", "--data", "my.csv", "--encoder", str(tiny), "--out", "no-matryoshka", *QUICK]) == 0
    assert train(tiny, "--matryoshka", str(dim), "4") == 0
    for run, cut, told in (
        ("no-matryoshka", 4, "nothing says that they were trained to be cut"),
        ("mine", 4, ""),
        ("mine", 3, f"were trained to be cut to {dim} or 4 (Matryoshka), not to 3"),
    ):
        capsys.readouterr()
        assert main(["export", run, "--out", f"{run}-{cut}", "--dim", str(cut)]) == 0
        err, card = capsys.readouterr().err, Path(f"{run}-{cut}/README.md").read_text()
        assert (told in err and told in card) if told else "dimensions" not in err


@pytest.mark.parametrize("card", [b"\xff\xfe of another encoding", b"| matryoshka_dims | " + b"9" * 5000 + b" |\n"])
def test_a_damaged_card_beside_the_encoder_stops_no_export(
    tiny: Path, capsys: pytest.CaptureFixture, card: bytes
) -> None:
    encoder = load_encoder(tiny)
    (encoder.save("theirs", "# Theirs") / "README.md").write_bytes(card)
    assert main(["export", "theirs", "--out", "short", "--dim", "4"]) == 0
    assert "nothing says that they were trained to be cut" in capsys.readouterr().err


def test_a_card_says_nothing_of_intervals_that_are_not_there_and_keeps_one_training(tiny: Path) -> None:
    encoder = load_encoder(tiny)
    training = "# Mine\n\nTrained.\n\n## Measured\n\nNothing.\n\n## Load it\n\n    load_encoder('here')\n"
    once = encoder_card(encoder, "mine", training=training)
    assert "intervals" not in once and "load_encoder" not in once and "### Mine" in once
    again = encoder_card(encoder, "mine", training=once)
    assert encoder_card(encoder, "mine", training=encoder_card(encoder, "mine")) == encoder_card(encoder, "mine")
    assert again == once, "an export of an export has the card of the training, not a card in a card"


def test_a_graph_of_an_earlier_export_is_not_taken_for_one_of_this(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["export", "kit-bert-tiny", "--out", "kit-bert-tiny"]) == 0, "a name is no folder here"
    Path("out-onnx").mkdir()
    Path("out-onnx/onnx.json").write_text("{}")
    assert main(["export", str(tiny), "--out", "out"]) == 0
    assert "holds the ONNX graph of an earlier export to out" in capsys.readouterr().err


def test_a_run_of_a_run_and_its_graph_keep_the_licence_and_may_be_pushed(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Stand-ins write the graph and run it."""
    monkeypatch.setattr(onnx_export, "_packages", lambda: (None, None))
    monkeypatch.setattr(onnx_export, "_write_graph", lambda encoder, path, int8: path.write_bytes(b"graph"))
    monkeypatch.setattr(OnnxEncoder, "_start", lambda self, *_: None)
    monkeypatch.setattr(OnnxEncoder, "encode", lambda self, texts: load_encoder("again/encoder").encode(texts))
    ours = "license: cc-by-sa-4.0\nbase_model: kit-bert-tiny\n---"
    for encoder, out in ((DEFAULT, "first"), ("first/encoder", "again")):
        assert main(["train", "--data", "my.csv", "--encoder", encoder, "--out", out, *QUICK]) == 0
        assert ours in Path(out, "encoder", "README.md").read_text("utf-8")
    assert main(["export", "again", "--out", "cut", "--dim", "8"]) == 0
    assert main(["export", "again", "--out", "e", "--onnx", "--data", "Mine."]) == 0
    cards = {out: Path(out, "README.md").read_text("utf-8") for out in ("cut", "e", "e-onnx")}
    for out, card in cards.items():
        assert ours in card and card.count("It begins from kit-bert-tiny, ") == 1, out
        assert card.count("Nothing was measured.") == 1, "not of its training once more"
        assert ('OnnxEncoder("this folder")' in card) == ("SentenceTransformer(" not in card) == (out == "e-onnx")
    assert "library_name: onnx" in cards["e-onnx"] and "onnx.json says how far" in cards["e-onnx"]
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    capsys.readouterr()
    assert main(["push", "e-onnx", "me/e"]) == BAD_INPUT
    assert "your own token" in capsys.readouterr().err, "a card it has"


def test_a_batch_of_one_says_that_nothing_was_learnt(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    assert train(tiny, "--set", "batch_size=1") == 0
    assert "The loss was 0 at every step, so nothing was learnt" in capsys.readouterr().out


def test_a_text_that_is_cut_is_shown_and_half_a_letter_is_no_blank(tiny: Path) -> None:
    encoder = load_encoder(tiny)
    with pytest.warns(KitWarning, match="1 of 2 sentences are longer .* such as 'dog dog"):
        encoder.encode(["a cat", "dog " * 900])
    with pytest.raises(KitError, match="holds half of a character"):
        encoder.encode(["\udcff\udcfe"])


def test_rows_of_the_course_that_one_validates_on_are_told_of(
    tiny: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [Group(i, a, (b,), (0,)) for i, (a, b) in enumerate(PAIRS)]
    assert course_texts([*groups[:1], "a document"]) == [*PAIRS[0], "a document"]
    monkeypatch.setattr(train_command, "load_data", lambda options, settings: (groups, settings, "Data."))
    given = ("--recipe", "mnrl", "--preset", "laptop", "--validation", "dev.csv", "--encoder", str(tiny), "--out", "x")
    assert main(["train", *given, *QUICK]) == 0
    assert f"Careful: {len(PAIRS) - 15} of {len(PAIRS) - 15} rows of dev.csv share a text" in capsys.readouterr().out


def test_an_export_has_the_figures_of_scored_pairs_and_of_triplets(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    export = ("export", str(tiny), "--out", "shared", "--resamples", "20", "--quiet", "--json")
    Path("triplets.csv").write_text("anchor,positive,negative\n" + "".join(f"{a},{b},no\n" for a, b in PAIRS))
    for file, name, row in (
        ("scored", "spearman", "| Spearman × 100 |"),
        ("triplets", "triplet accuracy", "| triplet"),
    ):
        assert main([*export, "--pairs", f"{file}.csv"]) == 0
        assert json.loads(capsys.readouterr().out)["figures"][name] is not None
        assert row in Path("shared/README.md").read_text("utf-8")
    assert "| BM25 |" in Path("shared/README.md").read_text("utf-8"), "triplets are searched as well"
    assert main([*export, "--pairs", "scored.csv", "--retrieval", "corpus.txt"]) == BAD_INPUT
    assert "among which nothing is searched" in capsys.readouterr().err


def in_two_classes(name: str, pairs: list[tuple[str, str]]) -> None:
    """Every second pair is the same; the others are of two pairs, and one in five of them is called the same, too."""
    rows = [
        f"{a},{b},same" if i % 2 else f"{a},{pairs[i - 5][1]},{'other' if i % 10 else 'same'}"
        for i, (a, b) in enumerate(pairs)
    ]
    Path(name).write_text("\n".join(("sentence1,sentence2,label", *rows, "")))


def test_two_classes_are_judged_by_average_precision_wherever_it_stands(
    tiny: Path, capsys: pytest.CaptureFixture
) -> None:
    in_two_classes("same.csv", PAIRS)
    asked = ("--data", "my.csv", "--validation", "same.csv", "--validate-every", "1", "--out", "mine")
    asked += ("--set", "lr=0.01")
    assert train(tiny, *asked) == 0
    shown = capsys.readouterr().out
    assert "\nuntrained: average precision " in shown and "\naverage precision: trained " in shown
    assert "Kept: " in shown and ", with average precision × 100 " in shown and "\nSpearman, " in shown, shown
    record = json.loads(Path("mine/run.json").read_text())
    figures = [record["untrained"]["validation"], *(step["validation"] for step in record["history"])]
    assert record["measure"] == "average precision × 100" and record["validation"] == max(figures) > figures[0]
    assert f"average precision × 100 {max(figures):.2f} (--keep last" in shown
    card = Path("mine/encoder/README.md").read_text("utf-8")
    assert f"average precision × 100 went from {figures[0]:.2f} (untrained) to {max(figures):.2f}" in card
    assert "the best by this figure" in card and "Spearman" not in card
    assert train(tiny, *asked, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["measure"] == "average precision × 100"
    trained = found["validation"]["trained"]["same or not"]
    assert trained["figures"]["average precision"] == pytest.approx(max(figures))
    given = ("mine", "--pairs", "same.csv", "--quiet", "--json")
    assert main(["evaluate", *given, "--raw", "none"]) == 0
    judged = json.loads(capsys.readouterr().out)["systems"]["mine"]["same or not"]
    assert judged["figures"] == pytest.approx(trained["figures"])
    assert main(["export", *given, "--out", "shared"]) == 0
    exported = json.loads(capsys.readouterr().out)["figures"]
    assert exported["average precision"] == pytest.approx(max(figures)) and "spearman" in exported
    low, high = judged["intervals"]["average precision"]
    of = f"20 pairs of same.csv | {max(figures):.2f} | {low:.2f} to {high:.2f} (95%, bootstrap) |"
    card = Path("shared/README.md").read_text("utf-8")
    assert f"| average precision × 100 | {of}" in card and "| Spearman × 100 | 20 pairs" in card
    assert "60.0 % of the pairs are the same" in card


def test_a_run_that_began_by_spearman_goes_on_by_it(tiny: Path, capsys: pytest.CaptureFixture, monkeypatch) -> None:
    """As earlier versions judged two classes: figures of two measures would be the best of none."""
    in_two_classes("same.csv", PAIRS)
    asked = ("--data", "my.csv", "--validation", "same.csv", "--validate-every", "1", "--out")
    monkeypatch.setattr(own_validation, "has_two_classes", lambda scores: False)
    assert train(tiny, *asked, "older") == 0
    assert ", with Spearman × 100 " in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tiny.parent)
    assert train(tiny, *asked, "older") == 0
    shown = capsys.readouterr().out
    assert "The run in the folder began by Spearman × 100" in shown and ", with Spearman × 100 " in shown
    assert "Spearman × 100 went from" in Path("older/encoder/README.md").read_text("utf-8")
    assert [measure_of(Path(name)) for name in ("older", "nowhere")] == ["Spearman × 100", ""]
    Path("older/validation.json").replace("kept.json")  # as of the first versions, which had the record alone
    assert measure_of(Path("older")) == "Spearman × 100"
    Path("kept.json").replace("older/validation.json")
    assert train(tiny, *asked, "newer") == 0
    noted = json.loads(Path("older/validation.json").read_text())
    Path("newer/validation.json").write_text(json.dumps(noted | {"measure": "accuracy"}))
    capsys.readouterr()
    assert train(tiny, *asked, "newer") == BAD_INPUT
    assert "(before: accuracy, on " in capsys.readouterr().err
