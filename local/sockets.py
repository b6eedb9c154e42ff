"""The functions behind connections: what the table's stream calls, and what the gateway before the API calls."""

import os
from importlib import import_module
from typing import TYPE_CHECKING

from infra import limits, sources
from local import settings
from local.aws import resources
from local.aws.functions import Outcome
from local.aws.seams.lambda_invoke import HOST
from local.socket_gateway import Event

if TYPE_CHECKING:
    from local.runners.context import Handler

_SOCKETS = f"{settings.NAME}-sockets"
_PUSH = f"{settings.NAME}-push"


def create_sockets(role: str, *, table: str, endpoint: str) -> None:
    """Create both functions and map the table's stream; ``endpoint`` is where connections are spoken to."""
    os.environ["SATCHEL_SOCKET_ENDPOINT"] = endpoint
    resources.create_function(_SOCKETS, _handler("sockets"), role=role, timeout=limits.API_SECONDS)
    resources.create_function(_PUSH, _handler("push"), role=role, timeout=limits.STEP_SECONDS)
    resources.map_stream(table, _PUSH, sources.definition("stream"))


def call_sockets(event: Event) -> Outcome:
    """Call the function as API Gateway does, and wait for its answer."""
    return HOST.invoke(_SOCKETS, dict(event))


def _handler(folder: str) -> "Handler":
    handler: Handler = import_module(f"functions.{folder}.handler").handler
    return handler
