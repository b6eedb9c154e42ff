"""Running a tool over MCP, seen from inside a runner."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec


class Progress(BaseModel):
    """The tool says how far it is."""

    kind: Literal["progress"] = "progress"
    progress: float
    total: float | None = None
    message: str | None = None


class Log(BaseModel):
    """The tool says something."""

    kind: Literal["log"] = "log"
    level: str
    message: str


class Answered(BaseModel):
    """The raw JSON-RPC result of ``tools/call``, with every key that the server sent.

    ``tools_changed``: since the answer before, the server said that its list of tools is another now.
    """

    kind: Literal["answered"] = "answered"
    raw: dict[str, Any]
    tools_changed: bool = False


class Refused(BaseModel):
    """The tool tried to reach a file that is not its to reach; it was stopped, and may have gone on without."""

    kind: Literal["refused"] = "refused"
    path: str


class Strayed(BaseModel):
    """Something outside changed while the tool ran. Nothing stopped it, and another program may have done it."""

    kind: Literal["strayed"] = "strayed"
    path: str


class Failed(BaseModel):
    """No result will come. ``crashed``: the server is gone; otherwise it refused the call.

    ``too_long``: it was ended because its answer went over this many bytes.
    """

    kind: Literal["failed"] = "failed"
    crashed: bool
    message: str
    too_long: int | None = None


Signal = Progress | Log | Refused | Strayed | Answered | Failed


class RunningCall(Protocol):
    """A call that is under way."""

    def receive(self, timeout: float) -> Signal | None:
        """Wait up to ``timeout`` seconds for the next sign of life; None if there is none."""
        ...

    def kill(self) -> None:
        """End the server with everything it started; returns when it is dead."""
        ...


class ToolClient(Protocol):
    """The server of this runner. A server process runs one call at a time."""

    def call(
        self, tool: str, arguments: dict[str, Any], home: Path | None, *, writes: bool
    ) -> AbstractContextManager[RunningCall]:
        """Start a call on a warm server, or on a new one.

        ``home`` is the person's directory, None for a tool that touches no files.
        Raises ToolCrashed when the server cannot be started.
        """
        ...

    def list_tools(self) -> Sequence[ToolSpec]:
        """Ask the server which tools it has. Raises ToolCrashed when it cannot be started."""
        ...

    def close(self) -> None:
        """End all servers and everything they started."""
        ...


class UserArea(Protocol):
    """``/tmp/{username}/``: one person's corner, in the hands of one call at a time."""

    def hold(self, user: str, session_id: str) -> AbstractContextManager[Path]:
        """Wait for the corner, make it (or clear it when another session left it) and return it."""
        ...
