"""Connections to remote servers over HTTP. Each call has its own connection, so that ending one call affects no other.

This includes our own SSE transport, for servers that use the protocol before 2025: an event stream, and POST requests
to the address that its first event names. The SDK's transport rejects events over 1 MiB, and that limit cannot be
changed.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from urllib.parse import urljoin

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from satchel.adapters.mcp.guarded_transport import GuardedTransport
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure

logger = logging.getLogger(__name__)

# These loggers write whole messages at DEBUG, and addresses (which can contain API keys) at INFO.
for verbose in ("mcp", "httpx2", "httpcore2"):
    logging.getLogger(verbose).setLevel(logging.WARNING)

_CONNECT_SECONDS = 30.0

Incoming = SessionMessage | Exception


class HttpConnection:
    """Connection to the address of an entry. ``max_bytes`` limits each answer and each event.

    The SDK follows redirects within the server's own origin only; over SSE, redirects are not followed. Requests
    contain the token, which no other host must receive.
    """

    def __init__(self, entry: ServerEntry, max_bytes: int) -> None:
        if entry.url is None:
            raise ValueError("the entry has no url")
        self._url = entry.url
        self._sse = entry.transport == "sse"
        self._headers = {"Authorization": f"Bearer {entry.auth_token}"} if entry.auth_token else {}
        self._max_bytes = max_bytes
        self._transport = GuardedTransport(max_bytes, allow_private=entry.allow_private)

    @property
    def is_persistent(self) -> bool:
        """Return False: a connection serves one call."""
        return False

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[TransportStreams]:
        """Connect with the transport of the entry. Reading has no timeout: the call has its own."""
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
        async with httpx2.AsyncClient(headers=self._headers, timeout=timeout, transport=self._transport) as http:
            connected = sse_streams(http, self._url) if self._sse else self._streamable(http)
            async with connected as streams:
                yield streams

    def prepare_call(self) -> None:
        """Do nothing: a remote server prepares itself."""

    def mark_ready(self) -> None:
        """Do nothing: no process of the server runs here."""

    def size_failure(self) -> CallFailure | None:
        """Return a failure if an answer exceeded the size limit, else None."""
        if not self._transport.limit_exceeded:
            return None
        message = f"The answer is longer than {self._max_bytes} bytes"
        return CallFailure(crashed=True, message=message, exceeded_limit=self._max_bytes)

    def take_violations(self, error: str | None) -> Sequence[str]:
        """Return no paths: the files of a remote server are not guarded."""
        del error
        return ()

    def take_outside_changes(self) -> Sequence[str]:
        """Return no paths: a remote server changes nothing here."""
        return ()

    def loss_failure(self, sdk_message: str, /) -> CallFailure | None:
        """Return a failure with the most specific reason: the size limit, the connect error, or the SDK's message."""
        reason = self._transport.connect_error or sdk_message
        message = f"The connection to the tool's server was lost: {reason}"
        return self.size_failure() or CallFailure(crashed=True, message=message)

    def can_be_reused(self) -> bool:
        """Return False: the next call gets a new connection."""
        return False

    def kill(self) -> None:
        """Do nothing: the session tells the server that the call is cancelled, and then disconnects."""

    def close(self) -> None:
        """Do nothing: the session has closed the connection."""

    def _streamable(self, http: httpx2.AsyncClient) -> AbstractAsyncContextManager[TransportStreams]:
        return streamable_http_client(self._url, http_client=http, max_sse_event_size=None)


@asynccontextmanager
async def sse_streams(http: httpx2.AsyncClient, url: str) -> AsyncIterator[TransportStreams]:
    """Connect and yield the streams. Raise HTTPError if the server is unreachable, ValueError if it names no endpoint.

    The transport of ``http`` limits the size of events.
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
    """Wait for the address of POST requests. Reject other origins: a server could make this client post anywhere."""
    async for event in events:
        if event.event == "endpoint":
            base, address = httpx2.URL(url), httpx2.URL(urljoin(url, event.data))
            if (address.scheme, address.host, address.port) != (base.scheme, base.host, base.port):
                raise ValueError("the server named a message endpoint on another origin")
            return str(address)
    raise ValueError("the server closed the stream before it named a message endpoint")


async def _read(events: AsyncIterator[httpx2.ServerSentEvent], to_client: MemoryObjectSendStream[Incoming]) -> None:
    """Forward messages until the stream ends or breaks. Closing ``to_client`` then signals the end to the session."""
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
