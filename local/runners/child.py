"""One environment, seen from its parent: a process and its pipes."""

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

from local.runners import trees
from local.runners.context import InvocationError
from local.runners.functions import RunnerFunction
from local.runners.ledger import Ledger
from local.runners.nursery import Nursery
from local.runners.wire import LineBuffer, encode

_log = logging.getLogger(__name__)
_READ = 1 << 16
_STUCK = 0.05  # seconds after which a line that is still being written counts as stuck
_living: set[int] = set()
_births = threading.Lock()  # between a birth and its entry in _living, nobody may look for orphans


class Child:
    """A process that serves one tenant's invocations of one function.

    ``begin`` and ``send`` may be called from any thread; what reads, ends and buries it is the supervisor alone.
    """

    def __init__(self, nursery: Nursery, function: RunnerFunction, tenant: str, log_dir: Path) -> None:
        self.function = function
        self.tenant = tenant
        self.ledger = Ledger()
        self.retired = False
        self.is_buried = False
        self._kill_at: float | None = None
        self._writing = threading.Lock()
        self._lines = LineBuffer()
        theirs, ours = os.pipe()
        self.output, theirs_too = os.pipe()
        self._commands = os.fdopen(ours, "wb")
        log = os.open(_log_file(log_dir, function, tenant), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.pid = _bear(nursery, function, (theirs, theirs_too, log))
        self.pidfd = os.pidfd_open(self.pid)
        os.set_blocking(self.output, False)

    def __str__(self) -> str:
        """Return what a log line says of it."""
        return f"{self.function.name} for {self.tenant} (pid {self.pid})"

    @property
    def key(self) -> tuple[str, str]:
        """Return what it is found by: function and tenant."""
        return self.function.name, self.tenant

    @property
    def is_dead(self) -> bool:
        """Tell whether the process has ended, be it that nobody has noticed yet."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    @property
    def next_deadline(self) -> float | None:
        """Return when something must be ended here, if ever (monotonic, seconds)."""
        times = (self._kill_at, self.ledger.next_deadline)
        return min((time_ for time_ in times if time_ is not None), default=None)

    def begin(self, event: object, *, arn: str, asynchronous: bool) -> tuple[bytes, Future[object]]:
        """Note a new invocation; return the line to ``send``, and where its answer will appear.

        Raises TypeError or ValueError where the event is not JSON.
        """
        request_id = str(uuid.uuid4())
        line = encode(
            {
                "id": request_id,
                "arn": arn,
                "tenant": self.tenant,
                "remaining": self.function.timeout,
                "asynchronous": asynchronous,
                "event": event,
            },
        )
        return line, self.ledger.enter(request_id, time.monotonic() + self.function.timeout)

    def send(self, line: bytes) -> None:
        """Write a line. A child that has ended takes nothing any more, which its burial tells those who wait."""
        with self._writing, contextlib.suppress(BrokenPipeError, ValueError):
            self._commands.write(line)
            self._commands.flush()

    def read(self) -> bool:
        """Take in what the child has said by now. Return whether it can say more."""
        try:
            while chunk := os.read(self.output, _READ):
                for line in self._lines.feed(chunk):
                    self.ledger.settle(json.loads(line))
        except BlockingIOError:
            return True
        return False

    def retire(self, grace: float) -> None:
        """Let it end by itself within ``grace`` seconds, at once if a line to it is stuck."""
        self.retired = True
        free = self._writing.acquire(timeout=_STUCK)
        self._kill_at = time.monotonic() + (grace if free else 0)
        if free:
            with contextlib.suppress(BrokenPipeError):
                self._commands.close()
            self._writing.release()

    def enforce(self, now: float) -> None:
        """Kill the process if it outlived its grace or an invocation's time-out; what else it served dies with it."""
        seconds = self.function.timeout
        error = InvocationError("Sandbox.Timedout", f"Task timed out after {seconds:.2f} seconds")
        if self.ledger.expire(now, error):
            _log.warning("an invocation took longer than %g s: killing %s", seconds, self)
            self._kill_at = now
        if self._kill_at is not None and self._kill_at <= now:
            self._kill_at = None
            trees.kill_tree(self.pid)

    def bury(self) -> None:
        """Reap the dead process, kill what it left behind, and fail what it did not answer."""
        with _births:
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            _living.discard(self.pid)
            trees.kill_orphans(_living)
        os.close(self.pidfd)
        os.close(self.output)
        with self._writing, contextlib.suppress(BrokenPipeError):
            self._commands.close()
        exited = f"signal {-code}" if code < 0 else f"exit status {code}"
        self.ledger.fail_all(InvocationError("Runtime.ExitError", f"Runtime exited with error: {exited}"))
        self.is_buried = True


def _log_file(folder: Path, function: RunnerFunction, tenant: str) -> Path:
    return folder / f"{function.name}-{quote(tenant, safe='@+')}.log"


def _bear(nursery: Nursery, function: RunnerFunction, descriptors: tuple[int, int, int]) -> int:
    """Start the process with these standard descriptors, which are its own from then on."""
    try:
        with _births:
            pid = nursery.bear(function.target, function.name, function.environ, descriptors)
            _living.add(pid)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return pid
