"""Finding a file by key or name."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.files import FileRecord
from satchel.domain.ids import SessionId
from satchel.domain.prompt import sanitize
from satchel.services.files.read_files import find_file
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


def find(world: World, name_or_key: str, session_id: SessionId | None = None) -> FileRecord | None:
    """Find a current file of Alice."""
    return find_file(world.files, ALICE.name, session_id, name_or_key, world.clock.now())


def test_file_is_found_by_key_and_by_name(world: World) -> None:
    record = world.upload("sales.csv")
    assert find(world, record.file_key) == find(world, "sales.csv") == record


@pytest.mark.clause("v2.1:files:resolved")
def test_file_of_the_session_comes_before_the_newest(world: World) -> None:
    session = world.session()
    here = world.upload("sales.csv", session=session)
    newest = world.upload("sales.csv", session=world.session())
    assert find(world, "sales.csv", session.session_id) == here
    assert find(world, "sales.csv") == newest


def test_expired_file_does_not_hide_an_older_one(world: World) -> None:
    older = world.upload("notes.docx")
    turn = world.turn(world.session())
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "notes.docx", deferred=True, expires_hours=1)]))
    deferred = find(world, "notes.docx", turn.session_id)
    assert deferred is not None
    assert deferred != older
    world.clock.advance(3600)
    assert find(world, "notes.docx", turn.session_id) == older


def test_path_is_not_a_name(world: World) -> None:
    world.upload("sales.csv")
    assert find(world, "/tmp/sales.csv") is None
    assert find(world, "..\\sales.csv") is None
    assert find(world, "") is None


@pytest.mark.parametrize("name", ["data[1].csv", "x" * 130 + ".csv"])
def test_name_is_found_in_the_form_of_the_file_context(world: World, name: str) -> None:
    session = world.session()
    record = world.upload(name, session=session)
    world.upload("data.csv", session=session)
    context_name = sanitize(name)
    assert context_name != name
    assert find_file(world.files, ALICE.name, session.session_id, context_name, world.clock.now()) == record
    assert find_file(world.files, ALICE.name, session.session_id, context_name + "x", world.clock.now()) is None


@pytest.mark.clause("v2.1:persist:off")
def test_name_finds_no_file_of_another_session_if_files_do_not_persist(world: World) -> None:
    session, now = world.session(), world.clock.now()
    other = world.upload("theirs.csv", session=world.session())
    library = world.upload("library.csv")

    def find_here(name_or_key: str) -> FileRecord | None:
        return find_file(world.files, ALICE.name, session.session_id, name_or_key, now, across_sessions=False)

    assert find_here("theirs.csv") is None
    assert (find_here(other.file_key), find_here("library.csv")) == (other, library)
