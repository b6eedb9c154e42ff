"""Time that stands still until a test, or a fake that would wait, moves it."""

from datetime import UTC, datetime, timedelta

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
