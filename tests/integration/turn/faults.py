"""Functions that fail: before their work or after it, or in the midst of it, at a request to AWS or at its answer."""

import random
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import boto3
from botocore.exceptions import ReadTimeoutError

from local.emulator.runners.context import Handler, LambdaContext

T = TypeVar("T")

_SOUND = 6  # turns in which a function does not fail, for each four in which it does


class When(StrEnum):
    """Where in its work a function fails."""

    BEFORE = "before it"
    AFTER = "after it"
    REQUEST = "at a request that is never sent"
    ANSWER = "at an answer that is lost"


class Work(NamedTuple):
    """What a function does for each turn: it is called so often, and makes at least so many requests each time."""

    times: int
    requests: int


class Died(BaseException):
    """The process is gone: nothing is caught, nothing more is written."""


@dataclass
class _Fault:
    function: str
    when: When
    time: int
    request: int
    error: BaseException | None = None


Of = Callable[[Any], str]
"""What an event is about: a turn, a session, a round of a clock."""


def _turn_of(event: Any) -> str:  # noqa: ANN401  (a payload)
    return str(event["turn_id"])


class Faults:
    """Has each function fail at most once for each turn, or whatever else it works on. ``happened`` counts when.

    What is in store is the same for each seed; which turn it meets is not, since turns run side by side.
    """

    def __init__(self, seed: int, works: Mapping[str, Work]) -> None:
        self._in_store = {function: _in_store(seed, function, work) for function, work in works.items()}
        self._left: defaultdict[str, deque[_Fault]] = defaultdict(deque)
        self._lock = threading.Lock()
        self._fates: dict[tuple[str, str], _Fault | None] = {}
        self._thread = threading.local()
        self.happened: Counter[tuple[str, When]] = Counter()

    @contextmanager
    def between_us_and_aws(self) -> Iterator[None]:
        """Watch the requests of all clients that are made meanwhile."""
        boto3.setup_default_session()
        assert boto3.DEFAULT_SESSION is not None
        events = boto3.DEFAULT_SESSION.events
        events.register("before-call", lambda **_: self._pass(When.REQUEST))
        events.register("after-call", lambda **_: self._pass(When.ANSWER))
        try:
            yield
        finally:
            boto3.setup_default_session()

    def handler(self, function: str, handler: Handler, of: Of = _turn_of, *, dies: bool = False) -> Handler:
        """Return a handler that may fail, once for each thing that its events are ``of``; ``dies``: without a word."""

        def run(event: Any, context: LambdaContext) -> object:  # noqa: ANN401  (a payload)
            return self.meet(function, of(event), lambda: handler(event, context), dies=dies)

        return run

    def meet(self, function: str, thing: str, work: Callable[[], T], *, dies: bool = False) -> T:
        """Do the work, or meet what is in store for it."""
        fault = self._fate(function, thing)
        if fault:
            fault.error = Died() if dies else ReadTimeoutError(endpoint_url="https://aws.example")
        if fault and fault.when is When.BEFORE:
            self._fail(fault)
        self._thread.fault = fault
        try:
            done = work()
        finally:
            self._thread.fault = None
        if fault and fault.when is When.AFTER:
            self._fail(fault)
        if fault and fault.request > 0:
            self._keep(fault)
        return done

    def _keep(self, fault: _Fault) -> None:
        """There were fewer requests than it waited for: it goes on counting at the next thing of its function."""
        with self._lock:
            self._left[fault.function].append(replace(fault, time=1))

    def _fate(self, function: str, thing: str) -> _Fault | None:
        with self._lock:
            if (function, thing) not in self._fates:
                left = self._left[function]
                self._fates[function, thing] = left.popleft() if left else next(self._in_store[function])
            fault = self._fates[function, thing]
            if fault is None:
                return None
            fault.time -= 1
            return fault if fault.time == 0 else None

    def _pass(self, when: When) -> None:
        fault: _Fault | None = getattr(self._thread, "fault", None)
        if fault is None or fault.when is not when:
            return
        fault.request -= 1
        if fault.request == 0:
            self._fail(fault)

    def _fail(self, fault: _Fault) -> None:
        assert fault.error is not None
        with self._lock:
            self.happened[fault.function, fault.when] += 1
        raise fault.error


def _in_store(seed: int, function: str, work: Work) -> Iterator[_Fault | None]:
    """Give what a function meets in one turn, or other thing, after the other: of ten, it fails in each way once."""
    dice = random.Random(f"{seed} {function}")  # noqa: S311  (it keeps no secret)
    while True:
        for when in dice.sample([*When, *[None] * _SOUND], len(When) + _SOUND):
            time, request = dice.randint(1, work.times), dice.randint(1, work.requests)
            yield _Fault(function, when, time, request) if when else None


def failing(times: int, handler: Handler, error: Callable[[], Exception] = lambda: KeyError("a bug")) -> Handler:
    """Return a handler that fails so often before it works."""
    left = [times]

    def run(event: object, context: Any) -> object:  # noqa: ANN401  (a Lambda context)
        left[0] -= 1
        if left[0] >= 0:
            raise error()
        return handler(event, context)

    return run
