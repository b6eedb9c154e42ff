from typing import Any

from satchel.entrypoints.stream import StreamBatch

Json = dict[str, Any]


def record(number: int, pk: str, sk: str) -> Json:
    return {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": sk}}, "SequenceNumber": f"{number}"},
    }


def pushed(*records: Json, failing: tuple[str, ...] = ()) -> tuple[list[str], Json]:
    """Return the turns that were pushed, in order, and the answer."""
    turns: list[str] = []

    def push(turn_id: str) -> bool:
        turns.append(turn_id)
        return turn_id not in failing

    return turns, StreamBatch(push)({"Records": list(records)})


def test_each_turn_of_a_batch_is_pushed_once_in_the_order_of_its_first_record() -> None:
    turns, answer = pushed(
        record(1, "TURN#t2", "EVENT#00000001"),
        record(2, "TURN#t1", "SUB#c="),
        record(3, "TURN#t2", "EVENT#00000002"),
    )
    assert turns == ["t2", "t1"]
    assert answer == {"batchItemFailures": []}


def test_what_tells_of_nothing_new_is_passed_over() -> None:
    """Where there is a filter it does not come at all."""
    turns, _ = pushed(
        record(1, "TURN#t1", "SEQ"),
        record(2, "TURN#t1", "ONCE#start"),
        record(3, "TURN#t1", "CLAIM#t1-00-00"),
        record(4, "SESSION#s1", "TURN#t1"),
        record(5, "CONN#c=", "CONN"),
        record(6, "SESSION#s1", "EVENT#1"),
    )
    assert turns == []


def test_a_batch_is_told_again_from_the_first_record_of_the_first_turn_that_failed() -> None:
    turns, answer = pushed(
        record(1, "TURN#t1", "EVENT#00000001"),
        record(2, "TURN#t2", "EVENT#00000001"),
        record(3, "TURN#t3", "EVENT#00000001"),
        record(4, "TURN#t2", "EVENT#00000002"),
        failing=("t2", "t3"),
    )
    assert turns == ["t1", "t2", "t3"]
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}
