"""The state data of a turn stays far below the limit, and its history has the computed length."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from infra import sources
from satchel.domain.sessions import TurnStatus
from satchel.domain.steps import MAX_INPUT_ROUNDS_IN_TURN, MAX_POLLS_IN_TURN
from tests.infra.execution_history import max_history, min_history
from tests.integration.turn.turn_driver import TurnDriver, patient_dispatch

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import HistoryEventTypeDef

pytestmark = pytest.mark.timeout(600)
MAX_SECONDS = 500
STATE_LIMIT = 256 << 10
HISTORY_LIMIT = 25_000
LARGE_RESULT_CHARS = 200_000
DEFINITION = sources.load_turn_workflow(defaultdict(lambda: 1))


@pytest.fixture(autouse=True)
def _patient_dispatch(turns: TurnDriver) -> Iterator[None]:
    assert turns  # its clients exist
    with patient_dispatch():
        yield


def payload_sizes(events: list["HistoryEventTypeDef"]) -> Iterator[int]:
    """Yield the sizes, in bytes, of all inputs and outputs in the execution history."""
    for event in events:
        details: list[Any] = [value for key, value in event.items() if key.endswith("EventDetails")]
        for each in details:
            yield from (len(str(each[name]).encode()) for name in ("input", "output", "parameters") if name in each)


def test_ten_concurrent_calls_of_200_kb_keep_the_state_data_small(turns: TurnDriver) -> None:
    turn = turns.run(turns.new_session(), [[("say", {"size": LARGE_RESULT_CHARS})] * 10])
    assert turn.status is TurnStatus.COMPLETE
    response = turns.response(turn)
    assert all(call.meta_data and call.meta_data["truncated"] for call in response.tool_calls)
    assert [(file.size, file.version) for file in response.artifacts] == [(LARGE_RESULT_CHARS, 1)] * 10
    assert len({file.name for file in response.artifacts}) == 10  # each call stored its complete result
    assert turns.wait_for_execution(turn) == "SUCCEEDED"
    events = turns.history(turn)
    assert max(payload_sizes(events)) < STATE_LIMIT / 100
    assert len(events) == min_history(DEFINITION, rounds=1, calls=10)


def test_forty_rounds_are_the_maximum_and_fit_into_the_history(turns: TurnDriver) -> None:
    turns.set_timeouts(turn=MAX_SECONDS, call=100, heartbeat=90)  # a slow machine must not end it
    turn = turns.wait_for_end(turns.start(turns.new_session(), [[("say", {"size": 10})]] * 50), MAX_SECONDS)
    assert turn.error is not None
    assert (turn.status, turn.error.error_code) == (TurnStatus.FAILED, "E_TOO_MANY_ROUNDS")
    assert "in 40 rounds, the maximum of a turn, and gave no answer" in turn.error.message
    assert len(turns.response(turn).tool_calls) == 40
    assert turns.wait_for_execution(turn) == "SUCCEEDED"
    events = turns.history(turn)
    assert max(payload_sizes(events)) < STATE_LIMIT / 100
    assert len(events) == min_history(DEFINITION, rounds=40, calls=40, alone=39, has_answer=False)
    assert (
        max_history(DEFINITION, rounds=40, calls=40, input_rounds=MAX_INPUT_ROUNDS_IN_TURN, polls=MAX_POLLS_IN_TURN)
        < HISTORY_LIMIT
    )
