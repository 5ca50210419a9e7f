"""Kernels without the wait: a process that has imported the slow libraries once and forks for each kernel.

    python warm_kernel.py serve SOCKET        imports, says so, and waits; ends with its standard input
    python warm_kernel.py run SOCKET FILE     what a kernel.json starts: a kernel with the connection file FILE

A kernel's first seconds are torch and transformers, the same for every lesson. `run` hands on its folder, its
environment and its streams, and lives as long as its kernel: when one is killed, the other ends. The fork has nothing
of `kit` yet, and nothing was computed before it. Needs a system that can fork.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
from pathlib import Path

SLOW = """torch transformers.models.bert.modeling_bert ipykernel.kernelapp anywidget nbformat.validator
    plotly.graph_objects scipy.stats""".split()
STREAMS = [0, 1, 2]


def serve(address: str) -> list[str]:
    """In each fork: the arguments of its kernel. The process itself does not come back."""
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # whose end ends a kernel as well
    sys.modules["rfc3987_syntax"] = None  # as in tests/conftest.py: two seconds for a kind of address no notebook has
    for name in SLOW:
        __import__(name)
    del sys.modules["rfc3987_syntax"]
    gc.collect()
    gc.freeze()  # else each kernel looks through all of it when it collects garbage, and at its end
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            visitor, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                return become(visitor)
            visitor.close()
    sys.exit()


def become(visitor: socket.socket) -> list[str]:
    """Take over what `run` had: its folder, environment and streams; the connection file."""
    message, streams, _, _ = socket.recv_fds(visitor, 1 << 20, len(STREAMS))
    for mine, theirs in zip(STREAMS, streams):
        os.dup2(theirs, mine)
        os.close(theirs)
    asked = json.loads(message)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    if Path("/proc/self/comm").exists():
        Path("/proc/self/comm").write_text("ipykernel")  # the name by which its memory is watched
    visitor.sendall(str(os.getpid()).encode())
    threading.Thread(target=end_with, args=(visitor,), daemon=True).start()
    return ["ipykernel_launcher", "-f", asked["file"]]


def end_with(visitor: socket.socket) -> None:
    visitor.recv(1)  # nothing ever comes but the end
    os.kill(os.getpid(), signal.SIGKILL)


def run(address: str, file: str) -> None:
    asked = {"folder": os.getcwd(), "environment": dict(os.environ), "file": file}
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(address)
        socket.send_fds(door, [json.dumps(asked).encode()], STREAMS)
        kernel = int(door.recv(20))
        signal.signal(signal.SIGINT, lambda *_: os.kill(kernel, signal.SIGINT))
        door.recv(1)


if __name__ == "__main__":
    del sys.path[0]  # this folder, which a kernel does not have
    if sys.argv[1] == "serve":
        sys.argv = serve(sys.argv[2])
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        run(*sys.argv[2:])
