"""Stores the dashboards that tools show to users, and a log of the users' actions in them.

| item | key |
|---|---|
| dashboard | ``USER#{user} / CANVAS#{canvas_id}/{session_id}`` |
| action | ``SESSION#{session_id} / ACTION#{canvas_id}/{action_id}`` |

A canvas id contains no slash, so the prefix ``CANVAS#{canvas_id}/`` matches one canvas only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName

PREFIX = "CANVAS#"
_PAGE_SIZE = 10  # small pages, because callers nearly always use only the first dashboard


def _action_key(session_id: SessionId, canvas_id: CanvasId, action_id: str) -> tuple[str, str]:
    return f"SESSION#{session_id}", f"ACTION#{canvas_id}/{action_id}"


def _key(user: UserName, canvas_id: CanvasId, session_id: SessionId | Literal[""] = "") -> tuple[str, str]:
    return f"USER#{user}", f"{PREFIX}{canvas_id}/{session_id}"


@dataclass(frozen=True)
class DynamoDashboards:
    """Store dashboards in the table. Implements ``ports.sessions.Dashboards``."""

    table: Table

    def save(self, dashboard: Dashboard) -> None:
        """Store the record of an opened dashboard, replacing its previous record."""
        pk, sk = _key(dashboard.user, dashboard.canvas_id, dashboard.session_id)
        self.table.put({"pk": pk, "sk": sk, "doc": dashboard.model_dump_json()})

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        return self.table.get_doc(*_key(user, canvas_id, session_id), Dashboard)

    def list_by_id(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        """Yield the user's dashboards with this canvas id, newest session first. Reads 10 at a time, when needed."""
        for item in self.table.iterate(Query(*_key(user, canvas_id), _PAGE_SIZE, newest_first=True)):
            yield Dashboard.model_validate_json(str(item["doc"]))

    def add_action(self, action: CanvasAction) -> None:
        """Add a user's action to the log. Raise ConditionFailed if the action is already stored."""
        pk, sk = _action_key(action.session_id, action.canvas_id, action.action_id)
        self.table.put({"pk": pk, "sk": sk, "doc": action.model_dump_json()}, if_absent=True)

    def get_action(self, session_id: SessionId, canvas_id: CanvasId, action_id: str) -> CanvasAction | None:
        return self.table.get_doc(*_action_key(session_id, canvas_id, action_id), CanvasAction)
