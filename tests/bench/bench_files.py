"""What a page of My Files costs beyond the one query that it is, where somebody has ten thousand files."""

from collections.abc import Iterator
from contextlib import contextmanager

from satchel.adapters import clients
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from tests.bench.harness import Benchmark, Limit, Pair
from tests.integration.aws.cloud import make_table, moto_cloud
from tests.integration.aws.many_files import has_many

FILES = 10_000
PAGE = 50


@contextmanager
def setting() -> Iterator[Pair]:
    """A table of moto's with the files of one person; both sides read its second page."""
    with moto_cloud():
        table = Table(clients.dynamodb.__wrapped__(), make_table())
        user, files = has_many(table, FILES, listed_alone=True), DynamoFiles(table)
        cursor = files.list(user, PAGE, None).cursor
        first = files.list(user, PAGE, None).items[-1].file_key

        def page() -> None:
            _check(len(files.list(user, PAGE, cursor).items))

        def query() -> None:
            answer = table.client.query(
                TableName=table.name,
                ConsistentRead=True,
                Limit=PAGE,
                ScanIndexForward=False,
                KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
                ExpressionAttributeValues={":pk": {"S": f"USER#{user}"}, ":prefix": {"S": "FILE#"}},
                ExclusiveStartKey={"pk": {"S": f"USER#{user}"}, "sk": {"S": f"FILE#{first}"}},
            )
            _check(answer["Count"])

        yield Pair(measured=page, baseline=query)


def _check(found: int) -> None:
    """How long it takes to find nothing means nothing."""
    if found != PAGE:
        raise ValueError(f"a page of {found} files")


BENCHMARKS = [
    Benchmark(
        name="files",
        measures=f"a page of {PAGE} of {FILES:,} files",
        against="the same query by boto3 alone, on the same stand-in for DynamoDB",
        unit="ms",
        setting=setting,
        runs=15,
        warm_up=2,
        limit=Limit(of="ratio", below=2),
    )
]
