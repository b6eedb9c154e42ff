"""MCP session with one server, run by a task of the event loop. Any thread can use it, for one call at a time."""

import asyncio
import json
import logging
import secrets
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count
from typing import Any, NamedTuple, Protocol

import anyio
from anyio.from_thread import BlockingPortal
from mcp import Client, ClientSession, MCPError
from mcp.client._probe import negotiate_auto
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientRequestContext, _later_revision_fields
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.inbound import x_mcp_header_map
from mcp_types import (
    CONNECTION_CLOSED,
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    URL_ELICITATION_REQUIRED,
    CallToolRequest,
    DiscoverResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    LoggingMessageNotificationParams,
    PaginatedRequestParams,
    ServerCapabilities,
    Tool,
)
from mcp_types.version import LATEST_MODERN_VERSION
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from satchel.adapters.mcp.apps import APPS, read_app, without_app
from satchel.adapters.mcp.direct_requests import Answer, DirectRequests
from satchel.adapters.mcp.file_transfer import FileMover, TransferError, declaring_files
from satchel.adapters.mcp.linked_resources import embed_linked_resources
from satchel.adapters.mcp.message_observer import ELICITATION, MessageObserver
from satchel.adapters.mcp.offers import CallRequest, list_offers, to_request, to_tool_result
from satchel.adapters.mcp.resumable import ResumableSession
from satchel.adapters.mcp.tasks import (
    TASKS_EXTENSION,
    TaskRequest,
    TaskState,
    asking_for_task,
    created_task,
    failure_of,
    parse_task,
    task_request,
)
from satchel.domain.conversation import CallMethod
from satchel.domain.inputs import InputAnswer, to_elicit_result
from satchel.domain.resources import OfferMethod, Offers
from satchel.ports.tool_client import (
    Answers,
    AppRequest,
    AskedQuestion,
    BlockedAccess,
    CallFailure,
    CallOutcome,
    CannotAsk,
    ClosedQuestion,
    InputRequired,
    LogMessage,
    OutsideChange,
    ProgressUpdate,
    QuestionRefused,
    ToolEvent,
    ToolResult,
)

logger = logging.getLogger(__name__)

EventListener = Callable[[ToolEvent], None]
_RAW_RESULT: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
_NO_HANDSHAKE = DiscoverResult(
    supported_versions=[LATEST_MODERN_VERSION],
    capabilities=ServerCapabilities(),
    result_type="complete",
    ttl_ms=0,
    cache_scope="public",
)
_MAX_PAGES = 100
MAX_LINKED_BYTES = 32 << 20
"""The size of the linked resources of one result, as they travel: binary data as base64."""
_CLOSE_SECONDS = 2.0
_CANCEL_SECONDS = 30.0
_SUBSCRIPTION_SECONDS = 2.0
"""Time for a server to confirm the subscription before its first call, whose change it would not announce otherwise."""
_WITH_RESULT = {"completed", "failed", "input_required"}
_ASKING_TASK = "A task of the server asks a question, which is supported for servers over streamable HTTP only"
_CANNOT_ASK = ("elicitation", "server-initiated requests")
"""Words of the errors of FastMCP 4 and of the MCP SDK 2, if a tool asks while it runs on a newer connection."""
_NO_USER = QuestionRefused("No user can answer a question of this request")
_STATE_ONLY_PAUSES = (0.05, 0.1, *[0.25] * 8)
"""Pauses before a request is repeated, if a server wants it again with its state but asks nothing, in seconds."""


