"""A file of any size from a person, a part at a time."""

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
from satchel.domain.uploads import PART_BYTES, Part, Upload
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.wiring import MAX_FILE_BYTES
from tests.unit.services.world import World

SUM = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
TWO_PARTS = PART_BYTES + 3


def begin(world: World, size: int = 3, name: str = "a.csv", session_id: str | None = None) -> Upload:
    world.clock.travel(1)
    return world.use_cases.begin_upload(ALICE, name, size, None, session_id)


def send(world: World, upload: Upload) -> None:
    for number in range(1, upload.part_count + 1):
        world.parts.put(upload, number, b"x" * upload.size_of(number))


def test_a_file_is_not_there_before_it_is_complete_and_then_as_any_upload(world: World) -> None:
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


def test_completing_again_gives_the_same_file(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id) == world.use_cases.complete_upload(
        ALICE, upload.upload_id
    )


def test_the_same_name_again_is_a_new_version(world: World) -> None:
    small = world.upload("a.csv", b"1")
    upload = begin(world)
    send(world, upload)
    record = world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert (record.file_key, record.version) == (small.file_key, 2)


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_a_file_over_the_limit_is_refused_before_a_byte_is_sent_in_the_words_of_the_specification(world: World) -> None:
    begin(world, MAX_FILE_BYTES)
    with pytest.raises(UploadOverLimit) as refused:
        begin(world, 107374182400)
    told = ToolOutput.model_validate(refused.value.details)
    assert (refused.value.code, told.envelope()) == (
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


def test_parts_that_are_missing_or_too_short_are_named_and_can_be_sent_then(world: World) -> None:
    upload = begin(world, 3 * PART_BYTES)
    world.parts.put(upload, 2, b"x" * PART_BYTES)
    world.parts.put(upload, 3, b"x")
    with pytest.raises(UploadIncomplete) as refused:
        world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert refused.value.details == {"missing": [1, 3], "part_count": 3}
    send(world, upload)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id).size == 3 * PART_BYTES


def test_an_attempt_that_broke_off_behind_the_store_is_finished_by_the_next(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    world.parts.complete(upload, world.parts.list_parts(upload, 10, None).items)
    assert world.use_cases.complete_upload(ALICE, upload.upload_id).size == 3


def test_an_object_of_another_size_than_was_said_is_never_listed(world: World) -> None:
    upload = begin(world)
    world.put(upload.file.key, b"something else")
    with pytest.raises(UploadNotFound):
        world.use_cases.complete_upload(ALICE, upload.upload_id)
    assert (world.store.objects, world.uploads.stored) == ({}, {})
    assert world.files.list(ALICE.name, 10, None).items == []


def test_an_upload_that_is_given_up_leaves_nothing(world: World) -> None:
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


def test_what_is_complete_cannot_be_given_up(world: World) -> None:
    upload = begin(world)
    send(world, upload)
    record = world.use_cases.complete_upload(ALICE, upload.upload_id)
    with pytest.raises(UploadNotFound):
        world.use_cases.abort_upload(ALICE.name, upload.upload_id)
    assert record.key in world.store.objects


def test_after_a_day_an_upload_is_gone_and_swept(world: World) -> None:
    old = begin(world)
    world.clock.travel(timedelta(days=1).total_seconds() - 1)
    young = begin(world)
    assert world.use_cases.sweep.uploads(10) == 1
    assert list(world.uploads.stored) == [(ALICE.name, young.upload_id)]
    assert world.parts.aborted == [old.store_id]


def test_an_upload_whose_time_is_over_is_gone_before_it_is_swept(world: World) -> None:
    upload = begin(world)
    world.clock.travel(timedelta(days=1).total_seconds())
    with pytest.raises(UploadNotFound):
        world.use_cases.read_uploads(ALICE, upload.upload_id)
    assert world.use_cases.read_uploads.list(ALICE, 10, None).items == []


def test_somebody_elses_upload_is_not_there(world: World) -> None:
    upload = begin(world)
    for ask in (
        lambda: world.use_cases.read_uploads(BOB, upload.upload_id),
        lambda: world.use_cases.complete_upload(BOB, upload.upload_id),
        lambda: world.use_cases.abort_upload(BOB.name, upload.upload_id),
    ):
        with pytest.raises(UploadNotFound):
            ask()


def test_an_upload_needs_a_session_that_is_there_and_open_from_its_begin_to_its_end(world: World) -> None:
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


def test_parts_are_signed_for_a_quarter_of_an_hour_with_what_they_take(world: World) -> None:
    upload = begin(world, TWO_PARTS)
    [signed] = world.use_cases.sign_parts(upload, [Part(number=2, sha256=SUM)])
    assert (signed.number, signed.offset, signed.size) == (2, PART_BYTES, 3)
    assert signed.headers == {"x-checksum": SUM}
    assert signed.expires_at == world.clock.now() + timedelta(minutes=15)


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_a_part_that_the_file_does_not_have_is_not_signed(world: World, number: int) -> None:
    with pytest.raises(InvalidRequest):
        world.use_cases.sign_parts(begin(world, TWO_PARTS), [Part(number=number, sha256=SUM)])
