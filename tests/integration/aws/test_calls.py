import pytest

from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.domain.calls import Call, CallResult
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Session, Turn
from tests.integration.aws.makers import a_call, a_turn, at_once, fresh


@pytest.fixture
def calls(table: Table, store: S3Files) -> DynamoCalls:
    return DynamoCalls(table, store)


@pytest.fixture
def turn(session: Session) -> Turn:
    return a_turn(session)


@pytest.fixture
def call(calls: DynamoCalls, turn: Turn) -> Call:
    call = a_call(turn, arguments='{"filename": "größe.csv"}')
    calls.add([call])
    return call


def test_calls_come_back_as_proposed_in_order_of_round_and_index(calls: DynamoCalls, turn: Turn) -> None:
    proposed = [a_call(turn, *place) for place in [(0, 0), (0, 1), (0, 99), (0, 100), (1, 0), (10, 0)]]

    calls.add(proposed[::-1])

    assert calls.list(turn.turn_id) == proposed
    assert calls.get(turn.turn_id, proposed[1].call_id) == proposed[1]


def test_a_turn_without_calls_has_none(calls: DynamoCalls, turn: Turn) -> None:
    assert calls.list(turn.turn_id) == []
    assert calls.get(turn.turn_id, a_call(turn).call_id) is None


def test_a_call_that_is_there_stays_as_it_is(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    calls.add([call.model_copy(update={"arguments": "other"}), a_call(turn, 0, 1)])

    assert calls.list(turn.turn_id) == [call, a_call(turn, 0, 1)]


def test_what_is_proposed_is_not_yet_sent_or_settled(calls: DynamoCalls, turn: Turn) -> None:
    call = a_call(
        turn,
        injected={"a": 1},
        unresolved={"a": ["b"]},
        settled=CallResult(is_error=False),
    )

    calls.add([call])

    assert calls.get(turn.turn_id, call.call_id) == a_call(turn)


def test_dispatching_notes_what_the_tool_is_given_the_first_time(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    sent = call.model_copy(update={"injected": {"filename": "x", "n": None}, "unresolved": {"y.csv": ["x.csv"]}})

    calls.dispatched(sent)
    calls.dispatched(sent.model_copy(update={"injected": {}}))

    assert calls.get(turn.turn_id, call.call_id) == sent


def test_a_call_that_nobody_proposed_cannot_be_settled_into_being(calls: DynamoCalls, turn: Turn) -> None:
    missing = a_call(turn, 7, 7).call_id
    settled = CallResult(is_error=True)

    assert calls.save_result(turn.turn_id, missing, settled) == settled
    assert calls.list(turn.turn_id) == []


def test_the_first_settling_stands_and_is_returned(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    first = CallResult(is_error=False, results={"rows": 3, "none": None}, meta_data={"a": [1.5]}, duration_ms=12)
    second = CallResult(is_error=True, error_code="E_TIMEOUT")

    assert calls.save_result(turn.turn_id, call.call_id, first) == first
    assert calls.save_result(turn.turn_id, call.call_id, second) == first
    assert calls.get(turn.turn_id, call.call_id) == call.model_copy(update={"settled": first})


def test_what_two_functions_add_at_once_all_stays(calls: DynamoCalls, call: Call, turn: Turn) -> None:
    sent = call.model_copy(update={"injected": {"a": 1}})
    settled = CallResult(is_error=False)

    came = at_once(
        [
            lambda: calls.dispatched(sent),
            lambda: calls.save_result(turn.turn_id, call.call_id, settled),
        ],
    )

    assert came == [None, settled]
    assert calls.get(turn.turn_id, call.call_id) == sent.model_copy(
        update={"settled": settled},
    )


def test_calls_of_another_turn_are_not_seen(calls: DynamoCalls, call: Call) -> None:
    assert calls.get(TurnId(fresh("t")), call.call_id) is None


def test_large_arguments_lie_in_the_bucket_and_come_back_with_what_the_call_came_to(
    calls: DynamoCalls, store: S3Files, turn: Turn
) -> None:
    text = "x" * 300_000
    call = a_call(turn, arguments=f'{{"text": "{text}"}}')
    calls.add([call])
    sent = call.model_copy(update={"injected": {"text": text}})
    calls.dispatched(sent)
    settled = calls.save_result(turn.turn_id, call.call_id, CallResult(is_error=False, results="y" * 290_000))

    assert calls.get(turn.turn_id, call.call_id) == sent.model_copy(update={"settled": settled})
    assert sum(store.delete_under(f"{turn.user}/turns/{turn.turn_id}/texts/")) == 2
