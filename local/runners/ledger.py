"""The invocations that a child has not answered yet."""

import threading
import time
from concurrent.futures import Future
from typing import cast

from local.runners.context import InvocationError
from local.runners.wire import Answer


class Ledger:
    """Each open invocation with the future of its answer and its deadline; may be used from any thread.

    Times are monotonic, in seconds.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Future[object], float]] = {}
        self._broken: InvocationError | None = None
        self.last_used = time.monotonic()

    @property
    def idle(self) -> bool:
        """Tell whether nothing is open."""
        return not self._open

    @property
    def next_deadline(self) -> float | None:
        """Return the earliest deadline, if anything is open."""
        with self._lock:
            return min((deadline for _, deadline in self._open.values()), default=None)

    def enter(self, request_id: str, deadline: float) -> Future[object]:
        """Note an invocation and return where its answer will appear."""
        answer: Future[object] = Future()
        with self._lock:
            self._open[request_id] = (answer, deadline)
        return answer

    def settle(self, answer: Answer) -> None:
        """Pass on what the child says; an answer to what is not open any more is late and dropped."""
        if answer["kind"] == "broken":
            self._broken = _as_error(answer)
            return
        with self._lock:
            entry = self._open.pop(answer["id"], None)
            self.last_used = time.monotonic()
        if entry is None:
            return
        if answer["kind"] == "result":
            entry[0].set_result(answer["payload"])
        else:
            entry[0].set_exception(_as_error(answer))

    def expire(self, now: float, error: InvocationError) -> bool:
        """Fail what is past its deadline with ``error`` and tell whether there was any."""
        with self._lock:
            late = [request_id for request_id, (_, deadline) in self._open.items() if deadline <= now]
            answers = [self._open.pop(request_id)[0] for request_id in late]
        for answer in answers:
            answer.set_exception(error)
        return bool(answers)

    def fail_all(self, error: InvocationError) -> None:
        """Fail everything that is open: with what the child said about itself, or else with ``error``."""
        with self._lock:
            entries = list(self._open.values())
            self._open.clear()
        for answer, _ in entries:
            answer.set_exception(self._broken or error)


def _as_error(answer: Answer) -> InvocationError:
    payload = cast("dict[str, object]", answer["payload"])
    trace = cast("list[str]", payload["stackTrace"])
    return InvocationError(str(payload["errorType"]), str(payload["errorMessage"]), trace)
