"""The function behind the WebSocket API: checks the ticket that opens a connection, and lets it follow turns."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.entrypoints.websocket import WebSocketRoutes


@lru_cache
def routes() -> WebSocketRoutes:
    """Return the handler of WebSocket events. It is built for the first event, so that cold starts stay short."""
    return WebSocketRoutes(use_cases())


@observed("sockets")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one WebSocket event. The event may contain a ticket, so it is never logged."""
    del context
    return routes()(event)
