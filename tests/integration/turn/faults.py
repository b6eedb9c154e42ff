"""Fault injection: a function fails before or after its work, or at a request to AWS or its response."""

import itertools
import random
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import boto3
from botocore.exceptions import ReadTimeoutError

from local.emulator.runners.context import Handler, LambdaContext

T = TypeVar("T")

_INVOCATIONS_WITHOUT_FAULT = 6  # for each four with one


class FaultPoint(StrEnum):
    """The point at which a function fails."""

    BEFORE = "before its work"
    AFTER = "after its work"
    REQUEST = "at a request that is never sent"
    RESPONSE = "at a response that is lost"


class Workload(NamedTuple):
    """The work of a function for each subject: the number of calls, and the minimum number of requests in each."""

    calls: int
    requests: int


class ProcessDied(BaseException):
    """The process dies. A BaseException, so that no handler catches it and nothing more is written."""


@dataclass
class _Fault:
    """A fault in the ``call``-th call of a function for one subject, there at the ``request``-th request."""

    function: str
    point: FaultPoint
    call: int
    request: int
    error: BaseException | None = None


FindSubject = Callable[[Any], str]
"""Returns the subject of an event: a turn, a session, a round of a schedule."""


def _find_turn(event: Any) -> str:  # noqa: ANN401  (a payload)
    return str(event.get("requestPayload", event)["turn_id"])


class FaultInjector:
    """Lets each function fail at most once for each subject. ``happened`` counts the faults.

    The sequence of faults depends only on the seed. Which turn gets which fault varies, because turns run concurrently.
    """

    def __init__(self, seed: int, workloads: Mapping[str, Workload]) -> None:
        self._planned = {function: _plan_faults(seed, function, workload) for function, workload in workloads.items()}
        self._postponed: defaultdict[str, deque[_Fault]] = defaultdict(deque)
        self._lock = threading.Lock()
        self._assigned: dict[tuple[str, str], _Fault | None] = {}
        self._fault: ContextVar[_Fault | None] = ContextVar("fault", default=None)  # threads of a call inherit it
        self.happened: Counter[tuple[str, FaultPoint]] = Counter()

    @contextmanager
    def patched_clients(self) -> Iterator[None]:
        """Inject faults into the requests of all clients that are created during the block."""
        boto3.setup_default_session()
        assert boto3.DEFAULT_SESSION is not None
        events = boto3.DEFAULT_SESSION.events
        events.register("before-call", lambda **_: self._count_request(FaultPoint.REQUEST))
        events.register("after-call", lambda **_: self._count_request(FaultPoint.RESPONSE))
        try:
            yield
        finally:
            boto3.setup_default_session()

    def handler(
        self, function: str, handler: Handler, find_subject: FindSubject = _find_turn, *, dies: bool = False
    ) -> Handler:
        """Return a handler that fails at most once for each subject. ``dies``: the process dies instead of an error."""

        def run(event: Any, context: LambdaContext) -> object:  # noqa: ANN401  (a payload)
            return self.run(function, find_subject(event), lambda: handler(event, context), dies=dies)

        return run

    def run(self, function: str, subject: str, work: Callable[[], T], *, dies: bool = False) -> T:
        """Do the work, or fail if a fault is planned for this call."""
        fault = self._next_fault(function, subject)
        if fault:
            fault.error = ProcessDied() if dies else ReadTimeoutError(endpoint_url="https://aws.example")
        if fault and fault.point is FaultPoint.BEFORE:
            self._fail(fault)
        token = self._fault.set(fault)
        try:
            result = work()
        finally:
            self._fault.reset(token)
        if fault and fault.point is FaultPoint.AFTER:
            self._fail(fault)
        if fault and fault.request > 0:
            self._postpone(fault)
        return result

    def _postpone(self, fault: _Fault) -> None:
        """Move a fault to the next subject of its function, because the call made fewer requests than expected."""
        with self._lock:
            self._postponed[fault.function].append(replace(fault, call=1))

    def _next_fault(self, function: str, subject: str) -> _Fault | None:
        with self._lock:
            if (function, subject) not in self._assigned:
                postponed = self._postponed[function]
                self._assigned[function, subject] = postponed.popleft() if postponed else next(self._planned[function])
            fault = self._assigned[function, subject]
            if fault is None:
                return None
            fault.call -= 1
            return fault if fault.call == 0 else None

    def _count_request(self, point: FaultPoint) -> None:
        fault = self._fault.get()
        if fault is None or fault.point is not point:
            return
        fault.request -= 1
        if fault.request == 0:
            self._fail(fault)

    def _fail(self, fault: _Fault) -> None:
        assert fault.error is not None
        with self._lock:
            self.happened[fault.function, fault.point] += 1
        raise fault.error


def _plan_faults(seed: int, function: str, workload: Workload) -> Iterator[_Fault | None]:
    """Yield the fault (or None) of each subject. Among ten subjects, each kind of fault occurs once."""
    generator = random.Random(f"{seed} {function}")  # noqa: S311  (not for security)
    points = [*FaultPoint, *[None] * _INVOCATIONS_WITHOUT_FAULT]
    while True:
        for point in generator.sample(points, len(points)):
            call, request = generator.randint(1, workload.calls), generator.randint(1, workload.requests)
            yield _Fault(function, point, call, request) if point else None


def failing(
    times: int, handler: Handler, error: Callable[[], Exception] = lambda: KeyError("a bug"), *, after: int = 0
) -> Handler:
    """Wrap a handler so that its first ``times`` calls fail; with ``after``, as many calls before them succeed."""
    calls = itertools.count()

    def run(event: object, context: Any) -> object:  # noqa: ANN401  (a Lambda context)
        if after <= next(calls) < after + times:
            raise error()
        return handler(event, context)

    return run
