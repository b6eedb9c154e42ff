"""Tokens of dashboards: created when the owner reads the turn, and valid for five minutes."""

import pytest

from satchel.contract import Canvas
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import LinkNotFound
from satchel.domain.links import CanvasClaims
from satchel.domain.responses import ResponseCanvas
from satchel.domain.sessions import Turn
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

WITH_TOKEN = Canvas(id="monitor-42", url="https://dash.example/view", token="<capability-token>")


@pytest.fixture
def turn(world: World) -> Turn:
    turn = world.turn(world.session())
    world.finish_call(world.call(turn), RunnerReport(canvas=WITH_TOKEN))
    return turn


def read_canvas(world: World, turn: Turn) -> ResponseCanvas:
    canvas = world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).canvas
    assert canvas is not None
    return canvas


@pytest.mark.clause("v2:canvas:token")
def test_reading_a_turn_creates_a_token_for_its_dashboard(world: World, turn: Turn) -> None:
    canvas = read_canvas(world, turn)
    assert canvas == ResponseCanvas(id="monitor-42", url=str(WITH_TOKEN.url), wants_token=True, token=canvas.token)
    assert world.signer.claims_of(canvas.token) == CanvasClaims(
        canvas_id="monitor-42",
        owner=ALICE.name,
        session_id=turn.session_id,
        epoch=1,
        audience="canvas",
        exp=int(world.clock.now().timestamp()) + 300,
    )


@pytest.mark.clause("v2:canvas:token")
def test_each_read_creates_a_new_token_and_none_is_stored(world: World, turn: Turn) -> None:
    first = read_canvas(world, turn).token
    world.complete(turn)
    second = read_canvas(world, turn).token
    assert first is not None
    assert first != second
    ((_, payload),) = world.events.payloads(turn.turn_id, "response_complete")
    assert payload["response"]["canvas"] == {
        "open": True,
        "id": "monitor-42",
        "persistence": "session",
        "type": "iframe",
        "url": WITH_TOKEN.url,
        "wants_token": True,
    }
    assert "token-" not in world.events.stored_json(turn.turn_id)
    assert all(
        call.result and call.result.canvas and not call.result.canvas.token for call in world.calls.list(turn.turn_id)
    )


def test_dashboard_without_token_request_gets_none(world: World) -> None:
    turn = world.turn(world.session())
    world.finish_call(world.call(turn), RunnerReport(canvas=Canvas(id="monitor-42", url="https://dash.example/view")))
    assert (read_canvas(world, turn).wants_token, read_canvas(world, turn).token) == (False, None)


def test_ended_session_gives_no_tokens(world: World, turn: Turn) -> None:
    world.complete(turn)
    world.use_cases.end_session(ALICE, turn.session_id)
    assert (read_canvas(world, turn).wants_token, read_canvas(world, turn).token) == (True, None)


def test_dashboard_token_opens_no_file(world: World, turn: Turn) -> None:
    upload = world.upload("plans.csv")
    with pytest.raises(LinkNotFound):
        world.use_cases.open_link(upload.file_key, read_canvas(world, turn).token or "")
