"""Files of apps: those of their calls, which they may read, and those that they create."""

import pytest

from satchel.contract import APP_MIME
from satchel.domain.apps import APP_INDEX, state_key
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import AppNotFound, FileNotFound
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import FileKey, SessionId, call_id
from satchel.services.apps.call_from_app import AppCallRequest
from satchel.services.apps.read_app import AppFile
from tests.unit.services.apps.app_files import STATE, opened
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, call_step, turn_step


def as_app_file(record: FileRecord, role: str) -> AppFile:
    """Return a file as an app gets it."""
    return AppFile.model_validate(record.model_dump() | {"role": role})


def test_app_may_read_the_files_that_its_call_names_and_makes(world: World) -> None:
    session = world.session()
    named = world.upload("sales.csv", b"a,b\n", session)
    world.upload("other.csv", b"a,b\n", session)
    call = world.call(world.turn(session), tool="report.summarise", arguments='{"filename": "sales.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    world.put(state_key(call.user, call.call_id), STATE.model_dump_json().encode(), "application/json")
    page = world.stored_file(call, "report.app.html", b"<p>", APP_INDEX, APP_MIME, viewer="app")
    made = world.stored_file(call, "chart.png", b"png", 0, "image/png")
    world.finish_call(world.reload(call), RunnerReport(files=[made, page]))
    [app] = world.files.list_by_name(session.user, session.session_id, "report.app.html")
    [chart] = world.files.list_by_name(session.user, session.session_id, "chart.png")

    files = world.use_cases.read_app(ALICE, app.file_key).files

    assert files == [as_app_file(named, "input"), as_app_file(chart, "result")]


def test_app_may_read_the_files_of_the_calls_that_it_makes(world: World) -> None:
    _, app = opened(world)
    turn = world.use_cases.call_from_app(ALICE, app.file_key, None, AppCallRequest(tool="echo", arguments={}))
    world.use_cases.think(turn_step(turn))
    call = world.calls.get(turn.turn_id, call_id(turn.turn_id, 0, 0))
    assert call is not None
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "rows.csv", b"a\n", 0, "text/csv")]))
    world.use_cases.think(turn_step(turn, 1))
    world.use_cases.finish_turn(turn_step(turn, 2))

    files = world.use_cases.read_app_call(ALICE, turn.session_id, turn.turn_id).files

    assert [(file.name, file.role) for file in files] == [("rows.csv", "result")]


def test_file_of_an_app_belongs_to_the_app_and_its_session(world: World) -> None:
    call, app = opened(world)

    session_id, tool = world.use_cases.read_app.origin(ALICE, app.file_key)
    record = world.use_cases.upload_file(ALICE, "part.csv", b"a\n", None, session_id, tool)

    assert (record.source, record.app, record.session_id) == (Source.UPLOADED, call.tool, call.session_id)


def test_app_of_another_user_creates_no_files(world: World) -> None:
    _, app = opened(world)
    with pytest.raises(FileNotFound):
        world.use_cases.read_app.origin(BOB, app.file_key)


def test_file_that_is_no_app_creates_no_files(world: World) -> None:
    with pytest.raises(AppNotFound):
        world.use_cases.read_app.origin(ALICE, world.upload("page.html").file_key)


def saved(world: World, session_id: SessionId, app: str | None) -> FileRecord:
    """Upload a file with the same name, for an app or for the user."""
    return world.use_cases.upload_file(ALICE, "part.csv", b"a\n", None, session_id, app)


def test_file_of_an_app_is_a_new_version_only_of_a_file_of_the_same_app(world: World) -> None:
    session_id = world.session().session_id
    mine = saved(world, session_id, None)
    first = saved(world, session_id, "report.explore")
    second = saved(world, session_id, "report.explore")

    assert (first.file_key == mine.file_key, first.name) == (False, "part (2).csv")
    assert second.file_key != mine.file_key
    assert world.use_cases.read_files(ALICE, mine.file_key).version == 1


def test_record_without_an_app_is_stored_as_before(world: World) -> None:
    record = world.upload("a.csv")
    assert "app" not in NewFile.model_validate(record.model_dump()).model_dump()
    assert FileKey(record.file_key) == record.file_key
