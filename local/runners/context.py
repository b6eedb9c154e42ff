"""What a handler is given beside its event, and what its failure looks like from outside."""

import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class LambdaContext:
    """The context object of Lambda's Python runtime, as far as handlers use it.

    ``deadline`` is a time of ``time.monotonic()`` in seconds. ``asynchronous`` is no part of AWS's object: it tells
    a handler that stands for another process whether anybody waits for the answer.
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
        """Return how many milliseconds are left until the function's time-out, at least 0."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


Handler = Callable[[object, LambdaContext], object]
"""What runs for an invocation: takes the event and the context, returns what JSON can carry."""


class InvocationError(Exception):
    """An invocation that failed in a way that Lambda has a name for, such as ``Runtime.ExitError``."""

    def __init__(self, error_type: str, message: str, stack_trace: list[str] | None = None) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.stack_trace = stack_trace


def error_payload(error: BaseException, request_id: str) -> dict[str, object]:
    """Return the payload with which Lambda answers when a handler raised ``error``."""
    named = error if isinstance(error, InvocationError) else None
    trace = named.stack_trace if named else None
    return {
        "errorMessage": str(error),
        "errorType": named.error_type if named else type(error).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_tb(error.__traceback__) if trace is None else trace,
    }
