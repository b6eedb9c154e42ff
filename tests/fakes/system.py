"""A clock that tests advance, predictable random bytes, and in-memory metrics."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from satchel.domain.metrics import Metric

START = datetime(2024, 8, 27, 12, 0, 0, tzinfo=UTC)
_SINCE_BOOT = 1000


class FakeClock:
    """Implements ``ports.system.Clock``. Counts whole microseconds, so that times in tests are exact."""

    def __init__(self, at: datetime = START) -> None:
        self._start = at
        self._micros = 0

    def now(self) -> datetime:
        return self._start + timedelta(microseconds=self._micros)

    def monotonic(self) -> float:
        """Return seconds that do not start at zero, as on a real machine."""
        return _SINCE_BOOT + self._micros / 1e6

    def advance(self, seconds: float) -> None:
        """Advance the time by at least a microsecond, because even a wait of zero seconds takes time."""
        self._micros += max(1, round(seconds * 1e6))


class FakeEntropy:
    """Replaces ``os.urandom`` with a counter, so that ids are predictable, and later ids sort later."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, size: int) -> bytes:
        self._count += 1
        return self._count.to_bytes(size, "big")


class FakeMetrics:
    """Implements ``ports.system.Metrics``."""

    def __init__(self) -> None:
        self.measurements: list[tuple[Metric, float, tuple[str, ...]]] = []

    def add(self, metric: Metric, value: float = 1, *dimensions: str) -> None:
        if len(dimensions) != len(metric.dimensions):
            raise ValueError(f"{metric.name} has the dimensions {metric.dimensions}")
        self.measurements.append((metric, value, dimensions))

    def flush(self) -> None:
        """Do nothing: measurements stay readable."""

    def values_of(self, metric: Metric) -> Sequence[tuple[float, *tuple[str, ...]]]:
        """Return the measurements of a metric: value and dimensions."""
        return [(value, *dimensions) for measured, value, dimensions in self.measurements if measured == metric]
