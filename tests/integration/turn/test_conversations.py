"""Conversations through the state machine: the history in the model's requests, and invalid tool calls."""

from typing import Any

import pytest

from satchel.domain.conversation import CompletionRequest, ToolMessage, UserMessage
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.token_budget import estimate_tokens, message_tokens, tool_tokens
from tests.integration.turn.fakes import ANSWER, TOKENS_PER_REPLY, Script
from tests.integration.turn.turn_driver import TurnDriver
from tests.unit.domain.conversations import assert_normalized

pytestmark = pytest.mark.timeout(180)
CONTEXT_TOKENS = 100_000  # tokens, unless SATCHEL_CONTEXT_TOKENS says otherwise
RESULT_CHARS = 20_000  # characters of a tool result; a turn with one has about 7,000 tokens
SAY: tuple[str, dict[str, Any]] = ("say", {"size": 3})
UNKNOWN = ("nonesuch", "{}")
FORBIDDEN = ("vault.open", "{}")
BROKEN = ("say", '{"size": 3')
NOT_AN_OBJECT = ("say", "[3]")
WRONG_TYPE = ("say", {"size": "three"})


def estimate_request_tokens(request: CompletionRequest) -> int:
    """Return the estimated tokens of a request."""
    fixed = estimate_tokens(request.instructions) + sum(map(tool_tokens, request.tools))
    return fixed + sum(map(message_tokens, request.messages))


def shortened_results(request: CompletionRequest) -> list[bool]:
    """Return for each tool result in a request if it is shortened."""
    return ["shortened" in message.content for message in request.messages if isinstance(message, ToolMessage)]


def codes(turns: TurnDriver, turn: Turn) -> list[str | None]:
    return [call.error_code for call in turns.response(turn).tool_calls]


def test_thirty_turns_stay_within_the_budget_by_shortening_the_oldest_results(
    turns: TurnDriver,
) -> None:
    session = turns.new_session()
    for number in range(30):
        turn = turns.run(session, [[("say", {"size": RESULT_CHARS})]])
        assert turn.status is TurnStatus.COMPLETE
        request = turns.model.requests[-1]
        assert estimate_request_tokens(request) <= CONTEXT_TOKENS
        assert_normalized(request.messages)
        assert sum(isinstance(message, UserMessage) for message in request.messages) == number + 1
        shortened = shortened_results(request)
        assert shortened == sorted(shortened, reverse=True)  # the oldest ones first
        assert any(shortened) is (number >= 14)
    assert estimate_request_tokens(request) > CONTEXT_TOKENS * 3 // 4  # no more is shortened than necessary, in steps
    assert not request.must_answer
    assert turn.usage == TOKENS_PER_REPLY + TOKENS_PER_REPLY


INVALID_CALLS: list[tuple[tuple[str, dict[str, Any] | str], str]] = [
    (UNKNOWN, "E_UNKNOWN_TOOL"),
    (FORBIDDEN, "E_FORBIDDEN"),
    (BROKEN, "E_INVALID_ARGUMENTS"),
    (NOT_AN_OBJECT, "E_INVALID_ARGUMENTS"),
    (WRONG_TYPE, "E_INVALID_ARGUMENTS"),
]


def test_each_invalid_call_of_a_round_gets_its_own_error_and_can_be_corrected(
    turns: TurnDriver,
) -> None:
    script: Script = [[*(call for call, _ in INVALID_CALLS), SAY], [SAY]]
    turn = turns.run(turns.new_session(), script)
    assert (turn.status, turn.answer) == (TurnStatus.COMPLETE, ANSWER)
    assert codes(turns, turn) == [*(code for _, code in INVALID_CALLS), None, None]

    results = [message for message in turns.model.requests[-1].messages if isinstance(message, ToolMessage)]
    assert [message.mistaken for message in results] == [True] * len(INVALID_CALLS) + [False, False]
    assert [message.content["results"] for message in results][-2:] == ["xxx", "xxx"]
    events = [(event.type, event.payload.get("error_code")) for event in turns.events(turn)]
    assert sum(kind == "tool_start" for kind, _ in events) == len(script[0]) + len(script[1])
    assert sorted(code for kind, code in events if kind == "tool_complete" and code) == sorted(
        code for _, code in INVALID_CALLS
    )


@pytest.mark.parametrize("call", [UNKNOWN, FORBIDDEN, BROKEN, WRONG_TYPE])
def test_model_that_repeats_invalid_calls_is_stopped_with_an_error(
    turns: TurnDriver, call: tuple[str, dict[str, Any] | str]
) -> None:
    turn = turns.run(turns.new_session(), [[call]] * 20)
    assert turn.error is not None
    assert (turn.status, turn.error.error_code) == (TurnStatus.FAILED, "E_TOO_MANY_MISTAKES")
    assert turn.error.message.startswith("The model made invalid tool calls 4 times")
    assert len(codes(turns, turn)) == 4
    assert [request.must_answer for request in list(turns.model.requests)[-5:]] == [False] * 4 + [True]
    events = [event.type for event in turns.events(turn)]
    assert events == ["turn_started", *["tool_start", "tool_complete"] * 4, "turn_failed"]
    assert turn.usage.input_tokens == 5 * TOKENS_PER_REPLY.input_tokens


def test_model_that_stops_invalid_calls_in_time_completes_the_turn(turns: TurnDriver) -> None:
    turn = turns.run(turns.new_session(), [[UNKNOWN], [BROKEN], [WRONG_TYPE], [FORBIDDEN]])
    assert (turn.status, turn.answer) == (TurnStatus.COMPLETE, ANSWER)
    assert turns.model.requests[-1].must_answer
