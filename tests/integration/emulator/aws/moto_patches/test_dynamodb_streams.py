import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.moto_patches import dynamodb_streams
from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.cloud_driver import CloudDriver

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

TABLE = "streamed"
MAX_BLOCKED_SECONDS = 20.0  # how long a test may block the function
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
    """The mapped function: records what it gets, and blocks or fails if the test requests it."""

    def __init__(self) -> None:
        self.records: Queue[dict[str, Any]] = Queue()
        self.unblocked = threading.Event()
        self.failures = 0

    def handle(self, event: Any, _context: LambdaContext) -> dict[str, object]:  # noqa: ANN401  (a payload)
        assert self.unblocked.wait(MAX_BLOCKED_SECONDS)
        if self.failures:
            self.failures -= 1
            raise ValueError("not now")
        for record in event["Records"]:
            self.records.put(record)
        return {"batchItemFailures": []}

    def take(self, count: int) -> list[dict[str, Any]]:
        """Return the next ``count`` records, and check that there are no more."""
        found = [self.records.get(timeout=60) for _ in range(count)]
        time.sleep(0.1)  # time for unexpected records to arrive
        assert self.records.empty()
        return found


@pytest.fixture(scope="module")
def mapped_reader(cloud: LocalCloud, driver: CloudDriver) -> Reader:
    assert cloud.endpoint_url
    reader = Reader()
    resources.create_table(TABLE, KEYS)
    resources.map_stream(TABLE, driver.function(reader.handle), MAPPING)
    return reader


@pytest.fixture
def reader(mapped_reader: Reader) -> Iterator[Reader]:
    mapped_reader.unblocked.set()
    yield mapped_reader
    mapped_reader.unblocked.set()


@pytest.fixture
def table() -> "DynamoDBClient":
    return boto3.client("dynamodb")


def put(table: "DynamoDBClient", pk: str, sk: str, **attributes: str) -> None:
    table.put_item(
        TableName=TABLE, Item={name: {"S": value} for name, value in {"pk": pk, "sk": sk, **attributes}.items()}
    )


def test_record_has_lambdas_format(reader: Reader, table: "DynamoDBClient") -> None:
    put(table, "TURN#a", "EVENT#1", text="grün")
    (record,) = reader.take(1)
    change = record["dynamodb"]
    assert (record["eventName"], record["eventSource"]) == ("INSERT", "aws:dynamodb")
    assert record["eventSourceARN"].split("/")[1] == TABLE
    assert change["Keys"] == {"pk": {"S": "TURN#a"}, "sk": {"S": "EVENT#1"}}
    assert change["NewImage"]["text"] == {"S": "grün"}
    assert abs(change["ApproximateCreationDateTime"] - time.time()) < 60


def test_only_records_that_pass_the_filter_are_delivered(reader: Reader, table: "DynamoDBClient") -> None:
    put(table, "SESSION#b", "x")
    put(table, "TURN#b", "x")
    put(table, "TURN#b", "x", changed="yes")
    table.delete_item(TableName=TABLE, Key={"pk": {"S": "TURN#b"}, "sk": {"S": "x"}})
    put(table, "TURN#b", "y")
    assert [record["dynamodb"]["Keys"]["sk"]["S"] for record in reader.take(2)] == ["x", "y"]


def test_write_does_not_wait_for_the_function(reader: Reader, table: "DynamoDBClient") -> None:
    reader.unblocked.clear()
    started = time.monotonic()
    put(table, "TURN#c", "x")
    assert time.monotonic() - started < MAX_BLOCKED_SECONDS / 2
    reader.unblocked.set()
    reader.take(1)


def test_records_of_concurrent_writers_are_delivered_once_and_in_order(reader: Reader, table: "DynamoDBClient") -> None:
    def write(writer: int) -> None:
        for number in range(25):
            put(table, f"TURN#{writer}", f"{number:02d}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    records = [record["dynamodb"] for record in reader.take(100)]
    for writer in range(4):
        own = [each["Keys"]["sk"]["S"] for each in records if each["Keys"]["pk"]["S"] == f"TURN#{writer}"]
        assert own == [f"{number:02d}" for number in range(25)]
    numbers = [int(each["SequenceNumber"]) for each in records]
    assert numbers == sorted(set(numbers))


def test_records_of_a_failed_transaction_are_not_delivered(reader: Reader, table: "DynamoDBClient") -> None:
    def write(sk: str) -> "TransactWriteItemTypeDef":
        item = {"pk": {"S": "TURN#f"}, "sk": {"S": sk}}
        return {"Put": {"TableName": TABLE, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}}

    table.transact_write_items(TransactItems=[write("1"), write("2")])
    with pytest.raises(table.exceptions.TransactionCanceledException):
        table.transact_write_items(TransactItems=[write("3"), write("1")])
    put(table, "TURN#f", "4")
    assert [record["dynamodb"]["Keys"]["sk"]["S"] for record in reader.take(3)] == ["1", "2", "4"]


def test_failed_function_is_retried(reader: Reader, table: "DynamoDBClient") -> None:
    reader.failures = 2
    put(table, "TURN#d", "x")
    assert len(reader.take(1)) == 1


def test_listener_gets_the_partition_of_each_written_item(reader: Reader, table: "DynamoDBClient") -> None:
    del reader
    partitions: list[str] = []
    dynamodb_streams.set_listener(partitions.append)
    put(table, "TURN#t7", "EVENT#1")
    put(table, "OTHER", "a")
    dynamodb_streams.set_listener(None)
    put(table, "OTHER", "b")
    assert partitions == ["TURN#t7", "OTHER"]
