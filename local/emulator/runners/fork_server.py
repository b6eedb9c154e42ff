"""Control of the fork server from the parent process: start the fork server's process, and request forks from it."""

import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence

from local.emulator.runners.functions import child_environ
from local.emulator.runners.messages import MAX_FORK_REQUEST_BYTES, ForkRequest

PRELOAD = ("local.emulator.runners.server_imports", "local.emulator.runners.preload")
"""The modules that the fork server of the runners imports, in this order."""

_log = logging.getLogger(__name__)
_RESPONSE_TIMEOUT = 60.0  # seconds; the first fork request may have to wait for the fork server's imports


class ForkServer:
    """Controls the fork server, a process that forks itself to start environments fast.

    The constructor starts the fork server, and ``fork`` restarts it if it has died. The fork server imports the modules
    ``preload`` once. Its forks become children of this process, which must be a subreaper
    (``process_tree.become_subreaper``).
    """

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._preload = preload
        self._lock = threading.Lock()
        self._start()

    def fork(self, target: str, function: str, descriptors: Sequence[int]) -> int:
        """Start an environment with ``descriptors`` as its standard input, output and error. Return its pid.

        Raise OSError if the fork server does not respond even after a restart.
        """
        request = json.dumps(ForkRequest(target=target, function=function)).encode()
        with self._lock:
            try:
                return self._send(request, descriptors)
            except OSError:
                _log.warning("The fork server does not respond and is restarted", exc_info=True)
                self._stop()
                self._start()
                return self._send(request, descriptors)

    def close(self) -> None:
        """End the fork server, if it still runs. The processes that it forked continue to run."""
        with self._lock:
            self._stop()

    def _start(self) -> None:
        self._socket, server_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_RESPONSE_TIMEOUT)
        number = str(server_socket.fileno())
        with server_socket:
            self._process = subprocess.Popen(  # noqa: S603  (this interpreter and our own module)
                [sys.executable, "-s", "-P", "-m", "local.emulator.runners.fork_server_main", number, *self._preload],
                stdin=subprocess.DEVNULL,
                env=child_environ({}),
                pass_fds=(server_socket.fileno(),),
                start_new_session=True,
            )

    def _send(self, request: bytes, descriptors: Sequence[int]) -> int:
        socket.send_fds(self._socket, [request], list(descriptors))
        pid = self._socket.recv(MAX_FORK_REQUEST_BYTES)
        if not pid:
            raise ConnectionResetError("the fork server has ended")
        return int(pid)

    def _stop(self) -> None:
        self._socket.close()
        self._process.kill()  # does nothing if the process has been reaped, so ``close`` may be called again
        self._process.wait()
