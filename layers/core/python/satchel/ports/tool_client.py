"""Ports of a runner, which executes tools: tool calls over MCP, and the workspaces of users."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field

from satchel.domain.apps import AppPage
from satchel.domain.conversation import CallMethod, ToolSpec
from satchel.domain.ids import SessionId, UserName
from satchel.domain.inputs import InputAnswer
from satchel.domain.resources import OfferMethod, Offers


class ProgressUpdate(BaseModel):
    """The progress of a tool call, as reported by the tool."""

    progress: float
    total: float | None = None
    message: str | None = None


class LogMessage(BaseModel):
    """A log message of the tool."""

    level: str
    message: str


class FileTransfer(NamedTuple):
    """The files that a call may move outside of MCP messages (SEP-2631).

    ``inputs`` are the names of the input files by their paths in the arguments ``uploads``. Files of the result are
    stored in ``workspace``, with at most ``max_bytes`` each. ``received`` are their paths, which the caller deletes.
    """

    uploads: frozenset[str]
    inputs: Mapping[str, str]
    open_input: Callable[[str], AbstractContextManager[IO[bytes]]]
    workspace: Path
    max_bytes: int
    received: list[Path]


class AppRequest(NamedTuple):
    """A call whose result an app gets: the app at ``uri``, which the server then returns, or one that made the call."""

    uri: str | None = None


class AppAnswer(BaseModel):
    """The part of a call that an app gets: the result as the server sent it, and the app's page if it was requested.

    ``problem`` says why there is no page.
    """

    result: dict[str, Any]
    page: AppPage | None = None
    problem: str | None = None


class ToolResult(BaseModel):
    """Raw JSON-RPC result of ``tools/call``, with every key that the server sent.

    ``tools_changed`` is True if the server announced a changed tool list since the previous result. ``app`` is set if
    an app gets the result.
    """

    raw: dict[str, Any]
    tools_changed: bool = False
    app: AppAnswer | None = None


class BlockedAccess(BaseModel):
    """The sandbox blocked an access of the tool to this path. The tool may have continued without access.

    ``operation`` is None if the sandbox cannot know whether the tool tried to read or to write.
    """

    path: str
    operation: Literal["read", "write"] | None = None


class OutsideChange(BaseModel):
    """This path outside the workspace changed while an unprotected tool ran. Another program may have changed it."""

    path: str


class CallFailure(BaseModel):
    """The call ended without a result: the server no longer runs (``crashed``), or it rejected the call.

    ``exceeded_limit`` is the size limit, in bytes, that the answer exceeded, if any.
    """

    crashed: bool
    message: str
    exceeded_limit: int | None = None


class TaskRunning(BaseModel):
    """The call ended, because the server works on it as a task, which later calls poll.

    ``poll_seconds`` is the time after which the server wants to be polled.
    """

    task_id: str
    poll_seconds: float = 0.0


class InputRequired(BaseModel):
    """The call ended, because the server needs answers of the user before it continues.

    ``requests`` are MCP's ``inputRequests`` by the server's names. ``state`` goes back to the server with the answers.
    ``task`` is the task that asks, if the server works on one.
    """

    requests: dict[str, Any]
    state: str | None = Field(default=None, repr=False)
    task: TaskRunning | None = None


class CannotAsk(BaseModel):
    """The call ended when the tool wanted to ask the user, because only older revisions of MCP let it ask then.

    ``message`` is the server's error.
    """

    message: str


class AskedQuestion(BaseModel):
    """The server asks the user, and the call waits (``elicitation/create`` of servers before MCP 2026-07-28).

    ``request`` are the parameters of MCP. The consumer must call ``RunningCall.reply`` with this ``id``.
    """

    id: int
    request: dict[str, Any]


class ClosedQuestion(BaseModel):
    """The server no longer waits for the answer to a question: it gave up or, if ``completed``, has what it needs."""

    id: int
    completed: bool = False


class QuestionRefused(NamedTuple):
    """The reply that a question is not shown to the user, with the reason for the server."""

    reason: str


class Answers(NamedTuple):
    """The answers to the questions with which a call ended before (MCP's ``inputResponses``), and the state."""

    responses: dict[str, dict[str, Any]]
    state: str | None


CallOutcome = ToolResult | InputRequired | TaskRunning | CannotAsk | CallFailure
"""The last event of a call."""

ToolEvent = ProgressUpdate | LogMessage | BlockedAccess | OutsideChange | AskedQuestion | ClosedQuestion | CallOutcome


class ServerSession(BaseModel):
    """The MCP session of a conversation with a remote server. ``handshake`` is the server's answer to it, as JSON."""

    session_id: str
    handshake: str


class ServerSessions(Protocol):
    """Stores the MCP session that a chat session has with a remote server, so that all its calls use the same one."""

    def get(self) -> ServerSession | None:
        """Return the stored MCP session, or None."""
        ...

    def replace(self, new: ServerSession, old: ServerSession | None) -> ServerSession:
        """Store ``new`` if ``old`` (None: nothing) is stored. Return what is stored then: another call may be first."""
        ...


class RunningCall(Protocol):
    """A tool call that is running."""

    def receive(self, timeout: float) -> ToolEvent | None:
        """Return the next event, such as progress or the result, or None if none comes within ``timeout`` seconds."""
        ...

    def reply(self, question: int, answer: InputAnswer | QuestionRefused) -> None:
        """Send the answer to a question with this id. Do nothing if the server no longer waits for it."""
        ...

    def kill(self) -> None:
        """Kill the MCP server that runs the call, and all its descendant processes. Return after they are dead."""
        ...


class ToolClient(Protocol):
    """Client of the MCP server whose tools this runner executes. A server process runs one call at a time."""

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
    ) -> AbstractContextManager[RunningCall]:
        """Start a call on an idle server process or a new one. Raise ToolCrashed if the server cannot be started.

        ``workspace`` is the user's directory, or None if the tool uses no files. ``state`` is the directory in which
        the server keeps the user's data, if it does. ``input_schema`` says which arguments a remote server also expects
        as HTTP headers. ``sessions`` stores the MCP session with a remote server.
        ``answers`` continue a call that ended with InputRequired. ``app`` requests what an app gets of the call.
        ``files`` are the files that may move outside of MCP messages.
        ``as_task`` asks a server of MCP 2025-11-25 for a task. ``task_id`` polls the task of an earlier call instead of
        calling the tool. ``is_legacy`` says that the server speaks the older MCP handshake.
        With ``can_ask``, the caller replies to questions of the running tool; otherwise, they are refused.
        """
        ...

    def cancel_task(self, task_id: str, session: ServerSession | None) -> None:
        """Let a remote server cancel a task, in this MCP session. Log failures: the task may have ended."""
        ...

    def list_tools(self) -> Sequence[ToolSpec]:
        """Return the tools of the server. Raise ToolCrashed if the server does not start or answer."""
        ...

    def list_all(self) -> tuple[Sequence[ToolSpec], Offers]:
        """Return the tools of the server, and its resources and prompts. Raise ToolCrashed like ``list_tools``."""
        ...

    def close(self) -> None:
        """End all processes of the MCP server and their descendants."""
        ...


class Workspaces(Protocol):
    """Manages the users' working directories ``/tmp/{username}/``. One call at a time uses a directory."""

    def hold(self, user: UserName, session_id: SessionId) -> AbstractContextManager[Path]:
        """Wait until the user's directory is free, and yield it. It is empty unless the same session used it last."""
        ...
