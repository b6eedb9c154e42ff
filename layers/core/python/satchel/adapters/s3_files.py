"""The bucket as ``FileStore``.

Implements ``ports.page_store.PageStore`` on a bucket.
"""

import io
from collections.abc import Iterator, Sequence
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

_PART = 8 << 20
_CHUNK = 1 << 20
_MAX_KEYS = 1000
# What is no file holds a few parts in memory, whatever its size: those on their way, and the next being read. By
# default it would be ten on two connections, for which TransferConfig has an attribute but no parameter.
_TRANSFER = TransferConfig(multipart_threshold=_PART, multipart_chunksize=_PART, max_concurrency=2)
_TRANSFER.max_in_memory_upload_chunks = 2
_ABSENT = {"404", "NoSuchKey", "NotFound"}


@dataclass(frozen=True)
class S3Files:
    """Implements ``ports.file_store.FileStore``."""

    client: "S3Client"
    bucket: str

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        """Store from a stream, from where it stands, in bounded memory."""
        extra: dict[str, Any] = {"ContentType": mime} | ({"Tagging": urlencode(tags)} if tags else {})
        if _is_small(body):  # the threads of a transfer cost 2 ms, more than a small object takes
            self.client.put_object(Bucket=self.bucket, Key=key, Body=body.read(), **extra)
        elif name := _reopening_name(body):
            self.client.upload_file(name, self.bucket, key, ExtraArgs=extra, Config=_TRANSFER)
        else:
            self.client.upload_fileobj(body, self.bucket, key, ExtraArgs=extra, Config=_TRANSFER)

    def tag(self, key: str, tags: dict[str, str]) -> None:
        """Give an object these tags and no others."""
        wanted: list[TagTypeDef] = [{"Key": name, "Value": value} for name, value in tags.items()]
        try:
            if wanted:
                self.client.put_object_tagging(Bucket=self.bucket, Key=key, Tagging={"TagSet": wanted})
            else:
                self.client.delete_object_tagging(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            raise FileNotFoundError(key) from error

    def head(self, key: str) -> StoredObject | None:
        """Return what is known of an object."""
        try:
            answer = self.client.head_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        return StoredObject(key=key, size=answer["ContentLength"], mime=answer["ContentType"], etag=answer["ETag"])

    def read(self, key: str, max_bytes: int) -> bytes | None:
        """Return the whole of a small object."""
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        if answer["ContentLength"] > max_bytes:
            answer["Body"].close()
            raise ValueError(f"the object has {answer['ContentLength']} bytes; {max_bytes} were to be read at most")
        return answer["Body"].read()

    def chunks(self, key: str, first: int, last: int) -> Iterator[bytes]:
        """Open the object now, and return an iterator over a range of its bytes."""
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=key, Range=f"bytes={first}-{last}")
        except ClientError as error:
            _raise_unless_absent(error)
            raise FileNotFoundError(key) from error
        return answer["Body"].iter_chunks(_CHUNK)

    def link(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        """Return a presigned GET."""
        wanted: dict[str, Any] = {"Bucket": self.bucket, "Key": key}
        if mime:
            wanted["ResponseContentType"] = mime
        if disposition:
            wanted["ResponseContentDisposition"] = disposition
        return self.client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=seconds)

    def delete(self, keys: Sequence[str]) -> None:
        """Delete these objects with all their versions; those of one folder are found and deleted together."""
        for _, together in groupby(sorted(set(keys)), key=_folder):
            found = list(self._versions(set(together)))
            for start in range(0, len(found), _MAX_KEYS):
                self._delete(found[start : start + _MAX_KEYS])

    def delete_under(self, prefix: str) -> Iterator[int]:
        """Delete the first page again and again, until there is none: what was deleted is no place to go on from."""
        while True:
            page = self.client.list_object_versions(Bucket=self.bucket, Prefix=prefix)
            found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            if not found:
                return
            self._delete([{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found])
            yield len(found)

    def _delete(self, versions: "Sequence[ObjectIdentifierTypeDef]") -> None:
        answer = self.client.delete_objects(Bucket=self.bucket, Delete={"Objects": versions, "Quiet": True})
        if errors := answer.get("Errors"):
            raise OSError(f"{len(errors)} objects were not deleted, the first with {errors[0].get('Code')}")

    def _versions(self, keys: AbstractSet[str]) -> Iterator["ObjectIdentifierTypeDef"]:
        """Give all versions of these: what lies between them, since keys begin with a time, is as old as they are."""
        prefix = commonprefix(sorted(keys))  # noqa: RUF071  (of text: these are keys, not paths)
        for page in self.client.get_paginator("list_object_versions").paginate(Bucket=self.bucket, Prefix=prefix):
            for version in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                if version["Key"] in keys:
                    yield {"Key": version["Key"], "VersionId": version["VersionId"]}


def _folder(key: str) -> list[str]:
    """Return the person, the kind and the day of a key."""
    return key.split("/", 3)[:3]


def _is_small(body: IO[bytes]) -> bool:
    """Tell whether what is left of a stream is known to be less than a part."""
    if not body.seekable():
        return False
    start = body.tell()
    size = body.seek(0, io.SEEK_END) - start
    body.seek(start)
    return size < _PART


def _reopening_name(body: IO[bytes]) -> str | None:
    """Return a name under which the kernel opens this very file anew, wherever it lies now.

    Each part is then read from the disk as it is sent. From a stream, parts can only be read in turn and held.
    """
    try:
        name = f"/proc/self/fd/{body.fileno()}"
    except (AttributeError, io.UnsupportedOperation):
        return None
    return name if body.seekable() and body.tell() == 0 and Path(name).exists() else None


def _raise_unless_absent(error: ClientError) -> None:
    """An object that is not there is an answer; anything else is an error."""
    if error.response["Error"]["Code"] not in _ABSENT:
        raise error


if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Page:
    """A bucket of the page's own."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        """Write the object."""
        self._client.put_object(Bucket=self._bucket, Key=path, Body=content, ContentType=media_type, CacheControl=cache)