class ServerConnection(Protocol):
    """One connection to one server: the pipes of a local process, or an HTTP connection."""

    @property
    def is_persistent(self) -> bool:
        """Return True if the connection can serve more than one call."""
        ...

    @property
    def resumable(self) -> ResumableSession | None:
        """Return the MCP session that other connections can resume, or None if it ends with this connection."""
        ...

    @property
    def keeps_tasks(self) -> bool:
        """Return True if the server's tasks outlast this connection, so that other connections can poll them."""
        ...

    @property
    def direct(self) -> DirectRequests | None:
        """Return what sends requests without the SDK, or None if only the SDK can send them."""
        ...

    def connect(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Connect and yield the message streams. Call this once. Raise OSError if there is no server to connect to."""
        ...

    def prepare_call(self) -> None:
        """Prepare for a call: create the server's folders, and discard reports of access blocked in earlier calls."""
        ...

    def mark_ready(self) -> None:
        """Record the processes that run before the first call: they belong to the server, later ones to a call."""
        ...

    def size_failure(self) -> CallFailure | None:
        """Return a call failure if the connection was closed because an answer exceeded the size limit, else None."""
        ...

    def take_violations(self, error: str | None) -> Sequence[BlockedAccess]:
        """Return the file accesses that were blocked during the call. ``error`` is the call's error text, or None."""
        ...

    def take_outside_changes(self) -> Sequence[str]:
        """Return the paths outside the workspace that changed during the call (empty if a sandbox prevents changes)."""
        ...

    def loss_failure(self, sdk_message: str, /) -> CallFailure | None:
        """Return a call failure that says why the connection was lost, or None if the server can still answer.

        This method may block briefly.
        """
        ...

    def explanation(self) -> str:
        """Return what the server itself said about its failure, as the end of a sentence, or an empty text."""
        ...

    def can_be_reused(self) -> bool:
        """Return True if the server can run another call: it is alive, and the last call left no processes running."""
        ...

    def kill(self) -> None:
        """Kill the server and all its descendants, and return when they are dead. Do nothing for a remote server."""
        ...

    def close(self) -> None:
        """Release the resources of the connection. Called after the session has ended."""
        ...


class NotReadyError(Exception):
    """The server did not become ready for calls. ``hung_up`` is True if the connection to the server was lost."""

    def __init__(self, message: str, *, hung_up: bool, timed_out: bool = False) -> None:
        super().__init__(message)
        self.hung_up = hung_up
        self.timed_out = timed_out


class RunningRequest(Protocol):
    """The request of a call that is running."""

    def cancel(self) -> object:
        """Stop to wait for the answer, and report a CallFailure. Any thread may call this."""
        ...


class _OpenQuestion(NamedTuple):
    """A question for which the server waits, and the server's id of it, if any."""

    answer: "asyncio.Future[InputAnswer | QuestionRefused]"
    elicitation_id: str | None


class Session:
    """MCP session over a connection. ``mode`` selects the SDK's handshake: ``auto`` or, for old servers, ``legacy``.

    With ``has_transfer``, the server learns that files can move outside of MCP messages.
    """

    def __init__(
        self,
        portal: BlockingPortal,
        connection: ServerConnection,
        mode: str = "auto",
        *,
        has_transfer: bool = False,
    ) -> None:
        self._has_transfer = has_transfer
        self._mover: FileMover | None = None
        self.connection = connection
        self._portal = portal
        self._loop = portal.call(asyncio.get_running_loop)
        self._mode = mode
        self._observer = MessageObserver(self._complete_question)
        self._listener: EventListener = _ignore
        self._can_ask = False
        self._question_ids = count()
        self._questions: dict[int, _OpenQuestion] = {}
        self._app: AppRequest | None = None
        self._ready: Future[Client] = Future()
        self._closing = anyio.Event()
        self._ended = threading.Event()
        self._task: Future[None] | None = None

    def open(self, seconds: float) -> None:
        """Connect and perform the MCP handshake. Raise NotReadyError if this fails or takes longer than ``seconds``."""
        self.connection.prepare_call()
        self._task = self._portal.start_task_soon(self._run)
        try:
            self._ready.result(seconds)
        except TimeoutError:
            message = f"The tool's server did not answer within {seconds:g} seconds of its start"
            message += self.connection.explanation()
            self.close()
            raise NotReadyError(message, hung_up=False, timed_out=True) from None
        except Exception as error:
            cause = _innermost(error)
            loss = self.connection.loss_failure(str(cause))
            self.close()
            reason = loss.message if loss else f"The tool's server cannot be started: {cause}"
            raise NotReadyError(reason, hung_up=loss is not None) from error
        self.connection.mark_ready()

    def start(
        self,
        tool: str,
        arguments: dict[str, Any],
        listener: EventListener,
        *,
        method: CallMethod | OfferMethod = "tools/call",
        input_schema: dict[str, Any] | None = None,
        answers: Answers | None = None,
        as_task: bool = False,
        task_id: str | None = None,
        can_ask: bool = False,
        app: AppRequest | None = None,
        mover: FileMover | None = None,
    ) -> RunningRequest:
        """Start a call. ``listener`` gets the call's events: the last is a ``CallOutcome``.

        ``input_schema`` says which arguments a remote server also expects as HTTP headers. ``as_task`` asks an older
        server for a task. ``task_id`` polls a task instead, with the answers to its questions, if any.
        With ``can_ask``, questions of the running tool are events, and wait for ``reply``; otherwise, they are refused.
        """
        self.connection.prepare_call()
        self._observer.reset()
        self._listener = listener
        self._can_ask = can_ask
        if input_schema is not None:
            # The SDK fills this map only from a list of tools, but a call of a known tool needs no list.
            self._ready.result().session._x_mcp_header_maps[tool] = x_mcp_header_map(input_schema)  # noqa: SLF001
        # Don't start the task with the portal (to the event loop): it waits until the task begins, which slows calls.
        if answers is not None:
            # A continued call needs another JSON-RPC id than before, but each connection counts from 1.
            dispatcher: Any = self._ready.result().session._dispatcher  # noqa: SLF001
            dispatcher._next_id += secrets.randbelow(1 << 30)  # noqa: SLF001
        self._app = app
        self._mover = mover
        if task_id is not None:
            outcome = partial(self._poll_task, task_id, answers.responses if answers else {}, listener)
        else:
            request = to_request(method, tool, arguments, answers)
            if as_task and isinstance(request, CallToolRequest) and self.is_legacy:
                request = asking_for_task(request)
            if answers is None and mover is None and (direct := self._send_directly(request, listener)):
                return direct
            outcome = partial(self._outcome, request, listener)
        task = asyncio.run_coroutine_threadsafe(self._call(outcome, listener), self._loop)
        task.add_done_callback(_report_abnormal_end(listener))
        return task

    def _send_directly(self, request: CallRequest, listener: EventListener) -> "_DirectCall | None":
        """Send a request without the SDK. Return None if only the SDK can send it."""
        if self._has_transfer or self.connection.direct is None:
            return None
        session = self._ready.result().session
        data = request.model_dump(by_alias=True, mode="json", exclude_none=True)
        session._stamp(data, {})  # noqa: SLF001  (adds the meta data that the negotiated version requires)
        call = _DirectCall(self._loop, listener, partial(self._finish, request, listener))
        try:
            is_sent = self.connection.direct.send(
                data["method"], data["params"], call.on_answer, partial(_report_progress, listener)
            )
        except ValueError:
            return None  # the other way reports that JSON cannot encode the arguments
        return call if is_sent else None

    def _finish(
        self, request: CallRequest, listener: EventListener, answer: Answer
    ) -> Coroutine[Any, Any, None] | None:
        """Report the outcome of a direct request, or return a coroutine that does, if that needs further requests."""
        session = self._ready.result().session
        if not isinstance(answer, MCPError):
            # As the SDK does: in a session of an older version, these fields have no meaning.
            method, version = request.method, session._negotiated_version  # noqa: SLF001  (the version decides)
            foreign = _later_revision_fields(method, str(version))
            answer = {key: value for key, value in answer.items() if key not in foreign}
            if self._is_complete(request, answer):
                self._end(self._result(answer), listener)
                return None
        return self._call(partial(self._requested, request, listener, answer), listener)

    def _is_complete(self, request: CallRequest, raw: dict[str, Any]) -> bool:
        """Return True if a result is that of a tool, and contains no resources, which can be links or apps."""
        if not isinstance(request, CallToolRequest) or self._app or raw.get("resultType", "complete") != "complete":
            return False
        if request.params.task is not None or not isinstance(content := raw.get("content"), list):
            return False
        return not any(isinstance(block, dict) and str(block.get("type")).startswith("resource") for block in content)

    def reply(self, question: int, answer: InputAnswer | QuestionRefused) -> None:
        """Send the answer to an open question of the running tool."""
        self._loop.call_soon_threadsafe(self._settle, question, answer)

    @property
    def is_legacy(self) -> bool:
        """Return True if the server answered the older handshake (``initialize``)."""
        return self._ready.result().session.initialize_result is not None

    def can_be_reused(self) -> bool:
        """Return True if this session is open and its connection can serve another tool call."""
        return not self._ended.is_set() and self.connection.can_be_reused()

    def list_tools(self, seconds: float) -> list[Tool]:
        """Return all tools of the server. Raise MCPError, ValidationError, or TimeoutError after ``seconds``."""
        return self._portal.start_task_soon(self._list_tools).result(seconds)

    def list_offers(self, server: str, seconds: float) -> Offers:
        """Return the server's resources and prompts. A list that the server fails to return is empty."""
        return self._portal.start_task_soon(list_offers, self._ready.result().session, server).result(seconds)

    def close(self) -> None:
        """End the session. If the server is a local process, kill it and all its descendants."""
        self.connection.kill()
        if self._task is not None and not self._ended.is_set():
            if self._ready.done():
                self._portal.call(self._closing.set)
            else:
                self._task.cancel()
            if not self._ended.wait(_CLOSE_SECONDS):
                logger.warning("a session did not close in time and was cancelled")
                self._task.cancel()
                if not self._ended.wait(_CANCEL_SECONDS):
                    logger.error("a session does not end, and keeps its pipes: the event loop still uses them")
                    return
        self.connection.close()

    async def _run(self) -> None:
        resumable = self.connection.resumable
        handshake = await anyio.to_thread.run_sync(resumable.resume) if resumable else None
        transport = self._observer.observe(self.connection.connect())
        transport = declaring_files(transport) if self._has_transfer else transport
        client = Client(
            transport,
            mode=LATEST_MODERN_VERSION if handshake else self._mode,  # such a mode skips the handshake
            logging_callback=self._forward_log,
            # This offers elicitation to the server. Without the offer, some servers hide their tools that ask.
            elicitation_callback=self._answer_question,
            extensions=[TASKS_EXTENSION, APPS],
            log_level="info",  # without a log level, servers of the current MCP revision send no logs
            cache=None,
        )
        try:
            async with client, anyio.create_task_group() as tasks:
                if handshake:
                    client.session.adopt(handshake)
                else:
                    await self._establish(client.session)
                is_answered = anyio.Event()
                tasks.start_soon(self._subscribe, client, is_answered)
                with anyio.move_on_after(_SUBSCRIPTION_SECONDS):
                    await is_answered.wait()
                self._ready.set_result(client)
                await self._closing.wait()
                tasks.cancel_scope.cancel()
        except Exception as error:
            if self._ready.done():
                logger.exception("a session ended with an error")
            else:
                self._ready.set_exception(error)
        finally:
            if not self._ready.done():  # nothing else tells the thread that waits in `open`
                self._ready.set_exception(ConnectionAbortedError("The session was ended before it was ready"))
            self._ended.set()

    async def _establish(self, session: ClientSession) -> None:
        """Let other connections resume the new MCP session, or use the session that another call has just opened."""
        resumable, made = self.connection.resumable, session.initialize_result or session.discover_result
        if resumable is not None and made is not None:
            used = await anyio.to_thread.run_sync(resumable.establish, made)
            if used is not made:
                session.adopt(used)

    async def _recover(self, error: MCPError) -> bool:
        """Return True if a request that the server rejected with this error can be sent again."""
        session, resumable = self._ready.result().session, self.connection.resumable
        if error.code == HEADER_MISMATCH:  # the server has changed which arguments it expects as headers
            await self._list_tools()
            return True
        if error.code == URL_ELICITATION_REQUIRED:
            return await self._visit_links(error)
        if resumable is None or not resumable.is_lost(error):
            return False
        resumable.forget()
        session.adopt(_NO_HANDSHAKE)  # without this, the SDK takes the old handshake for the new one
        await negotiate_auto(session)
        await self._establish(session)
        return True

    async def _subscribe(self, client: Client, is_answered: anyio.Event) -> None:
        """Subscribe to notices that a list changed. Current MCP servers send them only to subscribers.

        ``is_answered`` is set when the server has answered, or needs no subscription.
        """
        offered = client.server_capabilities
        tools, resources, prompts = (
            bool(kind and kind.list_changed) for kind in (offered.tools, offered.resources, offered.prompts)
        )
        try:
            if not self.connection.is_persistent or not (tools or resources or prompts):
                return
            async with client.listen(
                tools_list_changed=tools, resources_list_changed=resources, prompts_list_changed=prompts
            ):
                is_answered.set()
                await anyio.sleep_forever()
        except (MCPError, ListenNotSupportedError, SubscriptionLost) as error:
            logger.debug("a server does not announce changes of its lists: %s", error)
        finally:
            is_answered.set()

    async def _call(self, outcome: Callable[[], Coroutine[Any, Any, CallOutcome]], listener: EventListener) -> None:
        # A function, not a coroutine: a call that is canceled before this task runs would never await the coroutine.
        self._end(await outcome(), listener)

    def _end(self, outcome: CallOutcome, listener: EventListener) -> None:
        self._can_ask = False
        for question in list(self._questions):
            self._settle(question, _NO_USER)
        for blocked in self.connection.take_violations(_error_text(outcome)):
            listener(blocked)
        for path in self.connection.take_outside_changes():
            listener(OutsideChange(path=path))
        self._listener = _ignore
        listener(outcome)  # send this event last: after it, another thread can start the next call

    async def _outcome(self, request: CallRequest, listener: EventListener) -> CallOutcome:
        try:
            complete = await self._with_uploads(request)
        except TransferError as error:
            return CallFailure(crashed=False, message=f"A file could not be sent to the tool's server: {error}")
        return await self._requested(complete, listener)

    async def _requested(
        self, request: CallRequest, listener: EventListener, answer: Answer | None = None
    ) -> CallOutcome:
        """Return the outcome of a request. ``answer`` is what the server answered, if the request was sent directly."""
        try:
            # Fail now if JSON cannot encode this: an error during sending ends the session.
            to_json(request.params.model_dump())
        except ValueError as error:
            return CallFailure(crashed=False, message=f"The arguments cannot be written as JSON: {error}")
        try:
            raw = await self._send(request, listener, answer)
            for pause in _STATE_ONLY_PAUSES:
                if not _needs_only_state(raw):
                    break
                await anyio.sleep(pause)
                raw = await self._send(_with_state(request, raw["requestState"]), listener)
        except MCPError as error:
            return CannotAsk(message=error.message) if self._cannot_ask(error.message) else await self._failure(error)
        if isinstance(request, CallToolRequest) and (
            state := created_task(raw, asks_for_task=request.params.task is not None)
        ):
            return await self._follow(state, listener)
        if raw.get("resultType") == "input_required":
            if not isinstance(request, CallToolRequest):
                return CallFailure(crashed=False, message="The server asks a question, which only tools can do")
            return _to_questions(raw)
        return await self._complete(to_tool_result(request, raw))

    async def _with_uploads(self, request: CallRequest) -> CallRequest:
        """Return the request with the server's addresses of the files that were sent to it. Raise TransferError."""
        if self._mover is None or not isinstance(request, CallToolRequest):
            return request
        arguments = await self._mover.upload(self._ready.result().session, request.params.arguments or {})
        return request.model_copy(update={"params": request.params.model_copy(update={"arguments": arguments})})

    async def _complete(self, raw: dict[str, Any]) -> CallOutcome:
        session = self._ready.result().session
        answer = await read_app(session, self._app, raw)
        shown = raw if self._app else without_app(answer) or raw
        shown = await embed_linked_resources(session, shown, MAX_LINKED_BYTES)
        outcome = self._result(await self._mover.download(session, shown) if self._mover else shown)
        return outcome.model_copy(update={"app": answer}) if isinstance(outcome, ToolResult) else outcome

    async def _poll_task(
        self, task_id: str, responses: dict[str, dict[str, Any]], listener: EventListener
    ) -> CallOutcome:
        """Send the answers to the questions of a task, if any, and then ask for its state."""
        try:
            if responses:
                await self._send(task_request("tasks/update", task_id, responses), listener)
            state = await self._task_state(task_id, listener)
        except MCPError as error:
            return await self._task_failure(error)
        questions = state.outcome.get("inputRequests")
        if (
            state.status == "input_required"
            and responses
            and isinstance(questions, dict)
            and questions.keys() <= responses.keys()
        ):
            state = state._replace(status="working")  # the server has not processed the answers yet
        return await self._follow(state, listener)

    async def _follow(self, state: TaskState, listener: EventListener) -> CallOutcome:
        """Return the result of a task that has ended. Otherwise, return the task, unless it ends with this connection.

        In that case, no later connection can poll the task, so this method polls it until it ends.
        """
        try:
            while state.status == "working":
                if state.message or not self.connection.keeps_tasks:
                    listener(ProgressUpdate(progress=0, message=state.message))
                if self.connection.keeps_tasks:
                    return state.running
                await anyio.sleep(state.running.poll_seconds)
                state = await self._task_state(state.running.task_id, listener)
            return await self._task_outcome(state, listener)
        except MCPError as error:
            return await self._task_failure(error)

    async def _task_outcome(self, state: TaskState, listener: EventListener) -> CallOutcome:
        """Return the result or the questions of a task that does not work. Raise MCPError."""
        if self.is_legacy and state.status in _WITH_RESULT:  # its questions come with this request
            return await self._complete(await self._send(task_request("tasks/result", state.running.task_id), listener))
        if state.status == "completed":
            result = state.outcome.get("result")
            return await self._complete(result if isinstance(result, dict) else {})
        if state.status != "input_required":
            return CallFailure(crashed=False, message=failure_of(state))
        if not self.connection.keeps_tasks:
            return CallFailure(crashed=False, message=_ASKING_TASK)
        return _to_questions(state.outcome).model_copy(update={"task": state.running})

    async def _task_state(self, task_id: str, listener: EventListener) -> TaskState:
        state = parse_task(await self._send(task_request("tasks/get", task_id), listener))
        if state is None:
            raise MCPError(code=INTERNAL_ERROR, message="The server's answer does not contain the task")
        return state

    async def _task_failure(self, error: MCPError) -> CallFailure:
        failure = await self._failure(error)
        if error.code != INVALID_PARAMS:
            return failure
        message = f"The tool's server does not know its task any more, for example after a restart: {failure.message}"
        return failure.model_copy(update={"message": message})

    async def cancel_task(self, task_id: str) -> None:
        """Ask the server to cancel a task. Raise MCPError if it refuses."""
        await self._send(task_request("tasks/cancel", task_id), _ignore)

    async def _send(
        self, request: CallRequest | TaskRequest, listener: EventListener, answer: Answer | None = None
    ) -> dict[str, Any]:
        session = self._ready.result().session
        send = partial(session.send_request, request, _RAW_RESULT, progress_callback=_forward_progress(listener))
        try:
            try:
                if isinstance(answer, MCPError):
                    raise answer
                raw: dict[str, Any] = await send() if answer is None else answer
            except MCPError as error:
                if not await self._recover(error):
                    raise
                raw = await send()
        except ValidationError:
            if self._observer.result is None:
                raise
            raw = self._observer.result
        return raw

    async def _failure(self, error: MCPError) -> CallFailure:
        if failure := self.connection.size_failure():
            return failure
        if error.code == CONNECTION_CLOSED:
            failure = await anyio.to_thread.run_sync(self.connection.loss_failure, error.message)
            if failure:
                return failure
        return CallFailure(crashed=False, message=self._explain(error.message))

    def _result(self, raw: dict[str, Any]) -> ToolResult | CannotAsk | CallFailure:
        if raw.get("isError") and self._observer.question:
            return CallFailure(crashed=False, message=self._explain(_first_text(raw)))
        if raw.get("isError") and self._cannot_ask(_first_text(raw)):
            return CannotAsk(message=_first_text(raw))
        return ToolResult(raw=raw, tools_changed=self._observer.take_tools_changed())

    def _cannot_ask(self, error: str) -> bool:
        """Return True if a tool failed because it asked while it ran, which the newer handshake does not permit."""
        return not self.is_legacy and all(words in error for words in _CANNOT_ASK)

    def _explain(self, message: str) -> str:
        if self._observer.question is None:
            return message
        reason = (
            "no user can answer" if self._observer.question == ELICITATION else "MCP has deprecated and Satchel refuses"
        )
        return f"The tool asked a question while it ran ({self._observer.question}), which {reason}: {message}"

    async def _answer_question(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """Answer a question of an older server in the middle of a call."""
        del context
        answer = await self._ask(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        if isinstance(answer, QuestionRefused):
            return ErrorData(code=INVALID_REQUEST, message=answer.reason)
        return ElicitResult.model_validate(to_elicit_result(answer))

    async def _ask(self, request: dict[str, Any]) -> InputAnswer | QuestionRefused:
        """Show a question to the listener, and wait for its reply."""
        if not self._can_ask:
            self._observer.question = ELICITATION
            return _NO_USER
        number, listener = next(self._question_ids), self._listener
        question = _OpenQuestion(self._loop.create_future(), request.get("elicitationId"))
        self._questions[number] = question
        listener(AskedQuestion(id=number, request=request))
        try:
            return await question.answer
        except asyncio.CancelledError:
            listener(ClosedQuestion(id=number))
            raise
        finally:
            del self._questions[number]

    def _settle(self, number: int, answer: InputAnswer | QuestionRefused) -> None:
        question = self._questions.get(number)
        if question is not None and not question.answer.done():
            question.answer.set_result(answer)

    def _complete_question(self, elicitation_id: str) -> None:
        """Accept the open question whose page the user has completed, as the server announces."""
        for number, question in self._questions.items():
            if question.elicitation_id == elicitation_id and not question.answer.done():
                self._listener(ClosedQuestion(id=number, completed=True))
                self._settle(number, InputAnswer(input_id="", action="accept"))

    async def _visit_links(self, error: MCPError) -> bool:
        """Ask the user to visit the pages that a server requires first. Return True if the user has visited them."""
        links = error.data.get("elicitations") if isinstance(error.data, dict) else None
        if not isinstance(links, list) or not links:
            return False
        for link in links:
            answer = await self._ask(link) if isinstance(link, dict) else _NO_USER
            if isinstance(answer, QuestionRefused) or answer.action != "accept":
                return False
        return True

    async def _forward_log(self, params: LoggingMessageNotificationParams) -> None:
        self._listener(LogMessage(level=params.level, message=_as_text(params.data)))

    async def _list_tools(self) -> list[Tool]:
        session = self._ready.result().session
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return tools


class _DirectCall:
    """A call whose request was sent without the SDK. ``finish`` reports the outcome, or returns a coroutine that does.

    All methods but ``cancel`` run on the event loop's thread.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        listener: EventListener,
        finish: Callable[[Answer], Coroutine[Any, Any, None] | None],
    ) -> None:
        self._loop = loop
        self._listener = listener
        self._finish = finish
        self._has_ended = False
        self._task: asyncio.Task[None] | None = None

    def on_answer(self, answer: Answer) -> None:
        """Process the server's answer, unless the call was cancelled."""
        if self._has_ended:
            return
        self._has_ended = True
        try:
            rest = self._finish(answer)
        except Exception as error:  # noqa: BLE001  (without an outcome, the call would wait until its timeout)
            _report_failure(self._listener, error)
            return
        if rest is not None:
            self._task = self._loop.create_task(rest)
            self._task.add_done_callback(_report_abnormal_end(self._listener))

    def cancel(self) -> None:
        """Stop to wait for the answer, and report a CallFailure."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        elif not self._has_ended:
            self._has_ended = True
            _report_cancellation(self._listener)


def _needs_only_state(raw: dict[str, Any]) -> bool:
    """Return True if the server wants the same request again with its state, but no answers."""
    is_required = raw.get("resultType") == "input_required" and not raw.get("inputRequests")
    return is_required and isinstance(raw.get("requestState"), str)


def _to_questions(raw: dict[str, Any]) -> InputRequired:
    requests, state = raw.get("inputRequests"), raw.get("requestState")
    return InputRequired(
        requests=requests if isinstance(requests, dict) else {}, state=state if isinstance(state, str) else None
    )


def _with_state(request: CallRequest, state: str) -> CallRequest:
    params = request.params.model_copy(update={"input_responses": None, "request_state": state})
    return request.model_copy(update={"params": params})


def _ignore(_event: ToolEvent) -> None:
    """Ignore an event. This function is the listener between calls, when no caller waits for events."""


def _forward_progress(listener: EventListener) -> ProgressFnT:
    async def forward(progress: float, total: float | None, message: str | None) -> None:
        _report_progress(listener, progress, total, message)

    return forward


def _report_progress(listener: EventListener, progress: float, total: float | None, message: str | None) -> None:
    listener(ProgressUpdate(progress=progress, total=total, message=message))


def _report_abnormal_end(listener: EventListener) -> Callable[[Future[None] | asyncio.Task[None]], None]:
    """Return a callback that sends a CallFailure to the listener if the task of a call is canceled or raises."""

    def report(task: Future[None] | asyncio.Task[None]) -> None:
        if task.cancelled():
            _report_cancellation(listener)
        elif error := task.exception():
            _report_failure(listener, error)

    return report


def _report_cancellation(listener: EventListener) -> None:
    listener(CallFailure(crashed=True, message="The call was ended"))


def _report_failure(listener: EventListener, error: BaseException) -> None:
    logger.error("the task of a call failed", exc_info=error)
    listener(CallFailure(crashed=True, message=f"The runner failed while it waited for the result: {error}"))


def _innermost(error: BaseException) -> BaseException:
    """Return the first exception inside nested exception groups. Task groups wrap each exception in such a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _as_text(data: object) -> str:
    """Return the data of a log message as text. The data can be any JSON, such as ``{"msg": text, …}`` from fastmcp."""
    if isinstance(data, dict) and isinstance(data.get("msg"), str):
        return str(data["msg"])
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _error_text(outcome: CallOutcome) -> str | None:
    if isinstance(outcome, CallFailure):
        return outcome.message
    return _first_text(outcome.raw) if isinstance(outcome, ToolResult) and outcome.raw.get("isError") else None


def _first_text(raw: dict[str, Any]) -> str:
    texts = (block.get("text") for block in raw.get("content") or [] if isinstance(block, dict))
    return next((text for text in texts if isinstance(text, str)), "the tool failed without a message")
