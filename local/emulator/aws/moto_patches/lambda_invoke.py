"""Make moto run Lambda functions in this process instead of in Docker containers.

Patches ``LambdaFunction.invoke``, through which moto runs all invocations: those from the Lambda API, from Step
Functions and from event sources. Unpatched moto starts a Docker container for every invocation, responds to an
asynchronous invocation (type Event) only after the function has returned, drops the tenant id, and ignores retries
and failure destinations. An invocation that fails because the emulator stops raises Lambda's ServiceException.

Patches ``_SUPPORTED_API_PARAM_BINDINGS`` of the Step Functions task ``lambda:invoke``. Unpatched moto drops the
parameter ``InvocationType``, so a state that invokes a function asynchronously waits until the function returns.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypedDict

from moto.awslambda.exceptions import LambdaClientError
from moto.awslambda.models import LambdaFunction, lambda_backends
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_lambda

from local.emulator.aws.lambda_host import FailureRecord, FunctionHost
from local.emulator.aws.moto_patches.patching import replace

HOST = FunctionHost()
"""Runs the handlers of all Lambda functions that moto emulates."""

_MAX_WAIT: ContextVar[float | None] = ContextVar("max_wait", default=None)


@cache
def install() -> None:
    """Patch moto so that Lambda invocations run the registered handlers in this process."""
    replace(LambdaFunction, "invoke", _invoke)
    bindings = vars(state_task_service_lambda)["_SUPPORTED_API_PARAM_BINDINGS"]
    extended = {**bindings, "invoke": bindings["invoke"] | {"InvocationType"}}
    replace(state_task_service_lambda, "_SUPPORTED_API_PARAM_BINDINGS", extended)


@contextmanager
def max_wait(seconds: float) -> Iterator[None]:
    """Let invocations in this context raise TimeoutError if their function takes longer. The function runs on."""
    token = _MAX_WAIT.set(seconds)
    try:
        yield
    finally:
        _MAX_WAIT.reset(token)


def _invoke(
    self: LambdaFunction,
    body: str | bytes,
    request_headers: Mapping[str, str],
    response_headers: dict[str, str],
) -> bytes:
    headers = {name.lower(): value for name, value in request_headers.items()}
    event = json.loads(body) if body else {}
    tenant_id = headers.get("x-amz-tenant-id")
    invocation_type = headers.get("x-amz-invocation-type", "RequestResponse")
    if invocation_type == "Event":
        handling = _failure_handling(self)
        HOST.invoke_later(self.function_name, event, arn=self.function_arn, tenant_id=tenant_id, **handling)
    if invocation_type != "RequestResponse":
        return b""
    wait = _MAX_WAIT.get()
    result = HOST.invoke(self.function_name, event, arn=self.function_arn, tenant_id=tenant_id, max_wait=wait)
    if result.failed and (error := json.loads(result.payload))["errorType"] == "ServiceException":
        raise LambdaClientError(error["errorType"], error["errorMessage"])
    if result.failed:
        response_headers["x-amz-function-error"] = "Unhandled"
    return result.payload.encode()


class _FailureHandling(TypedDict, total=False):
    retries: int
    on_failure: Callable[[FailureRecord], None] | None


def _failure_handling(function: LambdaFunction) -> _FailureHandling:
    """Return the retries of failed asynchronous invocations, and what gets the record of the last one.

    Without a configuration there are none, unlike on AWS. Of the destinations, only functions get records.
    """
    if not function.event_invoke_config:
        return {}
    config = function.event_invoke_config[-1].config
    arn = str(((config.get("DestinationConfig") or {}).get("OnFailure") or {}).get("Destination", ""))
    if ":function:" not in arn:
        return {"retries": config.get("MaximumRetryAttempts", 0)}
    destination = lambda_backends[function.account_id][function.region].get_function(arn)

    def send(record: FailureRecord) -> None:
        handling = _failure_handling(destination)
        HOST.invoke_later(destination.function_name, record, arn=destination.function_arn, **handling)

    return {"retries": config.get("MaximumRetryAttempts", 0), "on_failure": send}
