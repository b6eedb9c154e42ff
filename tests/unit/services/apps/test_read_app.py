"""Reading an app: from what is stored, for its owner only."""

import pytest

from satchel.contract import APP_MIME
from satchel.domain.apps import state_key
from satchel.domain.errors import AppNotFound, FileNotFound
from satchel.services.apps.read_app import OpenApp
from tests.unit.services.apps.app_files import STATE, app_call, opened
from tests.unit.services.samples import ALICE, BOB, ECHO
from tests.unit.services.world import World


def test_app_is_read_with_the_arguments_and_the_result_of_its_call(world: World) -> None:
    call, app = opened(world)
    assert world.use_cases.read_app(ALICE, app.file_key) == OpenApp(
        file_key=app.file_key,
        version=1,
        session_id=call.session_id,
        turn_id=call.turn_id,
        call_id=call.call_id,
        tool_name="report.echo",
        tool=ECHO,
        arguments={"a": 1},
        state=STATE,
    )
    assert (app.viewer, app.auto_open, app.mime) == ("app", True, APP_MIME)


def test_state_is_kept_and_deleted_with_the_app(world: World) -> None:
    call, app = opened(world)
    key = state_key(call.user, call.call_id)
    assert world.store.objects[key].tags == {}
    world.use_cases.remove_file(ALICE, app.file_key)
    assert key not in world.store.objects


def test_app_of_another_user_is_missing(world: World) -> None:
    _, app = opened(world)
    with pytest.raises(FileNotFound):
        world.use_cases.read_app(BOB, app.file_key)


def test_other_files_are_no_apps(world: World) -> None:
    record = world.upload("page.html")
    with pytest.raises(AppNotFound):
        world.use_cases.read_app(ALICE, record.file_key)


def test_app_without_a_state_is_a_problem_of_the_call(world: World) -> None:
    call = app_call(world, state=None)
    result = world.reload(call).result
    assert result is not None
    problems = (result.meta_data or {})["artifact_problems"]
    assert problems[0]["reason"] == "The state of the app is missing in the storage."
    assert world.files.list_for_session(ALICE.name, call.session_id) == []


def test_state_that_a_runner_has_damaged_is_missing(world: World) -> None:
    call, app = opened(world)
    world.put(state_key(call.user, call.call_id), b'{"result": 7}', "application/json")
    with pytest.raises(AppNotFound):
        world.use_cases.read_app(ALICE, app.file_key)
