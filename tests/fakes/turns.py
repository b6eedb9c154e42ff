"""In-memory turns, transcript, events and approvals, and fakes of the state machine and its task callbacks."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, TypeAdapter

from satchel.domain.branches import After, turns_of_branch
from satchel.domain.calls import Approval, Call, Decision
from satchel.domain.chat_search import index_words
from satchel.domain.conversation import AssistantMessage, Message, TokenUsage, ToolMessage, UserMessage
from satchel.domain.errors import IdempotencyKeyReused, TooManyTurns
from satchel.domain.events import FINAL_EVENTS, Event, NewEvent, first_event, imported_event
from satchel.domain.ids import CallId, SessionId, TurnId, UserName, turn_of
from satchel.domain.inputs import CallInput, InputAnswer
from satchel.domain.quotas import minute_of, seconds_left_in_minute
from satchel.domain.sessions import Rating, Session, Turn
from satchel.domain.steps import NextStep
from satchel.domain.turn_messages import TurnMessages
from satchel.entrypoints.event_schemas import TurnEvent
from satchel.ports import Page
from satchel.ports.calls import LatestReports, RelayPosition, ReportedPage
from satchel.ports.sessions import TurnWords
from satchel.ports.system import Clock
from satchel.ports.turns import MAX_COUNT, TaskGone
from tests.fakes.pages import page_of
from tests.fakes.sessions import FakeSessions

_REQUEST_FIELDS = {"message", "tools", "files", "after"}


_Position = tuple[str, int, str, int]  # turn, round, role (u: user, v: model, w: tool; sorted in this order), call


class FakeTranscript:
    """Implements ``ports.turns.Transcript``. Messages are ordered by position, not by the time of writing.

    The methods that write, and ``get_reply``, are parts of what ``FakeSteps`` does.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, dict[_Position, Message]] = {}
        self._after: dict[str, dict[TurnId, After]] = {}

    def begin(self, turn: Turn, message: UserMessage) -> None:
        """Add the user's message, as the transaction that begins a turn does."""
        self._session(turn.session_id)[turn.turn_id, 0, "u", 0] = message
        self._after.setdefault(turn.session_id, {})[turn.turn_id] = turn.after

    def list_turns(self, session_id: SessionId, last: TurnId | None = None) -> Sequence[TurnMessages]:
        messages = self._session(session_id)
        after = dict(sorted(self._after.get(session_id, {}).items()))
        branch = set(after) if last is None else turns_of_branch(after, last)
        turns: dict[str, list[Message]] = {turn_id: [] for turn_id in after if turn_id in branch}
        for position in sorted(position for position in messages if position[0] in turns):
            turns[position[0]].append(messages[position].model_copy(deep=True))
        return [TurnMessages(turn) for turn in turns.values()]

    def get_reply(self, session_id: SessionId, turn_id: TurnId, round_number: int) -> AssistantMessage | None:
        reply = self._session(session_id).get((turn_id, round_number, "v", 0))
        assert reply is None or isinstance(reply, AssistantMessage)
        return reply

    def add_reply(self, turn: Turn, round_number: int, message: AssistantMessage) -> AssistantMessage:
        self._session(turn.session_id).setdefault((turn.turn_id, round_number, "v", 0), message)
        return self.get_reply(turn.session_id, turn.turn_id, round_number) or message

    def add_result(self, call: Call, message: ToolMessage) -> None:
        self._session(call.session_id).setdefault((call.turn_id, call.round, "w", call.index), message)

    def _session(self, session_id: SessionId) -> dict[_Position, Message]:
        return self._sessions.setdefault(session_id, {})


