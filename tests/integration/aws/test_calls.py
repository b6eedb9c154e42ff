"""Calls, the claims of runners on calls, and approvals."""

from datetime import timedelta

import pytest

from satchel.adapters.dynamodb.calls import DynamoApprovals, DynamoCalls, DynamoClaims
from satchel.adapters.dynamodb.retention import DynamoSessionPurger
from satchel.adapters.dynamodb.runner_events import DynamoReportedEvents
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.s3_files import S3Files
from satchel.domain.calls import Approval, Call, Decision
from satchel.domain.errors import Unavailable
from satchel.domain.ids import CallId, call_id
from satchel.domain.sessions import Session, Turn
from tests.fakes.system import FakeClock
from tests.integration.aws.factories import START, make_call, make_turn, new_call_id, new_turn_id, run_concurrently
from tests.integration.aws.stored_steps import add_calls


@pytest.fixture
def calls(table: Table, store: S3Files) -> DynamoCalls:
    return DynamoCalls(table, store)


@pytest.fixture
def turn(session: Session) -> Turn:
    return make_turn(session)


@pytest.fixture
def call(calls: DynamoCalls, turn: Turn) -> Call:
    call = make_call(turn, arguments='{"filename": "größe.csv"}')
    add_calls(calls.table, calls.store, [call])
    return call


def test_calls_are_listed_by_round_and_index(calls: DynamoCalls, turn: Turn) -> None:
    proposed = [make_call(turn, *position) for position in [(0, 0), (0, 1), (0, 99), (0, 100), (1, 0), (10, 0)]]

    add_calls(calls.table, calls.store, proposed[::-1])

    assert calls.list(turn.turn_id) == proposed
    assert calls.get(turn.turn_id, proposed[1].call_id) == proposed[1]


def test_turn_without_calls_has_none(calls: DynamoCalls, turn: Turn) -> None:
    assert calls.list(turn.turn_id) == []
    assert calls.get(turn.turn_id, make_call(turn).call_id) is None


def test_call_is_not_found_in_another_turn(calls: DynamoCalls, call: Call) -> None:
    assert calls.get(new_turn_id(), call.call_id) is None


@pytest.fixture
def claims(table: Table) -> DynamoClaims:
    return DynamoClaims(table)


def test_one_of_many_concurrent_runners_claims_a_call(claims: DynamoClaims) -> None:
    call = CallId(new_call_id())

    def claim(runner: str) -> bool:
        return claims.claim(call, runner)

    outcomes = run_concurrently([lambda name=f"runner {number}": claim(name) for number in range(8)])  # type: ignore[misc]  # bound

    assert sorted(map(bool, outcomes)) == [False] * 7 + [True]


def test_call_is_claimed_after_its_first_claim(claims: DynamoClaims) -> None:
    call = CallId(new_call_id())
    assert not claims.is_claimed(call)
    claims.claim(call, "runner")
    assert claims.is_claimed(call)


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


def test_runner_reads_that_its_call_is_stopped(table: Table, claims: DynamoClaims) -> None:
    turn = new_turn_id()
    stopped, other = call_id(turn, 0, 0), call_id(turn, 0, 1)
    assert claims.claim(stopped, "runner") is True
    assert claims.is_stopped(stopped) is False
    DynamoReportedEvents(table, FakeClock(START)).stop(stopped)
    assert (claims.is_stopped(stopped), claims.is_stopped(other)) == (True, False)
    assert claims.claim(stopped, "runner") is True


def test_markers_of_a_stopped_call_are_deleted_with_the_events_of_its_session(
    table: Table, claims: DynamoClaims, session: Session
) -> None:
    turn = DynamoTurns(table).begin(make_turn(session), None)
    call = call_id(turn.turn_id, 0, 0)
    claims.claim(call, "runner")
    DynamoReportedEvents(table, FakeClock(START)).stop(call)
    DynamoSessionPurger(table).delete_events(session.session_id)
    assert claims.is_stopped(call) is False
    assert claims.claim(call, "another runner") is True


def test_unreadable_table_raises_unavailable(claims: DynamoClaims) -> None:
    missing = DynamoClaims(Table(claims.table.client, "no-such-table"))
    with pytest.raises(Unavailable):
        missing.is_stopped(CallId(new_call_id()))


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
