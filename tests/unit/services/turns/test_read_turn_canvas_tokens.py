"""A dashboard's token is made when its owner reads the turn, for five minutes, and is good for nothing else."""

import pytest

from satchel.contract import Canvas
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import LinkNotFound
from satchel.domain.links import CanvasClaims
from satchel.domain.responses import ResponseCanvas
from satchel.domain.sessions import Turn
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

ASKING = Canvas(id="monitor-42", url="https://dash.example/view", token="<capability-token>")


@pytest.fixture
def turn(world: World) -> Turn:
    turn = world.turn(world.session())
    world.finish_call(world.call(turn), RunnerReport(canvas=ASKING))
    return turn


def shown(world: World, turn: Turn) -> ResponseCanvas:
    canvas = world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).canvas
    assert canvas is not None
    return canvas


@pytest.mark.clause("v2:canvas:token")
def test_who_reads_the_turn_gets_one_for_the_dashboard(world: World, turn: Turn) -> None:
    canvas = shown(world, turn)
    assert canvas == ResponseCanvas(id="monitor-42", url=str(ASKING.url), wants_token=True, token=canvas.token)
    assert world.signer.claims_of(canvas.token) == CanvasClaims(
        canvas_id="monitor-42",
        owner=ALICE.name,
        session_id=turn.session_id,
        epoch=1,
        audience="canvas",
        exp=int(world.clock.now().timestamp()) + 300,
    )


@pytest.mark.clause("v2:canvas:token")
def test_each_reading_makes_a_fresh_one_and_none_is_stored(world: World, turn: Turn) -> None:
    first = shown(world, turn).token
    world.complete(turn)
    second = shown(world, turn).token
    assert first is not None
    assert first != second
    ((_, told),) = world.events.payloads(turn.turn_id, "response_complete")
    assert told["response"]["canvas"] == {
        "open": True,
        "id": "monitor-42",
        "persistence": "session",
        "type": "iframe",
        "url": ASKING.url,
        "wants_token": True,
    }
    assert "token-" not in world.events.stored_json(turn.turn_id)
    assert all(
        call.result and call.result.canvas and not call.result.canvas.token for call in world.calls.list(turn.turn_id)
    )


def test_a_dashboard_that_asked_for_none_gets_none(world: World) -> None:
    turn = world.turn(world.session())
    world.finish_call(world.call(turn), RunnerReport(canvas=Canvas(id="monitor-42", url="https://dash.example/view")))
    assert (shown(world, turn).wants_token, shown(world, turn).token) == (False, None)


def test_the_end_of_the_session_is_the_end_of_tokens(world: World, turn: Turn) -> None:
    world.complete(turn)
    world.use_cases.end_session(ALICE, turn.session_id)
    assert (shown(world, turn).wants_token, shown(world, turn).token) == (True, None)


def test_it_opens_no_file(world: World, turn: Turn) -> None:
    upload = world.upload("plans.csv")
    with pytest.raises(LinkNotFound):
        world.use_cases.open_link(upload.file_key, shown(world, turn).token or "")
