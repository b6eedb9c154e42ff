"""The clock of the operating system."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Implements ``ports.system.Clock``."""

    def now(self) -> datetime:
        """Return the date and time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return a number of seconds that never decreases, for measuring durations."""
        return time.monotonic()
