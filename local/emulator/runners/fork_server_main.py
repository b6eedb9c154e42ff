"""The fork server: ``python -m local.emulator.runners.fork_server_main DESCRIPTOR MODULE...``.

The fork server imports the modules once, which saves 0.75 seconds of CPU time for each environment. Then it only forks.
It has a single thread, because the fork of a process with several threads can inherit a lock that no thread ever
releases. Fork requests arrive over the Unix socket with the file descriptor DESCRIPTOR, and the fork server ends when
this socket is closed. ``fork_server`` contains the code for the parent process.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Sequence

from local.emulator.runners import environment
from local.emulator.runners.messages import FORK_DESCRIPTORS, MAX_FORK_REQUEST_BYTES, ForkRequest


def main() -> None:
    """Serve fork requests until the parent closes the socket or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # imported objects stay alive, so garbage collection would only cost time
    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()  # the garbage collector never writes to frozen objects, so all forks share their memory
    gc.enable()
    while True:
        message, descriptors, _, _ = socket.recv_fds(parent, MAX_FORK_REQUEST_BYTES, FORK_DESCRIPTORS)
        if not message:
            return
        parent.send(str(_fork_twice(json.loads(message), descriptors, parent)).encode())


def _fork_twice(request: ForkRequest, descriptors: Sequence[int], parent: socket.socket) -> int:
    """Start an environment as a grandchild of this process, and return the environment's pid.

    The process between the two forks exits at once. The environment is then an orphan, and becomes a child of the
    parent process, which is a subreaper.
    """
    pid_reader, pid_writer = os.pipe()
    intermediate = os.fork()
    if intermediate == 0:
        pid = os.fork()
        if pid:
            os.write(pid_writer, str(pid).encode())
            os._exit(0)
        for descriptor in (pid_reader, pid_writer, parent.detach()):
            os.close(descriptor)
        _run_environment(request, descriptors)
    for descriptor in (pid_writer, *descriptors):
        os.close(descriptor)
    os.waitpid(intermediate, 0)
    with os.fdopen(pid_reader, "rb") as pid_file:
        return int(pid_file.read())


def _run_environment(request: ForkRequest, descriptors: Sequence[int]) -> None:
    """Run the environment in a new session, so that Ctrl-C reaches only the parent process. Never return."""
    try:
        os.setsid()
        for standard_descriptor, descriptor in enumerate(descriptors):
            os.dup2(descriptor, standard_descriptor)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(request["environ"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        environment.main(request["target"], request["function"])
    except BaseException:  # noqa: BLE001  (no exception may unwind into the fork server's loop)
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
