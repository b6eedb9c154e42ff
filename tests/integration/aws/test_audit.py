import os
from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.audit import AuditEntry, DownloadEntry, ended_call_entry
from satchel.domain.calls import CallResult
from satchel.domain.errors import InvalidRequest
from satchel.domain.ids import new_id
from satchel.domain.sessions import Session
from tests.integration.aws.factories import make_call, make_turn, new_file_key, new_session_id, next_time

RETENTION = timedelta(days=90)


@pytest.fixture
def trail(table: Table) -> DynamoAuditTrail:
    return DynamoAuditTrail(table, RETENTION)


def make_call_entry(session: Session) -> AuditEntry:
    call = make_call(make_turn(session), arguments='{"text": "größe", "n": [1, null]}')
    return ended_call_entry(call, CallResult(is_error=False, duration_ms=1500), next_time())


def make_download_entry(session: Session) -> AuditEntry:
    at = next_time()
    return DownloadEntry(
        audit_id=new_id("e", at, os.urandom(10)),
        at=at,
        user=session.user,
        session_id=session.session_id,
        result="ok",
        file_key=new_file_key(),
        version=2,
        audience="ui",
        file_name="a.csv",
        size=3,
    )


def test_entries_are_listed_newest_first_in_pages(trail: DynamoAuditTrail, session: Session) -> None:
    entries = [make(session) for make in (make_call_entry, make_download_entry) * 3]
    for entry in entries[1::2] + entries[::2]:
        assert trail.add(session.session_id, entry)

    first = trail.list(session.session_id, 4, None)
    second = trail.list(session.session_id, 4, first.cursor)

    assert [*first.items, *second.items] == entries[::-1]
    assert (len(first.items), second.cursor) == (4, None)


def test_entry_is_written_once(trail: DynamoAuditTrail, session: Session) -> None:
    entry = make_call_entry(session)

    assert trail.add(session.session_id, entry)
    assert not trail.add(session.session_id, entry.model_copy(update={"result": "error"}))

    assert trail.list(session.session_id, 10, None).items == [entry]


def test_entry_is_in_the_sessions_partition_with_a_ttl(trail: DynamoAuditTrail, table: Table, session: Session) -> None:
    entry = make_call_entry(session)
    trail.add(session.session_id, entry)

    (item,), _ = table.query(Query(f"SESSION#{session.session_id}", "AUDIT#"))

    assert item["sk"] == f"AUDIT#{entry.audit_id}"
    assert 0 <= int(item["ttl"]) - (entry.at + RETENTION).timestamp() < 1


def test_entries_of_another_session_are_not_listed(trail: DynamoAuditTrail, session: Session) -> None:
    trail.add(session.session_id, make_call_entry(session))

    assert trail.list(new_session_id(), 10, None).items == []


def test_cursor_of_another_list_is_rejected(trail: DynamoAuditTrail, session: Session) -> None:
    with pytest.raises(InvalidRequest):
        trail.list(session.session_id, 10, "VFVSTiM=")
