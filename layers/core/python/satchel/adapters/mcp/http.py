"""Servers that are somewhere else. Each call has a connection of its own, so that ending one ends nothing else."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from satchel.adapters.mcp.guarded import GuardedTransport
from satchel.adapters.mcp.sse import sse_streams
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import Failed

# They log whole messages at DEBUG, and addresses, in which some have their keys, at INFO.
for chatty in ("mcp", "httpx2", "httpcore2"):
    logging.getLogger(chatty).setLevel(logging.WARNING)

_CONNECT_SECONDS = 30.0


class HttpWire:
    """One connection to the address of an entry. An event or an answer may have ``most`` bytes.

    Redirects are followed within the server's own origin alone (the SDK does that), over SSE not at all: what is sent
    was meant for no other host.
    """

    def __init__(self, entry: ServerEntry, most: int) -> None:
        if entry.url is None:
            raise ValueError("the entry has no url")
        self._url = entry.url
        self._sse = entry.transport == "sse"
        self._headers = {"Authorization": f"Bearer {entry.auth_token}"} if entry.auth_token else {}
        self._most = most
        self._guard = GuardedTransport(most, allow_private=entry.allow_private)

    @property
    def lasts(self) -> bool:
        """A connection serves one call."""
        return False

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Connect in the way the entry says. Silence is not timed here: the call's own clock does that."""
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
        async with httpx2.AsyncClient(headers=self._headers, timeout=timeout, transport=self._guard) as http:
            streams = sse_streams(http, self._url) if self._sse else self._streamable(http)
            async with streams as both:
                yield both

    def prepare(self) -> None:
        """Nothing of ours is on the other side."""

    def settle(self) -> None:
        """Nothing of it runs here."""

    def too_long(self) -> Failed | None:
        """Say that an answer was longer than allowed, where one was."""
        if not self._guard.too_long:
            return None
        return Failed(crashed=True, message=f"The answer is longer than {self._most} bytes", too_long=self._most)

    def refusals(self, said: str | None) -> Sequence[str]:
        """Its files are not ours to guard."""
        del said
        return ()

    def strays(self) -> Sequence[str]:
        """It does not run here."""
        return ()

    def lost(self, said: str, /) -> Failed | None:
        """Whatever ended the connection: what the connection knows of it, or else the SDK."""
        why = self._guard.trouble or said
        return self.too_long() or Failed(crashed=True, message=f"The connection to the tool's server was lost: {why}")

    def clean(self) -> bool:
        """There is no other call."""
        return False

    def kill(self) -> None:
        """The server is not ours to end: the session tells it that the call is cancelled, and hangs up."""

    def close(self) -> None:
        """Nothing is held beyond the session."""

    def _streamable(self, http: httpx2.AsyncClient) -> AbstractAsyncContextManager[TransportStreams]:
        return streamable_http_client(self._url, http_client=http, max_sse_event_size=None)
