"""Dashboards and notifications that come with a result (spec 2 §3, spec 3 §8)."""

import pytest

from satchel.contract import Canvas, Display
from satchel.domain.calls import MAX_RESULT_BYTES, Call, RunnerReport
from satchel.domain.canvas import Dashboard
from satchel.domain.ids import CanvasId
from satchel.domain.responses import ResponseCanvas
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step

URL = "https://dash.example/view?session=abc"
REFUSED = "The origin https://evil.example is not on this deployment's list of origins for dashboards."


def updates(world: World, call: Call) -> list[dict[str, object]]:
    return [said for _, said in world.events.told(call.turn_id, "intermediate_update")]


def test_a_dashboard_of_a_listed_origin_is_kept_with_the_call(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url=URL, title="Live", persistence="pinned", mode="split", open=False)
    found = world.finish_call(call, RunnerReport(results=1, canvas=canvas))
    assert (found.meta_data, found.canvas) == (
        None,
        ResponseCanvas(id="monitor-42", url=URL, title="Live", persistence="pinned", mode="split", open=False),
    )


def test_it_is_known_by_its_id_as_the_persons_in_the_session(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL)))
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) == Dashboard(
        canvas_id="monitor-42",
        user=ALICE.name,
        session_id=call.session_id,
        call_id=call.call_id,
        url=URL,
        opened_at=world.clock.now(),
    )


def test_it_is_told_without_a_token(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL, token="s3cret", title="Live")))
    canvas = {
        "open": True,
        "id": "monitor-42",
        "persistence": "session",
        "type": "iframe",
        "url": URL,
        "title": "Live",
        "wants_token": True,
    }
    assert updates(world, call) == [{"update_type": "canvas", "call_id": call.call_id, "canvas": canvas}]


@pytest.mark.clause("v2:canvas:token")
def test_a_tools_own_token_is_kept_nowhere(world: World, call: Call) -> None:
    """Of a runner that hands it over all the same, its outcome apart."""
    world.finish_call(call, RunnerReport(results=1, canvas=Canvas(id="monitor-42", url=URL, token="s3cret")))
    kept = world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id)
    messages = world.transcript.messages(call.session_id)
    everything = [world.reload(call), kept, *messages, world.events.text(call.turn_id)]
    assert "s3cret" not in repr(everything)


@pytest.mark.clause("v2:canvas:origins")
def test_a_dashboard_of_another_origin_is_dropped_and_it_is_said_why(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url="https://evil.example/view", token="s3cret")
    found = world.finish_call(call, RunnerReport(results=1, meta_data={"rows": 3}, canvas=canvas))
    assert (found.results, found.canvas, found.meta_data) == (1, None, {"rows": 3, "canvas_refused": REFUSED})
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) is None
    assert updates(world, call) == []


def test_the_model_is_told_that_a_dashboard_was_refused(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url="https://evil.example/view")))
    content = world.transcript.messages(call.session_id)[-1].model_dump()["content"]
    assert content == {"results": None, "meta_data": {"canvas_refused": REFUSED}}


def test_a_dashboard_stays_where_the_rest_is_too_long_to_be_kept_whole(world: World, call: Call) -> None:
    found = world.finish_call(
        call, RunnerReport(results="x" * MAX_RESULT_BYTES, canvas=Canvas(id="monitor-42", url=URL))
    )
    assert found.canvas == ResponseCanvas(id="monitor-42", url=URL)


@pytest.mark.clause("v2.1:display:notification")
def test_a_message_about_stored_files_is_told(world: World, call: Call) -> None:
    display = Display(notification="Two files were stored.")
    world.finish_call(call, RunnerReport(results=1, display=display))
    told = {"update_type": "notification", "call_id": call.call_id, "message": "Two files were stored."}
    assert updates(world, call) == [told]


@pytest.mark.parametrize("display", [None, Display(), Display(notification="")])
def test_without_a_message_none_is_told(world: World, call: Call, display: Display | None) -> None:
    world.finish_call(call, RunnerReport(results=1, display=display))
    assert updates(world, call) == []


def test_a_message_is_of_bounded_length_and_holds_no_files(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(display=Display(notification="data:text/plain,x " + "y" * 100_000)))
    ((_, said),) = world.events.told(call.turn_id, "intermediate_update")
    assert said["message"].startswith("[data URL omitted: text/plain, 17 characters] y")
    assert len(said["message"]) == 2000


def test_all_is_told_once_in_this_order(world: World, call: Call) -> None:
    outcome = RunnerReport(
        files=[world.stored_file(call, "a.html")],
        display=Display(notification="Stored."),
        canvas=Canvas(id="monitor-42", url=URL),
    )
    world.finish_call(call, outcome)
    world.use_cases.record_tool_result(call_step(call))
    assert [said["update_type"] for said in updates(world, call)] == ["files_update", "canvas", "notification"]


def test_a_crash_between_the_record_and_the_dashboard_is_made_good(world: World, call: Call) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("the function was killed")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.dashboards, "keep", crash)
        with pytest.raises(RuntimeError):
            world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL)))
    assert updates(world, call) == []
    world.use_cases.record_tool_result(call_step(call))
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) is not None
    assert [said["update_type"] for said in updates(world, call)] == ["canvas"]
