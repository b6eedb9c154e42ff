"""The disk is full at each write in turn: the request fails with a clear error, and nothing that was stored is lost."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner, Result

from local.cli.main import app
from local.emulator.aws.moto_patches import s3_objects
from local.emulator.data.folder import DataFolder
from tests.integration.emulator.data.full_disk import FullDisk, full_disk
from tests.integration.emulator.data.stored_cloud import BUCKET, TABLE, StoredCloud, stored_cloud

PART_BYTES = 1000
LARGE = (1 << 20) + 1  # written in two pieces
ROWS = {
    "items": "SELECT pk, sk, attributes FROM items ORDER BY pk, sk",
    "objects": "SELECT key, version, state FROM objects ORDER BY position",
    "uploads": "SELECT id, state FROM uploads ORDER BY id",
    "parts": "SELECT upload, number, state FROM parts ORDER BY upload, number",
    "secrets": "SELECT name, value FROM secrets ORDER BY name",
}
FULL = ("database or disk is full", "No space left on device")
Request = Callable[[StoredCloud], object]
KEY: Any = {"pk": {"S": "a"}, "sk": {"S": "s"}}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two items, two objects and an upload with two parts."""
    monkeypatch.setattr(s3_objects, "S3_UPLOAD_PART_MIN_SIZE", PART_BYTES)
    with stored_cloud(tmp_path / "data") as cloud:
        cloud.put_item("a", value={"S": "old"})
        cloud.put_item("b")
        cloud.put_object("a", b"old")
        cloud.put_object("large", bytes(LARGE))
        upload = cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="parts")["UploadId"]
        for number, body in ((1, bytes(PART_BYTES)), (2, b"end")):
            cloud.s3.upload_part(Bucket=BUCKET, Key="parts", UploadId=upload, PartNumber=number, Body=body)
        cloud.store.secret("signing-keys", lambda: "secret")
    return tmp_path / "data"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FullDisk]:
    with full_disk(tmp_path) as disk:
        yield disk


def run(folder: Path, *arguments: object) -> Result:
    """Run `satchel data …`."""
    environ = {"SATCHEL_DATA": str(folder)}
    return CliRunner().invoke(app, ["data", *map(str, arguments)], catch_exceptions=False, env=environ)


def names_full_disk(result: Result) -> bool:
    return any(reason in result.stderr for reason in FULL)


def stored_rows(folder: Path, tmp_path: Path) -> dict[str, list[Any]]:
    """Return what a process finds that starts now, after the one that uses the folder was killed."""
    shutil.rmtree(tmp_path / "copy", ignore_errors=True)
    shutil.copytree(folder, tmp_path / "copy")
    with DataFolder(tmp_path / "copy") as opened:
        return {name: opened.read(query) for name, query in ROWS.items()}


def upload_id(cloud: StoredCloud) -> str:
    return cloud.s3.list_multipart_uploads(Bucket=BUCKET)["Uploads"][0]["UploadId"]


def transact(cloud: StoredCloud) -> None:
    puts: Any = [{"Put": {"TableName": TABLE, "Item": {**KEY, "pk": {"S": name}}}} for name in "ac"]
    cloud.dynamodb.transact_write_items(TransactItems=puts)


def upload_part(cloud: StoredCloud) -> None:
    body, upload = bytes(PART_BYTES), upload_id(cloud)
    cloud.s3.upload_part(Bucket=BUCKET, Key="parts", UploadId=upload, PartNumber=3, Body=body)


def complete_upload(cloud: StoredCloud) -> None:
    upload = upload_id(cloud)
    listed = cloud.s3.list_parts(Bucket=BUCKET, Key="parts", UploadId=upload)["Parts"]
    parts: Any = [{"PartNumber": part["PartNumber"], "ETag": part["ETag"]} for part in listed]
    cloud.s3.complete_multipart_upload(Bucket=BUCKET, Key="parts", UploadId=upload, MultipartUpload={"Parts": parts})


def delete_object(cloud: StoredCloud) -> None:
    version = cloud.s3.head_object(Bucket=BUCKET, Key="large")["VersionId"]
    cloud.s3.delete_object(Bucket=BUCKET, Key="large", VersionId=version)


def tag_object(cloud: StoredCloud) -> None:
    tags: Any = {"TagSet": [{"Key": "b", "Value": "2"}]}
    cloud.s3.put_object_tagging(Bucket=BUCKET, Key="a", Tagging=tags)


