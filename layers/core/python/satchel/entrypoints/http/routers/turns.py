"""Turns and their events.

A person's word on a call that waits for it.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from satchel.domain.calls import Decision
from satchel.domain.events import ENDS, Event
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn, TurnStatus
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.long_polling import MAX_SECONDS, preferred_wait, until
from satchel.entrypoints.http.paths import CallPath, SessionPath, TurnPath
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.sessions import EventPage, TurnAccepted
from satchel.services.turns.start_turn import TurnRequest

router = APIRouter(tags=["turns"])

_PREFER = Header(description="`wait=N` (at most 25): answer with the final response when the turn ends in N seconds.")
_KEY = Header(max_length=200, description="The same key again returns the turn that it started.")
_IN_TIME: dict[int | str, dict[str, Any]] = {
    200: {
        "model": FinalResponse,
        "description": "The turn ended in the time that was asked for.",
        **examples.shown(200, examples.FINAL_RESPONSE)[200],
    },
}
_TAKEN = _IN_TIME | examples.shown(202, examples.TURN_ACCEPTED) | responses(400, 403, 404, 409, 413, 422, 503)
_READ = examples.shown(200, examples.FINAL_RESPONSE) | responses(403, 404, 422, 503)
_CANCELLED = examples.shown(200, examples.CANCELLED) | responses(403, 404, 422, 503)
_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"model": EventPage, "description": "A page of events.", **examples.shown(200, examples.EVENTS)[200]},
}
_EVENTS = _PAGE | responses(403, 404, 422, 503)


@router.post(
    "/api/sessions/{session_id}/turns",
    status_code=202,
    response_model=TurnAccepted,
    responses=_TAKEN,
)
async def take_turn(
    request: Request,
    response: Response,
    who: Who,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    wanted: TurnRequest,
    prefer: Annotated[str | None, _PREFER] = None,
    idempotency_key: Annotated[str | None, _KEY] = None,
) -> TurnAccepted | Response:
    """Send a message. The turn goes on whatever happens to this connection."""
    turn = await run_in_threadpool(use_cases.start_turn, who, session_id, wanted, idempotency_key)
    seconds = preferred_wait(prefer)
    if seconds:
        response.headers["Preference-Applied"] = f"wait={seconds:g}"
        turn = await _ended(request, use_cases, turn, seconds)
    if turn.ended:
        final = await run_in_threadpool(use_cases.read_turn, who, session_id, turn.turn_id)
        return JSONResponse(final.model_dump(mode="json"), headers=dict(response.headers))
    return _accepted(turn)


async def _ended(request: Request, use_cases: InjectedUseCases, turn: Turn, seconds: float) -> Turn:
    def look() -> Turn:
        return use_cases.read_turn.reload(turn)

    return await until(request, seconds, look, lambda seen: seen.ended)


def _accepted(turn: Turn) -> TurnAccepted:
    url = f"/api/sessions/{turn.session_id}/turns/{turn.turn_id}"
    return TurnAccepted(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        status=turn.status,
        turn_url=url,
        events_url=f"{url}/events",
    )


@router.get("/api/sessions/{session_id}/turns/{turn_id}", responses=_READ)
def read_turn(who: Who, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath) -> FinalResponse:
    """Read the final response, or what there is so far."""
    return use_cases.read_turn(who, session_id, turn_id)


@router.delete("/api/sessions/{session_id}/turns/{turn_id}", responses=_CANCELLED)
def cancel_turn(who: Who, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath) -> FinalResponse:
    """Cancel the turn: running tools are killed. A turn that has ended stays as it ended."""
    status: TurnStatus = use_cases.cancel_turn(who, session_id, turn_id)
    response = use_cases.read_turn(who, session_id, turn_id)
    return response.model_copy(update={"status": status.value})


@router.get("/api/sessions/{session_id}/turns/{turn_id}/events", response_model=None, responses=_EVENTS)
async def read_events(
    request: Request,
    who: Who,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    turn_id: TurnPath,
    after: Annotated[int, Query(ge=0, le=99_999_999, description="`next` of the page before; 0 at first.")] = 0,
    wait: Annotated[float, Query(ge=0, description="Seconds to wait for the next event, 25 at most.")] = 0,
) -> JSONResponse:
    """Read events after a cursor, waiting for the next one: never a gap, never twice."""
    turn = await run_in_threadpool(use_cases.read_turn.find_current, who, session_id, turn_id)

    def look() -> Sequence[Event]:
        return use_cases.read_turn.events_after(turn.turn_id, after)

    over = turn.ended and await run_in_threadpool(use_cases.read_turn.is_fully_read, turn_id, after)
    events = await until(request, 0.0 if over else min(wait, MAX_SECONDS), look, bool)
    done = over or any(event.type in ENDS for event in events)
    shown = [event.shown() for event in events]
    return JSONResponse({"events": shown, "next": events[-1].seq if events else after, "done": done})


_DECIDED = examples.shown(200, examples.DECISION) | responses(400, 403, 404, 409, 413, 422, 503)


@router.post("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval", responses=_DECIDED)
def decide_approval(
    who: Who,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    turn_id: TurnPath,
    call_id: CallPath,
    decision: Decision,
) -> Decision:
    """Approve or refuse a call of your turn. `arguments` replace the model's; who you are is injected after that."""
    return use_cases.decide_approval(who, session_id, turn_id, call_id, decision)
