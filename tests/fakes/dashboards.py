"""Dashboards in memory."""

from collections.abc import Iterator

from satchel.domain.canvas import CanvasAction, Dashboard
from satchel.domain.ids import CanvasId, SessionId, UserName


class FakeDashboards:
    """Implements ``ports.dashboards.Dashboards``; keeps JSON, as the table does. ``logged`` is what was done."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], str] = {}
        self._actions: list[str] = []

    def keep(self, dashboard: Dashboard) -> None:
        key = (dashboard.user, dashboard.canvas_id, dashboard.session_id)
        self._kept[key] = dashboard.model_dump_json()

    def get(self, user: UserName, canvas_id: CanvasId, session_id: SessionId) -> Dashboard | None:
        text = self._kept.get((user, canvas_id, session_id))
        return Dashboard.model_validate_json(text) if text else None

    def named(self, user: UserName, canvas_id: CanvasId) -> Iterator[Dashboard]:
        mine = sorted((key for key in self._kept if key[:2] == (user, canvas_id)), reverse=True)
        yield from (Dashboard.model_validate_json(self._kept[key]) for key in mine)

    def log(self, action: CanvasAction) -> None:
        self._actions.append(action.model_dump_json())

    @property
    def logged(self) -> list[CanvasAction]:
        return [CanvasAction.model_validate_json(text) for text in self._actions]
