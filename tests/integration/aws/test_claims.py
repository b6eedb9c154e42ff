import pytest

from satchel.adapters.dynamodb.calls import DynamoClaims
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import CallId, TurnId
from tests.integration.aws.makers import at_once, fresh


@pytest.fixture
def claims(table: Table) -> DynamoClaims:
    return DynamoClaims(table)


def test_one_runner_of_many_gets_the_call(claims: DynamoClaims) -> None:
    turn, call = fresh("t"), fresh("c")

    def claim(runner: str) -> bool:
        return claims.claim(TurnId(turn), CallId(call), runner)

    came = at_once([lambda name=f"runner {number}": claim(name) for number in range(8)])  # type: ignore[misc]  # bound

    assert sorted(map(bool, came)) == [False] * 7 + [True]


def test_another_runner_is_refused_later_too(claims: DynamoClaims) -> None:
    turn, call = fresh("t"), fresh("c")
    assert claims.claim(TurnId(turn), CallId(call), "first") is True
    assert claims.claim(TurnId(turn), CallId(call), "second") is False


def test_a_claim_whose_answer_was_lost_and_that_is_written_again_still_counts(claims: DynamoClaims) -> None:
    turn, call = fresh("t"), fresh("c")
    assert claims.claim(TurnId(turn), CallId(call), "first") is True
    assert claims.claim(TurnId(turn), CallId(call), "first") is True


def test_the_same_call_of_another_turn_is_another(claims: DynamoClaims) -> None:
    call = fresh("c")
    assert claims.claim(TurnId(fresh("t")), CallId(call), "first") is True
    assert claims.claim(TurnId(fresh("t")), CallId(call), "second") is True
