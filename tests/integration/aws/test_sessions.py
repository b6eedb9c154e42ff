from datetime import datetime, timedelta

import pytest

from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest, SessionEnded, SessionNotFound
from satchel.domain.ids import UserName
from satchel.domain.sessions import MAX_TEMPORARY_AGE, Session, SessionChanges, SessionStatus
from tests.integration.aws.factories import (
    START,
    make_session,
    new_session_id,
    new_turn_id,
    new_user,
    next_time,
    run_concurrently,
)


@pytest.fixture
def sessions(table: Table) -> DynamoSessions:
    return DynamoSessions(table)


def test_session_round_trips(sessions: DynamoSessions, user: UserName) -> None:
    plain = make_session(user)
    full = make_session(user, title="Über “sales”", running_turn=new_turn_id(), epoch=4)

    sessions.create(plain)
    sessions.create(full)

    assert sessions.get(user, plain.session_id) == plain
    assert sessions.get(user, full.session_id) == full


def test_repeated_create_does_nothing(sessions: DynamoSessions, session: Session) -> None:
    sessions.create(session)

    assert sessions.get(session.user, session.session_id) == session


def test_another_users_and_a_missing_session_are_not_found(sessions: DynamoSessions, session: Session) -> None:
    assert sessions.get(new_user(), session.session_id) is None
    assert sessions.get(session.user, new_session_id()) is None


def test_sessions_of_a_user_are_listed_newest_first_in_pages(sessions: DynamoSessions, user: UserName) -> None:
    created = [make_session(user) for _ in range(5)]
    for session in [*created, make_session(new_user())]:
        sessions.create(session)

    listed: list[Session] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = sessions.list(user, 2, cursor)
        listed, cursor, pages = listed + page.items, page.cursor, pages + 1

    assert listed == created[::-1]
    assert pages == 3


def test_new_user_has_no_sessions(sessions: DynamoSessions, user: UserName) -> None:
    page = sessions.list(user, 10, None)

    assert (page.items, page.cursor) == ([], None)


def test_cursor_of_another_list_is_rejected(sessions: DynamoSessions, user: UserName) -> None:
    with pytest.raises(InvalidRequest):
        sessions.list(user, 10, "RklMRSMx")


def test_end_applies_once_and_increments_the_epoch_once(sessions: DynamoSessions, session: Session) -> None:
    run_concurrently([lambda: sessions.end(session.user, session.session_id, START)] * 4)
    sessions.end(session.user, session.session_id, next_time())

    changed = {"status": SessionStatus.ENDED, "epoch": session.epoch + 1, "ended_at": START}
    ended = session.model_copy(update=changed)
    assert sessions.get(session.user, session.session_id) == ended


def test_end_does_not_create_a_missing_session(sessions: DynamoSessions, user: UserName) -> None:
    missing = new_session_id()

    sessions.end(user, missing, START)

    assert sessions.get(user, missing) is None


def test_concurrent_changes_are_all_applied(sessions: DynamoSessions, session: Session) -> None:
    run_concurrently(
        [
            lambda: sessions.update(session.user, session.session_id, SessionChanges(title="Numbers")),
            lambda: sessions.update(session.user, session.session_id, SessionChanges(model="careful")),
            lambda: sessions.update(session.user, session.session_id, SessionChanges(instructions="Be brief.")),
        ]
    )

    stored = sessions.get(session.user, session.session_id)
    changes = {"title": "Numbers", "model": "careful", "instructions": "Be brief."}
    assert stored == session.model_copy(update=changes)


def test_update_with_none_clears_a_field(sessions: DynamoSessions, session: Session) -> None:
    sessions.update(session.user, session.session_id, SessionChanges(model="careful", title="x"))

    assert sessions.update(session.user, session.session_id, SessionChanges(model=None)).model is None
    stored = sessions.get(session.user, session.session_id)
    assert stored is not None
    assert (stored.title, stored.model) == ("x", None)


def test_ended_or_another_users_session_is_not_changed(sessions: DynamoSessions, session: Session) -> None:
    with pytest.raises(SessionNotFound):
        sessions.update(new_user(), session.session_id, SessionChanges(title="x"))
    sessions.end(session.user, session.session_id, next_time())

    with pytest.raises(SessionEnded):
        sessions.update(session.user, session.session_id, SessionChanges(title="x"))


def test_temporary_session_is_found_after_a_day_until_it_is_deleted(sessions: DynamoSessions, user: UserName) -> None:
    session = make_session(user, temporary=True)
    sessions.create(session)
    due = session.created_at + MAX_TEMPORARY_AGE

    def found(at: datetime) -> list[Session]:
        return [each for each in sessions.list_old_temporary(at, 10_000) if each.user == user]

    assert found(due - timedelta(seconds=1)) == []
    assert found(due) == [session]
    sessions.end(user, session.session_id, due)
    sessions.delete(user, session.session_id)
    assert (found(due), sessions.get(user, session.session_id)) == ([], None)
