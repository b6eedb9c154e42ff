"""The events of a turn."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.events import Event, NewEvent


class Events(Protocol):
    """Written in order, read after a cursor: never a gap, never twice."""

    def append(self, turn_id: str, event: NewEvent) -> Event | None:
        """Write one event and return it; None when its ``once`` or the turn's last one was written before.

        Raises Unavailable.
        """
        ...

    def after(self, turn_id: str, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` events whose seq is greater, in order."""
        ...
