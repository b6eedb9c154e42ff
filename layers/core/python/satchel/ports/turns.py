"""TODO.

The events of a turn.

Calls that wait for a person's word.

The state machine of a turn, and the callback of a waiting task.
"""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.calls import Approval, Call, Decision
from satchel.domain.conversation import AssistantMessage, Message, TokenUsage, ToolMessage
from satchel.domain.events import Event, NewEvent
from satchel.domain.ids import CallId, SessionId, TurnId, UserName
from satchel.domain.sessions import Turn
from satchel.ports import Page


class Turns(Protocol):
    """Turns of a session."""

    def begin(self, turn: Turn, idempotency_key: str | None) -> Turn:
        """Write a turn, its message and the session's lock in one transaction, and return it.

        The same idempotency key again returns the turn of the first time. Raises TurnRunning, SessionEnded,
        SessionNotFound, IdempotencyKeyReused.
        """
        ...

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        """Return a turn."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[Turn]:
        """Return turns, oldest first."""
        ...

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        """Add to what models took for a turn, and for its session: once for every question, whatever became of it."""
        ...

    def end(self, turn: Turn) -> bool:
        """Write how a turn ended and free its session, in one transaction; False when it had ended before."""
        ...


class Transcript(Protocol):
    """What was said in a session, in a model's terms."""

    def list_messages(self, session_id: SessionId) -> Sequence[Message]:
        """Return all messages of a session in order."""
        ...

    def get_reply(self, session_id: SessionId, turn_id: TurnId, round_number: int) -> AssistantMessage | None:
        """Return what the model said in a round, if it did."""
        ...

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        """Keep what the model said in a round; the first one stands and is returned."""
        ...

    def add_result(self, call: Call, message: ToolMessage) -> None:
        """Keep what a call came to; writing it again changes nothing that a model was shown."""
        ...


class Events(Protocol):
    """Written in order, read after a cursor: never a gap, never twice."""

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write one event and return it; None when its ``once`` or the turn's last one was written before.

        Raises Unavailable.
        """
        ...

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` events whose seq is greater, in order."""
        ...


class Approvals(Protocol):
    """One for a call at most."""

    def request(self, approval: Approval) -> Approval:
        """Write that a call waits, and return what stands then: a decision that was made before is kept."""
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        """Return what was asked and said; None for a call that nobody was asked about."""
        ...

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        """Write the decision and return what stands then: the first one. None where nobody was asked."""
        ...


class Workflow(Protocol):
    """Starts, stops and asks after the execution of a turn; its name is the turn's id."""

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        """Start the execution; starting the same turn again does nothing."""
        ...

    def stop(self, turn_id: TurnId, cause: str) -> None:
        """End the execution if it runs."""
        ...

    def is_running(self, turn_id: TurnId) -> bool:
        """Tell whether the execution has not ended."""
        ...


class TaskGone(Exception):
    """Nobody waits for this task any more."""


class TaskCallback(Protocol):
    """The task that waits for a call."""

    def heartbeat(self, token: str) -> None:
        """Say that the call is alive. Raises TaskGone when nobody waits for it."""
        ...

    def succeed(self, token: str) -> None:
        """Say that the outcome is stored. A late word is harmless and silent."""
        ...
