"""The time of health requests beside other work of the same process."""

import threading
import time
from collections.abc import Callable, Sequence

import httpx2

_HEALTH_SECONDS, _LOAD_FACTOR = 0.2, 3
_GIVE_UP_SECONDS = 5.0
_PAUSE_SECONDS = 0.01  # between two health requests


def health_limit(control: Sequence[float]) -> float:
    """Return the time in which a health request must be answered: 0.2 s, or more if a control phase was slow."""
    return max(_HEALTH_SECONDS, _LOAD_FACTOR * max(control))


def health_times(client: httpx2.Client, action: Callable[[], object]) -> list[float]:
    """Run the action in a thread, and return the seconds of each health request that is sent meanwhile, at least one.

    End with the action, or with the first health request that has no answer after five seconds.
    """
    times: list[float] = []
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    while not times or thread.is_alive():
        start = time.monotonic()
        try:
            assert client.get("/api/health", timeout=_GIVE_UP_SECONDS).is_success
        except httpx2.TimeoutException:
            return [*times, time.monotonic() - start]
        times.append(time.monotonic() - start)
        thread.join(_PAUSE_SECONDS)
    return times
