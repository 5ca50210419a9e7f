"""A Hub on this machine, with one data set of two splits, for the real `datasets` to read; run as a program by a test.

    python -m tests.owndata.hub_stand_in <folder for caches>

prints what `read` makes of it as JSON: sentences of data sets and errors by name.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME, COMMIT = "me/faq", "a" * 40
FILES = {
    "README.md": b"---\nlicense: mit\n---\n",
    "train.csv": b"question,answer\nwhere is it?,under the mat\nwho has it?,nobody\n",
    "test.csv": b"question,answer\nwhen?,at noon\nwhy?,because\nhow?,by hand\n",
}


class StandIn(BaseHTTPRequestHandler):
    """The few addresses that `datasets` asks: the data set, its files, and the content of each."""

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.startswith(f"/datasets/{NAME}/resolve/"):
            self._send(FILES.get(path.rpartition("/")[2]), "application/octet-stream")
        elif path.startswith(f"/api/datasets/{NAME}/tree/"):
            entries = [{"type": "file", "path": n, "size": len(b), "oid": _hash(b)} for n, b in FILES.items()]
            self._send(json.dumps(entries if path.endswith(COMMIT) else []).encode())
        elif path.startswith("/api/datasets/") and path.split("/revision")[0].removeprefix("/api/datasets/") in (
            NAME,
            "stanfordnlp/snli",  # whether this is a Hub
        ):
            siblings = [{"rfilename": name} for name in FILES]
            self._send(json.dumps({"id": NAME, "sha": COMMIT, "private": False, "siblings": siblings}).encode())
        else:
            self._send(None)

    do_HEAD = do_GET

    def _send(self, body: bytes | None, kind: str = "application/json") -> None:
        self.send_response(404 if body is None else 200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body or b"")))
        self.send_header("ETag", f'"{_hash(body or b"")}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if NAME not in self.path:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()
        if self.command == "GET" and body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _hash(body: bytes) -> str:
    return hashlib.sha1(body).hexdigest()


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ |= {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "HF_HOME": sys.argv[1]}
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "KIT_DATA", "HF_DATASETS_CACHE"):
        os.environ.pop(name, None)
    from kit.data import hub
    from kit.errors import KitError
    from kit.owndata import read

    found = {}

    def asked(what: str, name: str = NAME, **settings: str) -> None:
        try:
            found[what] = [*read(name, **settings).rows]
        except KitError as error:
            found[what] = str(error)

    asked("train")
    asked("test", split="test", anchor="answer", positive="question")
    asked("no split", split="dev")
    asked("no data set", "me/nothing")
    os.environ["HF_HUB_OFFLINE"] = "1"
    hub.probe.cache_clear()
    found["offline"] = read(NAME).summary()
    asked("offline, never read", "me/other")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
