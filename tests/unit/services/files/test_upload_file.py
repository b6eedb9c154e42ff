"""A small file from a person."""

import pytest

from satchel.contract import safe_name
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import SessionEnded, SessionNotFound, TooLarge
from satchel.domain.files import FileInfo, FileRecord, Source
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.mark.clause("v2.1:input:stored")
def test_a_file_is_stored_and_listed(world: World) -> None:
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


def test_a_file_needs_no_session(world: World) -> None:
    assert world.use_cases.upload_file(ALICE, "a.csv", b"", None, None).session_id is None


@pytest.mark.clause("v2.1:storage:prefix", "v2.1:input:normalised")
@pytest.mark.parametrize(
    "raw", ["../../malicious.txt", "..\\..\\..\\windows\\system32\\file", "a\0b.csv", "", ".", "con", "ü" * 300, "-rf"]
)
def test_whatever_a_file_is_called_it_lies_in_its_owners_uploads(world: World, raw: str) -> None:
    record = world.use_cases.upload_file(ALICE, raw, b"x", None, None)
    assert record.name == safe_name(raw)
    assert record.key == f"{ALICE.name}/uploads/20240827/{record.file_key}/{record.name}"
    assert (record.raw_name, "/" in record.name) == (raw, False)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, "text/csv"),
        ("", "text/csv"),
        ("Text/Plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("nonsense", "application/octet-stream"),
        ("text/html\r\nX: y", "application/octet-stream"),
    ],
)
def test_the_type_is_what_was_said_where_it_is_one_else_by_the_name(world: World, said: str | None, kept: str) -> None:
    assert world.use_cases.upload_file(ALICE, "sales.csv", b"x", said, None).mime == kept


def test_a_file_that_is_too_large_for_this_way_in_is_refused_with_the_limit(world: World) -> None:
    with pytest.raises(TooLarge) as refused:
        world.use_cases.upload_file(ALICE, "a.csv", bytes(1001), None, None)
    assert refused.value.details == {"limit_bytes": 1000}
    assert (world.store.written, world.files.list(ALICE.name, 10, None).items) == ([], [])
    world.use_cases.upload_file(ALICE, "a.csv", bytes(1000), None, None)


def test_somebody_elses_session_is_not_there(world: World) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.upload_file(ALICE, "a.csv", b"x", None, world.session(BOB).session_id)
    assert world.store.written == []


def test_a_session_that_ended_takes_no_more_files(world: World) -> None:
    session = world.session()
    world.use_cases.end_session(ALICE, session.session_id)
    with pytest.raises(SessionEnded):
        world.use_cases.upload_file(ALICE, "a.csv", b"x", None, session.session_id)


def test_the_same_name_again_in_a_session_is_a_new_version(world: World) -> None:
    session = world.session()
    first, second = world.upload("a.csv", b"1", session), world.upload("a.csv", b"22", session)
    assert (second.file_key, second.version, second.size) == (first.file_key, 2, 2)
    assert world.files.get_version(ALICE.name, first.file_key, 1) == first
    assert {world.store.objects[key].body for key in (first.key, second.key)} == {b"1", b"22"}


def test_the_same_name_in_another_session_is_another_file(world: World) -> None:
    first, second = world.upload("a.csv", session=world.session()), world.upload("a.csv", session=world.session())
    library = world.upload("a.csv")
    assert len({first.file_key, second.file_key, library.file_key}) == 3
    assert {first.version, second.version, library.version} == {1}


def test_two_names_that_meet_when_made_safe_are_two_files(world: World) -> None:
    session = world.session()
    one, other = world.upload("a?.csv", session=session), world.upload("a*.csv", session=session)
    assert (one.name, other.name) == ("a_.csv", "a_ (2).csv")
    again = world.upload("a*.csv", session=session)
    assert (again.name, again.version) == ("a_ (2).csv", 2)


def test_what_a_tool_makes_leaves_an_upload_of_that_name_alone(world: World) -> None:
    session = world.session()
    upload = world.upload("sales.csv", session=session)
    call = world.call(world.turn(session))
    result = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "sales.csv")]))
    assert [a.name for a in result.artifacts] == ["sales (2).csv"]
    assert world.files.get(ALICE.name, upload.file_key) == upload


def test_nobody_sees_that_somebody_else_has_a_file_of_that_name(world: World) -> None:
    world.upload("a.csv", who=BOB)
    assert world.upload("a.csv").name == "a.csv"
