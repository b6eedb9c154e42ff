"""Pool of MCP server sessions, which stay open between tool calls. Each server runs one call at a time."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from satchel.adapters.mcp.session import Session
from satchel.adapters.sandbox.policy import WorkspaceAccess

SessionFactory = Callable[[], Session]


@dataclass(frozen=True)
class PoolLimits:
    """Limits of a server pool. At most ``max_idle`` idle servers with the same workspace access stay alive."""

    max_servers: int = 8
    max_idle: int = 2
    idle_seconds: float = 300.0


@dataclass(frozen=True)
class _Idle:
    access: WorkspaceAccess
    session: Session
    since: float


class Pool:
    """Keeps sessions with running servers, so that later calls with the same workspace access can reuse them.

    If ``max_servers`` servers are running, a new server replaces the least recently used idle server. If all servers
    are busy, the caller waits.
    """

    def __init__(self, limits: PoolLimits) -> None:
        self._limits = limits
        self._changed = threading.Condition()
        self._idle: list[_Idle] = []  # sorted by last use: the most recently used session is last
        self._busy: set[Session] = set()
        self._opening = 0
        self._is_closed = False
        self._timer: threading.Timer | None = None

    def take(self, access: WorkspaceAccess, open_session: SessionFactory) -> Session:
        """Return an idle session with this workspace access, or a new session. Raise the errors of ``open_session``."""
        while True:
            idle, evicted = self._next(access)
            if idle is None:
                return self._open_new(open_session, evicted)
            if idle.can_be_reused():
                return idle
            self._end(idle)

    def give_back(self, access: WorkspaceAccess, session: Session, *, succeeded: bool) -> None:
        """Keep the session for later calls if its call succeeded and left no processes, and the idle limit allows it.

        Otherwise, end the session.
        """
        if not (succeeded and session.can_be_reused() and self._keep(access, session)):
            self._end(session)

    def close(self) -> None:
        """End all sessions of this pool, including sessions that are running a call.

        A session that is being opened meanwhile ends with its call.
        """
        with self._changed:
            self._is_closed = True
            sessions = [*self._busy, *(idle.session for idle in self._idle)]
            self._idle.clear()
            self._busy.clear()
            self._set_timer(None)
            self._changed.notify_all()
        for session in sessions:
            session.close()

    def _next(self, access: WorkspaceAccess) -> tuple[Session | None, Session | None]:
        """Wait until a session is idle or a new server may start. Return ``(session to reuse, session to close)``.

        One or both are None. If both are None, the caller opens a new session. If only the second is given, the caller
        closes that session first, to make room for the new one.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._idle or self._busy_count() < self._limits.max_servers)
            idle = next((idle for idle in reversed(self._idle) if idle.access == access), None)
            if idle is not None:
                self._idle.remove(idle)
                self._busy.add(idle.session)
                return idle.session, None
            is_full = self._busy_count() + len(self._idle) >= self._limits.max_servers
            self._opening += 1
            return None, self._idle.pop(0).session if is_full else None

    def _open_new(self, open_session: SessionFactory, evicted: Session | None) -> Session:
        session: Session | None = None
        try:
            if evicted is not None:
                evicted.close()
            session = open_session()
            return session
        finally:
            with self._changed:
                self._opening -= 1
                if session is not None:
                    self._busy.add(session)
                self._changed.notify()

    def _busy_count(self) -> int:
        return len(self._busy) + self._opening

    def _keep(self, access: WorkspaceAccess, session: Session) -> bool:
        with self._changed:
            idle_count = sum(idle.access == access for idle in self._idle)
            if self._is_closed or session not in self._busy or idle_count >= self._limits.max_idle:
                return False
            self._busy.discard(session)
            self._idle.append(_Idle(access, session, time.monotonic()))
            self._changed.notify()
            if self._timer is None:
                self._set_timer(self._idle[0].since + self._limits.idle_seconds)
            return True

    def _end(self, session: Session) -> None:
        session.close()
        with self._changed:
            self._busy.discard(session)
            self._changed.notify()

    def _end_expired(self) -> None:
        """End the sessions whose idle timeout has passed, and set the timer for the next session that will expire."""
        with self._changed:
            limit = time.monotonic() - self._limits.idle_seconds
            expired = [idle for idle in self._idle if idle.since <= limit]
            self._idle = [idle for idle in self._idle if idle.since > limit]
            # Count expired sessions as busy until they end, because their servers are still running.
            self._busy.update(idle.session for idle in expired)
            self._set_timer(self._idle[0].since + self._limits.idle_seconds if self._idle else None)
        for idle in expired:
            self._end(idle.session)

    def _set_timer(self, due_at: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if due_at is not None:
            self._timer = threading.Timer(max(0.0, due_at - time.monotonic()), self._end_expired)
            self._timer.daemon = True
            self._timer.start()
