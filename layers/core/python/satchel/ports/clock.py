"""Time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """All time goes through here, so that tests travel instead of wait."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow; for measuring, never for storing."""
        ...
