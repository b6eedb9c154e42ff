"""Recording a tool result: dashboards and notifications."""

import pytest

from satchel.contract import Canvas, Display
from satchel.domain.calls import MAX_RESULT_BYTES, Call, RunnerReport
from satchel.domain.canvas import Dashboard
from satchel.domain.ids import CanvasId
from satchel.domain.responses import ResponseCanvas
from satchel.domain.turn_messages import messages_of
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step

URL = "https://dash.example/view?session=abc"
REFUSED = "The origin https://evil.example is not on this deployment's list of origins for dashboards."


def updates(world: World, call: Call) -> list[dict[str, object]]:
    return [payload for _, payload in world.events.payloads(call.turn_id, "intermediate_update")]


def test_dashboard_of_an_allowed_origin_is_part_of_the_result(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url=URL, title="Live", persistence="pinned", mode="split", open=False)
    result = world.finish_call(call, RunnerReport(results=1, canvas=canvas))
    assert (result.meta_data, result.canvas) == (
        None,
        ResponseCanvas(id="monitor-42", url=URL, title="Live", persistence="pinned", mode="split", open=False),
    )


def test_dashboard_is_stored_for_the_user_and_the_session(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL)))
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) == Dashboard(
        canvas_id="monitor-42",
        user=ALICE.name,
        session_id=call.session_id,
        call_id=call.call_id,
        url=URL,
        opened_at=world.clock.now(),
    )


def test_canvas_event_contains_no_token(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL, token="s3cret", title="Live")))
    canvas = {
        "open": True,
        "id": "monitor-42",
        "persistence": "session",
        "type": "iframe",
        "url": URL,
        "title": "Live",
        "mode": None,
        "wants_token": True,
        "token": None,
    }
    assert updates(world, call) == [{"update_type": "canvas", "call_id": call.call_id, "canvas": canvas}]


def test_token_of_the_tool_is_stored_with_the_call_and_nowhere_else(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(results=1, canvas=Canvas(id="monitor-42", url=URL, token="s3cret")))
    result = world.reload(call).result
    assert result is not None
    assert result.canvas_token == "s3cret"
    dashboard = world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id)
    messages = messages_of(world.transcript.list_turns(call.session_id))
    audit = world.audit_trail.list(call.session_id, 10, None).items
    stored = [dashboard, *messages, *audit, world.events.stored_json(call.turn_id)]
    assert "s3cret" not in repr([result.canvas, *stored])


def test_repr_of_report_and_result_contain_no_token(world: World, call: Call) -> None:
    report = RunnerReport(canvas=Canvas(id="monitor-42", url=URL, token="s3cret"))
    assert "s3cret" not in repr([report, world.finish_call(call, report)])


@pytest.mark.parametrize("token", ["", None])
def test_empty_token_of_the_tool_is_not_stored(world: World, call: Call, token: str | None) -> None:
    result = world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL, token=token)))
    assert result.canvas_token is None


def test_token_of_a_refused_dashboard_is_not_stored(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url="https://evil.example/view", token="s3cret")
    assert "s3cret" not in world.finish_call(call, RunnerReport(canvas=canvas)).model_dump_json()


@pytest.mark.clause("v2:canvas:origins")
def test_dashboard_of_another_origin_is_dropped_with_the_reason(world: World, call: Call) -> None:
    canvas = Canvas(id="monitor-42", url="https://evil.example/view", token="s3cret")
    result = world.finish_call(call, RunnerReport(results=1, meta_data={"rows": 3}, canvas=canvas))
    assert (result.results, result.canvas, result.meta_data) == (1, None, {"rows": 3, "canvas_refused": REFUSED})
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) is None
    assert updates(world, call) == []


@pytest.mark.clause("v2.1:artifacts:failed-call")
def test_dashboard_of_a_failed_call_is_not_opened(world: World, call: Call) -> None:
    result = world.finish_call(call, RunnerReport(is_error=True, canvas=Canvas(id="monitor-42", url=URL)))
    reason = "The dashboard was not opened, because the call failed."
    assert (result.canvas, result.meta_data, updates(world, call)) == (None, {"canvas_refused": reason}, [])
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) is None


def test_model_receives_the_reason_for_a_refused_dashboard(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url="https://evil.example/view")))
    content = messages_of(world.transcript.list_turns(call.session_id))[-1].model_dump()["content"]
    assert content == {"results": None, "meta_data": {"canvas_refused": REFUSED}}


def test_dashboard_is_kept_if_the_other_results_are_too_long(world: World, call: Call) -> None:
    result = world.finish_call(
        call, RunnerReport(results="x" * MAX_RESULT_BYTES, canvas=Canvas(id="monitor-42", url=URL))
    )
    assert result.canvas == ResponseCanvas(id="monitor-42", url=URL)


@pytest.mark.clause("v2.1:display:notification")
def test_notification_is_published(world: World, call: Call) -> None:
    display = Display(notification="Two files were stored.")
    world.finish_call(call, RunnerReport(results=1, display=display))
    payload = {"update_type": "notification", "call_id": call.call_id, "message": "Two files were stored."}
    assert updates(world, call) == [payload]


@pytest.mark.parametrize("display", [None, Display(), Display(notification="")])
def test_no_event_without_a_notification(world: World, call: Call, display: Display | None) -> None:
    world.finish_call(call, RunnerReport(results=1, display=display))
    assert updates(world, call) == []


def test_notification_is_cut_and_contains_no_data_urls(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(display=Display(notification="data:text/plain,x " + "y" * 100_000)))
    ((_, payload),) = world.events.payloads(call.turn_id, "intermediate_update")
    assert payload["message"].startswith("[data URL omitted: text/plain, 17 characters] y")
    assert len(payload["message"]) == 2000


def test_updates_are_published_once_in_order(world: World, call: Call) -> None:
    report = RunnerReport(
        files=[world.stored_file(call, "a.html")],
        display=Display(notification="Stored."),
        canvas=Canvas(id="monitor-42", url=URL),
    )
    world.finish_call(call, report)
    world.use_cases.record_tool_result(call_step(call))
    assert [payload["update_type"] for payload in updates(world, call)] == ["files_update", "canvas", "notification"]


def test_recording_resumes_after_a_crash_between_result_and_dashboard(world: World, call: Call) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("the function was killed")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.dashboards, "save", crash)
        with pytest.raises(RuntimeError):
            world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url=URL)))
    assert updates(world, call) == []
    world.use_cases.record_tool_result(call_step(call))
    assert world.dashboards.get(ALICE.name, CanvasId("monitor-42"), call.session_id) is not None
    assert [payload["update_type"] for payload in updates(world, call)] == ["canvas"]
