from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from satchel.adapters.dynamodb.sessions import SHARDS, DynamoSessions, open_bucket, running_bucket
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.errors import IdempotencyKeyReused, InvalidRequest, SessionEnded, SessionNotFound, TurnRunning
from satchel.domain.ids import UserName
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Session, Turn, TurnStatus
from satchel.domain.turn_messages import messages_of
from tests.fakes.storage import FakeFileStore
from tests.integration.aws.factories import (
    START,
    make_session,
    make_turn,
    new_file_key,
    new_session_id,
    new_turn_id,
    new_user,
    next_time,
    run_concurrently,
)
from tests.integration.aws.stored_steps import END


@pytest.fixture
def turns(table: Table) -> DynamoTurns:
    return DynamoTurns(table)


@pytest.fixture
def sessions(table: Table) -> DynamoSessions:
    return DynamoSessions(table)


def end(turn: Turn, status: TurnStatus = TurnStatus.COMPLETE, answer: str = "done") -> Turn:
    return turn.model_copy(update={"status": status, "answer": answer, "ended_at": START})


class TestBegin:
    def test_turn_message_and_lock_are_written(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session, table: Table
    ) -> None:
        turn = make_turn(session, "grün?\n/report.summarise {}", tools=["report"], files=[new_file_key()])

        assert turns.begin(turn, None) == turn

        assert turns.get(session.session_id, turn.turn_id) == turn
        assert messages_of(DynamoTranscript(table, FakeFileStore()).list_turns(session.session_id)) == [
            UserMessage(text=turn.message)
        ]
        locked = session.model_copy(update={"running_turn": turn.turn_id, "last_used_at": turn.created_at})
        assert sessions.get(session.user, session.session_id) == locked

    def test_begin_during_a_running_turn_raises_turn_running_with_its_id(
        self, turns: DynamoTurns, session: Session
    ) -> None:
        first = turns.begin(make_turn(session), None)
        second = make_turn(session)

        with pytest.raises(TurnRunning) as raised:
            turns.begin(second, None)

        assert raised.value.details == {"turn_id": first.turn_id}
        assert turns.get(session.session_id, second.turn_id) is None

    def test_one_of_many_concurrent_turns_begins(self, turns: DynamoTurns, session: Session) -> None:
        results = run_concurrently([lambda: turns.begin(make_turn(session), None)] * 6)

        [winner] = [result for result in results if isinstance(result, Turn)]
        losers = [result for result in results if result is not winner]
        assert [type(loser) for loser in losers] == [TurnRunning] * 5
        assert {loser.details["turn_id"] for loser in losers if isinstance(loser, TurnRunning)} == {winner.turn_id}
        assert turns.list(session.session_id, 10, None).items == [winner]

    def test_turn_begins_if_the_running_turn_ends_while_the_reason_is_read(
        self, turns: DynamoTurns, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = turns.begin(make_turn(session), None), make_turn(session)
        get_many = Table.get_many

        def end_first_and_get(table: Table, keys: Sequence[tuple[str, str]]) -> object:
            monkeypatch.setattr(Table, "get_many", get_many)
            turns.end(end(first), END, {})
            return get_many(table, keys)

        monkeypatch.setattr(Table, "get_many", end_first_and_get)
        assert turns.begin(second, None) == second

    def test_begin_in_an_unknown_session_raises(self, turns: DynamoTurns, user: UserName) -> None:
        with pytest.raises(SessionNotFound):
            turns.begin(make_turn(make_session(user)), None)

    def test_begin_in_an_ended_session_raises(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        sessions.end(session.user, session.session_id, next_time())

        with pytest.raises(SessionEnded):
            turns.begin(make_turn(session), None)


class TestIdempotencyKey:
    def test_same_key_returns_the_first_turn(self, turns: DynamoTurns, session: Session) -> None:
        first = turns.begin(make_turn(session), "once")

        assert turns.begin(make_turn(session), "once") == first
        assert turns.list(session.session_id, 10, None).items == [first]

    def test_same_key_returns_the_first_turn_after_its_end(self, turns: DynamoTurns, session: Session) -> None:
        first = end(turns.begin(make_turn(session), "once"))
        turns.end(first, END, {})

        assert turns.begin(make_turn(session), "once") == first

    def test_same_key_returns_the_first_turn_after_the_sessions_end(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        first = turns.begin(make_turn(session), "once")
        sessions.end(session.user, session.session_id, next_time())

        assert turns.begin(make_turn(session), "once") == first

    @pytest.mark.parametrize(
        "other", [{"message": "another"}, {"tools": ["report"]}, {"files": ["f01kabcdefghjkmnpqrstvwxyz0"]}]
    )
    def test_same_key_with_another_request_raises(
        self, turns: DynamoTurns, session: Session, other: dict[str, object]
    ) -> None:
        first = turns.begin(make_turn(session), "once")

        with pytest.raises(IdempotencyKeyReused) as raised:
            turns.begin(make_turn(session).model_copy(update=other), "once")

        assert raised.value.details == {"turn_id": first.turn_id}

    def test_concurrent_requests_with_one_key_begin_one_turn(self, turns: DynamoTurns, session: Session) -> None:
        results = run_concurrently([lambda: turns.begin(make_turn(session), "once")] * 6)

        [only] = turns.list(session.session_id, 10, None).items
        assert results == [only] * 6

    def test_key_applies_to_one_session(self, turns: DynamoTurns, sessions: DynamoSessions, session: Session) -> None:
        other = make_session(session.user)
        sessions.create(other)

        first = turns.begin(make_turn(session), "once")
        second = turns.begin(make_turn(other), "once")

        assert first.turn_id != second.turn_id

    def test_key_may_be_any_text(self, turns: DynamoTurns, session: Session) -> None:
        first = turns.begin(make_turn(session), "#\x00ÿ" * 66)

        assert turns.begin(make_turn(session), "#\x00ÿ" * 66) == first


class TestEnd:
    def test_answer_is_written_and_the_session_unlocked(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        turn = end(turns.begin(make_turn(session), None))

        assert turns.end(turn, END, {}) is True

        assert turns.get(session.session_id, turn.turn_id) == turn
        unlocked = sessions.get(session.user, session.session_id)
        assert unlocked is not None
        assert unlocked.running_turn is None
        turns.begin(make_turn(session), None)

    def test_first_end_wins(self, turns: DynamoTurns, session: Session) -> None:
        turn = turns.begin(make_turn(session), None)
        first = end(turn)
        error = TurnError(error_code="E_CANCELLED", message="The turn was cancelled.")
        second = end(turn, TurnStatus.CANCELLED, "").model_copy(update={"error": error})

        assert [turns.end(first, END, {}), turns.end(second, END, {})] == [True, False]
        assert turns.get(session.session_id, turn.turn_id) == first

    def test_one_of_many_concurrent_ends_wins(self, turns: DynamoTurns, session: Session) -> None:
        turn = turns.begin(make_turn(session), None)
        ends = [end(turn, answer=f"answer {number}") for number in range(5)]

        results = run_concurrently([lambda end=end: turns.end(end, END, {}) for end in ends])  # type: ignore[misc]  # a bound default

        assert sorted(map(bool, results)) == [False, False, False, False, True]
        assert turns.get(session.session_id, turn.turn_id) == ends[results.index(True)]

    def test_second_end_does_not_unlock_the_next_turn(self, turns: DynamoTurns, session: Session) -> None:
        first = end(turns.begin(make_turn(session), None))
        turns.end(first, END, {})
        second = turns.begin(make_turn(session), None)

        assert turns.end(first, END, {}) is False

        with pytest.raises(TurnRunning) as raised:
            turns.begin(make_turn(session), None)
        assert raised.value.details == {"turn_id": second.turn_id}

    def test_turn_of_an_ended_session_can_end(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        turn = turns.begin(make_turn(session), None)
        sessions.end(session.user, session.session_id, next_time())

        assert turns.end(end(turn), END, {}) is True


class TestList:
    def test_turns_are_listed_in_pages_from_either_end(self, turns: DynamoTurns, session: Session) -> None:
        created = [end(make_turn(session, f"message {number}")) for number in range(3)]
        for turn in created:
            turns.begin(turn.model_copy(update={"status": TurnStatus.RUNNING}), None)
            turns.end(turn, END, {})

        first = turns.list(session.session_id, 2, None)
        second = turns.list(session.session_id, 2, first.cursor)

        assert (first.items, second.items, second.cursor) == (created[:2], created[2:], None)
        newest = turns.list(session.session_id, 2, None, newest_first=True)
        oldest = turns.list(session.session_id, 2, newest.cursor, newest_first=True)
        assert (newest.items, oldest.items, oldest.cursor) == (created[:0:-1], created[:1], None)

    def test_cursor_of_another_list_is_rejected(self, turns: DynamoTurns, session: Session) -> None:
        with pytest.raises(InvalidRequest):
            turns.list(session.session_id, 2, "bm90aGluZw==")

    def test_unknown_turn_is_not_found(self, turns: DynamoTurns, session: Session) -> None:
        assert turns.get(session.session_id, new_turn_id()) is None
        assert turns.list(session.session_id, 2, None).items == []


class TestAddUsage:
    USAGE = TokenUsage(input_tokens=100, output_tokens=7)

    def usage(self, turns: DynamoTurns, sessions: DynamoSessions, turn: Turn) -> tuple[TokenUsage, TokenUsage]:
        stored_turn, session = turns.get(turn.session_id, turn.turn_id), sessions.get(turn.user, turn.session_id)
        assert stored_turn is not None
        assert session is not None
        return stored_turn.usage, session.usage

    def test_concurrent_usage_is_added_to_turn_and_session(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        first = turns.begin(make_turn(session), None)
        run_concurrently([lambda: turns.add_usage(first, self.USAGE)] * 5)
        counted = turns.get(first.session_id, first.turn_id)
        assert counted is not None
        assert turns.end(end(first), END, {}) is False  # its tokens are outdated
        assert turns.end(end(counted), END, {}) is True
        second = turns.begin(make_turn(session), None)
        turns.add_usage(second, TokenUsage(input_tokens=1, cache_read_tokens=1))

        five = TokenUsage(input_tokens=500, output_tokens=35)
        assert self.usage(turns, sessions, first) == (five, five)
        assert self.usage(turns, sessions, second)[0] == TokenUsage(input_tokens=1, cache_read_tokens=1)

        turns.add_usage(first, self.USAGE)  # of a reply that came after the end of the turn
        six = TokenUsage(input_tokens=600, output_tokens=42)
        assert self.usage(turns, sessions, first) == (six, six)

    def test_empty_usage_changes_nothing(self, turns: DynamoTurns, sessions: DynamoSessions, session: Session) -> None:
        turn = turns.begin(make_turn(session), None)
        turns.add_usage(turn, TokenUsage())

        assert self.usage(turns, sessions, turn) == (TokenUsage(), TokenUsage())

    def test_usage_of_an_erased_turn_creates_nothing(self, turns: DynamoTurns, session: Session) -> None:
        turn = make_turn(session)
        turns.add_usage(turn, self.USAGE)

        assert turns.get(turn.session_id, turn.turn_id) is None


class TestRunningSessions:
    """The index entry of a session while a turn runs, which the sweep reads to find stuck turns."""

    def test_session_is_listed_as_running_and_not_as_idle_while_its_turn_runs(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        def listed(at: datetime) -> tuple[bool, bool]:
            running = {each.session_id for each in sessions.list_running(at)}
            idle = {each.session_id for each in sessions.list_idle(at, 1000)}
            return session.session_id in running, session.session_id in idle

        turn = turns.begin(make_turn(session), None)
        assert listed(turn.created_at) == (True, False)
        assert listed(turn.created_at - timedelta(hours=1)) == (False, False)
        turns.end(end(turn), END, {})
        assert listed(turn.created_at) == (False, True)

    def test_all_pages_of_running_sessions_are_listed(
        self, turns: DynamoTurns, sessions: DynamoSessions, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("satchel.adapters.dynamodb.sessions._PAGE_SIZE", 1)
        ids = set()
        for _ in range(30):
            session = make_session(new_user())
            sessions.create(session)
            turns.begin(make_turn(session), None)
            ids.add(session.session_id)
        assert ids <= {each.session_id for each in sessions.list_running(next_time() + timedelta(hours=1))}

    def test_end_of_a_turn_leaves_an_ended_session_due_for_cleanup(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        turn = turns.begin(make_turn(session), None)
        sessions.end(session.user, session.session_id, START)
        assert turns.end(end(turn), END, {}) is True

        stored = sessions.get(session.user, session.session_id)
        assert stored is not None
        assert stored.running_turn is None
        due = {each.session_id for each in sessions.list_due_for_cleanup(START + timedelta(hours=1), 1000)}
        assert session.session_id in due


def test_open_sessions_are_spread_over_the_shards_of_the_index() -> None:
    """All turns write to the index. 1,000 sessions are 125 for each of the 8 shards, on average."""
    for bucket in (open_bucket, running_bucket):
        counts = Counter(bucket(new_session_id()) for _ in range(1000))
        assert len(counts) == SHARDS
        assert max(counts.values()) < 250


def test_time_at_which_the_first_round_was_seen_is_read_with_the_turn(
    turns: DynamoTurns, sessions: DynamoSessions
) -> None:
    session = make_session(new_user())
    sessions.create(session)
    turn = make_turn(session)
    turns.begin(turn, None)
    turns.mark_seen(turn.session_id, turn.turn_id, START)

    seen = turns.get(turn.session_id, turn.turn_id)
    assert seen is not None
    assert seen.seen_at == START


def test_first_round_of_a_deleted_turn_does_not_create_it_again(turns: DynamoTurns) -> None:
    session_id, turn_id = new_session_id(), new_turn_id()
    turns.mark_seen(session_id, turn_id, START)

    assert turns.get(session_id, turn_id) is None
