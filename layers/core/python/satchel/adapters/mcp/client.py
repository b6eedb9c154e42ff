"""Client of one configured MCP server: lists its tools, and calls them in server processes that stay alive."""

import logging
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from mcp import MCPError
from pydantic import ValidationError

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.error_output import log_name
from satchel.adapters.mcp.file_transfer import FileMover
from satchel.adapters.mcp.http import HttpConnection
from satchel.adapters.mcp.pool import Pool, PoolLimits
from satchel.adapters.mcp.resumable import KnownServer
from satchel.adapters.mcp.session import NotReadyError, ServerConnection, Session
from satchel.adapters.mcp.specs import read_resource_tool, to_spec
from satchel.adapters.mcp.stdio import ServerProgram, StdioConnection
from satchel.adapters.sandbox.policy import MAX_FILE_BYTES, WorkspaceAccess
from satchel.adapters.server_config import ConfigError
from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import CallMethod, ToolSpec
from satchel.domain.inputs import InputAnswer
from satchel.domain.isolation import Isolation
from satchel.domain.resources import OfferMethod, Offers
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import (
    Answers,
    AppRequest,
    CallFailure,
    CallOutcome,
    FileTransfer,
    QuestionRefused,
    ServerSession,
    ServerSessions,
    ToolEvent,
)

logger = logging.getLogger(__name__)

MAX_RESULT_BYTES = 64 << 20
START_SECONDS = 60.0
POOL_LIMITS = PoolLimits()
NO_ISOLATION = Isolation()

Fill = Callable[[ServerEntry], ServerEntry]
"""Function that replaces ``${NAME}`` variables in an entry with values. Raises ConfigError if a value is missing."""


