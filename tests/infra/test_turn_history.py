"""The history of a turn's execution stays below Step Functions' limit, at which an execution fails."""

from collections import defaultdict

import pytest

from infra import sources
from infra.settings import Settings
from satchel.domain.steps import MAX_CALLS_IN_TURN, MAX_INPUT_ROUNDS_IN_TURN, MAX_POLLS_IN_TURN, MAX_ROUNDS
from satchel.settings import ThinkSettings
from tests.infra.execution_history import max_history, min_history

MAX_EVENTS = 25_000
DEFINITION = sources.load_turn_workflow(defaultdict(lambda: 1))


def test_largest_turn_with_all_retries_fits_the_history_limit() -> None:
    limits = {"calls": MAX_CALLS_IN_TURN, "input_rounds": MAX_INPUT_ROUNDS_IN_TURN, "polls": MAX_POLLS_IN_TURN}
    assert max_history(DEFINITION, rounds=MAX_ROUNDS, **limits) < MAX_EVENTS


def test_forty_rounds_of_one_call_have_530_events() -> None:
    """The same by hand: 2, then 7 for each Think, 4 for the Map, 8 for its call, 6 for the others, and 2 for Ended."""
    assert min_history(DEFINITION, rounds=40, calls=40, alone=39) == 2 + 40 * 7 + 4 + 8 + 39 * 6 + 2 == 530


@pytest.mark.parametrize("rounds", [0, MAX_ROUNDS + 1])
def test_deployment_and_function_accept_the_same_max_rounds(rounds: int) -> None:
    for kind in (Settings, ThinkSettings):
        with pytest.raises(ValueError, match="max_rounds"):
            kind(max_rounds=rounds)
        assert kind(max_rounds=MAX_ROUNDS).max_rounds == MAX_ROUNDS
    assert Settings().max_rounds == ThinkSettings().max_rounds
