"""One conversation with a server: lives in a task of the event loop, is used from any thread, one call at a time."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal
from mcp import Client, MCPError
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    LoggingMessageNotificationParams,
    PaginatedRequestParams,
    Tool,
)
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from satchel.adapters.mcp.tap import Tap
from satchel.adapters.mcp.wire import Wire
from satchel.ports.tool_client import Answered, Failed, Log, Progress, Refused, Signal, Strayed

logger = logging.getLogger(__name__)

Put = Callable[[Signal], None]
_AS_IT_IS: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
_MOST_PAGES = 100
_CLOSE_SECONDS = 2.0


class NotReadyError(Exception):
    """A server did not get as far as taking calls. ``hung_up``: it ended, instead of staying silent."""

    def __init__(self, message: str, *, hung_up: bool) -> None:
        super().__init__(message)
        self.hung_up = hung_up


class Session:
    """A session over a wire. ``mode`` is the SDK's: which era's way of saying hello is tried."""

    def __init__(self, portal: BlockingPortal, wire: Wire, mode: str = "auto") -> None:
        self.wire = wire
        self._portal = portal
        self._loop = portal.call(asyncio.get_running_loop)
        self._mode = mode
        self._tap = Tap()
        self._put: Put = _drop
        self._ready: Future[Client] = Future()
        self._closing = anyio.Event()
        self._over = threading.Event()
        self._task: Future[None] | None = None

    def open(self, seconds: float) -> None:
        """Connect and say hello. Raises NotReadyError when that fails or takes longer."""
        self.wire.prepare()
        self._task = self._portal.start_task_soon(self._live)
        try:
            self._ready.result(seconds)
        except TimeoutError:
            self.close()
            message = f"The tool's server did not answer within {seconds:g} seconds of its start"
            raise NotReadyError(message, hung_up=False) from None
        except Exception as error:
            cause = _innermost(error)
            lost = self.wire.lost(str(cause))
            self.close()
            reason = lost.message if lost else f"The tool's server cannot be started: {cause}"
            raise NotReadyError(reason, hung_up=lost is not None) from error
        self.wire.settle()

    def start(self, tool: str, arguments: dict[str, Any], put: Put) -> Future[None]:
        """Start a call; its signals go to ``put``, the last one is Answered or Failed."""
        self.wire.prepare()
        self._tap.forget()
        self._put = put
        # Not through the portal, which would wait until the task has begun: a good part of what a warm call takes.
        task = asyncio.run_coroutine_threadsafe(self._ask(tool, arguments, put), self._loop)
        task.add_done_callback(_always_a_last_word(put))
        return task

    def clean(self) -> bool:
        """Tell whether another call may follow on this session."""
        return not self._over.is_set() and self.wire.clean()

    def list_tools(self, seconds: float) -> list[Tool]:
        """Return the tools on all pages. Raises MCPError, ValidationError, TimeoutError."""
        return self._portal.start_task_soon(self._list_tools).result(seconds)

    def close(self) -> None:
        """End the session, and the server with all that it started where it is ours."""
        self.wire.kill()
        if self._task is not None and not self._over.is_set():
            if self._ready.done():
                self._portal.call(self._closing.set)
            else:
                self._task.cancel()
            if not self._over.wait(_CLOSE_SECONDS):
                logger.warning("a session did not end by itself")
                self._task.cancel()
        self.wire.close()

    async def _live(self) -> None:
        transport = self._tap.on(self.wire.connect())
        client = Client(
            transport,
            mode=self._mode,
            logging_callback=self._said,
            log_level="info",  # without it, servers of the current revision send no logs at all
            cache=None,
        )
        try:
            async with client, anyio.create_task_group() as beside:
                self._ready.set_result(client)
                beside.start_soon(self._subscribe, client)
                await self._closing.wait()
                beside.cancel_scope.cancel()
        except Exception as error:
            if self._ready.done():
                logger.exception("a session did not end well")
            else:
                self._ready.set_exception(error)
        finally:
            self._over.set()

    async def _subscribe(self, client: Client) -> None:
        """Servers of the current revision tell of changed tools only who asked for it; the tap hears it."""
        offered = client.server_capabilities.tools
        if not self.wire.lasts or offered is None or not offered.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True):
                await anyio.sleep_forever()
        except (MCPError, ListenNotSupportedError, SubscriptionLost) as error:
            logger.debug("a server does not tell of changed tools: %s", error)

    async def _ask(self, tool: str, arguments: dict[str, Any], put: Put) -> None:
        outcome = await self._outcome(tool, arguments, put)
        for path in self.wire.refusals(_said_when_failing(outcome)):
            put(Refused(path=path))
        for path in self.wire.strays():
            put(Strayed(path=path))
        self._put = _drop
        put(outcome)  # last of all: at this moment another thread may start the next call

    async def _outcome(self, tool: str, arguments: dict[str, Any], put: Put) -> Answered | Failed:
        try:
            to_json(arguments)  # what fails only when it is written (a lone surrogate) would end the whole session
        except ValueError as error:
            return Failed(crashed=False, message=f"The arguments cannot be written as JSON: {error}")
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        session = self._ready.result().session
        try:
            raw = await session.send_request(request, _AS_IT_IS, progress_callback=_progress_to(put))
        except MCPError as error:
            return await self._refused(error)
        except ValidationError:
            if self._tap.result is None:
                raise
            raw = self._tap.result
        return self._answered(raw)

    async def _refused(self, error: MCPError) -> Failed:
        if failed := self.wire.too_long():
            return failed
        if error.code == CONNECTION_CLOSED:
            lost = await anyio.to_thread.run_sync(self.wire.lost, error.message)
            if lost:
                return lost
        return Failed(crashed=False, message=self._with_reason(error.message))

    def _answered(self, raw: dict[str, Any]) -> Answered | Failed:
        if raw.get("resultType") == "input_required":
            self._tap.asked = self._tap.asked or "input_required"
            return Failed(crashed=False, message=self._with_reason("it cannot go on without an answer"))
        if raw.get("isError") and self._tap.asked:
            return Failed(crashed=False, message=self._with_reason(_first_text(raw)))
        return Answered(raw=raw, tools_changed=self._tap.tools_changed())

    def _with_reason(self, said: str) -> str:
        if self._tap.asked is None:
            return said
        return f"The tool asked back while it ran ({self._tap.asked}), and nobody can answer it here: {said}"

    async def _said(self, params: LoggingMessageNotificationParams) -> None:
        self._put(Log(level=params.level, message=_as_text(params.data)))

    async def _list_tools(self) -> list[Tool]:
        session = self._ready.result().session
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return tools


def _drop(_signal: Signal) -> None:
    """Nobody listens between calls."""


def _progress_to(put: Put) -> ProgressFnT:
    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        put(Progress(progress=progress, total=total, message=message))

    return progressed


def _always_a_last_word(put: Put) -> Callable[[Future[None]], None]:
    """Whoever waits for a call must hear of its end, also when it was cancelled or we made a mistake."""

    def done(task: Future[None]) -> None:
        if task.cancelled():
            put(Failed(crashed=True, message="The call was ended"))
        elif error := task.exception():
            logger.error("a call could not be followed", exc_info=error)
            put(Failed(crashed=True, message=f"The call could not be followed: {error}"))

    return done


def _innermost(error: BaseException) -> BaseException:
    """Task groups wrap what went wrong in groups of one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _as_text(data: object) -> str:
    """Log data may be any JSON; servers made with fastmcp send ``{"msg": text, …}``."""
    if isinstance(data, dict) and isinstance(data.get("msg"), str):
        return str(data["msg"])
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _said_when_failing(outcome: Answered | Failed) -> str | None:
    if isinstance(outcome, Failed):
        return outcome.message
    return _first_text(outcome.raw) if outcome.raw.get("isError") else None


def _first_text(raw: dict[str, Any]) -> str:
    texts = (block.get("text") for block in raw.get("content") or [] if isinstance(block, dict))
    return next((text for text in texts if isinstance(text, str)), "it failed")
