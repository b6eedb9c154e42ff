"""Listens in on what a server sends, beside the SDK's session, which keeps some of it to itself.

The session refuses whole results for one unknown content block, and declines a server's questions without a word to
its user. The contract takes what the session refuses, and a person should hear why a tool failed.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

ASKING_BACK = frozenset({"elicitation/create", "sampling/createMessage", "roots/list"})


_TOOLS_CHANGED = "notifications/tools/list_changed"


class Tap:
    """What came since ``forget``: the last result as it was sent, and the method by which the server asked back.

    That its tools are others now may come at any time, and is remembered until somebody wants to know.
    """

    def __init__(self) -> None:
        self.result: dict[str, Any] | None = None
        self.asked: str | None = None
        self._tools_changed = False

    def forget(self) -> None:
        """Start anew, for the next request."""
        self.result = None
        self.asked = None

    def tools_changed(self) -> bool:
        """Tell whether the server said so since this was asked last."""
        changed, self._tools_changed = self._tools_changed, False
        return changed

    @asynccontextmanager
    async def on(self, transport: AbstractAsyncContextManager[TransportStreams]) -> AsyncIterator[TransportStreams]:
        """Yield the same transport, listened in on."""
        async with transport as (incoming, outgoing):
            yield _Tapped(incoming, self), outgoing

    def note(self, item: SessionMessage | Exception) -> None:
        """Remember what matters of one message."""
        if isinstance(item, Exception):
            return
        if isinstance(item.message, JSONRPCResponse):
            self.result = item.message.result
        elif isinstance(item.message, JSONRPCRequest) and item.message.method in ASKING_BACK:
            self.asked = item.message.method
        elif isinstance(item.message, JSONRPCNotification) and item.message.method == _TOOLS_CHANGED:
            self._tools_changed = True


class _Tapped:
    """Implements the SDK's ``ReadStream``."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], tap: Tap) -> None:
        self._incoming = incoming
        self._tap = tap

    async def receive(self) -> SessionMessage | Exception:
        item = await self._incoming.receive()
        self._tap.note(item)
        return item

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        item = await anext(self._incoming)
        self._tap.note(item)
        return item

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, error, trace)
