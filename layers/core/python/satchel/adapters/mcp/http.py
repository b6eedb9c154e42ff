"""Connections to remote servers over HTTP. Each call has its own connection, so that ending one call affects no other.

A server with sessions gets one MCP session for all calls of a chat session (``resumable``).

Servers with an MCP version from before 2025 use the SSE transport: the server sends an event stream, whose first event
names the address for POST requests. This module implements that transport itself, because the SDK's implementation
rejects events over 1 MiB.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urljoin

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from satchel.adapters.mcp.guarded_transport import GuardedTransport
from satchel.adapters.mcp.resumable import KnownServer, ResumableSession
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import BlockedAccess, CallFailure, ServerSession, ServerSessions

logger = logging.getLogger(__name__)

# Log only warnings: at DEBUG, these loggers write whole messages; at INFO, URLs, which can contain API keys.
for verbose in ("mcp", "httpx2", "httpcore2"):
    logging.getLogger(verbose).setLevel(logging.WARNING)

_CONNECT_SECONDS = 30.0
_UNAUTHORIZED = frozenset({401, 403, 407})
_WRONG_TRANSPORT = frozenset({400, 404, 405, 406, 410, 415, 501})

Incoming = SessionMessage | Exception


class HttpConnection:
    """Connection to the URL in a server's configuration entry. ``max_bytes`` limits each answer and each event.

    Requests contain the access token and the headers for the server, which must not reach another host. So the SDK
    follows redirects only within the server's origin, and the SSE transport follows no redirects.
    """

    def __init__(
        self, entry: ServerEntry, max_bytes: int, known: KnownServer, sessions: ServerSessions | None = None
    ) -> None:
        if entry.url is None:
            raise ValueError("the entry has no url")
        self._entry = entry
        self._url = entry.url
        self._sse = entry.transport == "sse"
        bearer = {"Authorization": f"Bearer {entry.auth_token}"} if entry.auth_token else {}
        self._headers = bearer | entry.headers
        self._max_bytes = max_bytes
        self._transport = GuardedTransport(max_bytes, allow_private=entry.allow_private)
        self._resumable = ResumableSession(entry.url, self._transport, known, sessions)

    @property
    def is_persistent(self) -> bool:
        """Return False: an HTTP connection serves only one call."""
        return False

    @property
    def keeps_tasks(self) -> bool:
        """Return True, except for the SSE transport: its servers may forget their tasks when the connection ends."""
        return not self._sse

    @property
    def resumable(self) -> ResumableSession | None:
        """Return the MCP session, or None for the SSE transport, whose sessions end with the connection."""
        return None if self._sse else self._resumable

    @property
    def direct(self) -> None:
        """Return None: only the SDK sends requests over HTTP."""
        return

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Connect and yield the message streams. Reading has no timeout, because each tool call has its own timeout."""
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
        async with httpx2.AsyncClient(headers=self._headers, timeout=timeout, transport=self._transport) as http:
            connected = sse_streams(http, self._url) if self._sse else self._resumable.streams(http)
            async with connected as streams:
                yield streams

    async def end_session(self, stored: ServerSession) -> None:
        """End an MCP session that an earlier connection has stored."""
        timeout = httpx2.Timeout(_CONNECT_SECONDS)
        async with httpx2.AsyncClient(headers=self._headers, timeout=timeout, transport=self._transport) as http:
            await self._resumable.end(http, stored)

    def prepare_call(self) -> None:
        """Do nothing: a remote server needs no local folders."""

    def mark_ready(self) -> None:
        """Do nothing: no process of a remote server runs on this machine."""

    def size_failure(self) -> CallFailure | None:
        """Return a call failure if an answer exceeded the size limit, else None."""
        if not self._transport.limit_exceeded:
            return None
        message = f"The answer is longer than {self._max_bytes} bytes"
        return CallFailure(crashed=True, message=message, exceeded_limit=self._max_bytes)

    def take_violations(self, error: str | None) -> Sequence[BlockedAccess]:
        """Return no accesses: the file access of a remote server is not monitored."""
        del error
        return ()

    def take_outside_changes(self) -> Sequence[str]:
        """Return no paths: a remote server changes no files on this machine."""
        return ()

    def loss_failure(self, sdk_message: str, /) -> CallFailure | None:
        """Return a call failure that says why the connection was lost.

        The reason is the size limit, the connection error or, if neither is known, the SDK's message.
        """
        reason = self._transport.connect_error or sdk_message
        message = f"The connection to the tool's server was lost: {self.explanation().lstrip(': ') or reason}"
        return self.size_failure() or CallFailure(crashed=True, message=message)

    def explanation(self) -> str:
        """Return the HTTP status with which the server refused a request, and what to set, or an empty text."""
        status = self._transport.refused_status
        return "" if status is None else f": {describe_refusal(status, self._entry)}"

    def can_be_reused(self) -> bool:
        """Return False: the next call gets a new connection."""
        return False

    def kill(self) -> None:
        """Do nothing: the session tells the server that the call is canceled, and then disconnects."""

    def close(self) -> None:
        """Do nothing: the session has already closed the connection."""


