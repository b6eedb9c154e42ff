"""Tokens of dashboards: the tool's own, or one that is signed when the owner reads the turn."""

import pytest

from satchel.contract import Canvas
from satchel.domain.calls import RunnerReport
from satchel.domain.dashboard_tokens import DashboardClaims
from satchel.domain.errors import LinkNotFound, SessionNotFound
from satchel.domain.responses import ResponseCanvas
from satchel.domain.sessions import Turn
from satchel.domain.turn_messages import messages_of
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

URL = "https://dash.example/view"
OWN_TOKEN = "the-tools-own-token"


def open_dashboard(world: World, turn: Turn, index: int = 0, **fields: object) -> None:
    canvas = Canvas.model_validate({"id": "monitor-42", "url": URL} | fields)
    world.finish_call(world.call(turn, index=index), RunnerReport(canvas=canvas))


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def read_canvas(world: World, turn: Turn) -> ResponseCanvas:
    canvas = world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id).canvas
    assert canvas is not None
    return canvas


@pytest.mark.clause("v2:canvas:token")
def test_empty_token_is_replaced_by_a_signed_one_for_the_dashboards_origin(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token="")

    canvas = read_canvas(world, turn)

    now = int(world.clock.now().timestamp())
    claims = world.dashboard_signer.claims[canvas.token]
    assert canvas == ResponseCanvas(id="monitor-42", url=URL, wants_token=True, token=canvas.token)
    assert claims == DashboardClaims(
        iss="https://satchel.example",
        aud="https://dash.example",
        sub=ALICE.name,
        sid=turn.session_id,
        canvas_id="monitor-42",
        iat=now,
        exp=now + 300,
        jti=claims.jti,
    )


def test_each_read_signs_a_token_with_another_id_and_none_is_stored(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token="")
    first = read_canvas(world, turn).token
    world.complete(turn)
    second = read_canvas(world, turn).token
    assert len({world.dashboard_signer.claims[token].jti for token in (first, second)}) == 2
    ((_, payload),) = world.events.payloads(turn.turn_id, "response_complete")
    assert payload["response"]["canvas"] == {
        "open": True,
        "id": "monitor-42",
        "persistence": "session",
        "type": "iframe",
        "url": URL,
        "title": None,
        "mode": None,
        "wants_token": True,
        "token": None,
    }
    assert "token-" not in world.events.stored_json(turn.turn_id)
    assert "token-" not in repr([call.result for call in world.calls.list(turn.turn_id)])


@pytest.mark.clause("v2:canvas:tool-token")
def test_token_of_the_tool_is_returned_instead_of_a_signed_one(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token=OWN_TOKEN)
    assert read_canvas(world, turn).token == OWN_TOKEN
    assert world.dashboard_signer.claims == {}


@pytest.mark.clause("v2:canvas:tool-token")
def test_token_of_the_tool_is_in_no_event_message_or_summary_of_the_turn(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token=OWN_TOKEN)
    world.complete(turn)
    response = world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id)
    assert OWN_TOKEN not in response.model_copy(update={"canvas": None, "canvases": []}).model_dump_json()
    assert OWN_TOKEN not in world.events.stored_json(turn.turn_id)
    assert OWN_TOKEN not in repr(
        [message.model_dump() for message in messages_of(world.transcript.list_turns(turn.session_id))]
    )


@pytest.mark.clause("v2:canvas:tool-token")
def test_another_user_gets_no_token(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token=OWN_TOKEN)
    with pytest.raises(SessionNotFound):
        world.use_cases.read_turn(BOB, turn.session_id, turn.turn_id)


def test_newer_token_for_the_same_url_replaces_the_older(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token="older")
    open_dashboard(world, turn, index=1, token="newer")
    assert read_canvas(world, turn).token == "newer"


def test_token_of_the_tool_is_not_given_to_another_host_with_the_same_id(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token=OWN_TOKEN)
    open_dashboard(world, turn, index=1, url="http://localhost:9000/view", token="")
    assert world.dashboard_signer.claims[read_canvas(world, turn).token].aud == "http://localhost:9000"


def test_dashboard_without_token_field_gets_none(world: World, turn: Turn) -> None:
    open_dashboard(world, turn)
    assert (read_canvas(world, turn).wants_token, read_canvas(world, turn).token) == (False, None)


@pytest.mark.parametrize("token", ["", OWN_TOKEN])
def test_ended_session_gives_no_tokens(world: World, turn: Turn, token: str) -> None:
    open_dashboard(world, turn, token=token)
    world.complete(turn)
    world.use_cases.end_session(ALICE, turn.session_id)
    assert (read_canvas(world, turn).wants_token, read_canvas(world, turn).token) == (True, None)


def test_dashboard_token_opens_no_file(world: World, turn: Turn) -> None:
    open_dashboard(world, turn, token="")
    upload = world.upload("plans.csv")
    with pytest.raises(LinkNotFound):
        world.use_cases.open_link(upload.file_key, read_canvas(world, turn).token or "")


def test_token_for_an_url_without_an_origin_is_for_no_host(world: World, turn: Turn) -> None:
    canvas = ResponseCanvas(id="monitor-42", url="about:blank", wants_token=True)

    token = world.use_cases.dashboard_tokens(ALICE.name, turn.session_id, canvas, None)

    assert world.dashboard_signer.claims[token].aud == ""
