"""Multipart uploads with the real adapters, single and concurrent; each test checks table and bucket."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

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
from satchel.services.files.storage_quota import StorageQuota
from satchel.services.files.upload_file import UploadFile
from satchel.services.files.upload_parts import AbortUpload, BeginUpload, CompleteUpload, ReadUploads, SweepUploads
from satchel.settings import QuotaSettings
from tests.fakes.system import FakeClock, FakeMetrics
from tests.hashes import base64_sha256
from tests.integration.aws.factories import run_concurrently

MAX_BYTES = 50 << 30
CONCURRENCY = 10
Operation = Callable[[], object]


@dataclass
class Uploader:
    """The upload use cases of one user on moto, and a check of what they stored."""

    table: Table
    store: S3Files
    session: Session
    clock: FakeClock
    bodies: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.identity = Identity(name=self.session.user, groups=frozenset({"users"}))
        self.files, sessions = DynamoFiles(self.table), DynamoSessions(self.table)
        uploads, self.parts = DynamoUploads(self.table), S3Uploads(self.store.client, self.store.bucket)
        storage = StorageQuota(self.files, uploads, QuotaSettings().quotas)
        self.read = ReadUploads(uploads, self.parts, self.clock)
        self.abort = AbortUpload(uploads, self.parts, self.store)
        self.begin = BeginUpload(
            sessions, uploads, self.parts, self.clock, os.urandom, MAX_BYTES, self.abort, storage, max_uploads=100
        )
        self.complete = CompleteUpload(
            self.read, sessions, self.files, self.store, self.abort, MAX_BYTES, FakeMetrics()
        )
        self.sweep = SweepUploads(uploads, self.abort, self.clock)
        self.upload_whole = UploadFile(
            sessions, self.files, self.store, self.clock, os.urandom, MAX_BYTES, FakeMetrics(), storage
        )
        self.remove = RemoveFile(self.files, self.store)

    def start(self, name: str, body: bytes, *, send: bool = True) -> Upload:
        upload = self.begin(self.identity, name, len(body), None, self.session.session_id)
        self.bodies[upload.upload_id] = body
        if send:
            for number in range(1, upload.part_count + 1):
                self.send(upload, number)
        return upload

    def send(self, upload: Upload, number: int) -> None:
        """Store a part, as a client with a presigned URL does."""
        first = upload.offset_of(number)
        part = self.bodies[upload.upload_id][first : first + upload.size_of(number)]
        self.store.client.upload_part(
            Bucket=self.store.bucket,
            Key=upload.file.key,
            UploadId=upload.store_id,
            PartNumber=number,
            Body=part,
            ChecksumSHA256=base64_sha256(part),
        )

    def upload(self, name: str, body: bytes) -> FileRecord:
        return self.complete(self.identity, self.start(name, body).upload_id)

    def versions(self) -> list[FileRecord]:
        """Return every version of every file in the table."""
        items = self.table.query_all(f"USER#{self.identity.name}", "VERSION#")
        return [FileRecord.model_validate_json(str(item["doc"])) for item in items]

    def keys(self) -> list[str]:
        """Return the keys of all of the user's objects, including old versions and unfinished uploads."""
        client, prefix = self.store.client, f"{self.identity.name}/"
        pages = client.get_paginator("list_object_versions").paginate(Bucket=self.store.bucket, Prefix=prefix)
        versions = [
            each["Key"] for page in pages for each in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        ]
        unfinished = client.list_multipart_uploads(Bucket=self.store.bucket).get("Uploads", [])
        return sorted(versions + [each["Key"] for each in unfinished if each["Key"].startswith(prefix)])

    def check(self) -> None:
        """Assert that versions and objects match, each file has a unique name, and no upload is left."""
        versions = self.versions()
        assert sorted(version.key for version in versions) == self.keys()
        for version in versions:
            assert self.store.read(version.key, MAX_BYTES) == self.bodies.get(version.object_id, b"small")
        newest = {version.file_key: version for version in versions}
        listed = self.files.list_for_session(self.identity.name, self.session.session_id)
        assert {file.file_key: file for file in listed} == newest
        assert len({file.name for file in listed}) == len(listed)
        sort_keys = [str(item["sk"]) for item in self.table.query_all(f"USER#{self.identity.name}", "")]
        kinds = [sk.partition("#")[0] for sk in sort_keys]
        expected = {"VERSION": len(versions), "OBJECT": len(versions), "FILE": len(newest), "NAME": len(newest)}
        assert {kind: kinds.count(kind) for kind in (*expected, "UPLOAD")} == expected | {"UPLOAD": 0}


@pytest.fixture
def uploader(table: Table, store: S3Files, session: Session, clock: FakeClock) -> Uploader:
    return Uploader(table, store, session, clock)


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, PART_BYTES + 1])
def test_parts_become_the_file(uploader: Uploader, size: int) -> None:
    body = os.urandom(size)
    record = uploader.upload("a.csv", body)
    head = uploader.store.head(record.key)
    assert head is not None
    assert (record.size, head.size, head.mime) == (size, size, "text/csv")
    uploader.check()


