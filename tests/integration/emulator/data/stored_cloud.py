"""A local cloud with a table and a bucket whose data are in a folder, and a description of all that it has."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from infra import sources
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.data.store import DataStore, open_store

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

TABLE, BUCKET = "items", "files"


class StoredCloud:
    """The clients of a running cloud, and its store."""

    def __init__(self, store: DataStore) -> None:
        once = Config(retries={"total_max_attempts": 1})
        self.store = store
        self.dynamodb: DynamoDBClient = boto3.client("dynamodb", config=once)
        self.s3: S3Client = boto3.client("s3", config=once)

    def put_item(self, pk: str, sk: str = "s", **attributes: Any) -> None:  # noqa: ANN401  (DynamoDB values)
        """Put an item."""
        self.dynamodb.put_item(TableName=TABLE, Item={"pk": {"S": pk}, "sk": {"S": sk}, **attributes})

    def put_object(self, key: str, body: bytes = b"content", **options: Any) -> str:  # noqa: ANN401  (S3's arguments)
        """Put an object and return the id of its version."""
        return self.s3.put_object(Bucket=BUCKET, Key=key, Body=body, **options)["VersionId"]

    def items(self) -> dict[tuple[str, str], Any]:
        """Return all items by their keys."""
        found = self.dynamodb.scan(TableName=TABLE)["Items"]
        return {(item["pk"]["S"], item["sk"]["S"]): item for item in found}

    def objects(self) -> list[Any]:
        """Return each version of each object with its content's digest, and each unfinished upload with its parts."""
        listed = self.s3.list_object_versions(Bucket=BUCKET)
        versions = [
            (
                version["Key"],
                version["VersionId"],
                version["LastModified"].isoformat(),
                version["IsLatest"],
                *self._content(version["Key"], version["VersionId"]),
            )
            for version in listed.get("Versions", [])
        ]
        markers = [(each["Key"], each["VersionId"], each["IsLatest"]) for each in listed.get("DeleteMarkers", [])]
        uploads = [
            (upload["Key"], upload["UploadId"], self._parts(upload["Key"], upload["UploadId"]))
            for upload in self.s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])
        ]
        return [sorted(versions), sorted(markers), sorted(uploads)]

    def _content(self, key: str, version: str) -> tuple[str, ...]:
        found = self.s3.get_object(Bucket=BUCKET, Key=key, VersionId=version)
        tags = self.s3.get_object_tagging(Bucket=BUCKET, Key=key, VersionId=version)["TagSet"]
        described = [found["ContentType"], found["ETag"], found["Metadata"], tags]
        return hashlib.sha256(found["Body"].read()).hexdigest(), json.dumps(described)

    def _parts(self, key: str, upload: str) -> list[tuple[int, str, int]]:
        listed = self.s3.list_parts(Bucket=BUCKET, Key=key, UploadId=upload).get("Parts", [])
        return [(part["PartNumber"], part["ETag"], part["Size"]) for part in listed]


@contextmanager
def stored_cloud(folder: Path) -> Iterator[StoredCloud]:
    """Start a cloud with the data of a folder, and stop it at the end."""
    with open_store(folder) as store, LocalCloud():
        resources.create_table(TABLE, sources.load_definition("table"))
        resources.create_bucket(BUCKET, sources.load_definition("bucket"))
        store.attach(TABLE, BUCKET)
        cloud = StoredCloud(store)
        yield cloud
        cloud.dynamodb.close()
        cloud.s3.close()
