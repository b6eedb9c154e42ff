"""Whose corners under /tmp this system's tools have used, to leave none behind."""

import threading
import time

from satchel.adapters.user_area import LocalUserArea
from satchel.contract.errors import ToolError

_PATIENCE = 1.0  # seconds; another system on this machine may hold the same person's corner as long as a tool runs


class Corners:
    """Remembers people and removes their corners; may be used from any thread."""

    def __init__(self) -> None:
        self._people: set[str] = set()
        self._lock = threading.Lock()

    def note(self, person: str) -> None:
        """Remember that tools run for somebody."""
        with self._lock:
            self._people.add(person)

    def clear(self) -> list[str]:
        """Remove the corners when no runner of ours lives any more; return whose could not be removed.

        It waits for none that somebody else holds for longer than a moment.
        """
        with self._lock:
            people, self._people = self._people, set()
        left = set(people)
        threads = [threading.Thread(target=_remove, args=(person, left), daemon=True) for person in people]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sorted(left)


def _remove(person: str, left: set[str]) -> None:
    try:
        LocalUserArea().remove(person)
    except (OSError, ValueError, ToolError):  # something there resists; it is named by who called
        return
    left.discard(person)
