"""Ending processes: nothing gets away, and nobody else is touched."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from satchel.adapters.mcp import processes
from tests.integration.mcp.calling import SERVERS
from tests.processes import pid_lives

FORKING = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pids = []
for detach in (lambda: None, os.setsid, os.setpgrp):
    reading, writing = os.pipe()
    if os.fork() == 0:
        detach()
        child = os.fork()
        if child:
            os.write(writing, f"{os.getpid()} {child}".encode())
        time.sleep(60)
    pids.append(os.read(reading, 64).decode())
print(*pids, flush=True)
time.sleep(60)
"""
RESPAWNING = """
import os, signal, sys
print("ready", flush=True)
while True:
    if os.fork() == 0:
        os.setsid()
        signal.pause()
    os.wait()
"""


def start(program: str) -> subprocess.Popen[bytes]:
    return processes.start([sys.executable, "-S", "-c", program], os.environ)


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def close(process: subprocess.Popen[bytes]) -> None:
    processes.end(process)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


@contextmanager
def runner(what: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(SERVERS / "runner.py"), what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:  # noqa: S603
        yield process


def go_on(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


def nobody_holds_its_pipe(process: subprocess.Popen[bytes]) -> bool:
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    try:
        return os.read(process.stdout.fileno(), 1) == b""
    except BlockingIOError:
        return False


def soon_dead(pid: int) -> bool:
    ends = time.monotonic() + 5
    while pid_lives(pid) and time.monotonic() < ends:
        time.sleep(0.005)
    return not pid_lives(pid)


def test_all_that_a_server_forked_dies_with_it_however_it_detached_itself() -> None:
    process = start(FORKING)
    pids = [int(pid) for pid in line(process).split()]
    assert len(pids) == 6
    assert all(map(pid_lives, pids))
    close(process)

    assert not any(map(pid_lives, pids))
    assert process.returncode == -9


def test_a_server_that_starts_its_children_anew_does_not_outlast_its_end() -> None:
    process = start(RESPAWNING)
    line(process)
    processes.end(process)

    assert nobody_holds_its_pipe(process)
    close(process)


def test_ending_twice_is_ending_once() -> None:
    process = start("input()")
    close(process)
    close(process)

    assert process.returncode == -9


def test_other_processes_of_the_runner_are_left_alone() -> None:
    other, process = start("print(1, flush=True); input()"), start("input()")
    line(other)
    close(process)

    assert pid_lives(other.pid)
    close(other)


@pytest.mark.parametrize("kernel_lists_children", [True, False])
def test_what_is_below_a_server_is_found_with_and_without_the_kernels_list(
    kernel_lists_children: bool,  # noqa: FBT001  (a parameter of the test)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_KERNEL_LISTS_CHILDREN", kernel_lists_children)
    process = start(FORKING)
    pids = {int(pid) for pid in line(process).split()}

    assert processes.below(process.pid) == pids
    assert processes.any_living(pids)
    close(process)
    assert not processes.any_living(pids)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 15)", "was ended by SIGTERM"),
        ("import os; os.kill(os.getpid(), 40)", "was ended by signal 40"),
    ],
)
def test_how_a_server_ended_is_known_before_and_after_it_is_reaped(program: str, said: str) -> None:
    process = start(program)
    processes.wait_for_death(process, 10)

    assert processes.how_it_ended(process) == said
    close(process)
    assert processes.how_it_ended(process) == said


def test_of_a_living_server_no_end_is_told() -> None:
    process = start("input()")
    processes.wait_for_death(process, 0)

    assert processes.how_it_ended(process) is None
    close(process)


def test_a_server_dies_with_a_runner_that_is_killed() -> None:
    with runner("one_server") as process:
        pid = int(line(process))
        assert pid_lives(pid)
        process.kill()

        assert soon_dead(pid)


def test_what_a_dead_server_left_is_swept_and_a_living_ones_is_not() -> None:
    with runner("a_dead_servers_daemon") as process:
        living, its_daemon, stray = (int(pid) for pid in line(process).split())
        assert all(map(pid_lives, (living, its_daemon, stray)))
        go_on(process)
        children_left = int(line(process))

        assert (pid_lives(living), pid_lives(its_daemon), pid_lives(stray)) == (True, True, False)
        assert children_left == 1
        go_on(process)
        line(process)
        assert not any(map(pid_lives, (living, its_daemon)))
        go_on(process)
