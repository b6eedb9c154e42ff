"""Cleanup of an ended session with 2,500 files in bucket and table, interrupted and repeated."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.s3.models import s3_backends

from satchel.adapters.dynamodb.file_items import (
    USAGE_PREFIX,
    claim_item,
    object_item,
    pointer_items,
    record_item,
    usage_key,
    version_item,
)
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.items import encode
from satchel.adapters.dynamodb.retention import DynamoFileReaper, DynamoSessionPurger
from satchel.adapters.dynamodb.server_sessions import DynamoServerSessionRemover
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.files import FileRecord, Source
from satchel.domain.ids import FileKey, SessionId, UserName, new_id
from satchel.domain.object_keys import ObjectKind, object_key
from satchel.domain.servers import Registry
from satchel.domain.sessions import Session
from satchel.services.files.retention import RemoveFiles
from satchel.services.sessions.clean_up_session import CleanUpSession, EndServerSessions
from tests.fakes.runners import FakeRunners
from tests.fakes.system import FakeClock
from tests.integration.aws.cloud import ACCOUNT, REGION
from tests.integration.aws.factories import START, make_session

FILE_COUNT = 2500
EndedSession = tuple[Session, list[FileRecord], list[FileRecord]]
KINDS: tuple[ObjectKind, ...] = ("uploads", "artifacts", "deferred")
_SOURCES = {"uploads": Source.UPLOADED, "artifacts": Source.GENERATED, "deferred": Source.DEFERRED}


def make_record(session: Session, number: int, session_id: SessionId | None) -> FileRecord:
    """Return an upload, an artifact (every second is temporary) or a deferred file, depending on the number."""
    kind = KINDS[number % 3]
    key = FileKey(new_id("f", START + timedelta(milliseconds=number), os.urandom(10)))
    return FileRecord(
        object_id=key,
        file_key=key,
        key=object_key(session.user, kind, key, f"{number}.txt"),
        user=session.user,
        session_id=session_id,
        name=f"{number}.txt",
        raw_name=f"{number}.txt",
        mime="text/plain",
        size=1,
        source=_SOURCES[kind],
        origin=key,
        created_at=START,
        temporary=kind == "artifacts" and number % 2 == 0,
        expires_at=int(START.timestamp()) + 3600 if kind == "deferred" else None,
    )


def store_files(table: Table, store: S3Files, records: list[FileRecord]) -> None:
    """Write the items that ``DynamoFiles.save`` writes, and the objects, into moto's backends: 30 times faster."""
    item_builders = (record_item, version_item, object_item, claim_item)
    items = [
        item for record in records for item in (*(build(record) for build in item_builders), *pointer_items(record))
    ]
    counters = Counter(usage_key(record.user, record.file_key) for record in records)
    items += [{"pk": pk, "sk": sk, "files": n, "bytes": n} for (pk, sk), n in counters.items()]
    moto_table = dynamodb_backends[ACCOUNT][REGION].tables[table.name]
    for item in items:
        moto_table.put_item(encode(item))
    for record in records:
        s3_backends[ACCOUNT]["aws"].put_object(store.bucket, record.key, b"x")


def stored_keys(table: Table, store: S3Files, user: UserName, session_id: SessionId) -> tuple[list[str], Counter[str]]:
    """Return the keys of all of a user's object versions, and the number of their items by kind."""
    bucket = s3_backends[ACCOUNT]["aws"].get_bucket(store.bucket)
    objects = [version.name for _, versions in bucket.keys.iterlists() for version in versions]
    partitions = (f"USER#{user}", f"LIBRARY#{user}", f"SESSION#{session_id}")
    kinds = Counter(
        f"{pk.value.partition('#')[0]} {sk.value.partition('#')[0]}"
        for pk, part in dynamodb_backends[ACCOUNT][REGION].tables[table.name].items.items()
        for sk in part
        if pk.value in partitions
    )
    return sorted(key for key in objects if key.startswith(f"{user}/")), kinds


class Killed(BaseException):
    """The function was killed."""


class KillingS3Files(S3Files):
    """Raises Killed after a number of delete batches."""

    remaining = [0]  # noqa: RUF012  (S3Files is frozen; so the counter is in a list)

    def _delete(self, versions: object) -> None:
        if not self.remaining[0]:
            raise Killed
        self.remaining[0] -= 1
        super()._delete(versions)  # type: ignore[arg-type]  # passed on unchanged


class KillingTable(Table):
    """Raises Killed after a number of transactions."""

    remaining = [0]  # noqa: RUF012  (Table is frozen; so the counter is in a list)

    def transact(self, writes: object) -> None:
        if not self.remaining[0]:
            raise Killed
        self.remaining[0] -= 1
        super().transact(writes)  # type: ignore[arg-type]  # passed on unchanged


@pytest.fixture(scope="module")
def ended(table: Table, store: S3Files) -> EndedSession:
    """An ended session with its files, and other files of the same user."""
    session = make_session(UserName("many@example.com"))
    DynamoSessions(table).create(session)
    session_files = [make_record(session, number, session.session_id) for number in range(FILE_COUNT)]
    other_files = [make_record(session, FILE_COUNT + number, None) for number in range(6)]
    store_files(table, store, [*session_files, *other_files])
    DynamoSessions(table).end(session.user, session.session_id, START)
    ended_session = DynamoSessions(table).get(session.user, session.session_id)
    assert ended_session is not None
    return ended_session, session_files, other_files


