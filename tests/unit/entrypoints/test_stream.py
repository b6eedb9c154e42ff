import threading
from contextvars import ContextVar
from typing import Any

import pytest

from satchel.entrypoints.stream import MAX_THREADS, StreamBatchHandler

Json = dict[str, Any]


def record(number: int, pk: str, sk: str) -> Json:
    return {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": sk}}, "SequenceNumber": f"{number}"},
    }


def push_records(*records: Json, failing: tuple[str, ...] = ()) -> tuple[list[str], Json]:
    """Handle the records. Return the pushed turns and the relayed calls, sorted, and the response."""
    turns: list[str] = []

    def push(turn_id: str) -> bool:
        turns.append(turn_id)
        return turn_id not in failing

    response = StreamBatchHandler(push, relay=push)({"Records": list(records)})
    return sorted(turns), response


def test_each_turn_of_a_batch_is_pushed_once() -> None:
    turns, response = push_records(
        record(1, "TURN#t2", "EVENT#00000001"),
        record(2, "TURN#t1", "SUB#c="),
        record(3, "TURN#t2", "EVENT#00000002"),
    )
    assert turns == ["t1", "t2"]
    assert response == {"batchItemFailures": []}


def test_records_that_are_not_events_or_subscriptions_are_ignored() -> None:
    """The filter of the stream drops most of them already."""
    turns, _ = push_records(
        record(1, "TURN#t1", "RELAY#c1"),
        record(2, "TURN#t1", "ONCE#start"),
        record(3, "TURN#t1", "RELAY#t1-00-00"),
        record(4, "SESSION#s1", "TURN#t1"),
        record(5, "CONN#c=", "CONN"),
        record(6, "SESSION#s1", "EVENT#1"),
    )
    assert turns == []


def test_response_names_the_first_record_of_the_first_failed_turn() -> None:
    turns, response = push_records(
        record(1, "TURN#t1", "EVENT#00000001"),
        record(2, "TURN#t2", "EVENT#00000001"),
        record(3, "TURN#t3", "EVENT#00000001"),
        record(4, "TURN#t2", "EVENT#00000002"),
        failing=("t2", "t3"),
    )
    assert turns == ["t1", "t2", "t3"]
    assert response == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def turn_records(count: int) -> Json:
    """Return a batch with one event of each of ``count`` turns."""
    return {"Records": [record(number, f"TURN#t{number}", "EVENT#00000001") for number in range(count)]}


def test_full_batch_is_pushed_in_two_rounds_of_parallel_turns() -> None:
    """Each push waits until 50 run at once. If a push takes 0.2 s, 100 turns take 0.4 s instead of 20 s."""
    together = threading.Barrier(MAX_THREADS)
    rounds: list[int] = []

    def push(_: str) -> bool:
        rounds.append(together.wait(timeout=60))
        return True

    assert StreamBatchHandler(push, relay=push)(turn_records(2 * MAX_THREADS)) == {"batchItemFailures": []}
    assert rounds.count(0) == 2


def test_unreachable_connection_of_one_turn_does_not_delay_the_other_turns() -> None:
    others = threading.Semaphore(0)

    def push(turn_id: str) -> bool:
        if turn_id != "t0":
            others.release()
            return True
        for _ in range(99):
            assert others.acquire(timeout=60)
        return False

    assert StreamBatchHandler(push, relay=push)(turn_records(100)) == {"batchItemFailures": [{"itemIdentifier": "0"}]}


def test_error_in_one_turn_is_logged_and_the_other_turns_are_pushed(caplog: pytest.LogCaptureFixture) -> None:
    pushed: list[str] = []

    def push(turn_id: str) -> bool:
        if turn_id == "t1":
            raise OSError("the table was away")
        pushed.append(turn_id)
        return True

    assert StreamBatchHandler(push, relay=push)(turn_records(3)) == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert sorted(pushed) == ["t0", "t2"]
    assert "the table was away" in caplog.text


def test_context_of_the_invocation_reaches_each_turn_without_mixing_turns() -> None:
    """The log keys are context variables: a turn sees those of the invocation and never those of another turn."""
    keys: ContextVar[str] = ContextVar("keys", default="none")
    keys.set("invocation")
    seen: list[str] = []

    def push(turn_id: str) -> bool:
        seen.append(keys.get())
        keys.set(turn_id)
        return True

    StreamBatchHandler(push, relay=push)(turn_records(100))
    assert seen == ["invocation"] * 100


def test_each_reporting_call_is_relayed_once_and_a_failure_is_repeated() -> None:
    works, response = push_records(
        record(1, "RUN#t1-00-01", "EVENT#00000001"),
        record(2, "TURN#t1", "EVENT#00000001"),
        record(3, "RUN#t1-00-01", "EVENT#00000002"),
        record(4, "RUN#t1-00-00", "EVENT#anything"),
        failing=("t1-00-00",),
    )
    assert works == ["t1", "t1-00-00", "t1-00-01"]
    assert response == {"batchItemFailures": [{"itemIdentifier": "4"}]}
