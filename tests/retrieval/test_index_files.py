"""An index on the disk: whole or refused, old or new after a kill, one writer at a time."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from kit.errors import KitError
from kit.retrieval import Index, index_files, index_parts
from kit.storage.replace_folder import replace_folder
from kit.storage.run_lock import owner_of
from tests.forks import FORKS
from tests.retrieval.test_vector_index import TEXTS, Drawn

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return Index.build(Drawn(), TEXTS, {"n": list(range(60)), "what": ["ü\n\u2028", None] * 30}).save(
        tmp_path / "index"
    )


def test_a_loaded_index_finds_what_the_saved_one_found(saved: Path) -> None:
    index, fresh = Index.load(saved, Drawn()), Index.build(Drawn(), TEXTS)
    assert isinstance(index.vectors, np.memmap) and np.array_equal(index.vectors, fresh.vectors)
    assert [hit.id for hit in index.search("what?", 9)] == [hit.id for hit in fresh.search("what?", 9)]
    assert index.search(TEXTS[2], 1)[0].about == {"n": 2, "what": "ü\n\u2028"}
    index.remove([0, 5])
    index.add(["one more"], {"n": [7], "what": ["x"]})
    index.save(saved)
    again = Index.load(saved, Drawn())
    assert again.texts == index.texts and np.array_equal(again.ids, index.ids) and again.attributes == index.attributes
    index.remove(index.ids.tolist())
    index.save(saved)
    assert len(Index.load(saved, Drawn())) == 0 and sorted(p.name for p in saved.parent.iterdir()) == ["index"]


def test_an_id_is_given_once_by_a_loaded_index_too(saved: Path) -> None:
    index = Index.load(saved, Drawn())
    index.remove([59])
    index.save(saved)
    assert Index.load(saved, Drawn()).add(["new"], {"n": [1], "what": [None]}) == [60]
    note = json.loads((saved / "index.json").read_text())["note"]
    del note["next_id"]  # as an older kit wrote it
    whole = hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()
    (saved / "index.json").write_text(json.dumps({"note": note, "sha256": whole}))
    assert Index.load(saved, Drawn()).add(["new"], {"n": [1], "what": [None]}) == [59]


def test_an_index_whose_folder_was_deleted_is_saved_again(saved: Path) -> None:
    index = Index.build(Drawn(), TEXTS)
    folder = index.save(saved.parent / "again")
    shutil.rmtree(folder)
    assert Index.load(index.save(folder), Drawn()).texts == TEXTS


def test_an_index_of_another_encoder_is_refused_and_one_that_rounds_otherwise_is_not(saved: Path) -> None:
    for other in (Drawn(seed=1), Drawn(dim=9)):
        with pytest.raises(KitError, match=r"the encoder that made the index .*\(drawn, 8 dimensions\)"):
            Index.load(saved, other)

    class Rounded(Drawn):
        def encode(self, sentences):
            return super().encode(sentences).astype(np.float16)

    assert len(Index.load(saved, Rounded())) == 60


def sealed(folder: Path, **changes: object) -> None:
    """Write checksums that hold, of whatever stands in the folder."""
    note = json.loads((folder / "index.json").read_text())["note"]
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in note["sha256"]}
    note = {**note, "sha256": digests, **changes}
    whole = hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()
    (folder / "index.json").write_text(json.dumps({"note": note, "sha256": whole}))


def test_an_index_whose_checksums_somebody_made_to_fit_is_refused_too(saved: Path) -> None:
    texts, vectors = saved / "texts.jsonl", saved / "vectors.safetensors"
    lines, whole = texts.read_bytes(), vectors.read_bytes()
    for forged in (
        b"{}{}\n",
        b'{"text": "a"}\n' * 60,
        lines[: lines.index(b"\n") + 1],
        lines.replace(b'"text": "', b'"text": 5, "x": "'),
    ):
        texts.write_bytes(forged)
        sealed(saved)
        with pytest.raises(KitError, match=r"expected a whole index .* damaged"):
            Index.load(saved, Drawn())
    texts.write_bytes(lines)
    for forged in (
        (2**40).to_bytes(8, "little") + whole[8:],
        whole.replace(b"[60,8]", b"[99,8]"),
        whole.replace(b"F32", b"F99"),
    ):
        assert forged != whole
        vectors.write_bytes(forged)
        sealed(saved)
        with pytest.raises(KitError, match=r"expected a whole index .* damaged"):
            Index.load(saved, Drawn())
    vectors.write_bytes(whole)
    note = (saved / "index.json").read_bytes()
    for changes in ({"attributes": 5}, {"sha256": {"../../secret": "0"}}, {"sha256": None}):
        (saved / "index.json").write_bytes(note)
        sealed(saved, **changes)
        with pytest.raises(KitError, match=r"expected a whole index .* damaged"):
            Index.load(saved, Drawn())


def with_tensors(folder: Path, **changes: Callable[[np.ndarray], np.ndarray]) -> None:
    """Change tensors of a saved index, under checksums that hold."""
    tensors = load_file(folder / "vectors.safetensors")
    save_file(
        {name: changes.get(name, np.array)(tensor) for name, tensor in tensors.items()}, folder / "vectors.safetensors"
    )
    sealed(folder)


def of_row(place: int, factor: float) -> Callable[[np.ndarray], np.ndarray]:
    def changed(vectors: np.ndarray) -> np.ndarray:
        vectors[place] *= factor
        return vectors

    return changed


FORGED = {
    "no numbers": ({"vectors": lambda v: v * np.nan}, "vector 0 has the length nan"),
    "too long": ({"vectors": of_row(59, 100)}, "vector 59 has the length 100"),
    "whole numbers as vectors": ({"vectors": lambda v: v.astype(np.int64)}, "vectors is 'I64', not F32"),
    "a row less": ({"vectors": lambda v: v[1:].copy()}, "60 ids for 59 vectors"),
    "one axis": ({"vectors": lambda v: v.reshape(-1)}, "shape of vectors is no list of 2"),
    "ids as fractions": ({"ids": lambda i: i.astype(np.float32)}, "ids is 'F32', not I64"),
    "ids in a column": ({"ids": lambda i: i.reshape(-1, 1)}, "shape of ids is no list of 1"),
    "an id twice": ({"ids": lambda i: i * 0}, "none occurs twice"),
    "an id below zero": ({"ids": lambda i: i - 1}, "none occurs twice"),
    "the last id there is": ({"ids": lambda i: i + (2**63 - 60)}, "none occurs twice"),
    "a probe of no numbers": ({"probe": lambda p: p * np.nan}, "its probe is not finite"),
    "a short probe": ({"probe": lambda p: p[:, :5].copy()}, "another dimension than the vectors"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_tensors_that_are_none_of_an_index_are_refused(saved: Path, forged: str) -> None:
    changes, said = FORGED[forged]
    with_tensors(saved, **changes)
    with pytest.raises(KitError, match=rf"expected a whole index .*vectors.safetensors is damaged \(.*{said}"):
        Index.load(saved, Drawn())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"shape": [60, 2**70]}, "the shape of vectors"),
        ({"shape": [2**62, 8]}, "another size than its shape"),
        ({"shape": [0, 2**62], "data_offsets": [0, 0]}, "larger than the file"),
        ({"shape": "60"}, "the shape of vectors"),
        ({"data_offsets": [-100, 1820]}, "the place of vectors"),
        ({"data_offsets": [2**62, 2**62 + 1920]}, "does not lie in the file"),
        ({"data_offsets": [480, 2400], "shape": [61, 8]}, "another size than its shape"),
        ({"dtype": ["F32"]}, "vectors is a list"),
    ],
)
def test_a_header_that_leads_out_of_the_file_is_refused(saved: Path, changes: dict, said: str) -> None:
    path = saved / "vectors.safetensors"
    whole = path.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    written = json.dumps(header | {"vectors": header["vectors"] | changes}).encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + whole[8 + length :])
    sealed(saved)
    with pytest.raises(KitError, match=f"expected a whole index .*vectors.safetensors is damaged .*{said}"):
        Index.load(saved, Drawn())


@pytest.mark.parametrize(
    "changes",
    [{"next_id": float("inf")}, {"next_id": 2**80}, {"next_id": "7"}, {"rows": 7}, {"dim": 9}, {"encoder": 7}]
    + [{"max_length": [1]}, {"attributes": "n"}],
)
def test_a_note_that_cannot_be_of_these_vectors_is_refused(saved: Path, changes: dict) -> None:
    sealed(saved, **changes)
    with pytest.raises(KitError, match=r"expected a whole index .*index.json is damaged"):
        Index.load(saved, Drawn())


def test_a_row_that_no_sample_saw_is_told_by_the_search_that_finds_it(saved: Path, monkeypatch) -> None:
    monkeypatch.setattr(index_parts, "SAMPLE", 2)  # the first row and the last
    assert len(Index.load(saved, Drawn()).search(TEXTS[7], 60)) == 60
    for factor, came in ((100, "100"), (np.nan, "nan")):
        with_tensors(saved, vectors=of_row(7, factor))
        index = Index.load(saved, Drawn())
        with pytest.raises(KitError, match=f"expected cosines between -1 and 1 from this index, got {came}"):
            index.search(TEXTS[7], 3)


def test_every_damage_is_told_and_names_the_file(saved: Path) -> None:
    for name in ("index.json", "vectors.safetensors", "texts.jsonl"):
        path, whole = saved / name, (saved / name).read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for damaged in (whole[: len(whole) // 2], b"", bytes(flipped), whole + b" x", b"[1]", None):
            path.unlink() if damaged is None else path.write_bytes(damaged)
            with pytest.raises(KitError, match=f"{name}.*(damaged|has none)|with an index"):
                Index.load(saved, Drawn())
            path.write_bytes(whole)
    note = json.loads((saved / "index.json").read_bytes())
    assert len(Index.load(saved, Drawn())) == note["note"]["rows"]


def test_what_is_no_index_is_told_and_left_as_it_is(saved: Path, tmp_path: Path) -> None:
    index = Index.load(saved, Drawn())
    file, full = tmp_path / "file", tmp_path / "full"
    file.write_text("mine")
    full.mkdir()
    (full / "thesis.txt").write_text("mine")
    for place, said in (
        (file, "is a file"),
        (full, "holds thesis.txt"),
        (file / "below", "Not a directory"),
        ("", "path"),
    ):
        with pytest.raises(KitError, match=said):
            index.save(place)
    for place, said in ((file, "is a file"), (full, "has none"), (tmp_path / "no", "is not there"), (3, "a path")):
        with pytest.raises(KitError, match=said):
            Index.load(place, Drawn())
    (saved / "..owner.json.0badcafe-1.999999999.partial").write_text("{")  # of a process killed while it took the lock
    assert not (index.save(saved) / "..owner.json.0badcafe-1.999999999.partial").exists()
    assert file.read_text() == "mine" and (full / "thesis.txt").read_text() == "mine"


def remove_and_save(folder: Path, id: int) -> None:
    other = Index.load(folder, Drawn())
    other.remove([id])
    other.save(folder)


@pytest.mark.parametrize("while_it", ["loads", "saves"])
def test_what_another_saves_meanwhile_is_not_undone(saved: Path, monkeypatch, while_it: str) -> None:
    """Right after the files were read, and right after the new ones stand there: before it is known which they are."""
    others = [7]

    class Slow(Drawn):
        def encode(self, sentences):
            if while_it == "loads" and others:
                remove_and_save(saved, others.pop())
            return super().encode(sentences)

    def slow(folder: Path, fill) -> None:
        replace_folder(folder, fill)
        if while_it == "saves" and others:
            remove_and_save(saved, others.pop())

    monkeypatch.setattr(index_files, "replace_folder", slow)
    index = Index.load(saved, Slow())
    if while_it == "saves":
        index.save(saved)
    index.remove([2])
    with pytest.raises(KitError, match="another process has changed it since"):
        index.save(saved)
    assert not others and len(Index.load(saved, Drawn())) == 59


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_was_there_stays(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """safetensors has an error of its own for what the system says."""

    def full(tensors: dict, path: Path) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    before = (saved / "index.json").read_bytes()
    monkeypatch.setattr("safetensors.numpy.save_file", full)
    with pytest.raises(KitError, match="expected to save the index to .*No space left on device.*: free space or"):
        Index.load(saved, Drawn()).save(saved)
    assert (saved / "index.json").read_bytes() == before and len(Index.load(saved, Drawn())) == len(TEXTS)


def test_one_writer_at_a_time_and_none_undoes_what_another_saved(saved: Path) -> None:
    first, second = Index.load(saved, Drawn()), Index.load(saved, Drawn())
    first.remove([1])
    first.save(saved)
    second.remove([2])
    with pytest.raises(KitError, match="another process has changed it since"):
        second.save(saved)
    code = (
        "import time; from kit.storage.run_lock import owner_of\n"
        f"with owner_of({str(saved)!r}):\n    print(1, flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        other.stdout.readline()
        with pytest.raises(KitError, match=f"process {other.pid}"):
            first.save(saved)
    finally:
        other.kill()
        other.wait()
    first.save(saved)
    with owner_of(saved):
        assert Index.load(saved, Drawn()).ids.tolist() == [0, *range(2, 60)]


def save_for_ever(folder: Path, told: Connection) -> None:
    """Save two indexes in turn, and tell when the first is there."""
    one, two = (Index.build(Drawn(), [f"{name} {i}" for i in range(400)]) for name in "ab")
    one.save(folder)
    told.send(1)
    while True:
        two.save(folder)
        one.save(folder)


@pytest.mark.slow
def test_a_kill_while_saving_leaves_the_old_index_or_the_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    for attempt in range(4):
        here, there = FORKS.Pipe()
        child = FORKS.Process(target=save_for_ever, args=(folder, there))
        child.start()
        there.close()
        here.recv()
        time.sleep(0.05 + 0.013 * attempt)  # where in a save the kill falls is chance
        child.kill()
        child.join()
        index = Index.load(folder, Drawn())
        assert len(index) == 400 and len({text[0] for text in index.texts}) == 1
        index.save(folder)  # sweeps what the killed process left
        assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_link_to_an_index_stays_one_and_what_it_leads_to_is_replaced(saved: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(saved)
    index = Index.load(link, Drawn())
    index.remove([0])
    assert index.save(link) == link and link.is_symlink()
    assert len(Index.load(saved, Drawn())) == 59
    index.save(link)


def test_an_encoder_that_cuts_elsewhere_is_refused(tmp_path: Path) -> None:
    short, long, silent = Drawn(), Drawn(), Drawn()
    short.max_length, long.max_length = 12, 128
    folder = Index.build(short, TEXTS).save(tmp_path / "index")
    with pytest.raises(KitError, match="reads 12 word pieces .* got one that reads 128: load it with max_length=12"):
        Index.load(folder, long)
    assert len(Index.load(folder, short)) == len(Index.load(folder, silent)) == 60
