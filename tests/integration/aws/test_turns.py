import pytest

from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.domain.conversation import TokenUsage, UserMessage
from satchel.domain.errors import InvalidRequest, KeyReused, SessionEnded, SessionNotFound, TurnRunning
from satchel.domain.ids import TurnId
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Session, Turn, TurnStatus
from tests.fakes.storage import FakeFileStore
from tests.integration.aws.makers import START, a_session, a_turn, at_once, fresh, moment


@pytest.fixture
def turns(table: Table) -> DynamoTurns:
    return DynamoTurns(table)


@pytest.fixture
def sessions(table: Table) -> DynamoSessions:
    return DynamoSessions(table)


def ended(turn: Turn, status: TurnStatus = TurnStatus.COMPLETE, answer: str = "done") -> Turn:
    return turn.model_copy(update={"status": status, "answer": answer, "ended_at": START})


class TestBegin:
    def test_writes_the_turn_its_message_and_the_lock(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session, table: Table
    ) -> None:
        turn = a_turn(session, "grün?\n/report.summarise {}", tools=["report"], files=[fresh("f")])

        assert turns.begin(turn, None) == turn

        assert turns.get(session.session_id, turn.turn_id) == turn
        assert DynamoTranscript(table, FakeFileStore()).messages(session.session_id) == [UserMessage(text=turn.message)]
        locked = session.model_copy(update={"running_turn": turn.turn_id, "last_used_at": turn.created_at})
        assert sessions.get(session.user, session.session_id) == locked

    def test_is_refused_while_a_turn_runs_and_names_that_turn(self, turns: DynamoTurns, session: Session) -> None:
        first = turns.begin(a_turn(session), None)
        second = a_turn(session)

        with pytest.raises(TurnRunning) as refused:
            turns.begin(second, None)

        assert refused.value.details == {"turn_id": first.turn_id}
        assert turns.get(session.session_id, second.turn_id) is None

    def test_of_many_at_once_one_wins_and_the_others_are_told_who(self, turns: DynamoTurns, session: Session) -> None:
        came = at_once([lambda: turns.begin(a_turn(session), None)] * 6)

        [winner] = [result for result in came if isinstance(result, Turn)]
        losers = [result for result in came if result is not winner]
        assert [type(loser) for loser in losers] == [TurnRunning] * 5
        assert {loser.details["turn_id"] for loser in losers if isinstance(loser, TurnRunning)} == {winner.turn_id}
        assert turns.list(session.session_id, 10, None).items == [winner]

    def test_needs_a_session_of_this_person(self, turns: DynamoTurns, user: str) -> None:
        with pytest.raises(SessionNotFound):
            turns.begin(a_turn(a_session(user)), None)

    def test_needs_a_session_that_has_not_ended(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        sessions.end(session.user, session.session_id, moment())

        with pytest.raises(SessionEnded):
            turns.begin(a_turn(session), None)


class TestIdempotencyKey:
    def test_returns_the_turn_of_the_first_time(self, turns: DynamoTurns, session: Session) -> None:
        first = turns.begin(a_turn(session), "once")

        assert turns.begin(a_turn(session), "once") == first
        assert turns.list(session.session_id, 10, None).items == [first]

    def test_returns_the_first_turn_also_when_it_has_ended(self, turns: DynamoTurns, session: Session) -> None:
        first = ended(turns.begin(a_turn(session), "once"))
        turns.end(first)

        assert turns.begin(a_turn(session), "once") == first

    def test_returns_the_first_turn_also_when_the_session_has_ended(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        first = turns.begin(a_turn(session), "once")
        sessions.end(session.user, session.session_id, moment())

        assert turns.begin(a_turn(session), "once") == first

    @pytest.mark.parametrize(
        "other", [{"message": "another"}, {"tools": ["report"]}, {"files": ["f01kabcdefghjkmnpqrstvwxyz0"]}]
    )
    def test_is_refused_for_another_request(
        self, turns: DynamoTurns, session: Session, other: dict[str, object]
    ) -> None:
        first = turns.begin(a_turn(session), "once")

        with pytest.raises(KeyReused) as refused:
            turns.begin(a_turn(session).model_copy(update=other), "once")

        assert refused.value.details == {"turn_id": first.turn_id}

    def test_begins_one_turn_for_all_who_come_at_once(self, turns: DynamoTurns, session: Session) -> None:
        came = at_once([lambda: turns.begin(a_turn(session), "once")] * 6)

        [only] = turns.list(session.session_id, 10, None).items
        assert came == [only] * 6

    def test_is_one_sessions_own(self, turns: DynamoTurns, sessions: DynamoSessions, session: Session) -> None:
        other = a_session(session.user)
        sessions.create(other)

        first = turns.begin(a_turn(session), "once")
        second = turns.begin(a_turn(other), "once")

        assert first.turn_id != second.turn_id

    def test_may_be_any_text(self, turns: DynamoTurns, session: Session) -> None:
        first = turns.begin(a_turn(session), "#\x00ÿ" * 66)

        assert turns.begin(a_turn(session), "#\x00ÿ" * 66) == first


class TestEnd:
    def test_writes_the_answer_and_frees_the_session(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        turn = ended(turns.begin(a_turn(session), None))

        assert turns.end(turn) is True

        assert turns.get(session.session_id, turn.turn_id) == turn
        freed = sessions.get(session.user, session.session_id)
        assert freed is not None
        assert freed.running_turn is None
        turns.begin(a_turn(session), None)

    def test_happens_once_and_the_first_one_stands(self, turns: DynamoTurns, session: Session) -> None:
        turn = turns.begin(a_turn(session), None)
        first = ended(turn)
        error = TurnError(error_code="E_CANCELLED", message="The turn was cancelled.")
        second = ended(turn, TurnStatus.CANCELLED, "").model_copy(update={"error": error})

        assert [turns.end(first), turns.end(second)] == [True, False]
        assert turns.get(session.session_id, turn.turn_id) == first

    def test_happens_once_also_when_many_come_at_once(self, turns: DynamoTurns, session: Session) -> None:
        turn = turns.begin(a_turn(session), None)
        ends = [ended(turn, answer=f"answer {number}") for number in range(5)]

        came = at_once([lambda end=end: turns.end(end) for end in ends])  # type: ignore[misc]  # a bound default

        assert sorted(map(bool, came)) == [False, False, False, False, True]
        assert turns.get(session.session_id, turn.turn_id) == ends[came.index(True)]

    def test_does_not_free_what_the_next_turn_has_locked(self, turns: DynamoTurns, session: Session) -> None:
        first = ended(turns.begin(a_turn(session), None))
        turns.end(first)
        second = turns.begin(a_turn(session), None)

        assert turns.end(first) is False

        with pytest.raises(TurnRunning) as refused:
            turns.begin(a_turn(session), None)
        assert refused.value.details == {"turn_id": second.turn_id}

    def test_frees_a_session_that_ended_meanwhile(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        turn = turns.begin(a_turn(session), None)
        sessions.end(session.user, session.session_id, moment())

        assert turns.end(ended(turn)) is True


class TestList:
    def test_is_oldest_first_in_pages(self, turns: DynamoTurns, session: Session) -> None:
        made = [ended(a_turn(session, f"message {number}")) for number in range(3)]
        for turn in made:
            turns.begin(turn.model_copy(update={"status": TurnStatus.RUNNING}), None)
            turns.end(turn)

        first = turns.list(session.session_id, 2, None)
        second = turns.list(session.session_id, 2, first.cursor)

        assert (first.items, second.items, second.cursor) == (made[:2], made[2:], None)

    def test_refuses_a_cursor_that_it_did_not_give(self, turns: DynamoTurns, session: Session) -> None:
        with pytest.raises(InvalidRequest):
            turns.list(session.session_id, 2, "bm90aGluZw==")

    def test_has_nothing_of_a_turn_that_is_not_there(self, turns: DynamoTurns, session: Session) -> None:
        assert turns.get(session.session_id, TurnId(fresh("t"))) is None
        assert turns.list(session.session_id, 2, None).items == []


class TestSpent:
    TOOK = TokenUsage(input_tokens=100, output_tokens=7)

    def usage(self, turns: DynamoTurns, sessions: DynamoSessions, turn: Turn) -> tuple[TokenUsage, TokenUsage]:
        kept, session = turns.get(turn.session_id, turn.turn_id), sessions.get(turn.user, turn.session_id)
        assert kept is not None
        assert session is not None
        return kept.usage, session.usage

    def test_is_added_up_for_the_turn_and_its_session_also_by_many_at_once(
        self, turns: DynamoTurns, sessions: DynamoSessions, session: Session
    ) -> None:
        first = turns.begin(a_turn(session), None)
        at_once([lambda: turns.spent(first, self.TOOK)] * 5)
        turns.end(ended(first))
        second = turns.begin(a_turn(session), None)
        turns.spent(second, TokenUsage(input_tokens=1, cache_read_tokens=1))

        five = TokenUsage(input_tokens=500, output_tokens=35)
        both = TokenUsage(input_tokens=501, output_tokens=35, cache_read_tokens=1)
        assert self.usage(turns, sessions, first) == (five, both)
        assert self.usage(turns, sessions, second)[0] == TokenUsage(input_tokens=1, cache_read_tokens=1)

    def test_of_nothing_is_nothing(self, turns: DynamoTurns, sessions: DynamoSessions, session: Session) -> None:
        turn = turns.begin(a_turn(session), None)
        turns.spent(turn, TokenUsage())

        assert self.usage(turns, sessions, turn) == (TokenUsage(), TokenUsage())

    def test_for_a_turn_that_was_erased_meanwhile_makes_none(self, turns: DynamoTurns, session: Session) -> None:
        turn = a_turn(session)
        turns.spent(turn, self.TOOK)

        assert turns.get(turn.session_id, turn.turn_id) is None
