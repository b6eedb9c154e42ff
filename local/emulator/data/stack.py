"""Import an archive into the table and the bucket of a deployed stack, with the credentials of the operator."""

import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import boto3
from boto3.dynamodb.types import TypeDeserializer
from botocore.config import Config
from botocore.exceptions import ClientError

from local.emulator.data.archive import Archive, ArchiveError, Content, Progress, item_key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

_CONFIG = Config(retries={"mode": "standard", "total_max_attempts": 8})
_BATCH = 25  # the most items of one BatchWriteItem
_MAX_ATTEMPTS = 10
_PAUSE_SECONDS = 0.1
_META = "x-amz-meta-"
_HEADERS = {
    "content-type": "ContentType",
    "cache-control": "CacheControl",
    "content-disposition": "ContentDisposition",
    "content-encoding": "ContentEncoding",
    "content-language": "ContentLanguage",
}

Item = Mapping[str, Any]


class StackImport:
    """Adds the objects and items of archives to a table and a bucket, and overwrites nothing.

    ``added`` and ``present`` count the objects and items that were written, and that were there already. ``different``
    names those that were there with another value or size, and stay as they are.
    """

    def __init__(self, table: str, bucket: str) -> None:
        self._table = table
        self._bucket = bucket
        region = os.environ.get("AWS_REGION")  # boto3 alone ignores AWS_REGION, which CDK reads
        self._dynamodb: DynamoDBClient = boto3.client("dynamodb", region, config=_CONFIG)
        self._s3: S3Client = boto3.client("s3", region, config=_CONFIG)
        self.added = self.present = 0
        self.different: list[str] = []

    def run(self, archive: Archive, progress: Progress) -> None:
        """Write what is missing: all objects first, because the items refer to them.

        Raise ClientError or BotoCoreError if a request fails. A repeated import continues.
        """
        for number, content in enumerate(archive.contents(), 1):
            self._add_objects(content)
            progress("importing contents", number, archive.summary.contents)
        items, done = archive.items(), 0
        while batch := list(itertools.islice(items, _BATCH)):
            self._add_items(batch)
            done += len(batch)
            progress("importing items", done, archive.summary.items)

    def _add_objects(self, content: Content) -> None:
        missing = [each for each in content.objects if self._is_missing(each)]
        if not missing:
            return
        with tempfile.NamedTemporaryFile(prefix="satchel-import-") as file:
            file.writelines(content.pieces())  # nothing is uploaded before the hash has been compared
            file.flush()
            for each in missing:
                self._s3.upload_file(file.name, self._bucket, each["key"], ExtraArgs=_arguments(each))
                self.added += 1

    def _is_missing(self, described: Mapping[str, Any]) -> bool:
        try:
            found = self._s3.head_object(Bucket=self._bucket, Key=described["key"])
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] != HTTPStatus.NOT_FOUND:
                raise
            return True
        self._count_present(described["key"], is_same=found["ContentLength"] == described["size"])
        return False

    def _add_items(self, items: Sequence[Item]) -> None:
        stored = {item_key(item): item for item in self._stored(items)}
        missing = [item for item in items if item_key(item) not in stored]
        for item in items:
            if existing := stored.get(item_key(item)):
                self._count_present(" ".join(item_key(item)), is_same=_values(existing) == _values(item))
        self._put(missing)
        self.added += len(missing)

    def _count_present(self, name: str, *, is_same: bool) -> None:
        self.present += 1
        if not is_same:
            self.different.append(name)

    def _stored(self, items: Sequence[Item]) -> Iterator[Item]:
        keys: Any = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
        for attempt in range(_MAX_ATTEMPTS):
            request: Any = {self._table: {"Keys": keys, "ConsistentRead": True}}
            response = self._dynamodb.batch_get_item(RequestItems=request)
            yield from response["Responses"].get(self._table, [])
            if not response["UnprocessedKeys"]:
                return
            keys = response["UnprocessedKeys"][self._table]["Keys"]
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise ArchiveError(f"the table {self._table} is overloaded; run the same command again")

    def _put(self, items: Sequence[Item]) -> None:
        requests: Any = [{"PutRequest": {"Item": item}} for item in items]
        for attempt in range(_MAX_ATTEMPTS):
            if requests:
                response = self._dynamodb.batch_write_item(RequestItems={self._table: requests})
                requests = response["UnprocessedItems"].get(self._table, [])
            if not requests:
                return
            time.sleep(_PAUSE_SECONDS * 2**attempt)
        raise ArchiveError(f"the table {self._table} is overloaded; run the same command again")


def verify(path: Path, progress: Progress) -> None:
    """Read the whole archive. Raise ArchiveError if it is damaged."""
    with Archive(path) as archive:
        for number, content in enumerate(archive.contents(), 1):
            for _ in content.pieces():
                pass
            progress("verifying contents", number, archive.summary.contents)
        for item in archive.items():
            item_key(item)


def _values(item: Item) -> dict[str, Any]:
    """Return the values as Python objects, because DynamoDB writes equal numbers and sets in another form."""
    deserialize: Callable[[Any], Any] = TypeDeserializer().deserialize
    return {name: deserialize(value) for name, value in item.items()}


def _arguments(described: Mapping[str, Any]) -> dict[str, Any]:
    headers: Mapping[str, str] = described["metadata"]
    arguments: dict[str, Any] = {argument: headers[name] for name, argument in _HEADERS.items() if name in headers}
    arguments["Metadata"] = {
        name.removeprefix(_META): value for name, value in headers.items() if name.startswith(_META)
    }
    if described["tags"]:
        arguments["Tagging"] = urlencode(described["tags"])
    return arguments
