"""A session of 2,500 files ends: what goes and what stays, in bucket and table, killed half-way and run again."""

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
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.files import FileRecord, Source
from satchel.domain.ids import FileKey, new_id
from satchel.domain.object_keys import Kind, object_key
from satchel.domain.sessions import Session
from satchel.services.files.retention import RemoveFiles
from satchel.services.sessions.clean_up_session import CleanUpSession
from tests.integration.aws.cloud import ACCOUNT, REGION
from tests.integration.aws.makers import START, TravelClock, a_session

MANY = 2500
Ended = tuple[Session, list[FileRecord], list[FileRecord]]
KINDS: tuple[Kind, ...] = ("uploads", "artifacts", "deferred")
_SOURCES = {"uploads": Source.UPLOADED, "artifacts": Source.GENERATED, "deferred": Source.DEFERRED}


def a_record(session: Session, number: int, session_id: str | None) -> FileRecord:
    """Every third file is uploaded, made or waiting; of the made ones every second is temporary."""
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


def write_down(table: Table, store: S3Files, records: list[FileRecord]) -> None:
    """Write what ``DynamoFiles.keep`` writes and what lies in the bucket, past moto's front door: 30 times quicker."""
    made = (record_item, version_item, object_item, claim_item)
    items = [item for r in records for item in (*(make(r) for make in made), *pointer_items(r))]
    counted = Counter(usage_key(record.user, record.file_key) for record in records)
    items += [{"pk": pk, "sk": sk, "files": n, "bytes": n} for (pk, sk), n in counted.items()]
    kept = dynamodb_backends[ACCOUNT][REGION].tables[table.name]
    for item in items:
        kept.put_item(encode(item))
    for record in records:
        s3_backends[ACCOUNT]["aws"].put_object(store.bucket, record.key, b"x")


def keys_kept(table: Table, store: S3Files, user: str, session_id: str) -> tuple[list[str], Counter[str]]:
    """Return the keys of all versions in a person's part of the bucket; how many items of each kind there are."""
    bucket = s3_backends[ACCOUNT]["aws"].get_bucket(store.bucket)
    objects = [version.name for _, versions in bucket.keys.iterlists() for version in versions]
    of_person = (f"USER#{user}", f"LIBRARY#{user}", f"SESSION#{session_id}")
    kinds = Counter(
        f"{pk.value.partition('#')[0]} {sk.value.partition('#')[0]}"
        for pk, part in dynamodb_backends[ACCOUNT][REGION].tables[table.name].items.items()
        for sk in part
        if pk.value in of_person
    )
    return sorted(key for key in objects if key.startswith(f"{user}/")), kinds


class Killed(BaseException):
    """The function is no more."""


class MortalS3(S3Files):
    """Dies in the middle of a deletion, after so many of its batches."""

    lives = [0]  # noqa: RUF012  (S3Files is frozen; the list is what counts)

    def _delete(self, versions: object) -> None:
        if not self.lives[0]:
            raise Killed
        self.lives[0] -= 1
        super()._delete(versions)  # type: ignore[arg-type]  # handed on as it came


class MortalTable(Table):
    """Dies between two of its transactions."""

    lives = [0]  # noqa: RUF012  (Table is frozen; the list is what counts)

    def transact(self, writes: object) -> None:
        if not self.lives[0]:
            raise Killed
        self.lives[0] -= 1
        super().transact(writes)  # type: ignore[arg-type]  # handed on as it came


@pytest.fixture(scope="module")
def ended(table: Table, store: S3Files) -> Ended:
    """A session that has ended with its many files, and a person's other ones."""
    session = a_session("many@example.com")
    DynamoSessions(table).create(session)
    mine = [a_record(session, number, session.session_id) for number in range(MANY)]
    others = [a_record(session, MANY + number, None) for number in range(6)]
    write_down(table, store, [*mine, *others])
    DynamoSessions(table).end(session.user, session.session_id, START)
    now_ended = DynamoSessions(table).get(session.user, session.session_id)
    assert now_ended is not None
    return now_ended, mine, others


def clearing(table: Table, store: S3Files, *, persist: bool, after: timedelta = timedelta()) -> CleanUpSession:
    clock = TravelClock(START + after)
    remove = RemoveFiles(DynamoFileReaper(table), store)
    return CleanUpSession(DynamoSessions(table), DynamoFiles(table), DynamoSessionPurger(table), remove, clock, persist)


