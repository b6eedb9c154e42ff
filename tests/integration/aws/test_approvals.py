from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.calls import DynamoApprovals
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Approval, Decision
from satchel.domain.sessions import Session
from tests.integration.aws.makers import START, a_call, a_turn, at_once

YES = Decision(approved=True, arguments={"größe": [1.5, None]}, reason="fine")
NO = Decision(approved=False)


@pytest.fixture
def approvals(table: Table) -> DynamoApprovals:
    return DynamoApprovals(table)


@pytest.fixture
def asked(session: Session) -> Approval:
    call = a_call(a_turn(session))
    return Approval(call_id=call.call_id, turn_id=call.turn_id, task_token="one", expires_at=START + timedelta(hours=1))


def test_what_was_never_asked_is_not_there(approvals: DynamoApprovals, asked: Approval) -> None:
    assert approvals.get(asked.turn_id, asked.call_id) is None
    assert approvals.decide(asked.turn_id, asked.call_id, YES) is None
    assert approvals.get(asked.turn_id, asked.call_id) is None


def test_asked_again_the_newer_token_counts(approvals: DynamoApprovals, asked: Approval) -> None:
    again = asked.model_copy(update={"task_token": "two"})

    assert approvals.ask(asked) == asked
    assert approvals.ask(again) == again
    assert approvals.get(asked.turn_id, asked.call_id) == again


def test_the_first_decision_stands(approvals: DynamoApprovals, asked: Approval) -> None:
    decided = asked.model_copy(update={"decision": YES})
    approvals.ask(asked)

    assert approvals.decide(asked.turn_id, asked.call_id, YES) == decided
    assert approvals.decide(asked.turn_id, asked.call_id, NO) == decided
    assert approvals.ask(asked.model_copy(update={"task_token": "two"})) == decided


def test_of_two_who_decide_at_once_both_are_told_the_same(approvals: DynamoApprovals, asked: Approval) -> None:
    approvals.ask(asked)

    one, other = at_once(
        [
            lambda: approvals.decide(asked.turn_id, asked.call_id, YES),
            lambda: approvals.decide(asked.turn_id, asked.call_id, NO),
        ],
    )

    assert one == other == approvals.get(asked.turn_id, asked.call_id)


def test_a_call_and_its_approval_lie_side_by_side_without_being_mistaken(
    approvals: DynamoApprovals, table: Table, asked: Approval
) -> None:
    approvals.ask(asked)

    (item,) = table.query_all(f"CALLS#{asked.turn_id}", "")

    assert item["sk"] == f"APPROVAL#{asked.call_id}"
    assert table.query_all(f"CALLS#{asked.turn_id}", "CALL#") == []
