"""The transport of servers before 2025: a stream of events, and posts to the address that its first event names.

The SDK's own refuses events over 1 MiB and has no way to say otherwise. All else is as it does it.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urljoin

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

logger = logging.getLogger(__name__)

Incoming = SessionMessage | Exception


@asynccontextmanager
async def sse_streams(http: httpx2.AsyncClient, url: str) -> AsyncIterator[TransportStreams]:
    """Connect and yield the streams. Raises HTTPError when there is no such server, ValueError when it is no such one.

    How long an event may be is the transport's of ``http`` to say.
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
    """Wait for the address to post to: one on the same host, or a server could have us post anywhere."""
    async for event in events:
        if event.event == "endpoint":
            base, address = httpx2.URL(url), httpx2.URL(urljoin(url, event.data))
            if (address.scheme, address.host, address.port) != (base.scheme, base.host, base.port):
                raise ValueError("the server wants its messages somewhere else")
            return str(address)
    raise ValueError("the server hung up before it said where it takes messages")


async def _read(events: AsyncIterator[httpx2.ServerSentEvent], to_client: MemoryObjectSendStream[Incoming]) -> None:
    """Pass messages on until the stream ends, for whatever reason: the end of ``to_client`` tells."""
    with to_client:
        try:
            async for event in events:
                if event.event == "message" and event.data:
                    await to_client.send(_parse(event.data))
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.SSEError) as error:
            logger.info("a stream of events broke", extra={"reason": str(error)})


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
                answer = await http.post(address, content=body, headers={"Content-Type": "application/json"})
                answer.raise_for_status()
            except httpx2.HTTPError as error:
                logger.info("a message was not taken", extra={"reason": str(error)})
                await to_client.aclose()
                return


def _parse(data: str) -> Incoming:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(data, by_name=False))
    except ValueError as error:
        return error