class FakeTurns:
    """Implements ``ports.turns.Turns``. Writes a turn, its message, its events and the session's lock together."""

    def __init__(self, sessions: FakeSessions, transcript: FakeTranscript, events: "FakeEvents") -> None:
        self._sessions = sessions
        self._transcript = transcript
        self._events = events
        self.tool_use: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._turns: dict[tuple[str, str], Turn] = {}
        self._by_idempotency_key: dict[tuple[str, str], Turn] = {}

    def begin(
        self,
        turn: Turn,
        idempotency_key: str | None,
        max_per_minute: int = MAX_COUNT,
        *,
        message: UserMessage | None = None,
    ) -> Turn:
        if idempotency_key and (first := self._by_idempotency_key.get((turn.session_id, idempotency_key))):
            if first.model_dump(include=_REQUEST_FIELDS) != turn.model_dump(include=_REQUEST_FIELDS):
                raise IdempotencyKeyReused("This Idempotency-Key was used for another message.", turn_id=first.turn_id)
            return self._turns[turn.session_id, first.turn_id].model_copy()
        if self.count_in_minute(turn.user, turn.created_at) >= max_per_minute:
            raise TooManyTurns(max_per_minute, seconds_left_in_minute(turn.created_at))
        self._sessions.lock(turn)
        self._turns[turn.session_id, turn.turn_id] = turn.model_copy()
        self._transcript.begin(turn, message or UserMessage(text=turn.message))
        self._events.begin(turn)
        if idempotency_key:
            self._by_idempotency_key[turn.session_id, idempotency_key] = turn.model_copy()
        return turn

    def add_imported(self, session: Session, turns: Sequence[Turn]) -> None:
        for turn in turns:
            assert (turn.user, turn.session_id) == (session.user, session.session_id)
            self._turns[turn.session_id, turn.turn_id] = turn.model_copy()
            self._transcript.begin(turn, UserMessage(text=turn.message))
            if turn.answer:
                self._transcript.add_reply(turn, 0, AssistantMessage(text=turn.answer))
            self._events.append(turn.turn_id, imported_event(turn))

    def begin_for_app(self, turn: Turn, max_per_minute: int) -> None:
        of_apps = [t for t in self._turns.values() if t.is_from_app and t.user == turn.user]
        if sum(minute_of(t.created_at) == minute_of(turn.created_at) for t in of_apps) >= max_per_minute:
            raise TooManyTurns(max_per_minute, seconds_left_in_minute(turn.created_at))
        self._sessions.check_active(turn)
        self._turns[turn.session_id, turn.turn_id] = turn.model_copy()
        self._events.begin(turn)

    def count_in_minute(self, user: UserName, time: datetime) -> int:
        """Return the number of the user's turns that started in the same minute of the clock."""
        return sum(t.user == user and minute_of(t.created_at) == minute_of(time) for t in self._turns.values())

    def mark_seen(self, session_id: SessionId, turn_id: TurnId, now: datetime) -> None:
        if turn := self._turns.get((session_id, turn_id)):
            self._turns[session_id, turn_id] = turn.model_copy(update={"seen_at": now})

    def get(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        turn = self._turns.get((session_id, turn_id))
        return turn.model_copy() if turn else None

    def get_many(self, keys: Sequence[tuple[SessionId, TurnId]]) -> Sequence[Turn]:
        return [turn for key in keys if (turn := self.get(*key))]

    def read(self, user: UserName, oldest: SessionId, newest: SessionId) -> Iterator[TurnWords]:
        """Implement ``ports.sessions.ChatWords``."""
        for turn in sorted(self._turns.values(), key=lambda turn: (turn.session_id, turn.turn_id), reverse=True):
            if turn.user == user and oldest <= turn.session_id <= newest and turn.has_ended and not turn.is_from_app:
                yield TurnWords(turn.session_id, turn.turn_id, index_words(turn.message, turn.answer))

    def list(self, session_id: SessionId, limit: int, cursor: str | None, *, newest_first: bool = False) -> Page[Turn]:
        turns = sorted(
            (t.turn_id, t.model_copy())
            for t in self._turns.values()
            if t.session_id == session_id and not t.is_from_app
        )
        return page_of(turns[::-1] if newest_first else turns, limit, cursor)

    def add_usage(self, turn: Turn, usage: TokenUsage) -> None:
        stored = self._turns[turn.session_id, turn.turn_id]
        stored.usage += usage
        if stored.has_ended:
            self._sessions.add_usage(turn, usage)

    def rate(self, session_id: SessionId, turn_id: TurnId, rating: Rating | None) -> bool:
        stored = self._turns.get((session_id, turn_id))
        if stored is not None:
            stored.rating = rating
        return stored is not None

    def end(self, turn: Turn, event: NewEvent, tool_use: Mapping[str, int]) -> bool:
        key = (turn.session_id, turn.turn_id)
        stored = self._turns.get(key)
        if stored is None or stored.has_ended or stored.usage != turn.usage:
            return False
        self._turns[key] = turn.model_copy(update={"usage": stored.usage})
        self._events.append(turn.turn_id, event)
        self._sessions.unlock(turn)
        self._sessions.add_usage(turn, turn.usage)
        self.tool_use[turn.user].update(tool_use)
        return True

    def delete(self, turn: Turn) -> None:
        """Delete a turn, as the erasure of all data of its user does."""
        del self._turns[turn.session_id, turn.turn_id]


_TURN_EVENT: TypeAdapter[BaseModel] = TypeAdapter(TurnEvent)


def assert_matches_schema(event: Event) -> None:
    """Fail if an event lacks a field of its public schema or has another one."""
    document = event.to_json()
    parsed = _TURN_EVENT.validate_python(document).model_dump(mode="json", exclude_unset=True)
    assert parsed | {"at": document["at"]} == document


def join_streamed_text(events: Sequence[Event]) -> dict[int, str]:
    """Join the streamed text of each round from its highest attempt, as docs/events.md describes."""
    texts: dict[int, dict[int, str]] = {}
    for event in events:
        if event.type == "token_stream":
            attempts = texts.setdefault(event.payload["round"], {})
            attempt = event.payload["attempt"]
            attempts[attempt] = attempts.get(attempt, "") + event.payload["text"]
    return {number: attempts[max(attempts)] for number, attempts in texts.items()}


class FakeEvents:
    """Implements ``ports.turns.Events``. Stores JSON, as the table does, and checks events against their public schema.

    ``on_append`` runs before each write.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._turns: dict[str, list[str]] = {}
        self._first: dict[str, Event] = {}
        self._known: dict[str, int] = {}
        self._dedupe_keys: set[tuple[str, str]] = set()
        self.on_append: Callable[[], None] = lambda: None
        self.has_reported = False

    def begin(self, turn: Turn) -> None:
        """Count the first event of a turn, which is not stored."""
        self._turns[turn.turn_id] = [""]
        self._first[turn.turn_id] = first_event(turn)

    def append(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        self.on_append()
        if event.dedupe_key:
            if (turn_id, event.dedupe_key) in self._dedupe_keys:
                return None
            self._dedupe_keys.add((turn_id, event.dedupe_key))
        stored = self._turns.setdefault(turn_id, [])
        if stored and stored[-1] and Event.model_validate_json(stored[-1]).type in FINAL_EVENTS:
            return None
        json.dumps(event.payload, allow_nan=False).encode()
        written = Event(
            seq=len(stored) + 1, turn_id=turn_id, type=event.type, at=self._clock.now(), payload=event.payload
        )
        assert_matches_schema(written)
        stored.append(written.model_dump_json())
        if self._known.get(turn_id) == len(stored) - 1:
            self._known[turn_id] = len(stored)
        return written

    def append_next(self, turn_id: TurnId, event: NewEvent) -> Event | None:
        if len(self._turns.get(turn_id, [])) != self._known.get(turn_id, 1):
            return None
        return self.append(turn_id, event)

    def report(self, call_id: CallId, event: NewEvent) -> None:
        self.has_reported = True
        """Add a runner's event at once. Also implements ``ports.calls.EventReporter``, for tests without a relay."""
        payload = {"call_id": call_id, **event.payload}
        self.append(TurnId(turn_of(call_id)), NewEvent(type=event.type, payload=payload))

    def read_last_number(self, turn_id: TurnId) -> None:
        """Remember the number for ``append_next``; ``append`` always knows it."""
        self._known[turn_id] = len(self._turns.get(turn_id, []))

    def expect_first(self, turn_id: TurnId) -> None:
        """Expect one event in ``append_next``; ``append`` always knows the number."""
        self._known[turn_id] = 1

    def list_after(self, turn_id: TurnId, seq: int, limit: int) -> Sequence[Event]:
        stored = self._turns.get(turn_id, [])
        return [Event.model_validate_json(text) for text in stored[seq : seq + limit] if text]

    def delete(self, turn_id: TurnId) -> int:
        """Delete all events of a turn except the last; dedupe keys stay. Return the number of deleted events."""
        *earlier, last = self._turns.get(turn_id) or [""]
        self._turns[turn_id] = ["" for _ in earlier] + [last]
        return len([text for text in earlier if text])

    def payloads(self, turn_id: TurnId, *types: str) -> list[tuple[str, dict[str, Any]]]:
        """Return type and payload of the first event and the stored ones, optionally of these types only."""
        first = [self._first[turn_id]] if turn_id in self._first else []
        events = [*first, *self.list_after(turn_id, 0, 10_000)]
        return [(e.type, e.payload) for e in events if not types or e.type in types]

    def streamed_text(self, turn_id: TurnId) -> dict[int, str]:
        """Return the streamed text of each round, as a client joins it."""
        return join_streamed_text(self.list_after(turn_id, 0, 10_000))

    def stored_json(self, turn_id: TurnId) -> str:
        """Return the stored JSON of all events of a turn."""
        return "\n".join(self._turns.get(turn_id, []))


class FakeReportedEvents:
    """Implements ``ports.calls.ReportedEvents``, with pages of two items.

    ``documents`` are the items of each call that a runner wrote.
    """

    def __init__(self, events: FakeEvents, inputs: "FakeInputs") -> None:
        self._events = events
        self._inputs = inputs
        self.documents: dict[str, list[str | None]] = {}
        self._positions: dict[str, int] = {}
        self._closed: set[str] = set()
        self.stopped: list[str] = []

    def read(self, call_id: CallId) -> ReportedPage | None:
        start = self._positions.get(call_id, 0)
        documents = self.documents.get(call_id, [])
        if call_id in self._closed or start == len(documents):
            return None
        end = min(start + 2, len(documents))
        return ReportedPage(
            call_id, documents[start:end], str(end), str(start) if start else None, start, end == len(documents)
        )

    def read_latest(self, call_id: CallId) -> LatestReports:
        numbered = list(enumerate(self.documents.get(call_id, []), start=1))
        return LatestReports({f"{number}": text for number, text in numbered[-2:]}, is_complete=len(numbered) <= 2)

    def position(self, call_id: CallId) -> RelayPosition:
        """Return how far the events of a call are relayed."""
        number = self._positions.get(call_id, 0)
        return RelayPosition(f"{number}" if number else None, number, is_closed=call_id in self._closed)

    def is_current(self, page: ReportedPage) -> bool:
        """Return True if the events of this page are the next to relay."""
        position = str(self._positions.get(page.call_id, 0))
        return page.call_id not in self._closed and position == (page.previous or "0")

    def relay(self, page: ReportedPage, events: Sequence[NewEvent], question: CallInput | None = None) -> bool:
        if not self.is_current(page):
            return False
        if not all(self._events.append(TurnId(turn_of(page.call_id)), event) for event in events):
            return False
        self._positions[page.call_id] = int(page.position)
        if question is not None:
            self._inputs.replace(question)
        return True

    def close(self, call_id: CallId) -> None:
        self._closed.add(call_id)

    def stop(self, call_id: CallId) -> None:
        self.close(call_id)
        self.stopped.append(call_id)


class FakeApprovals:
    """Implements ``ports.turns.Approvals``."""

    def __init__(self) -> None:
        self._approvals: dict[tuple[str, str], Approval] = {}

    def request(self, approval: Approval) -> Approval:
        key = approval.turn_id, approval.call_id
        stored = self._approvals.get(key)
        if stored is None or stored.decision is None:
            self._approvals[key] = Approval.model_validate_json(approval.model_dump_json())
        return self._approvals[key]

    def get(self, turn_id: TurnId, call_id: CallId) -> Approval | None:
        return self._approvals.get((turn_id, call_id))

    def list(self, turn_id: TurnId) -> Sequence[Approval]:
        return [approval for (turn, _), approval in self._approvals.items() if turn == turn_id]

    def decide(self, turn_id: TurnId, call_id: CallId, decision: Decision) -> Approval | None:
        stored = self._approvals.get((turn_id, call_id))
        if stored is not None and stored.decision is None:
            self._approvals[turn_id, call_id] = stored.model_copy(update={"decision": decision})
        return self._approvals.get((turn_id, call_id))


class FakeInputs:
    """Implements ``ports.turns.Inputs``."""

    def __init__(self) -> None:
        self._inputs: dict[tuple[str, str], CallInput] = {}
        self.delivered: dict[str, InputAnswer] = {}

    def replace(self, questions: CallInput) -> None:
        """Store the question of a running tool, as the relay of its event does."""
        self._inputs[questions.turn_id, questions.call_id] = questions

    def remove_answers(self, questions: CallInput) -> None:
        """Close the questions of a call, as the end of the call does."""
        self.replace(questions.model_copy(update={"answers": {}, "taken": True, "task_token": None}))
        self.delivered.pop(questions.call_id, None)

    def ask(self, questions: CallInput) -> CallInput:
        key = questions.turn_id, questions.call_id
        stored = self._inputs.get(key)
        if stored is None or ((stored.taken or stored.is_in_call) and stored.round < questions.round):
            self._inputs[key] = CallInput.model_validate_json(questions.model_dump_json())
        elif not stored.taken:
            self._inputs[key] = stored.model_copy(update={"task_token": questions.task_token})
        return self._inputs[key]

    def get(self, turn_id: TurnId, call_id: CallId) -> CallInput | None:
        return self._inputs.get((turn_id, call_id))

    def list(self, turn_id: TurnId) -> Sequence[CallInput]:
        return [questions for (turn, _), questions in self._inputs.items() if turn == turn_id]

    def answer(self, questions: CallInput, index: int, answer: InputAnswer) -> CallInput | None:
        key = questions.turn_id, questions.call_id
        stored = self._inputs.get(key)
        if stored is None or stored.round != questions.round:
            return None
        if index not in stored.answers and not stored.taken:
            if stored.is_in_call:
                self.delivered[questions.call_id] = answer
            self._inputs[key] = stored.model_copy(update={"answers": stored.answers | {index: answer}})
        return self._inputs[key]

    def take(self, questions: CallInput) -> None:
        key = questions.turn_id, questions.call_id
        if self._inputs[key].round == questions.round:
            self._inputs[key] = self._inputs[key].model_copy(update={"taken": True})


class FakeWorkflow:
    """Implements ``ports.turns.Workflow`` and ``TurnStarter``. Calls ``on_start`` when a turn is started.

    ``executions`` are the steps after which executions continue turns, at most one for each turn. A started turn counts
    as an execution that runs.
    """

    def __init__(self) -> None:
        self.started: list[tuple[str, str, str]] = []
        self.executions: list[NextStep] = []
        self.stopped: list[tuple[str, str]] = []
        self._running: set[str] = set()
        self.on_start: Callable[[UserName, SessionId, TurnId], None] | None = None

    def start(self, user: UserName, session_id: SessionId, turn_id: TurnId) -> None:
        if any(turn_id == started_id for _, _, started_id in self.started):
            return
        self.started.append((user, session_id, turn_id))
        self._running.add(turn_id)
        if self.on_start:
            self.on_start(user, session_id, turn_id)

    def continue_after(self, step: NextStep) -> None:
        if step.turn_id not in {each.turn_id for each in self.executions}:
            self.executions.append(step)
            self._running.add(step.turn_id)

    def stop(self, turn_id: TurnId, cause: str) -> None:
        self.stopped.append((turn_id, cause))
        self._running.discard(turn_id)

    def is_running(self, turn_id: TurnId) -> bool | None:
        return turn_id in self._running or (False if turn_id in {each.turn_id for each in self.executions} else None)

    def lose_execution(self, turn_id: TurnId) -> None:
        """End an execution without changing its turn."""
        self._running.discard(turn_id)


class FakeTaskCallback:
    """Implements ``ports.turns.TaskCallback``. With ``gone``, no task waits; ``on_…`` run at each report."""

    def __init__(self) -> None:
        self.heartbeats: list[str] = []
        self.succeeded: list[str] = []
        self.failed: list[tuple[str, str]] = []
        self.gone = False
        self.lost_heartbeats = 0
        self.on_heartbeat = self.on_end = _nothing

    def heartbeat(self, token: str) -> None:
        self.heartbeats.append(token)
        self.on_heartbeat()
        if self.gone:
            raise TaskGone
        if self.lost_heartbeats:
            self.lost_heartbeats -= 1
            raise OSError("the heartbeat was lost")

    def fail(self, token: str, error: str) -> None:
        self.on_end()
        self.failed.append((token, error))

    def succeed(self, token: str) -> None:
        if self.gone:
            return
        self.on_end()
        self.succeeded.append(token)


def _nothing() -> None:
    """Do nothing."""


class FakeSessionPurger:
    """Implements ``ports.sessions.SessionPurger``."""

    def __init__(self, turns: FakeTurns, events: FakeEvents) -> None:
        self._turns = turns
        self._events = events
        self.cleared: list[str] = []

    def delete_events(self, session_id: SessionId) -> int:
        turns = self._turns.list(session_id, 10_000, None).items
        return sum(self._events.delete(turn.turn_id) for turn in turns)

    def delete_turns(self, session: Session) -> Iterator[TurnId]:
        for turn in self._turns.list(session.session_id, 10_000, None).items:
            yield turn.turn_id
            self._turns.delete(turn)

    def delete_rest(self, session: Session) -> None:
        self.cleared.append(session.session_id)
