"""Servers that are somewhere else. Each call has a connection of its own, so that ending one ends nothing else."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import Failed

_CONNECT_SECONDS = 30.0
_A_DAY = 86400.0


class HttpWire:
    """One connection to the address of an entry. Events and answers may have ``most`` bytes."""

    def __init__(self, entry: ServerEntry, most: int) -> None:
        if entry.url is None:
            raise ValueError("the entry has no url")
        self._url = entry.url
        self._sse = entry.transport == "sse"
        self._headers = {"Authorization": f"Bearer {entry.auth_token}"} if entry.auth_token else {}
        self._most = most

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Connect in the way the entry says. Silence is not timed here: the call's own clock does that."""
        return sse_client(self._url, self._headers, sse_read_timeout=_A_DAY) if self._sse else self._streamable()

    def prepare(self) -> None:
        """Nothing of ours is on the other side."""

    def settle(self) -> None:
        """Nothing of it runs here."""

    def lost(self, said: str, /) -> Failed | None:
        """Whatever ended the connection, the SDK's word is all there is."""
        return Failed(crashed=True, message=f"The connection to the tool's server was lost: {said}")

    def clean(self) -> bool:
        """A connection serves one call."""
        return False

    def kill(self) -> None:
        """The server is not ours to end: the session tells it that the call is cancelled, and hangs up."""

    def close(self) -> None:
        """Nothing is held beyond the session."""

    @asynccontextmanager
    async def _streamable(self) -> AsyncIterator[TransportStreams]:
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
        async with (
            httpx2.AsyncClient(headers=self._headers, timeout=timeout) as client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=self._most) as streams,
        ):
            yield streams
