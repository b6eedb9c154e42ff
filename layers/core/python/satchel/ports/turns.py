"""Turns: their records, transcript, events and approvals, and the state machine that runs them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from satchel.domain.calls import Approval, Decision
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.events import Event, NewEvent
from satchel.domain.ids import CallId, SessionId, TurnId, UserName
from satchel.domain.inputs import CallInput, InputAnswer
from satchel.domain.sessions import Rating, Session, Turn
from satchel.domain.steps import NextStep
from satchel.domain.turn_messages import TurnMessages
from satchel.ports import Page

MAX_COUNT = 1 << 31
"""A limit that is never reached."""


class Turns(Protocol):
    """Stores turns. A turn is one user message and its answer."""

    def begin(
        self,
        turn: Turn,
        idempotency_key: str | None,
        max_per_minute: int = MAX_COUNT,
        *,
        message: UserMessage | None = None,
    ) -> Turn:
        """Write a turn, its message (default: the text) and the session's lock in one transaction.

        Return the turn. A repeated idempotency key returns the existing turn, which is not counted again. Raise
        TurnRunning, SessionEnded, SessionNotFound, IdempotencyKeyReused, or TooManyTurns if the user started
        ``max_per_minute`` turns in the same minute of the clock.
        """
        ...

    def begin_for_app(self, turn: Turn, max_per_minute: int) -> None:
        """Write a turn that an app starts. The session may run others at the same time, and does not list it.

        Raise SessionEnded, SessionNotFound, or TooManyTurns if apps of the user started ``max_per_minute`` turns in the
        same minute of the clock.
        """
        ...

    def add_imported(self, session: Session, turns: Sequence[Turn]) -> None:
        """Write ended turns of a new session, with the messages that a model reads and the last event of each.

        A repetition writes the same. Raise ErasureRunning.
        """
        ...

    def mark_seen(self, session_id: SessionId, turn_id: TurnId, now: datetime) -> None:
        """Store that the first round of a turn runs at this time. Do nothing if there is no such turn."""
        ...

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        """Return a turn, or None."""
        ...

    def get_many(self, keys: Sequence[tuple[SessionId, TurnId]]) -> Sequence[Turn]:
        """Read turns at once. Return those that exist, unordered."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None, *, newest_first: bool = False) -> Page[Turn]:
        """Return a page of the session's turns, oldest first unless ``newest_first``."""
        ...

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        """Add the tokens of a model request whose reply is not stored to the turn.

        The end of the turn adds its tokens to the session. If the turn has ended, add them to both.
        """
        ...

    def rate(self, session_id: SessionId, turn_id: TurnId, rating: Rating | None) -> bool:
        """Store the user's rating of an answer; None removes it. Return False if there is no such turn."""
        ...

    def end(self, turn: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        """Save the ended turn, add its last event and its tokens, and unlock its session, in one transaction.

        ``tool_use`` is the number of its calls of each tool, which is added to the counts of the user.
        Return False if the turn has ended before, or if it has other tokens now.
        """
        ...


class Transcript(Protocol):
    """Reads the conversation of a session as messages for a model."""

    def list_turns(self, session_id: SessionId, last: TurnId | None = None) -> Sequence[TurnMessages]:
        """Return the turns of the branch that ends with the turn ``last``, or of all branches (None), in order."""
        ...


class Events(Protocol):
    """Stores the events of turns, numbered without gaps from 2. The first event is not stored (``first_event``)."""

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write an event and return it. Raise Unavailable if concurrent writes conflict too often.

        Write nothing and return None if the event's ``dedupe_key`` is already stored or the turn's last event exists.
        """
        ...

    def append_next(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        """Write an event right behind the last one that this process knows, and return it. Raise Unavailable.

        Write nothing and return None if there is an event behind that one. The event has no ``dedupe_key``.
        """
        ...

    def read_last_number(self, turn_id: TurnId) -> None:
        """Prepare the next ``append``, which then needs no read. May run side by side with other reads."""
        ...

    def expect_first(self, turn_id: TurnId) -> None:
        """Prepare the next ``append`` without a read: the turn has probably only its first event."""
        ...

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        """Return up to ``limit`` of the turn's events whose number is greater than ``seq``, in order."""
        ...


class Approvals(Protocol):
    """Stores the users' approvals of tool calls, at most one for each call."""

    def request(self, approval: Approval) -> Approval:
        """Save that a call waits for approval, unless the user has already decided. Return the stored approval."""
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        """Return the approval of a call, or None if none was requested."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[Approval]:
        """Return the approvals of all calls of a turn that needed one."""
        ...

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        """Save the first decision, and return the stored approval. Return None if no approval was requested."""
        ...


class Inputs(Protocol):
    """Stores the questions of tools to users: for each call, its latest questions and the answers so far."""

    def ask(self, questions: CallInput) -> CallInput:
        """Save questions of a call, and return what is stored.

        If the call's earlier questions wait for answers, or if these are stored, save only the new ``task_token``.
        """
        ...

    def get(self, turn_id: TurnId, call_id: CallId) -> CallInput | None:
        """Return the latest questions of a call, or None if it has not asked."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[CallInput]:
        """Return the latest questions of each call of a turn that has asked."""
        ...

    def answer(self, questions: CallInput, index: int, answer: InputAnswer) -> CallInput | None:
        """Save the first answer to the question at ``index``, and return what is stored.

        Return None if the call has asked other questions since.
        """
        ...

    def take(self, questions: CallInput) -> None:
        """Save that the answers are sent to the tool. From now on, the call can ask again."""
        ...


class TurnStarter(Protocol):
    """Starts turns: their first round runs before they have an execution."""

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        """Request the first round of a turn, and return at once.

        Repeat the request if its response was lost: of two first rounds of a turn, only the first that stores something
        has an effect.
        """
        ...


class Workflow(Protocol):
    """Starts and stops state machine executions. Each execution continues one turn and is named after the turn's id.

    Most turns end in their first round, so they have no execution.
    """

    def continue_after(self, step: NextStep) -> None:
        """Start the execution of a turn with the calls of ``step``, unless it was started before.

        If the step has no calls, the execution requests the model's reply of the round ``step.round``.
        """
        ...

    def stop(self, turn_id: TurnId, cause: str) -> None:
        """Stop the execution of a turn if it is running."""
        ...

    def is_running(self, turn_id: TurnId) -> bool | None:
        """Return True if the execution of a turn has not ended, False if it has, or None if there is none."""
        ...


class TaskGone(Exception):
    """The state machine no longer waits for the task that runs a tool call."""


class TaskCallback(Protocol):
    """Reports on a tool call to the state machine task that waits for the call."""

    def heartbeat(self, token: str) -> None:
        """Report that the call is running. Raise TaskGone if the task no longer waits."""
        ...

    def succeed(self, token: str) -> None:
        """Report that the call's outcome is stored. The report is ignored if the task no longer waits."""
        ...

    def fail(self, token: str, error: str) -> None:
        """End the task with the name of an error, for which the state machine has a next state. Ignored like above."""
        ...
