"""Time that stands still until a test, or a fake that would wait, moves it.

Randomness that counts: every id of a test is known, and one made later sorts later.

Figures in memory.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from satchel.domain.metrics import Metric

START = datetime(2024, 8, 27, 12, 0, 0, tzinfo=UTC)
_SINCE_BOOT = 1000


class FakeClock:
    """Implements ``ports.clock.Clock``. Counts whole microseconds, so that times in tests are exact."""

    def __init__(self, at: datetime = START) -> None:
        self._start = at
        self._micros = 0

    def now(self) -> datetime:
        return self._start + timedelta(microseconds=self._micros)

    def monotonic(self) -> float:
        """Zero is not where a call begins, as on a real machine."""
        return _SINCE_BOOT + self._micros / 1e6

    def travel(self, seconds: float) -> None:
        """Move on; some time passes even in a wait of no time."""
        self._micros += max(1, round(seconds * 1e6))


class FakeEntropy:
    """Stands in for ``os.urandom``."""

    def __init__(self) -> None:
        self._given = 0

    def __call__(self, size: int) -> bytes:
        self._given += 1
        return self._given.to_bytes(size, "big")


class FakeMetrics:
    """Implements ``ports.metrics.Metrics``."""

    def __init__(self) -> None:
        self.measurements: list[tuple[Metric, float, tuple[str, ...]]] = []

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        if len(dimensions) != len(metric.dimensions):
            raise ValueError(f"{metric.name} has the dimensions {metric.dimensions}")
        self.measurements.append((metric, value, dimensions))

    def flush(self) -> None:
        """Everything stays."""

    def values_of(self, metric: Metric) -> Sequence[tuple[float, *tuple[str, ...]]]:
        """Return what was noted of a metric: value and dimensions."""
        return [(value, *where) for noted, value, where in self.measurements if noted == metric]
