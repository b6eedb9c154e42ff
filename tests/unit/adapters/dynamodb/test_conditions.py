"""Errors of failed writes, as AWS reports them, and the waits between tries."""

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError

from satchel.adapters.dynamodb import conditions
from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, translate_errors, tries

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED, CONFLICT = "ConditionalCheckFailed", "TransactionConflict"
THROTTLED = ("ThrottlingError", "ProvisionedThroughputExceeded")


def client_error(code: str, reasons: "Sequence[str | None]" = ()) -> ClientError:
    response: dict[str, Any] = {"Error": {"Code": code, "Message": code}}
    response["CancellationReasons"] = [{"Code": reason} if reason else {"Code": "None"} for reason in reasons]
    return ClientError(cast("Any", response), "TransactWriteItems")


def fail_with(error: ClientError) -> None:
    with translate_errors():
        raise error


@pytest.mark.parametrize(
    "reasons",
    [
        [CONFLICT],
        [None, CONFLICT],
        [CONFLICT, None],
        [CONFLICT, FAILED],
        [FAILED, CONFLICT],
        [None, THROTTLED[0], FAILED],
        [THROTTLED[1], None],
    ],
)
def test_cancelled_transaction_with_any_conflict_is_a_write_conflict(reasons: list[str | None]) -> None:
    with pytest.raises(WriteConflict):
        fail_with(client_error("TransactionCanceledException", reasons))


@pytest.mark.parametrize(
    ("reasons", "positions"), [([FAILED], [0]), ([None, FAILED, None], [1]), ([FAILED, None, FAILED], [0, 2])]
)
def test_cancelled_transaction_without_conflict_names_the_failed_writes(
    reasons: list[str | None], positions: list[int]
) -> None:
    with pytest.raises(ConditionFailed) as raised:
        fail_with(client_error("TransactionCanceledException", reasons))
    assert raised.value.positions == positions
    assert str(raised.value) == f"condition failed in writes {positions}"


@pytest.mark.parametrize("code", ["TransactionConflictException", "TransactionInProgressException"])
def test_single_write_during_a_transaction_is_a_write_conflict(code: str) -> None:
    with pytest.raises(WriteConflict):
        fail_with(client_error(code))


def test_failed_condition_of_a_single_write_is_at_position_zero() -> None:
    with pytest.raises(ConditionFailed) as raised:
        fail_with(client_error("ConditionalCheckFailedException"))
    assert (raised.value.positions, raised.value.existing) == ([0], {})


def test_failed_condition_of_a_single_write_has_the_item_that_made_it_false() -> None:
    error = client_error("ConditionalCheckFailedException")
    cast("dict[str, Any]", error.response)["Item"] = {"pk": {"S": "TURN#t1"}, "seq": {"N": "7"}}
    with pytest.raises(ConditionFailed) as raised:
        fail_with(error)
    assert raised.value.existing == {"pk": "TURN#t1", "seq": 7}


@pytest.mark.parametrize(
    ("code", "reasons"), [("AccessDeniedException", []), ("TransactionCanceledException", [None, "ValidationError"])]
)
def test_other_errors_pass_unchanged(code: str, reasons: list[str | None]) -> None:
    error = client_error(code, reasons)
    with pytest.raises(ClientError) as raised:
        fail_with(error)
    assert raised.value is error


def test_cancelled_transaction_without_reasons_passes_unchanged() -> None:
    error = client_error("TransactionCanceledException")
    del error.response["CancellationReasons"]
    with pytest.raises(ClientError) as raised:
        fail_with(error)
    assert raised.value is error


def test_tries_wait_longer_each_time_up_to_a_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(random, "uniform", lambda shortest, longest: longest - shortest)
    monkeypatch.setattr(conditions, "time", SimpleNamespace(sleep=waits.append))

    assert list(tries(6)) == [0, 1, 2, 3, 4, 5]

    assert waits == [0.01, 0.02, 0.04, 0.08, 0.1]


def test_first_try_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "time", SimpleNamespace(sleep=lambda _: pytest.fail("waited")))
    assert next(tries(2)) == 0
