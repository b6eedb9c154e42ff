"""Batches, retries and filters of the stream reader, with a fake function."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from queue import Queue
from typing import Any

import pytest

from infra.sources import load_definition
from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.stream_reader import StreamReader, matches_pattern

Batch = list[str]
NOTHING_FAILED = InvocationResult(json.dumps({"batchItemFailures": []}), failed=False)


def record(number: int, pk: str = "TURN#t", sk: str = "EVENT#1", event_name: str = "INSERT") -> dict[str, Any]:
    return {
        "eventName": event_name,
        "dynamodb": {"SequenceNumber": f"{number}", "Keys": {"pk": {"S": pk}, "sk": {"S": sk}}},
    }


class Function:
    """Records the numbers of each batch. Returns the given results in turn, and then success."""

    def __init__(self, *results: InvocationResult) -> None:
        self.batches: Queue[Batch] = Queue()
        self.unblocked = threading.Event()
        self.unblocked.set()
        self._answers = list(results)

    def __call__(self, event: Mapping[str, Any]) -> InvocationResult:
        self.batches.put([each["dynamodb"]["SequenceNumber"] for each in event["Records"]])
        assert self.unblocked.wait(60)
        return self._answers.pop(0) if self._answers else NOTHING_FAILED

    def next(self) -> Batch:
        return self.batches.get(timeout=60)


def failure_at(number: int) -> InvocationResult:
    return InvocationResult(json.dumps({"batchItemFailures": [{"itemIdentifier": f"{number}"}]}), failed=False)


@pytest.fixture
def readers() -> Iterator[list[StreamReader]]:
    readers: list[StreamReader] = []
    yield readers
    for reader in readers:
        reader.close(5)


def start_reader(readers: list[StreamReader], function: Function, **options: Any) -> StreamReader:  # noqa: ANN401  (the reader's options)
    reader = StreamReader(function, **{"filters": [], "batch_size": lambda: 100, "retries": 2, **options})
    readers.append(reader)
    return reader


def test_records_offered_during_an_invocation_are_the_next_batch_in_order(readers: list[StreamReader]) -> None:
    function = Function()
    function.unblocked.clear()
    reader = start_reader(readers, function)
    reader.offer(record(1))
    assert function.next() == ["1"]
    for number in (2, 3, 4):
        reader.offer(record(number))
    function.unblocked.set()
    assert function.next() == ["2", "3", "4"]


def test_reader_is_idle_when_the_function_has_processed_all_records(readers: list[StreamReader]) -> None:
    function = Function()
    reader = start_reader(readers, function)
    assert reader.is_idle

    function.unblocked.clear()
    reader.offer(record(1))
    assert function.next() == ["1"]
    assert not reader.is_idle

    function.unblocked.set()
    deadline = time.monotonic() + 60
    while not reader.is_idle:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_batch_is_not_larger_than_the_batch_size(readers: list[StreamReader]) -> None:
    function = Function()
    function.unblocked.clear()
    reader = start_reader(readers, function, batch_size=lambda: 2)
    for number in range(1, 6):
        reader.offer(record(number))
    function.unblocked.set()
    batches = [function.next()]
    while sum(map(len, batches)) < 5:
        batches.append(function.next())
    assert [number for batch in batches for number in batch] == ["1", "2", "3", "4", "5"]
    assert max(map(len, batches)) == 2


def test_failed_record_is_retried_with_all_later_ones(readers: list[StreamReader]) -> None:
    function = Function(NOTHING_FAILED, failure_at(3))
    function.unblocked.clear()
    reader = start_reader(readers, function)
    reader.offer(record(1))
    function.next()
    for number in (2, 3, 4):
        reader.offer(record(number))
    function.unblocked.set()
    assert [function.next(), function.next()] == [["2", "3", "4"], ["3", "4"]]


def test_failed_batch_is_retried_and_dropped_after_the_last_retry(
    readers: list[StreamReader],
) -> None:
    function = Function(*[InvocationResult('{"errorMessage": "broken"}', failed=True)] * 3)
    reader = start_reader(readers, function, retries=2)
    reader.offer(record(1))
    assert [function.next() for _ in range(3)] == [["1"]] * 3
    reader.offer(record(2))
    assert function.next() == ["2"]


def test_deployed_filter_only_passes_matching_records(readers: list[StreamReader]) -> None:
    function = Function()
    (definition,) = load_definition("stream")["FilterCriteria"]["Filters"]
    reader = start_reader(readers, function, filters=[definition["Pattern"]])
    for number, (pk, sk, event_name) in enumerate(
        [
            ("TURN#t", "RELAY#c", "MODIFY"),
            ("TURN#t", "SUB#c=", "MODIFY"),
            ("TURN#t", "SUB#c=", "REMOVE"),
            ("TURN#t", "ONCE#end", "INSERT"),
            ("SESSION#s", "TURN#t", "INSERT"),
            ("TURN#t", "SUB#c=", "INSERT"),
        ]
    ):
        reader.offer(record(number, pk, sk, event_name))
    assert function.next() == ["5"]
    reader.offer(record(6, "TURN#t", "EVENT#00000001"))
    assert function.next() == ["6"]


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
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
def test_pattern_matches_as_in_lambda(pattern: dict[str, Any], value: dict[str, Any], *, expected: bool) -> None:
    assert matches_pattern(pattern, value) is expected


def test_unsupported_rule_raises_value_error() -> None:
    with pytest.raises(ValueError, match="anything-but"):
        matches_pattern({"a": [{"anything-but": "x"}]}, {"a": "y"})
