"""Start the system as a fork of a process that has already imported it, which saves most of the start's CPU time."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, TypedDict

from local.emulator.runners import process_tree
from local.emulator.runners.functions import child_environ

ROOT = Path(__file__).resolve().parents[2]
MAX_ORDER_BYTES = 100_000


class Order(TypedDict):
    """The arguments and the environment of a system, and the process that becomes its parent."""

    arguments: list[str]
    environ: dict[str, str]
    parent: int


class ForkedProcess:
    """A child of this process that ``PreparedSystem`` forked. Has the methods of ``subprocess.Popen``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None if the process still runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code as soon as the process has ended. Raise TimeoutExpired after ``timeout`` seconds."""
        if self.returncode is None:
            descriptor = os.pidfd_open(self.pid)  # readable when the process has ended
            try:
                if not select.select([descriptor], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            finally:
                os.close(descriptor)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)


class PreparedSystem:
    """Controls the process that has imported the system. It ends when this process ends.

    A system that it forks becomes a child of this process.
    """

    def __init__(self) -> None:
        process_tree.become_subreaper()
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(  # noqa: S603  (this interpreter and our own module)
                [sys.executable, "-s", "-P", "-m", "tests.e2e.prepared_system_main", str(other.fileno())],
                cwd=ROOT,
                env=child_environ({"POWERTOOLS_LOG_LEVEL": "WARNING"}),  # as of `satchel serve`: loggers copy it
                stdin=subprocess.DEVNULL,
                pass_fds=(other.fileno(),),
                start_new_session=True,
            )

    def start(self, arguments: Sequence[str], environ: Mapping[str, str], output: IO[bytes]) -> ForkedProcess:
        """Run ``satchel`` with these arguments and this environment, in a new session, with its output to a file."""
        order = Order(arguments=list(arguments), environ=dict(environ), parent=os.getpid())
        socket.send_fds(self._socket, [json.dumps(order).encode()], [output.fileno()])
        return ForkedProcess(int(self._socket.recv(MAX_ORDER_BYTES)))

    def close(self) -> None:
        """End the prepared process. The systems that it forked continue to run."""
        self._socket.close()
        self._process.wait()


@cache
def prepared_system() -> PreparedSystem:
    """Return the prepared process of this test run, or of this worker of it."""
    prepared = PreparedSystem()
    atexit.register(prepared.close)
    return prepared
