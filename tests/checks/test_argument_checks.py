"""Arguments are of the kind of their annotation, or one sentence names them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import Tensor

from kit.checks.argument_checks import checked, closed_place, is_list
from kit.commands import main
from kit.data import load, load_sts
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.paths import output
from kit.retrieval import Index
from kit.scaling.row_stream import load_stream
from kit.storage.atomic import write_atomically
from kit.storage.checkpoint import prepare


@checked
def takes(
    z: Tensor | None = None,
    *,
    seed: int | Sequence[int] = 0,
    names: Iterable[str] = (),
    rows: int | None = None,
    path: str | Path | None = None,
    flag: bool = False,
    other: object = None,
):
    """What a function may take."""
    if path is not None:
        Path(path).stat()
    return z, seed, names, None if rows is None else rows + 1, flag


def test_what_is_of_its_kind_passes_and_numpys_numbers_become_pythons() -> None:
    z = torch.ones(2, 3)
    assert takes(z)[0] is z and takes(None)[0] is None and takes(other=object())[1] == 0
    found = takes(seed=np.int64(3), rows=np.int32(4), flag=np.True_)
    assert found[1:] == (3, (), 5, True) and type(found[1]) is int and found[4] is True
    assert takes(names=(name for name in "ab")) and takes(seed=[1, 2])[1] == [1, 2] and takes.__doc__


def test_what_is_not_is_told_in_one_sentence() -> None:
    for given, sentence in [
        ({"z": [[1.0]]}, "expected z as a tensor with rows, got a list: make it one with torch.as_tensor"),
        ({"z": np.ones((2, 2))}, "expected z as a tensor with rows, got a ndarray"),
        ({"z": torch.tensor(1.0)}, "expected z as a tensor with rows, got a Tensor"),
        ({"seed": None}, "expected seed as a whole number from 0 or a list, got None"),
        ({"seed": -1}, "expected seed as a whole number from 0"),
        ({"seed": True}, "expected seed as a whole number from 0"),
        ({"seed": 10**30}, "expected seed as a whole number from 0"),
        ({"names": "STS-B"}, "expected names as a list, got 'STS-B': put it in a list"),
        ({"names": {"a", "b"}}, "expected names as a list, got a set"),
        ({"names": pd.DataFrame({"sentence": ["a"]})}, "expected names as a list, got a DataFrame"),
        ({"rows": "many"}, "expected rows as a whole number, got 'many'"),
        ({"flag": 1}, "expected flag as True or False, got 1"),
        ({"path": 5}, "expected path as a path, got 5"),
        ({"path": "x" * 5000}, "expected path as a path, got 'xxx.*: it is too long, give a shorter name"),
        ({"path": "x\0"}, "expected path as a path, got .*: it holds what no file name can, take that out"),
    ]:
        with pytest.raises(KitError, match=sentence) as told:
            takes(**given)
        assert "\n" not in str(told.value)


def test_text_that_no_file_can_hold_is_told_by_its_name() -> None:
    @checked
    def writes(folder: str, card: str = "") -> bytes:
        return card.encode()

    with pytest.raises(KitError, match=r"expected card as text, but it holds half of a character \('x.ud800'\)"):
        writes("a", card="x\ud800")
    assert writes("x\ud800", "ü") == b"\xc3\xbc"


def test_a_functions_own_error_passes() -> None:
    @checked
    def breaks(rows: int = 1) -> None:
        raise ValueError("of its own")

    with pytest.raises(ValueError, match="of its own") as told:
        breaks(rows=3)
    assert not isinstance(told.value, KitError)


def test_what_the_system_does_not_open_is_told_with_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closing(call):
        def closed(path, *given, **named):
            if "closed" in str(path):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return call(path, *given, **named)

        return closed

    for name in ("stat", "mkdir"):  # the tests may run as root, to whom everything is open
        monkeypatch.setattr(os, name, closing(getattr(os, name)))
    place = tmp_path / "closed"
    encoder = load_encoder()
    for call in (
        lambda: load_encoder(place / "model"),
        lambda: encoder.save(place),
        lambda: load("mine", path=place),
        lambda: load_stream("mine", path=place),
        lambda: load_sts("STS-B", path=place),
        lambda: Index.load(place, encoder),
    ):
        with pytest.raises(KitError, match=f"expected {place}.* to be open to you, but the system said 'Permission de"):
            call()
    assert main(["evaluate", str(place)]) == 2
    assert f"expected {place} to be open to you" in str(closed_place([tmp_path / "nothing", place])), (
        "the first that is"
    )


def test_a_home_that_nobody_has_is_told(capsys: pytest.CaptureFixture) -> None:
    for call in (load_encoder, lambda path: load("mine", path=path)):
        with pytest.raises(KitError, match="expected ~ in a path to be somebody's home folder"):
            call("~no-such-user/x")
    assert main(["evaluate", "~no-such-user/x"]) == 2 and "write the path out" in capsys.readouterr().err


def places_nowhere(folder: Path) -> dict[str, tuple[str, str]]:
    """A link to itself, and a name that is too long: (path, what is said of it)."""
    (folder / "loop").symlink_to("loop")
    loop, long = str(folder / "loop"), str(folder / ("y" * 300))
    name = "y" * 49 + " …"
    return {
        "loop": (loop, f"expected {loop} to lead to a place, but its link leads back to itself: mend or delete it."),
        "long": (long, f"expected the name of a file, folder or encoder, but '{name} is too long: give a shorter one."),
    }


@pytest.mark.parametrize("which", ["loop", "long"])
def test_a_path_that_leads_nowhere_is_told_by_the_library(which: str, tmp_path: Path) -> None:
    place, said = places_nowhere(tmp_path)[which]
    encoder = load_encoder()
    index = Index.build(encoder, ["a cat", "a dog"])
    for call in (lambda: encoder.save(place), lambda: index.save(place)):
        with pytest.raises(KitError) as told:
            call()
        assert str(told.value) == said or (which == "long" and "it is too long, give a shorter" in str(told.value))
    assert not [path for path in tmp_path.iterdir() if path.name != "loop"]


@pytest.mark.parametrize("which", ["loop", "long"])
def test_a_path_that_leads_nowhere_is_told_by_every_command_before_its_work(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    place, said = places_nowhere(tmp_path)[which]
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"a cat that sits on mat {i},a dog that runs in park {i}\n" for i in range(30))
    (tmp_path / "t.csv").write_text("question,answer\n" + rows, encoding="utf-8")
    base, train = "kit-bert-tiny", ["train", "--data", "t.csv", "--recipe", "mnrl", "--preset", "smoke", "--quiet"]
    monkeypatch.setattr(Index, "build", lambda *_, **__: pytest.fail("texts were encoded before the refusal"))
    for arguments in (
        ["split", "t.csv", "--out", place],
        [*train, "--steps", "1", "--out", place],
        [*train, "--steps", "1", "--encoder", place, "--out", "out"],
        ["search", base, "t.csv", "--text", "answer", "--query", "x", "--index", place],
        ["search", place, "t.csv", "--text", "answer", "--query", "x"],
        ["evaluate", place],
        ["evaluate", base, "--pairs", "t.csv", "--out", place],
        ["export", place, "--out", "out"],
        ["export", base, "--out", place],
        ["progress", "--class", place],
        ["progress", "--class", ".", "--export", place],
        ["handout", "01", "--out", place],
        ["compare", base, place, "--pairs", "t.csv"],
        *([["look", place]] if which == "loop" else []),  # what is too long for a name may be a text, and is told so
    ):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = ended.code
        err = " ".join(capsys.readouterr().err.split())
        assert code == 2 and (said in err or (which == "loop" and "no such folder" in err)), (arguments, err)
    assert {path.name for path in tmp_path.iterdir()} <= {"loop", "t.csv", "out"}


def test_an_index_beside_which_no_hidden_name_fits_is_refused_before_the_texts_are_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """The folder is prepared under a longer name, see `kit.storage.replace_folder`."""
    (tmp_path / "t.csv").write_text("text\na cat\na dog\n", encoding="utf-8")
    monkeypatch.setattr(Index, "build", lambda *_, **__: pytest.fail("texts were encoded before the refusal"))
    index = str(tmp_path / ("y" * 250))
    assert main(["search", "kit-bert-tiny", str(tmp_path / "t.csv"), "--query", "x", "--index", index]) == 2
    assert "is too long: give a shorter one" in capsys.readouterr().err


def test_a_home_is_meant_wherever_a_path_begins_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KIT_OUT", "~/kept")
    write_atomically("~/a.txt", "a")
    assert prepare("~/run") == tmp_path / "run" and output("runs") == tmp_path / "kept" / "runs"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "run"]


def test_what_counts_as_a_list() -> None:
    assert all(map(is_list, ([], (), range(3), np.ones(3), pd.Series([1]), torch.ones(2), iter([]))))
    assert not any(map(is_list, ("ab", b"ab", {}, set(), pd.DataFrame(), 5, None, np.array(1.0), torch.tensor(1.0))))
