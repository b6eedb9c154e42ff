"""Uploading a file in parts."""

from datetime import timedelta

import pytest

from satchel.contract import ToolOutput
from satchel.domain.errors import (
    InvalidRequest,
    SessionEnded,
    SessionNotFound,
    UploadIncomplete,
    UploadNotFound,
    UploadOverLimit,
)
from satchel.domain.files import Source
from satchel.domain.ids import SessionId
from satchel.domain.uploads import PART_BYTES, Part, Upload
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.wiring import MAX_FILE_BYTES
from tests.unit.services.world import World

SUM = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
TWO_PARTS = PART_BYTES + 3


def begin(world: World, size: int = 3, name: str = "a.csv", session_id: SessionId | None = None) -> Upload:
    world.clock.advance(1)
    return world.use_cases.begin_upload(ALICE, name, size, None, session_id)


def send(world: World, upload: Upload) -> None:
    for number in range(1, upload.part_count + 1):
        world.parts.put(upload, number, b"x" * upload.size_of(number))


def test_file_is_listed_when_its_upload_is_complete(world: World) -> None:
    session = world.session()
    upload = begin(world, TWO_PARTS, session_id=session.session_id)
    send(world, upload)
    assert world.files.list(ALICE.name, 10, None).items == []

    record = world.use_cases.complete_upload(ALICE, upload.upload_id)

    assert (record.name, record.size, record.mime, record.source) == ("a.csv", TWO_PARTS, "text/csv", Source.UPLOADED)
    assert record.key == f"{ALICE.name}/uploads/20240827/{upload.upload_id}/a.csv"
    assert len(world.store.objects[record.key].body) == TWO_PARTS
    assert list(world.files.list_for_session(ALICE.name, session.session_id)) == [record]
    assert world.use_cases.read_uploads.list(ALICE, 10, None).items == []


def test_completing_again_returns_the_same_file(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id) == world.use_cases.complete_upload(
        ALICE, upload.upload_id
    )


def test_same_name_again_is_a_new_version(world: World) -> None:
    small = world.upload("a.csv", b"1")
    upload = begin(world)
    send(world, upload)
    record = world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert (record.file_key, record.version) == (small.file_key, 2)


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_file_over_the_limit_is_rejected_before_the_upload_with_the_specified_error(world: World) -> None:
    begin(world, MAX_FILE_BYTES)
    with pytest.raises(UploadOverLimit) as refused:
        begin(world, 107374182400)
    output = ToolOutput.model_validate(refused.value.details)
    assert (refused.value.code, output.envelope()) == (
        "E_FILE_TOO_LARGE",
        {
            "results": {"error": "Uploaded file exceeds processing limits"},
            "meta_data": {
                "is_error": True,
                "reason": "FileSizeExceeded",
                "error_code": "E_FILE_TOO_LARGE",
                "details": {
                    "file_size_bytes": 107374182400,
                    "current_limit_bytes": 53687091200,
                    "suggestion": "Consider uploading a part or a summary of it",
                },
                "retryable": False,
            },
        },
    )
    assert len(world.parts.mimes) == 1


def test_missing_and_short_parts_are_named_and_can_be_sent_later(world: World) -> None:
    upload = begin(world, 3 * PART_BYTES)
    world.parts.put(upload, 2, b"x" * PART_BYTES)
    world.parts.put(upload, 3, b"x")
    with pytest.raises(UploadIncomplete) as refused:
        world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert refused.value.details == {"missing": [1, 3], "part_count": 3}
    send(world, upload)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id).size == 3 * PART_BYTES


def test_completion_interrupted_after_the_join_can_be_repeated(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    world.parts.complete(upload, world.parts.list_parts(upload, 10, None).items)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id).size == 3


def test_object_of_a_wrong_size_is_never_listed(world: World) -> None:
    upload = begin(world)
    world.put(upload.file.key, b"something else")
    with pytest.raises(UploadNotFound):
        world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert (world.store.objects, world.uploads.stored) == ({}, {})
    assert world.files.list(ALICE.name, 10, None).items == []


def test_aborted_upload_leaves_nothing(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    world.use_cases.abort_upload(ALICE.name, upload.upload_id)
    assert (world.uploads.stored, world.parts.aborted) == ({}, [upload.store_id])
    for again in (
        lambda: world.use_cases.abort_upload(ALICE.name, upload.upload_id),
        lambda: world.use_cases.complete_upload(ALICE, upload.upload_id),
        lambda: world.use_cases.read_uploads(ALICE, upload.upload_id),
    ):
        with pytest.raises(UploadNotFound):
            again()


def test_completed_upload_cannot_be_aborted(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    record = world.use_cases.complete_upload(ALICE, upload.upload_id)
    with pytest.raises(UploadNotFound):
        world.use_cases.abort_upload(ALICE.name, upload.upload_id)
    assert record.key in world.store.objects


def test_upload_is_swept_after_a_day(world: World) -> None:
    old = begin(world)
    world.clock.advance(timedelta(days=1).total_seconds() - 1)
    young = begin(world)
    assert world.use_cases.sweep.uploads(10) == 1
    assert list(world.uploads.stored) == [(ALICE.name, young.upload_id)]
    assert world.parts.aborted == [old.store_id]


def test_expired_upload_is_not_found_before_the_sweep(world: World) -> None:
    upload = begin(world)
    world.clock.advance(timedelta(days=1).total_seconds())
    with pytest.raises(UploadNotFound):
        world.use_cases.read_uploads(ALICE, upload.upload_id)
    assert world.use_cases.read_uploads.list(ALICE, 10, None).items == []


def test_upload_of_another_user_is_not_found(world: World) -> None:
    upload = begin(world)
    for ask in (
        lambda: world.use_cases.read_uploads(BOB, upload.upload_id),
        lambda: world.use_cases.complete_upload(BOB, upload.upload_id),
        lambda: world.use_cases.abort_upload(BOB.name, upload.upload_id),
    ):
        with pytest.raises(UploadNotFound):
            ask()


def test_session_must_be_open_at_begin_and_completion(world: World) -> None:
    with pytest.raises(SessionNotFound):
        begin(world, session_id=world.session(BOB).session_id)
    session = world.session()
    upload = begin(world, session_id=session.session_id)
    send(world, upload)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    with pytest.raises(SessionEnded):
        begin(world, session_id=session.session_id)
    with pytest.raises(SessionEnded):
        world.use_cases.complete_upload(ALICE, upload.upload_id)


def test_signed_part_has_offset_size_and_expiry(world: World) -> None:
    upload = begin(world, TWO_PARTS)
    [signed] = world.use_cases.sign_parts(upload, [Part(number=2, sha256=SUM)])
    assert (signed.number, signed.offset, signed.size) == (2, PART_BYTES, 3)
    assert signed.headers == {"x-checksum": SUM}
    assert signed.expires_at == world.clock.now() + timedelta(minutes=15)


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_part_outside_of_the_file_is_not_signed(world: World, number: int) -> None:
    with pytest.raises(InvalidRequest):
        world.use_cases.sign_parts(begin(world, TWO_PARTS), [Part(number=number, sha256=SUM)])
