"""A person's word on a call that waits for it."""

from fastapi import APIRouter

from satchel.domain.approvals import Decision
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import CallPath, SessionPath, TurnPath
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use

router = APIRouter(tags=["turns"])

_DECIDED = examples.shown(200, examples.DECISION) | responses(400, 403, 404, 409, 413, 422, 503)


@router.post("/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval", responses=_DECIDED)
def decide_approval(
    who: Who, use: Use, session_id: SessionPath, turn_id: TurnPath, call_id: CallPath, decision: Decision
) -> Decision:
    """Approve or refuse a call of your turn. `arguments` replace the model's; who you are is injected after that."""
    return use.decide_approval(who, session_id, turn_id, call_id, decision)
