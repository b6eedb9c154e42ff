"""The clock and the metrics."""

from datetime import datetime
from typing import Protocol

from satchel.domain.metrics import Metric


class Clock(Protocol):
    """The only source of the current time, so that tests can advance the time instead of waiting."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never decrease, for measuring durations."""
        ...


class Metrics(Protocol):
    """Records measurements. Errors of the metrics service are ignored, so that they never fail a request."""

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        """Record a value. Raise ValueError unless ``dimensions`` has one value for each dimension of the metric."""
        ...
