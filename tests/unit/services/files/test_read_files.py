"""Reading and listing the user's files."""

import pytest

from satchel.domain.errors import FileNotFound, SessionNotFound
from satchel.domain.files import FileFilter, FileRecord
from satchel.domain.ids import FileKey
from satchel.domain.sessions import Session
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def upload_expiring(world: World, name: str, session: Session | None = None) -> FileRecord:
    """Upload a file that expires in one hour."""
    return world.expire_after(world.upload(name, session=session))


def names(records: list[FileRecord]) -> list[str]:
    return [record.name for record in records]


def test_file_is_read_by_its_key(world: World) -> None:
    record = world.upload("a.csv")
    assert world.use_cases.read_files(ALICE, record.file_key) == record


@pytest.mark.clause("v2.1:storage:apart")
def test_file_of_another_user_is_not_found(world: World) -> None:
    record = world.upload("a.csv", who=BOB)
    with pytest.raises(FileNotFound):
        world.use_cases.read_files(ALICE, record.file_key)
    with pytest.raises(FileNotFound):
        world.use_cases.read_files(ALICE, FileKey("f" + "0" * 26))


def test_file_expires_to_the_second(world: World) -> None:
    record = upload_expiring(world, "a.csv")
    world.clock.advance(3599.5)
    assert world.use_cases.read_files(ALICE, record.file_key) == record
    world.clock.advance(0.5)
    with pytest.raises(FileNotFound):
        world.use_cases.read_files(ALICE, record.file_key)


def test_files_are_listed_newest_first_in_pages(world: World) -> None:
    for name in ("a", "b", "c"):
        world.upload(name)
    world.upload("theirs", who=BOB)
    page = world.use_cases.read_files.list(ALICE, FileFilter(), 2, None)
    assert names(page.items) == ["c", "b"]
    rest = world.use_cases.read_files.list(ALICE, FileFilter(), 2, page.cursor)
    assert (names(rest.items), rest.cursor) == (["a"], None)


@pytest.mark.clause("v2.1:storage:my-files")
def test_files_of_one_session_are_listed_newest_first(world: World) -> None:
    session = world.session()
    world.upload("a", session=session)
    world.upload("elsewhere")
    world.upload("b", session=session)
    assert names(world.use_cases.read_files.list(ALICE, FileFilter(session_id=session.session_id), 50, None).items) == [
        "b",
        "a",
    ]


def test_session_of_another_user_is_not_found(world: World) -> None:
    session = world.session(BOB)
    with pytest.raises(SessionNotFound):
        world.use_cases.read_files.list(ALICE, FileFilter(session_id=session.session_id), 50, None)


@pytest.mark.clause("v2.1:deferred:expired")
def test_expired_files_are_not_listed(world: World) -> None:
    session = world.session()
    upload_expiring(world, "old", session)
    world.upload("new", session=session)
    world.clock.advance(3600)
    assert names(world.use_cases.read_files.list(ALICE, FileFilter(), 50, None).items) == ["new"]
    assert names(world.use_cases.read_files.list(ALICE, FileFilter(session_id=session.session_id), 50, None).items) == [
        "new"
    ]


# Content


@pytest.mark.clause("v2.1:processing:b64")
def test_small_file_has_content_and_a_larger_one_has_none(world: World) -> None:
    small, large = world.upload("a", bytes(100)), world.upload("b", bytes(101))
    assert world.use_cases.read_files.content(small) == bytes(100)
    assert world.use_cases.read_files.content(large) is None


def test_content_of_an_empty_file_is_empty_bytes(world: World) -> None:
    assert world.use_cases.read_files.content(world.upload("a", b"")) == b""


def test_content_of_a_file_without_bytes_raises_file_not_found(world: World) -> None:
    record = world.upload("a", b"x")
    world.store.delete([record.key])
    with pytest.raises(FileNotFound):
        world.use_cases.read_files.content(record)
