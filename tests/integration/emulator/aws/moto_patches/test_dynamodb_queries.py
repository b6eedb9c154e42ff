from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.moto_patches import dynamodb_queries

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BY_NUMBER = {
    "IndexName": "by-number",
    "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}
KEYS = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    "GlobalSecondaryIndexes": [BY_NUMBER],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module")
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    resources.create_table("table", KEYS)
    client = boto3.client("dynamodb")
    for partition in range(30):
        for number in (3, 1, 2):
            client.put_item(TableName="table", Item={"pk": {"S": f"p{partition}"}, "sk": {"S": f"s{number}"}})
    return client


def query(table: "DynamoDBClient", partition: str, name: str = "table", **options: object) -> list[str]:
    response = table.query(
        TableName=name,
        KeyConditionExpression="pk = :p AND begins_with(sk, :s)",
        ExpressionAttributeValues={":p": {"S": partition}, ":s": {"S": "s"}},
        **options,  # type: ignore[arg-type]  # the stubs cannot check a mapping
    )
    return [item["sk"]["S"] for item in response["Items"]]


def test_query_does_not_compare_items_of_other_partitions(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[object] = []
    is_less = DynamoType.__lt__

    def record_comparison(self: DynamoType, other: DynamoType) -> bool:
        compared.append(other)
        return is_less(self, other)

    monkeypatch.setattr(DynamoType, "__lt__", record_comparison)
    assert query(table, "p7") == ["s1", "s2", "s3"]
    assert len(compared) < 30


def test_query_of_a_long_partition_reads_only_what_it_returns(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    resources.create_table("long", KEYS)
    for number in range(500):
        table.put_item(TableName="long", Item={"pk": {"S": "p"}, "sk": {"S": f"s{number:03}"}})
    assert len(query(table, "p", "long")) == 500
    read: list[str] = []

    def record_read(key: DynamoType) -> str:
        read.append(key.value)
        return str(key.value)

    monkeypatch.setattr(dynamodb_queries, "_TEXT", record_read)
    table.put_item(TableName="long", Item={"pk": {"S": "p"}, "sk": {"S": "s0001"}})
    assert query(table, "p", "long", Limit=3) == ["s000", "s0001", "s001"]
    assert query(table, "p", "long", ScanIndexForward=False, Limit=2) == ["s499", "s498"]
    assert len(read) < 60


def test_index_query_does_not_compare_items_of_other_partitions(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: set[str] = set()
    is_equal = DynamoType.__eq__

    def record_comparison(self: DynamoType, other: DynamoType) -> bool:
        compared.update((self.value, other.value))
        return is_equal(self, other)

    monkeypatch.setattr(DynamoType, "__eq__", record_comparison)
    response = table.query(
        TableName="table",
        IndexName="by-number",
        KeyConditionExpression="sk = :s",
        ExpressionAttributeValues={":s": {"S": "s2"}},
        Limit=3,
    )
    assert [item["pk"]["S"] for item in response["Items"]] == ["p0", "p1", "p10"]
    assert compared & {"s1", "s2", "s3"} == {"s2"}


def test_query_options_still_work(table: "DynamoDBClient") -> None:
    assert query(table, "p1", ScanIndexForward=False, Limit=2) == ["s3", "s2"]
    start = {"pk": {"S": "p1"}, "sk": {"S": "s1"}}
    assert query(table, "p1", ExclusiveStartKey=start) == ["s2", "s3"]
    assert query(table, "missing") == []


def test_scan_returns_all_items(table: "DynamoDBClient") -> None:
    assert table.scan(TableName="table")["Count"] == 90


def test_query_copies_no_items(table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[object] = []
    copy = Item.__deepcopy__

    def record_copy(self: Item, memo: dict[int, object]) -> Item:
        copied.append(self)
        return copy(self, memo)

    monkeypatch.setattr(Item, "__deepcopy__", record_copy)
    assert query(table, "p8") == ["s1", "s2", "s3"]
    assert copied == []


def test_filter_applies_to_the_items_of_a_page(table: "DynamoDBClient") -> None:
    response = table.query(
        TableName="table",
        KeyConditionExpression="pk = :p",
        FilterExpression="sk = :s",
        ProjectionExpression="sk",
        ExpressionAttributeValues={":p": {"S": "p9"}, ":s": {"S": "s2"}},
        Limit=2,
    )
    assert (response["Items"], response["ScannedCount"]) == ([{"sk": {"S": "s2"}}], 2)
    assert response["LastEvaluatedKey"] == {"pk": {"S": "p9"}, "sk": {"S": "s2"}}


def test_page_has_at_most_one_megabyte(table: "DynamoDBClient") -> None:
    resources.create_table("large", KEYS)
    keys = [{"pk": {"S": "p"}, "sk": {"S": f"s{number}"}} for number in range(5)]
    for key in keys:
        table.put_item(TableName="large", Item={**key, "text": {"S": "x" * 300_000}})
    assert query(table, "p", "large") == ["s0", "s1", "s2"]
    assert query(table, "p", "large", ExclusiveStartKey=keys[2]) == ["s3", "s4"]
    assert query(table, "p", "large", ScanIndexForward=False) == ["s4", "s3", "s2"]


def test_query_returns_values_of_all_types_as_they_were_written(table: "DynamoDBClient") -> None:
    values: dict[str, Any] = {
        "text": {"S": "é"},
        "number": {"N": "3"},
        "binary": {"B": b"\x00\xff"},
        "flag": {"BOOL": True},
        "nothing": {"NULL": True},
        "texts": {"SS": ["a", "b"]},
        "numbers": {"NS": ["1", "2"]},
        "binaries": {"BS": [b"\x01"]},
        "list": {"L": [{"S": "a"}, {"M": {"b": {"N": "4"}}}]},
        "map": {"M": {"S": {"S": "c"}, "inner": {"L": [{"BOOL": False}]}}},
    }
    item = {"pk": {"S": "types"}, "sk": {"S": "s1"}, **values}
    table.put_item(TableName="table", Item=item)
    response = table.query(
        TableName="table", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "types"}}
    )
    assert response["Items"] == [item]
