"""Dashboards: ``USER#{user} / CANVAS#{canvas_id}/{session_id}``; actions: ``SESSION#{sid} / ACTION#{canvas_id}/{id}``.

No id of a dashboard has a slash in it, so that no id is the beginning of another one's key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName

_AT_ONCE = 10  # nearly always the first is meant


def _key(user: UserName, canvas_id: CanvasId, session_id: SessionId | Literal[""] = "") -> tuple[str, str]:
    return f"USER#{user}", f"CANVAS#{canvas_id}/{session_id}"


def _dashboard(item: Item) -> Dashboard:
    return Dashboard.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoDashboards:
    """Implements ``ports.dashboards.Dashboards``."""

    table: Table

    def keep(self, dashboard: Dashboard) -> None:
        """Write down that a dashboard was opened."""
        pk, sk = _key(dashboard.user, dashboard.canvas_id, dashboard.session_id)
        self.table.put({"pk": pk, "sk": sk, "doc": dashboard.model_dump_json()})

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        """Return the dashboard of this id in a session of this person."""
        item = self.table.get(*_key(user, canvas_id, session_id))
        return _dashboard(item) if item else None

    def named(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        """Give the dashboards of this id, newest session first; a page is read when it is come to."""
        pk, prefix = _key(user, canvas_id)
        after: str | None = None
        while True:
            items, after = self.table.query(Query(pk, prefix, _AT_ONCE, after, newest_first=True))
            yield from map(_dashboard, items)
            if after is None:
                return

    def log(self, action: CanvasAction) -> None:
        """Write down what was done."""
        sk = f"ACTION#{action.canvas_id}/{action.action_id}"
        self.table.put({"pk": f"SESSION#{action.session_id}", "sk": sk, "doc": action.model_dump_json()}, absent=True)
