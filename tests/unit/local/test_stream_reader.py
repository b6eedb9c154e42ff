"""Lambda's side of a stream, with a function that a test plays."""

import json
import threading
from collections.abc import Iterator, Mapping
from queue import Queue
from typing import Any

import pytest

from infra.sources import definition
from local.aws.functions import Outcome
from local.aws.stream_reader import StreamReader, matches

Batch = list[str]
NOTHING_FAILED = Outcome(json.dumps({"batchItemFailures": []}), failed=False)


def record(number: int, pk: str = "TURN#t", sk: str = "EVENT#1", kind: str = "INSERT") -> dict[str, Any]:
    return {"eventName": kind, "dynamodb": {"SequenceNumber": f"{number}", "Keys": {"pk": {"S": pk}, "sk": {"S": sk}}}}


class Function:
    """Notes the numbers of each batch, and answers what it was told to, in turn; then that all is well."""

    def __init__(self, *answers: Outcome) -> None:
        self.batches: Queue[Batch] = Queue()
        self.free = threading.Event()
        self.free.set()
        self._answers = list(answers)

    def __call__(self, event: Mapping[str, Any]) -> Outcome:
        self.batches.put([each["dynamodb"]["SequenceNumber"] for each in event["Records"]])
        assert self.free.wait(5)
        return self._answers.pop(0) if self._answers else NOTHING_FAILED

    def next(self) -> Batch:
        return self.batches.get(timeout=5)


def failing_from(number: int) -> Outcome:
    return Outcome(json.dumps({"batchItemFailures": [{"itemIdentifier": f"{number}"}]}), failed=False)


@pytest.fixture
def readers() -> Iterator[list[StreamReader]]:
    readers: list[StreamReader] = []
    yield readers
    for reader in readers:
        reader.close(5)


def read(readers: list[StreamReader], function: Function, **given: Any) -> StreamReader:  # noqa: ANN401  (its options)
    reader = StreamReader(function, **{"filters": [], "batch_size": 100, "retries": 2, **given})
    readers.append(reader)
    return reader


def test_what_comes_while_the_function_runs_is_the_next_batch_in_order(readers: list[StreamReader]) -> None:
    function = Function()
    function.free.clear()
    reader = read(readers, function)
    reader.offer(record(1))
    assert function.next() == ["1"]
    for number in (2, 3, 4):
        reader.offer(record(number))
    function.free.set()
    assert function.next() == ["2", "3", "4"]


def test_a_batch_is_no_larger_than_it_may_be(readers: list[StreamReader]) -> None:
    function = Function()
    function.free.clear()
    reader = read(readers, function, batch_size=2)
    for number in range(1, 6):
        reader.offer(record(number))
    function.free.set()
    batches = [function.next()]
    while sum(map(len, batches)) < 5:
        batches.append(function.next())
    assert [number for batch in batches for number in batch] == ["1", "2", "3", "4", "5"]
    assert max(map(len, batches)) == 2


def test_what_did_not_succeed_comes_again_with_all_behind_it(readers: list[StreamReader]) -> None:
    function = Function(NOTHING_FAILED, failing_from(3))
    function.free.clear()
    reader = read(readers, function)
    reader.offer(record(1))
    function.next()
    for number in (2, 3, 4):
        reader.offer(record(number))
    function.free.set()
    assert [function.next(), function.next()] == [["2", "3", "4"], ["3", "4"]]


def test_a_function_that_fails_is_asked_as_often_as_it_may_be_and_then_the_next_records_come(
    readers: list[StreamReader],
) -> None:
    function = Function(*[Outcome('{"errorMessage": "broken"}', failed=True)] * 3)
    reader = read(readers, function, retries=2)
    reader.offer(record(1))
    assert [function.next() for _ in range(3)] == [["1"]] * 3
    reader.offer(record(2))
    assert function.next() == ["2"]


def test_a_filter_lets_through_what_it_names(readers: list[StreamReader]) -> None:
    function = Function()
    (given,) = definition("stream")["FilterCriteria"]["Filters"]
    reader = read(readers, function, filters=[given["Pattern"]])
    for number, (pk, sk, kind) in enumerate(
        [
            ("TURN#t", "SEQ", "MODIFY"),
            ("TURN#t", "SUB#c=", "MODIFY"),
            ("TURN#t", "SUB#c=", "REMOVE"),
            ("TURN#t", "ONCE#end", "INSERT"),
            ("SESSION#s", "TURN#t", "INSERT"),
            ("TURN#t", "SUB#c=", "INSERT"),
        ]
    ):
        reader.offer(record(number, pk, sk, kind))
    assert function.next() == ["5"]
    reader.offer(record(6, "TURN#t", "EVENT#00000001"))
    assert function.next() == ["6"]


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ({"a": ["x", "y"]}, {"a": "y"}, True),
        ({"a": ["x"]}, {"a": "y"}, False),
        ({"a": ["x"]}, {}, False),
        ({"a": {"b": ["x"]}}, {"a": {"b": "x", "c": 1}}, True),
        ({"a": {"b": ["x"]}}, {"a": "x"}, False),
        ({"a": [{"prefix": "x"}]}, {"a": "xy"}, True),
        ({"a": [{"prefix": "x"}]}, {"a": 7}, False),
        ({"a": ["x"], "b": ["y"]}, {"a": "x", "b": "z"}, False),
        ({}, {"a": "x"}, True),
    ],
)
def test_a_pattern_fits_as_lambda_says(pattern: dict[str, Any], value: dict[str, Any], *, fits: bool) -> None:
    assert matches(pattern, value) is fits


def test_a_rule_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="anything-but"):
        matches({"a": [{"anything-but": "x"}]}, {"a": "y"})
