import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator.data.folder import DataFolder
from tests.integration.emulator.data.stored_cloud import BUCKET, TABLE, StoredCloud, stored_cloud

PART_BYTES = 5 << 20
LARGE_BYTES = 1 << 30
ATTRIBUTES: dict[str, Any] = {
    "text": {"S": "Grüße\n\u2028"},
    "number": {"N": "12.50"},
    "nothing": {"NULL": True},
    "map": {"M": {"list": {"L": [{"BOOL": False}, {"N": "1"}]}}},
    "set": {"SS": ["a", "b"]},
    "binary": {"B": b"\x00\xff"},
}


def copy_of(folder: Path) -> Path:
    """Return a copy of the folder as it is now, as it stays behind if the process is killed now."""
    copy = folder.with_name(f"{folder.name}-copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    return copy


def complete_upload(cloud: StoredCloud, key: str, upload: str) -> None:
    parts = cloud.s3.list_parts(Bucket=BUCKET, Key=key, UploadId=upload)["Parts"]
    numbers: Any = [{"PartNumber": part["PartNumber"], "ETag": part["ETag"]} for part in parts]
    cloud.s3.complete_multipart_upload(Bucket=BUCKET, Key=key, UploadId=upload, MultipartUpload={"Parts": numbers})


def upload_part(cloud: StoredCloud, key: str, upload: str, number: int, body: bytes) -> None:
    cloud.s3.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=number, Body=body)


