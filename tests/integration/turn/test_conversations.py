"""A conversation through the machine: what the model is given of it, and what becomes of calls that were wrong."""

from typing import Any

import pytest

from satchel.domain.conversation import CompletionRequest, ToolMessage, UserMessage
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.token_budget import tokens, tokens_of, tokens_of_tool
from tests.integration.turn.model import ANSWER, TOOK, Plan
from tests.integration.turn.turns import Turns
from tests.unit.domain.talks import assert_in_form

pytestmark = pytest.mark.timeout(180)
BUDGET = 100_000  # tokens, unless SATCHEL_CONTEXT_TOKENS says otherwise
RESULT = 20_000  # characters, of a tool; a turn has about 7,000 tokens with it
SAY: tuple[str, dict[str, Any]] = ("say", {"size": 3})
UNKNOWN = ("nonesuch", "{}")
FORBIDDEN = ("vault.open", "{}")
BROKEN = ("say", '{"size": 3')
NO_OBJECT = ("say", "[3]")
MISFIT = ("say", {"size": "three"})


def took(task: CompletionRequest) -> int:
    """Return the tokens of a question, as they are estimated."""
    fixed = tokens(task.instructions) + sum(map(tokens_of_tool, task.tools))
    return fixed + sum(map(tokens_of, task.messages))


def results(task: CompletionRequest) -> list[bool]:
    """Return of all results that the model is shown whether each was shortened."""
    return ["shortened" in message.content for message in task.messages if isinstance(message, ToolMessage)]


def codes(turns: Turns, turn: Turn) -> list[str | None]:
    return [call.error_code for call in turns.response(turn).tool_calls]


def test_thirty_turns_with_large_results_stay_within_the_budget_and_the_oldest_results_are_cut(turns: Turns) -> None:
    asker = turns.asker()
    for number in range(30):
        turn = turns.run(asker, [[("say", {"size": RESULT})]])
        assert turn.status is TurnStatus.COMPLETE
        task = turns.model.tasks[-1]
        assert took(task) <= BUDGET
        assert_in_form(task.messages)
        assert sum(isinstance(message, UserMessage) for message in task.messages) == number + 1
        cut = results(task)
        assert cut == sorted(cut, reverse=True)  # none before one that was left whole
        assert any(cut) is (number >= 14)
    assert took(task) > BUDGET * 3 // 4  # and no more is cut than has to be, in steps
    assert not task.last_word
    assert turn.usage == TOOK + TOOK


WRONG: list[tuple[tuple[str, dict[str, Any] | str], str]] = [
    (UNKNOWN, "E_UNKNOWN_TOOL"),
    (FORBIDDEN, "E_FORBIDDEN"),
    (BROKEN, "E_INVALID_ARGUMENTS"),
    (NO_OBJECT, "E_INVALID_ARGUMENTS"),
    (MISFIT, "E_INVALID_ARGUMENTS"),
]


def test_what_is_wrong_with_calls_side_by_side_is_told_of_each_in_its_place_and_can_be_mended(turns: Turns) -> None:
    plan: Plan = [[*(wish for wish, _ in WRONG), SAY], [SAY]]
    turn = turns.run(turns.asker(), plan)
    assert (turn.status, turn.answer) == (TurnStatus.COMPLETE, ANSWER)
    assert codes(turns, turn) == [*(code for _, code in WRONG), None, None]

    told = [message for message in turns.model.tasks[-1].messages if isinstance(message, ToolMessage)]
    assert [message.mistaken for message in told] == [True] * len(WRONG) + [False, False]
    assert [message.content["results"] for message in told][-2:] == ["xxx", "xxx"]
    events = [(event.type, event.payload.get("error_code")) for event in turns.events(turn)]
    assert sum(kind == "tool_start" for kind, _ in events) == len(plan[0]) + len(plan[1])
    assert sorted(code for kind, code in events if kind == "tool_complete" and code) == sorted(
        code for _, code in WRONG
    )


@pytest.mark.parametrize("wish", [UNKNOWN, FORBIDDEN, BROKEN, MISFIT])
def test_a_model_that_never_learns_is_stopped_with_a_message_that_says_so(
    turns: Turns, wish: tuple[str, dict[str, Any] | str]
) -> None:
    turn = turns.run(turns.asker(), [[wish]] * 20)
    assert turn.error is not None
    assert (turn.status, turn.error.error_code) == (TurnStatus.FAILED, "E_TOO_MANY_MISTAKES")
    assert turn.error.message.startswith("The model called tools wrongly 4 times, was told each time what was wrong")
    assert len(codes(turns, turn)) == 4
    assert [task.last_word for task in list(turns.model.tasks)[-5:]] == [False] * 4 + [True]
    events = [event.type for event in turns.events(turn)]
    assert events == ["turn_started", *["tool_start", "tool_complete"] * 4, "turn_failed"]
    assert turn.usage.input_tokens == 5 * TOOK.input_tokens


def test_one_that_gives_up_in_time_answers(turns: Turns) -> None:
    turn = turns.run(turns.asker(), [[UNKNOWN], [BROKEN], [MISFIT], [FORBIDDEN]])
    assert (turn.status, turn.answer) == (TurnStatus.COMPLETE, ANSWER)
    assert turns.model.tasks[-1].last_word
