"""Time.

Where figures go.
"""

from datetime import datetime
from typing import Protocol

from satchel.domain.metrics import Metric


class Clock(Protocol):
    """All time goes through here, so that tests travel instead of wait."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow; for measuring, never for storing."""
        ...


class Metrics(Protocol):
    """Takes measurements. Losing one loses a figure, no more: nothing is raised for the world's reasons."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Note a value; ``dimensions`` in the order in which the metric names them.

        Raises ValueError for more or fewer than it has.
        """
        ...
