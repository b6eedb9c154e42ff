"""Lambda functions run in this process.

Patches ``LambdaFunction.invoke``, which all ways to a function lead through: the API, Step Functions, event sources.
Without it moto starts a docker container for every invocation, runs even those of type Event to their end before it
answers, and drops the tenant id.
"""

import json
from collections.abc import Mapping
from functools import cache

from moto.awslambda.models import LambdaFunction

from local.aws.functions import FunctionHost
from local.aws.seams.patching import replace

HOST = FunctionHost()
"""Runs the handlers of all functions in moto's back end."""


@cache
def install() -> None:
    """Patch moto."""
    replace(LambdaFunction, "invoke", _invoke)


def _invoke(
    self: LambdaFunction,
    body: str | bytes,
    request_headers: Mapping[str, str],
    response_headers: dict[str, str],
) -> bytes:
    headers = {name.lower(): value for name, value in request_headers.items()}
    event = json.loads(body) if body else {}
    tenant_id = headers.get("x-amz-tenant-id")
    kind = headers.get("x-amz-invocation-type", "RequestResponse")
    if kind == "Event":
        HOST.invoke_later(self.function_name, event, arn=self.function_arn, tenant_id=tenant_id)
    if kind != "RequestResponse":
        return b""
    outcome = HOST.invoke(self.function_name, event, arn=self.function_arn, tenant_id=tenant_id)
    if outcome.failed:
        response_headers["x-amz-function-error"] = "Unhandled"
    return outcome.payload.encode()
