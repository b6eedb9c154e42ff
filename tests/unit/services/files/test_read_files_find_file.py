"""What people and models call a file."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.files import FileRecord
from satchel.domain.prompt import sanitize
from satchel.services.files.read_files import find_file
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


def found(world: World, wanted: str, session_id: str | None = None) -> FileRecord | None:
    """Look for a file of Alice's now."""
    return find_file(world.files, ALICE.name, session_id, wanted, world.clock.now())


def test_a_file_is_found_by_its_key_and_by_its_name(world: World) -> None:
    record = world.upload("sales.csv")
    assert found(world, record.file_key) == found(world, "sales.csv") == record


@pytest.mark.clause("v2.1:files:resolved")
def test_the_sessions_own_file_is_meant_first_then_the_newest(world: World) -> None:
    session = world.session()
    here = world.upload("sales.csv", session=session)
    newest = world.upload("sales.csv", session=world.session())
    assert found(world, "sales.csv", session.session_id) == here
    assert found(world, "sales.csv") == newest


def test_an_expired_file_does_not_hide_an_older_one(world: World) -> None:
    kept = world.upload("notes.docx")
    turn = world.turn(world.session())
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "notes.docx", deferred=True, expires_hours=1)]))
    waiting = found(world, "notes.docx", turn.session_id)
    assert waiting is not None
    assert waiting != kept
    world.clock.travel(3600)
    assert found(world, "notes.docx", turn.session_id) == kept


def test_a_path_is_no_name(world: World) -> None:
    world.upload("sales.csv")
    assert found(world, "/tmp/sales.csv") is None
    assert found(world, "..\\sales.csv") is None
    assert found(world, "") is None


@pytest.mark.parametrize("name", ["data[1].csv", "x" * 130 + ".csv"])
def test_a_name_is_known_as_the_file_context_shows_it(world: World, name: str) -> None:
    session = world.session()
    record = world.upload(name, session=session)
    world.upload("data.csv", session=session)
    shown = sanitize(name)
    assert shown != name
    assert find_file(world.files, ALICE.name, session.session_id, shown, world.clock.now()) == record
    assert find_file(world.files, ALICE.name, session.session_id, shown + "x", world.clock.now()) is None
