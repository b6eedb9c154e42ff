"""Uploads in parts over the real adapters, alone and many at once; a checker counts both sides, table and bucket."""

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.s3_files import S3Files
from satchel.adapters.s3_uploads import S3Uploads
from satchel.domain.errors import FileNotFound, InvalidRequest, UploadIncomplete, UploadNotFound
from satchel.domain.files import FileRecord
from satchel.domain.sessions import Session
from satchel.domain.uploads import PART_BYTES, Upload
from satchel.domain.users import Identity
from satchel.services.files.retention import RemoveFile
from satchel.services.files.upload_file import UploadFile
from satchel.services.files.upload_parts import AbortUpload, BeginUpload, CompleteUpload, ReadUploads, SweepUploads
from tests.fakes.system import FakeMetrics
from tests.integration.aws.makers import TravelClock, at_once

MOST = 50 << 30
AT_ONCE = 10
Work = Callable[[], object]


def sha256(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


@dataclass
class Desk:
    """One person's uploads: use cases over moto, and what is there afterwards."""

    table: Table
    store: S3Files
    session: Session
    clock: TravelClock
    bodies: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.who = Identity(name=self.session.user, groups=frozenset({"users"}))
        self.files, sessions = DynamoFiles(self.table), DynamoSessions(self.table)
        uploads, self.parts = DynamoUploads(self.table), S3Uploads(self.store.client, self.store.bucket)
        self.begin = BeginUpload(sessions, uploads, self.parts, self.clock, os.urandom, MOST)
        self.read = ReadUploads(uploads, self.parts, self.clock)
        self.abort = AbortUpload(uploads, self.parts, self.store)
        self.complete = CompleteUpload(self.read, sessions, self.files, self.store, self.abort, MOST, FakeMetrics())
        self.sweep = SweepUploads(uploads, self.abort, self.clock)
        self.small = UploadFile(sessions, self.files, self.store, self.clock, os.urandom, MOST, FakeMetrics())
        self.remove = RemoveFile(self.files, self.store)

    def start(self, name: str, body: bytes, *, send: bool = True) -> Upload:
        upload = self.begin(self.who, name, len(body), None, self.session.session_id)
        self.bodies[upload.upload_id] = body
        if send:
            for number in range(1, upload.part_count + 1):
                self.send(upload, number)
        return upload

    def send(self, upload: Upload, number: int) -> None:
        """Put a part, as one who has it signed does."""
        first = upload.offset_of(number)
        part = self.bodies[upload.upload_id][first : first + upload.size_of(number)]
        self.store.client.upload_part(
            Bucket=self.store.bucket,
            Key=upload.file.key,
            UploadId=upload.store_id,
            PartNumber=number,
            Body=part,
            ChecksumSHA256=sha256(part),
        )

    def upload(self, name: str, body: bytes) -> FileRecord:
        return self.complete(self.who, self.start(name, body).upload_id)

    def versions(self) -> list[FileRecord]:
        """Every version of every file that the table has, by key."""
        items = self.table.query_all(f"USER#{self.who.name}", "VERSION#")
        return [FileRecord.model_validate_json(str(item["doc"])) for item in items]

    def keys(self) -> list[str]:
        """Every object of the person that the bucket has, hidden versions and unfinished uploads included."""
        client, mine = self.store.client, f"{self.who.name}/"
        pages = client.get_paginator("list_object_versions").paginate(Bucket=self.store.bucket, Prefix=mine)
        versions = [one["Key"] for page in pages for one in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]]
        unfinished = client.list_multipart_uploads(Bucket=self.store.bucket).get("Uploads", [])
        return sorted(versions + [one["Key"] for one in unfinished if one["Key"].startswith(mine)])

    def check(self) -> None:
        """Each version has its object, each object its version, each newest one its name; nothing else is there."""
        versions = self.versions()
        assert sorted(version.key for version in versions) == self.keys()
        for version in versions:
            assert self.store.read(version.key, MOST) == self.bodies.get(version.object_id, b"small")
        newest = {version.file_key: version for version in versions}
        listed = self.files.of_session(self.who.name, self.session.session_id)
        assert {file.file_key: file for file in listed} == newest
        assert len({file.name for file in listed}) == len(listed)
        sort_keys = [str(item["sk"]) for item in self.table.query_all(f"USER#{self.who.name}", "")]
        kinds = [sk.partition("#")[0] for sk in sort_keys]
        expected = {"VERSION": len(versions), "OBJECT": len(versions), "FILE": len(newest), "NAME": len(newest)}
        assert {kind: kinds.count(kind) for kind in (*expected, "UPLOAD")} == expected | {"UPLOAD": 0}


@pytest.fixture
def desk(table: Table, store: S3Files, session: Session, clock: TravelClock) -> Desk:
    return Desk(table, store, session, clock)


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, PART_BYTES + 1])
def test_the_parts_become_the_file(desk: Desk, size: int) -> None:
    body = os.urandom(size)
    record = desk.upload("a.csv", body)
    head = desk.store.head(record.key)
    assert head is not None
    assert (record.size, head.size, head.mime) == (size, size, "text/csv")
    desk.check()


