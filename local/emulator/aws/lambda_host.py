"""Emulate Lambda without containers: each invocation runs its handler in a new thread of this process."""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from local.emulator.runners.context import Handler, InvocationError, LambdaContext, error_payload

_log = logging.getLogger(__name__)

FailureRecord = Mapping[str, object]
"""The message of Lambda to the destination of a failed asynchronous invocation."""

RETRY_PAUSES = (60.0, 120.0)
"""Seconds before the first and the second retry of a failed asynchronous invocation."""


@dataclass(frozen=True)
class Function:
    """A Lambda handler and its timeout in seconds. A handler that times out keeps running: threads cannot be killed."""

    name: str
    handler: Handler
    timeout: float


@dataclass(frozen=True)
class InvocationResult:
    """The response to an invocation, as JSON text: the handler's result, or Lambda's error object if ``failed``."""

    payload: str
    failed: bool


class FunctionHost:
    """Runs the handlers of registered Lambda functions.

    Each invocation gets a new thread. A thread pool of limited size could deadlock: if every thread ran a handler that
    waits for another handler, the other handlers could never start.
    """

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}
        self._lock = threading.Lock()
        self._running: set[threading.Thread] = set()
        self._is_open = True
        self._closing = threading.Event()
        self.retry_pauses = RETRY_PAUSES

    def register(self, function: Function) -> None:
        """Add a function, or replace the function that has the same name."""
        self._functions[function.name] = function

    def invoke(
        self,
        name: str,
        event: object,
        *,
        arn: str = "",
        tenant_id: str | None = None,
        max_wait: float | None = None,
    ) -> InvocationResult:
        """Run the function's handler. Return its result, or a timeout error if it exceeds the function's timeout.

        Raise TimeoutError after ``max_wait`` seconds.
        """
        function = self._functions.get(name)
        if function is None:
            return _failure(InvocationError("Runtime.HandlerNotFound", f"{name} has no handler"), "")
        context = _context(function, arn, tenant_id, asynchronous=False)
        results: list[InvocationResult] = []
        thread = self._start(name, lambda: results.append(_run(function.handler, event, context)))
        if thread is None:
            return _failure(InvocationError("ServiceException", "The cloud is stopping."), context.aws_request_id)
        is_impatient = max_wait is not None and max_wait < function.timeout
        thread.join(max_wait if is_impatient else function.timeout)
        if results:
            return results[0]
        if is_impatient:
            raise TimeoutError(f"{name} did not end within {max_wait} s")
        message = f"Task timed out after {function.timeout:.2f} seconds"
        return _failure(InvocationError("Sandbox.Timedout", message), context.aws_request_id)

    def invoke_later(
        self,
        name: str,
        event: object,
        *,
        arn: str = "",
        tenant_id: str | None = None,
        retries: int = 0,
        on_failure: Callable[[FailureRecord], None] | None = None,
    ) -> None:
        """Start the function's handler and return at once.

        A failed invocation is logged, and retried at most ``retries`` times (0 to 2) after the pauses of Lambda. If all
        fail, ``on_failure`` gets the record of the failure, as a destination does on AWS.
        """
        function = self._functions.get(name)
        if function is None:
            _log.warning("Asynchronous invocation of %s, which has no handler", name)
            return
        context = _context(function, arn, tenant_id, asynchronous=True)

        def run() -> None:
            result = _run(function.handler, event, context)
            if not result.failed:
                return
            _log.warning("Asynchronous invocation of %s failed: %s", name, result.payload)
            if retries and not self._closing.wait(self.retry_pauses[-retries]):
                self.invoke_later(name, event, arn=arn, tenant_id=tenant_id, retries=retries - 1, on_failure=on_failure)
            elif on_failure:
                on_failure(_failure_record(arn, event, result))

        self._start(name, run)

    def is_running(self, name: str) -> bool:
        """Return True if a handler of this function runs."""
        with self._lock:
            return any(thread.name == _thread_name(name) for thread in self._running)

    def close(self, timeout: float) -> int:
        """Reject new invocations, wait up to ``timeout`` seconds for handlers to end, and return how many still run."""
        with self._lock:
            self._is_open = False
            self._closing.set()
            running = set(self._running)
        deadline = time.monotonic() + timeout
        for thread in running:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sum(thread.is_alive() for thread in running)

    def reopen(self) -> None:
        """Remove all registered functions, and accept new invocations again after ``close``."""
        with self._lock:
            self._functions.clear()
            self._is_open = True
            self._closing.clear()

    def _start(self, name: str, work: Callable[[], object]) -> threading.Thread | None:
        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._running.discard(thread)

        thread = threading.Thread(target=run, daemon=True, name=_thread_name(name))
        with self._lock:
            if not self._is_open:
                return None
            self._running.add(thread)
            thread.start()  # while the lock is held, because ``close`` must not join a thread that has not started
        return thread


def _thread_name(function: str) -> str:
    return f"lambda-{function}"


def _failure_record(arn: str, event: object, result: InvocationResult) -> FailureRecord:
    """Return what Lambda sends to the destination of a failed asynchronous invocation."""
    return {
        "version": "1.0",
        "requestContext": {"functionArn": arn, "condition": "RetriesExhausted", "approximateInvokeCount": 1},
        "requestPayload": event,
        "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
        "responsePayload": json.loads(result.payload),
    }


def _context(function: Function, arn: str, tenant_id: str | None, *, asynchronous: bool) -> LambdaContext:
    return LambdaContext(
        function_name=function.name,
        invoked_function_arn=arn,
        deadline=time.monotonic() + function.timeout,
        tenant_id=tenant_id,
        asynchronous=asynchronous,
    )


def _run(handler: Handler, event: object, context: LambdaContext) -> InvocationResult:
    try:
        result = handler(event, context)
    except BaseException as error:  # noqa: BLE001  (any exception of a handler is a response, even SystemExit)
        return _failure(error, context.aws_request_id)
    try:
        return InvocationResult(json.dumps(result, allow_nan=False), failed=False)
    except (TypeError, ValueError) as error:
        marshal_error = InvocationError("Runtime.MarshalError", f"Unable to marshal response: {error}")
        return _failure(marshal_error, context.aws_request_id)


def _failure(error: BaseException, request_id: str) -> InvocationResult:
    return InvocationResult(json.dumps(error_payload(error, request_id)), failed=True)
