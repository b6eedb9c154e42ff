"""The two measured clients, Satchel's and fastmcp's, each with an open session."""

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
"""Calls a tool and returns its structured content. Raises the errors of the client."""

MAX_BYTES = 256 << 20  # more than the largest measured result, which has two copies in one line
_TIMEOUT_SECONDS = 120.0


@contextmanager
def satchel_client(entry: ServerEntry) -> Iterator[Call]:
    """Yield a function that calls with Satchel's client, without the use case."""
    loop = EventLoop()
    client = McpToolClient("bench", entry, loop, {}, max_bytes=MAX_BYTES)
    try:
        yield lambda tool, arguments: _wait(client, tool, arguments)
    finally:
        client.close()
        loop.close()


@contextmanager
def fastmcp_client(transport: ClientTransport) -> Iterator[Call]:
    """Yield a function that calls with fastmcp's client."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(transport)) as client:

        def call(tool: str, arguments: Payload) -> Payload:
            content: Payload | None = portal.call(client.call_tool_mcp, tool, arguments).structured_content
            if content is None:
                raise ValueError(f"{tool} returned nothing")
            return content

        yield call


def _wait(client: McpToolClient, tool: str, arguments: Payload) -> Payload:
    with client.call(tool, arguments, None, writes=False) as running:
        while (signal := running.receive(_TIMEOUT_SECONDS)) is not None:
            match signal:
                case ToolResult(raw=raw):
                    content: Payload = raw["structuredContent"]
                    return content
                case CallFailure(message=message):
                    raise RuntimeError(message)
    raise TimeoutError(f"no event of {tool} for {_TIMEOUT_SECONDS:g} seconds")
