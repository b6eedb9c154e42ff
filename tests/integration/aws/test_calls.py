"""Calls, the claims of runners on calls, and approvals."""

from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.calls import DynamoApprovals, DynamoCalls, DynamoClaims
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.calls import Approval, Call, CallResult, Decision
from satchel.domain.ids import CallId, call_id
from satchel.domain.sessions import Session, Turn
from tests.integration.aws.factories import START, make_call, make_turn, new_call_id, new_turn_id, run_concurrently


@pytest.fixture
def calls(table: Table, store: S3Files) -> DynamoCalls:
    return DynamoCalls(table, store)


@pytest.fixture
def turn(session: Session) -> Turn:
    return make_turn(session)


@pytest.fixture
def call(calls: DynamoCalls, turn: Turn) -> Call:
    call = make_call(turn, arguments='{"filename": "größe.csv"}')
    calls.add([call])
    return call


def test_calls_are_listed_by_round_and_index(calls: DynamoCalls, turn: Turn) -> None:
    proposed = [make_call(turn, *position) for position in [(0, 0), (0, 1), (0, 99), (0, 100), (1, 0), (10, 0)]]

    calls.add(proposed[::-1])

    assert calls.list(turn.turn_id) == proposed
    assert calls.get(turn.turn_id, proposed[1].call_id) == proposed[1]


def test_turn_without_calls_has_none(calls: DynamoCalls, turn: Turn) -> None:
    assert calls.list(turn.turn_id) == []
    assert calls.get(turn.turn_id, make_call(turn).call_id) is None


