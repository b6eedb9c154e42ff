"""Storage of tool calls and of the audit trail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from satchel.domain.audit import AuditEntry
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId, SessionId, TurnId, UserName
from satchel.domain.inputs import CallInput, InputAnswer
from satchel.domain.tasks import CallTask
from satchel.ports import Page


class CallClaims(Protocol):
    """Stores which runner executes a tool call, whether it shall stop, and the answers for which its tool waits."""

    def claim(self, call_id: CallId, runner: str, run: int = 0) -> bool:
        """Claim a call for a runner. Return False if another runner has claimed it.

        A call that asked the user, or that a task works on, is claimed again in each ``run``.
        """
        ...

    def is_stopped(self, call_id: CallId) -> bool:
        """Return True if nothing waits for the call's result any more. Raise Unavailable if the read fails."""
        ...

    def read_answer(self, call_id: CallId, input_id: str) -> InputAnswer | None:
        """Return the user's answer to a question of the running tool, or None. Raise Unavailable if the read fails."""
        ...


class CallIds(Protocol):
    """Anything that names a call: the call itself, a step of it, or the order for its runner."""

    user: UserName
    turn_id: TurnId
    call_id: CallId


class Reports(Protocol):
    """Stores what runners report when a tool has ended. Runners execute third-party code, so reports are untrusted."""

    def save(self, call: CallIds, report: RunnerReport) -> None:
        """Store the report of a call. It replaces the one of an earlier run of the call."""
        ...

    def read(self, call: CallIds) -> RunnerReport | None:
        """Return the report of a call, or None. If it is too large or malformed, return that of a failed call."""
        ...


class EventReporter(Protocol):
    """Stores the events that a runner reports about its call. ``RelayEvents`` checks them and adds them to the turn.

    ``has_reported`` is True if there are any.
    """

    has_reported: bool

    def report(self, call_id: CallId, event: NewEvent) -> None:
        """Store an event of the call after its earlier events. Raise Unavailable if the write fails."""
        ...


@dataclass(frozen=True)
class ReportedPage:
    """Items that a runner wrote and that are not relayed yet. ``documents`` are their untrusted texts, None if missing.

    ``position`` is the sort key of the last item. ``previous`` is the position that a relay reached before, if any.
    ``count`` is what earlier pages counted towards the limit of a call. ``is_last`` is True if no items follow yet.
    """

    call_id: CallId
    documents: Sequence[str | None]
    position: str
    previous: str | None
    count: int
    is_last: bool


@dataclass(frozen=True)
class RelayPosition:
    """The position of a relay in the events of a call: its item ``key``. If ``is_closed``, no events are relayed."""

    key: str | None = None
    count: int = 0
    is_closed: bool = False


@dataclass(frozen=True)
class LatestReports:
    """The last items that a runner wrote, by sort key. ``is_complete`` is True if these are all of them."""

    documents: Mapping[str, str | None]
    is_complete: bool


class ReportedEvents(Protocol):
    """Reads the events that runners reported, and adds them to the events of their turns, each once and in order."""

    def read_latest(self, call_id: CallId) -> LatestReports:
        """Return the last items that the call's runner wrote, whether relayed or not."""
        ...

    def read(self, call_id: CallId) -> ReportedPage | None:
        """Return the next page. Return None if there are no new items, the call is closed or has reached its limit."""
        ...

    def relay(self, page: ReportedPage, events: Sequence[NewEvent], question: CallInput | None = None) -> bool:
        """Add the events of a page to the turn. Raise Unavailable if concurrent writes conflict too often.

        ``question`` is the one in these events that the user can answer now, or that the tool has withdrawn.
        Return False, and add nothing, if another process has relayed the page or if the turn's last event is stored.
        """
        ...

    def stop(self, call_id: CallId) -> None:
        """Relay no further events of the call, and tell its runner to stop the tool: nothing waits for its result."""
        ...


class Calls(Protocol):
    """Stores the tool calls of turns."""

    def get(self, turn_id: TurnId, call_id: CallId) -> Call | None:
        """Return the call, or None."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[Call]:
        """Return the tool calls of a turn in the order in which the model proposed them."""
        ...


class CallTasks(Protocol):
    """Stores the tasks of servers that work on calls."""

    def save(self, task: CallTask) -> None:
        """Save the task of a call. Replace the record of the previous poll."""
        ...

    def list(self, turn_id: TurnId) -> Sequence[CallTask]:
        """Return the tasks of a turn's calls."""
        ...


class AuditTrail(Protocol):
    """Stores the audit entries of sessions. Entries never change, and expire after the retention time."""

    def add(self, session_id: SessionId, entry: AuditEntry) -> bool:
        """Add an entry. Return False if it exists already."""
        ...

    def list(self, session_id: SessionId, limit: int, cursor: str | None) -> Page[AuditEntry]:
        """Return the session's audit entries, newest first. Raise InvalidRequest if the cursor is invalid."""
        ...
