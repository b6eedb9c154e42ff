"""Records messages that an MCP server sends, because the SDK's session hides some of them from its caller.

The SDK's session rejects a result that contains an unknown content block, but Satchel accepts unknown blocks. The
session also declines a server's questions silently, but users need to know why a tool failed.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

from mcp.client._transport import ReadStream, TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

_RESOURCE_UPDATED = "notifications/resources/updated"  # its size or type in the list may have changed
ELICITATION = "elicitation/create"
_ELICITATION_COMPLETE = "notifications/elicitation/complete"
_REFUSED = frozenset({"sampling/createMessage", "roots/list"})
_LISTS_CHANGED = frozenset(
    (*(f"notifications/{kind}/list_changed" for kind in ("tools", "resources", "prompts")), _RESOURCE_UPDATED)
)


class MessageObserver:
    """Records the last result and the last refused question that a server has sent since ``reset``.

    ``result`` is the unchanged result. ``question`` is the MCP method of the question. A notice that the tool list
    changed can arrive at any time, so it is stored until ``take_tools_changed`` is called. ``on_complete`` gets the ids
    of questions whose pages the user has completed.
    """

    def __init__(self, on_complete: Callable[[str], None]) -> None:
        self._on_complete = on_complete
        self.result: dict[str, Any] | None = None
        self.question: str | None = None
        self._tools_changed = False

    def reset(self) -> None:
        """Forget the last result and question that the server sent. The session calls this before each tool call."""
        self.result = None
        self.question = None

    def take_tools_changed(self) -> bool:
        """Return True if the server has announced a change of its tools since this method was last called."""
        changed, self._tools_changed = self._tools_changed, False
        return changed

    @asynccontextmanager
    async def observe(
        self, transport: AbstractAsyncContextManager[TransportStreams]
    ) -> AsyncIterator[TransportStreams]:
        """Connect a transport and yield its message streams. Record every message that is read from them."""
        async with transport as (incoming, outgoing):
            yield _ObservedStream(incoming, self), outgoing

    def record(self, item: SessionMessage | Exception) -> None:
        """Record a message if it is a result, a question or a notice that the tool list changed."""
        if isinstance(item, Exception):
            return
        if isinstance(item.message, JSONRPCResponse):
            self.result = item.message.result
        elif isinstance(item.message, JSONRPCRequest) and item.message.method in _REFUSED:
            self.question = item.message.method
        elif isinstance(item.message, JSONRPCNotification):
            self._record_notice(item.message)

    def _record_notice(self, notice: JSONRPCNotification) -> None:
        if notice.method in _LISTS_CHANGED:
            self._tools_changed = True
        elif notice.method == _ELICITATION_COMPLETE:
            self._on_complete(str((notice.params or {}).get("elicitationId")))


class _ObservedStream:
    """Message stream (the SDK's ``ReadStream``) that shows each message to the observer before it returns it."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], observer: MessageObserver) -> None:
        self._incoming = incoming
        self._observer = observer

    async def receive(self) -> SessionMessage | Exception:
        item = await self._incoming.receive()
        self._observer.record(item)
        return item

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        item = await anext(self._incoming)
        self._observer.record(item)
        return item

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, error, trace)
