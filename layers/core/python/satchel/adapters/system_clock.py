"""Reads the clock of the operating system."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Read the system time. Implements ``ports.system.Clock``."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
