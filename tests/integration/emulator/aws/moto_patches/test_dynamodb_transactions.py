import threading
from typing import TYPE_CHECKING

import boto3
import pytest
from moto.dynamodb.models import dynamodb_backends

from local.emulator.aws import resources
from local.emulator.aws.cloud import ACCOUNT, REGION, LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

KEYS = {
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module")
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    resources.create_table("table", KEYS)
    return boto3.client("dynamodb")


def put(sk: str, *, new: bool = False) -> "TransactWriteItemTypeDef":
    condition = {"ConditionExpression": "attribute_not_exists(pk)"} if new else {}
    return {"Put": {"TableName": "table", "Item": {"pk": {"S": "p"}, "sk": {"S": sk}}, **condition}}  # type: ignore[typeddict-item]  # the stubs know no condition of unknown presence


def stored_keys(table: "DynamoDBClient") -> set[str]:
    response = table.query(
        TableName="table",
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": "p"}},
    )
    return {item["sk"]["S"] for item in response["Items"]}


def test_failed_transaction_changes_no_item(table: "DynamoDBClient") -> None:
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "taken"}, "n": {"N": "1"}})
    change: TransactWriteItemTypeDef = {
        "Update": {
            "TableName": "table",
            "Key": {"pk": {"S": "p"}, "sk": {"S": "taken"}},
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        },
    }
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "other"}})
    with pytest.raises(table.exceptions.TransactionCanceledException):
        table.transact_write_items(TransactItems=[put("new"), change, put("other", new=True)])
    assert stored_keys(table) == {"taken", "other"}
    item = table.get_item(TableName="table", Key={"pk": {"S": "p"}, "sk": {"S": "taken"}})["Item"]
    assert item["n"] == {"N": "1"}


def test_failed_transactions_do_not_undo_concurrent_writes(table: "DynamoDBClient") -> None:
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "taken"}})
    stopped = threading.Event()

    def fail() -> None:
        while not stopped.is_set():
            with pytest.raises(table.exceptions.TransactionCanceledException):
                table.transact_write_items(TransactItems=[put("new"), put("taken", new=True)])

    failing = threading.Thread(target=fail)
    failing.start()
    written = {f"w{number:03d}" for number in range(100)}
    for sk in sorted(written):
        table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": sk}})
    stopped.set()
    failing.join()
    assert written <= stored_keys(table)


def update(table: "DynamoDBClient", sk: str, expression: str, **values: str) -> None:
    table.update_item(
        TableName="table",
        Key={"pk": {"S": "p"}, "sk": {"S": sk}},
        UpdateExpression=expression,
        ExpressionAttributeValues={f":{name}": {"S": value} for name, value in values.items()},
    )


def test_update_does_not_change_an_item_that_was_read_before(table: "DynamoDBClient") -> None:
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "read"}, "a": {"S": "old"}})
    key = {"pk": {"S": "p"}, "sk": {"S": "read"}}
    before = dynamodb_backends[ACCOUNT][REGION].get_item("table", key)
    assert before is not None
    update(table, "read", "SET a = :a", a="new")
    assert before.attrs["a"].value == "old"
    assert table.get_item(TableName="table", Key=key)["Item"]["a"] == {"S": "new"}


def test_failed_update_changes_no_attribute(table: "DynamoDBClient") -> None:
    item = {"pk": {"S": "p"}, "sk": {"S": "full"}, "a": {"S": "old"}}
    table.put_item(TableName="table", Item=item)
    with pytest.raises(table.exceptions.ClientError, match="size"):
        update(table, "full", "SET a = :a, b = :b", a="new", b="x" * 410_000)
    assert table.get_item(TableName="table", Key={"pk": item["pk"], "sk": item["sk"]})["Item"] == item


def test_update_that_fails_with_an_error_of_python_changes_no_attribute(table: "DynamoDBClient") -> None:
    item = {"pk": {"S": "p"}, "sk": {"S": "counted"}, "a": {"S": "old"}, "n": {"N": "1"}}
    key = {"pk": item["pk"], "sk": item["sk"]}
    table.put_item(TableName="table", Item=item)
    values = {":a": {"S": "new"}, ":n": {"N": "no number"}}
    with pytest.raises(ValueError, match="no number"):
        dynamodb_backends[ACCOUNT][REGION].update_item("table", key, "SET a = :a ADD n :n", {}, values)
    assert table.get_item(TableName="table", Key=key)["Item"] == item


def test_update_with_an_incomplete_key_is_refused(table: "DynamoDBClient") -> None:
    with pytest.raises(table.exceptions.ClientError, match="ValidationException"):
        table.update_item(
            TableName="table",
            Key={"pk": {"S": "p"}},
            UpdateExpression="SET a = :a",
            ExpressionAttributeValues={":a": {"S": "a"}},
        )