def always() -> bool:
    return True


def check(table: Table, store: S3Files, session: Session, stays: list[FileRecord]) -> None:
    """Both sides hold these files and nothing else of the person's, to the last item and version."""
    objects, items = keys_kept(table, store, session.user, session.session_id)
    assert objects == sorted(record.key for record in stays)
    mine = sum(record.session_id is not None for record in stays)
    expected = Counter({f"USER {kind}": len(stays) for kind in ("FILE", "VERSION", "OBJECT", "NAME")})
    expected.update({"SESSION NAME": mine, "SESSION FILE": mine, "LIBRARY NAME": len(stays) - mine})
    assert items - Counter({"USER SESSION": 1, "USER USAGE": 8}) == +expected
    counted = dynamodb_backends[ACCOUNT][REGION].tables[table.name].items
    counters = [
        item.attrs
        for sk, item in counted[DynamoType({"S": f"USER#{session.user}"})].items()
        if USAGE_PREFIX in sk.value
    ]
    assert {sum(int(item[name].value) for item in counters) for name in ("files", "bytes")} == {len(stays)}


Dying = Callable[[Table, S3Files, int], tuple[Table, S3Files]]


def in_the_bucket(table: Table, store: S3Files, lives: int) -> tuple[Table, S3Files]:
    MortalS3.lives[0] = lives
    return table, MortalS3(store.client, store.bucket)


def in_the_table(table: Table, store: S3Files, lives: int) -> tuple[Table, S3Files]:
    MortalTable.lives[0] = lives
    return MortalTable(table.client, table.name), store


def test_a_clearing_whose_time_is_over_says_so_and_the_next_goes_on(table: Table, store: S3Files) -> None:
    session = a_session("slow@example.com")
    DynamoSessions(table).create(session)
    write_down(table, store, [a_record(session, number, session.session_id) for number in range(30)])
    DynamoSessions(table).end(session.user, session.session_id, START)
    known = DynamoSessions(table).get(session.user, session.session_id)
    assert known is not None
    times = iter([True, False])
    slow = replace(clearing(table, store, persist=False), files_at_once=20)
    assert slow(known, lambda: next(times)) is False
    assert len(DynamoFiles(table).of_session(session.user, session.session_id)) == 10
    assert clearing(table, store, persist=False)(known, always) is True
    assert DynamoFiles(table).of_session(session.user, session.session_id) == []


def test_the_session_stays_to_be_cleared_until_the_grace_is_over(table: Table, store: S3Files) -> None:
    sessions = DynamoSessions(table)
    session = a_session("late@example.com")
    sessions.create(session)
    sessions.end(session.user, session.session_id, START)
    later, at_last = START + timedelta(minutes=10), START + timedelta(minutes=20)

    def due_for_cleanup(now: timedelta) -> list[str]:
        return [s.user for s in sessions.due_for_cleanup(START + now, 100) if s.user == session.user]

    known = sessions.get(session.user, session.session_id)
    assert known is not None
    assert due_for_cleanup(timedelta()) == [session.user]
    clearing(table, store, persist=True)(known, always)
    assert due_for_cleanup(later - START) == []
    assert due_for_cleanup(at_last - START) == [session.user]
    clearing(table, store, persist=True, after=at_last - START)(known, always)
    assert due_for_cleanup(timedelta(days=400)) == []
    assert sessions.get(session.user, session.session_id) == known


@pytest.mark.clause("v2.1:persist:default", "v2.1:persist:off", "v2.1:display:temporary", "v2.1:deferred:session-end")
def test_exactly_what_must_go_goes_however_often_it_is_killed(table: Table, store: S3Files, ended: Ended) -> None:
    """First where files outlive sessions: the temporary ones go; then, of the same session, where they do not."""
    session, mine, others = ended
    runs: list[tuple[bool, Dying, list[FileRecord]]] = [
        (True, in_the_table, [record for record in mine if not record.temporary]),
        (False, in_the_bucket, []),
    ]
    for persist, dying, stays in runs:
        with pytest.raises(Killed):
            clearing(*dying(table, store, 2), persist=persist)(session, always)
        assert clearing(table, store, persist=persist)(session, always) is True
        check(table, store, session, [*stays, *others])
