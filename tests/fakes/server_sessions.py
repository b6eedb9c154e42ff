"""MCP sessions of conversations with remote servers, in memory."""

import threading
from collections.abc import Collection, Mapping

from satchel.domain.ids import SessionId
from satchel.ports.tool_client import ServerSession


class FakeServerSessions:
    """Implements ``ports.tool_client.ServerSessions`` for one conversation."""

    def __init__(self) -> None:
        self.stored: ServerSession | None = None
        self._lock = threading.Lock()

    def get(self) -> ServerSession | None:
        return self.stored

    def replace(self, new: ServerSession, old: ServerSession | None) -> ServerSession:
        with self._lock:
            if self.stored == old or self.stored is None:
                self.stored = new
            return self.stored


class FakeServerSessionRemover:
    """Implements ``ports.sessions.ServerSessionRemover`` for the sessions that a test puts into ``stored``."""

    def __init__(self) -> None:
        self.stored: dict[tuple[SessionId, str], ServerSession] = {}

    def get(self, session_id: SessionId, server: str) -> ServerSession | None:
        return self.stored.get((session_id, server))

    def take(self, session_id: SessionId, servers: Collection[str]) -> Mapping[str, ServerSession]:
        keys = [key for key in self.stored if key[0] == session_id and key[1] in servers]
        return {key[1]: self.stored.pop(key) for key in keys}
