"""Routes for turns: start, read, cancel, read the events, approve tool calls, and answer the questions of tools."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from satchel.domain.calls import Decision
from satchel.domain.events import FINAL_EVENTS, Event
from satchel.domain.inputs import AnsweredInput, InputAnswer
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Rating, Turn, TurnStatus
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.long_polling import MAX_WAIT_SECONDS, poll_until, preferred_wait
from satchel.entrypoints.http.parameters import CallPath, InjectedUseCases, SessionPath, TurnPath
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.sessions import DecisionRequest, EventPage, TurnAccepted, TurnRating
from satchel.services.turns.approvals import ApprovalRequest
from satchel.services.turns.start_turn import TurnRequest

router = APIRouter(tags=["turns"])

_PREFER = Header(description="`wait=N` (at most 25): return the final response if the turn ends within N seconds.")
_APPLIED = {"Preference-Applied": {"description": "The wait that was applied, if any.", "schema": {"type": "string"}}}
_IDEMPOTENCY_KEY = Header(max_length=200, description="A repeated request with the same key returns the same turn.")
_ENDED = examples.responses(
    200,
    examples.FINAL_RESPONSE,
    model=FinalResponse,
    description="The turn ended within the requested time.",
    headers=_APPLIED,
)
_STARTED = _ENDED | examples.responses(202, examples.TURN_ACCEPTED, 400, 403, 404, 409, 413, 422, 503, headers=_APPLIED)
_READ = examples.responses(200, examples.FINAL_RESPONSE, 403, 404, 422, 503)
_CANCELLED = examples.responses(200, examples.CANCELLED, 403, 404, 422, 503)
_RATED = problem_responses(400, 403, 404, 413, 422)
_DECIDED = examples.responses(200, examples.DECISION, 400, 403, 404, 409, 413, 422, 503)
_REQUESTED = examples.responses(200, examples.APPROVAL_REQUEST, 403, 404, 422, 503)
_ANSWERED = examples.responses(200, examples.INPUT_ANSWERED, 400, 403, 404, 409, 413, 422, 503)
_EVENTS = examples.responses(200, examples.EVENTS, 403, 404, 422, 503, model=EventPage, description="A page of events.")


@router.post("/api/sessions/{session_id}/turns", status_code=202, response_model=TurnAccepted, responses=_STARTED)
async def take_turn(
    request: Request,
    response: Response,
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    body: TurnRequest,
    prefer: Annotated[str | None, _PREFER] = None,
    idempotency_key: Annotated[str | None, _IDEMPOTENCY_KEY] = None,
) -> TurnAccepted | Response:
    """Send a message and start a turn that answers it. The turn continues even if the client disconnects."""
    turn = await run_in_threadpool(use_cases.start_turn, user, session_id, body, idempotency_key)
    seconds = preferred_wait(prefer)
    if seconds:
        response.headers["Preference-Applied"] = f"wait={seconds:g}"
        turn = await _wait_for_end(request, use_cases, turn, seconds)
    if turn.has_ended:
        final = await run_in_threadpool(use_cases.read_turn, user, session_id, turn.turn_id)
        return JSONResponse(final.model_dump(mode="json"), headers=dict(response.headers))
    return _accepted(turn)


async def _wait_for_end(request: Request, use_cases: InjectedUseCases, turn: Turn, seconds: float) -> Turn:
    def reload() -> Turn:
        return use_cases.read_turn.reload(turn)

    return await poll_until(request, turn.turn_id, seconds, reload, lambda current: current.has_ended)


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
def read_turn(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath
) -> FinalResponse:
    """Read the turn's response. While the turn is running, the response contains the results so far."""
    return use_cases.read_turn(user, session_id, turn_id)


@router.delete("/api/sessions/{session_id}/turns/{turn_id}", responses=_CANCELLED)
def cancel_turn(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath
) -> FinalResponse:
    """Cancel a turn and stop its running tools. A turn that has already ended does not change."""
    status: TurnStatus = use_cases.cancel_turn(user, session_id, turn_id)
    response = use_cases.read_turn(user, session_id, turn_id)
    return response.model_copy(update={"status": status.value})


@router.put("/api/sessions/{session_id}/turns/{turn_id}/rating", status_code=204, responses=_RATED)
def rate_turn(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath, body: TurnRating
) -> None:
    """Rate the answer of a turn, or remove the rating."""
    use_cases.rate_turn(user, session_id, turn_id, Rating(body.rating) if body.rating else None)


@router.get("/api/sessions/{session_id}/turns/{turn_id}/events", response_model=None, responses=_EVENTS)
async def read_events(
    request: Request,
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    turn_id: TurnPath,
    after: Annotated[
        int, Query(ge=0, le=99_999_999, description="The `next` of the previous page; 0 for the first page.")
    ] = 0,
    wait: Annotated[float, Query(ge=0, description="Seconds to wait for the next event, at most 25.")] = 0,
) -> JSONResponse:
    """Read the turn's events after a cursor. If there are none yet, wait up to `wait` seconds for the next event."""
    turn = await run_in_threadpool(use_cases.read_turn.find_current, user, session_id, turn_id)

    def read_next() -> Sequence[Event]:
        return use_cases.read_turn.events_after(turn, after)

    is_over = turn.has_ended and await run_in_threadpool(use_cases.read_turn.is_fully_read, turn, after)
    seconds = 0.0 if is_over else min(wait, MAX_WAIT_SECONDS)
    events = await poll_until(request, turn.turn_id, seconds, read_next, bool)
    done = is_over or any(event.type in FINAL_EVENTS for event in events)
    shown = [event.to_json() for event in events]
    return JSONResponse({"events": shown, "next": events[-1].seq if events else after, "done": done})


@router.get("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval", responses=_REQUESTED)
def read_approval(
    user: CurrentUser, use_cases: InjectedUseCases, session_id: SessionPath, turn_id: TurnPath, call_id: CallPath
) -> ApprovalRequest:
    """Read a tool call that needs approval: its tool, its arguments, and the digest that an approval must name."""
    return use_cases.read_approval(user, session_id, turn_id, call_id)


@router.post("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval", responses=_DECIDED)
def decide_approval(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    turn_id: TurnPath,
    call_id: CallPath,
    body: DecisionRequest,
) -> Decision:
    """Approve or deny a tool call. `arguments`, if given, replace the model's. The server adds the user's identity.

    An approval must have the `digest` of the request that the user saw (`GET` of the same path).
    """
    decision = Decision.model_validate(body.model_dump())
    return use_cases.decide_approval(user, session_id, turn_id, call_id, decision)


@router.post("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/input", responses=_ANSWERED)
def answer_input(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: SessionPath,
    turn_id: TurnPath,
    call_id: CallPath,
    answer: InputAnswer,
) -> AnsweredInput:
    """Answer a question of a tool: accept it with the values of its form, decline it, or cancel it.

    The first answer is final. A value that does not fit the form is rejected with 422 and `errors` by field.
    """
    return use_cases.answer_input(user, session_id, turn_id, call_id, answer)
