"""The reads and writes of a turn's steps: one batch read and one transaction each, so that steps wait little.

A transaction contains everything that a step stores: state, events, messages, tokens, audit. So a step that runs twice
finds either all of it or nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, Protocol

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Approval, Call, CallResult, RunnerReport
from satchel.domain.conversation import AssistantMessage, TokenUsage, ToolMessage
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, UserName
from satchel.domain.inputs import CallInput
from satchel.domain.sessions import Session, Turn
from satchel.domain.steps import CallStep, TurnStep
from satchel.domain.tasks import CallTask
from satchel.domain.users import Erasure
from satchel.ports.calls import CallIds, RelayPosition, ReportedPage


@dataclass(frozen=True)
class StartRecords:
    """The records for the start of a turn. ``erasure`` is the latest erasure of all data of the user."""

    session: Session | None
    erasure: Erasure | None


@dataclass(frozen=True)
class RoundRecords:
    """The records for a round of the state Think. ``reply`` is the round's reply, if an earlier try stored it.

    ``tool_use`` is how often the user has called each tool, by full name.
    """

    turn: Turn | None
    session: Session | None
    reply: AssistantMessage | None
    tools_version: int
    tool_use: Mapping[str, int]


@dataclass(frozen=True)
class Round:
    """A round to store. ``event`` is the last piece of the reply's text that is not published yet, if any."""

    number: int
    reply: AssistantMessage
    calls: Sequence[Call]
    usage: TokenUsage
    event: NewEvent | None


@dataclass(frozen=True)
class CallRecords:
    """The records for the dispatch of a call."""

    turn: Turn | None
    call: Call | None
    approval: Approval | None
    questions: CallInput | None
    task: CallTask | None
    tools_version: int


class CallStart(Enum):
    """The reason why a call has started or not."""

    STARTED = auto()
    STARTED_BEFORE = auto()
    TOO_MANY_CALLS = auto()
    TURN_ENDED = auto()


class StartedCall(NamedTuple):
    """The outcome of ``Steps.start_call``, with the slot of running calls that the call takes, if any."""

    outcome: CallStart
    slot: int | None = None


@dataclass(frozen=True)
class EndedCallRecords:
    """The records for the end of a call: the call, its runner's report, and what the call asked.

    ``position``: how far the events that the runner reported are relayed.
    """

    call: Call | None
    report: RunnerReport | None
    position: RelayPosition
    questions: CallInput | None


@dataclass(frozen=True)
class EndedCall:
    """A call with its result, to store. ``relayed`` are the readable events of ``page``, the last ones of the runner.

    ``stops_runner`` tells a runner that is still running the tool to stop it. The answers to ``questions`` of the call
    are removed.
    """

    call: Call
    result: CallResult
    message: ToolMessage
    audit: AuditEntry
    events: Sequence[NewEvent]
    relayed: Sequence[NewEvent]
    page: ReportedPage | None
    stops_runner: bool
    questions: CallInput | None = None


class CallEnd(Enum):
    """The outcome of ``Steps.end_call``.

    ``ENDED_IN_AUDIT``: the end of the turn has written the call's audit entry, so the call was counted then.
    ``RELAY_MOVED``: another process has relayed events meanwhile, so the caller must read them again.
    """

    ENDED = auto()
    ENDED_IN_AUDIT = auto()
    ENDED_BEFORE = auto()
    RELAY_MOVED = auto()


class Steps(Protocol):
    """Reads what a step needs, and stores what it did."""

    def read_start(self, user: UserName, session_id: SessionId) -> StartRecords:
        """Return the records for the start of a turn."""
        ...

    def read_round(self, step: TurnStep) -> RoundRecords:
        """Return the records for a round of the state Think."""
        ...

    def save_round(self, turn: Turn, done: Round) -> AssistantMessage | None:
        """Store a round unless it is stored, and return the stored reply. Return None if the turn has ended.

        The tokens are added to the turn; the end of the turn adds them to the session.
        """
        ...

    def save_answer(self, turn: Turn, done: Round, ended: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        """Store the last round of a turn and end the turn, in one transaction. ``event`` is the turn's last event.

        ``tool_use`` is the number of its calls of each tool, which is added to the counts of the user.
        Return False, and store nothing, if the round is stored, or if the turn has ended or other tokens than ``turn``.
        """
        ...

    def read_call(self, step: CallStep) -> CallRecords:
        """Return the records for the dispatch of a call."""
        ...

    def start_call(self, call: Call, event: NewEvent, max_running: int | None) -> StartedCall:
        """Store what is sent to the tool, count the call as running, and add its first event.

        Store nothing if the call has started before, or if the user runs ``max_running`` calls. None: not counted.
        """
        ...

    def read_ended_call(self, call: CallIds) -> EndedCallRecords:
        """Return the records for the end of a call."""
        ...

    def end_call(self, ended: EndedCall) -> CallEnd:
        """Store a call's result, its message for the model, its events and its audit entry, and stop counting it.

        If the turn's last event is stored, store everything but the events.
        """
        ...

    def read_end(self, step: TurnStep) -> tuple[Turn | None, AssistantMessage | None]:
        """Return the turn, and the model's reply in the latest round, if there is one."""
        ...
