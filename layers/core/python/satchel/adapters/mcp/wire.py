"""What a session runs over."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mcp.client._transport import TransportStreams

from satchel.ports.tool_client import Failed


class Wire(Protocol):
    """One connection to one server: a process and its pipes, or an HTTP address."""

    @property
    def lasts(self) -> bool:
        """Tell whether it may serve more than one call."""
        ...

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Connect, once, on the loop. Raises OSError when there is nothing to connect to."""
        ...

    def prepare(self) -> None:
        """Make ready for one call: what the server expects to find must be there."""
        ...

    def settle(self) -> None:
        """Take what runs now for a part of the server; called once, when it is ready for its first call."""
        ...

    def too_long(self) -> Failed | None:
        """Say that the connection was ended because an answer was longer than allowed; None if that was not so."""
        ...

    def refusals(self, said: str | None) -> Sequence[str]:
        """Return the paths that the server was refused since the last time; ``said`` is why it failed, where it did."""
        ...

    def strays(self) -> Sequence[str]:
        """Return the paths outside that changed during the call, where nothing would have stopped that."""
        ...

    def lost(self, said: str, /) -> Failed | None:
        """Say why the connection is lost, which may take a moment; None while it is not. ``said`` is the SDK's word."""
        ...

    def clean(self) -> bool:
        """Tell whether the server may serve another call: it lives, and the last call left nothing running."""
        ...

    def kill(self) -> None:
        """End the server and all that it started, where it is ours to end; returns when it is dead."""
        ...

    def close(self) -> None:
        """Give back what the wire held, after the session has ended."""
        ...
