import pytest

from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest, SessionEnded, SessionNotFound
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session, SessionChanges, SessionStatus
from tests.integration.aws.makers import START, a_session, at_once, fresh, moment, someone


@pytest.fixture
def sessions(table: Table) -> DynamoSessions:
    return DynamoSessions(table)


def test_a_session_comes_back_as_it_was_written(sessions: DynamoSessions, user: str) -> None:
    plain = a_session(user)
    full = a_session(user, title="Über “sales”", running_turn=fresh("t"), epoch=4)

    sessions.create(plain)
    sessions.create(full)

    assert sessions.get(UserName(user), plain.session_id) == plain
    assert sessions.get(UserName(user), full.session_id) == full


def test_writing_a_new_session_again_because_the_answer_was_lost_is_no_error(
    sessions: DynamoSessions, session: Session
) -> None:
    sessions.create(session)

    assert sessions.get(session.user, session.session_id) == session


def test_somebody_elses_session_and_no_session_are_the_same(sessions: DynamoSessions, session: Session) -> None:
    assert sessions.get(UserName(someone()), session.session_id) is None
    assert sessions.get(session.user, SessionId(fresh("s"))) is None


def test_sessions_are_listed_newest_first_in_pages_of_their_owner(sessions: DynamoSessions, user: str) -> None:
    made = [a_session(user) for _ in range(5)]
    for session in [*made, a_session(someone())]:
        sessions.create(session)

    listed: list[Session] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = sessions.list(UserName(user), 2, cursor)
        listed, cursor, pages = listed + page.items, page.cursor, pages + 1

    assert listed == made[::-1]
    assert pages == 3


def test_nobody_has_sessions_at_first(sessions: DynamoSessions, user: str) -> None:
    page = sessions.list(UserName(user), 10, None)

    assert (page.items, page.cursor) == ([], None)


def test_a_cursor_of_another_list_is_refused(sessions: DynamoSessions, user: str) -> None:
    with pytest.raises(InvalidRequest):
        sessions.list(UserName(user), 10, "RklMRSMx")


def test_the_end_is_marked_once_and_raises_the_epoch_once(sessions: DynamoSessions, session: Session) -> None:
    at_once([lambda: sessions.end(session.user, session.session_id, START)] * 4)
    sessions.end(session.user, session.session_id, moment())

    changed = {"status": SessionStatus.ENDED, "epoch": session.epoch + 1, "ended_at": START}
    ended = session.model_copy(update=changed)
    assert sessions.get(session.user, session.session_id) == ended


def test_ending_what_is_not_there_makes_nothing(sessions: DynamoSessions, user: str) -> None:
    missing = SessionId(fresh("s"))

    sessions.end(UserName(user), missing, START)

    assert sessions.get(UserName(user), missing) is None


def test_changes_of_two_at_once_both_stand(sessions: DynamoSessions, session: Session) -> None:
    at_once(
        [
            lambda: sessions.change(session.user, session.session_id, SessionChanges(title="Numbers")),
            lambda: sessions.change(session.user, session.session_id, SessionChanges(model="careful")),
            lambda: sessions.change(session.user, session.session_id, SessionChanges(instructions="Be brief.")),
        ]
    )

    kept = sessions.get(session.user, session.session_id)
    changes = {"title": "Numbers", "model": "careful", "instructions": "Be brief."}
    assert kept == session.model_copy(update=changes)


def test_a_change_takes_away_what_is_said_to_be_none(sessions: DynamoSessions, session: Session) -> None:
    sessions.change(session.user, session.session_id, SessionChanges(model="careful", title="x"))

    assert sessions.change(session.user, session.session_id, SessionChanges(model=None)).model is None
    kept = sessions.get(session.user, session.session_id)
    assert kept is not None
    assert (kept.title, kept.model) == ("x", None)


def test_a_session_that_is_over_or_somebody_elses_is_not_changed(sessions: DynamoSessions, session: Session) -> None:
    with pytest.raises(SessionNotFound):
        sessions.change(UserName(someone()), session.session_id, SessionChanges(title="x"))
    sessions.end(session.user, session.session_id, moment())

    with pytest.raises(SessionEnded):
        sessions.change(session.user, session.session_id, SessionChanges(title="x"))
