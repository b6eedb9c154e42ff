"""Ending a server kills all its descendants and no other process."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from satchel.adapters.mcp import processes, server_exit
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS
from tests.processes import is_pid_alive

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
HANDING_OVER = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
child = os.fork()
if child:
    print(child, flush=True)
    signal.pause()
os.setsid()
signal.sigwait({signal.SIGUSR1})
if os.fork():
    os._exit(0)
print(os.getpid(), flush=True)
signal.pause()
"""
"""A server with a child that starts another process at SIGUSR1, and ends: the server adopts that process."""


def start(program: str) -> processes.Server:
    return processes.start([sys.executable, "-S", "-c", program], os.environ)


def line(process: processes.Server) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def close(process: processes.Server) -> None:
    processes.end(process)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


@contextmanager
def runner(scenario: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(SERVER_PROGRAMS / "runner_process.py"), scenario]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:  # noqa: S603
        yield process


def proceed(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


def output_is_closed(process: processes.Server) -> bool:
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    try:
        return os.read(process.stdout.fileno(), 1) == b""
    except BlockingIOError:
        return False


def dies_soon(pid: int) -> bool:
    deadline = time.monotonic() + 50
    while is_pid_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.005)
    return not is_pid_alive(pid)


def test_end_kills_all_detached_descendants() -> None:
    process = start(FORKING)
    pids = [int(pid) for pid in line(process).split()]
    assert len(pids) == 6
    assert all(map(is_pid_alive, pids))
    close(process)

    assert not any(map(is_pid_alive, pids))
    assert process.returncode == -9


def test_end_kills_a_server_that_keeps_forking() -> None:
    process = start(RESPAWNING)
    line(process)
    processes.end(process)

    assert output_is_closed(process)
    close(process)


def test_end_can_be_repeated() -> None:
    process = start("input()")
    close(process)
    close(process)

    assert process.returncode == -9


def test_end_leaves_other_servers_running() -> None:
    other, process = start("print(1, flush=True); input()"), start("input()")
    line(other)
    close(process)

    assert is_pid_alive(other.pid)
    close(other)


@pytest.mark.parametrize("kernel_lists_children", [True, False])
def test_descendants_are_found_with_and_without_the_kernel_list(
    kernel_lists_children: bool,  # noqa: FBT001  (a parameter of the test)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_KERNEL_LISTS_CHILDREN", kernel_lists_children)
    process = start(FORKING)
    pids = {int(pid) for pid in line(process).split()}

    assert processes.descendants(process.pid) == pids
    assert processes.any_alive(pids)
    close(process)
    assert not processes.any_alive(pids)


def adopt_during_the_first_look(process: processes.Server, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the server ``HANDING_OVER`` adopt a process when its children have just been read.

    The pid of that process is added to the returned list.
    """
    child = int(line(process))
    look = processes._children  # noqa: SLF001  (the moment of the race)
    adopted: list[int] = []

    def look_and_adopt(pid: int) -> set[int]:
        found = look(pid)
        if pid == process.pid and not adopted:
            os.kill(child, signal.SIGUSR1)
            adopted.append(int(line(process)))
            assert dies_soon(child)
        return found

    monkeypatch.setattr(processes, "_children", look_and_adopt)
    return adopted


def test_process_that_the_server_adopts_during_a_look_is_found_running(monkeypatch: pytest.MonkeyPatch) -> None:
    process = start(HANDING_OVER)
    adopted = adopt_during_the_first_look(process, monkeypatch)

    assert processes.count_zombies(process.pid, set()) is None
    assert is_pid_alive(adopted[0])
    close(process)


def test_end_kills_a_process_that_the_server_adopts_during_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    process = start(HANDING_OVER)
    adopted = adopt_during_the_first_look(process, monkeypatch)
    close(process)

    assert not is_pid_alive(adopted[0])


def test_zombies_are_counted_except_for_the_servers_own_processes() -> None:
    process = start("import os, time; print(*[os.fork() or os._exit(0) for _ in range(3)], flush=True); time.sleep(60)")
    pids = {int(pid) for pid in line(process).split()}
    assert all(map(dies_soon, pids))

    assert processes.count_zombies(process.pid, set()) == 3
    assert processes.count_zombies(process.pid, {min(pids)}) == 2
    close(process)


@pytest.mark.parametrize(
    ("program", "description"),
    [
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 15)", "was ended by SIGTERM"),
        ("import os; os.kill(os.getpid(), 40)", "was ended by signal 40"),
    ],
)
def test_exit_is_described_before_and_after_reaping(program: str, description: str) -> None:
    process = start(program)
    server_exit.wait_for_exit(process, 60)

    assert server_exit.describe_exit(process) == description
    close(process)
    assert server_exit.describe_exit(process) == description


def test_running_server_has_no_exit_description() -> None:
    process = start("input()")
    server_exit.wait_for_exit(process, 0)

    assert server_exit.describe_exit(process) is None
    close(process)


def test_server_dies_when_its_runner_is_killed() -> None:
    with runner("one_server") as process:
        pid = int(line(process))
        assert is_pid_alive(pid)
        process.kill()

        assert dies_soon(pid)


def test_orphans_of_a_dead_server_are_killed_and_other_daemons_are_not() -> None:
    with runner("orphan_of_a_dead_server") as process:
        living, its_daemon, orphan = (int(pid) for pid in line(process).split())
        assert all(map(is_pid_alive, (living, its_daemon, orphan)))
        proceed(process)
        children_left = int(line(process))

        assert (is_pid_alive(living), is_pid_alive(its_daemon), is_pid_alive(orphan)) == (True, True, False)
        assert children_left == 1
        proceed(process)
        line(process)
        assert not any(map(is_pid_alive, (living, its_daemon)))
        proceed(process)
