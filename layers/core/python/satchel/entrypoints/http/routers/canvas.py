"""Dashboards in frames."""

from fastapi import APIRouter

from satchel.domain.canvas import CanvasAction
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import CanvasPath, known_session
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use
from satchel.services.turns.act_in_canvas import CanvasActionRequest

router = APIRouter(tags=["canvas"])

_LOGGED = examples.shown(201, examples.CANVAS_ACTION) | responses(400, 403, 404, 409, 413, 422)


@router.post("/api/canvas/{canvas_id}/actions", status_code=201, responses=_LOGGED)
def act_in_canvas(who: Who, use: Use, canvas_id: CanvasPath, wanted: CanvasActionRequest) -> CanvasAction:
    """Log what the person did in a dashboard. It is the person who is signed in, whatever the request says."""
    if wanted.session_id is not None:
        known_session(wanted.session_id)
    return use.act_in_canvas(who, canvas_id, wanted)