def test_add_does_not_change_an_existing_call(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    calls.add([call.model_copy(update={"arguments": "other"}), make_call(turn, 0, 1)])

    assert calls.list(turn.turn_id) == [call, make_call(turn, 0, 1)]


def test_add_ignores_dispatch_fields_and_result(calls: DynamoCalls, turn: Turn) -> None:
    call = make_call(
        turn,
        injected={"a": 1},
        unresolved={"a": ["b"]},
        result=CallResult(is_error=False),
    )

    calls.add([call])

    assert calls.get(turn.turn_id, call.call_id) == make_call(turn)


def test_first_mark_dispatched_wins(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    sent = call.model_copy(update={"injected": {"filename": "x", "n": None}, "unresolved": {"y.csv": ["x.csv"]}})

    calls.mark_dispatched(sent)
    calls.mark_dispatched(sent.model_copy(update={"injected": {}}))

    assert calls.get(turn.turn_id, call.call_id) == sent


def test_save_result_does_not_create_an_unknown_call(calls: DynamoCalls, turn: Turn) -> None:
    missing = make_call(turn, 7, 7).call_id
    result = CallResult(is_error=True)

    assert calls.save_result(turn.turn_id, missing, result) == result
    assert calls.list(turn.turn_id) == []


def test_first_result_wins_and_is_returned(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    first = CallResult(is_error=False, results={"rows": 3, "none": None}, meta_data={"a": [1.5]}, duration_ms=12)
    second = CallResult(is_error=True, error_code="E_TIMEOUT")

    assert calls.save_result(turn.turn_id, call.call_id, first) == first
    assert calls.save_result(turn.turn_id, call.call_id, second) == first
    assert calls.get(turn.turn_id, call.call_id) == call.model_copy(update={"result": first})


def test_concurrent_dispatch_and_result_are_both_stored(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    sent = call.model_copy(update={"injected": {"a": 1}})
    result = CallResult(is_error=False)

    outcomes = run_concurrently(
        [
            lambda: calls.mark_dispatched(sent),
            lambda: calls.save_result(turn.turn_id, call.call_id, result),
        ],
    )

    assert outcomes == [None, result]
    assert calls.get(turn.turn_id, call.call_id) == sent.model_copy(
        update={"result": result},
    )


def test_call_is_not_found_in_another_turn(calls: DynamoCalls, call: Call) -> None:
    assert calls.get(new_turn_id(), call.call_id) is None


def test_large_arguments_are_stored_in_the_bucket_and_read_back(calls: DynamoCalls, store: S3Files, turn: Turn) -> None:
    text = "x" * 300_000
    call = make_call(turn, arguments=f'{{"text": "{text}"}}')
    calls.add([call])
    sent = call.model_copy(update={"injected": {"text": text}})
    calls.mark_dispatched(sent)
    result = calls.save_result(turn.turn_id, call.call_id, CallResult(is_error=False, results="y" * 290_000))

    assert calls.get(turn.turn_id, call.call_id) == sent.model_copy(update={"result": result})
    assert sum(store.delete_prefix(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2


@pytest.fixture
def claims(table: Table) -> DynamoClaims:
    return DynamoClaims(table)


def test_one_of_many_concurrent_runners_claims_a_call(claims: DynamoClaims) -> None:
    call = CallId(new_call_id())

    def claim(runner: str) -> bool:
        return claims.claim(call, runner)

    outcomes = run_concurrently([lambda name=f"runner {number}": claim(name) for number in range(8)])  # type: ignore[misc]  # bound

    assert sorted(map(bool, outcomes)) == [False] * 7 + [True]


def test_later_claim_of_another_runner_fails(claims: DynamoClaims) -> None:
    call = new_call_id()
    assert claims.claim(CallId(call), "first") is True
    assert claims.claim(CallId(call), "second") is False


def test_repeated_claim_of_the_same_runner_succeeds(claims: DynamoClaims) -> None:
    call = new_call_id()
    assert claims.claim(CallId(call), "first") is True
    assert claims.claim(CallId(call), "first") is True


def test_claims_of_different_calls_are_independent(claims: DynamoClaims) -> None:
    turn = new_turn_id()
    assert claims.claim(call_id(turn, 0, 0), "first") is True
    assert claims.claim(call_id(turn, 0, 1), "second") is True


APPROVED = Decision(approved=True, arguments={"größe": [1.5, None]}, reason="fine")
DENIED = Decision(approved=False)


@pytest.fixture
def approvals(table: Table) -> DynamoApprovals:
    return DynamoApprovals(table)


@pytest.fixture
def pending(session: Session) -> Approval:
    call = make_call(make_turn(session))
    return Approval(call_id=call.call_id, turn_id=call.turn_id, task_token="one", expires_at=START + timedelta(hours=1))


def test_approval_that_was_not_requested_cannot_be_decided(approvals: DynamoApprovals, pending: Approval) -> None:
    assert approvals.get(pending.turn_id, pending.call_id) is None
    assert approvals.decide(pending.turn_id, pending.call_id, APPROVED) is None
    assert approvals.get(pending.turn_id, pending.call_id) is None


def test_repeated_request_replaces_the_task_token(approvals: DynamoApprovals, pending: Approval) -> None:
    repeated = pending.model_copy(update={"task_token": "two"})

    assert approvals.request(pending) == pending
    assert approvals.request(repeated) == repeated
    assert approvals.get(pending.turn_id, pending.call_id) == repeated


def test_first_decision_wins(approvals: DynamoApprovals, pending: Approval) -> None:
    decided = pending.model_copy(update={"decision": APPROVED})
    approvals.request(pending)

    assert approvals.decide(pending.turn_id, pending.call_id, APPROVED) == decided
    assert approvals.decide(pending.turn_id, pending.call_id, DENIED) == decided
    assert approvals.request(pending.model_copy(update={"task_token": "two"})) == decided


def test_concurrent_decisions_return_the_same_one(approvals: DynamoApprovals, pending: Approval) -> None:
    approvals.request(pending)

    one, other = run_concurrently(
        [
            lambda: approvals.decide(pending.turn_id, pending.call_id, APPROVED),
            lambda: approvals.decide(pending.turn_id, pending.call_id, DENIED),
        ],
    )

    assert one == other == approvals.get(pending.turn_id, pending.call_id)


def test_approval_is_not_listed_as_a_call(approvals: DynamoApprovals, table: Table, pending: Approval) -> None:
    approvals.request(pending)

    (item,) = table.query_all(f"CALLS#{pending.turn_id}", "")

    assert item["sk"] == f"APPROVAL#{pending.call_id}"
    assert table.query_all(f"CALLS#{pending.turn_id}", "CALL#") == []
