"""What is kept about dashboards: whose they are, and what was done in them."""

from collections.abc import Iterator
from typing import Protocol

from satchel.domain.canvas import CanvasAction, Dashboard


class Dashboards(Protocol):
    """An id is a tool's own word: it means one dashboard of a person within a session, and nothing outside it."""

    def keep(self, dashboard: Dashboard) -> None:
        """Write down that a dashboard was opened; opening it again replaces what is known of it."""
        ...

    def get(self, user: str, canvas_id: str, session_id: str) -> Dashboard | None:
        """Return the dashboard of this id in a session of this person."""
        ...

    def named(self, user: str, canvas_id: str) -> Iterator[Dashboard]:
        """Give the dashboards of this id in all sessions of this person, newest session first."""
        ...

    def log(self, action: CanvasAction) -> None:
        """Write down what was done; never changed afterwards."""
        ...
