"""A folder that is replaced in one step: the old content or the new under its name, whatever happens."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.storage import replace_folder as module
from kit.storage.atomic import hidden_beside
from kit.storage.replace_folder import content_of, exchange, replace_folder
from tests.storage.kills import dies_at, kill_at_each_call, syncs_and_renames


def fill_with(word: str):
    def fill(folder: Path) -> None:
        for name in ("a.txt", "deep/b.txt", f"only_{word}.txt"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(word)

    return fill


def word_in(folder: Path) -> str | None:
    """The word of all files; None where there is no folder."""
    if not folder.exists():
        return None
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt"))
    [word] = {(folder / name).read_text() for name in names}
    assert names == sorted(["a.txt", "deep/b.txt", f"only_{word}.txt"])
    return word


@pytest.mark.parametrize("can", [True, False])
def test_new_again_and_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can: bool) -> None:
    if not can:
        monkeypatch.setattr(module, "exchange", lambda *_: False)
    folder = tmp_path / "up" / "model"
    for word in ("old", "new"):
        replace_folder(folder, fill_with(word))
        assert word_in(folder) == word and [path.name for path in folder.parent.iterdir()] == ["model"]

    def fails(partial: Path) -> None:
        fill_with("half")(partial)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError):
        replace_folder(folder, fails)
    assert word_in(folder) == "new" and [path.name for path in folder.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("below", ["", "deep"])
def test_nobodys_folder_is_taken_from_under_him(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str) -> None:
    folder = tmp_path / "model"
    replace_folder(folder, fill_with("old"))
    monkeypatch.chdir(folder / below)
    with pytest.raises(KitError, match=r"than the one you work in or one above it, got .*model, .* go out of it"):
        replace_folder(folder, fill_with("new"))
    assert word_in(folder) == "old" and [path.name for path in tmp_path.iterdir()] == ["model"]
    replace_folder(Path("beside"), fill_with("new"))
    assert word_in(Path("beside")) == "new"
    monkeypatch.chdir(tmp_path)
    replace_folder(folder, fill_with("new"))


def test_exchange_swaps_or_says_that_it_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("one", "two"):
        (tmp_path / word).mkdir()
        fill_with(word)(tmp_path / word)
    if exchange(tmp_path / "one", tmp_path / "two"):
        assert word_in(tmp_path / "one") == "two" and word_in(tmp_path / "two") == "one"
        with pytest.raises(OSError) as told:
            exchange(tmp_path / "one", tmp_path / "nowhere")
        assert told.value.errno == errno.ENOENT
    monkeypatch.setattr(module.sys, "platform", "win32")
    assert exchange(tmp_path / "one", tmp_path / "two") is False


def test_what_a_kill_left_of_a_longer_name_is_not_taken_for_it(tmp_path: Path) -> None:
    left = hidden_beside(tmp_path / "m.v2", module.OLD)
    left.mkdir()
    fill_with("old")(left)
    assert content_of(tmp_path / "m") == tmp_path / "m"
    replace_folder(tmp_path / "m", fill_with("new"))
    assert word_in(tmp_path / "m") == "new" and word_in(content_of(tmp_path / "m.v2")) == "old"


def test_of_several_that_kills_left_the_newest_is_found(tmp_path: Path) -> None:
    for machine, word, written in (("0" * 8, "old", 1_000), ("1" * 8, "newest", 2_000), ("2" * 8, "older", 500)):
        left = tmp_path / f".m.{machine}-1.1.{module.OLD}"
        left.mkdir()
        fill_with(word)(left)
        os.utime(left, (written, written))
    assert word_in(content_of(tmp_path / "m")) == "newest"


def test_modes_that_are_right_are_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mount whose files all belong to somebody else refuses it; what a library left private is opened."""
    refused = PermissionError(errno.EPERM, "Operation not permitted")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", lambda *_: (_ for _ in ()).throw(refused))
        replace_folder(tmp_path / "model", fill_with("new"))
    assert word_in(tmp_path / "model") == "new"
    replace_folder(tmp_path / "model", lambda folder: (fill_with("own")(folder), folder.joinpath("x").touch(0o600)))
    (tmp_path / "y").touch()
    assert (tmp_path / "model" / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_all_of_it_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = syncs_and_renames(monkeypatch)
    replace_folder(tmp_path / "model", fill_with("new"))
    before, after = seen[: seen.index("rename")], seen[seen.index("rename") + 1 :]
    written = [tmp_path / "model", *(tmp_path / "model").rglob("*")]
    assert set(before) == {path.stat().st_ino for path in written} and after == [tmp_path.stat().st_ino]


@pytest.mark.slow
def test_killed_at_each_call_the_name_always_holds_a_whole_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    replace_folder(folder, fill_with("old"))
    deaths, seen = kill_at_each_call(
        lambda: replace_folder(folder, fill_with("new")),
        lambda: word_in(folder),
        lambda: replace_folder(folder, fill_with("old")),
    )
    assert deaths > 15 and set(seen) == {"old", "new"} and word_in(folder) == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.slow
def test_where_names_cannot_be_exchanged_the_next_writer_puts_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the two renames is the one moment at which the name is missing; nothing is lost by it."""
    monkeypatch.setattr(module, "exchange", lambda *_: False)
    folder, found = tmp_path / "model", []
    replace_folder(folder, fill_with("old"))
    call = 0
    while dies_at(call, lambda: replace_folder(folder, fill_with("new"))):
        found.append(word_in(folder))
        assert word_in(content_of(folder)) in ("old", "new"), "a reader finds it at every moment"

        def fails(partial: Path) -> None:
            raise RuntimeError

        with pytest.raises(RuntimeError):
            replace_folder(folder, fails)
        assert word_in(folder) in ("old", "new")
        replace_folder(folder, fill_with("old"))
        call += 1
    assert set(found) == {"old", "new", None}
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.slow
def test_two_writers_of_one_name_leave_one_of_their_folders(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    children = []
    for word in ("one", "two"):
        child = os.fork()
        if not child:
            code = 1
            try:
                for _ in range(40):
                    replace_folder(folder, fill_with(word))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    states = [os.waitpid(child, 0)[1] for child in children]
    assert states == [0, 0] and word_in(folder) in ("one", "two")
    assert [path.name for path in tmp_path.iterdir()] == ["model"] and signal.SIGKILL not in states
