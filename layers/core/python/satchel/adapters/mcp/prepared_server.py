"""A process that has already imported a server's libraries, and becomes a server when its runner needs one.

Importing the MCP libraries takes most of the time in which a Python server starts. So the local run forks this process
from one that has imported them, before the runner gets any secret or any user's data (``local.emulator.runners``). The
process waits for a ``ServerOrder`` over a socket, and then enters the sandbox like ``sandbox.launch``.
"""

import json
import os
import select
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import IO, TypedDict

from satchel.adapters.sandbox.readable_paths import GUEST

MAX_ORDER_BYTES = 1 << 17
_STDERR = 2


class ServerOrder(TypedDict):
    """Message to the prepared process: which server to become.

    ``arguments`` are those of ``sandbox.launch``, and ``environ`` contains all environment variables. The message has
    file descriptors: standard input, standard output, and one for each number in ``descriptors``.
    """

    arguments: list[str]
    environ: dict[str, str]
    descriptors: list[int]


class ServerProcess:
    """A server process that was not started with ``subprocess``, with the part of ``Popen`` that a runner needs."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process has ended, and return its exit status. Raise TimeoutError after ``timeout``."""
        if self.returncode is None:
            fd = os.pidfd_open(self.pid)
            try:
                if not select.select([fd], [], [], timeout)[0]:
                    raise TimeoutError
            finally:
                os.close(fd)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode


class PreparedServer:
    """Controls a prepared process, a child of this process. It can become one server."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid = pid
        self._connection = connection

    @staticmethod
    def can_run(command: Sequence[str], launch_options: Sequence[str]) -> bool:
        """Return True if a prepared process can run this command: this interpreter with the guard and without flags.

        A limited address space is no option, because the imported libraries occupy a part of it.
        """
        starts_guard = list(command[:3]) == [sys.executable, "-s", str(GUEST / "start.py")]
        return starts_guard and not any(option.startswith("limit=RLIMIT_AS:") for option in launch_options)

    def start(
        self,
        arguments: Sequence[str],
        environ: Mapping[str, str],
        descriptors: Sequence[int],
        stderr: int | None = None,
    ) -> ServerProcess:
        """Let the process become a server, with new pipes. Raise OSError if the process has ended."""
        child_input, stdin = os.pipe()
        stdout, child_output = os.pipe()
        # Each descriptor gets its number in this process, except standard error.
        numbers = {number: number for number in descriptors} | ({} if stderr is None else {_STDERR: stderr})
        order = ServerOrder(arguments=list(arguments), environ=dict(environ), descriptors=list(numbers))
        try:
            with self._connection:
                message = json.dumps(order).encode()
                socket.send_fds(self._connection, [message], [child_input, child_output, *numbers.values()])
        except OSError:
            os.close(stdin)
            os.close(stdout)
            raise
        finally:
            os.close(child_input)
            os.close(child_output)
        return ServerProcess(self.pid, open(stdin, "wb", buffering=0), open(stdout, "rb", buffering=0))  # noqa: PTH123  (descriptors, which the transport closes)
