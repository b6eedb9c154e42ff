"""MCP over streamable HTTP, with sessions that outlive a connection: a later call resumes an earlier call's session.

The SDK's ``streamable_http_client`` starts a new session on each connection. So this module connects the SDK's
transport itself, which costs one request for each call instead of four, and keeps what a server stored in its session.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from anyio import create_task_group
from mcp import MCPError
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import StreamableHTTPTransport
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION, DiscoverResult, InitializeResult

from satchel.adapters.mcp.guarded_transport import GuardedTransport
from satchel.ports.tool_client import ServerSession, ServerSessions

logger = logging.getLogger(__name__)

Handshake = InitializeResult | DiscoverResult

MAX_ID_CHARS = 1000
"""Sessions with a longer id are not stored. MCP allows any visible ASCII characters, typically a UUID or a JWT."""


class KnownServer:
    """Knowledge of this process about a remote server: its answer to the handshake, if the server keeps no sessions."""

    def __init__(self) -> None:
        self.handshake: Handshake | None = None


class ResumableSession:
    """The MCP session on one connection to a server.

    ``sessions`` stores the session of the conversation, so that other connections resume it. Without ``sessions``, the
    session ends with the connection. A server that keeps no sessions is not asked for a handshake again (``known``).
    """

    def __init__(self, url: str, guard: GuardedTransport, known: KnownServer, sessions: ServerSessions | None) -> None:
        self._guard = guard
        self._transport = StreamableHTTPTransport(url, max_sse_event_size=None)
        self._known = known
        self._sessions = sessions
        self._stored: ServerSession | None = None
        self._unused: list[str] = []
        self.is_resumed = False

    def resume(self) -> Handshake | None:
        """Return the server's answer to an earlier handshake, or None if a new handshake is necessary."""
        handshake = self._known.handshake
        if handshake is None and self._sessions is not None and (stored := self._sessions.get()):
            handshake = self._adopt(stored)
        self.is_resumed = handshake is not None
        return handshake

    def establish(self, handshake: Handshake) -> Handshake:
        """Store a new session, and return its handshake. If another call has stored one meanwhile, use that one."""
        session_id = self._transport.session_id
        if session_id is None:
            self._known.handshake = handshake
        elif self._sessions is not None and isinstance(handshake, InitializeResult) and len(session_id) < MAX_ID_CHARS:
            stored = self._sessions.replace(_to_stored(session_id, handshake), self._stored)
            if stored.session_id != session_id:
                self._unused.append(session_id)
            return self._adopt(stored)
        return handshake

    def is_lost(self, error: MCPError) -> bool:
        """Return True if the server rejected a request because it does not know the resumed session any more."""
        if not self.is_resumed:
            return False
        if error.code == UNSUPPORTED_PROTOCOL_VERSION:
            return True
        no_session = self._guard.last_status == httpx2.codes.BAD_REQUEST and "session" in error.message.lower()
        return no_session or self._guard.last_status == httpx2.codes.NOT_FOUND

    def forget(self) -> None:
        """Forget the session, because the server does not know it any more. The caller repeats the handshake."""
        self._known.handshake = None
        self._transport.session_id = None
        self.is_resumed = False

    @asynccontextmanager
    async def streams(self, http: httpx2.AsyncClient) -> AsyncIterator[TransportStreams]:
        """Connect and yield the message streams. At the end, end the session unless it is stored for later calls."""
        transport = self._transport
        to_client, incoming = create_context_streams[SessionMessage | Exception](0)
        outgoing, from_client = create_context_streams[SessionMessage](0)
        async with to_client, incoming, outgoing, from_client, create_task_group() as tasks:

            def open_event_stream() -> None:
                tasks.start_soon(transport.handle_get_stream, http, to_client)

            tasks.start_soon(transport.post_writer, http, from_client, to_client, outgoing, open_event_stream, tasks)
            if self.is_resumed and transport.session_id:
                open_event_stream()  # otherwise, the transport opens it after the handshake
            try:
                yield incoming, outgoing
            finally:
                await self._end_unused(http)
                tasks.cancel_scope.cancel()

    async def end(self, http: httpx2.AsyncClient, stored: ServerSession) -> None:
        """End a stored session."""
        self._adopt(stored)
        await self._transport.terminate_session(http)

    async def _end_unused(self, http: httpx2.AsyncClient) -> None:
        """End this connection's sessions that are not stored for later calls."""
        current = self._transport.session_id
        if current and (self._stored is None or self._stored.session_id != current):
            self._unused.append(current)
        for session_id in self._unused:
            self._transport.session_id = session_id
            await self._transport.terminate_session(http)

    def _adopt(self, stored: ServerSession) -> Handshake:
        handshake = InitializeResult.model_validate_json(stored.handshake)
        self._stored = stored
        self._transport.session_id = stored.session_id
        # The transport sets this header only after its first request, but the event stream needs it, too.
        self._transport._protocol_version_header = handshake.protocol_version  # noqa: SLF001
        return handshake


def _to_stored(session_id: str, handshake: InitializeResult) -> ServerSession:
    """Return the session to store, without the server's instructions, which can be long and which no call needs."""
    short = handshake.model_copy(update={"instructions": None, "meta": None})
    return ServerSession(session_id=session_id, handshake=short.model_dump_json(by_alias=True, exclude_none=True))
