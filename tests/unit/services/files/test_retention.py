"""Permanent files, and the deletion of files."""

import pytest

from satchel.domain.errors import FileNotFound, SessionEnded
from satchel.domain.files import FileRecord, Source
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

HOUR = 3600


def names(world: World) -> list[str]:
    """Return the names of Alice's files."""
    return sorted(record.name for record in world.files.list(ALICE.name, 100, None).items)


# Permanent files


def test_deferred_file_can_be_made_permanent(world: World) -> None:
    record = world.tool_file(world.session(), "draft.docx", expires_hours=72)
    assert world.store.objects[record.key].tags == {"expire-days": "7"}
    stored = world.use_cases.keep_file(ALICE, record.file_key)
    assert stored == record.model_copy(
        update={"source": Source.GENERATED, "expires_at": None, "reason": None, "next_actions": []}
    )
    assert world.store.objects[record.key].tags == {}
    world.clock.advance(400 * 24 * HOUR)
    assert world.use_cases.sweep(lambda: True).files == 0
    assert world.use_cases.read_files(ALICE, record.file_key) == stored
    assert world.use_cases.keep_file(ALICE, record.file_key) == stored


def test_expired_file_or_file_of_another_user_cannot_be_made_permanent(world: World) -> None:
    record = world.tool_file(world.session(), "draft.docx", expires_hours=1)
    with pytest.raises(FileNotFound):
        world.use_cases.keep_file(BOB, record.file_key)
    world.clock.advance(HOUR)
    with pytest.raises(FileNotFound):
        world.use_cases.keep_file(ALICE, record.file_key)


def test_temporary_file_made_permanent_outlives_its_session(world: World) -> None:
    session = world.session()
    record = world.tool_file(session, "scratch.html", temporary=True)
    world.use_cases.keep_file(ALICE, record.file_key)
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_files(ALICE, record.file_key).temporary is False


def test_temporary_file_of_an_ended_session_cannot_be_made_permanent(world: World) -> None:
    session = world.session()
    record = world.tool_file(session, "scratch.html", temporary=True)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    with pytest.raises(SessionEnded):
        world.use_cases.keep_file(ALICE, record.file_key)


def test_deletion_tag_is_removed_before_the_record_changes(world: World) -> None:
    record = world.tool_file(world.session(), "draft.docx", expires_hours=72)

    def fail(_record: object, *, while_open: bool) -> FileRecord:
        assert (while_open, world.store.objects[record.key].tags) == (False, {})
        raise OSError("the table was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.file_reaper, "promote", fail)
        with pytest.raises(OSError, match="away"):
            world.use_cases.keep_file(ALICE, record.file_key)
    assert world.use_cases.read_files(ALICE, record.file_key) == record


# Deletion


def test_file_can_be_deleted_once_and_only_by_its_owner(world: World) -> None:
    record = world.upload("sales.csv")
    with pytest.raises(FileNotFound):
        world.use_cases.remove_file(BOB, record.file_key)
    assert names(world) == ["sales.csv"]
    world.use_cases.remove_file(ALICE, record.file_key)
    with pytest.raises(FileNotFound):
        world.use_cases.remove_file(ALICE, record.file_key)


def test_all_versions_are_deleted_and_the_name_is_free(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", b"1", session)
    record = world.upload("sales.csv", b"22", session)
    world.use_cases.remove_file(ALICE, record.file_key)
    assert (world.store.objects, world.files.get_version(ALICE.name, record.file_key, 1)) == ({}, None)
    new = world.upload("sales.csv", session=session)
    assert (new.name, new.version, new.file_key != record.file_key) == ("sales.csv", 1, True)


def test_record_is_deleted_before_the_bytes(world: World) -> None:
    record = world.upload("sales.csv")
    found: list[FileRecord | None] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.store, "delete", lambda _keys: found.append(world.files.get(ALICE.name, record.file_key)))
        world.use_cases.remove_file(ALICE, record.file_key)
    assert found == [None]
