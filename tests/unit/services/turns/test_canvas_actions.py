"""What a person does in a dashboard is logged with who it was (spec 2 §3)."""

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

PRESSED = CanvasActionRequest(action="acknowledge", details={"alert": 17})


def opened(world: World, who: Identity = ALICE, session: Session | None = None, canvas_id: str = "monitor-42") -> Call:
    """Let a tool have opened a dashboard, a second after whatever happened before."""
    world.clock.travel(1)
    turn = world.turn(session or world.session(who), who=who)
    call = world.call(turn)
    world.finish_call(call, RunnerReport(canvas=Canvas(id=canvas_id, url="https://dash.example/view")))
    world.complete(turn)
    return call


@pytest.mark.clause("v2:canvas:actions")
def test_an_action_is_kept_with_who_did_it_where_and_when(world: World) -> None:
    call = opened(world)
    world.clock.travel(5)
    action = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED)
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
def test_it_is_logged_in_one_line_without_its_details(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    call = opened(world)
    action = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED)
    (line,) = [record for record in caplog.records if record.message == "canvas action"]
    said = {
        "action_id": action.action_id,
        "canvas_id": "monitor-42",
        "session_id": call.session_id,
        "call_id": call.call_id,
        "user": ALICE.name,
        "action": "acknowledge",
    }
    assert {name: value for name, value in vars(line).items() if name in said} == said
    assert not hasattr(line, "details")


def test_actions_have_ids_of_their_own_in_the_order_of_time(world: World) -> None:
    opened(world)
    first = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED)
    world.clock.travel(1)
    second = world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED)
    assert first.action_id < second.action_id


def test_somebody_elses_dashboard_is_not_found(world: World) -> None:
    opened(world)
    for wanted in (PRESSED, PRESSED.model_copy(update={"session_id": opened(world).session_id})):
        with pytest.raises(CanvasNotFound):
            world.use_cases.log_canvas_action(BOB, CanvasId("monitor-42"), wanted)
    assert world.dashboards.actions == []


def test_a_dashboard_that_was_never_opened_is_not_found(world: World) -> None:
    opened(world)
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-4"), PRESSED)


def test_a_dashboard_that_was_refused_is_not_found(world: World) -> None:
    call = world.call(world.turn(world.session()))
    world.finish_call(call, RunnerReport(canvas=Canvas(id="monitor-42", url="https://evil.example")))
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED)


def test_two_people_may_each_have_one_of_the_same_id(world: World) -> None:
    hers, his = opened(world), opened(world, BOB)
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED).call_id == hers.call_id
    assert world.use_cases.log_canvas_action(BOB, CanvasId("monitor-42"), PRESSED).call_id == his.call_id


def test_of_several_sessions_the_newest_that_goes_on_is_meant(world: World) -> None:
    calls = [opened(world) for _ in range(3)]
    world.use_cases.end_session(ALICE, calls[2].session_id)
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED).session_id == calls[1].session_id


def test_of_several_sessions_one_can_be_named(world: World) -> None:
    calls = [opened(world) for _ in range(3)]
    wanted = PRESSED.model_copy(update={"session_id": calls[0].session_id})
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), wanted).session_id == calls[0].session_id


def test_in_a_session_that_did_not_open_it_there_is_none(world: World) -> None:
    opened(world)
    wanted = PRESSED.model_copy(update={"session_id": world.session().session_id})
    with pytest.raises(CanvasNotFound):
        world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), wanted)


def test_opened_again_it_belongs_to_the_later_call(world: World) -> None:
    session = world.session()
    opened(world, session=session)
    later = opened(world, session=world.use_cases.read_sessions(ALICE, session.session_id))
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), PRESSED).call_id == later.call_id


@pytest.mark.parametrize("named", [True, False])
def test_after_the_session_nothing_can_be_done(world: World, named: bool) -> None:  # noqa: FBT001  (a row)
    session_id = opened(world).session_id
    world.use_cases.end_session(ALICE, session_id)
    with pytest.raises(SessionEnded):
        world.use_cases.log_canvas_action(
            ALICE, CanvasId("monitor-42"), PRESSED.model_copy(update={"session_id": session_id if named else None})
        )
    assert world.dashboards.actions == []


def test_details_may_be_as_long_as_is_said_and_no_longer(world: World) -> None:
    opened(world)
    rest = MAX_DETAILS_BYTES - len(json.dumps({"text": ""}))
    world.use_cases.log_canvas_action(
        ALICE, CanvasId("monitor-42"), CanvasActionRequest(action="a", details={"text": "x" * rest})
    )
    for text in ("x" * (rest + 1), "ü" * (rest // 2 + 1)):
        with pytest.raises(TooLarge) as refused:
            world.use_cases.log_canvas_action(
                ALICE, CanvasId("monitor-42"), CanvasActionRequest(action="a", details={"text": text})
            )
        assert refused.value.details == {"limit_bytes": MAX_DETAILS_BYTES}


def test_details_are_kept_as_plain_json(world: World) -> None:
    opened(world)
    wanted = CanvasActionRequest(action="a", details={"number": float("nan"), "half": "\ud800"})
    assert world.use_cases.log_canvas_action(ALICE, CanvasId("monitor-42"), wanted).details == {
        "number": None,
        "half": "\N{REPLACEMENT CHARACTER}",
    }
