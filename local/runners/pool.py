"""Routes invocations to environments, one for each function and tenant, as Lambda's tenant isolation does."""

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from local.runners import trees
from local.runners.child import Child
from local.runners.context import Handler, InvocationError, LambdaContext
from local.runners.functions import RunnerFunction
from local.runners.line import Attend, GoneError, Key, Line, Unattended, Waiting
from local.runners.nursery import Nursery
from local.runners.supervisor import Supervisor

_log = logging.getLogger(__name__)


class EnvironmentPool:
    """The environments of all runners; a context manager that leaves no process behind.

    An environment starts with its first invocation and is ended after ``idle_seconds`` without one. There are never
    more than ``most``, those included that are just ending: the idle one that was used longest ago makes room, and
    where all are busy an invocation waits in line for up to ``patience`` seconds. What is done for it meanwhile is its
    attendant's part. ``grace`` is how long an environment may take to end by itself (seconds). What environments print
    goes to ``{log_dir}/{function}-{tenant}.log``. They are forks of one process that has imported the modules of
    ``preload``.
    """

    def __init__(
        self,
        functions: Iterable[RunnerFunction],
        *,
        log_dir: Path,
        idle_seconds: float = 300.0,
        most: int = 16,
        patience: float = 120.0,
        attend: Attend = lambda _event: Unattended(),
        grace: float = 1.0,
        preload: Sequence[str] = (),
    ) -> None:
        self._functions = {function.name: function for function in functions}
        self._log_dir = log_dir
        self._idle_seconds = idle_seconds
        self._most = most
        self._patience = patience
        self._attend = attend
        self._grace = grace
        self._changed = threading.Condition()
        self._children: dict[Key, Child] = {}
        self._ending: set[Child] = set()
        self._line = Line()
        self._closed = False
        log_dir.mkdir(parents=True, exist_ok=True)
        trees.adopt_orphans()
        self._nursery = Nursery(preload)
        self._supervisor = Supervisor(self._forget, self._tidy)

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close it."""
        self.close()

    def handler(self, function_name: str) -> Handler:
        """Return the function's handler for the parent's side: it passes the invocation on to the environment."""

        def handle(event: object, context: LambdaContext) -> object:
            if context.tenant_id is None:
                # Lambda's own words for a function with tenant isolation
                raise InvocationError("InvalidParameterValueException", "The invoked function requires a tenant id.")
            return self.invoke(
                function_name,
                context.tenant_id,
                event,
                asynchronous=context.asynchronous,
                arn=context.invoked_function_arn,
            )

        return handle

    def invoke(
        self,
        function_name: str,
        tenant: str,
        event: object,
        *,
        asynchronous: bool = False,
        arn: str = "",
    ) -> object:
        """Run the handler in the tenant's environment and return its result, or None if ``asynchronous``.

        That returns as soon as the environment has the invocation. Raises InvocationError with Lambda's name for what
        went wrong: the handler's own error, ``Runtime.ExitError`` when the environment died, ``Sandbox.Timedout``,
        ``TooManyRequestsException`` when it waited for one in vain, or ``ServiceException`` when the pool is closed.
        Of an asynchronous invocation a failure is logged and nothing else. Raises KeyError for a function unknown here.
        """
        try:
            with self._environment(self._functions[function_name], tenant, event) as child:
                line, answer = child.begin(event, arn=arn, asynchronous=asynchronous)
        except GoneError:
            return None
        child.send(line)
        self._supervisor.look_by(child.next_deadline or 0.0)
        if not asynchronous:
            return answer.result()
        answer.add_done_callback(lambda done: _log_failure(child, done))
        return None

    def close(self) -> None:
        """End all environments and everything that they started; what they had not answered fails."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify_all()
            for child in self._children.values():
                child.retire(self._grace)
        self._supervisor.end(2 * self._grace + 1)
        self._nursery.close()

    def pids(self) -> dict[Key, int]:
        """Return the processes by function and tenant."""
        with self._changed:
            return {key: child.pid for key, child in self._children.items()}

    @contextmanager
    def _environment(self, function: RunnerFunction, tenant: str, event: object) -> Iterator[Child]:
        """Wait for the tenant's environment; while it is yielded nobody ends it."""
        key, waiting = (function.name, tenant), None
        try:
            while True:
                with self._changed:
                    child = self._child(function, key, waiting)
                    if child is not None:
                        yield child
                        return
                    waiting = waiting or self._line_up(key, event)
                    self._supervisor.look_by(0.0)  # an idle one may have to end
                    self._changed.wait(waiting.seconds_left)
                waiting.look(f"All {self._most} places for tools are taken; none was free within {self._patience:g} s.")
        finally:
            if waiting is not None:
                with self._changed:
                    self._line.leave(waiting)
                    self._changed.notify_all()

    def _line_up(self, key: Key, event: object) -> Waiting:
        waiting = Waiting(key, self._attend(event), self._patience)
        self._line.join(waiting)
        return waiting

    def _child(self, function: RunnerFunction, key: Key, waiting: Waiting | None) -> Child | None:
        """Return the tenant's environment, a new one if there is none and room for it, otherwise None."""
        if self._closed:
            raise InvocationError("ServiceException", "The runners are stopping.")
        child = self._children.get(key)
        if child is not None and child.is_dead:  # this very moment
            self._ending.add(self._children.pop(key))
            child = None
        free = self._most - len(self._children) - len(self._ending)
        if child is None and self._line.ahead_of(key, waiting) < free:
            child = self._children[key] = Child(self._nursery, function, key[1], self._log_dir)
            self._supervisor.watch(child)
        return child

    def _forget(self, child: Child) -> None:
        """Take note of a death; what it started is killed next, and until then its place is taken."""
        with self._changed:
            if self._children.get(child.key) is child:
                del self._children[child.key]
            self._ending.add(child)
        if not child.retired:
            _log.warning("an environment ended unasked: %s", child)

    def _tidy(self, now: float) -> float | None:
        """End environments that idle too long or are in the way; return when the next is due (monotonic, seconds)."""
        with self._changed:
            if self._closed:
                return None
            self._ending = {child for child in self._ending if not child.is_buried}
            idle = sorted((c for c in self._children.values() if c.ledger.idle), key=lambda c: c.ledger.last_used)
            surplus = len(self._children) + self._line.wanted(self._children) - self._most
            for number, child in enumerate(idle):
                if number < surplus or child.ledger.last_used + self._idle_seconds <= now:
                    self._ending.add(self._children.pop(child.key))
                    child.retire(self._grace)
            self._changed.notify_all()
            left = [child for child in idle if child.key in self._children]
        return min((child.ledger.last_used + self._idle_seconds for child in left), default=None)


def _log_failure(child: Child, done: Future[object]) -> None:
    error = done.exception()
    if isinstance(error, InvocationError) and not child.retired:
        _log.warning("an asynchronous invocation failed: %s: %s: %s", child, error.error_type, error)
