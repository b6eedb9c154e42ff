"""The two ways to a tool: our client, and the stock one as its documentation has it; each on a session that is kept."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import start_blocking_portal
from fastmcp import Client
from fastmcp.client.transports import ClientTransport

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ToolResult

Payload = dict[str, Any]
Call = Callable[[str, Payload], Payload]
"""Calls a tool with arguments and returns the structured content. Raises what the way raises when it fails."""

MAX_BYTES = 256 << 20  # what the largest answer measured has, both copies in one line, and some more
_PATIENCE_SECONDS = 120.0


@contextmanager
def ours(entry: ServerEntry) -> Iterator[Call]:
    """Call by our client, without the use case around it."""
    loop = EventLoop()
    client = McpToolClient("bench", entry, loop, {}, max_bytes=MAX_BYTES)
    try:
        yield lambda tool, arguments: _wait(client, tool, arguments)
    finally:
        client.close()
        loop.close()


@contextmanager
def stock(transport: ClientTransport) -> Iterator[Call]:
    """Call by fastmcp's client."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(transport)) as client:

        def call(tool: str, arguments: Payload) -> Payload:
            content: Payload | None = portal.call(client.call_tool_mcp, tool, arguments).structured_content
            if content is None:
                raise ValueError(f"{tool} returned nothing")
            return content

        yield call


def _wait(client: McpToolClient, tool: str, arguments: Payload) -> Payload:
    with client.call(tool, arguments, None, writes=False) as running:
        while (signal := running.receive(_PATIENCE_SECONDS)) is not None:
            match signal:
                case ToolResult(raw=raw):
                    content: Payload = raw["structuredContent"]
                    return content
                case CallFailure(message=message):
                    raise RuntimeError(message)
    raise TimeoutError(f"{tool} said nothing for {_PATIENCE_SECONDS:g} seconds")
