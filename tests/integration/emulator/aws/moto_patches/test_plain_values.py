from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.core.serialize import AttributePicker

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEYS = {
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
PLAIN: dict[str, Any] = {"pk": {"S": "a"}, "number": {"N": "12.50"}, "flag": {"BOOL": False}, "empty": {"S": ""}}
NESTED: dict[str, Any] = {
    "map": {"M": {"list": {"L": [{"S": "x"}, {"NULL": True}]}, "bytes": {"B": b"\0\xff"}}},
    "set": {"SS": ["a", "b"]},
}


@pytest.fixture(scope="module")
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    resources.create_table("plain", KEYS)
    return boto3.client("dynamodb")


def put_and_get(table: "DynamoDBClient", item: dict[str, Any]) -> dict[str, Any]:
    table.put_item(TableName="plain", Item=item)
    return table.get_item(TableName="plain", Key={"pk": item["pk"]})["Item"]


def test_item_is_returned_as_it_was_written(table: "DynamoDBClient") -> None:
    assert put_and_get(table, PLAIN) == PLAIN
    assert put_and_get(table, PLAIN | NESTED) == PLAIN | NESTED


def test_plain_values_are_not_searched_for_other_types(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    pick = AttributePicker.__call__

    def noting(self: AttributePicker, context: Any) -> object:  # noqa: ANN401  (moto's)
        if context.key in {"S", "N", "BOOL", "M", "L"}:
            searched.append(context.key)
        return pick(self, context)

    monkeypatch.setattr(AttributePicker, "__call__", noting)
    assert put_and_get(table, PLAIN) == PLAIN
    assert searched == []
