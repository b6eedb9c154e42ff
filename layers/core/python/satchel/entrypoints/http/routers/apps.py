"""Routes for the apps of MCP servers, which the canvas shows in frames."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from satchel.domain.ids import IdBody, SessionId, TurnId
from satchel.domain.sessions import Turn
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.long_polling import poll_until, preferred_wait
from satchel.entrypoints.http.parameters import (
    CallPath,
    FilePath,
    IdempotencyKey,
    InjectedUseCases,
    SessionPath,
    TurnPath,
)
from satchel.entrypoints.http.routers.files import MAX_VERSION
from satchel.services.apps.call_from_app import AppCallRequest, AppCallResult
from satchel.services.apps.read_app import OpenApp, StartedApp

router = APIRouter(tags=["apps"])

_Version = Annotated[int | None, Query(ge=1, le=MAX_VERSION, description="By default the newest version.")]
_PREFER = Header(description="`wait=N` (at most 25): return the result if the call ends within N seconds.")
_READ = examples.responses(200, examples.APP, 403, 404, 422)
_STARTING = examples.responses(200, examples.STARTING_APP, 403, 404, 422)
_STARTED = examples.responses(202, examples.APP_CALL, 400, 403, 404, 409, 413, 422, 503)
_RESULT = examples.responses(200, examples.APP_CALL, 403, 404, 422, 503)


@router.get("/api/apps/{app_key}", responses=_READ)
def read_app(user: CurrentUser, use_cases: InjectedUseCases, app_key: FilePath, version: _Version = None) -> OpenApp:
    """Read an app with the arguments and the result of the call that opened it. Its page is the file's content."""
    return use_cases.read_app(user, app_key, version)


@router.get("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/app", responses=_STARTING)
def read_app_of_running_call(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath, call_id: CallPath
) -> StartedApp:
    """Read the app of a call that has started, with its arguments and an empty result, to open it before the result.

    The page is the one that an earlier call of the same tool has left; null before its first call.
    """
    return StartedApp(open_app=use_cases.read_app.of_running_call(user, session_id, turn_id, call_id))


@router.post("/api/apps/{app_key}/calls", status_code=202, responses=_STARTED)
async def call_from_app(
    request: Request,
    response: Response,
    user: CurrentUser,
    use_cases: InjectedUseCases,
    app_key: FilePath,
    body: AppCallRequest,
    version: _Version = None,
    prefer: Annotated[str | None, _PREFER] = None,
    idempotency_key: IdempotencyKey = None,
) -> AppCallResult:
    """Call a tool of the app's own server for the app. The call runs in a turn of its own, without a model."""

    def create(id_body: IdBody | None) -> tuple[str, Turn]:
        turn = use_cases.call_from_app(user, app_key, version, body, id_body)
        return f"{turn.session_id}/{turn.turn_id}", turn

    def read(started: str) -> Turn:
        session_id, _, turn_id = started.partition("/")
        return use_cases.read_turn.find_current(user, SessionId(session_id), TurnId(turn_id))

    content = ("call_from_app", f"{app_key} {version} {body.model_dump_json()}")
    turn = await run_in_threadpool(use_cases.run_once, user, idempotency_key, content, create, read)
    seconds = preferred_wait(prefer)
    if seconds:
        response.headers["Preference-Applied"] = f"wait={seconds:g}"
        turn = await poll_until(
            request, turn.turn_id, seconds, lambda: use_cases.read_turn.reload(turn), lambda current: current.has_ended
        )
    return await run_in_threadpool(use_cases.read_app_call, user, turn.session_id, turn.turn_id)


@router.get("/api/sessions/{session_id}/app-calls/{app_turn_id}", responses=_RESULT)
def read_app_call(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, app_turn_id: TurnPath
) -> AppCallResult:
    """Read a call of an app: its result, or null while it runs."""
    return use_cases.read_app_call(user, session_id, app_turn_id)
