"""Reading an app: from what is stored, for its owner only."""

import pytest

from satchel.contract import APP_MIME
from satchel.domain.apps import state_key
from satchel.domain.calls import Call
from satchel.domain.errors import AppNotFound, FileNotFound
from satchel.domain.users import Identity
from satchel.services.apps.read_app import OpenApp
from tests.unit.services.apps.app_files import STATE, app_call, opened, with_app
from tests.unit.services.samples import ALICE, BOB, ECHO
from tests.unit.services.world import World, call_step


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


def running(world: World, arguments: str = '{"text": "next"}') -> Call:
    """Start a call of the tool with the app, in a session of its own."""
    call = world.call(world.turn(world.session()), "report.echo", arguments)
    world.use_cases.dispatch_tool(call_step(call, "task"))
    return call


def read_running(world: World, call: Call, who: Identity = ALICE) -> OpenApp | None:
    return world.use_cases.read_app.of_running_call(who, call.session_id, call.turn_id, call.call_id)


def test_app_of_a_running_call_has_the_page_of_an_earlier_call_and_its_own_arguments(world: World) -> None:
    with_app(world)
    earlier, app = opened(world)
    call = running(world)
    assert call.session_id != earlier.session_id
    found = read_running(world, call)
    assert found is not None
    assert (found.file_key, found.version) == (app.file_key, app.version)
    assert (found.session_id, found.turn_id, found.call_id) == (call.session_id, call.turn_id, call.call_id)
    assert found.arguments == {"text": "next"}
    assert (found.state.uri, found.state.policy, found.state.result) == (STATE.uri, STATE.policy, {})
    assert found.files == []


def test_first_call_of_an_app_has_no_page(world: World) -> None:
    with_app(world)
    assert read_running(world, running(world)) is None


def test_page_with_another_address_than_the_app_of_the_tool_does_not_open(world: World) -> None:
    with_app(world, uri="ui://report/other")
    opened(world)
    assert read_running(world, running(world)) is None


def test_app_of_a_tool_without_an_app_does_not_open(world: World) -> None:
    opened(world)
    assert read_running(world, running(world)) is None


def test_app_gets_no_arguments_before_the_checks_of_dispatch(world: World) -> None:
    with_app(world)
    opened(world)
    call = world.call(world.turn(world.session()), "report.echo", '{"text": "unchecked"}')
    with pytest.raises(AppNotFound):
        read_running(world, call)


def test_app_of_a_running_call_of_another_user_is_missing(world: World) -> None:
    with_app(world)
    opened(world)
    call = running(world)
    with pytest.raises(AppNotFound):
        read_running(world, call, BOB)
    with pytest.raises(AppNotFound):
        world.use_cases.read_app.of_running_call(ALICE, world.session().session_id, call.turn_id, call.call_id)


def test_page_that_another_user_has_left_does_not_open(world: World) -> None:
    with_app(world)
    opened(world)
    call = world.call(world.turn(world.session(BOB), who=BOB), "report.echo", "{}")
    world.use_cases.dispatch_tool(call_step(call, "task"))
    assert read_running(world, call, BOB) is None


def test_uploaded_page_with_the_name_of_an_app_does_not_open(world: World) -> None:
    with_app(world)
    call = running(world)
    world.upload("echo.app.html", session=world.sessions.get(ALICE.name, call.session_id))
    assert read_running(world, call) is None
