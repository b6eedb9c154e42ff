"""Overhead of a page of My Files over its query, for a user with ten thousand files."""

from collections.abc import Iterator
from contextlib import contextmanager

from satchel.adapters import clients
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.integration.aws.cloud import make_table, moto_cloud
from tests.integration.aws.factories import store_many_files

FILES = 10_000
PAGE = 50


@contextmanager
def setup() -> Iterator[Comparison]:
    """Create a table in moto with the files of one user. Both sides read the second page."""
    with moto_cloud():
        table = Table(clients.dynamodb.__wrapped__(), make_table())
        user, files = store_many_files(table, FILES, with_pointers=False), DynamoFiles(table)
        cursor = files.list(user, PAGE, None).cursor
        first = files.list(user, PAGE, None).items[-1].file_key

        def page() -> None:
            _check_count(len(files.list(user, PAGE, cursor).items))

        def query() -> None:
            response = table.client.query(
                TableName=table.name,
                ConsistentRead=True,
                Limit=PAGE,
                ScanIndexForward=False,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": {"S": f"USER#{user}"}, ":prefix": {"S": "FILE#"}},
                ExclusiveStartKey={"pk": {"S": f"USER#{user}"}, "sk": {"S": f"FILE#{first}"}},
            )
            _check_count(response["Count"])

        yield Comparison(measured=page, baseline=query)


def _check_count(count: int) -> None:
    """Raise ValueError unless the page is full, because an empty result has no meaningful time."""
    if count != PAGE:
        raise ValueError(f"expected {PAGE} files, got {count}")


BENCHMARKS = [
    Benchmark(
        name="files",
        measured=f"a page of {PAGE} of {FILES:,} files",
        baseline="the same query with boto3 alone, on the same emulated DynamoDB",
        unit="ms",
        setup=setup,
        runs=15,
        warm_up=2,
        limit=Limit(of="ratio", below=2),
    )
]
