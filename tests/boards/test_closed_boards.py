"""Live boards that are made, closed and replaced in real processes: no thread goes on, the memory comes back."""

from __future__ import annotations

import json
import os
import textwrap
import time
from pathlib import Path

import pytest

from tests.forks import end_of, say_into

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow  # a process and a kernel
OFFLINE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "KIT_DATA": "", "PYTHONPATH": str(ROOT)}
MAKE = """
    import ctypes, gc, json, threading, time, warnings, weakref
    warnings.simplefilter("ignore")
    from kit.boards import live_board
    from kit.data import group_by_premise, load, load_sts
    from kit.encoder import load_encoder
    from kit.training import recipe
    from kit.workshop import LiveTraining
    from kit.workshop.cost_estimate import held_mb

    groups, task = group_by_premise(load("stanfordnlp/snli", rows=400)), load_sts("STS-B", rows=60)["STS-B"]

    def running():
        return sum(thread.name == "live training" for thread in threading.enumerate())

    def a_board(seconds=0.01):
        live = LiveTraining(load_encoder(), recipe("simcse", "smoke", batch_size=8), groups, task, seconds=seconds)
        board = live_board(live, ["tau"])
        live.start()
        while live.frame["step"] < 2:
            time.sleep(0.01)
        return live, board
"""
CLOSED = """
    # A training is a thread, and what a thread has freed its arena keeps for the next one: of memory that nobody
    # holds, more or less stays with the process as chance will have it. Trimmed, what is left is what is held.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", int)
    held, alive, threads = [], [], []
    for number in range(boards):
        live, board = a_board()
        alive.append([weakref.ref(live), weakref.ref(live._encoder), weakref.ref(board)])
        (board if number % 2 else board.widget).close()
        del live, board
        gc.collect()
        trim(0)
        held.append(held_mb())
        threads.append(running())
    left = [sum(one() is not None for one in kind) for kind in zip(*alive)]
    print(json.dumps({"held": held, "threads": threads, "left": left}))
"""


def environment() -> dict[str, str]:
    return {name: value for name, value in {**os.environ, **OFFLINE}.items() if value}


def close_boards(boards: int, said: Path) -> None:
    """What a process of its own does: make and close so many, and print what is left of them."""
    say_into(said)
    os.environ.update(OFFLINE)
    exec(textwrap.dedent(MAKE) + textwrap.dedent(CLOSED), {"boards": boards})


@pytest.mark.parametrize("boards", [10, pytest.param(30, marks=pytest.mark.nightly)])
def test_closed_boards_leave_no_thread_and_no_memory(boards: int, tmp_path: Path) -> None:
    said = tmp_path / "said"
    assert end_of(close_boards, boards, said) == 0, said.read_text()[-3000:]
    found = json.loads(said.read_text().splitlines()[-1])
    assert found["threads"] == [0] * boards and found["left"] == [0, 0, 0], "no training, encoder or board lives on"
    first, last = found["held"][4], max(found["held"][-4:])  # five boards have warmed up caches and pools
    assert last < 1.05 * first, found["held"]


@pytest.fixture(scope="module")
def kernel():
    """(manager, run): a kernel that has run MAKE, and a function that runs code there and returns what it prints.

    run(code, interrupt=True) presses the stop button once the code has printed.
    """
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(env=environment(), cwd=str(ROOT))

    def run(code: str, interrupt: bool = False) -> list[str]:
        said: list[str] = []
        pressed = False

        def hear(message: dict) -> None:
            nonlocal pressed
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                said.append(content["text"])
            if kind == "error":
                assert interrupt and content["ename"] == "KeyboardInterrupt", content
                said.append(" interrupted")
            if interrupt and not pressed and kind == "stream":
                pressed = True
                manager.interrupt_kernel()

        client.execute_interactive(textwrap.dedent(code), output_hook=hear, timeout=600)
        return "".join(said).split()

    try:
        run(MAKE)
        yield manager, run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_cell_that_runs_again_in_a_kernel_ends_the_training_it_replaces(kernel) -> None:
    """As in a notebook: the cell's last expression is the board, which the kernel keeps in `Out`."""
    _, run = kernel
    run("kept = []")
    for _ in range(4):
        run("live, board = a_board(); kept.append(weakref.ref(live)); board")
        assert run("print(running())") == ["1"]
    said = run(
        "gc.collect(); print(sum(one() is not None for one in kept), running()); board.close(); print(running())"
    )
    assert said == ["1", "1", "0"]


def test_the_stop_button_ends_a_live_training(kernel) -> None:
    """Between two cells, where the kernel would ignore the interrupt, and in a cell, where the main thread gets it."""
    manager, run = kernel
    over = "live._thread.join(60); print(running(), live.running)"
    run("live, board = a_board(); board")
    manager.interrupt_kernel()
    assert run(over) == ["0", "False"]
    run("live.start()")
    # Short sleeps: where the system hands the signal to another thread, a long one would not end before its time.
    said = run("print(running(), flush=True)\nfor _ in range(2000):\n    time.sleep(0.05)", interrupt=True)
    assert said == ["1", "interrupted"]
    assert run(over) == ["0", "False"]
    assert run("live.start(); print(running()); live.pause(); print(running())") == ["1", "0"], "and it can go on"


def test_controls_answer_after_the_page_is_loaded_again(kernel) -> None:
    """A page speaks to the kernel in a subshell of its own, which ends with it; the training goes on meanwhile."""
    from jupyter_client.session import Session

    manager, run = kernel
    (comm,) = run("live, board = a_board(seconds=0.2); print(board.widget.comm.comm_id)")
    page = manager.client(session=Session(key=manager.session.key))  # else it would take the cells' replies
    page.start_channels()
    page.wait_for_ready(timeout=60)

    def ask(kind: str, **content) -> dict:
        page.control_channel.send(page.session.msg(kind, content))
        return page.get_control_msg(timeout=60)["content"]

    def choose(subshell: str, **controls) -> str:
        content = {"comm_id": comm, "data": {"method": "update", "state": {"controls": controls}, "buffer_paths": []}}
        message = page.session.msg("comm_msg", content)
        message["header"]["subshell_id"] = subshell
        page.shell_channel.send(message)
        return message["header"]["msg_id"]

    def hear(wanted, seconds: float = 60) -> bool:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:  # a training says something all the time
            if wanted(page.get_iopub_msg(timeout=seconds)):
                return True
        return False

    def is_answered(asked: str) -> bool:
        wanted = (asked, "idle")
        return hear(lambda heard: (heard["parent_header"]["msg_id"], heard["content"].get("execution_state")) == wanted)

    try:
        first = ask("create_subshell_request").get("subshell_id")
        if first is None:
            pytest.skip("this ipykernel has no subshells")
        assert is_answered(choose(first, tau=0.1))
        ask("delete_subshell_request", subshell_id=first)
        for _ in range(2):  # frames of the training that goes on
            assert hear(lambda heard: "state" in heard["content"].get("data", {}).get("state", {}))
        asked = choose(ask("create_subshell_request")["subshell_id"], tau=0.1, pause=1)
        # The kernel may deal with it where cells run: one that ran first would keep it waiting.
        assert is_answered(asked), "nobody heard the pause"
        assert run("live._thread.join(60); print(live.running); board.close()") == ["False"]
    finally:
        page.stop_channels()
