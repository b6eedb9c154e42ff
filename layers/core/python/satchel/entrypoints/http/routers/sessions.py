"""Sessions.

What was done in a session: the tools that were called, the files that were fetched.

Dashboards in frames.

The way to the WebSocket API for people who are signed in.
"""

from fastapi import APIRouter

from satchel.domain.canvas import CanvasAction
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import CanvasPath, SessionPath, known_session
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.paging import Cursor, Limit
from satchel.entrypoints.http.schemas.sessions import (
    AuditPage,
    NewSession,
    SessionOut,
    SessionPage,
    SessionPatch,
    SessionWithTurns,
    SocketTicket,
    TurnOut,
)
from satchel.services.turns.canvas_actions import CanvasActionRequest

router = APIRouter()

_STARTED = examples.shown(201, examples.SESSION) | responses(400, 403, 413, 422)
_CHANGED = examples.shown(200, examples.SESSION) | responses(400, 403, 404, 409, 413, 422, 503)
_READ = examples.shown(200, examples.SESSION_WITH_TURNS) | responses(403, 404, 422)


@router.post("/api/sessions", tags=["sessions"], status_code=201, responses=_STARTED)
def start_session(who: Who, use_cases: InjectedUseCases, wanted: NewSession | None = None) -> SessionOut:
    """Start a session."""
    return SessionOut.of(use_cases.start_session(who, wanted.said()) if wanted else use_cases.start_session(who))


@router.get("/api/sessions", tags=["sessions"], responses=examples.shown(200, examples.SESSIONS) | responses(403, 422))
def list_sessions(who: Who, use_cases: InjectedUseCases, limit: Limit = 50, cursor: Cursor = None) -> SessionPage:
    """List the person's sessions, newest first."""
    page = use_cases.read_sessions.list(who, limit, cursor)
    return SessionPage(sessions=[SessionOut.of(session) for session in page.items], cursor=page.cursor)


@router.get("/api/sessions/{session_id}", tags=["sessions"], responses=_READ)
def read_session(
    who: Who, use_cases: InjectedUseCases, session_id: SessionPath, limit: Limit = 50, cursor: Cursor = None
) -> SessionWithTurns:
    """Read a session with its turns, oldest first."""
    session = use_cases.read_sessions(who, session_id)
    page = use_cases.read_sessions.list_turns(session, limit, cursor)
    shown = SessionOut.of(session).model_dump()
    return SessionWithTurns(
        **shown, instructions=session.instructions, turns=[TurnOut.of(turn) for turn in page.items], cursor=page.cursor
    )


@router.patch("/api/sessions/{session_id}", tags=["sessions"], responses=_CHANGED)
def change_session(body: SessionPatch, who: Who, use_cases: InjectedUseCases, session_id: SessionPath) -> SessionOut:
    """Give a session another title, model or behaviour, from its next turn on."""
    return SessionOut.of(use_cases.change_session(who, session_id, body.said()))


@router.delete(
    "/api/sessions/{session_id}", tags=["sessions"], status_code=204, responses=responses(403, 404, 422, 503)
)
def end_session(who: Who, use_cases: InjectedUseCases, session_id: SessionPath) -> None:
    """End a session: its links die and its temporary files are deleted. Safe to repeat."""
    use_cases.end_session(who, session_id)


_READ_AUDIT = examples.shown(200, examples.AUDIT) | responses(403, 404, 422)


@router.get("/api/sessions/{session_id}/audit", tags=["sessions"], responses=_READ_AUDIT)
def read_audit(
    who: Who, use_cases: InjectedUseCases, session_id: SessionPath, limit: Limit = 50, cursor: Cursor = None
) -> AuditPage:
    """Read which tools were called and which files were fetched by their links, newest first; secrets are left out."""
    page = use_cases.read_audit(who, session_id, limit, cursor)
    return AuditPage(entries=page.items, cursor=page.cursor)


_LOGGED = examples.shown(201, examples.CANVAS_ACTION) | responses(400, 403, 404, 409, 413, 422)


@router.post("/api/canvas/{canvas_id}/actions", tags=["canvas"], status_code=201, responses=_LOGGED)
def act_in_canvas(
    who: Who, use_cases: InjectedUseCases, canvas_id: CanvasPath, wanted: CanvasActionRequest
) -> CanvasAction:
    """Log what the person did in a dashboard. It is the person who is signed in, whatever the request says."""
    if wanted.session_id is not None:
        known_session(wanted.session_id)
    return use_cases.log_canvas_action(who, canvas_id, wanted)


@router.post(
    "/api/ws-ticket", tags=["sockets"], status_code=201, responses=examples.shown(201, examples.TICKET) | responses(403)
)
def issue_ticket(who: Who, use_cases: InjectedUseCases) -> SocketTicket:
    """Get a ticket for one connection, good for a minute: connect to `{url}?ticket={ticket}` (docs/events.md)."""
    issued = use_cases.issue_ticket(who)
    return SocketTicket(ticket=issued.ticket, expires_at=issued.expires_at, url=use_cases.deployment.socket_url)
