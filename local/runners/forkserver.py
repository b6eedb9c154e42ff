"""The process that all environments are forked from: ``python -m local.runners.forkserver DESCRIPTOR MODULE...``.

It imports the modules once (three quarters of a second of processor time that every environment would pay for
itself) and then does nothing but fork, on one thread: a fork that has the threads of others may never wake up.
It is asked over a Unix socket, whose end is its own. See ``nursery`` for the other side.
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

from local.runners import environment
from local.runners.nursery import DESCRIPTORS, MOST_BYTES, Birth


def main() -> None:
    """Serve until the parent closes the socket, be it that it died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()  # what is imported stays
    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()  # what all share is not written to, so its memory is there once
    gc.enable()
    while True:
        message, descriptors, _, _ = socket.recv_fds(parent, MOST_BYTES, DESCRIPTORS)
        if not message:
            return
        parent.send(str(_give_birth(json.loads(message), descriptors, parent)).encode())


def _give_birth(birth: Birth, descriptors: Sequence[int], parent: socket.socket) -> int:
    """Fork twice, so that the environment falls to the parent's own process; return its pid."""
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        born = os.fork()
        if born:
            os.write(writing, str(born).encode())
            os._exit(0)
        for descriptor in (reading, writing, parent.detach()):
            os.close(descriptor)
        _live(birth, descriptors)
    for descriptor in (writing, *descriptors):
        os.close(descriptor)
    os.waitpid(between, 0)
    with os.fdopen(reading, "rb") as pid:
        return int(pid.read())


def _live(birth: Birth, descriptors: Sequence[int]) -> None:
    """Become the environment, in a session of its own, so that a terminal's Ctrl-C is the parent's to handle."""
    try:
        os.setsid()
        for standard, descriptor in enumerate(descriptors):
            os.dup2(descriptor, standard)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(birth["environ"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        environment.main(birth["target"], birth["function"])
    except BaseException:  # noqa: BLE001  (nothing may unwind into the forks' own loop)
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
