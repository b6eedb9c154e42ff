"""The machine's time."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Implements ``ports.clock.Clock``."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()
