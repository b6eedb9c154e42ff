"""The function behind the WebSocket API: checks the ticket of a new connection, and subscribes connections to turns."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.entrypoints.websocket import WebSocketRoutes


@lru_cache
def routes() -> WebSocketRoutes:
    """Return the handler of WebSocket events. It is built for the first event, not at import, for fast cold starts."""
    return WebSocketRoutes(use_cases())


@observed("sockets")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one WebSocket event. The event may contain a ticket, so it is never logged."""
    del context
    return routes()(event)
