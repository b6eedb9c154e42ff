"""A turn can never outgrow the history of its execution: it would end there, without a word."""

import pytest

from infra import sources
from infra.settings import Settings
from satchel.domain.steps import MOST_CALLS_IN_TURN, MOST_ROUNDS
from satchel.settings import ThinkSettings
from tests.infra.asl_history import longest_history, shortest_history

LIMIT = 25_000
DEFINITION = sources.TURN_WORKFLOW.read_text(encoding="utf-8")


def test_the_largest_turn_that_there_may_be_fits_with_everything_tried_again() -> None:
    assert longest_history(DEFINITION, rounds=MOST_ROUNDS, calls=MOST_CALLS_IN_TURN) < LIMIT


def test_forty_rounds_of_one_call_are_a_tenth_of_it() -> None:
    """As counted by hand: 2, and 7 for each thought, 4 for each Map, 15 for each call, and 5 for the end."""
    assert shortest_history(DEFINITION, rounds=40, calls=40) == 2 + 41 * 7 + 40 * (4 + 15) + 5 == 1054


@pytest.mark.parametrize("rounds", [0, MOST_ROUNDS + 1])
def test_a_deployment_cannot_ask_for_other_rounds_than_a_function_takes(rounds: int) -> None:
    for kind in (Settings, ThinkSettings):
        with pytest.raises(ValueError, match="max_rounds"):
            kind(max_rounds=rounds)
        assert kind(max_rounds=MOST_ROUNDS).max_rounds == MOST_ROUNDS
    assert Settings().max_rounds == ThinkSettings().max_rounds