class _OneSession:
    """Store of one MCP session that never changes. Implements ``ports.tool_client.ServerSessions``."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session

    def get(self) -> ServerSession:
        return self._session

    def replace(self, new: ServerSession, old: ServerSession | None) -> ServerSession:
        del new, old
        return self._session


class RunningCall:
    """A tool call that is running. Implements ``ports.tool_client.RunningCall``.

    Any thread may call ``kill``, but only one thread at a time may call ``receive``.
    """

    def __init__(
        self,
        session: Session,
        tool: str,
        arguments: dict[str, Any],
        method: CallMethod | OfferMethod,
        input_schema: dict[str, Any] | None = None,
        answers: Answers | None = None,
        *,
        as_task: bool = False,
        task_id: str | None = None,
        can_ask: bool = False,
        app: AppRequest | None = None,
        mover: Callable[[Callable[[ToolEvent], None]], FileMover] | None = None,
    ) -> None:
        self._session = session
        self._events: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
        self.succeeded = False
        self._task = session.start(
            tool,
            arguments,
            self._put,
            method=method,
            input_schema=input_schema,
            answers=answers,
            as_task=as_task,
            task_id=task_id,
            can_ask=can_ask,
            app=app,
            mover=mover and mover(self._put),
        )

    def receive(self, timeout: float) -> ToolEvent | None:
        try:
            return self._events.get(timeout=max(0.0, timeout))
        except queue.Empty:
            return None

    def reply(self, question: int, answer: InputAnswer | QuestionRefused) -> None:
        self._session.reply(question, answer)

    def kill(self) -> None:
        self._session.connection.kill()
        self._task.cancel()
        self._session.close()

    def _put(self, event: ToolEvent) -> None:
        if isinstance(event, CallOutcome):
            self.succeeded = not (isinstance(event, CallFailure) and event.crashed)
        self._events.put(event)


class McpToolClient:
    """Lists and calls the tools of one MCP server. Implements ``ports.tool_client.ToolClient``.

    ``environ`` is this process's environment, of which servers inherit only a few harmless variables. ``entry`` is the
    server's configuration, in which ``fill`` replaces variables before each server start. ``isolation`` names the
    sandbox layers that this machine supports. ``max_bytes`` limits each answer, and ``max_file_bytes`` limits each file
    that a tool writes. If ``reloads`` is True, a server whose source files have changed is started again.
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
        reloads: bool = False,
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
        self._reloads = reloads
        modes = ("auto", "legacy") if entry.command else ("auto",)
        self._modes = ("legacy",) if entry.protocol else modes
        self._pool = Pool(limits)
        self._known = KnownServer()

    @contextmanager
    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        workspace: Path | None,
        *,
        writes: bool,
        state: Path | None = None,
        method: CallMethod | OfferMethod = "tools/call",
        input_schema: dict[str, Any] | None = None,
        sessions: ServerSessions | None = None,
        answers: Answers | None = None,
        as_task: bool = False,
        task_id: str | None = None,
        is_legacy: bool = False,
        can_ask: bool = False,
        app: AppRequest | None = None,
        files: FileTransfer | None = None,
    ) -> Iterator[RunningCall]:
        """Start a tool call on an idle server, or on a new one. Raise ToolCrashed if no server can be started.

        If ``writes`` is True, the server process can write to the workspace. Otherwise, it can only read the workspace.
        It can also write to ``state``, which has its HOME.
        A remote server gets the arguments that ``input_schema`` marks as HTTP headers, too. ``sessions`` stores the
        MCP session with it. ``answers`` continue a call that ended with InputRequired. ``app`` requests what an app
        gets of the result. ``files`` are those that may move outside of MCP messages.
        ``as_task`` asks an older server for a task, and ``task_id`` polls the task of an earlier call. ``is_legacy``
        says that the server speaks the older MCP handshake, which saves the wait for its answer to the newer one.
        With ``can_ask``, the caller replies to questions of the running tool; otherwise, they are refused.
        """
        if is_legacy and self._entry.command and len(self._modes) > 1:
            self._modes = ("legacy", "auto")
        access = WorkspaceAccess(workspace, writes, state)
        session = self._pool.take(access, partial(self._open, access, sessions))
        running: RunningCall | None = None
        try:
            running = RunningCall(
                session,
                tool,
                arguments,
                method,
                input_schema,
                answers,
                as_task=as_task,
                task_id=task_id,
                can_ask=can_ask,
                app=app,
                mover=partial(FileMover, self._entry, files) if files else None,
            )
            yield running
        finally:
            self._pool.give_back(access, session, succeeded=running is not None and running.succeeded)

    @property
    def isolation(self) -> Isolation | None:
        """Return how this machine isolates the server's process, or None for a remote server, which runs elsewhere."""
        return None if self._entry.is_remote else self._isolation

    @property
    def is_legacy(self) -> bool:
        """Return True if the server's last start needed the older MCP handshake. It is False for remote servers."""
        return self._modes == ("legacy",)

    def list_tools(self) -> Sequence[ToolSpec]:
        """Start a server, return its tools, and end the server. Raise ToolCrashed if it does not start or answer."""
        with self._listing() as session:
            return [to_spec(self._server, tool) for tool in session.list_tools(self._start_seconds)]

    @contextmanager
    def _listing(self) -> Iterator[Session]:
        """Start a server for requests that belong to no user, and end it. Raise ToolCrashed if it does not answer."""
        session = self._open(WorkspaceAccess())
        try:
            yield session
        except (MCPError, ValidationError, TimeoutError) as error:
            raise ToolCrashed(f"The server {self._server!r} failed to list its tools: {error}") from error
        finally:
            session.close()

    def end_session(self, stored: ServerSession) -> None:
        """End an MCP session with a remote server that calls have stored. Log failures: the server may be gone."""
        connection = HttpConnection(self._resolved_entry(), self._max_bytes, self._known)
        try:
            self._loop.portal.call(connection.end_session, stored)
        except Exception:
            logger.warning("an MCP session could not be ended", extra={"server": self._server}, exc_info=True)

    def cancel_task(self, task_id: str, session: ServerSession | None) -> None:
        """Cancel a task of a remote server, in the MCP session that its call has stored. Log failures."""
        try:
            opened = self._open(WorkspaceAccess(), _OneSession(session) if session else None)
            try:
                self._loop.portal.call(opened.cancel_task, task_id)
            finally:
                opened.close()
        except (MCPError, ToolCrashed):
            logger.warning("a task could not be cancelled", extra={"server": self._server}, exc_info=True)

    def list_all(self) -> tuple[Sequence[ToolSpec], Offers]:
        """Start a server, and return its tools, and its resources and prompts, if it has any.

        Raise ToolCrashed like ``list_tools``. A server with resources gets a tool that reads them.
        """
        with self._listing() as session:
            tools = [to_spec(self._server, tool) for tool in session.list_tools(self._start_seconds)]
            offers = session.list_offers(self._server, self._start_seconds)
        reader = read_resource_tool(self._server, offers)
        return ([*tools, reader] if reader and reader.name not in {tool.name for tool in tools} else tools), offers

    def close(self) -> None:
        """End this client's servers and their descendants, but not the event loop, which other clients may share."""
        self._pool.close()

    def _open(self, access: WorkspaceAccess, sessions: ServerSessions | None = None) -> Session:
        """Open an MCP session with a server. Raise ToolCrashed on failure.

        If a local server closes the connection during the handshake, retry with a new process and the other handshake.
        Also retry if a server refuses the older handshake, which it may have spoken until an update.
        """
        first_error: NotReadyError | None = None
        entry = self._resolved_entry()
        for mode in self._modes:
            connection = self._connection(entry, access, sessions)
            session = Session(self._loop.portal, connection, mode, has_transfer=entry.file_transfer)
            try:
                session.open(self._start_seconds)
            except NotReadyError as error:
                first_error = first_error or error
                may_speak_the_newer = mode == "legacy" and not error.timed_out
                if not error.hung_up and not may_speak_the_newer:
                    break
            else:
                # A server that knows the older handshake only may ignore the newer one for seconds at each start.
                self._modes = ("legacy",) if entry.command and session.is_legacy else (mode,)
                return session
        log = log_name(self._environ) if entry.command else None
        place = f" (log: {log})" if log else ""
        raise ToolCrashed(f"{first_error}{place}", server=self._server) from first_error

    def _resolved_entry(self) -> ServerEntry:
        try:
            return self._fill(self._entry)
        except ConfigError as error:
            raise ToolCrashed(str(error), server=self._server) from error

    def _connection(
        self, entry: ServerEntry, access: WorkspaceAccess, sessions: ServerSessions | None
    ) -> ServerConnection:
        if entry.command is None:
            return HttpConnection(entry, self._max_bytes, self._known, sessions)
        program = ServerProgram(
            entry, self._environ, self._max_bytes, self._isolation, self._max_file_bytes, self._reloads
        )
        return StdioConnection(program, access)