def describe_refusal(status: int, entry: ServerEntry) -> str:
    """Return a sentence about an HTTP status of 400 or more, with the key of the entry that may be wrong."""
    phrase = httpx2.codes.get_reason_phrase(status)
    answer = f"the server answered HTTP {status} {phrase}".rstrip()
    if status in _UNAUTHORIZED:
        has_secret = entry.auth_token or entry.headers
        advice = "check the values of `auth_token` and `headers`" if has_secret else "set `auth_token` or `headers`"
        return f"{answer}; {advice} in its entry of mcp.json"
    if status in _WRONG_TRANSPORT:
        other = "http" if entry.transport == "sse" else "sse"
        return f'{answer}; check its `url`, or set "transport": "{other}" in its entry of mcp.json'
    return answer


@asynccontextmanager
async def sse_streams(http: httpx2.AsyncClient, url: str) -> AsyncIterator[TransportStreams]:
    """Connect to an MCP server over SSE, and yield the message streams.

    The transport of ``http`` must limit the size of events, because this function has no limit. Raise HTTPError if the
    server is unreachable, or ValueError if it names no usable endpoint for POST requests.
    """
    async with http.sse(url, max_event_size=None) as source:
        source.response.raise_for_status()
        events = aiter(source)
        address = await _endpoint(events, url)
        to_client, incoming = anyio.create_memory_object_stream[Incoming](0)
        outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
        with to_client, incoming, outgoing, from_client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, events, to_client)
                tasks.start_soon(_post, http, address, from_client, to_client)
                yield incoming, outgoing
                tasks.cancel_scope.cancel()


async def _endpoint(events: AsyncIterator[httpx2.ServerSentEvent], url: str) -> str:
    """Return the server's URL for POST requests. Raise ValueError if it is on another origin, to prevent SSRF."""
    async for event in events:
        if event.event == "endpoint":
            base, address = httpx2.URL(url), httpx2.URL(urljoin(url, event.data))
            if (address.scheme, address.host, address.port) != (base.scheme, base.host, base.port):
                raise ValueError("the server named a message endpoint on another origin")
            return str(address)
    raise ValueError("the server closed the stream before it named a message endpoint")


async def _read(events: AsyncIterator[httpx2.ServerSentEvent], to_client: MemoryObjectSendStream[Incoming]) -> None:
    """Forward the server's messages until the event stream ends. Then close ``to_client``, which ends the session."""
    with to_client:
        try:
            async for event in events:
                if event.event == "message" and event.data:
                    await to_client.send(_parse(event.data))
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.SSEError) as error:
            logger.info("an event stream broke", extra={"reason": str(error)})


async def _post(
    http: httpx2.AsyncClient,
    address: str,
    from_client: MemoryObjectReceiveStream[SessionMessage],
    to_client: MemoryObjectSendStream[Incoming],
) -> None:
    async with from_client:
        async for item in from_client:
            body = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                response = await http.post(address, content=body, headers={"Content-Type": "application/json"})
                response.raise_for_status()
            except httpx2.HTTPError as error:
                logger.info("a message could not be posted to the server", extra={"reason": str(error)})
                await to_client.aclose()
                return


def _parse(data: str) -> Incoming:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(data, by_name=False))
    except ValueError as error:
        return error