def test_stored_parts_are_listed_by_number_with_checksums_in_pages(uploader: Uploader) -> None:
    upload = uploader.start("a.bin", b"ab" * PART_BYTES, send=False)
    for number in (2, 1):
        uploader.send(upload, number)
    first = uploader.read.stored(upload, 1, None)
    second = uploader.read.stored(upload, 1, first.cursor)
    assert [(part.number, part.size, part.sha256) for part in first.items + second.items] == [
        (number, PART_BYTES, base64_sha256(b"ab" * (PART_BYTES // 2))) for number in (1, 2)
    ]
    assert second.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "eA==", "LTE=", "MTAwMDE=", "8J+YgA=="])
def test_invalid_cursor_of_parts_is_rejected(uploader: Uploader, cursor: str) -> None:
    upload = uploader.start("a.bin", b"x")
    with pytest.raises(InvalidRequest):
        uploader.read.stored(upload, 10, cursor)


def test_upload_is_listed_until_it_is_complete(uploader: Uploader) -> None:
    uploads = [uploader.start(f"{number}.csv", b"x") for number in range(3)]
    listed = uploader.read.list(uploader.identity, 2, None)
    rest = uploader.read.list(uploader.identity, 2, listed.cursor)
    assert sorted(each.upload_id for each in listed.items + rest.items) == sorted(each.upload_id for each in uploads)
    for upload in uploads:
        uploader.complete(uploader.identity, upload.upload_id)
    assert uploader.read.list(uploader.identity, 2, None).items == []
    uploader.check()


def test_early_completion_names_missing_parts_and_can_be_repeated(uploader: Uploader) -> None:
    upload = uploader.start("a.bin", b"x" * (PART_BYTES + 1), send=False)
    uploader.send(upload, 2)
    with pytest.raises(UploadIncomplete) as raised:
        uploader.complete(uploader.identity, upload.upload_id)
    assert raised.value.details["missing"] == [1]
    uploader.send(upload, 1)
    uploader.complete(uploader.identity, upload.upload_id)
    uploader.check()


def test_aborted_upload_leaves_nothing_in_bucket_or_table(uploader: Uploader) -> None:
    uploader.abort(uploader.identity.name, uploader.start("a.bin", b"x").upload_id)
    assert uploader.keys() == []
    uploader.check()


def test_sweep_removes_expired_uploads_only(uploader: Uploader) -> None:
    old, complete = uploader.start("old.bin", b"x"), uploader.upload("complete.bin", b"y")
    uploader.clock.advance(24 * 3600)
    young = uploader.start("young.bin", b"z")
    while uploader.sweep(100):
        continue
    with pytest.raises(UploadNotFound):
        uploader.complete(uploader.identity, old.upload_id)
    assert uploader.keys() == sorted([complete.key, young.file.key])
    uploader.complete(uploader.identity, young.upload_id)
    uploader.check()


def test_concurrent_uploads_of_one_name_are_versions_of_one_file(uploader: Uploader) -> None:
    uploads = [uploader.start("a.csv", os.urandom(100)) for _ in range(CONCURRENCY)]
    results = run_concurrently([partial(uploader.complete, uploader.identity, upload.upload_id) for upload in uploads])
    assert sorted(each.version for each in results if isinstance(each, FileRecord)) == list(range(1, CONCURRENCY + 1))
    assert len({each.file_key for each in results if isinstance(each, FileRecord)}) == 1
    uploader.check()


def test_concurrent_uploads_of_colliding_names_are_separate_files(uploader: Uploader) -> None:
    uploads = [uploader.start(f"{number}/a.csv", os.urandom(100)) for number in range(CONCURRENCY)]
    results = run_concurrently([partial(uploader.complete, uploader.identity, upload.upload_id) for upload in uploads])
    names = {each.name for each in results if isinstance(each, FileRecord)}
    assert names == {"a.csv", *(f"a ({number}).csv" for number in range(2, CONCURRENCY + 1))}
    uploader.check()


def test_concurrent_completions_create_one_file(uploader: Uploader) -> None:
    upload = uploader.start("a.csv", b"x")
    results = run_concurrently([lambda: uploader.complete(uploader.identity, upload.upload_id)] * CONCURRENCY)
    assert [each for each in results if not isinstance(each, FileRecord)] == []
    assert results == uploader.versions() * CONCURRENCY
    uploader.check()


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_completion_and_abort_leave_all_or_nothing(uploader: Uploader, attempt: int) -> None:
    del attempt
    upload = uploader.start("a.csv", b"x")
    completing: list[Operation] = [lambda: uploader.complete(uploader.identity, upload.upload_id)] * 3
    aborting: list[Operation] = [lambda: uploader.abort(uploader.identity.name, upload.upload_id)] * 3
    results = run_concurrently([*completing, *aborting])
    assert {type(each) for each in results if isinstance(each, Exception)} <= {UploadNotFound, UploadIncomplete}
    uploader.check()


@pytest.mark.parametrize("attempt", range(4))
def test_concurrent_uploads_and_deletions_leave_no_orphans(uploader: Uploader, attempt: int) -> None:
    del attempt
    file_key = uploader.upload("a.csv", b"0").file_key
    uploads = [uploader.start("a.csv", os.urandom(10)) for _ in range(3)]
    completing: list[Operation] = [
        partial(uploader.complete, uploader.identity, upload.upload_id) for upload in uploads
    ]
    whole: list[Operation] = [
        lambda: uploader.upload_whole(uploader.identity, "a.csv", b"small", None, uploader.session.session_id)
    ] * 2
    deleting: list[Operation] = [lambda: uploader.remove(uploader.identity, file_key)] * 3
    results = run_concurrently([*completing, *whole, *deleting])
    assert {type(each) for each in results if isinstance(each, Exception)} <= {FileNotFound}
    uploader.check()
