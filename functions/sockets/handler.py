"""The WebSocket API behind API Gateway: connections are opened with a ticket, and follow turns."""

from typing import Any

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.sockets import build


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; it holds a ticket, so it is never logged."""
    del context
    set_up_logs("sockets")
    return build()(event)
