"""Warm servers: kept between calls, each in the hands of one call at a time."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from satchel.adapters.mcp.session import Session
from satchel.adapters.sandbox.walls import Corner

Opener = Callable[[Corner], Session]


@dataclass(frozen=True)
class Bounds:
    """How many servers there may be at a time, how many stay warm in one corner, and for how long (seconds)."""

    most: int = 8
    most_idle: int = 2
    idle_seconds: float = 300.0


@dataclass(frozen=True)
class _Idle:
    corner: Corner
    session: Session
    since: float


class Pool:
    """Sessions by what their server has of the person's directory.

    Where there are as many as there may be, the one that was not used for the longest time makes room; when all are
    in use, who needs one waits.
    """

    def __init__(self, open_session: Opener, bounds: Bounds) -> None:
        self._open = open_session
        self._bounds = bounds
        self._changed = threading.Condition()
        self._idle: list[_Idle] = []  # the one used last stands last
        self._taken: set[Session] = set()
        self._opening = 0
        self._timer: threading.Timer | None = None

    def take(self, corner: Corner) -> Session:
        """Return a warm session, the one used last, or a new one. Raises what opening raises."""
        while True:
            warm, surplus = self._next(corner)
            if warm is None:
                return self._open_instead_of(surplus, corner)
            if warm.clean():
                return warm
            self._end(warm)

    def give_back(self, corner: Corner, session: Session, *, well: bool) -> None:
        """Keep the session for the next call if this one ended well and left nothing; otherwise end it."""
        if not (well and session.clean() and self._keep(corner, session)):
            self._end(session)

    def close(self) -> None:
        """End all sessions, in use or not."""
        with self._changed:
            sessions = [*self._taken, *(idle.session for idle in self._idle)]
            self._idle.clear()
            self._taken.clear()
            self._wake_at(None)
            self._changed.notify_all()
        for session in sessions:
            session.close()

    def _next(self, corner: Corner) -> tuple[Session | None, Session | None]:
        """Wait for a warm session of this corner, or until one may be opened: before that, one may have to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle or self._in_use() < self._bounds.most)
            warm = next((idle for idle in reversed(self._idle) if idle.corner == corner), None)
            if warm is not None:
                self._idle.remove(warm)
                self._taken.add(warm.session)
                return warm.session, None
            is_full = self._in_use() + len(self._idle) >= self._bounds.most
            self._opening += 1
            return None, self._idle.pop(0).session if is_full else None

    def _open_instead_of(self, surplus: Session | None, corner: Corner) -> Session:
        session: Session | None = None
        try:
            if surplus is not None:
                surplus.close()
            session = self._open(corner)
            return session
        finally:
            with self._changed:
                self._opening -= 1
                if session is not None:
                    self._taken.add(session)
                self._changed.notify()

    def _in_use(self) -> int:
        return len(self._taken) + self._opening

    def _keep(self, corner: Corner, session: Session) -> bool:
        with self._changed:
            kept = sum(idle.corner == corner for idle in self._idle)
            if session not in self._taken or kept >= self._bounds.most_idle:
                return False
            self._taken.discard(session)
            self._idle.append(_Idle(corner, session, time.monotonic()))
            self._changed.notify()
            if self._timer is None:
                self._wake_at(self._idle[0].since + self._bounds.idle_seconds)
            return True

    def _end(self, session: Session) -> None:
        session.close()
        with self._changed:
            self._taken.discard(session)
            self._changed.notify()

    def _end_the_idle(self) -> None:
        """End those that nobody has used for so long, and come again when the next one is due."""
        with self._changed:
            until = time.monotonic() - self._bounds.idle_seconds
            over = [idle for idle in self._idle if idle.since <= until]
            self._idle = [idle for idle in self._idle if idle.since > until]
            self._taken.update(idle.session for idle in over)  # they count until they are dead
            self._wake_at(self._idle[0].since + self._bounds.idle_seconds if self._idle else None)
        for idle in over:
            self._end(idle.session)

    def _wake_at(self, moment: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if moment is not None:
            self._timer = threading.Timer(max(0.0, moment - time.monotonic()), self._end_the_idle)
            self._timer.daemon = True
            self._timer.start()