def test_items_and_objects_are_the_same_after_a_restart(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        cloud.put_item("a", **ATTRIBUTES)
        cloud.put_item("b")
        cloud.dynamodb.update_item(
            TableName=TABLE,
            Key={"pk": {"S": "b"}, "sk": {"S": "s"}},
            UpdateExpression="SET n = :n",
            ExpressionAttributeValues={":n": {"N": "1"}},
        )
        cloud.put_item("deleted")
        cloud.dynamodb.delete_item(TableName=TABLE, Key={"pk": {"S": "deleted"}, "sk": {"S": "s"}})
        cloud.put_object("a.txt", b"first", ContentType="text/plain", Metadata={"one": "1"}, Tagging="expire-days=7")
        cloud.put_object("a.txt", b"second")
        cloud.put_object("marked.txt")
        cloud.s3.delete_object(Bucket=BUCKET, Key="marked.txt")
        gone = cloud.put_object("gone.txt")
        cloud.s3.delete_object(Bucket=BUCKET, Key="gone.txt", VersionId=gone)
        before = cloud.items(), cloud.objects()

    with stored_cloud(tmp_path / "data") as cloud:
        assert (cloud.items(), cloud.objects()) == before
        assert cloud.items()["b", "s"]["n"] == {"N": "1"}


def test_tags_that_are_set_later_survive_a_restart(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        for key in ("set", "removed"):
            cloud.put_object(key, Tagging="a=1")
        tags: Any = {"TagSet": [{"Key": "b", "Value": "2"}]}
        cloud.s3.put_object_tagging(Bucket=BUCKET, Key="set", Tagging=tags)
        cloud.s3.delete_object_tagging(Bucket=BUCKET, Key="removed")

    with stored_cloud(tmp_path / "data") as cloud:
        assert cloud.s3.get_object_tagging(Bucket=BUCKET, Key="set")["TagSet"] == [{"Key": "b", "Value": "2"}]
        assert cloud.s3.get_object_tagging(Bucket=BUCKET, Key="removed")["TagSet"] == []


def test_upload_in_parts_continues_after_a_restart(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        upload = cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="big", ContentType="text/csv")["UploadId"]
        upload_part(cloud, "big", upload, 2, b"end")
        upload_part(cloud, "big", upload, 1, b"overwritten")

    with stored_cloud(tmp_path / "data") as cloud:
        upload_part(cloud, "big", upload, 1, bytes(PART_BYTES))
        complete_upload(cloud, "big", upload)

    with stored_cloud(tmp_path / "data") as cloud:
        found = cloud.s3.get_object(Bucket=BUCKET, Key="big")
        assert (found["ContentType"], found["ETag"][-3:]) == ("text/csv", '-2"')
        assert found["Body"].read() == bytes(PART_BYTES) + b"end"
        assert "Uploads" not in cloud.s3.list_multipart_uploads(Bucket=BUCKET)


def test_large_object_is_restored_without_being_read(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        version = cloud.put_object("large", b"x")
    [content] = [path for path in (tmp_path / "data/objects").rglob("*") if path.is_file()]
    os.truncate(content, LARGE_BYTES)
    with DataFolder(tmp_path / "data") as folder:
        folder.write([("UPDATE objects SET state = json_set(state, '$.size', ?)", (LARGE_BYTES,))])

    before = bytes_read()
    with stored_cloud(tmp_path / "data") as cloud:
        found = cloud.s3.head_object(Bucket=BUCKET, Key="large")
        last = cloud.s3.get_object(Bucket=BUCKET, Key="large", Range=f"bytes={LARGE_BYTES - 10}-")["Body"].read()

    assert (found["VersionId"], found["ContentLength"], last) == (version, LARGE_BYTES, bytes(10))
    assert bytes_read() - before < LARGE_BYTES // 100


def bytes_read() -> int:
    """Return how many bytes this process has read from files and sockets."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text(encoding="utf-8").splitlines())
    return int(fields["rchar"])


def test_deleted_contents_leave_no_file(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        for key in ("a", "b"):
            version = cloud.put_object(key)
            cloud.s3.delete_object(Bucket=BUCKET, Key=key, VersionId=version)
        upload = cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="c")["UploadId"]
        upload_part(cloud, "c", upload, 1, b"part")
        cloud.s3.abort_multipart_upload(Bucket=BUCKET, Key="c", UploadId=upload)

    assert [path for path in (tmp_path / "data/objects").rglob("*") if path.is_file()] == []


def test_failed_transaction_leaves_nothing_in_the_folder(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        cloud.put_item("existing")
        puts: Any = [
            {"Put": {"TableName": TABLE, "Item": {"pk": {"S": "new"}, "sk": {"S": "s"}}}},
            {
                "Put": {
                    "TableName": TABLE,
                    "Item": {"pk": {"S": "existing"}, "sk": {"S": "s"}},
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
        ]
        with pytest.raises(ClientError, match="TransactionCanceled"):
            cloud.dynamodb.transact_write_items(TransactItems=puts)

    with stored_cloud(tmp_path / "data") as cloud:
        assert list(cloud.items()) == [("existing", "s")]


def test_secret_is_created_once(tmp_path: Path) -> None:
    with stored_cloud(tmp_path / "data") as cloud:
        assert cloud.store.secret("key", lambda: "first") == "first"

    with stored_cloud(tmp_path / "data") as cloud:
        assert cloud.store.secret("key", lambda: "second") == "first"


@pytest.mark.parametrize("seed", range(5))
def test_folder_has_each_change_when_its_request_is_answered(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311  (not for security)
    uploads: list[tuple[str, str]] = []
    with stored_cloud(tmp_path / "data") as cloud:
        for _ in range(40):
            change(cloud, choose, uploads)
        expected = cloud.items(), cloud.objects()
        copy = copy_of(tmp_path / "data")

    with stored_cloud(copy) as restarted:
        assert (restarted.items(), restarted.objects()) == expected


def change(cloud: StoredCloud, choose: random.Random, uploads: list[tuple[str, str]]) -> None:
    """Change a random item or object."""
    name, body = choose.choice("abc"), choose.randbytes(choose.choice([0, 10, 100_000]))
    key: Any = {"pk": {"S": name}, "sk": {"S": choose.choice("xy")}}
    match choose.randrange(8):
        case 0:
            cloud.put_item(name, choose.choice("xy"), value={"S": body.hex()[:50]})
        case 1:
            cloud.dynamodb.delete_item(TableName=TABLE, Key=key)
        case 2:
            put: Any = [{"Put": {"TableName": TABLE, "Item": {**key, "n": {"N": "1"}}}}]
            cloud.dynamodb.transact_write_items(TransactItems=put)
        case 3 | 4:
            cloud.put_object(name, body, Tagging="a=1")
        case 5:
            listed = cloud.s3.list_object_versions(Bucket=BUCKET, Prefix=name).get("Versions", [])
            for version in listed[:1]:
                cloud.s3.delete_object(Bucket=BUCKET, Key=name, VersionId=version["VersionId"])
        case 6:
            uploads.append((name, cloud.s3.create_multipart_upload(Bucket=BUCKET, Key=name)["UploadId"]))
            upload_part(cloud, *uploads[-1], 1, body)
        case 7 if uploads:
            complete_upload(cloud, *uploads.pop())


@pytest.mark.parametrize(("filler", "step"), [(b"", 1), (b"\0", 61), (b"\xff", 61)])
def test_torn_last_write_is_dropped_and_earlier_writes_stay(tmp_path: Path, filler: bytes, step: int) -> None:
    """The last transaction stops at each byte: the file ends there, or goes on with bytes that were there before."""
    data = tmp_path / "data"
    with stored_cloud(data) as cloud:
        cloud.put_item("first", value={"S": "x" * 100})
        before = (data / "satchel.sqlite-wal").stat().st_size
        cloud.put_item("last", value={"S": "y" * 100})
        copy = copy_of(data)
    log = (copy / "satchel.sqlite-wal").read_bytes()
    database = (copy / "satchel.sqlite").read_bytes()

    for size in range(before, len(log), step):
        torn = log[:size] + filler * (len(log) - size)
        assert torn != log
        (copy / "satchel.sqlite").write_bytes(database)
        (copy / "satchel.sqlite-wal").write_bytes(torn)
        (copy / "satchel.sqlite-shm").unlink(missing_ok=True)
        with closing(sqlite3.connect(copy / "satchel.sqlite")) as database_file:
            database_file.execute("PRAGMA synchronous = OFF")  # only this test writes
            assert database_file.execute("SELECT pk FROM items").fetchall() == [("first",)]


def test_item_write_that_the_disk_refuses_fails_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with stored_cloud(tmp_path / "data") as cloud:
        cloud.put_item("a", value={"S": "old"})
        with monkeypatch.context() as patch:
            patch.setattr(DataFolder, "write", refuse)
            with pytest.raises(ClientError, match="cannot be written: database or disk is full"):
                cloud.put_item("a", value={"S": "new"})
            with pytest.raises(ClientError, match="cannot be written: database or disk is full"):
                cloud.put_item("b")
        remaining = cloud.items()
        cloud.put_item("c")

    assert remaining == {("a", "s"): {"pk": {"S": "a"}, "sk": {"S": "s"}, "value": {"S": "old"}}}
    with stored_cloud(tmp_path / "data") as cloud:
        assert set(cloud.items()) == {("a", "s"), ("c", "s")}


def test_object_write_that_the_disk_refuses_fails_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with stored_cloud(tmp_path / "data") as cloud:
        version = cloud.put_object("a", b"old")
        upload = cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="big")["UploadId"]
        upload_part(cloud, "big", upload, 1, b"part")
        before = cloud.objects()
        with monkeypatch.context() as patch:
            patch.setattr(DataFolder, "write", refuse)
            for request in (
                lambda: cloud.put_object("a", b"new"),
                lambda: cloud.put_object("b"),
                lambda: cloud.s3.delete_object(Bucket=BUCKET, Key="a", VersionId=version),
                lambda: cloud.s3.create_multipart_upload(Bucket=BUCKET, Key="c"),
                lambda: upload_part(cloud, "big", upload, 2, b"part"),
                lambda: complete_upload(cloud, "big", upload),
            ):
                with pytest.raises(ClientError, match="cannot be written: database or disk is full"):
                    request()

        assert cloud.objects() == before
