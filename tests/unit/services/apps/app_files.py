"""Calls that have opened an app."""

from satchel.contract import APP_MIME
from satchel.domain.apps import APP_INDEX, AppState, state_key
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.files import FileRecord
from satchel.domain.tools import ToolListing, fresh_tool_list
from tests.unit.services.samples import ALICE, ECHO, REGISTRY
from tests.unit.services.world import World

STATE = AppState(uri="ui://report/page", result={"content": [{"type": "text", "text": "3 rows"}]})


def with_app(world: World, uri: str = "ui://report/page") -> None:
    """Let the tool report.echo have an app."""
    listing = fresh_tool_list(ToolListing(tools=[ECHO.model_copy(update={"app_uri": uri})]), world.clock.now())
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), listing)


def app_call(world: World, state: AppState | None = STATE) -> Call:
    """Let a call open an app."""
    call = world.call(world.turn(world.session()), arguments='{"a": 1}')
    if state is not None:
        world.put(state_key(call.user, call.call_id), state.model_dump_json().encode(), "application/json")
        world.store.set_tags(state_key(call.user, call.call_id), {"retention": "unkept"})
    stored = world.stored_file(call, "echo.app.html", b"<p>", APP_INDEX, APP_MIME, viewer="app", auto_open=True)
    world.finish_call(call, RunnerReport(files=[stored]))
    return call


def opened(world: World) -> tuple[Call, FileRecord]:
    """Let a call open an app, and return the call and the app's file."""
    call = app_call(world)
    [app] = world.files.list_for_session(ALICE.name, call.session_id)
    return call, app
