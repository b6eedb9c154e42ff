"""The bucket as ``FileStore``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlencode

from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

from satchel.ports.file_store import StoredObject

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

_PART = 8 << 20
_CHUNK = 1 << 20
_MOST_KEYS = 1000
# Few threads: a runner holds at most a few parts in memory, whatever the size of the file.
_TRANSFER = TransferConfig(multipart_threshold=_PART, multipart_chunksize=_PART, max_concurrency=2)
_ABSENT = {"404", "NoSuchKey", "NotFound"}


@dataclass(frozen=True)
class S3Files:
    """Implements ``ports.file_store.FileStore``."""

    client: "S3Client"
    bucket: str

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        """Store from a stream in bounded memory."""
        extra = {"ContentType": mime}
        if tags:
            extra["Tagging"] = urlencode(tags)
        self.client.upload_fileobj(body, self.bucket, key, ExtraArgs=extra, Config=_TRANSFER)

    def head(self, key: str) -> StoredObject | None:
        """Return what is known of an object."""
        try:
            answer = self.client.head_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        return StoredObject(key=key, size=answer["ContentLength"], mime=answer["ContentType"], etag=answer["ETag"])

    def read(self, key: str, most: int) -> bytes | None:
        """Return the whole of a small object."""
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            _raise_unless_absent(error)
            return None
        if answer["ContentLength"] > most:
            answer["Body"].close()
            raise ValueError(f"the object has {answer['ContentLength']} bytes; {most} were to be read at most")
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
        """Delete these objects with all their versions."""
        found = [version for key in keys for version in self._versions(key)]
        for start in range(0, len(found), _MOST_KEYS):
            answer = self.client.delete_objects(
                Bucket=self.bucket, Delete={"Objects": found[start : start + _MOST_KEYS], "Quiet": True}
            )
            if errors := answer.get("Errors"):
                raise OSError(f"{len(errors)} objects were not deleted, the first with {errors[0].get('Code')}")

    def _versions(self, key: str) -> Iterator["ObjectIdentifierTypeDef"]:
        for page in self.client.get_paginator("list_object_versions").paginate(Bucket=self.bucket, Prefix=key):
            for version in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                if version["Key"] == key:
                    yield {"Key": key, "VersionId": version["VersionId"]}


def _raise_unless_absent(error: ClientError) -> None:
    """An object that is not there is an answer; anything else is an error."""
    if error.response["Error"]["Code"] not in _ABSENT:
        raise error
