"""The clock and the metrics."""

from datetime import datetime
from typing import Protocol

from satchel.domain.metrics import Metric


class Clock(Protocol):
    """The only source of time, so that tests can advance it instead of waiting."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never decrease, for measuring durations."""
        ...


class Metrics(Protocol):
    """Records measurements. External errors are ignored, because metrics must not fail the work."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Record a value with the values of the metric's dimensions, in its order.

        Raise ValueError if their number is wrong.
        """
        ...
