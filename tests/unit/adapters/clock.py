from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class TravelClock:
    """Implements ``ports.clock.Clock``: time goes by when a test says so."""

    def __init__(self) -> None:
        self._now = NOON

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - NOON).total_seconds()

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
