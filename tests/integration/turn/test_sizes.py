"""What a turn comes to in the machine: data far below what a state may hold, and a history as long as was computed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from infra import sources
from satchel.domain.sessions import TurnStatus
from tests.infra.execution_history import max_history, min_history
from tests.integration.turn.turns import Turns

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import HistoryEventTypeDef

pytestmark = pytest.mark.timeout(240)
STATE_LIMIT = 256 << 10
HISTORY_LIMIT = 25_000
LARGE = 200_000
DEFINITION = sources.TURN_WORKFLOW.read_text(encoding="utf-8")


def sizes(events: list["HistoryEventTypeDef"]) -> Iterator[int]:
    """Give the bytes of all inputs and outputs, of states and tasks, that the interpreter wrote down."""
    for event in events:
        details: list[Any] = [value for key, value in event.items() if key.endswith("EventDetails")]
        for each in details:
            yield from (len(str(each[name]).encode()) for name in ("input", "output", "parameters") if name in each)


def test_ten_calls_of_200_kb_side_by_side_leave_the_states_small(turns: Turns) -> None:
    turn = turns.run(turns.asker(), [[("say", {"size": LARGE})] * 10])
    assert turn.status is TurnStatus.COMPLETE
    response = turns.response(turn)
    assert all(call.meta_data and call.meta_data["truncated"] for call in response.tool_calls)
    assert [(file.size, file.version) for file in response.artifacts] == [(LARGE, 10)]  # each kept its whole result
    events = turns.history(turn)
    assert max(sizes(events)) < STATE_LIMIT / 100
    assert len(events) == min_history(DEFINITION, rounds=1, calls=10)


def test_forty_rounds_leave_the_history_short_and_are_all_that_a_model_has(turns: Turns) -> None:
    turn = turns.end(turns.begin(turns.asker(), [[("say", {"size": 10})]] * 50), 120)
    assert turn.error is not None
    assert (turn.status, turn.error.error_code) == (TurnStatus.FAILED, "E_TOO_MANY_ROUNDS")
    assert "in 40 rounds without coming to an answer" in turn.error.message
    assert len(turns.response(turn).tool_calls) == 40
    events = turns.history(turn)
    assert max(sizes(events)) < STATE_LIMIT / 100
    assert len(events) == min_history(DEFINITION, rounds=40, calls=40)
    assert max_history(DEFINITION, rounds=40, calls=40) < HISTORY_LIMIT
