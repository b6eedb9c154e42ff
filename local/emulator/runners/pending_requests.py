"""Track the invocations of one environment (a process that runs a Lambda handler) that have no response yet."""

import threading
import time
from concurrent.futures import Future
from typing import cast

from local.emulator.runners.context import InvocationError
from local.emulator.runners.messages import Response


class PendingRequests:
    """Stores one environment's pending invocations, each with a future for its result and a deadline. Thread-safe.

    Deadlines and ``last_used`` are ``time.monotonic()`` values in seconds. ``has_answered``: there was a response.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[str, tuple[Future[object], float]] = {}
        self._import_error: InvocationError | None = None
        self.last_used = time.monotonic()
        self.has_answered = False

    @property
    def is_idle(self) -> bool:
        """Return True if no invocation is pending."""
        return not self._pending

    @property
    def next_deadline(self) -> float | None:
        """Return the earliest deadline, or None if no invocation is pending."""
        with self._lock:
            return min((deadline for _, deadline in self._pending.values()), default=None)

    def add(self, request_id: str, deadline: float) -> Future[object]:
        """Add an invocation and return the future of its result."""
        future: Future[object] = Future()
        with self._lock:
            self._pending[request_id] = (future, deadline)
        return future

    def resolve(self, response: Response) -> None:
        """Complete the future of the invocation that ``response`` answers.

        Ignore the response if the invocation has already timed out. Store an import error for ``fail_all``.
        """
        if response["kind"] == "import_error":
            self._import_error = _to_error(response)
            return
        with self._lock:
            entry = self._pending.pop(response["id"], None)
            self.last_used = time.monotonic()
            self.has_answered = True
        if entry is None:
            return
        if response["kind"] == "result":
            entry[0].set_result(response["payload"])
        else:
            entry[0].set_exception(_to_error(response))

    def expire(self, now: float, error: InvocationError) -> bool:
        """Fail each invocation with ``error`` if its deadline has passed at ``now``. Return True if any has failed."""
        with self._lock:
            late = [request_id for request_id, (_, deadline) in self._pending.items() if deadline <= now]
            futures = [self._pending.pop(request_id)[0] for request_id in late]
        for future in futures:
            future.set_exception(error)
        return bool(futures)

    def fail_all(self, error: InvocationError) -> None:
        """Fail all pending invocations: with the handler's import error if there is one, otherwise with ``error``."""
        with self._lock:
            entries = list(self._pending.values())
            self._pending.clear()
        for future, _ in entries:
            future.set_exception(self._import_error or error)


def _to_error(response: Response) -> InvocationError:
    payload = cast("dict[str, object]", response["payload"])
    trace = cast("list[str]", payload["stackTrace"])
    return InvocationError(str(payload["errorType"]), str(payload["errorMessage"]), trace)
