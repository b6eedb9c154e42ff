"""`python -m tests.bench.emulated_transactions`: print what the patch ``dynamodb_expressions`` saves.

The output is the CPU time of an emulated transaction of three items with the patch and without it: the median of five
processes, in turns. Each process measures one of both, because an installed patch cannot be removed.
"""

import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import boto3

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PATCH = "dynamodb_expressions"
_PROCESSES = 5
_WARM_UP, _TRANSACTIONS = 50, 500
_WITHOUT = "--without"
_TABLE = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def main(arguments: list[str]) -> None:
    """Print the median with and without the patch, or measure one of both if this is such a process."""
    if arguments:
        sys.stdout.write(f"{measure(without=arguments == [_WITHOUT])}\n")
        return
    times: dict[str, list[float]] = {"--with": [], _WITHOUT: []}
    for option in list(times) * _PROCESSES:
        command = [sys.executable, "-m", "tests.bench.emulated_transactions", option]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  (fixed arguments)
        times[option].append(float(output))
    after, before = (statistics.median(each) for each in times.values())
    sys.stdout.write(f"CPU time of a transaction: {after:.1f} ms with the patch, {before:.1f} ms without it\n")


def measure(*, without: bool) -> float:
    """Return the CPU time of a transaction in ms, in this process, with or without the patch."""
    with LocalCloud(without=[PATCH] if without else []):
        resources.create_table("table", _TABLE)
        table = boto3.client("dynamodb")
        start = 0.0
        for number in range(_WARM_UP + _TRANSACTIONS):
            if number == _WARM_UP:
                start = time.process_time()
            transact(table, number)
        return (time.process_time() - start) * 1000 / _TRANSACTIONS


def transact(table: "DynamoDBClient", number: int) -> None:
    """Add an item, count in another one, and change a third one, as a step of a turn does."""
    writes: list[Any] = [
        {
            "Put": {
                "TableName": "table",
                "Item": _key(f"event#{number}") | {"text": {"S": "x" * 200}},
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        },
        {
            "Update": {
                "TableName": "table",
                "Key": _key("turn"),
                "UpdateExpression": "SET #status = :status, #seq = :seq ADD #tokens :tokens",
                "ConditionExpression": "attribute_not_exists(#seq) OR #seq < :seq",
                "ExpressionAttributeNames": {"#status": "status", "#seq": "seq", "#tokens": "tokens"},
                "ExpressionAttributeValues": {
                    ":status": {"S": "running"},
                    ":seq": {"N": f"{number}"},
                    ":tokens": {"N": "7"},
                },
            }
        },
        {
            "Update": {
                "TableName": "table",
                "Key": _key("session"),
                "UpdateExpression": "SET last_used_at = :now REMOVE running_turn",
                "ConditionExpression": "attribute_not_exists(ended_at)",
                "ExpressionAttributeValues": {":now": {"N": f"{number}"}},
            }
        },
    ]
    table.transact_write_items(TransactItems=writes)


def _key(sk: str) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": sk}}


if __name__ == "__main__":
    main(sys.argv[1:])
