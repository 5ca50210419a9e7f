"""`kit split`: parts without a leak, as files that are read as what was written."""

from __future__ import annotations

import argparse
import csv
import errno
import json
import os
import random
import shutil
import tempfile
from pathlib import Path
from shlex import split as words_of

import pytest

from kit.commands import main, split_command
from kit.commands.own_arguments import add_own_arguments, reading
from kit.owndata import leaks, read
from kit.storage import atomic
from tests.storage.kills import kill, owning_child
from tests.tiny import write_tiny_bert

NOUNS = "dog cat child bird man woman horse teacher singer baker farmer sailor judge nurse pilot".split()
PLACES = "house river garden park street harbour market station school kitchen forest bridge".split()
TEXTS = [f"the {noun} number {i} waits near the {place}" for i in range(2) for noun in NOUNS for place in PLACES]


def rows_of(width: int, *last: list) -> list[tuple]:
    """Sixty rows of so many texts, a few of which stand in two rows, and a last cell by turns."""
    mixed = iter(random.Random(0).sample(TEXTS, 60 * width))
    rows = list(zip(*[mixed] * width))
    rows[1], rows[2] = (rows[0][0], *rows[1][1:]), (*rows[2][:-1], rows[0][-1])
    return [(*row, *(cells[i % len(cells)] for cells in last)) for i, row in enumerate(rows)]


