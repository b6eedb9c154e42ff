"""Logging the user's actions in dashboards."""

import json
import logging

import pytest

from satchel.contract import Canvas
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.canvas import MAX_DETAILS_BYTES, CanvasAction
from satchel.domain.errors import CanvasNotFound, SessionEnded, TooLarge
from satchel.domain.ids import CanvasId
from satchel.domain.sessions import Session
from satchel.domain.users import Identity
from satchel.services.turns.canvas_actions import CanvasActionRequest
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

ACKNOWLEDGE = CanvasActionRequest(action="acknowledge", details={"alert": 17})


def open_dashboard(
    world: World, who: Identity = ALICE, session: Session | None = None, canvas_id: str = "monitor-42"
) -> Call:
    """Let a tool open a dashboard, one second after the previous step."""
    world.clock.advance(1)
    turn = world.turn(session or world.session(who), who=who)
    call = world.call(turn)
    world.finish_call(call, RunnerReport(canvas=Canvas(id=canvas_id, url="https://dash.example/view")))
    world.complete(turn)
    return call


@pytest.mark.clause("v2:canvas:actions")
def test_action_is_stored_with_user_call_and_time(world: World) -> None:
    call = open_dashboard(world)
    world.clock.advance(5)
    action = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE)
    assert action == CanvasAction(
        action_id=action.action_id,
        canvas_id="monitor-42",
        session_id=call.session_id,
        call_id=call.call_id,
        user=ALICE.name,
        action="acknowledge",
        details={"alert": 17},
        at=world.clock.now(),
    )
    assert world.dashboards.actions == [action]


@pytest.mark.clause("v2:canvas:actions")
def test_action_is_logged_in_one_line_without_details(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    call = open_dashboard(world)
    action = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE)
    (line,) = [record for record in caplog.records if record.message == "canvas action"]
    fields = {
        "action_id": action.action_id,
        "canvas_id": "monitor-42",
        "session_id": call.session_id,
        "call_id": call.call_id,
        "user": ALICE.name,
        "action": "acknowledge",
    }
    assert {name: value for name, value in vars(line).items() if name in fields} == fields
    assert not hasattr(line, "details")


def test_action_ids_increase_with_time(world: World) -> None:
    open_dashboard(world)
    first = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE)
    world.clock.advance(1)
    second = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE)
    assert first.action_id < second.action_id


def test_dashboard_of_another_user_is_not_found(world: World) -> None:
    open_dashboard(world)
    for request in (ACKNOWLEDGE, ACKNOWLEDGE.model_copy(update={"session_id": open_dashboard(world).session_id})):
        with pytest.raises(CanvasNotFound):
            world.use_cases.log_canvas_action(BOB, CanvasId("monitor-42"), request)
    assert world.dashboards.actions == []


def test_unknown_dashboard_is_not_found(world: World) -> None:
    open_dashboard(world)
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-4"), ACKNOWLEDGE)


def test_refused_dashboard_is_not_found(world: World) -> None:
    call = world.call(world.turn(world.session()))
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url="https://evil.example")))
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE)


def test_two_users_can_have_dashboards_with_the_same_id(world: World) -> None:
    of_alice, of_bob = open_dashboard(world), open_dashboard(world, BOB)
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE).call_id == of_alice.call_id
    assert world.use_cases.log_canvas_action(BOB, CanvasId("monitor-42"), ACKNOWLEDGE).call_id == of_bob.call_id


def test_newest_active_session_is_the_default(world: World) -> None:
    calls = [open_dashboard(world) for _ in range(3)]
    world.use_cases.end_session(ALICE, calls[2].session_id)
    assert (
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE).session_id == calls[1].session_id
    )


def test_session_can_be_selected(world: World) -> None:
    calls = [open_dashboard(world) for _ in range(3)]
    request = ACKNOWLEDGE.model_copy(update={"session_id": calls[0].session_id})
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), request).session_id == calls[0].session_id


def test_dashboard_is_not_found_in_a_session_that_did_not_open_it(world: World) -> None:
    open_dashboard(world)
    request = ACKNOWLEDGE.model_copy(update={"session_id": world.session().session_id})
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), request)


def test_reopened_dashboard_belongs_to_the_later_call(world: World) -> None:
    session = world.session()
    open_dashboard(world, session=session)
    later = open_dashboard(world, session=world.use_cases.read_sessions(ALICE, session.session_id))
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), ACKNOWLEDGE).call_id == later.call_id


@pytest.mark.parametrize("with_session", [True, False])
def test_action_in_an_ended_session_is_rejected(world: World, with_session: bool) -> None:  # noqa: FBT001  (a row)
    session_id = open_dashboard(world).session_id
    world.use_cases.end_session(ALICE, session_id)
    with pytest.raises(SessionEnded):
        world.use_cases.log_canvas_action(
            ALICE,
            CanvasId("monitor-42"),
            ACKNOWLEDGE.model_copy(update={"session_id": session_id if with_session else None}),
        )
    assert world.dashboards.actions == []


def test_details_are_limited_in_bytes(world: World) -> None:
    open_dashboard(world)
    chars = MAX_DETAILS_BYTES - len(json.dumps({"text": ""}))
    world.use_cases.log_canvas_action(
        ALICE, CanvasId("monitor-42"), CanvasActionRequest(action="a", details={"text": "x" * chars})
    )
    for text in ("x" * (chars + 1), "ü" * (chars // 2 + 1)):
        with pytest.raises(TooLarge) as rejected:
            world.use_cases.log_canvas_action(
                ALICE, CanvasId("monitor-42"), CanvasActionRequest(action="a", details={"text": text})
            )
        assert rejected.value.details == {"limit_bytes": MAX_DETAILS_BYTES}


def test_details_are_converted_to_plain_json(world: World) -> None:
    open_dashboard(world)
    request = CanvasActionRequest(action="a", details={"number": float("nan"), "half": "\ud800"})
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), request).details == {
        "number": None,
        "half": "\N{REPLACEMENT CHARACTER}",
    }
