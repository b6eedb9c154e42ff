"""Control of one environment from the parent process: the environment's process, and the pipes to it."""

import contextlib
import json
import logging
import os
import select
import threading
import time
import uuid
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import quote

from local.emulator.runners import process_tree
from local.emulator.runners.context import InvocationError
from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.messages import LineBuffer, encode_line
from local.emulator.runners.pending_requests import PendingRequests

_log = logging.getLogger(__name__)
_CHUNK_BYTES = 1 << 16
_WRITE_TIMEOUT = 0.05  # seconds; ``retire`` kills a process at once if another thread's write to it blocks for longer
_pids: set[int] = set()
_fork_lock = threading.Lock()  # prevents ``reap`` from killing a new environment whose pid is not yet in _pids


class EnvironmentProcess:
    """A process that serves one tenant's invocations of one function.

    ``create_request`` and ``send`` are thread-safe. Only the supervisor calls the methods that read from the process,
    kill it and reap it.
    """

    def __init__(self, fork_server: ForkServer, function: RunnerFunction, tenant: str, log_dir: Path) -> None:
        self.function = function
        self.tenant = tenant
        self.requests = PendingRequests()
        self.is_retired = False
        self.is_reaped = False
        self.started_at = time.monotonic()
        self._kill_at: float | None = None
        self._write_lock = threading.Lock()
        self._lines = LineBuffer()
        child_input, parent_output = os.pipe()
        self.output, child_output = os.pipe()
        self._invocations = os.fdopen(parent_output, "wb")
        log = os.open(_log_file(log_dir, function, tenant), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.pid = _fork(fork_server, function, (child_input, child_output, log))
        self.pidfd = os.pidfd_open(self.pid)
        os.set_blocking(self.output, False)
        self.send(encode_line(function.environ))

    def __str__(self) -> str:
        """Return function, tenant and pid for log messages."""
        return f"{self.function.name} for {self.tenant} (pid {self.pid})"

    @property
    def key(self) -> tuple[str, str]:
        """Return the function's name and the tenant."""
        return self.function.name, self.tenant

    @property
    def has_exited(self) -> bool:
        """Return True if the process has ended, even if the supervisor has not noticed yet."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    @property
    def next_deadline(self) -> float | None:
        """Return the monotonic time (in seconds) of the next timeout of an invocation or the grace period, or None."""
        times = (self._kill_at, self.requests.next_deadline)
        return min((time_ for time_ in times if time_ is not None), default=None)

    def create_request(self, event: object, *, arn: str, asynchronous: bool) -> tuple[bytes, Future[object]]:
        """Register a new invocation. Return the line to pass to ``send``, and the future of the result.

        Raise TypeError or ValueError if the event cannot be written as JSON.
        """
        request_id = str(uuid.uuid4())
        line = encode_line(
            {
                "id": request_id,
                "arn": arn,
                "tenant": self.tenant,
                "remaining": self.function.timeout,
                "asynchronous": asynchronous,
                "event": event,
            },
        )
        return line, self.requests.add(request_id, time.monotonic() + self.function.timeout)

    def send(self, line: bytes) -> None:
        """Send an invocation to the process. If the process has ended, do nothing: ``reap`` fails the invocation."""
        with self._write_lock, contextlib.suppress(BrokenPipeError, ValueError):
            self._invocations.write(line)
            self._invocations.flush()

    def read_responses(self) -> bool:
        """Read all available responses and complete their invocations. Return False at the end of the stream."""
        try:
            while chunk := os.read(self.output, _CHUNK_BYTES):
                for line in self._lines.feed(chunk):
                    self.requests.resolve(json.loads(line))
        except BlockingIOError:
            return True
        return False

    def retire(self, grace_seconds: float) -> None:
        """End the process by closing its input pipe.

        If the process still runs after ``grace_seconds``, the supervisor kills it. If the process does not read its
        input, the supervisor kills it at once.
        """
        self.is_retired = True
        is_writable = self._write_lock.acquire(timeout=_WRITE_TIMEOUT)
        self._kill_at = time.monotonic() + (grace_seconds if is_writable else 0)
        if is_writable:
            with contextlib.suppress(BrokenPipeError):
                self._invocations.close()
            self._write_lock.release()

    def enforce_deadlines(self, now: float) -> None:
        """Kill the process if an invocation or the grace period has timed out. All pending invocations then fail."""
        seconds = self.function.timeout
        error = InvocationError("Sandbox.Timedout", f"Task timed out after {seconds:.2f} seconds")
        if self.requests.expire(now, error):
            _log.warning("An invocation took longer than %g s: killing %s", seconds, self)
            self._kill_at = now
        if self._kill_at is not None and self._kill_at <= now:
            self._kill_at = None
            process_tree.kill_tree(self.pid)

    def reap(self) -> None:
        """Reap the ended process, kill the orphaned processes that it left, and fail its pending invocations."""
        with _fork_lock:
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            _pids.discard(self.pid)
            process_tree.kill_orphans(_pids)
        os.close(self.pidfd)
        os.close(self.output)
        with self._write_lock, contextlib.suppress(BrokenPipeError):
            self._invocations.close()
        status = f"signal {-code}" if code < 0 else f"exit status {code}"
        self.requests.fail_all(InvocationError("Runtime.ExitError", f"Runtime exited with error: {status}"))
        self.is_reaped = True


def _log_file(folder: Path, function: RunnerFunction, tenant: str) -> Path:
    return folder / f"{function.name}-{quote(tenant, safe='@+')}.log"


def _fork(fork_server: ForkServer, function: RunnerFunction, descriptors: tuple[int, int, int]) -> int:
    """Fork an environment with ``descriptors`` as its standard streams. Close this process's copies. Return the pid."""
    try:
        with _fork_lock:
            pid = fork_server.fork(function.target, function.name, descriptors)
            _pids.add(pid)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return pid
