"""Lambda without containers: handlers are called in this process, a thread for every invocation."""

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from local.runners.context import Handler, InvocationError, LambdaContext, error_payload

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Function:
    """A handler and the seconds that it may take; one that takes longer is left behind: threads cannot be killed."""

    name: str
    handler: Handler
    timeout: float


@dataclass(frozen=True)
class Outcome:
    """What an invocation answers: JSON text, which is Lambda's error object if ``failed``."""

    payload: str
    failed: bool


class FunctionHost:
    """Knows the handlers by the names of their functions and runs them.

    A thread for each invocation: with a shared pool, handlers that wait for others of the same pool starve it.
    """

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}
        self._lock = threading.Lock()
        self._running: set[threading.Thread] = set()
        self._open = True

    def register(self, function: Function) -> None:
        """Make a function known, or replace it."""
        self._functions[function.name] = function

    def invoke(self, name: str, event: object, *, arn: str = "", tenant_id: str | None = None) -> Outcome:
        """Run the handler and wait for what it answers, at most for the function's time-out."""
        function = self._functions.get(name)
        if function is None:
            return _failure(InvocationError("Runtime.HandlerNotFound", f"{name} has no handler here"), "")
        context = _context(function, arn, tenant_id, asynchronous=False)
        outcomes: list[Outcome] = []
        thread = self._start(name, lambda: outcomes.append(_run(function.handler, event, context)))
        if thread is None:
            return _failure(InvocationError("ServiceException", "The cloud is stopping."), context.aws_request_id)
        thread.join(function.timeout)
        if outcomes:
            return outcomes[0]
        message = f"Task timed out after {function.timeout:.2f} seconds"
        return _failure(InvocationError("Sandbox.Timedout", message), context.aws_request_id)

    def invoke_later(self, name: str, event: object, *, arn: str = "", tenant_id: str | None = None) -> None:
        """Start the handler and return; a failure is logged and, as the functions are deployed, not retried."""
        function = self._functions.get(name)
        if function is None:
            _log.warning("asynchronous invocation of %s, which has no handler here", name)
            return
        context = _context(function, arn, tenant_id, asynchronous=True)

        def run() -> None:
            outcome = _run(function.handler, event, context)
            if outcome.failed:
                _log.warning("asynchronous invocation of %s failed: %s", name, outcome.payload)

        self._start(name, run)

    def close(self, timeout: float) -> int:
        """Start nothing any more, wait up to ``timeout`` seconds, and return how many handlers still run."""
        with self._lock:
            self._open = False
            running = set(self._running)
        deadline = time.monotonic() + timeout
        for thread in running:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sum(thread.is_alive() for thread in running)

    def reopen(self) -> None:
        """Forget all functions and start anew."""
        with self._lock:
            self._functions.clear()
            self._open = True

    def _start(self, name: str, work: Callable[[], object]) -> threading.Thread | None:
        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._running.discard(thread)

        thread = threading.Thread(target=run, daemon=True, name=f"lambda-{name}")
        with self._lock:
            if not self._open:
                return None
            self._running.add(thread)
        thread.start()
        return thread


def _context(function: Function, arn: str, tenant_id: str | None, *, asynchronous: bool) -> LambdaContext:
    return LambdaContext(
        function_name=function.name,
        invoked_function_arn=arn,
        deadline=time.monotonic() + function.timeout,
        tenant_id=tenant_id,
        asynchronous=asynchronous,
    )


def _run(handler: Handler, event: object, context: LambdaContext) -> Outcome:
    try:
        result = handler(event, context)
    except BaseException as error:  # noqa: BLE001  (whatever a handler raises, SystemExit too, is its answer)
        return _failure(error, context.aws_request_id)
    try:
        return Outcome(json.dumps(result, allow_nan=False), failed=False)
    except (TypeError, ValueError) as error:
        marshal = InvocationError("Runtime.MarshalError", f"Unable to marshal response: {error}")
        return _failure(marshal, context.aws_request_id)


def _failure(error: BaseException, request_id: str) -> Outcome:
    return Outcome(json.dumps(error_payload(error, request_id)), failed=True)
