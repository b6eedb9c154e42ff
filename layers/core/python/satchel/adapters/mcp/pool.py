"""Warm servers: kept between calls, each in the hands of one call at a time."""

import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from satchel.adapters.mcp.session import Session

Opener = Callable[[Path | None], Session]


class Pool:
    """Sessions by the corner that their server may write to (None: none). At most ``most_idle`` of each stay warm."""

    def __init__(self, open_session: Opener, most_idle: int) -> None:
        self._open = open_session
        self._most_idle = most_idle
        self._lock = threading.Lock()
        self._idle: dict[Path | None, list[Session]] = defaultdict(list)
        self._taken: set[Session] = set()

    def take(self, corner: Path | None) -> Session:
        """Return a warm session, the one used last, or a new one. Raises what opening raises."""
        while session := self._take_idle(corner):
            if session.clean():
                return session
            self._end(session)
        session = self._open(corner)
        with self._lock:
            self._taken.add(session)
        return session

    def give_back(self, corner: Path | None, session: Session, *, well: bool) -> None:
        """Keep the session for the next call if this one ended well and left nothing; otherwise end it."""
        if well and session.clean():
            with self._lock:
                if session in self._taken and len(self._idle[corner]) < self._most_idle:
                    self._taken.discard(session)
                    self._idle[corner].append(session)
                    return
        self._end(session)

    def close(self) -> None:
        """End all sessions, in use or not."""
        with self._lock:
            sessions = [*self._taken, *(session for idle in self._idle.values() for session in idle)]
            self._idle.clear()
            self._taken.clear()
        for session in sessions:
            session.close()

    def _take_idle(self, corner: Path | None) -> Session | None:
        with self._lock:
            if not self._idle[corner]:
                return None
            session = self._idle[corner].pop()
            self._taken.add(session)
            return session

    def _end(self, session: Session) -> None:
        with self._lock:
            self._taken.discard(session)
        session.close()