def test_parts_that_came_are_told_by_number_with_their_checksums_a_page_at_a_time(desk: Desk) -> None:
    upload = desk.start("a.bin", b"ab" * PART_BYTES, send=False)
    for number in (2, 1):
        desk.send(upload, number)
    first = desk.read.stored(upload, 1, None)
    second = desk.read.stored(upload, 1, first.cursor)
    assert [(part.number, part.size, part.sha256) for part in first.items + second.items] == [
        (number, PART_BYTES, sha256(b"ab" * (PART_BYTES // 2))) for number in (1, 2)
    ]
    assert second.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "eA==", "LTE=", "MTAwMDE=", "8J+YgA=="])
def test_a_cursor_of_parts_that_is_none_of_ours_is_refused(desk: Desk, cursor: str) -> None:
    upload = desk.start("a.bin", b"x")
    with pytest.raises(InvalidRequest):
        desk.read.stored(upload, 10, cursor)


def test_an_upload_is_listed_until_it_is_complete(desk: Desk) -> None:
    uploads = [desk.start(f"{number}.csv", b"x") for number in range(3)]
    listed = desk.read.list(desk.who, 2, None)
    rest = desk.read.list(desk.who, 2, listed.cursor)
    assert sorted(one.upload_id for one in listed.items + rest.items) == sorted(one.upload_id for one in uploads)
    for upload in uploads:
        desk.complete(desk.who, upload.upload_id)
    assert desk.read.list(desk.who, 2, None).items == []
    desk.check()


def test_what_is_missing_is_named_and_nothing_is_lost_by_asking_too_early(desk: Desk) -> None:
    upload = desk.start("a.bin", b"x" * (PART_BYTES + 1), send=False)
    desk.send(upload, 2)
    with pytest.raises(UploadIncomplete) as refused:
        desk.complete(desk.who, upload.upload_id)
    assert refused.value.details["missing"] == [1]
    desk.send(upload, 1)
    desk.complete(desk.who, upload.upload_id)
    desk.check()


def test_an_upload_that_is_given_up_leaves_nothing_in_the_bucket_or_the_table(desk: Desk) -> None:
    desk.abort(desk.who.name, desk.start("a.bin", b"x").upload_id)
    assert desk.keys() == []
    desk.check()


def test_the_sweep_removes_what_was_never_ended_and_no_more(desk: Desk) -> None:
    old, kept = desk.start("old.bin", b"x"), desk.upload("kept.bin", b"y")
    desk.clock.advance(24 * 3600)
    young = desk.start("young.bin", b"z")
    while desk.sweep(100):
        continue
    with pytest.raises(UploadNotFound):
        desk.complete(desk.who, old.upload_id)
    assert desk.keys() == sorted([kept.key, young.file.key])
    desk.complete(desk.who, young.upload_id)
    desk.check()


def test_ten_uploads_of_one_name_at_once_are_the_ten_versions_of_one_file(desk: Desk) -> None:
    uploads = [desk.start("a.csv", os.urandom(100)) for _ in range(AT_ONCE)]
    came = at_once([lambda one=one: desk.complete(desk.who, one.upload_id) for one in uploads])  # type: ignore[misc]  # a default binds it
    assert sorted(one.version for one in came if isinstance(one, FileRecord)) == list(range(1, AT_ONCE + 1))
    assert len({one.file_key for one in came if isinstance(one, FileRecord)}) == 1
    desk.check()


def test_ten_uploads_of_names_that_meet_at_once_are_ten_files(desk: Desk) -> None:
    uploads = [desk.start(f"{number}/a.csv", os.urandom(100)) for number in range(AT_ONCE)]
    came = at_once([lambda one=one: desk.complete(desk.who, one.upload_id) for one in uploads])  # type: ignore[misc]  # a default binds it
    names = {one.name for one in came if isinstance(one, FileRecord)}
    assert names == {"a.csv", *(f"a ({number}).csv" for number in range(2, AT_ONCE + 1))}
    desk.check()


def test_completed_ten_times_at_once_it_is_one_file(desk: Desk) -> None:
    upload = desk.start("a.csv", b"x")
    came = at_once([lambda: desk.complete(desk.who, upload.upload_id)] * AT_ONCE)
    assert [one for one in came if not isinstance(one, FileRecord)] == []
    assert came == desk.versions() * AT_ONCE
    desk.check()


@pytest.mark.parametrize("attempt", range(4))
def test_completed_and_given_up_at_once_it_is_either_whole_or_gone(desk: Desk, attempt: int) -> None:
    del attempt
    upload = desk.start("a.csv", b"x")
    completing: list[Work] = [lambda: desk.complete(desk.who, upload.upload_id)] * 3
    giving_up: list[Work] = [lambda: desk.abort(desk.who.name, upload.upload_id)] * 3
    came = at_once([*completing, *giving_up])
    assert {type(one) for one in came if isinstance(one, Exception)} <= {UploadNotFound, UploadIncomplete}
    desk.check()


@pytest.mark.parametrize("attempt", range(4))
def test_uploads_and_deletions_of_one_name_at_once_lose_no_bytes_and_leave_no_orphans(desk: Desk, attempt: int) -> None:
    del attempt
    file_key = desk.upload("a.csv", b"0").file_key
    uploads = [desk.start("a.csv", os.urandom(10)) for _ in range(3)]
    completing: list[Work] = [lambda one=one: desk.complete(desk.who, one.upload_id) for one in uploads]  # type: ignore[misc]  # a default binds it
    small: list[Work] = [lambda: desk.small(desk.who, "a.csv", b"small", None, desk.session.session_id)] * 2
    deleting: list[Work] = [lambda: desk.remove(desk.who, file_key)] * 3
    came = at_once([*completing, *small, *deleting])
    assert {type(one) for one in came if isinstance(one, Exception)} <= {FileNotFound}
    desk.check()
