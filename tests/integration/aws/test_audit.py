import os
from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.audit import AuditEntry, DownloadEntry, call_entry
from satchel.domain.calls import CallResult
from satchel.domain.errors import InvalidRequest
from satchel.domain.ids import SessionId, new_id
from satchel.domain.sessions import Session
from tests.integration.aws.makers import a_call, a_turn, fresh, moment

KEPT_FOR = timedelta(days=90)


@pytest.fixture
def trail(table: Table) -> DynamoAuditTrail:
    return DynamoAuditTrail(table, KEPT_FOR)


def a_call_entry(session: Session) -> AuditEntry:
    call = a_call(a_turn(session), arguments='{"text": "größe", "n": [1, null]}')
    return call_entry(call, CallResult(is_error=False, duration_ms=1500), moment())


def a_download(session: Session) -> AuditEntry:
    at = moment()
    return DownloadEntry(
        audit_id=new_id("e", at, os.urandom(10)),
        at=at,
        user=session.user,
        session_id=session.session_id,
        result="ok",
        file_key=fresh("f"),
        version=2,
        audience="ui",
        file_name="a.csv",
        size=3,
    )


def test_entries_come_back_as_they_were_newest_first_in_pages(trail: DynamoAuditTrail, session: Session) -> None:
    made = [make(session) for make in (a_call_entry, a_download) * 3]
    for entry in made[1::2] + made[::2]:
        assert trail.keep(session.session_id, entry)

    first = trail.list(session.session_id, 4, None)
    second = trail.list(session.session_id, 4, first.cursor)

    assert [*first.items, *second.items] == made[::-1]
    assert (len(first.items), second.cursor) == (4, None)


def test_an_entry_is_written_once_and_the_first_stands(trail: DynamoAuditTrail, session: Session) -> None:
    entry = a_call_entry(session)

    assert trail.keep(session.session_id, entry)
    assert not trail.keep(session.session_id, entry.model_copy(update={"result": "error"}))

    assert trail.list(session.session_id, 10, None).items == [entry]


def test_they_lie_with_their_session_and_go_when_their_time_is_over(
    trail: DynamoAuditTrail, table: Table, session: Session
) -> None:
    entry = a_call_entry(session)
    trail.keep(session.session_id, entry)

    (item,), _ = table.query(Query(f"SESSION#{session.session_id}", "AUDIT#"))

    assert item["sk"] == f"AUDIT#{entry.audit_id}"
    assert 0 <= int(item["ttl"]) - (entry.at + KEPT_FOR).timestamp() < 1


def test_another_session_has_others(trail: DynamoAuditTrail, session: Session) -> None:
    trail.keep(session.session_id, a_call_entry(session))

    assert trail.list(SessionId(fresh("s")), 10, None).items == []


def test_a_cursor_of_another_list_is_refused(trail: DynamoAuditTrail, session: Session) -> None:
    with pytest.raises(InvalidRequest):
        trail.list(session.session_id, 10, "VFVSTiM=")
