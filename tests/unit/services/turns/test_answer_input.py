"""Answers of users to the questions of tools."""

from datetime import timedelta

import pytest

from satchel.domain.calls import Call
from satchel.domain.errors import CallNotFound, InputClosed, InputNotFound, InvalidInput, SessionNotFound, TooLarge
from satchel.domain.inputs import CallInput, InputAnswer, Question
from satchel.domain.users import Identity
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

WAIT = timedelta(hours=24)
FORM = {"properties": {"city": {"type": "string", "maxLength": 20_000}}, "required": ["city"]}
BERN = InputAnswer(input_id="1-0", action="accept", content={"city": "Bern"})
AGREED = InputAnswer(input_id="1-1", action="accept")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def call(world: World) -> Call:
    """Return a call that asks Alice for a city and to open a link."""
    call = world.call(world.turn(world.session()), "report.echo", "{}")
    world.inputs.ask(
        CallInput(
            call_id=call.call_id,
            turn_id=call.turn_id,
            tool=call.tool,
            round=1,
            questions=[
                Question.model_validate({"key": "city", "mode": "form", "message": "Which city?", "form": FORM}),
                Question(key="sign-in", mode="url", message="Sign in", url="https://bank.example/in"),
            ],
            state="sealed",
            task_token="waiting",
            expires_at=world.clock.now() + WAIT,
        )
    )
    return call


def answer(world: World, call: Call, answer: InputAnswer, who: Identity = ALICE) -> None:
    world.use_cases.answer_input(who, call.session_id, call.turn_id, call.call_id, answer)


def test_turn_continues_after_the_last_answer(world: World, call: Call) -> None:
    answer(world, call, AGREED)
    assert world.callback.succeeded == []

    answer(world, call, BERN)

    assert world.callback.succeeded == ["waiting"]
    stored = world.inputs.get(call.turn_id, call.call_id)
    assert stored is not None
    assert stored.responses == {
        "city": {"action": "accept", "content": {"city": "Bern"}},
        "sign-in": {"action": "accept"},
    }


def test_events_tell_the_action_but_not_the_answer(world: World, call: Call) -> None:
    answer(world, call, BERN)
    payload = {"call_id": call.call_id, "input_id": "1-0", "action": "accept"}
    assert world.events.payloads(call.turn_id, "input_answered") == [("input_answered", payload)]
    assert "Bern" not in world.events.stored_json(call.turn_id)


def test_repeated_answer_succeeds_and_a_different_one_is_rejected(world: World, call: Call) -> None:
    answer(world, call, BERN)
    answer(world, call, BERN)
    with pytest.raises(InputClosed, match="already has another answer"):
        answer(world, call, InputAnswer(input_id="1-0", action="decline"))
    assert len(world.events.payloads(call.turn_id, "input_answered")) == 1


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_content_of_a_refusal_is_not_stored(world: World, call: Call, action: str) -> None:
    answer(world, call, InputAnswer.model_validate({"input_id": "1-0", "action": action, "content": {"city": 3}}))
    stored = world.inputs.get(call.turn_id, call.call_id)
    assert stored is not None
    assert stored.responses == {"city": {"action": action}}


def test_answer_that_does_not_fit_the_form_names_the_field(world: World, call: Call) -> None:
    with pytest.raises(InvalidInput) as error:
        answer(world, call, InputAnswer(input_id="1-0", action="accept", content={"city": 3}))
    assert error.value.details == {"errors": [{"field": "body.content.city", "message": "must be a text"}]}
    with pytest.raises(InvalidInput, match="is required"):
        answer(world, call, InputAnswer(input_id="1-0", action="accept"))


def test_too_large_answer_is_rejected(world: World, call: Call) -> None:
    with pytest.raises(TooLarge):
        answer(world, call, InputAnswer(input_id="1-0", action="accept", content={"city": "x" * 16_000}))


def test_late_answer_is_rejected(world: World, call: Call) -> None:
    world.clock.advance(WAIT.total_seconds() - 1)
    answer(world, call, AGREED)
    world.clock.advance(1)
    with pytest.raises(InputClosed, match="no longer waits"):
        answer(world, call, BERN)


def test_answer_after_the_end_of_the_turn_is_rejected(world: World, call: Call) -> None:
    world.use_cases.cancel_turn(ALICE, call.session_id, call.turn_id)
    with pytest.raises(InputClosed, match="no longer waits"):
        answer(world, call, BERN)


def test_other_users_and_unknown_questions_are_not_found(world: World, call: Call) -> None:
    with pytest.raises(SessionNotFound):
        answer(world, call, BERN, BOB)
    with pytest.raises(InputNotFound):
        answer(world, call, InputAnswer(input_id="2-0", action="accept"))
    other = world.call(world.turn(world.session()), "report.echo", "{}")
    with pytest.raises(CallNotFound):
        answer(world, other, BERN)


def test_open_questions_are_in_the_response_until_they_are_answered(world: World, call: Call) -> None:
    ids = ALICE, call.session_id, call.turn_id
    shown = [each.model_dump(mode="json", exclude_none=True) for each in world.use_cases.read_turn(*ids).inputs]
    assert shown[0] == {
        "call_id": call.call_id,
        "input_id": "1-0",
        "tool": "report.echo",
        "mode": "form",
        "message": "Which city?",
        "schema": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 20_000}},
            "required": ["city"],
        },
        "expires_at": shown[0]["expires_at"],
    }
    assert shown[1]["url"] == "https://bank.example/in"
    assert world.use_cases.read_sessions.list(ALICE, 10, None).items[0].waits_for_user

    answer(world, call, BERN)
    assert [each.input_id for each in world.use_cases.read_turn(*ids).inputs] == ["1-1"]
    answer(world, call, AGREED)
    assert world.use_cases.read_turn(*ids).inputs == []
    assert not world.use_cases.read_sessions(ALICE, call.session_id).waits_for_user


def test_ended_turn_has_no_open_questions(world: World, call: Call) -> None:
    world.use_cases.cancel_turn(ALICE, call.session_id, call.turn_id)
    assert world.use_cases.read_turn(ALICE, call.session_id, call.turn_id).inputs == []
