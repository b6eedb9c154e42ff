"""Record what a user does in a dashboard that a tool opened (clause v2:canvas:actions)."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.contract.jsonable import JsonObject
from satchel.domain.canvas import MAX_DETAILS_BYTES, CanvasAction, Dashboard
from satchel.domain.errors import CanvasNotFound, SessionEnded, TooLarge
from satchel.domain.ids import CanvasId, IdBody, SessionId, new_id_body
from satchel.domain.sessions import SessionStatus
from satchel.domain.users import Identity
from satchel.ports.sessions import Dashboards, Sessions
from satchel.ports.system import Clock

logger = logging.getLogger(__name__)

_MAX_SESSIONS = 20


class CanvasActionRequest(BaseModel):
    """A user's action in a dashboard. ``session_id`` is needed if several sessions have a dashboard with this id."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"action": "acknowledge", "details": {"alert": 17}}]}
    )

    action: Annotated[str, Field(min_length=1, max_length=200)]
    details: Annotated[JsonObject, Field(description=f"At most {MAX_DETAILS_BYTES} bytes of JSON.")] = {}
    session_id: str | None = None


@dataclass(frozen=True)
class LogCanvasAction:
    """Store a user's dashboard action in the session, and log it without its details, which may be private."""

    dashboards: Dashboards
    sessions: Sessions
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(
        self, who: Identity, canvas_id: CanvasId, request: CanvasActionRequest, id_body: IdBody | None = None
    ) -> CanvasAction:
        """Record an action of the signed-in user. Raise CanvasNotFound, SessionEnded or TooLarge.

        If the dashboard has an action with this ``id_body`` already, return that one.
        """
        if len(json.dumps(request.details, ensure_ascii=False).encode()) > MAX_DETAILS_BYTES:
            raise TooLarge(f"The details may have at most {MAX_DETAILS_BYTES} bytes.", limit_bytes=MAX_DETAILS_BYTES)
        dashboard = self._find(who, canvas_id, SessionId(request.session_id) if request.session_id else None)
        now = self.clock.now()
        action_id = f"a{id_body or new_id_body(now, self.entropy(10))}"
        if id_body and (stored := self.dashboards.get_action(dashboard.session_id, canvas_id, action_id)):
            return stored
        action = CanvasAction(
            action_id=action_id,
            **dashboard.model_dump(include={"canvas_id", "session_id", "call_id", "user"}),
            action=request.action,
            details=request.details,
            at=now,
        )
        self.dashboards.add_action(action)
        logger.info("canvas action", extra=action.model_dump(mode="json", exclude={"details", "at"}))
        return action

    def again(self, who: Identity, session_id: SessionId, canvas_id: CanvasId, action_id: str) -> CanvasAction:
        """Return an action that was recorded before. Raise CanvasNotFound if its conversation was deleted."""
        action = self.dashboards.get_action(session_id, canvas_id, action_id)
        if action is None or self.sessions.get(who.name, session_id) is None:
            raise CanvasNotFound(canvas_id)
        return action

    def _find(self, who: Identity, canvas_id: CanvasId, session_id: SessionId | None) -> Dashboard:
        """Return the dashboard of this session, or of the newest active session if ``session_id`` is None."""
        ended: list[SessionId] = []
        for dashboard in self._candidates(who, canvas_id, session_id):
            session = self.sessions.get(who.name, dashboard.session_id)
            if session and session.status is SessionStatus.ACTIVE:
                return dashboard
            ended += [session.session_id] if session else []
        raise SessionEnded(ended[0]) if ended else CanvasNotFound(canvas_id)

    def _candidates(self, who: Identity, canvas_id: CanvasId, session_id: SessionId | None) -> Iterator[Dashboard]:
        if session_id is None:
            return islice(self.dashboards.list_by_id(who.name, canvas_id), _MAX_SESSIONS)
        dashboard = self.dashboards.get(who.name, canvas_id, session_id)
        return iter([dashboard] if dashboard else [])
