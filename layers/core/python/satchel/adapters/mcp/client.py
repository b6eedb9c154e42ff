"""The tool client of one server entry: calls on warm servers, and the list of tools."""

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp_types import Tool
from pydantic import ValidationError

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.http import HttpWire
from satchel.adapters.mcp.pool import Bounds, Pool
from satchel.adapters.mcp.session import NotReadyError, Session
from satchel.adapters.mcp.stdio import Program, StdioWire
from satchel.adapters.mcp.wire import Wire
from satchel.adapters.sandbox.walls import Corner
from satchel.adapters.server_config import ConfigError
from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import ToolSpec
from satchel.domain.isolation import Isolation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import Answered, Failed, Signal

MOST_RESULT_BYTES = 64 << 20
START_SECONDS = 60.0
BOUNDS = Bounds()
NO_WALLS = Isolation()

_NOBODYS = Corner(writes=True)  # no tool runs there, and what a server loads may want to write beside

Fill = Callable[[ServerEntry], ServerEntry]
"""Puts values in the place of an entry's variables. Raises ConfigError where one has none."""


class RunningCall:
    """Implements ``ports.tool_client.RunningCall``. Any thread may kill; one at a time receives."""

    def __init__(self, session: Session, tool: str, arguments: dict[str, Any]) -> None:
        self._session = session
        self._signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.ended_well = False
        self._task = session.start(tool, arguments, self._put)

    def receive(self, timeout: float) -> Signal | None:
        """Wait up to ``timeout`` seconds for the next signal."""
        try:
            return self._signals.get(timeout=max(0.0, timeout))
        except queue.Empty:
            return None

    def kill(self) -> None:
        """End the server with everything it started. Who is waiting in ``receive`` is told that the call failed."""
        self._session.wire.kill()
        self._task.cancel()
        self._session.close()

    def _put(self, signal: Signal) -> None:
        if isinstance(signal, Answered | Failed):
            self.ended_well = isinstance(signal, Answered) or not signal.crashed
        self._signals.put(signal)


class McpToolClient:
    """Implements ``ports.tool_client.ToolClient``.

    ``environ`` is the runner's environment, of which servers see little. ``fill`` puts values in the place of the
    entry's variables, for each server anew; ``isolation`` is what walls each in. ``most_bytes`` bounds one answer,
    ``bounds`` the servers at a time.
    """

    def __init__(
        self,
        server: str,
        entry: ServerEntry,
        loop: EventLoop,
        environ: Mapping[str, str],
        *,
        fill: Fill = lambda entry: entry,
        isolation: Isolation = NO_WALLS,
        most_bytes: int = MOST_RESULT_BYTES,
        start_seconds: float = START_SECONDS,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._server = server
        self._entry = entry
        self._loop = loop
        self._environ = environ
        self._fill = fill
        self._isolation = isolation
        self._most_bytes = most_bytes
        self._start_seconds = start_seconds
        self._modes = ("auto", "legacy") if entry.command else ("auto",)
        self._pool = Pool(self._open, bounds)

    @contextmanager
    def call(self, tool: str, arguments: dict[str, Any], home: Path | None, *, writes: bool) -> Iterator[RunningCall]:
        """Start a call on a warm server, or on a new one.

        Writers run in a process whose home is in the person's directory; others in one that cannot write.
        Raises ToolCrashed when the server cannot be started.
        """
        corner = Corner(home, writes)
        session = self._pool.take(corner)
        running: RunningCall | None = None
        try:
            running = RunningCall(session, tool, arguments)
            yield running
        finally:
            self._pool.give_back(corner, session, well=running is not None and running.ended_well)

    def list_tools(self) -> Sequence[ToolSpec]:
        """Ask a server started for this alone. Raises ToolCrashed when it cannot be started or gives no list."""
        session = self._open(_NOBODYS)
        try:
            return [self._spec(tool) for tool in session.list_tools(self._start_seconds)]
        except (MCPError, ValidationError, TimeoutError) as error:
            raise ToolCrashed(f"The server {self._server!r} does not list its tools: {error}") from error
        finally:
            session.close()

    def close(self) -> None:
        """End all servers and everything they started. The loop stays: others may use it."""
        self._pool.close()

    def _open(self, corner: Corner) -> Session:
        """Open a session. A server that hangs up on the current greeting is tried with the older one."""
        refusal: NotReadyError | None = None
        entry = self._filled()
        for mode in self._modes:
            session = Session(self._loop.portal, self._wire(entry, corner), mode)
            try:
                session.open(self._start_seconds)
            except NotReadyError as error:
                refusal = refusal or error
                if not error.hung_up:
                    break
            else:
                self._modes = (mode,)
                return session
        raise ToolCrashed(str(refusal), server=self._server) from refusal

    def _filled(self) -> ServerEntry:
        try:
            return self._fill(self._entry)
        except ConfigError as error:
            raise ToolCrashed(str(error), server=self._server) from error

    def _wire(self, entry: ServerEntry, corner: Corner) -> Wire:
        if entry.command is None:
            return HttpWire(entry, self._most_bytes)
        return StdioWire(Program(entry, self._environ, self._most_bytes, self._isolation), corner)

    def _spec(self, tool: Tool) -> ToolSpec:
        return ToolSpec(
            server=self._server,
            name=tool.name,
            description=tool.description or "",
            input_schema=tool.input_schema,
            output_schema=tool.output_schema,
        )
