"""The way to the WebSocket API for people who are signed in."""

from fastapi import APIRouter

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.models import SocketTicket
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use

router = APIRouter(tags=["sockets"])


@router.post("/api/ws-ticket", status_code=201, responses=examples.shown(201, examples.TICKET) | responses(403))
def issue_ticket(who: Who, use: Use) -> SocketTicket:
    """Get a ticket for one connection, good for a minute: connect to `{url}?ticket={ticket}` (docs/events.md)."""
    issued = use.issue_ticket(who)
    return SocketTicket(ticket=issued.ticket, expires_at=issued.expires_at, url=use.about.socket_url)
