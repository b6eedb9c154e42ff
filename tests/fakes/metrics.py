"""Figures in memory."""

from collections.abc import Sequence

from satchel.domain.metrics import Metric


class FakeMetrics:
    """Implements ``ports.metrics.Metrics``."""

    def __init__(self) -> None:
        self.noted: list[tuple[Metric, float, tuple[str, ...]]] = []

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        if len(dimensions) != len(metric.dimensions):
            raise ValueError(f"{metric.name} has the dimensions {metric.dimensions}")
        self.noted.append((metric, value, dimensions))

    def flush(self) -> None:
        """Everything stays."""

    def of(self, metric: Metric) -> Sequence[tuple[float, *tuple[str, ...]]]:
        """Return what was noted of a metric: value and dimensions."""
        return [(value, *where) for noted, value, where in self.noted if noted == metric]
