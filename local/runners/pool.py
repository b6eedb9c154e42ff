"""Routes invocations to environments, one for each function and tenant, as Lambda's tenant isolation does."""

import logging
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Self

from local.runners import trees
from local.runners.child import Child
from local.runners.context import Handler, InvocationError, LambdaContext
from local.runners.functions import RunnerFunction
from local.runners.nursery import Nursery
from local.runners.supervisor import Supervisor

_log = logging.getLogger(__name__)


class EnvironmentPool:
    """The environments of all runners; a context manager that leaves no process behind.

    An environment starts with its first invocation and is ended after ``idle_seconds`` without one. ``most`` of them
    are kept: above it the idle one that was used longest ago is ended. An invocation is never refused for their
    number, so more than ``most`` may be busy at once. ``grace`` is how long one may take to end by itself (seconds).
    What environments print goes to ``{log_dir}/{function}-{tenant}.log``.
    """

    def __init__(
        self,
        functions: Iterable[RunnerFunction],
        *,
        log_dir: Path,
        idle_seconds: float = 300.0,
        most: int = 16,
        grace: float = 1.0,
        preload: Sequence[str] = (),
    ) -> None:
        self._functions = {function.name: function for function in functions}
        self._log_dir = log_dir
        self._idle_seconds = idle_seconds
        self._most = most
        self._grace = grace
        self._lock = threading.Lock()
        self._children: dict[tuple[str, str], Child] = {}
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
        """Run the handler in the tenant's environment and return its result, or None at once if ``asynchronous``.

        Raises InvocationError with Lambda's name for what went wrong: the handler's own error, ``Runtime.ExitError``
        when the environment died, ``Sandbox.Timedout``, or ``ServiceException`` when the pool is closed. Of an
        asynchronous invocation a failure is logged and nothing else. Raises KeyError for a function unknown here.
        """
        with self._lock:
            if self._closed:
                raise InvocationError("ServiceException", "The runners are stopping.")
            child = self._child(self._functions[function_name], tenant)
            line, answer = child.begin(event, arn=arn, asynchronous=asynchronous)
        child.send(line)
        self._supervisor.look_by(child.next_deadline or 0.0)
        if not asynchronous:
            return answer.result()
        answer.add_done_callback(lambda done: _log_failure(child, done))
        return None

    def close(self) -> None:
        """End all environments and everything that they started; what they had not answered fails."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for child in self._children.values():
                child.retire(self._grace)
        self._supervisor.end(2 * self._grace + 1)
        self._nursery.close()

    def pids(self) -> dict[tuple[str, str], int]:
        """Return the processes by function and tenant."""
        with self._lock:
            return {key: child.pid for key, child in self._children.items()}

    def _child(self, function: RunnerFunction, tenant: str) -> Child:
        """Return the tenant's environment, a new one if there is none or if it has died this very moment."""
        child = self._children.get((function.name, tenant))
        if child is None or child.is_dead:
            child = Child(self._nursery, function, tenant, self._log_dir)
            self._children[child.key] = child
            self._supervisor.watch(child)
        return child

    def _forget(self, child: Child) -> None:
        """Take note of a death."""
        with self._lock:
            if self._children.get(child.key) is child:
                del self._children[child.key]
        if not child.retired:
            _log.warning("an environment ended unasked: %s", child)

    def _tidy(self, now: float) -> float | None:
        """End the environments that idle too long or are too many; return when the next is due (monotonic, seconds)."""
        with self._lock:
            if self._closed:
                return None
            idle = sorted((c for c in self._children.values() if c.ledger.idle), key=lambda c: c.ledger.last_used)
            surplus = len(self._children) - self._most
            for number, child in enumerate(idle):
                if number < surplus or child.ledger.last_used + self._idle_seconds <= now:
                    del self._children[child.key]
                    child.retire(self._grace)
            left = [child for child in idle if child.key in self._children]
        return min((child.ledger.last_used + self._idle_seconds for child in left), default=None)


def _log_failure(child: Child, done: Future[object]) -> None:
    error = done.exception()
    if isinstance(error, InvocationError) and not child.retired:
        _log.warning("an asynchronous invocation failed: %s: %s: %s", child, error.error_type, error)
