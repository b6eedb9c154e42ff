"""``python -m tests.e2e.prepared_system_main DESCRIPTOR``: import the system once, and fork it for each order.

A forked system does what ``satchel serve`` does in a new process. Its fork server is a fork too, because its imports
take as long as the system's. If the fork server dies, the system starts a real one.
"""

import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable

from local.emulator.runners import fork_server_main
from local.emulator.runners.fork_server import PRELOAD, ForkServer
from local.emulator.runners.functions import child_environ
from tests.e2e.prepared_system import MAX_ORDER_BYTES, ForkedProcess, Order

Program = Callable[[], object]

_OF_SYSTEM = (
    "local.cli.main",
    "local.emulator.access_checks",
    "local.emulator.app_sandbox",
    "local.emulator.entrance",
    "local.emulator.functions",
    "local.emulator.http_gateway",
    "local.emulator.resumption",
    "local.emulator.serve",
    "local.emulator.storage",
    "local.emulator.store_proxy",
    "local.emulator.system",
    "local.emulator.turn_changes",
    "local.emulator.websocket_gateway",
    "satchel.bootstrap.api",
)
"""The modules that ``satchel serve`` imports while it starts (local/emulator/serve.py)."""
_PR_SET_PDEATHSIG = 1
_FORK_SERVER_TIMEOUT = 60.0


def main() -> Program | None:
    """Serve orders until the parent dies. In a fork, return the program that it must run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()
    _import_all()
    gc.freeze()
    gc.enable()
    while True:
        message, descriptors, _, _ = socket.recv_fds(orders, MAX_ORDER_BYTES, 1)
        if not message:
            return None
        pid = fork_server_main.fork_twice()
        if pid is None:
            orders.close()
            return _become_system(json.loads(message), descriptors[0])
        os.close(descriptors[0])
        orders.send(str(pid).encode())


def _import_all() -> None:
    """Import what the fork server and the system import. Read descriptions of AWS services at most once."""
    for name in PRELOAD:  # first, because the servers that the fork server forks have what was imported before
        module = importlib.import_module(name)
        module.when_idle()
    for name in _OF_SYSTEM:
        importlib.import_module(name)

    from moto.moto_api._internal import mock_random  # noqa: PLC0415  (after the imports of the fork server)

    from tests import service_models  # noqa: PLC0415  (the same)

    service_models.cache_service_models()
    os.register_at_fork(after_in_child=mock_random.seed)  # moto would give the same ids to all systems


def _become_system(order: Order, output: int) -> Program | None:
    """Take over the environment and the output, and return the program of the system, or of its fork server."""
    os.setsid()
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    tempfile.tempdir = None  # the next use reads TMPDIR
    os.environ.clear()
    os.environ.update(order["environ"])

    from local.cli.main import main as command  # noqa: PLC0415  (``_import_all`` has imported it)
    from local.emulator.aws.moto_patches.patching import replace  # noqa: PLC0415  (the same)

    connection, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        connection.close()
        return _become_fork_server(other)
    other.close()
    start_real = ForkServer._start  # noqa: SLF001  (the tests' replacement for it)

    def start(server: ForkServer) -> None:
        replace(ForkServer, "_start", start_real)
        connection.settimeout(_FORK_SERVER_TIMEOUT)
        vars(server).update(_socket=connection, _process=ForkedProcess(pid))

    replace(ForkServer, "_start", start)
    _end_with_parent(order["parent"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["satchel", *order["arguments"]]
    return command


def _become_fork_server(connection: socket.socket) -> Program | None:
    """Do what a new process of the fork server does, until its socket is closed."""
    os.setsid()
    environ = child_environ({})
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = ["fork_server_main", str(connection.detach()), *PRELOAD]
    return fork_server_main.main()


def _end_with_parent(parent: int) -> None:
    """Wait until this process has its lasting parent, and let the kernel send SIGTERM when that parent ends (Linux)."""
    while os.getppid() != parent:
        time.sleep(0.001)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__" and (_program := main()):
    _program()
