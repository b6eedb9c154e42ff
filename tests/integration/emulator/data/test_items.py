"""Items that a start finds in the data folder are read when they are first needed."""

from pathlib import Path
from typing import Any

import pytest
from moto.dynamodb.models import dynamodb_backends

from local.emulator.aws.cloud import ACCOUNT, REGION
from local.emulator.data.folder import DataFolder
from tests.integration.emulator.data.stored_cloud import TABLE, StoredCloud, stored_cloud

KEY: Any = {"pk": {"S": "a"}, "sk": {"S": "1"}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with three items, of which one is in the index."""
    with stored_cloud(tmp_path / "data") as cloud:
        cloud.put_item("a", "1", text={"S": "one"})
        cloud.put_item("a", "2", text={"S": "two"})
        cloud.put_item("b", "1", expiry_bucket={"S": "files"}, expires_at={"N": "5"})
    return tmp_path / "data"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The keys of the items that were read from a data folder, in order."""
    found: list[tuple[Any, ...]] = []
    read = DataFolder.read

    def note(self: DataFolder, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if query.startswith("SELECT attributes"):
            found.append(values)
        return read(self, query, values)

    monkeypatch.setattr(DataFolder, "read", note)
    return found


def expiring(cloud: StoredCloud, bucket: str) -> list[Any]:
    return cloud.dynamodb.query(
        TableName=TABLE,
        IndexName="expiry",
        KeyConditionExpression="expiry_bucket = :bucket AND expires_at <= :now",
        ExpressionAttributeValues={":bucket": {"S": bucket}, ":now": {"N": "9"}},
    )["Items"]


def test_start_reads_no_item_and_a_request_reads_its_own_once(data: Path, reads: list[tuple[Any, ...]]) -> None:
    with stored_cloud(data) as cloud:
        assert reads == []
        for _ in range(2):
            assert cloud.dynamodb.get_item(TableName=TABLE, Key=KEY)["Item"] == {**KEY, "text": {"S": "one"}}

    assert reads == [("a", "1")]


def test_query_after_a_start_finds_loaded_and_new_items_in_order(data: Path) -> None:
    with stored_cloud(data) as cloud:
        cloud.put_item("a", "11", text={"S": "new"})
        for newest_first in (False, True):
            response = cloud.dynamodb.query(
                TableName=TABLE,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": "a"}},
                ScanIndexForward=not newest_first,
            )
            keys = [item["sk"]["S"] for item in response["Items"]]
            assert keys == (["2", "11", "1"] if newest_first else ["1", "11", "2"])


def test_query_of_the_index_reads_only_the_items_of_its_key(data: Path, reads: list[tuple[Any, ...]]) -> None:
    with stored_cloud(data) as cloud:
        assert expiring(cloud, "sessions") == []
        assert reads == []
        [found] = expiring(cloud, "files")

    assert found["expires_at"] == {"N": "5"}
    assert reads == [("b", "1")]


def test_item_that_enters_the_index_after_the_start_is_found(data: Path) -> None:
    with stored_cloud(data) as cloud:
        cloud.dynamodb.update_item(
            TableName=TABLE,
            Key=KEY,
            UpdateExpression="SET expiry_bucket = :bucket, expires_at = :at",
            ExpressionAttributeValues={":bucket": {"S": "sessions"}, ":at": {"N": "7"}},
        )
        assert [item["text"] for item in expiring(cloud, "sessions")] == [{"S": "one"}]


@pytest.mark.parametrize("change", ["replaced", "deleted"])
def test_item_of_an_earlier_response_keeps_its_attributes(data: Path, change: str) -> None:
    """moto builds a response after the lock of the table is free, so another request may have changed the item."""
    with stored_cloud(data) as cloud:
        found = dynamodb_backends[ACCOUNT][REGION].get_table(TABLE).all_items()[0]
        if change == "replaced":
            cloud.put_item("a", "1", text={"S": "new"})
        else:
            cloud.dynamodb.delete_item(TableName=TABLE, Key=KEY)

        assert found.to_json()["Attributes"] == {**KEY, "text": {"S": "one"}}
