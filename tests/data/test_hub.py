"""The Hub: never a hang, never a stack of retries; and what is read when it is there."""

from __future__ import annotations

import http.server
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import datasets
import datasets.config
import pytest
from huggingface_hub import constants

from kit.data import hub, load, offline
from kit.errors import KitError, KitWarning
from kit.scaling.row_stream import load_stream

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def a_fresh_probe(monkeypatch, tmp_path):
    """No mirror, no cached copies, no remembered answer, no switches from outside."""
    for variable in ("KIT_DATA", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    hub.probe.cache_clear()
    yield
    hub.probe.cache_clear()


@pytest.fixture
def endpoint(monkeypatch):
    """Serve one kind of answer on this machine, as if it were the Hub; keeps the questions."""
    started = []

    def serve(status: int, kind: str = "application/json") -> list[str]:
        questions: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                questions.append(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args: object) -> None:
                pass  # keep the test's output clean

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        return questions

    yield serve
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
def test_a_hub_that_answers_is_asked_once(endpoint):
    questions = endpoint(200)
    assert hub.hub_problem() == hub.hub_problem() == ""
    assert len(questions) == 1


@pytest.mark.parametrize(
    "status, kind", [(403, "text/html"), (404, "text/plain"), (503, "application/json"), (200, "text/html")]
)
@pytest.mark.slow
def test_a_wall_in_front_of_the_hub_is_not_the_hub(endpoint, status, kind):
    endpoint(status, kind)
    assert f"status {status}, {kind}" in hub.hub_problem()


@pytest.mark.slow
def test_a_name_lookup_that_hangs_is_cut_off(monkeypatch):
    release = threading.Event()

    class Client:
        def get(self, *args: object, **options: object) -> None:
            release.wait(60)

    monkeypatch.setattr("huggingface_hub.utils.get_session", Client)
    assert "no answer within" in hub.hub_problem()
    release.set()


def test_the_offline_switch_is_respected_without_a_question(endpoint, monkeypatch):
    questions = endpoint(200)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert hub.hub_problem() == "HF_HUB_OFFLINE is set"
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert hub.hub_problem() == "HF_HUB_OFFLINE is set"
    assert questions == []


@pytest.fixture(params=["silent", "unknown host", "closed port"])
def address(request):
    """An address that swallows what it is told, one with no such host, one that refuses."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        local = f"http://127.0.0.1:{listener.getsockname()[1]}"
        if request.param == "closed port":
            listener.close()
        yield "https://hub.invalid" if request.param == "unknown host" else local


@pytest.mark.slow
def test_an_unreachable_hub_ends_in_the_world_with_one_sentence(address, tmp_path):
    """The whole way in a process of its own, as a reader without network would go it."""
    code = (
        "import sys\n"
        "from kit.data import load\n"
        "table = load('stanfordnlp/snli', rows=20)\n"
        "print(table.source.tier, 'datasets' in sys.modules)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "KIT_DATA"}
    environment |= {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["world", "False"], "the library, whose retries take a minute, is not asked"
    assert done.stderr.count("KitWarning") == 1
    assert "the Hub could not be reached" in done.stderr and address in done.stderr
    assert "Traceback" not in done.stderr and "Retry" not in done.stderr


def test_without_a_home_nothing_is_cached(monkeypatch):
    """A process of a service: no HOME, and a user whom the system does not know."""
    monkeypatch.delenv("HF_DATASETS_CACHE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", "~nobody-of-that-name/.cache/huggingface")
    assert not hub.cache_folder("stanfordnlp/snli").is_dir()


def test_offline_turns_the_switches_and_turns_them_back(monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    with pytest.raises(RuntimeError), offline():
        assert constants.HF_HUB_OFFLINE and datasets.config.HF_HUB_OFFLINE
        assert "HF_HUB_OFFLINE" not in os.environ
        raise RuntimeError("the block fails")
    assert not constants.HF_HUB_OFFLINE and not datasets.config.HF_HUB_OFFLINE


def hub_copy(columns: dict[str, list], commit: str = COMMIT) -> datasets.DatasetDict:
    """What `load_dataset` gives for a Hub id: all splits, the commit in the file addresses."""
    dataset = datasets.Dataset.from_dict(columns)
    dataset.info.download_checksums = {f"hf://datasets/some/id@{commit}/train.parquet": {}}
    return datasets.DatasetDict(train=dataset, test=dataset)


SNLI_ROWS = {
    "premise": ["A boy reads.", "A boy reads.", "Two dogs swim."],
    "hypothesis": ["A child reads.", "The book is long.", "The dogs are dry."],
    "label": [0, -1, 2],
    "pairID": ["1", "2", "3"],
}


@pytest.fixture
def reachable(monkeypatch):
    """The Hub answers, and gives what the test puts into the returned dict."""
    given: dict[str, object] = {}

    def load_dataset(name: str, trust_remote_code: bool) -> datasets.DatasetDict:
        answer = given[name]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(hub, "hub_problem", lambda: "")
    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    return given


def test_the_hub_tier_reads_the_split_and_records_the_commit(reachable):
    reachable["stanfordnlp/snli"] = hub_copy(SNLI_ROWS)
    table = load("stanfordnlp/snli")
    assert table.source.tier == "hub" and table.source.revision == COMMIT
    assert list(table.columns) == ["premise", "hypothesis", "label"]
    assert table["label"] == [0, 2] and table.source.rows == 2
    assert "1 rows without a gold label dropped" in table.source.summary()


def test_a_copy_without_a_commit_says_unknown(reachable):
    reachable["stanfordnlp/snli"] = hub_copy(SNLI_ROWS, commit="main")
    assert load("stanfordnlp/snli").source.revision == "unknown"


def test_a_split_the_hub_lacks_lists_those_it_has(reachable):
    reachable["stanfordnlp/snli"] = hub_copy(SNLI_ROWS)
    with pytest.raises(KitError, match="on the Hub has no split 'dev': it has train, test"):
        load("stanfordnlp/snli", "dev")


def test_a_name_the_hub_does_not_know_gives_the_near_ones(reachable):
    reachable["stanfordnlp/snil"] = datasets.exceptions.DatasetNotFoundError("no such data set")
    with pytest.raises(KitError, match="did you mean 'stanfordnlp/snli'"):
        load("stanfordnlp/snil")


def test_a_data_set_that_needs_a_configuration_is_told_in_one_sentence(reachable):
    reachable["some/collection"] = ValueError("Config name is missing.\nPlease pick one of ...")
    with pytest.raises(KitError, match=r"could not give some/collection: Config name is missing\.$"):
        load("some/collection")


def test_a_folder_here_is_not_taken_for_the_hubs(reachable, monkeypatch, tmp_path):
    (tmp_path / "stanfordnlp" / "snli").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    reachable["stanfordnlp/snli"] = hub_copy(SNLI_ROWS)
    for read in (load, load_stream):
        with pytest.raises(KitError, match="snli from the Hub, but there is such a path here: give path='stanfordnlp/"):
            read("stanfordnlp/snli")


@pytest.mark.parametrize("error", [ConnectionError("broken off"), RuntimeError("client closed")])
def test_a_connection_lost_on_the_way_falls_on(reachable, error):
    reachable["stanfordnlp/snli"] = error
    with pytest.raises(hub.UnavailableError, match="loading from the Hub failed"):
        hub.from_hub("stanfordnlp/snli", "train")


def test_a_cached_copy_is_used_without_the_hub(monkeypatch, tmp_path):
    (tmp_path / "cache" / "stanfordnlp___snli").mkdir(parents=True)
    monkeypatch.setattr(hub, "hub_problem", lambda: "no network")
    switches = []

    def load_dataset(name: str, trust_remote_code: bool) -> datasets.DatasetDict:
        switches.append(datasets.config.HF_HUB_OFFLINE)
        return hub_copy(SNLI_ROWS)

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    table = load("stanfordnlp/snli")
    assert switches == [True] and not datasets.config.HF_HUB_OFFLINE
    assert table.source.tier == "hub" and "a copy cached earlier" in table.source.summary()


def test_without_hub_and_cache_the_libraries_are_not_even_asked(monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setattr(datasets, "load_dataset", lambda name, **options: pytest.fail("was asked"))
    with pytest.raises(hub.UnavailableError, match="HF_DATASETS_OFFLINE is set"):
        hub.from_hub("stanfordnlp/snli", "train")


def test_a_cache_that_is_not_open_to_us_is_none(monkeypatch, tmp_path):
    """HOME of somebody else, as in a container that runs under another number."""

    def closed(path, *given, **named):
        if "closed" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *given, **named)

    stat = os.stat
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "closed"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(os, "stat", closed)
    for load_it in (lambda: load("stanfordnlp/snli", rows=4), lambda: load_stream("stanfordnlp/snli")):
        with pytest.warns(KitWarning, match="made-up scenes"):
            load_it()
