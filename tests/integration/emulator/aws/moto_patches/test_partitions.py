from typing import TYPE_CHECKING

import boto3
import pytest
from moto.dynamodb.models.dynamo_type import DynamoType

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BY_PLACE = {
    "IndexName": "by-place",
    "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}
KEYS = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    "GlobalSecondaryIndexes": [BY_PLACE],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module")
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    resources.create_table("table", KEYS)
    client = boto3.client("dynamodb")
    for partition in range(30):
        for place in (3, 1, 2):
            client.put_item(TableName="table", Item={"pk": {"S": f"p{partition}"}, "sk": {"S": f"s{place}"}})
    return client


def asked(table: "DynamoDBClient", partition: str, **more: object) -> list[str]:
    found = table.query(
        TableName="table",
        KeyConditionExpression="pk = :p AND begins_with(sk, :s)",
        ExpressionAttributeValues={":p": {"S": partition}, ":s": {"S": "s"}},
        **more,  # type: ignore[arg-type]  # one of the many that there are
    )
    return [item["sk"]["S"] for item in found["Items"]]


def test_a_query_compares_nothing_of_other_partitions(table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    is_less = DynamoType.__lt__

    def noting(self: DynamoType, other: DynamoType) -> bool:
        compared.append(other)
        return is_less(self, other)

    monkeypatch.setattr(DynamoType, "__lt__", noting)
    assert asked(table, "p7") == ["s1", "s2", "s3"]
    assert len(compared) < 30


def test_a_query_of_an_index_compares_nothing_of_other_partitions_either(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: set[str] = set()
    is_equal = DynamoType.__eq__

    def noting(self: DynamoType, other: DynamoType) -> bool:
        compared.update((self.value, other.value))
        return is_equal(self, other)

    monkeypatch.setattr(DynamoType, "__eq__", noting)
    found = table.query(
        TableName="table",
        IndexName="by-place",
        KeyConditionExpression="sk = :s",
        ExpressionAttributeValues={":s": {"S": "s2"}},
        Limit=3,
    )
    assert [item["pk"]["S"] for item in found["Items"]] == ["p0", "p1", "p10"]
    assert compared & {"s1", "s2", "s3"} == {"s2"}


def test_it_finds_what_it_found(table: "DynamoDBClient") -> None:
    assert asked(table, "p1", ScanIndexForward=False, Limit=2) == ["s3", "s2"]
    start = {"pk": {"S": "p1"}, "sk": {"S": "s1"}}
    assert asked(table, "p1", ExclusiveStartKey=start) == ["s2", "s3"]
    assert asked(table, "nobody") == []


def test_a_scan_still_sees_everything(table: "DynamoDBClient") -> None:
    assert table.scan(TableName="table")["Count"] == 90
