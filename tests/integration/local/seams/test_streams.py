import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.aws import resources
from local.aws.cloud import LocalCloud
from local.runners.context import LambdaContext
from tests.integration.local.workshop import Workshop

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "streamed"
HELD_SECONDS = 20.0  # at most, that a test keeps the function from its end
KEYS: dict[str, Any] = {
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}
FILTER = {"eventName": ["INSERT"], "dynamodb": {"Keys": {"pk": {"S": [{"prefix": "TURN#"}]}}}}
MAPPING: dict[str, Any] = {
    "StartingPosition": "LATEST",
    "BatchSize": 100,
    "MaximumRetryAttempts": 2,
    "FunctionResponseTypes": ["ReportBatchItemFailures"],
    "FilterCriteria": {"Filters": [{"Pattern": json.dumps(FILTER)}]},
}


class Reader:
    """The mapped function: notes what it is told, and does what the test wants of it."""

    def __init__(self) -> None:
        self.records: Queue[dict[str, Any]] = Queue()
        self.free = threading.Event()
        self.failures = 0

    def handle(self, event: Any, _context: LambdaContext) -> dict[str, object]:  # noqa: ANN401  (a payload)
        assert self.free.wait(HELD_SECONDS)
        if self.failures:
            self.failures -= 1
            raise ValueError("not now")
        for record in event["Records"]:
            self.records.put(record)
        return {"batchItemFailures": []}

    def told(self, count: int) -> list[dict[str, Any]]:
        """Return so many records, and that there are no more."""
        found = [self.records.get(timeout=5) for _ in range(count)]
        time.sleep(0.1)  # time enough for what should not come
        assert self.records.empty()
        return found


@pytest.fixture(scope="module")
def mapped(cloud: LocalCloud, workshop: Workshop) -> Reader:
    assert cloud.endpoint_url
    reader = Reader()
    resources.create_table(TABLE, KEYS)
    resources.map_stream(TABLE, workshop.function(reader.handle), MAPPING)
    return reader


@pytest.fixture
def reader(mapped: Reader) -> Iterator[Reader]:
    mapped.free.set()
    yield mapped
    mapped.free.set()


@pytest.fixture
def table() -> "DynamoDBClient":
    return boto3.client("dynamodb")


def put(table: "DynamoDBClient", pk: str, sk: str, **given: str) -> None:
    table.put_item(TableName=TABLE, Item={name: {"S": value} for name, value in {"pk": pk, "sk": sk, **given}.items()})


def test_a_record_is_as_lambda_passes_it(reader: Reader, table: "DynamoDBClient") -> None:
    put(table, "TURN#a", "EVENT#1", text="grün")
    (record,) = reader.told(1)
    changed = record["dynamodb"]
    assert (record["eventName"], record["eventSource"]) == ("INSERT", "aws:dynamodb")
    assert record["eventSourceARN"].split("/")[1] == TABLE
    assert changed["Keys"] == {"pk": {"S": "TURN#a"}, "sk": {"S": "EVENT#1"}}
    assert changed["NewImage"]["text"] == {"S": "grün"}
    assert abs(changed["ApproximateCreationDateTime"] - time.time()) < 60


def test_only_what_passes_the_filter_comes(reader: Reader, table: "DynamoDBClient") -> None:
    put(table, "SESSION#b", "x")
    put(table, "TURN#b", "x")
    put(table, "TURN#b", "x", changed="yes")
    table.delete_item(TableName=TABLE, Key={"pk": {"S": "TURN#b"}, "sk": {"S": "x"}})
    put(table, "TURN#b", "y")
    assert [record["dynamodb"]["Keys"]["sk"]["S"] for record in reader.told(2)] == ["x", "y"]


def test_a_write_does_not_wait_for_the_function(reader: Reader, table: "DynamoDBClient") -> None:
    reader.free.clear()
    began = time.monotonic()
    put(table, "TURN#c", "x")
    assert time.monotonic() - began < HELD_SECONDS / 2
    reader.free.set()
    reader.told(1)


def test_of_many_writers_each_record_comes_once_and_each_ones_in_its_order(
    reader: Reader, table: "DynamoDBClient"
) -> None:
    def write(writer: int) -> None:
        for number in range(25):
            put(table, f"TURN#{writer}", f"{number:02d}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    told = [record["dynamodb"] for record in reader.told(100)]
    for writer in range(4):
        own = [each["Keys"]["sk"]["S"] for each in told if each["Keys"]["pk"]["S"] == f"TURN#{writer}"]
        assert own == [f"{number:02d}" for number in range(25)]
    numbers = [int(each["SequenceNumber"]) for each in told]
    assert numbers == sorted(set(numbers))


def test_a_function_that_fails_is_asked_again(reader: Reader, table: "DynamoDBClient") -> None:
    reader.failures = 2
    put(table, "TURN#d", "x")
    assert len(reader.told(1)) == 1
