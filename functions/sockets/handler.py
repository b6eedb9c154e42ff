"""The WebSocket API behind API Gateway: a ticket opens a connection, and a connection follows turns."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.entrypoints.websocket import WebSocketRoutes


@lru_cache
def routes() -> WebSocketRoutes:
    """Return the routes, built for the first event."""
    return WebSocketRoutes(use_cases())


@observed("sockets")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event. It may contain a ticket, so it is never logged."""
    del context
    return routes()(event)
