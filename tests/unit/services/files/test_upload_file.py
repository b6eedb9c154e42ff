"""Uploading a small file."""

import pytest

from satchel.contract import safe_name
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import SessionEnded, SessionNotFound, TooLarge
from satchel.domain.files import FileInfo, FileRecord, Source
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.mark.clause("v2.1:input:stored")
def test_file_is_stored_and_listed(world: World) -> None:
    session = world.session()
    record = world.use_cases.upload_file(ALICE, "sales.csv", b"a,b\n", None, session.session_id)
    assert record == FileRecord(
        object_id=record.file_key,
        file_key=record.file_key,
        key=f"{ALICE.name}/uploads/20240827/{record.file_key}/sales.csv",
        user=ALICE.name,
        session_id=session.session_id,
        name="sales.csv",
        raw_name="sales.csv",
        mime="text/csv",
        size=4,
        source=Source.UPLOADED,
        origin=record.file_key,
        created_at=world.clock.now(),
        info=FileInfo(rows=0, columns=2),
    )
    assert (world.store.objects[record.key].body, world.store.objects[record.key].mime) == (b"a,b\n", "text/csv")
    assert world.files.get(ALICE.name, record.file_key) == record


def test_session_is_optional(world: World) -> None:
    assert world.use_cases.upload_file(ALICE, "a.csv", b"", None, None).session_id is None


@pytest.mark.clause("v2.1:storage:prefix", "v2.1:input:normalised")
@pytest.mark.parametrize(
    "raw", ["../../malicious.txt", "..\\..\\..\\windows\\system32\\file", "a\0b.csv", "", ".", "con", "ü" * 300, "-rf"]
)
def test_any_name_is_stored_safely_among_the_users_uploads(world: World, raw: str) -> None:
    record = world.use_cases.upload_file(ALICE, raw, b"x", None, None)
    assert record.name == safe_name(raw)
    assert record.key == f"{ALICE.name}/uploads/20240827/{record.file_key}/{record.name}"
    assert (record.raw_name, "/" in record.name) == (raw, False)


@pytest.mark.parametrize(
    ("mime", "stored_mime"),
    [
        (None, "text/csv"),
        ("", "text/csv"),
        ("Text/Plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("nonsense", "application/octet-stream"),
        ("text/html\r\nX: y", "application/octet-stream"),
    ],
)
def test_mime_type_is_the_given_one_if_valid_or_follows_from_the_name(
    world: World, mime: str | None, stored_mime: str
) -> None:
    assert world.use_cases.upload_file(ALICE, "sales.csv", b"x", mime, None).mime == stored_mime


def test_too_large_file_is_rejected_with_the_limit(world: World) -> None:
    with pytest.raises(TooLarge) as refused:
        world.use_cases.upload_file(ALICE, "a.csv", bytes(1001), None, None)
    assert refused.value.details == {"limit_bytes": 1000}
    assert (world.store.written, world.files.list(ALICE.name, 10, None).items) == ([], [])
    world.use_cases.upload_file(ALICE, "a.csv", bytes(1000), None, None)


def test_session_of_another_user_is_not_found(world: World) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.upload_file(ALICE, "a.csv", b"x", None, world.session(BOB).session_id)
    assert world.store.written == []


def test_ended_session_accepts_no_files(world: World) -> None:
    session = world.session()
    world.use_cases.end_session(ALICE, session.session_id)
    with pytest.raises(SessionEnded):
        world.use_cases.upload_file(ALICE, "a.csv", b"x", None, session.session_id)


def test_same_name_in_a_session_is_a_new_version(world: World) -> None:
    session = world.session()
    first, second = world.upload("a.csv", b"1", session), world.upload("a.csv", b"22", session)
    assert (second.file_key, second.version, second.size) == (first.file_key, 2, 2)
    assert world.files.get_version(ALICE.name, first.file_key, 1) == first
    assert {world.store.objects[key].body for key in (first.key, second.key)} == {b"1", b"22"}


def test_same_name_in_another_session_is_another_file(world: World) -> None:
    first, second = world.upload("a.csv", session=world.session()), world.upload("a.csv", session=world.session())
    library = world.upload("a.csv")
    assert len({first.file_key, second.file_key, library.file_key}) == 3
    assert {first.version, second.version, library.version} == {1}


def test_different_names_with_the_same_safe_name_are_two_files(world: World) -> None:
    session = world.session()
    one, other = world.upload("a?.csv", session=session), world.upload("a*.csv", session=session)
    assert (one.name, other.name) == ("a_.csv", "a_ (2).csv")
    again = world.upload("a*.csv", session=session)
    assert (again.name, again.version) == ("a_ (2).csv", 2)


def test_file_of_a_tool_does_not_replace_an_upload_of_the_same_name(world: World) -> None:
    session = world.session()
    upload = world.upload("sales.csv", session=session)
    call = world.call(world.turn(session))
    result = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "sales.csv")]))
    assert [a.name for a in result.artifacts] == ["sales (2).csv"]
    assert world.files.get(ALICE.name, upload.file_key) == upload


def test_file_of_another_user_with_the_same_name_has_no_effect(world: World) -> None:
    world.upload("a.csv", who=BOB)
    assert world.upload("a.csv").name == "a.csv"
