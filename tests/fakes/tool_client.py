"""An MCP server that follows a script on the fake clock."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from satchel.contract.errors import ToolCrashed
from satchel.domain.conversation import CallMethod, ToolSpec
from satchel.domain.inputs import InputAnswer
from satchel.domain.resources import OfferMethod, Offers
from satchel.ports.tool_client import (
    Answers,
    AppRequest,
    CallFailure,
    FileTransfer,
    QuestionRefused,
    ServerSession,
    ServerSessions,
    ToolEvent,
)
from tests.fakes.system import FakeClock

Script = Sequence[tuple[float, ToolEvent]]
"""The server's messages, each with its time in seconds after the start of the call."""

_REAL_SECONDS = 20


class FakeRunningCall:
    """Implements ``ports.tool_client.RunningCall``. Waiting advances the clock. After the script, no events come."""

    def __init__(self, clock: FakeClock, script: Script) -> None:
        self._clock = clock
        started = clock.monotonic()
        self._script = [(started + at, event) for at, event in script]
        self.killed_at: float | None = None
        self.replies: list[tuple[int, InputAnswer | QuestionRefused]] = []
        self.on_reply: Script = []

    def reply(self, question: int, answer: InputAnswer | QuestionRefused) -> None:
        """Record the answer. The tool then continues with the script ``on_reply``."""
        self.replies.append((question, answer))
        self._script += [(self._clock.monotonic() + at, event) for at, event in self.on_reply]
        self.on_reply = []

    def receive(self, timeout: float) -> ToolEvent | None:
        if self.killed_at is not None:
            return CallFailure(crashed=True, message="The call was ended")
        now = self._clock.monotonic()
        if self._script and self._script[0][0] <= now + timeout:
            at, event = self._script.pop(0)
            if at > now:
                self._clock.advance(at - now)
            return event
        self._clock.advance(timeout)
        return None

    def kill(self) -> None:
        self.killed_at = self._clock.monotonic()


class StuckCall(FakeRunningCall):
    """A call without messages until another thread kills it. The clock does not advance."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock, [])
        self._killed = threading.Event()

    def receive(self, timeout: float) -> ToolEvent | None:
        assert self._killed.wait(_REAL_SECONDS), "the call was not killed"
        return super().receive(timeout)

    def kill(self) -> None:
        super().kill()
        self._killed.set()


class StartedCall(NamedTuple):
    """The parameters of a call."""

    tool: str
    arguments: dict[str, Any]
    workspace: Path | None
    writes: bool
    state: Path | None = None
    answers: Answers | None = None
    as_task: bool = False
    task_id: str | None = None
    app: AppRequest | None = None


class FakeToolClient:
    """Implements ``ports.tool_client.ToolClient``. ``side_effect`` runs on the workspace at the start of each call.

    Without a script, calls run until they are killed. With ``fails_to_start``, the server does not start.
    """

    def __init__(self, clock: FakeClock, script: Script | None = None) -> None:
        self._clock = clock
        self.script = script
        self.fails_to_start = False
        self.side_effect: Callable[[Path], None] = lambda _workspace: None
        self.started: list[StartedCall] = []
        self.running: list[FakeRunningCall] = []
        self.open = 0

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
    ) -> Iterator[FakeRunningCall]:
        del can_ask, method, input_schema, sessions, is_legacy, files
        if self.fails_to_start:
            raise ToolCrashed("The server did not start")
        self.started.append(StartedCall(tool, arguments, workspace, writes, state, answers, as_task, task_id, app))
        self.running.append(
            StuckCall(self._clock) if self.script is None else FakeRunningCall(self._clock, self.script)
        )
        if workspace is not None:
            self.side_effect(workspace)
        self.open += 1
        try:
            yield self.running[-1]
        finally:
            self.open -= 1

    def cancel_task(self, task_id: str, session: ServerSession | None) -> None:
        """Do nothing."""

    def list_tools(self) -> Sequence[ToolSpec]:
        return []

    def list_all(self) -> tuple[Sequence[ToolSpec], Offers]:
        return [], Offers()

    def close(self) -> None:
        """Do nothing."""
