"""The WebSocket API behind API Gateway: connections are opened with a ticket, and follow turns."""

from typing import Any

from satchel.bootstrap.observed import observed
from satchel.bootstrap.sockets import build


@observed("sockets")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; it holds a ticket, so it is never logged."""
    del context
    return build()(event)
