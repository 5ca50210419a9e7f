"""The guard that denies notebooks the network really denies it, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.usefixtures("no_network"), pytest.mark.slow]


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True)


# 192.0.2.1 and 2001:db8::1 are reserved for documentation: nobody answers there, so a missing
# guard shows as a time-out or another error, never as NetworkDenied.
WAYS_OUT = [
    "socket.create_connection(('192.0.2.1', 80), timeout=2)",
    "socket.create_connection(('example.org', 443), timeout=2)",
    "socket.socket().connect(('192.0.2.1', 80))",
    "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "socket.socket().connect_ex(('192.0.2.1', 80))",
    "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "socket.getaddrinfo('example.org', 80)",
    "asyncio.run(asyncio.open_connection('192.0.2.1', 80))",
    "urllib.request.urlopen('http://example.org', timeout=5)",
    "requests.get('http://example.org', timeout=5)",
]
TRY = """
import asyncio, requests, socket, urllib.request
socket.setdefaulttimeout(2)
for attempt in {attempts!r}:
    try:
        exec(attempt)
    except Exception as problem:
        if "NetworkDenied" not in repr(problem) and "network is denied" not in str(problem):
            print(attempt, "ended with", repr(problem))
    else:
        print(attempt, "got through")
"""


def test_ways_out_are_closed() -> None:
    """Each attempt fails at once, with the guard's own error, as urllib and requests pass it on."""
    done = run(TRY.format(attempts=WAYS_OUT))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_loopback_stays_open() -> None:
    done = run(
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(('localhost', server.getsockname()[1]))\n"
        "near, _ = server.accept()\n"
        "client.sendall(b'hello')\n"
        "print(near.recv(5).decode())\n"
    )
    assert done.stdout.strip() == "hello", done.stderr


def test_without_the_switch_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DENY_NETWORK")
    done = run("import socket; print(socket.socket.__module__, socket.getaddrinfo.__module__)")
    assert done.stdout.split() == ["socket", "socket"], done.stderr
