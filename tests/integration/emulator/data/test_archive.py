from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from typer.testing import CliRunner, Result

from infra import sources
from local.cli.main import app
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.data.archive import Archive, write_archive
from local.emulator.data.folder import DataFolder
from local.emulator.data.importing import import_into_folder
from local.emulator.data.store import DataStore
from tests.integration.emulator.data.stored_cloud import BUCKET, TABLE, StoredCloud, stored_cloud

PART_BYTES = 5 << 20


def ignore_progress(_step: str, _done: int, _total: int) -> None:
    pass


def fill(cloud: StoredCloud) -> None:
    cloud.put_item("a", text={"S": "Grüße\n\u2028"}, number={"N": "12.50"})
    cloud.put_item("b", map={"M": {"list": {"L": [{"BOOL": False}]}}}, set={"SS": ["a", "b"]})
    cloud.put_object("a b.txt", b"text", ContentType="text/plain", Metadata={"one": "1"}, Tagging="expire-days=7&x=a b")
    cloud.put_object("same.txt", b"text", ContentType="text/html; charset=utf-8", CacheControl="no-store")
    cloud.put_object("empty", b"")
    upload = cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="large", ContentType="application/pdf")["UploadId"]
    parts: list[Any] = []
    for number, body in ((1, b"x" * PART_BYTES), (2, b"y")):
        part = cloud.s3.upload_part(Bucket=BUCKET, Key="large", UploadId=upload, PartNumber=number, Body=body)
        parts.append({"PartNumber": number, "ETag": part["ETag"]})
    cloud.s3.complete_multipart_upload(Bucket=BUCKET, Key="large", UploadId=upload, MultipartUpload={"Parts": parts})


def export(data: Path, archive: Path) -> None:
    with DataFolder(data) as folder:
        write_archive(folder, archive, ignore_progress)


def test_imported_folder_has_the_same_items_and_objects(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        fill(cloud)
        exported = cloud.items(), cloud.objects()
        cloud.put_object("deleted")
        cloud.s3.delete_object(Bucket=BUCKET, Key="deleted")
        cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="unfinished")
        cloud.store.secret("signing-keys", lambda: "old")

    export(tmp_path / "data", tmp_path / "x.tar")
    with Archive(tmp_path / "x.tar") as archive, DataFolder(tmp_path / "new") as folder:
        import_into_folder(folder, archive, ignore_progress)

    with stored_cloud(tmp_path / "new") as cloud:
        assert (cloud.items(), cloud.objects()) == exported
        assert cloud.store.secret("signing-keys", lambda: "new") == "new"


