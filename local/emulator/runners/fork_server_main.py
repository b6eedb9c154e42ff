"""The fork server: ``python -m local.emulator.runners.fork_server_main DESCRIPTOR MODULE...``.

The fork server imports the modules once, which saves 1.5 seconds of CPU time for each environment. Then it only forks.
A module may have a function ``on_fork``. Each environment calls it before it gets its settings, so a process that
``on_fork`` forks contains no secrets. In such a process, ``on_fork`` returns the program to run instead.
A module may also have a function ``when_idle``, which imports more as soon as no fork was requested for a while.
It has a single thread, because the fork of a process with several threads can inherit a lock that no thread ever
releases. Fork requests arrive over the Unix socket with the file descriptor DESCRIPTOR, and the fork server ends when
this socket is closed. ``fork_server`` contains the code for the parent process.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial

from local.emulator.runners import environment
from local.emulator.runners.messages import FORK_DESCRIPTORS, MAX_FORK_REQUEST_BYTES, ForkRequest

Program = Callable[[], None]

_IDLE_SECONDS = 1.0  # at the start of a local run, the forks list tools for this time and need the processors


def main() -> Program | None:
    """Serve fork requests until the parent closes the socket or dies. In a fork, return the program that it must run.

    So the program runs without the frames of this module, and ends like every Python program.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # imported objects stay alive, so garbage collection would only cost time
    modules = [importlib.import_module(name) for name in sys.argv[2:]]
    hooks = [module.on_fork for module in modules if hasattr(module, "on_fork")]
    idle_work = [module.when_idle for module in modules if hasattr(module, "when_idle")]
    gc.freeze()  # the garbage collector never writes to frozen objects, so all forks share their memory
    gc.enable()
    while True:
        if idle_work and not select.select([parent], [], [], _IDLE_SECONDS)[0]:
            idle_work.pop()()
            gc.freeze()
            continue
        message, descriptors, _, _ = socket.recv_fds(parent, MAX_FORK_REQUEST_BYTES, FORK_DESCRIPTORS)
        if not message:
            return None
        pid = fork_twice()
        if pid is None:
            parent.close()
            return _start_environment(json.loads(message), descriptors, hooks)
        for descriptor in descriptors:
            os.close(descriptor)
        parent.send(str(pid).encode())


def fork_twice() -> int | None:
    """Fork a grandchild of this process. Return its pid, and None in the grandchild.

    The process between the two forks exits at once. The grandchild is then an orphan, and becomes a child of the parent
    process, which is a subreaper.
    """
    pid_reader, pid_writer = os.pipe()
    intermediate = os.fork()
    if intermediate == 0:
        pid = os.fork()
        if pid:
            os.write(pid_writer, str(pid).encode())
            os._exit(0)
        os.close(pid_reader)
        os.close(pid_writer)
        return None
    os.close(pid_writer)
    os.waitpid(intermediate, 0)
    with os.fdopen(pid_reader, "rb") as pid_file:
        return int(pid_file.read())


def _start_environment(
    request: ForkRequest, descriptors: Sequence[int], hooks: Sequence[Callable[[], Program | None]]
) -> Program:
    """Prepare an environment in a new session, so that Ctrl-C reaches only the parent process. Return its program."""
    os.setsid()
    for standard_descriptor, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard_descriptor)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    environment.mark()  # before the hooks, because the processes that they fork inherit the mark
    for hook in hooks:
        if program := hook():
            return program
    return partial(environment.main, request["target"], request["function"])


if __name__ == "__main__" and (_program := main()):
    _program()