REQUESTS: dict[str, Request] = {
    "put an item": lambda cloud: cloud.put_item("a", value={"S": "new" * 10_000}),
    "delete an item": lambda cloud: cloud.dynamodb.delete_item(TableName=TABLE, Key=KEY),
    "write two items in a transaction": transact,
    "put an object": lambda cloud: cloud.put_object("a", b"new"),
    "put a large object": lambda cloud: cloud.put_object("new", bytes(LARGE)),
    "delete an object": delete_object,
    "tag an object": tag_object,
    "start an upload": lambda cloud: cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="new"),
    "upload a part": upload_part,
    "complete an upload": complete_upload,
}


def refused(cloud: StoredCloud, name: str) -> str | None:
    """Send the request. Return its error, or None if it succeeded."""
    try:
        REQUESTS[name](cloud)
    except ClientError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", REQUESTS)
def test_request_on_a_full_disk_fails_at_each_write_and_succeeds_when_there_is_space(
    name: str, data: Path, tmp_path: Path, disk: FullDisk
) -> None:
    with stored_cloud(data) as cloud:
        before, rows = (cloud.items(), cloud.objects()), stored_rows(data, tmp_path)
        for number in itertools.count():
            disk.fill(after=number)
            refusal = refused(cloud, name)
            disk.free()
            if refusal is None:
                break
            assert any(f"The data folder cannot be written: {reason}" in refusal for reason in FULL)
            assert (cloud.items(), cloud.objects()) == before
            assert stored_rows(data, tmp_path) == rows
        after = cloud.items(), cloud.objects()

    assert number > 1
    assert after != before
    with stored_cloud(data) as cloud:
        assert (cloud.items(), cloud.objects()) == after
    assert run(data, "check").stdout == "0 problems\n"


def test_stop_on_a_full_disk_loses_nothing(data: Path, disk: FullDisk) -> None:
    with DataFolder(data) as folder:
        expected = {name: folder.read(query) for name, query in ROWS.items()}
    for number in itertools.count():
        with DataFolder(data) as folder:
            text = f"{number}" * 100_000
            folder.write([("INSERT OR REPLACE INTO secrets VALUES ('large', ?)", (text,))])
            disk.fill(after=number)
        disk.free()
        with DataFolder(data) as folder:
            assert folder.read("SELECT value FROM secrets WHERE name = 'large'") == [(text,)]
            folder.write([("DELETE FROM secrets WHERE name = 'large'", ())])
            assert {name: folder.read(query) for name, query in ROWS.items()} == expected
        if not disk.was_full:
            break

    assert number > 1


def test_vacuum_on_a_full_disk_fails_at_each_write_and_loses_nothing(
    data: Path, tmp_path: Path, disk: FullDisk
) -> None:
    rows = stored_rows(data, tmp_path)
    for number in itertools.count():
        disk.fill(after=number)
        result = run(data, "vacuum")
        disk.free()
        assert stored_rows(data, tmp_path) == rows
        if result.exit_code == 0:
            break
        assert (result.exit_code, names_full_disk(result)) == (2, True), result.stderr

    assert number > 1
    assert run(data, "check").stdout == "0 problems\n"


def test_export_to_a_full_disk_fails_at_each_write_and_leaves_no_file(
    data: Path, tmp_path: Path, disk: FullDisk
) -> None:
    (tmp_path / "out").mkdir()
    for number in itertools.count():
        disk.fill(after=number)
        result = run(data, "export", tmp_path / "out/x.tar")
        disk.free()
        if result.exit_code == 0:
            break
        assert (result.exit_code, names_full_disk(result)) == (2, True), result.stderr
        assert list((tmp_path / "out").iterdir()) == []

    assert number > 1
    assert run(tmp_path / "new", "import", tmp_path / "out/x.tar").exit_code == 0


def test_import_into_a_full_disk_fails_at_each_write_and_continues(data: Path, tmp_path: Path, disk: FullDisk) -> None:
    run(data, "export", tmp_path / "x.tar")
    for number in itertools.count():
        disk.fill(after=number)
        result = run(tmp_path / "new", "import", tmp_path / "x.tar")
        disk.free()
        if result.exit_code == 0:
            break
        assert (result.exit_code, names_full_disk(result)) == (2, True), result.stderr

    assert number > 1
    with stored_cloud(data) as old:
        expected = old.items(), old.objects()[0]
    with stored_cloud(tmp_path / "new") as new:
        assert (new.items(), new.objects()[0]) == expected