def cleanup(table: Table, store: S3Files, *, persist: bool, after: timedelta = timedelta()) -> CleanUpSession:
    clock = FakeClock(START + after)
    remove_files = RemoveFiles(DynamoFiles(table), DynamoFileReaper(table), store)
    return CleanUpSession(
        DynamoSessions(table),
        DynamoFiles(table),
        DynamoSessionPurger(table),
        remove_files,
        store,
        clock,
        EndServerSessions(Registry(servers={}), FakeRunners({}), DynamoServerSessionRemover(table)),
        persist,
    )


def always() -> bool:
    return True


def check(table: Table, store: S3Files, session: Session, expected_files: list[FileRecord]) -> None:
    """Assert that table and bucket contain exactly these files of the user."""
    objects, items = stored_keys(table, store, session.user, session.session_id)
    assert objects == sorted(record.key for record in expected_files)
    in_session = sum(record.session_id is not None for record in expected_files)
    expected = Counter({f"USER {kind}": len(expected_files) for kind in ("FILE", "VERSION", "OBJECT", "NAME")})
    expected.update(
        {"SESSION NAME": in_session, "SESSION FILE": in_session, "LIBRARY NAME": len(expected_files) - in_session}
    )
    assert items - Counter({"USER SESSION": 1, "USER USAGE": 8, "USER QUOTA": 1}) == +expected
    partitions = dynamodb_backends[ACCOUNT][REGION].tables[table.name].items
    counters = [
        item.attrs
        for sk, item in partitions[DynamoType({"S": f"USER#{session.user}"})].items()
        if USAGE_PREFIX in sk.value
    ]
    assert {sum(int(item[name].value) for item in counters) for name in ("files", "bytes")} == {len(expected_files)}


Interruption = Callable[[Table, S3Files, int], tuple[Table, S3Files]]


def kill_in_bucket(table: Table, store: S3Files, remaining: int) -> tuple[Table, S3Files]:
    KillingS3Files.remaining[0] = remaining
    return table, KillingS3Files(store.client, store.bucket)


def kill_in_table(table: Table, store: S3Files, remaining: int) -> tuple[Table, S3Files]:
    KillingTable.remaining[0] = remaining
    return KillingTable(table.client, table.name), store


def test_cleanup_without_time_left_returns_false_and_the_next_one_continues(table: Table, store: S3Files) -> None:
    session = make_session(UserName("slow@example.com"))
    DynamoSessions(table).create(session)
    store_files(table, store, [make_record(session, number, session.session_id) for number in range(30)])
    DynamoSessions(table).end(session.user, session.session_id, START)
    ended = DynamoSessions(table).get(session.user, session.session_id)
    assert ended is not None
    times = iter([True, False])
    slow = replace(cleanup(table, store, persist=False), files_at_once=20)
    assert slow(ended, lambda: next(times)) is False
    assert len(DynamoFiles(table).list_for_session(session.user, session.session_id)) == 10
    assert cleanup(table, store, persist=False)(ended, always) is True
    assert DynamoFiles(table).list_for_session(session.user, session.session_id) == []


def test_cleanup_is_due_again_until_the_grace_period_ends(table: Table, store: S3Files) -> None:
    sessions = DynamoSessions(table)
    session = make_session(UserName("late@example.com"))
    sessions.create(session)
    sessions.end(session.user, session.session_id, START)
    soon, after_grace = START + timedelta(minutes=10), START + timedelta(minutes=20)

    def due_for_cleanup(now: timedelta) -> list[str]:
        return [s.user for s in sessions.list_due_for_cleanup(START + now, 100) if s.user == session.user]

    ended = sessions.get(session.user, session.session_id)
    assert ended is not None
    assert due_for_cleanup(timedelta()) == [session.user]
    cleanup(table, store, persist=True)(ended, always)
    assert due_for_cleanup(soon - START) == []
    assert due_for_cleanup(after_grace - START) == [session.user]
    cleanup(table, store, persist=True, after=after_grace - START)(ended, always)
    assert due_for_cleanup(timedelta(days=400)) == []
    assert sessions.get(session.user, session.session_id) == ended


@pytest.mark.timeout(600)  # many interrupted cleanups, each on files of its own
@pytest.mark.clause("v2.1:persist:default", "v2.1:persist:off", "v2.1:display:temporary", "v2.1:deferred:session-end")
def test_interrupted_cleanup_deletes_exactly_the_right_files(table: Table, store: S3Files, ended: EndedSession) -> None:
    """First with file persistence, which deletes temporary files only; then without, which deletes all files."""
    session, session_files, other_files = ended
    runs: list[tuple[bool, Interruption, list[FileRecord]]] = [
        (True, kill_in_table, [record for record in session_files if not record.temporary]),
        (False, kill_in_bucket, []),
    ]
    for persist, interrupt, remaining_files in runs:
        with pytest.raises(Killed):
            cleanup(*interrupt(table, store, 2), persist=persist)(session, always)
        assert cleanup(table, store, persist=persist)(session, always) is True
        check(table, store, session, [*remaining_files, *other_files])
