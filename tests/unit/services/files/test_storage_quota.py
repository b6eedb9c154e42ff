"""Uploads and files of tools when the user's storage quota is used up."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.errors import StorageFull, TooManyUploads
from satchel.domain.ids import FileKey
from satchel.settings import QuotaSettings
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, call_step


@pytest.fixture(autouse=True)
def _small_quota(world: World) -> None:
    world.quotas = QuotaSettings(user_stored_bytes=100, user_uploads=2)


def test_upload_that_fills_the_quota_is_stored_and_the_next_one_is_not(world: World) -> None:
    world.upload("a", b"a" * 60)
    world.upload("b", b"b" * 40)

    with pytest.raises(StorageFull) as raised:
        world.upload("c", b"c")

    assert raised.value.details == {"quota": "stored_bytes", "limit": 100, "used": 100}
    assert raised.value.message == (
        "The file has 1 bytes, but your files and uploads in progress already take 100 of 100 bytes. "
        "Delete files, then try again."
    )
    assert sorted(file.name for file in world.files.list_all()) == ["a", "b"]
    assert not [key for key in world.store.objects if key.endswith("/c")]


def test_all_versions_of_a_file_count(world: World) -> None:
    world.upload("a", b"a" * 60)

    with pytest.raises(StorageFull):
        world.upload("a", b"b" * 60)


def test_deleted_file_makes_room(world: World) -> None:
    record = world.upload("a", b"a" * 100)
    world.use_cases.remove_file(ALICE, record.file_key)

    world.upload("b", b"b" * 100)


def test_full_quota_of_one_user_does_not_affect_another(world: World) -> None:
    world.upload("a", b"a" * 100)

    world.upload("a", b"a" * 100, who=BOB)


def test_upload_in_progress_reserves_its_size(world: World) -> None:
    world.use_cases.begin_upload(ALICE, "large", 80, None, None)

    with pytest.raises(StorageFull):
        world.use_cases.begin_upload(ALICE, "other", 30, None, None)
    with pytest.raises(StorageFull):
        world.upload("small", b"s" * 30)
    world.upload("small", b"s" * 20)


def test_refused_upload_leaves_nothing_in_the_store(world: World) -> None:
    world.upload("a", b"a" * 100)

    with pytest.raises(StorageFull):
        world.use_cases.begin_upload(ALICE, "large", 80, None, None)

    assert world.uploads.stored == {}
    assert world.parts.bodies == {}


def test_upload_past_the_limit_is_refused_with_the_list_to_look_at(world: World) -> None:
    for name in ("a", "b"):
        world.use_cases.begin_upload(ALICE, name, 1, None, None)

    with pytest.raises(TooManyUploads, match="GET /api/files/uploads lists them") as raised:
        world.use_cases.begin_upload(ALICE, "c", 1, None, None)

    assert raised.value.details == {"quota": "uploads", "limit": 2, "used": 2}


def test_aborted_and_expired_uploads_do_not_count(world: World) -> None:
    aborted = world.use_cases.begin_upload(ALICE, "a", 60, None, None)
    expired = world.use_cases.begin_upload(ALICE, "b", 40, None, None)
    world.use_cases.abort_upload(ALICE.name, aborted.upload_id)
    world.use_cases.begin_upload(ALICE, "c", 60, None, None)
    with pytest.raises(TooManyUploads):
        world.use_cases.begin_upload(ALICE, "d", 40, None, None)

    world.clock.advance((expired.expires_at - world.clock.now()).total_seconds())

    world.use_cases.begin_upload(ALICE, "d", 100, None, None)
    assert [upload.file.name for upload in world.uploads.stored.values()] == ["d"]


def test_files_of_tools_exceed_the_quota_by_a_tenth_and_no_more(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise")
    files = [world.stored_file(call, f"{index}.html", b"x" * 55, index) for index in range(3)]

    result = world.finish_call(call, RunnerReport(results={"rows": 3}, files=files))

    assert [artifact.name for artifact in result.artifacts] == ["0.html", "1.html"]
    assert not result.is_error
    assert result.meta_data is not None
    [problem] = result.meta_data["artifact_problems"]
    assert (problem["name"], problem["code"]) == ("2.html", "E_QUOTA_EXCEEDED")
    assert problem["reason"] == (
        "The file was not stored: it has 55 bytes, and the user's files already take 110 of 100 bytes. "
        "The user must delete files before the tool can be called again."
    )


def test_repeated_recording_does_not_refuse_a_file_that_is_recorded(world: World) -> None:
    call = world.call(world.turn(world.session()), "report.summarise")
    stored = world.stored_file(call, "a.html", b"x" * 110)
    object_id = FileKey(stored.object_id)
    world.use_cases.storage_quota.check_tool_file(call.user, object_id, 110)
    world.finish_call(call, RunnerReport(files=[stored]))

    world.use_cases.storage_quota.check_tool_file(call.user, object_id, 110)
    world.use_cases.record_tool_result(call_step(call))
