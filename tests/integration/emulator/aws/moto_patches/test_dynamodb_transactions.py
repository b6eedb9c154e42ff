import threading
from typing import TYPE_CHECKING

import boto3
import pytest

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud

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
