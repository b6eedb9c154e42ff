"""Client of one configured MCP server: lists its tools, and calls them in server processes that stay alive."""

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp_types import Tool
from pydantic import ValidationError

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.http import HttpConnection
from satchel.adapters.mcp.pool import Pool, PoolLimits
from satchel.adapters.mcp.session import NotReadyError, ServerConnection, Session
from satchel.adapters.mcp.stdio import ServerProgram, StdioConnection
from satchel.adapters.sandbox.policy import MAX_FILE_BYTES, WorkspaceAccess
from satchel.adapters.server_config import ConfigError
from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import ToolSpec
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ToolEvent, ToolResult

MAX_RESULT_BYTES = 64 << 20
START_SECONDS = 60.0
POOL_LIMITS = PoolLimits()
NO_ISOLATION = Isolation()

# To list its tools, a server needs no workspace. But its libraries may write files, so it gets a temporary directory.
_LISTING_ACCESS = WorkspaceAccess(writes=True)

Fill = Callable[[ServerEntry], ServerEntry]
"""Function that replaces ``${NAME}`` variables in an entry with values. Raises ConfigError if a value is missing."""


class RunningCall:
    """A tool call that is running. Implements ``ports.tool_client.RunningCall``.

    Any thread may call ``kill``, but only one thread at a time may call ``receive``.
    """

    def __init__(self, session: Session, tool: str, arguments: dict[str, Any]) -> None:
        self._session = session
        self._events: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
        self.succeeded = False
        self._task = session.start(tool, arguments, self._put)

    def receive(self, timeout: float) -> ToolEvent | None:
        try:
            return self._events.get(timeout=max(0.0, timeout))
        except queue.Empty:
            return None

    def kill(self) -> None:
        self._session.connection.kill()
        self._task.cancel()
        self._session.close()

    def _put(self, event: ToolEvent) -> None:
        if isinstance(event, ToolResult | CallFailure):
            self.succeeded = isinstance(event, ToolResult) or not event.crashed
        self._events.put(event)


class McpToolClient:
    """Lists and calls the tools of one MCP server. Implements ``ports.tool_client.ToolClient``.

    ``environ`` is this process's environment, of which servers inherit only a few harmless variables. ``entry`` is the
    server's configuration, in which ``fill`` replaces variables before each server start. ``isolation`` names the
    sandbox layers that this machine supports. ``max_bytes`` limits each answer, and ``max_file_bytes`` limits each file
    that a tool writes.
    """

    def __init__(
        self,
        server: str,
        entry: ServerEntry,
        loop: EventLoop,
        environ: Mapping[str, str],
        *,
        fill: Fill = lambda entry: entry,
        isolation: Isolation = NO_ISOLATION,
        max_bytes: int = MAX_RESULT_BYTES,
        max_file_bytes: int = MAX_FILE_BYTES,
        start_seconds: float = START_SECONDS,
        limits: PoolLimits = POOL_LIMITS,
    ) -> None:
        self._server = server
        self._entry = entry
        self._loop = loop
        self._environ = environ
        self._fill = fill
        self._isolation = isolation
        self._max_bytes = max_bytes
        self._max_file_bytes = max_file_bytes
        self._start_seconds = start_seconds
        self._modes = ("auto", "legacy") if entry.command else ("auto",)
        self._pool = Pool(self._open, limits)

    @contextmanager
    def call(
        self, tool: str, arguments: dict[str, Any], workspace: Path | None, *, writes: bool
    ) -> Iterator[RunningCall]:
        """Start a tool call on an idle server, or on a new one. Raise ToolCrashed if no server can be started.

        If ``writes`` is True, the server process can write to the workspace. Otherwise, it can only read the workspace.
        """
        access = WorkspaceAccess(workspace, writes)
        session = self._pool.take(access)
        running: RunningCall | None = None
        try:
            running = RunningCall(session, tool, arguments)
            yield running
        finally:
            self._pool.give_back(access, session, succeeded=running is not None and running.succeeded)

    @property
    def isolation(self) -> Isolation | None:
        """Return how this machine isolates the server's process, or None for a remote server, which runs elsewhere."""
        return None if self._entry.is_remote else self._isolation

    def list_tools(self) -> Sequence[ToolSpec]:
        """Start a server, return its tools, and end the server. Raise ToolCrashed if it does not start or answer."""
        session = self._open(_LISTING_ACCESS)
        try:
            return [self._spec(tool) for tool in session.list_tools(self._start_seconds)]
        except (MCPError, ValidationError, TimeoutError) as error:
            raise ToolCrashed(f"The server {self._server!r} failed to list its tools: {error}") from error
        finally:
            session.close()

    def close(self) -> None:
        """End this client's servers and their descendants, but not the event loop, which other clients may share."""
        self._pool.close()

    def _open(self, access: WorkspaceAccess) -> Session:
        """Open an MCP session with a server. Raise ToolCrashed on failure.

        If a local server closes the connection during the handshake, retry with a new process and the older MCP
        handshake.
        """
        first_error: NotReadyError | None = None
        entry = self._resolved_entry()
        for mode in self._modes:
            session = Session(self._loop.portal, self._connection(entry, access), mode)
            try:
                session.open(self._start_seconds)
            except NotReadyError as error:
                first_error = first_error or error
                if not error.hung_up:
                    break
            else:
                self._modes = (mode,)
                return session
        raise ToolCrashed(str(first_error), server=self._server) from first_error

    def _resolved_entry(self) -> ServerEntry:
        try:
            return self._fill(self._entry)
        except ConfigError as error:
            raise ToolCrashed(str(error), server=self._server) from error

    def _connection(self, entry: ServerEntry, access: WorkspaceAccess) -> ServerConnection:
        if entry.command is None:
            return HttpConnection(entry, self._max_bytes)
        program = ServerProgram(entry, self._environ, self._max_bytes, self._isolation, self._max_file_bytes)
        return StdioConnection(program, access)

    def _spec(self, tool: Tool) -> ToolSpec:
        return ToolSpec(
            server=self._server,
            name=tool.name,
            description=tool.description or "",
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
        )
