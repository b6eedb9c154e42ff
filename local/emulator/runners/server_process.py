"""The process that an environment forks at its start, and that becomes the environment's first MCP server.

It must be forked before the environment gets its settings, because these contain credentials. It has no descriptor of
the environment except the log, and its import system looks as if only the servers' libraries had been imported.
"""

import fcntl
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Collection
from functools import partial

from satchel.adapters.mcp import processes
from satchel.adapters.mcp.prepared_server import MAX_ORDER_BYTES, PreparedServer, ServerOrder
from satchel.adapters.sandbox import launch, syscalls
from satchel.adapters.sandbox.guest import guard

_PR_SET_PDEATHSIG = 1
_MAX_DESCRIPTORS = 8
_HIGH_DESCRIPTOR = 1000  # above every number that an order can name


def fork(modules: Collection[str]) -> Callable[[], None] | None:
    """Fork a prepared server process that keeps only these ``modules``. Return its program there, and None here."""
    connection, server_connection = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = os.getpid()
    pid = os.fork()
    if pid == 0:
        connection.close()
        return partial(_become_server, server_connection, modules, environment)
    server_connection.close()
    processes.offer(PreparedServer(pid, connection))
    return None


def _become_server(connection: socket.socket, modules: Collection[str], environment: int) -> None:
    """Wait for an order, enter the sandbox, and run the server's program. Return if no order comes."""
    syscalls.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != environment:  # the environment has died before this process could ask for the signal
        return
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    _close_all_except(0, 1, 2, connection.fileno())
    message, descriptors, _, _ = socket.recv_fds(connection, MAX_ORDER_BYTES, _MAX_DESCRIPTORS)
    if not message:
        return
    order: ServerOrder = json.loads(message)
    os.setsid()
    connection.close()
    _take_over(descriptors, [0, 1, *order["descriptors"]])
    # The import path without the fork server's own entries, which are not meant for servers.
    own = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [path for path in sys.path if path not in own]
    os.environ.clear()
    os.environ.update(order["environ"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = launch.enter(order["arguments"])
    if command:
        _run_guard(command, modules)


def _run_guard(command: list[str], modules: Collection[str]) -> None:
    """Run the command ``python -s start.py ARGUMENTS…`` as if this were a new process of the interpreter."""
    _, _, start, *arguments = command
    sys.argv = [start, *arguments]
    sys.dont_write_bytecode = True
    run = guard.run
    for name in sys.modules.keys() - modules - {"__main__"}:
        del sys.modules[name]
    run(arguments, is_isolated=False)


def _close_all_except(*needed: int) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  (a list, because the directory changes)
        if int(name) not in needed:
            try:
                os.close(int(name))
            except OSError:  # the descriptor of the listing itself
                continue


def _take_over(descriptors: Collection[int], targets: Collection[int]) -> None:
    """Move each descriptor to its target number, at which programs that the server starts inherit it."""
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _HIGH_DESCRIPTOR) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for descriptor, target in zip(high, targets, strict=True):
        os.dup2(descriptor, target)
        os.close(descriptor)
