"""Ports for runners, which execute tools: orders for tool calls, file operations, tool lists, argument checks."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from satchel.domain.arguments import FileForm
from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import CallMethod
from satchel.domain.ids import CallId, SessionId, TurnId, UserName
from satchel.domain.resources import OfferAnswer, OfferRequest
from satchel.domain.timing import Limits
from satchel.domain.tools import StoredToolList, ToolListing
from satchel.ports.tool_client import ServerSession


class Conversation(NamedTuple):
    """A chat session's conversation with a remote server, which keeps one MCP session for all calls of the session."""

    session_id: SessionId
    server: str


class ScopedCredentials(BaseModel):
    """AWS credentials of one tool call. They can write only the call's S3 objects and the call's own DynamoDB items."""

    model_config = ConfigDict(hide_input_in_errors=True)

    access_key_id: str
    secret_access_key: str
    session_token: str


class InputFile(BaseModel):
    """An input file that the tool reads from ``/tmp/{username}/input_files/{name}``. ``url`` is a presigned GET."""

    name: str
    url: str
    size: int
    etag: str


class CallOrder(BaseModel):
    """The data that a runner needs for a tool call. It contains secrets, so it must not be logged.

    ``input_schema`` is set only if the server expects some arguments as HTTP headers, too. In the arguments named in
    ``embedded``, the runner replaces the paths of input files with their content, or with addresses of the server. With
    ``transfers_files``, it moves files outside of MCP messages. ``responses`` and ``request_state``
    continue a call that has asked the user ``input_round`` times. ``task_id`` is the task to poll for the time number
    ``polls``; the call has taken ``earlier_ms`` so far. ``as_task`` asks an older server for a task. ``is_legacy``: the
    server speaks the older MCP handshake. ``asks_while_running``: only with that handshake can the tool ask the user. A
    call that ``may_repeat`` has no further effect if it is repeated. ``app_uri`` is the app that shows the result,
    titled ``app_title``. If ``from_app``, an app made the call. The sender waits for the end of the call until
    ``waits_until``.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    action: Literal["call"] = "call"
    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    tool: str
    method: CallMethod = "tools/call"
    arguments: dict[str, Any]
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    inputs: list[InputFile] = []
    embedded: dict[str, FileForm] = {}
    transfers_files: bool = False
    writes: bool
    collect: bool = True
    task_token: str
    credentials: ScopedCredentials
    limits: Limits
    waits_until: datetime | None = None
    input_round: int = 0
    responses: dict[str, dict[str, Any]] = {}
    request_state: str | None = None
    is_legacy: bool = False
    asks_while_running: bool = False
    may_repeat: bool = False
    as_task: bool = False
    task_id: str | None = None
    polls: int = 0
    earlier_ms: int = 0
    app_uri: str | None = None
    app_title: str | None = None
    from_app: bool = False

    @property
    def run(self) -> int:
        """Return the number of this run of the call. It grows with each run."""
        return self.input_round + self.polls


class RunnerAnswer(BaseModel):
    """The answer of a runner when a call has ended. It is untrusted, like the report that the runner has stored.

    ``report`` is None if the answer has no valid one. ``has_events``: the runner has reported events of the call.
    """

    report: RunnerReport | None = None
    has_events: bool = True


class Runners(Protocol):
    """Sends calls to runners. Each runner (a Lambda function or process) executes the tools of one MCP server."""

    def run(self, server: str, order: CallOrder) -> RunnerAnswer | None:
        """Send a call to the runner of a server, and wait for its end until some time after ``order.waits_until``.

        Return None if the runner completes the call's task. Raise TimeoutError if no answer has arrived: the runner has
        stored its report if the call ended before ``order.waits_until``, and completes the task if it ends later. Raise
        ToolCrashed if the runner has ended before the call.
        """
        ...

    def end_session(self, server: str, user: UserName, session: ServerSession) -> None:
        """Let the runner of a remote server end an MCP session, without waiting for it."""
        ...

    def cancel_task(self, server: str, user: UserName, task_id: str, session: ServerSession | None) -> None:
        """Let the runner of a remote server cancel a task in this MCP session, without waiting for it."""
        ...

    def list_tools(self, server: str) -> ToolListing:
        """Return what the runner reports about a server. Raise Unavailable with its message if it cannot start."""
        ...

    def read_offer(self, server: str, user: UserName, request: OfferRequest) -> OfferAnswer:
        """Return a prompt, a resource or values of an argument. Raise Unavailable if the server does not answer."""
        ...


class OfferReader(Protocol):
    """Lets a function that may invoke runners request a prompt or a resource, for functions that may not."""

    def __call__(self, server: str, user: UserName, request: OfferRequest) -> OfferAnswer:
        """Return the server's answer. Raise Unavailable if it does not answer in time."""
        ...


class CredentialSource(Protocol):
    """Creates the AWS credentials of a tool call."""

    def for_call(
        self,
        call_id: CallId,
        objects_prefixes: Sequence[str],
        outcome_key: str,
        conversation: Conversation | None = None,
    ) -> ScopedCredentials:
        """Return credentials for S3 objects with these prefixes, object ``outcome_key``, and the call's own items.

        With ``conversation``, the credentials also store the MCP session of that conversation.
        """
        ...


class InputFetcher(Protocol):
    """Downloads the input files of a call into the user's workspace."""

    def __call__(self, inputs: Sequence[InputFile], workspace: Path) -> None:
        """Save each file as ``{workspace}/input_files/{name}``. Errors (OSError, ToolError) name the file."""
        ...


class ArtifactOpener(Protocol):
    """Opens files that a tool reports as artifacts."""

    def __call__(self, path: str, workspace: Path, max_bytes: int) -> AbstractContextManager[IO[bytes]]:
        """Open a regular file of at most ``max_bytes`` inside ``workspace``.

        Raise InvalidPath (outside the workspace, or a symbolic link), FileTooLarge, or InvalidArtifact (missing file).
        """
        ...


class FileState(BaseModel):
    """The state of a file, to detect new and changed files."""

    size: int
    changed: int
    inode: int


class FileLister(Protocol):
    """Lists the files in a workspace."""

    def __call__(self, workspace: Path) -> Mapping[str, FileState]:
        """Return the state of each regular file by its path in the workspace. Omit hidden folders."""
        ...


class ToolLists(Protocol):
    """Stores the tool lists of MCP servers by server name and configuration hash."""

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        """Return the tool list of a server with this configuration, or None."""
        ...

    def get_many(self, config_hashes: Mapping[str, str], version: int | None = None) -> Mapping[str, StoredToolList]:
        """Return the stored lists of servers, by server. The argument has the configuration hash of each server.

        ``version`` is a number that the caller has just read and that changes with every list. If this process has the
        lists of this version, it sends no request.
        """
        ...

    def save(self, server: str, config_hash: str, tool_list: StoredToolList) -> None:
        """Save a tool list."""
        ...


class SchemaChecker(Protocol):
    """Validates the arguments and the structured results of tool calls against the tool's JSON Schemas."""

    def find_problems(self, schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
        """Return one message for each field that violates the schema, with the name of the field."""
        ...