def test_deleting_one_of_two_equal_imported_objects_keeps_the_other(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        fill(cloud)
    export(tmp_path / "data", tmp_path / "x.tar")
    with Archive(tmp_path / "x.tar") as archive, DataFolder(tmp_path / "new") as folder:
        import_into_folder(folder, archive, ignore_progress)

    with stored_cloud(tmp_path / "new") as cloud:
        version = cloud.s3.head_object(Bucket=BUCKET, Key="a b.txt")["VersionId"]
        cloud.s3.delete_object(Bucket=BUCKET, Key="a b.txt", VersionId=version)

        body = cloud.s3.get_object(Bucket=BUCKET, Key="same.txt")["Body"].read()
        assert body == b"text"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return an archive with two items and four objects."""
    with stored_cloud(tmp_path / "data") as cloud:
        fill(cloud)
    export(tmp_path / "data", tmp_path / "x.tar")
    return tmp_path / "x.tar"


@pytest.fixture
def stack(archive: Path) -> Iterator[StoredCloud]:
    """Return an empty table and bucket, which no data folder records."""
    assert archive.exists()  # only one cloud runs at a time
    with LocalCloud():
        resources.create_table(TABLE, sources.load_definition("table"))
        resources.create_bucket(BUCKET, sources.load_definition("bucket"))
        yield StoredCloud(DataStore(None))


def import_into_stack(archive: Path) -> Result:
    arguments = ["data", "import", str(archive), "--table", TABLE, "--bucket", BUCKET]
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def described_objects(cloud: StoredCloud) -> dict[str, tuple[Any, ...]]:
    """Return each object's content, headers and tags by its key."""
    found = {}
    for entry in cloud.s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        each = cloud.s3.get_object(Bucket=BUCKET, Key=entry["Key"])
        tags = cloud.s3.get_object_tagging(Bucket=BUCKET, Key=entry["Key"])["TagSet"]
        headers = (each["ContentType"], each.get("CacheControl"), each["Metadata"], tags)
        found[entry["Key"]] = (each["Body"].read(), *headers)
    return found


def test_stack_has_the_exported_items_and_objects_after_an_import(archive: Path, stack: StoredCloud) -> None:
    result = import_into_stack(archive)

    imported = stack.items(), described_objects(stack)
    assert result.stdout == (
        f"imported 2 items and 4 objects with {PART_BYTES + 5:,} bytes: 6 were new, 0 were there already\n"
    )
    assert result.exit_code == 0
    assert imported[0]["a", "s"]["text"] == {"S": "Grüße\n\u2028"}
    assert imported[1] == {
        "a b.txt": (
            b"text",
            "text/plain",
            None,
            {"one": "1"},
            [{"Key": "expire-days", "Value": "7"}, {"Key": "x", "Value": "a b"}],
        ),
        "same.txt": (b"text", "text/html; charset=utf-8", "no-store", {}, []),
        "empty": (b"", "binary/octet-stream", None, {}, []),
        "large": (b"x" * PART_BYTES + b"y", "application/pdf", None, {}, []),
    }


def test_repeated_import_into_a_stack_writes_only_what_is_missing(archive: Path, stack: StoredCloud) -> None:
    import_into_stack(archive)
    stack.dynamodb.delete_item(TableName=TABLE, Key={"pk": {"S": "a"}, "sk": {"S": "s"}})
    version = stack.s3.head_object(Bucket=BUCKET, Key="empty")["VersionId"]
    stack.s3.delete_object(Bucket=BUCKET, Key="empty", VersionId=version)

    result = import_into_stack(archive)

    assert result.exit_code == 0
    assert "2 were new, 4 were there already" in result.stdout
    assert ("a", "s") in stack.items()
    assert len(stack.s3.list_object_versions(Bucket=BUCKET)["Versions"]) == 4


def test_different_data_of_a_stack_are_reported_and_stay(archive: Path, stack: StoredCloud) -> None:
    stack.put_item("b", text={"S": "mine"})
    stack.put_object("same.txt", b"mine too")

    result = import_into_stack(archive)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == ["different, not changed: same.txt", "different, not changed: b s"]
    assert stack.items()["b", "s"]["text"] == {"S": "mine"}
    assert described_objects(stack)["same.txt"][0] == b"mine too"


def test_damaged_archive_changes_nothing_in_a_stack(archive: Path, stack: StoredCloud) -> None:
    archive.write_bytes(archive.read_bytes().replace(b'"pk"', b'"PK"'))

    result = import_into_stack(archive)

    assert (result.exit_code, result.stderr) == (2, "satchel: the archive is damaged: an item has no key\n")
    assert (stack.items(), described_objects(stack)) == ({}, {})


def test_bucket_that_does_not_exist_is_an_error_of_one_line(archive: Path, stack: StoredCloud) -> None:
    stack.s3.delete_bucket(Bucket=BUCKET)

    result = import_into_stack(archive)

    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


class BusyTable:
    """A DynamoDB client whose first ``refusals`` batches of each kind process only the first item."""

    def __init__(self, client: Any, refusals: int) -> None:  # noqa: ANN401  (a client of boto3)
        self._client = client
        self._refusals = {"read": refusals, "write": refusals}

    def batch_get_item(self, RequestItems: Any) -> Any:  # noqa: N803, ANN401  (boto3's names)
        request = RequestItems[TABLE]
        now, later = self._split("read", request["Keys"])
        response = self._client.batch_get_item(RequestItems={TABLE: {**request, "Keys": now}})
        return {**response, "UnprocessedKeys": {TABLE: {"Keys": later}} if later else {}}

    def batch_write_item(self, RequestItems: Any) -> Any:  # noqa: N803, ANN401  (boto3's names)
        now, later = self._split("write", RequestItems[TABLE])
        self._client.batch_write_item(RequestItems={TABLE: now})
        return {"UnprocessedItems": {TABLE: later} if later else {}}

    def _split(self, kind: str, batch: list[Any]) -> tuple[list[Any], list[Any]]:
        self._refusals[kind] -= 1
        return (batch[:1], batch[1:] or batch) if self._refusals[kind] >= 0 else (batch, [])


@pytest.mark.parametrize(("refusals", "exit_code", "items"), [(0, 0, 2), (1, 0, 2), (9, 0, 2), (10, 2, 0)])
def test_items_that_a_busy_table_did_not_process_are_requested_again(
    refusals: int, exit_code: int, items: int, archive: Path, stack: StoredCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = boto3.client
    monkeypatch.setattr("local.emulator.data.stack.time.sleep", lambda _seconds: None)
    monkeypatch.setattr(
        "local.emulator.data.stack.boto3.client",
        lambda name, *args, **named: (
            BusyTable(stack.dynamodb, refusals) if name == "dynamodb" else client(name, *args, **named)
        ),
    )

    result = import_into_stack(archive)

    assert (result.exit_code, len(stack.items())) == (exit_code, items)
    assert ("the table items is overloaded" in result.stderr) == (exit_code == 2)
