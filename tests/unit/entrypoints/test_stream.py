from typing import Any

from satchel.entrypoints.stream import StreamBatchHandler

Json = dict[str, Any]


def record(number: int, pk: str, sk: str) -> Json:
    return {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": sk}}, "SequenceNumber": f"{number}"},
    }


def push_records(*records: Json, failing: tuple[str, ...] = ()) -> tuple[list[str], Json]:
    """Handle the records. Return the turns that were pushed, in order, and the response."""
    turns: list[str] = []

    def push(turn_id: str) -> bool:
        turns.append(turn_id)
        return turn_id not in failing

    return turns, StreamBatchHandler(push)({"Records": list(records)})


def test_each_turn_of_a_batch_is_pushed_once_in_the_order_of_its_first_record() -> None:
    turns, response = push_records(
        record(1, "TURN#t2", "EVENT#00000001"),
        record(2, "TURN#t1", "SUB#c="),
        record(3, "TURN#t2", "EVENT#00000002"),
    )
    assert turns == ["t2", "t1"]
    assert response == {"batchItemFailures": []}


def test_records_that_are_not_events_or_subscriptions_are_ignored() -> None:
    """The filter of the stream drops most of them already."""
    turns, _ = push_records(
        record(1, "TURN#t1", "SEQ"),
        record(2, "TURN#t1", "ONCE#start"),
        record(3, "TURN#t1", "CLAIM#t1-00-00"),
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
