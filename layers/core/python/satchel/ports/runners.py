"""Where tools run: what a runner is sent, and what runs the protocol inside it.

Checking arguments against a tool's schema.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import CallId, SessionId, TurnId, UserName
from satchel.domain.timing import Limits
from satchel.domain.tools import StoredToolList


class ScopedCredentials(BaseModel):
    """Keys that can write this call's objects and this turn's items, and nothing else."""

    model_config = ConfigDict(hide_input_in_errors=True)

    access_key_id: str
    secret_access_key: str
    session_token: str


class InputFile(BaseModel):
    """A file that the tool reads from ``/tmp/{username}/input_files/{name}``; ``url`` is a presigned GET."""

    name: str
    url: str
    size: int
    etag: str


class CallOrder(BaseModel):
    """All that a runner needs for one call. It holds secrets: never logged."""

    model_config = ConfigDict(hide_input_in_errors=True)

    action: Literal["call"] = "call"
    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    tool: str
    arguments: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    inputs: list[InputFile] = []
    writes: bool
    collect: bool = True
    task_token: str
    credentials: ScopedCredentials
    outcome_key: str
    limits: Limits


class Runners(Protocol):
    """The runners, seen from Dispatch."""

    def start(self, server: str, order: CallOrder) -> None:
        """Send a call to the runner of its server and return at once."""
        ...

    def list_tools(self, server: str) -> Sequence[ToolSpec]:
        """Ask a server which tools it has, and wait. Raises Unavailable with what it said when it cannot start."""
        ...


class CredentialSource(Protocol):
    """Makes the credentials of one call."""

    def for_call(self, turn_id: TurnId, objects_prefixes: Sequence[str], outcome_key: str) -> ScopedCredentials:
        """Return credentials for objects whose keys begin so, for the outcome, and for the items of this turn."""
        ...


class InputFetcher(Protocol):
    """Brings the inputs of a call to the person's directory."""

    def __call__(self, inputs: Sequence[InputFile], workspace: Path) -> None:
        """Put each file at ``{workspace}/input_files/{name}``. Raises OSError or ToolError naming the file that failed."""
        ...


class ArtifactOpener(Protocol):
    """Opens what a tool says it wrote."""

    def __call__(self, path: str, workspace: Path, max_bytes: int) -> AbstractContextManager[IO[bytes]]:
        """Open a regular file inside ``workspace`` of at most ``max_bytes``.

        Raises ToolError: InvalidPath outside the directory or through a link, FileTooLarge, InvalidArtifact if absent.
        """
        ...


class FileState(BaseModel):
    """Enough of a file to tell whether it was made or changed since."""

    size: int
    changed: int
    inode: int


class FileLister(Protocol):
    """Lists what lies in a person's directory."""

    def __call__(self, workspace: Path) -> Mapping[str, FileState]:
        """Return the state of each regular file by its path below ``workspace``; inputs and dot folders apart."""
        ...


class ToolLists(Protocol):
    """Which tools a server has, by server and configuration hash."""

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        """Return what is known; None where the server was never asked with this configuration."""
        ...

    def save(self, server: str, config_hash: str, tool_list: StoredToolList) -> None:
        """Keep what is known."""
        ...


class ArgumentChecker(Protocol):
    """Knows JSON Schema."""

    def find_problems(self, schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
        """Return what does not fit, each naming its field; empty when all fits."""
        ...
