"""Routes for sessions and their audit log, for actions in dashboards, and for WebSocket tickets."""

from contextlib import suppress
from functools import partial

from fastapi import APIRouter, Response

from satchel.domain.canvas import CanvasAction
from satchel.domain.errors import SessionNotFound
from satchel.domain.ids import IdBody, SessionId
from satchel.domain.sessions import Session
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.http_semantics import check_unchanged, etag_of
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import (
    ETAG_HEADER,
    CanvasPath,
    Cursor,
    IdempotencyKey,
    IfMatch,
    InjectedUseCases,
    Limit,
    NewestFirst,
    SessionPath,
    check_session_id,
)
from satchel.entrypoints.http.problems import problem_responses
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

_STARTED = examples.responses(201, examples.SESSION, 400, 403, 409, 413, 422, 503)
_CHANGED = examples.responses(200, examples.SESSION, 400, 403, 404, 409, 412, 413, 422, 503, headers=ETAG_HEADER)
_READ = examples.responses(200, examples.SESSION_WITH_TURNS, 403, 404, 422, headers=ETAG_HEADER)
_READ_AUDIT = examples.responses(200, examples.AUDIT, 403, 404, 422)
_LOGGED = examples.responses(201, examples.CANVAS_ACTION, 400, 403, 404, 409, 413, 422)
_TICKET = examples.responses(201, examples.TICKET, 403)


def _etag(session: Session) -> str:
    return etag_of(session.title, session.model, session.instructions, session.pinned, session.archived, session.status)


@router.post("/api/sessions", tags=["sessions"], status_code=201, responses=_STARTED)
def start_session(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    body: NewSession | None = None,
    idempotency_key: IdempotencyKey = None,
) -> SessionOut:
    """Start a session, in which the user can then send messages."""
    settings = body or NewSession()

    def create(id_body: IdBody | None) -> tuple[str, Session]:
        session = use_cases.start_session(user, settings.changes(), id_body, temporary=settings.temporary)
        return session.session_id, session

    request = ("start_session", settings.model_dump_json(exclude_unset=True))
    read = partial(use_cases.read_sessions, user)
    return SessionOut.of(
        use_cases.run_once(user, idempotency_key, request, create, lambda found: read(SessionId(found)))
    )


@router.get("/api/sessions", tags=["sessions"], responses=examples.responses(200, examples.SESSIONS, 403, 422))
def list_sessions(
    user: CurrentUser, use_cases: InjectedUseCases, limit: Limit = 50, cursor: Cursor = None
) -> SessionPage:
    """List the signed-in user's sessions, newest first."""
    page = use_cases.read_sessions.list(user, limit, cursor)
    return SessionPage(sessions=[SessionOut.of(session) for session in page.items], cursor=page.cursor)


@router.get("/api/sessions/{session_id}", tags=["sessions"], responses=_READ)
def read_session(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    limit: Limit = 50,
    cursor: Cursor = None,
    newest_first: NewestFirst = False,  # noqa: FBT002  (a query parameter)
    *,
    response: Response,
) -> SessionWithTurns:
    """Read a session and a page of its turns, oldest first unless `newest_first` is set."""
    session = use_cases.read_sessions(user, session_id)
    response.headers["ETag"] = _etag(session)
    page = use_cases.read_sessions.list_turns(session, limit, cursor, newest_first=newest_first)
    fields = SessionOut.of(session).model_dump()
    return SessionWithTurns(
        **fields, instructions=session.instructions, turns=[TurnOut.of(turn) for turn in page.items], cursor=page.cursor
    )


@router.patch("/api/sessions/{session_id}", tags=["sessions"], responses=_CHANGED)
def change_session(
    body: SessionPatch,
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    response: Response,
    if_match: IfMatch = None,
) -> SessionOut:
    """Change a session: title, model, instructions, `pinned`, `archived`. The changes apply from its next turn.

    With `If-Match`, nothing changes if another request has changed the session since the client read its `ETag`.
    """

    def check(session: Session) -> None:
        check_unchanged(if_match, _etag(session))

    changed = use_cases.change_session(user, session_id, body.changes(), check)
    response.headers["ETag"] = _etag(changed)
    return SessionOut.of(changed)


@router.delete(
    "/api/sessions/{session_id}", tags=["sessions"], status_code=204, responses=problem_responses(403, 404, 422, 503)
)
def end_session(user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath) -> None:
    """End a session: its links stop working and its temporary files are deleted. Safe to repeat."""
    with suppress(SessionNotFound):
        use_cases.end_session(user, session_id)


@router.get("/api/sessions/{session_id}/audit", tags=["sessions"], responses=_READ_AUDIT)
def read_audit(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, limit: Limit = 50, cursor: Cursor = None
) -> AuditPage:
    """List the session's tool calls and downloads by link, newest first. Secrets are redacted."""
    page = use_cases.read_audit(user, session_id, limit, cursor)
    return AuditPage(entries=page.items, cursor=page.cursor)


@router.post("/api/canvas/{canvas_id}/actions", tags=["canvas"], status_code=201, responses=_LOGGED)
def act_in_canvas(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    canvas_id: CanvasPath,
    body: CanvasActionRequest,
    idempotency_key: IdempotencyKey = None,
) -> CanvasAction:
    """Record an action that the signed-in user performed in a dashboard."""
    if body.session_id is not None:
        check_session_id(body.session_id)

    def create(id_body: IdBody | None) -> tuple[str, CanvasAction]:
        action = use_cases.log_canvas_action(user, canvas_id, body, id_body)
        return f"{action.session_id}/{action.action_id}", action

    def read(recorded: str) -> CanvasAction:
        session_id, _, action_id = recorded.partition("/")
        return use_cases.log_canvas_action.again(user, SessionId(session_id), canvas_id, action_id)

    request = ("act_in_canvas", f"{canvas_id} {body.model_dump_json()}")
    return use_cases.run_once(user, idempotency_key, request, create, read)


@router.post("/api/ws-ticket", tags=["sockets"], status_code=201, responses=_TICKET)
def issue_ticket(user: CurrentUser, use_cases: InjectedUseCases) -> SocketTicket:
    """Create a ticket for one WebSocket connection. Within one minute, connect to `{url}?ticket={ticket}`."""
    ticket = use_cases.issue_ticket(user)
    return SocketTicket(ticket=ticket.ticket, expires_at=ticket.expires_at, url=use_cases.deployment.socket_url)
