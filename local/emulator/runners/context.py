"""Lambda's context object, and the error payload that Lambda returns for a failed handler."""

import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class LambdaContext:
    """The context object of Lambda's Python runtime, reduced to what the handlers use.

    ``deadline`` is a ``time.monotonic()`` value in seconds. ``asynchronous`` is True if the caller does not wait for
    the result. AWS's context object lacks ``asynchronous``, but handlers that forward invocations need this field.
    """

    function_name: str
    invoked_function_arn: str
    deadline: float
    tenant_id: str | None = None
    asynchronous: bool = False
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 1024

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the function's timeout, at least 0."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


Handler = Callable[[object, LambdaContext], object]
"""A Lambda handler: takes the event and the context, and returns a JSON value."""


class InvocationError(Exception):
    """An invocation failed. ``error_type`` is Lambda's name for the failure, such as ``Runtime.ExitError``."""

    def __init__(self, error_type: str, message: str, stack_trace: list[str] | None = None) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.stack_trace = stack_trace


def error_payload(error: BaseException, request_id: str) -> dict[str, object]:
    """Return the payload with which Lambda responds when a handler raises ``error``."""
    invocation_error = error if isinstance(error, InvocationError) else None
    trace = invocation_error.stack_trace if invocation_error else None
    return {
        "errorMessage": str(error),
        "errorType": invocation_error.error_type if invocation_error else type(error).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_tb(error.__traceback__) if trace is None else trace,
    }
