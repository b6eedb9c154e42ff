from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.dynamodb.comparisons import ConditionExpressionParser
from moto.dynamodb.parsing.ast_nodes import DepthFirstTraverser  # type: ignore[attr-defined]  # it has no types
from moto.dynamodb.parsing.tokens import ExpressionTokenizer

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.aws.moto_patches.test_dynamodb_transactions import KEYS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def table(cloud: LocalCloud) -> "DynamoDBClient":
    assert cloud.endpoint_url
    resources.create_table("table", KEYS)
    return boto3.client("dynamodb")


def count(table: "DynamoDBClient", sk: str, expected: str, step: str = "1") -> str:
    """Add a step to a number if it is the expected one, and return the new number."""
    key = {"pk": {"S": "p"}, "sk": {"S": sk}}
    update = {
        "Update": {
            "TableName": "table",
            "Key": key,
            "UpdateExpression": "SET #n = #n + :step",
            "ConditionExpression": "#n = :expected",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": {":step": {"N": step}, ":expected": {"N": expected}},
        }
    }
    table.transact_write_items(TransactItems=[update])  # type: ignore[list-item]  # the stubs cannot check a variable
    return table.get_item(TableName="table", Key=key)["Item"]["n"]["N"]


def record_calls(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """Return a list to which each later call of the method appends its arguments."""
    calls: list[object] = []
    original = getattr(owner, name)

    def record_call(*arguments: object) -> object:
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(owner, name, record_call)
    return calls


def test_transaction_parses_each_expression_once(table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> None:
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "once"}, "n": {"N": "1"}})
    conditions = record_calls(monkeypatch, ConditionExpressionParser, "_lex_condition_expression")
    updates = record_calls(monkeypatch, ExpressionTokenizer, "make_list")
    assert count(table, "once", "1") == "2"
    assert (len(conditions), len(updates)) == (1, 1)
    assert count(table, "once", "2") == "3"
    assert (len(conditions), len(updates)) == (2, 1)


def test_expression_is_checked_with_the_values_of_its_own_request(table: "DynamoDBClient") -> None:
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "own"}, "n": {"N": "1"}})
    assert count(table, "own", "1") == "2"
    assert count(table, "own", "2", step="5") == "7"
    with pytest.raises(table.exceptions.TransactionCanceledException):
        count(table, "own", "2", step="5")


def test_unused_name_is_refused_every_time(table: "DynamoDBClient") -> None:
    for _ in range(2):
        with pytest.raises(table.exceptions.ClientError, match="unused"):
            table.put_item(
                TableName="table",
                Item={"pk": {"S": "p"}, "sk": {"S": "unused"}},
                ConditionExpression="attribute_not_exists(pk)",
                ExpressionAttributeNames={"#unused": "n"},
            )


def test_update_looks_up_the_processed_classes_once_for_each_walk(
    table: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups = record_calls(monkeypatch, DepthFirstTraverser, "nodes_to_be_processed")
    walks = record_calls(monkeypatch, DepthFirstTraverser, "traverse")
    table.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"S": "walks"}, "n": {"N": "1"}})
    assert count(table, "walks", "1") == "2"
    assert 0 < len(lookups) <= len(walks)


def test_update_with_paths_functions_and_all_clauses_changes_the_item(table: "DynamoDBClient") -> None:
    key = {"pk": {"S": "p"}, "sk": {"S": "clauses"}}
    item: dict[str, Any] = {
        "tree": {"M": {"kept": {"S": "a"}, "gone": {"S": "b"}}},
        "row": {"L": [{"S": "c"}]},
        "queue": {"L": [{"S": "d"}, {"S": "e"}, {"S": "f"}]},
        "n": {"N": "3"},
        "members": {"SS": ["g", "h"]},
    }
    table.put_item(TableName="table", Item={**key, **item})
    for _ in range(2):  # the second update begins with the cached tree of the first
        table.update_item(
            TableName="table",
            Key=key,
            UpdateExpression=(
                "SET tree.added = if_not_exists(tree.kept, :text), #row = list_append(#row, :more), m = n - :one"
                " REMOVE tree.gone, queue[0] ADD n :one DELETE members :left"
            ),
            ExpressionAttributeNames={"#row": "row"},
            ExpressionAttributeValues={
                ":text": {"S": "t"},
                ":more": {"L": [{"S": "i"}]},
                ":one": {"N": "1"},
                ":left": {"SS": ["h"]},
            },
        )
    assert table.get_item(TableName="table", Key=key)["Item"] == {
        **key,
        "tree": {"M": {"kept": {"S": "a"}, "added": {"S": "a"}}},
        "row": {"L": [{"S": "c"}, {"S": "i"}, {"S": "i"}]},
        "queue": {"L": [{"S": "f"}]},
        "n": {"N": "5"},
        "members": {"SS": ["g"]},
        "m": {"N": "3"},
    }
