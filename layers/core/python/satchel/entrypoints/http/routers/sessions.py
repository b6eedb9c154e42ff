"""Sessions."""

from fastapi import APIRouter

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.models import (
    Cursor,
    Limit,
    NewSession,
    SessionOut,
    SessionPage,
    SessionPatch,
    SessionWithTurns,
    TurnOut,
)
from satchel.entrypoints.http.paths import SessionPath
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use

router = APIRouter(tags=["sessions"])

_STARTED = examples.shown(201, examples.SESSION) | responses(400, 403, 413, 422)
_CHANGED = examples.shown(200, examples.SESSION) | responses(400, 403, 404, 409, 413, 422, 503)
_READ = examples.shown(200, examples.SESSION_WITH_TURNS) | responses(403, 404, 422)


@router.post("/api/sessions", status_code=201, responses=_STARTED)
def start_session(who: Who, use: Use, wanted: NewSession | None = None) -> SessionOut:
    """Start a session."""
    return SessionOut.of(use.start_session(who, wanted.said()) if wanted else use.start_session(who))


@router.get("/api/sessions", responses=examples.shown(200, examples.SESSIONS) | responses(403, 422))
def list_sessions(who: Who, use: Use, limit: Limit = 50, cursor: Cursor = None) -> SessionPage:
    """List the person's sessions, newest first."""
    page = use.read_sessions.list(who, limit, cursor)
    return SessionPage(sessions=[SessionOut.of(session) for session in page.items], cursor=page.cursor)


@router.get("/api/sessions/{session_id}", responses=_READ)
def read_session(
    who: Who, use: Use, session_id: SessionPath, limit: Limit = 50, cursor: Cursor = None
) -> SessionWithTurns:
    """Read a session with its turns, oldest first."""
    session = use.read_sessions(who, session_id)
    page = use.read_sessions.turns(session, limit, cursor)
    shown = SessionOut.of(session).model_dump()
    return SessionWithTurns(
        **shown, instructions=session.instructions, turns=[TurnOut.of(turn) for turn in page.items], cursor=page.cursor
    )


@router.patch("/api/sessions/{session_id}", responses=_CHANGED)
def change_session(body: SessionPatch, who: Who, use: Use, session_id: SessionPath) -> SessionOut:
    """Give a session another title, model or behaviour, from its next turn on."""
    return SessionOut.of(use.change_session(who, session_id, body.said()))


@router.delete("/api/sessions/{session_id}", status_code=204, responses=responses(403, 404, 422, 503))
def end_session(who: Who, use: Use, session_id: SessionPath) -> None:
    """End a session: its links die and its temporary files are deleted. Safe to repeat."""
    use.end_session(who, session_id)
