"""Stores objects in S3: users' files and the web client's files."""

import io
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from os.path import commonprefix
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlencode

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from satchel.ports.storage import StoredObject

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef, TagTypeDef

_PART_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 20
_MAX_KEYS_PER_DELETE = 1000
# When boto3 uploads a stream that is not a file, it keeps up to ten parts in memory by default. TransferConfig has no
# parameter for this limit, so set the attribute.
_TRANSFER = TransferConfig(multipart_threshold=_PART_BYTES, multipart_chunksize=_PART_BYTES, max_concurrency=2)
_TRANSFER.max_in_memory_upload_chunks = 2
_NOT_FOUND_CODES = {"404", "NoSuchKey", "NotFound"}


@dataclass(frozen=True)
class S3Files:
    """Store files in an S3 bucket. Implements ``ports.storage.FileStore``."""

    client: "S3Client"
    bucket: str

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        extra: dict[str, Any] = {"ContentType": mime} | ({"Tagging": urlencode(tags)} if tags else {})
        if _is_small(body):  # boto3's upload threads take 2 ms to start, longer than sending a small object
            self.client.put_object(Bucket=self.bucket, Key=key, Body=body.read(), **extra)
        elif path := _reopen_path(body):
            self.client.upload_file(path, self.bucket, key, ExtraArgs=extra, Config=_TRANSFER)
        else:
            self.client.upload_fileobj(body, self.bucket, key, ExtraArgs=extra, Config=_TRANSFER)

    def set_tags(self, key: str, tags: dict[str, str]) -> None:
        """Replace the tags of an object. Raise FileNotFoundError if the object does not exist."""
        tag_set: list[TagTypeDef] = [{"Key": name, "Value": value} for name, value in tags.items()]
        try:
            if tag_set:
                self.client.put_object_tagging(Bucket=self.bucket, Key=key, Tagging={"TagSet": tag_set})
            else:
                self.client.delete_object_tagging(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            raise FileNotFoundError(key) from error

    def head(self, key: str) -> StoredObject | None:
        try:
            response = self.client.head_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        return StoredObject(
            key=key, size=response["ContentLength"], mime=response["ContentType"], etag=response["ETag"]
        )

    def read(self, key: str, max_bytes: int) -> bytes | None:
        """Return an object's content, or None if it does not exist. Raise ValueError if it exceeds ``max_bytes``."""
        try:
            response = self.client.get_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        if response["ContentLength"] > max_bytes:
            response["Body"].close()
            raise ValueError(f"the object has {response['ContentLength']} bytes, more than the limit of {max_bytes}")
        return response["Body"].read()

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Return the bytes ``first`` to ``last`` (inclusive) in chunks. Raise FileNotFoundError if there is no object.

        The request is sent immediately, not when the caller reads the first chunk.
        """
        try:
            response = self.client.get_object(Bucket=self.bucket, Key=key, Range=f"bytes={first}-{last}")
        except ClientError as error:
            _raise_unless_absent(error)
            raise FileNotFoundError(key) from error
        return response["Body"].iter_chunks(_CHUNK_BYTES)

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        parameters: dict[str, Any] = {"Bucket": self.bucket, "Key": key}
        if mime:
            parameters["ResponseContentType"] = mime
        if disposition:
            parameters["ResponseContentDisposition"] = disposition
        return self.client.generate_presigned_url("get_object", Params=parameters, ExpiresIn=seconds)

    def delete(self, keys: Sequence[str]) -> None:
        for _, keys_of_folder in groupby(sorted(set(keys)), key=_folder):
            versions = list(self._versions(set(keys_of_folder)))
            for start in range(0, len(versions), _MAX_KEYS_PER_DELETE):
                self._delete(versions[start : start + _MAX_KEYS_PER_DELETE])

    def delete_prefix(self, prefix: str, proceed: Callable[[], bool] = lambda: True) -> Iterator[int]:
        """Delete all versions of all objects with a prefix, page by page. Yield how many versions each page had.

        Lists the first page again after each deletion, because a page marker would refer to a deleted version.
        """
        while True:
            page = self.client.list_object_versions(Bucket=self.bucket, Prefix=prefix)
            versions = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            if not versions or not proceed():
                return
            self._delete([{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions])
            yield len(versions)

    def _delete(self, versions: "Sequence[ObjectIdentifierTypeDef]") -> None:
        response = self.client.delete_objects(Bucket=self.bucket, Delete={"Objects": versions, "Quiet": True})
        if errors := response.get("Errors"):
            raise OSError(f"S3 did not delete {len(errors)} objects; the first error is {errors[0].get('Code')}")

    def _versions(self, keys: AbstractSet[str]) -> Iterator["ObjectIdentifierTypeDef"]:
        """Yield the key and id of every version of the objects with these keys.

        Lists the keys' common prefix, which few other objects share because object ids begin with a time.
        """
        prefix = commonprefix(sorted(keys))  # noqa: RUF071  (S3 keys, not file system paths)
        for page in self.client.get_paginator("list_object_versions").paginate(Bucket=self.bucket, Prefix=prefix):
            for version in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                if version["Key"] in keys:
                    yield {"Key": version["Key"], "VersionId": version["VersionId"]}


def _folder(key: str) -> list[str]:
    """Return the first three components of a key: user, kind and day."""
    return key.split("/", 3)[:3]


def _is_small(body: IO[bytes]) -> bool:
    """Return True if the stream is seekable and its remaining content is smaller than an upload part."""
    if not body.seekable():
        return False
    start = body.tell()
    size = body.seek(0, io.SEEK_END) - start
    body.seek(start)
    return size < _PART_BYTES


def _reopen_path(body: IO[bytes]) -> str | None:
    """Return a path that opens the stream's file, even after its deletion, or None if the stream has no file.

    With a path, boto3 reads each part from disk while sending it, instead of holding parts in memory.
    """
    try:
        path = f"/proc/self/fd/{body.fileno()}"
    except (AttributeError, io.UnsupportedOperation):
        return None
    return path if body.seekable() and body.tell() == 0 and Path(path).exists() else None


def _raise_unless_absent(error: ClientError) -> None:
    """Raise the error again, unless it reports that the object does not exist."""
    if error.response["Error"]["Code"] not in _NOT_FOUND_CODES:
        raise error


class S3Page:
    """Store the web client's files in a separate S3 bucket. Implements ``ports.storage.PageStore``."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def get(self, path: str) -> bytes | None:
        """Return the content of a file of the web client, or None if it is not stored."""
        try:
            return self._client.get_object(Bucket=self._bucket, Key=path)["Body"].read()
        except ClientError as error:
            _raise_unless_absent(error)
            return None

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Store a file of the web client. ``cache`` is the Cache-Control header of its responses."""
        self._client.put_object(Bucket=self._bucket, Key=path, Body=content, ContentType=media_type, CacheControl=cache)