SOURCES = {  # kind → (header, rows, options)
    "pairs": (("question", "answer"), rows_of(2), ""),
    "triplets": (("q", "right", "wrong"), rows_of(3), "--anchor q --positive right --negative wrong"),
    "labelled": (("premise", "hypothesis", "label"), rows_of(2, ["entailment", "neutral", "contradiction", "-"]), ""),
    "same": (("text1", "text2", "is_duplicate"), rows_of(2, [0, 1]), ""),
    "scored": (("s1", "s2", "rating"), rows_of(2, [1, 2.5, 3.3, 4]), "--score rating --score-range 1 5"),
    "groups": (("question", "answer", "thread"), rows_of(2, list(range(30))), "--group thread"),
    "documents": (("body",), [(text + ". " + text[::-1],) for text in TEXTS], "--kind documents --text body"),
    "sentences": (("text",), [(text,) for text in TEXTS], ""),
    "classes": (("ticket", "team"), rows_of(1, ["a", "b"]), "--kind classes --text ticket --label team"),
    "multiples": (("query", "p1", "p2", "n1"), rows_of(4), "--anchor query --positive p1 p2 --negative n1"),
}
PARTS = ("train.jsonl", "validation.jsonl", "test.jsonl")
LEAST = ["--least", "1", "--seed", "3"]  # these made-up texts are near each other by any smaller likeness


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str) -> list[str]:
    """The file of a source, and the command that splits it into "parts"."""
    header, rows, options = SOURCES[name]
    with open("my.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return ["split", "my.csv", "--out", "parts", *LEAST, "--quiet", *options.split()]


def how(options: list[str]) -> dict:
    """The arguments of `read` that the options of a command say."""
    parser = argparse.ArgumentParser()
    add_own_arguments(parser)
    return reading(parser.parse_known_args(options)[0])


@pytest.mark.parametrize("name", SOURCES)
def test_the_parts_are_read_as_the_rows_that_were_written(name: str, capsys) -> None:
    """By the very options of the command that is printed for them."""
    command = write(name)
    assert main(command) == 0
    said = capsys.readouterr().out
    (line,) = [one for one in said.splitlines() if "kit train" in one]
    source = read("my.csv", **how(command))
    parts = {part: read(f"parts/{part}.jsonl", **how(words_of(line))) for part in ("train", "validation", "test")}
    for part in parts.values():
        assert part.kind == source.kind and len(part)
        assert (part.label_names, part.positive_label) == (source.label_names, source.positive_label)
        assert part.score_range == source.score_range
    groups = source.columns.get("group", [""] * len(source))
    expected = sorted(zip(source.rows, groups), key=repr)
    again = [pair for part in parts.values() for pair in zip(part.rows, part.columns.get("group", [""] * len(part)))]
    assert sorted(again, key=repr) == expected
    for part in ("validation", "test"):
        assert not leaks(parts["train"], parts[part], least=1.0)
        if name == "groups":
            assert set(parts["train"]["group"]).isdisjoint(parts[part]["group"])
    assert ("kit evaluate" in said) == (name not in ("sentences", "documents"))


def test_shares_roles_and_json_are_those_asked_for(capsys) -> None:
    """Two questions with the same answer may be parted where only anchors count."""
    Path("my.csv").write_text("question,answer\n" + "".join(f"{text},yes\n" for text in TEXTS[:40]))
    asked = ["split", "my.csv", "--out", "parts", "--parts", "a=0.5", "b=0.5", *LEAST, "--json"]
    assert main(asked) == 2
    assert "hang together (the most frequent text is 'yes'): link them by fewer columns, such as by=('anchor',) " in (
        capsys.readouterr().err
    )
    assert not Path("parts").exists()
    assert main([*asked, "--by", "anchor"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert {name: part["rows"] for name, part in found["parts"].items()} == {"a": 20, "b": 20} and not said.err
    assert [len(read(found["parts"][name]["file"])) for name in "ab"] == [20, 20]
    assert main([*asked[:3], "other", *asked[4:], "--by", "anchor", "--seed", "1"]) == 0
    assert Path("other/a.jsonl").read_text() != Path("parts/a.jsonl").read_text()


def test_bad_input_is_one_sentence_and_no_part_is_overwritten(capsys) -> None:
    command = write("pairs")
    for own, sentence in (
        (["--parts", "train=half"], "expected --parts as NAME=SHARE, each name once, such as"),
        (["--parts", "train=half"], "such as train=0.8 test=0.2, got 'train=half'"),
        (["--parts", "a=0.5", "a=0.5"], "each name once"),
        (["--parts", "../a=0.5", "b=0.5"], "got '../a=0.5'"),
        (["--parts", "a=0.5", "b=0.4"], "with shares that sum to 1"),
        (["--by", "question"], "expected by as roles of pairs, anchor, positive, got 'question'"),
        (["--least", "0"], "least"),
    ):  # fmt: skip
        assert main([*command, *own]) == 2
        said = capsys.readouterr().err.splitlines()
        assert sentence in said[-1] and not Path("parts").exists(), own
    assert main(command) == 0
    before = {path: path.read_bytes() for path in Path("parts").iterdir()}
    capsys.readouterr()
    assert main([*command, "--seed", "5"]) == 2
    assert "expected a folder without parts for --out, but parts/train.jsonl is there" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path("parts").iterdir()} == before


def test_a_second_split_into_the_folder_is_refused(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the first works: two that both find no parts would overwrite each other's, or mix them."""
    command, real, ended = write("pairs"), split_command.split, []

    def meanwhile(*given, **named):
        child = os.fork()
        if not child:
            monkeypatch.setattr(split_command, "split", real)
            os._exit(main([*command, "--seed", "5"]))
        ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return real(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(split_command, "split", meanwhile)
        assert main(command) == 0
    assert ended == [2] and {path.name for path in Path("parts").iterdir()} == set(PARTS), "nothing but parts"
    before = {path: path.read_bytes() for path in Path("parts").iterdir()}
    shutil.rmtree("parts")
    Path("parts").mkdir()
    owner = owning_child(Path("parts"))
    try:
        assert main(command) == 2
        assert f"but process {owner} on " in capsys.readouterr().err
    finally:
        kill(owner)
    assert main(command) == 0, "a killed one is no obstacle"
    assert {path: path.read_bytes() for path in Path("parts").iterdir()} == before


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("where", ["write", "rename"])
def test_all_parts_are_written_or_none(where: str, part: str, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that fills, and the same command works when there is room."""
    command, owner, name = write("pairs"), *((atomic, "write_synced") if where == "write" else (Path, "rename"))
    real = getattr(owner, name)

    def filling(path: Path, given) -> None:
        if part in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, given)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, filling)
        assert main(command) == 2
    said = capsys.readouterr().err
    assert f"{part}, but the system said 'No space" in said and "none of the files that belong together was" in said
    assert not Path("parts").exists()
    assert main(command) == 0


def test_a_folder_that_takes_no_files_is_told_before_the_work(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_, **__) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    command = write("pairs")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", closed)  # modes do not stop root
    assert main(command) == 2
    assert capsys.readouterr().err == (
        "kit: expected a folder for the parts at parts, but the system said 'Permission denied': choose another "
        "folder.\n"
    )
    assert not Path("parts").exists()


def test_a_set_that_is_not_whole_is_told(capsys) -> None:
    command = write("pairs")
    assert main(command) == 0
    Path("parts/test.jsonl").unlink()
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "if it is what a stopped split left, which is no whole set without test.jsonl, delete it" in said
    assert len(list(Path("parts").iterdir())) == 2


def test_a_part_that_cannot_be_used_by_itself_is_told(capsys) -> None:
    """All rows of one class but one: some part has a single class."""
    rows = "".join(f"{a},{b},{int(i == 0)}\n" for i, (a, b) in enumerate(rows_of(2)))
    Path("my.csv").write_text("text1,text2,is_duplicate\n" + rows)
    assert main(["split", "my.csv", "--out", "parts", *LEAST, "--quiet"]) == 2
    said = capsys.readouterr().err
    assert "expected parts that can be used by themselves, but of " in said and "got '0' alone; nothing was" in said
    assert not Path("parts").exists() and "kind='pairs'" not in said, "so that another seed can be tried"


@pytest.mark.slow
def test_the_next_commands_run_as_printed(capsys, tmp_path_factory, monkeypatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    tiny = write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")
    assert main(write("pairs")) == 0
    *_, train, evaluate = capsys.readouterr().out.splitlines()
    assert main([*words_of(train)[1:], "--encoder", str(tiny), "--steps", "2", "--device", "cpu", "--quiet"]) == 0
    assert "Kept: " in capsys.readouterr().out
    assert main([*words_of(evaluate)[1:], "--raw", str(tiny), "--resamples", "0", "--quiet"]) == 0
    assert "recall" in capsys.readouterr().out.lower()
